/* vm_whole_loops.c: loops over whole numbers of 32 bits.
 *
 * Arithmetic is that of uint32_t, which wraps around: of rows that nothing needs
 * the numbers may be any. The pragma is that of vm_loops.c.
 */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", \
                     "no-math-errno", "no-tree-pre", "no-thread-jumps")
#endif

#include "program/vm_whole_loops.h"

#include "math/elementary_number.h"
#include "program/vm_loop_macros.h"

typedef int32_t Whole;
typedef uint32_t Natural;

static inline Whole wrap_plus(Whole x, Whole y) {
  return (Whole)((uint32_t)x + (uint32_t)y);
}

static inline Whole wrap_minus(Whole x, Whole y) {
  return (Whole)((uint32_t)x - (uint32_t)y);
}

static inline Whole wrap_times(Whole x, Whole y) {
  return (Whole)((uint32_t)x * (uint32_t)y);
}

static inline Whole lesser(Whole x, Whole y) { return y < x ? y : x; }
static inline Whole larger(Whole x, Whole y) { return x < y ? y : x; }

static inline Whole clamp(Whole x, Whole low, Whole high) {
  return lesser(larger(x, low), high);
}

/* Numbers ----------------------------------------------------------------- */

static inline Natural lesser_natural(Natural x, Natural y) {
  return y < x ? y : x;
}

static inline Natural larger_natural(Natural x, Natural y) {
  return x < y ? y : x;
}

/* Sums and differences that end at the limits of Whole: the operand x is cut so
 * that nothing wraps around. Of a single y the limits of x are computed once. */
static inline Whole end_plus(Whole x, Whole y) {
  Whole low = wrap_minus(INT32_MIN, lesser(y, 0));
  Whole high = wrap_minus(INT32_MAX, larger(y, 0));
  return wrap_plus(clamp(x, low, high), y);
}

static inline Whole end_minus(Whole x, Whole y) {
  Whole low = wrap_plus(INT32_MIN, larger(y, 0));
  Whole high = wrap_plus(INT32_MAX, lesser(y, 0));
  return wrap_minus(clamp(x, low, high), y);
}

/* The low bits of a whole number below 2^51, or of its two's complement; of any
 * other number too, rounded. */
static inline Whole whole_of(double x) {
  return (Whole)(uint32_t)elementary_bits(x + ELEMENTARY_ROUNDER);
}

/* The remainder of y from 1 to 2^30, with its sign. The quotient is rounded, and
 * by far less than a half wrong: so what it leaves is less than y away from 0. */
static inline Whole modulo_of(Whole x, double quotient, Whole y) {
  Whole rest = wrap_minus(x, wrap_times(whole_of(quotient), y));
  return wrap_plus(rest, rest < 0 ? y : 0);
}

#define FORMS_OF(name, result, type, expression)        \
  LOOP2(name, result, type, type, expression)           \
  LOOP2_SECOND(name##_second, result, type, expression) \
  LOOP2_FIRST(name##_first, result, type, expression)

FORMS_OF(plus, Whole, Whole, wrap_plus(x, y))
FORMS_OF(minus, Whole, Whole, wrap_minus(x, y))
FORMS_OF(times, Whole, Whole, wrap_times(x, y))
FORMS_OF(minimum, Whole, Whole, lesser(x, y))
FORMS_OF(maximum, Whole, Whole, larger(x, y))
FORMS_OF(less, Truth, Whole, x < y)
FORMS_OF(less_equal, Truth, Whole, x <= y)
FORMS_OF(equal, Truth, Whole, x == y)
FORMS_OF(modulo_whole, Whole, Whole, modulo_of(x, x *(1.0 / y), y))
FORMS_OF(plus_i32, Whole, Whole, end_plus(x, y))
FORMS_OF(minus_i32, Whole, Whole, end_minus(x, y))
LOOP1(negate, Whole, Whole, wrap_minus(0, x))
LOOP1(absolute, Whole, Whole, larger(x, wrap_minus(0, x)))

/* Of small fields, whose limits follow the sum. */
#define SMALL(name, low, high)                                             \
  FORMS_OF(plus_##name, Whole, Whole, clamp(wrap_plus(x, y), low, high))   \
  FORMS_OF(minus_##name, Whole, Whole, clamp(wrap_minus(x, y), low, high)) \
  LOOP1(quantize_##name, Whole, Whole, clamp(x, low, high))
SMALL(i8, -128, 127)
SMALL(u8, 0, 255)
SMALL(i16, -32768, 32767)
SMALL(u16, 0, 65535)
LOOP1(quantize_u32, Whole, Whole, larger(x, 0))

/* What differs for natural numbers. */
FORMS_OF(minimum_natural, Natural, Natural, lesser_natural(x, y))
FORMS_OF(maximum_natural, Natural, Natural, larger_natural(x, y))
FORMS_OF(less_natural, Truth, Natural, x < y)
FORMS_OF(less_equal_natural, Truth, Natural, x <= y)
FORMS_OF(modulo_natural, Natural, Natural,
         modulo_of((Whole)x, x *(1.0 / y), (Whole)y))
FORMS_OF(plus_u32, Natural, Natural, lesser_natural(x, ~y) + y)
FORMS_OF(minus_u32, Natural, Natural, larger_natural(x, y) - y)
LOOP1(quantize_natural_i8, Natural, Natural, lesser_natural(x, 127))
LOOP1(quantize_natural_u8, Natural, Natural, lesser_natural(x, 255))
LOOP1(quantize_natural_i16, Natural, Natural, lesser_natural(x, 32767))
LOOP1(quantize_natural_u16, Natural, Natural, lesser_natural(x, 65535))
LOOP1(quantize_natural_i32, Natural, Natural, lesser_natural(x, INT32_MAX))

/* Columns ----------------------------------------------------------------- */

LOOP1(copy, Whole, Whole, x)
LOOP1(load_i8, Whole, int8_t, x)
LOOP1(load_u8, Whole, uint8_t, x)
LOOP1(load_i16, Whole, int16_t, x)
LOOP1(load_u16, Whole, uint16_t, x)

STORE_LOOPS(i8, int8_t, Whole, clamp(x, -128, 127))
STORE_LOOPS(u8, uint8_t, Whole, clamp(x, 0, 255))
STORE_LOOPS(i16, int16_t, Whole, clamp(x, -32768, 32767))
STORE_LOOPS(u16, uint16_t, Whole, clamp(x, 0, 65535))
STORE_LOOPS(u32, uint32_t, Whole, larger(x, 0))
STORE_LOOPS(fit_8, uint8_t, Whole, x)
STORE_LOOPS(fit_16, uint16_t, Whole, x)
STORE_LOOPS(fit_32, uint32_t, Whole, x)
STORE_LOOPS(f32, float, Whole, x)
STORE_LOOPS(f64, double, Whole, x)
STORE_LOOPS(natural_i8, int8_t, Natural, lesser_natural(x, 127))
STORE_LOOPS(natural_u8, uint8_t, Natural, lesser_natural(x, 255))
STORE_LOOPS(natural_i16, int16_t, Natural, lesser_natural(x, 32767))
STORE_LOOPS(natural_u16, uint16_t, Natural, lesser_natural(x, 65535))
STORE_LOOPS(natural_i32, int32_t, Natural, lesser_natural(x, INT32_MAX))
/* By way of double, which is exact: GCC converts directly with a multiplication
 * and an addition in one, of the same bits, and no such instruction is to be in
 * the library. */
STORE_LOOPS(natural_f32, float, Natural, (double)x)
STORE_LOOPS(natural_f64, double, Natural, x)

LOOP1(widen_f32, Whole, float, whole_of((double)x))
LOOP1(narrow_f64, Whole, double, whole_of(x))

/* Tables ------------------------------------------------------------------ */

#define FORMS(name) \
  { name, name##_second, name##_first }
#define ENDS(name) \
  { FORMS(plus_##name), FORMS(minus_##name) }

static const Loop loops[OPERATION_COUNT][FORM_COUNT] = {
    [OPERATION_NEGATE] = {negate},
    [OPERATION_ABSOLUTE] = {absolute},
    [OPERATION_PLUS] = FORMS(plus),
    [OPERATION_MINUS] = FORMS(minus),
    [OPERATION_TIMES] = FORMS(times),
    [OPERATION_MODULO] = FORMS(modulo_whole),
    [OPERATION_MINIMUM] = FORMS(minimum),
    [OPERATION_MAXIMUM] = FORMS(maximum),
    [OPERATION_LESS] = FORMS(less),
    [OPERATION_LESS_EQUAL] = FORMS(less_equal),
    [OPERATION_EQUAL] = FORMS(equal)};

static const Loop natural_loops[OPERATION_COUNT][FORM_COUNT] = {
    [OPERATION_ABSOLUTE] = {copy},
    [OPERATION_MODULO] = FORMS(modulo_natural),
    [OPERATION_MINIMUM] = FORMS(minimum_natural),
    [OPERATION_MAXIMUM] = FORMS(maximum_natural),
    [OPERATION_LESS] = FORMS(less_natural),
    [OPERATION_LESS_EQUAL] = FORMS(less_equal_natural)};

/* Sums and differences with limits. */
static const Loop ends[ECS_SCALAR_COUNT][2][FORM_COUNT] = {
    [ECS_I8] = ENDS(i8),   [ECS_U8] = ENDS(u8),   [ECS_I16] = ENDS(i16),
    [ECS_U16] = ENDS(u16), [ECS_I32] = ENDS(i32), [ECS_U32] = ENDS(u32)};

Loop whole_formed(const Instruction *ins, LoopForm form) {
  Operation operation = (Operation)ins->operation;
  if (ins->type < VALUE_WHOLE)
    return loop_of(operation, (ValueType)ins->type, form);
  if (operation == OPERATION_SELECT)
    return loop_of(operation, VALUE_BOOL, form);
  if (ins->scalar != 0)
    return ends[ins->scalar][operation == OPERATION_MINUS][form];
  if (ins->type == VALUE_NATURAL &&
      natural_loops[operation][FORM_ARRAYS] != NULL)
    return natural_loops[operation][form];
  return loops[operation][form];
}

Loop whole_load(ecs_Scalar scalar) {
  static const Loop loads[ECS_SCALAR_COUNT] = {
      [ECS_I8] = load_i8,   [ECS_U8] = load_u8, [ECS_I16] = load_i16,
      [ECS_U16] = load_u16, [ECS_I32] = copy,   [ECS_U32] = copy};
  ECS_ASSERT(loads[scalar] != NULL);
  return loads[scalar];
}

#define MASKINGS(name) \
  { store_##name, store_##name##_masked }

Loop whole_store(ecs_Scalar scalar, ValueType type, bool masked, bool fits) {
  static const Loop stores[2][ECS_SCALAR_COUNT][2] = {
      {[ECS_F32] = MASKINGS(f32),
       [ECS_F64] = MASKINGS(f64),
       [ECS_I8] = MASKINGS(i8),
       [ECS_U8] = MASKINGS(u8),
       [ECS_I16] = MASKINGS(i16),
       [ECS_U16] = MASKINGS(u16),
       [ECS_I32] = MASKINGS(fit_32),
       [ECS_U32] = MASKINGS(u32)},
      {[ECS_F32] = MASKINGS(natural_f32),
       [ECS_F64] = MASKINGS(natural_f64),
       [ECS_I8] = MASKINGS(natural_i8),
       [ECS_U8] = MASKINGS(natural_u8),
       [ECS_I16] = MASKINGS(natural_i16),
       [ECS_U16] = MASKINGS(natural_u16),
       [ECS_I32] = MASKINGS(natural_i32),
       [ECS_U32] = MASKINGS(fit_32)}};
  static const Loop fitting[][2] = {
      [1] = MASKINGS(fit_8), [2] = MASKINGS(fit_16), [4] = MASKINGS(fit_32)};
  ECS_ASSERT(scalar < ECS_BOOL && type >= VALUE_WHOLE);
  if (fits && !scalar_is_float(scalar))
    return fitting[scalar_bytes(scalar)][masked];
  return stores[type == VALUE_NATURAL][scalar][masked];
}

Loop whole_quantize(ecs_Scalar scalar, ValueType type) {
  static const Loop quantizes[2][ECS_SCALAR_COUNT] = {
      {[ECS_I8] = quantize_i8,
       [ECS_U8] = quantize_u8,
       [ECS_I16] = quantize_i16,
       [ECS_U16] = quantize_u16,
       [ECS_I32] = copy,
       [ECS_U32] = quantize_u32},
      {[ECS_I8] = quantize_natural_i8,
       [ECS_U8] = quantize_natural_u8,
       [ECS_I16] = quantize_natural_i16,
       [ECS_U16] = quantize_natural_u16,
       [ECS_I32] = quantize_natural_i32,
       [ECS_U32] = copy}};
  ECS_ASSERT(quantizes[type == VALUE_NATURAL][scalar] != NULL);
  return quantizes[type == VALUE_NATURAL][scalar];
}

/* The low bits are the same for both types. */
Loop whole_convert(ValueType to, ValueType from) {
  ECS_ASSERT((to >= VALUE_WHOLE) != (from >= VALUE_WHOLE));
  if (to >= VALUE_WHOLE) return from == VALUE_F32 ? widen_f32 : narrow_f64;
  return whole_store(to == VALUE_F32 ? ECS_F32 : ECS_F64, from, false, false);
}
