/* vm_loops.h: one loop per operation of kernel programs, over up to
 * LOOP_ROWS rows.
 *
 *      loop(out, a, b, c, n):  out[i] = a[i] + b[i]  for i < n
 *
 * Operands are arrays of float, double, uint32_t (a bool: 0 or 1) or uint64_t
 * (an entity), as value_bytes says; or single values, in the forms that say so.
 * out may be one of the operands: each element is read before it is written.
 *
 * Every loop is compiled for several instruction sets and picked when the
 * library is loaded. They all give the same bits: nothing is contracted, and
 * no sum is reordered.
 */
#ifndef ECS_VM_LOOPS_H
#define ECS_VM_LOOPS_H

#include "math/reduction.h"
#include "program/operation.h"

#define LOOP_ROWS 512u

typedef void (*Loop)(void *out, const void *a, const void *b, const void *c,
                     uint32_t n);

/* Which of the last two operands are single values. */
typedef enum LoopForm {
  FORM_ARRAYS,
  FORM_SECOND, /* the last one is */
  FORM_FIRST,  /* the one before it is */
  FORM_COUNT
} LoopForm;

/* Bytes of an element of that type. */
static inline uint32_t value_bytes(ValueType type) {
  return type == VALUE_F32 || type == VALUE_BOOL ? 4u : 8u;
}

/* The loop of an operation whose operands are values; NULL where there is none
 * in this form (all have FORM_ARRAYS). */
ECS_INTERNAL Loop loop_of(Operation operation, ValueType type, LoopForm form);

/* A product with a sum or difference, rounded twice: out = a * b + c and so on.
 * FORM_ARRAYS or FORM_SECOND (b is a single value). */
typedef enum ProductKind {
  PRODUCT_PLUS,  /* a * b + c */
  PRODUCT_MINUS, /* a * b - c */
  MINUS_PRODUCT, /* c - a * b */
  PRODUCT_COUNT
} ProductKind;
ECS_INTERNAL Loop loop_product(ProductKind kind, ValueType type, LoopForm form);

/* Between columns and values. load: out is values, a the column. store: out is
 * the column, a values, b the mask where masked. */
ECS_INTERNAL Loop loop_load(ecs_Scalar scalar, ValueType type);
ECS_INTERNAL Loop loop_store(ecs_Scalar scalar, ValueType type, bool masked);
ECS_INTERNAL Loop loop_quantize(ecs_Scalar scalar, ValueType type);

/* Reductions: n rows, a multiple of REDUCTION_LANES, are joined to the lanes as
 * reduction_join does it. out: the lanes, doubles; a: the rows' doubles; b:
 * their mask where masked. Lane k takes rows k, k + REDUCTION_LANES ... */
ECS_INTERNAL Loop loop_reduce(ReductionKind kind, bool masked);

/* out[i] = a[0] */
ECS_INTERNAL Loop loop_fill(ValueType type);

/* Does the operation call the C library for every row? */
ECS_INTERNAL bool loop_is_slow(Operation operation);

/* "AVX-512", "AVX2" or "baseline": what loops run on here. */
ECS_INTERNAL const char *loop_instruction_set(void);

#endif
