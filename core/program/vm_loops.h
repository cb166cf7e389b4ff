/* vm_loops.h: one loop for each operation of kernel programs.
 *
 *      loop(out, a, b, c, n):  out[i] = a[i] + b[i]  for i < n
 *
 * Operands are arrays of float, double, uint32_t (a bool: 0 or 1) or uint64_t
 * (an entity), with elements of value_bytes; in some forms, one of them is a
 * single value instead. out may be one of the operand arrays, if elements of
 * both have the same size: each element is read before it is written.
 *
 * Every loop is compiled for several instruction sets, of which one is chosen
 * when the library is loaded. All give the same bits: nothing is contracted,
 * and no sum is reordered.
 */
#ifndef ECS_VM_LOOPS_H
#define ECS_VM_LOOPS_H

#include "math/reduction.h"
#include "program/operation.h"

/* Rows that a register of the VM holds. Loops take any number of rows. */
#define LOOP_ROWS 512u

typedef void (*Loop)(void *out, const void *a, const void *b, const void *c,
                     uint32_t n);

/* Which of the last two operands is a single value. */
typedef enum LoopForm {
  FORM_ARRAYS, /* none */
  FORM_SECOND, /* the last */
  FORM_FIRST,  /* the one before the last */
  FORM_COUNT
} LoopForm;

/* A product with a sum or difference, each rounded by itself. */
typedef enum ProductKind {
  PRODUCT_PLUS,  /* a * b + c */
  PRODUCT_MINUS, /* a * b - c */
  MINUS_PRODUCT, /* c - a * b */
  PRODUCT_COUNT
} ProductKind;

/* What is known of numbers that become those of an integer field. */
typedef enum KnownNumbers {
  KNOWN_NOTHING,
  KNOWN_WHOLE, /* whole numbers, which the field may not hold */
  KNOWN_FIT,   /* whole numbers that the field holds */
  KNOWN_COUNT
} KnownNumbers;

/* Bytes of an element of a value's array. */
static inline uint32_t value_bytes(ValueType type) {
  return type == VALUE_F64 || type == VALUE_ENTITY ? 8u : 4u;
}

/* Each of the following returns a loop in constant time. */

/* The loop of an operation of a shape up to SHAPE_CONVERT. NULL: there is none
 * in this form; every operation has FORM_ARRAYS. */
ECS_INTERNAL Loop loop_of(Operation operation, ValueType type, LoopForm form);

/* The type is f32 or f64. The form is FORM_ARRAYS, or FORM_SECOND for a single
 * b; a and c are always arrays. */
ECS_INTERNAL Loop loop_product(ProductKind kind, ValueType type, LoopForm form);

/* From a column a to values. The scalar type must load as the value type. */
ECS_INTERNAL Loop loop_load(ecs_Scalar scalar, ValueType type);

/* From values a to a column out, converted as ecs_scalar_convert does. b is the
 * mask, if masked: rows with 0 keep their old element. */
ECS_INTERNAL Loop loop_store(ecs_Scalar scalar, ValueType type, bool masked,
                             KnownNumbers known);

/* From numbers a to what a column of the scalar type would make of them. */
ECS_INTERNAL Loop loop_quantize(ecs_Scalar scalar, ValueType type,
                                KnownNumbers known);

/* Joins n rows, a multiple of REDUCTION_LANES, to the lanes out, as
 * reduction_join does: lane k takes rows k, k + REDUCTION_LANES and so on. a is
 * the rows' doubles; b is their mask, if masked. */
ECS_INTERNAL Loop loop_reduce(ReductionKind kind, bool masked);

/* The same for several arrays of numbers, each with a mask or NULL: lane k takes
 * row k of the first, of the second and so on, then row k + REDUCTION_LANES of
 * each. */
typedef void (*ReduceMany)(double *lanes, const double *const *values,
                           const uint32_t *const *masks, uint32_t arrays,
                           uint32_t n);
ECS_INTERNAL ReduceMany loop_reduce_many(ReductionKind kind);

/* Random numbers, as ecs_random draws them: a has how many each row has drawn
 * before, as doubles, b the rows' entities, c is the key. */
ECS_INTERNAL Loop loop_random(void);

/* out[i] = a[0] */
ECS_INTERNAL Loop loop_fill(ValueType type);

/* Does the operation call the C library for every row? */
ECS_INTERNAL bool loop_is_slow(Operation operation);

/* The instruction set that was chosen: "AVX-512", "AVX2" or "baseline". The
 * string is static. */
ECS_INTERNAL const char *loop_instruction_set(void);

#endif
