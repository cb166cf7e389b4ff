/* vm_loops.c: one loop per operation of kernel programs.
 *
 * A rock cannot have compiler flags per file, so this file sets its own:
 * vectorise; never contract, as clones with FMA would give other bits; assume
 * no traps and no errno, so that comparisons and square roots are vectorised;
 * leave a select a select, as GCC otherwise converts its two sides apart, and a
 * clamp takes two to four times as long.
 * The dynamic linker chooses among three clones of every loop.
 */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
/* Loops that call the C library cannot be vectorised, and need not be. */
#pragma clang diagnostic ignored "-Wpass-failed"
#elif defined(__GNUC__)
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", \
                     "no-math-errno", "no-tree-pre", "no-thread-jumps")
#endif

#include "program/vm_loops.h"

#include <math.h>

#include "base/invariant.h"
#include "math/elementary.h"
#include "math/random.h"
#include "program/vm_loop_macros.h"
#include "program/vm_remainder_loops.h"
#include "program/vm_integer_loops.h"

/* The pragma above does not reach the C library's functions: with the flags of
 * a rock they may still set errno, and a loop that calls them stays scalar.
 * Declared const, a square root sets nothing. */
#if defined(__GNUC__)
extern float sqrtf(float) __attribute__((const));
extern double sqrt(double) __attribute__((const));
#endif

/* Numbers ----------------------------------------------------------------- */

/* Operations that are computed in their own type: an expression for each. */
#define UNARY(name, f32, f64)          \
  LOOP1(name##_f32, float, float, f32) \
  LOOP1(name##_f64, double, double, f64)

/* Operations that are computed in f64, whatever their type. */
#define WIDE_UNARY(name, function)                     \
  LOOP1(name##_f32, float, float, function((double)x)) \
  LOOP1(name##_f64, double, double, function(x))

UNARY(negate, -x, -x)
UNARY(absolute, fabsf(x), fabs(x))
UNARY(floor, floorf(x) + 0.0f, floor(x) + 0.0)
UNARY(ceil, ceilf(x) + 0.0f, ceil(x) + 0.0)
UNARY(root, sqrtf(x), sqrt(x))
WIDE_UNARY(sin, sin)
WIDE_UNARY(cos, cos)
WIDE_UNARY(tan, tan)
WIDE_UNARY(asin, asin)
WIDE_UNARY(acos, acos)
WIDE_UNARY(atan, atan)
WIDE_UNARY(exp, exp)
WIDE_UNARY(log, log)
WIDE_UNARY(own_exp, elementary_exp)
WIDE_UNARY(own_log, elementary_log)

static inline double elementary_near_sin(double x) {
  return elementary_quarter_sin_near(x, 0);
}

static inline double elementary_near_cos(double x) {
  return elementary_quarter_sin_near(x, 1);
}

WIDE_UNARY(near_sin, elementary_near_sin)
WIDE_UNARY(near_cos, elementary_near_cos)

/* The vectorised form runs first, then arguments past its reach one by one. out
 * may be the array of arguments, so LOOP_ROWS of them are copied at a time. */
#define OWN_QUARTER_SIN(name, near, type, quarters)                          \
  static void name##_some(type *to, const type *from, uint32_t n) {          \
    type room[LOOP_ROWS];                                                    \
    bool far = false;                                                        \
    for (uint32_t i = 0; i < n; i++)                                         \
      far |= !(fabs((double)from[i]) < ELEMENTARY_REACH);                    \
    if (far) memcpy(room, from, n * sizeof(type));                           \
    near(to, from, NULL, NULL, n);                                           \
    for (uint32_t i = 0; far && i < n; i++)                                  \
      if (!(fabs((double)room[i]) < ELEMENTARY_REACH))                       \
        to[i] = (type)elementary_quarter_sin_any((double)room[i], quarters); \
  }                                                                          \
  static void name(void *out, const void *a, const void *b, const void *c,   \
                   uint32_t n) {                                             \
    (void)b;                                                                 \
    (void)c;                                                                 \
    for (uint32_t i = 0; i < n; i += LOOP_ROWS)                              \
      name##_some((type *)out + i, (const type *)a + i,                      \
                  n - i < LOOP_ROWS ? n - i : LOOP_ROWS);                    \
  }
OWN_QUARTER_SIN(own_sin_f32, near_sin_f32, float, 0)
OWN_QUARTER_SIN(own_sin_f64, near_sin_f64, double, 0)
OWN_QUARTER_SIN(own_cos_f32, near_cos_f32, float, 1)
OWN_QUARTER_SIN(own_cos_f64, near_cos_f64, double, 1)

#define BINARY_FORMS(name, type, result, expression)    \
  LOOP2(name, result, type, type, expression)           \
  LOOP2_SECOND(name##_second, result, type, expression) \
  LOOP2_FIRST(name##_first, result, type, expression)

#define BINARY(name, expression)                     \
  BINARY_FORMS(name##_f32, float, float, expression) \
  BINARY_FORMS(name##_f64, double, double, expression)

#define WIDE_BINARY(name, function)                                      \
  LOOP2(name##_f32, float, float, float, function((double)x, (double)y)) \
  LOOP2(name##_f64, double, double, double, function(x, y))

static inline double floor_divide(double a, double b) { return floor(a / b); }

/* Lua squares instead of calling pow. */
static inline double power(double a, double b) {
  return b == 2.0 ? a * a : pow(a, b);
}

/* The whole number nearest to x, if that is within 2^50; otherwise 0. The sum has
 * it in the lowest bits of its mantissa, which is faster in vectors than a
 * conversion. */
static inline int64_t bits_of(double x) {
  double sum = (fabs(x) < 0x1p50 ? x : 0.0) + 0x1.8p52;
  int64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  return bits - INT64_C(0x4338000000000000);
}

/* The number of bits that are within 2^51. */
static inline double number_of(int64_t bits) {
  double sum;
  bits += INT64_C(0x4338000000000000);
  memcpy(&sum, &bits, sizeof sum);
  return sum - 0x1.8p52;
}

static inline double bits_and(double x, double y) {
  return number_of(bits_of(x) & bits_of(y));
}

static inline double bits_or(double x, double y) {
  return number_of(bits_of(x) | bits_of(y));
}

static inline double bits_xor(double x, double y) {
  return number_of(bits_of(x) ^ bits_of(y));
}

BINARY(plus, x + y)
BINARY(minus, x - y)
BINARY(times, x *y)
BINARY(divide, x / y)
BINARY(minimum, y < x ? y : x)
BINARY(maximum, x < y ? y : x)
WIDE_BINARY(floor_divide, floor_divide)
WIDE_BINARY(power, power)
WIDE_BINARY(atan2, atan2)
WIDE_BINARY(own_power, elementary_pow)
WIDE_BINARY(bits_and, bits_and)
WIDE_BINARY(bits_or, bits_or)
WIDE_BINARY(bits_xor, bits_xor)
WIDE_BINARY(own_atan2, elementary_atan2)

/* A product and a sum in one pass, each rounded as if it stood alone. step is i
 * for an array b, and 0 for a single b. */
#define PRODUCT_LOOP(name, type, step, expression)                 \
  CLONES static void name(void *out, const void *a, const void *b, \
                          const void *c, uint32_t n) {             \
    type *to = out;                                                \
    const type *first = a, *second = b, *third = c;                \
    ELEMENTWISE for (uint32_t i = 0; i < n; i++) {                 \
      const type product = first[i] * second[step];                \
      const type z = third[i];                                     \
      to[i] = expression;                                          \
    }                                                              \
  }
#define PRODUCT_FORMS(name, type, expression) \
  PRODUCT_LOOP(name, type, i, expression)     \
  PRODUCT_LOOP(name##_second, type, 0, expression)
#define PRODUCT(name, expression)              \
  PRODUCT_FORMS(name##_f32, float, expression) \
  PRODUCT_FORMS(name##_f64, double, expression)
PRODUCT(times_plus, product + z)
PRODUCT(times_minus, product - z)
PRODUCT(minus_times, z - product)

LOOP1(widen, double, float, x)
LOOP1(narrow, float, double, x)

/* a is how many numbers each row has drawn, b its entity, c the key. */
CLONES static void random_numbers(void *out, const void *a, const void *b,
                                  const void *c, uint32_t n) {
  double *to = out;
  const double *draws = a;
  const uint64_t *entities = b, key = *(const uint64_t *)c;
  ELEMENTWISE for (uint32_t i = 0; i < n; i++) to[i] =
      random_number_of(random_hash(key, entities[i], random_count(draws[i])));
}

/* Truths ------------------------------------------------------------------ */

#define COMPARE(name, expression)                    \
  BINARY_FORMS(name##_f32, float, Truth, expression) \
  BINARY_FORMS(name##_f64, double, Truth, expression)

COMPARE(less, x < y)
COMPARE(less_equal, x <= y)
COMPARE(equal, x == y)
BINARY_FORMS(equal_bool, Truth, Truth, x == y)
BINARY_FORMS(equal_entity, uint64_t, Truth, x == y)
LOOP2(both, Truth, Truth, Truth, x &y)
LOOP2(either, Truth, Truth, Truth, x | y)
LOOP1(opposite, Truth, Truth, x ^ 1u)

/* a is the mask. One of b and c may be a single value: its step is 0. */
#define SELECT_LOOP(name, type, step_b, step_c)                    \
  CLONES static void name(void *out, const void *a, const void *b, \
                          const void *c, uint32_t n) {             \
    type *to = out;                                                \
    const Truth *mask = a;                                         \
    const type *yes = b, *no = c;                                  \
    ELEMENTWISE for (uint32_t i = 0; i < n; i++) {                 \
      const type x = yes[step_b], y = no[step_c];                  \
      to[i] = mask[i] ? x : y;                                     \
    }                                                              \
  }
#define SELECT(name, type)               \
  SELECT_LOOP(name, type, i, i)          \
  SELECT_LOOP(name##_second, type, i, 0) \
  SELECT_LOOP(name##_first, type, 0, i)
SELECT(select_f32, float)
SELECT(select_f64, double)
SELECT(select_bool, Truth)
SELECT(select_entity, uint64_t)

#define FILL(name, type)                                           \
  CLONES static void name(void *out, const void *a, const void *b, \
                          const void *c, uint32_t n) {             \
    type *to = out;                                                \
    const type x = *(const type *)a;                               \
    UNUSED(b);                                                     \
    UNUSED(c);                                                     \
    for (uint32_t i = 0; i < n; i++) to[i] = x;                    \
  }
FILL(fill_words, uint32_t)
FILL(fill_twins, uint64_t)

/* Columns ----------------------------------------------------------------- */

LOOP1(copy_f32, float, float, x)
LOOP1(copy_f64, double, double, x)
LOOP1(quantize_f32_f64, double, double, (float)x)
/* A native kernel may have stored a true other than 1. */
LOOP1(load_bool, Truth, uint8_t, x != 0)
STORE_LOOPS(f32_f32, float, float, x)
STORE_LOOPS(f32_f64, float, double, x)
STORE_LOOPS(f64_f32, double, float, x)
STORE_LOOPS(f64_f64, double, double, x)
STORE_LOOPS(bool, uint8_t, Truth, x)
STORE_LOOPS(entity, uint64_t, uint64_t, x)

/* Reductions -------------------------------------------------------------- */

/* x is the lane, y the row's number. No lane depends on another. */
#define REDUCE(name, expression)                                            \
  CLONES static void name(void *out, const void *a, const void *b,          \
                          const void *c, uint32_t n) {                      \
    double *to = out, lanes[REDUCTION_LANES];                               \
    const double *from = a;                                                 \
    UNUSED(b);                                                              \
    UNUSED(c);                                                              \
    memcpy(lanes, to, sizeof lanes);                                        \
    for (uint32_t i = 0; i < n; i += REDUCTION_LANES)                       \
      for (uint32_t k = 0; k < REDUCTION_LANES; k++) {                      \
        const double x = lanes[k], y = from[i + k];                         \
        lanes[k] = expression;                                              \
      }                                                                     \
    memcpy(to, lanes, sizeof lanes);                                        \
  }                                                                         \
  CLONES static void name##_masked(void *out, const void *a, const void *b, \
                                   const void *c, uint32_t n) {             \
    double *to = out, lanes[REDUCTION_LANES];                               \
    const double *from = a;                                                 \
    const Truth *mask = b;                                                  \
    UNUSED(c);                                                              \
    memcpy(lanes, to, sizeof lanes);                                        \
    for (uint32_t i = 0; i < n; i += REDUCTION_LANES)                       \
      for (uint32_t k = 0; k < REDUCTION_LANES; k++) {                      \
        const double x = lanes[k], y = from[i + k];                         \
        const double reduced = expression;                                  \
        lanes[k] = mask[i + k] ? reduced : x;                               \
      }                                                                     \
    memcpy(to, lanes, sizeof lanes);                                        \
  }
REDUCE(sum, x + y)
REDUCE(least, y < x ? y : x)
REDUCE(greatest, y > x ? y : x)

/* The same of several arrays, in turns after every REDUCTION_LANES rows. */
#define REDUCE_MANY(name, expression)                                     \
  CLONES static void name##_many(double *to, const double *const *values, \
                                 const uint32_t *const *masks,            \
                                 uint32_t arrays, uint32_t n) {           \
    double lanes[REDUCTION_LANES];                                        \
    memcpy(lanes, to, sizeof lanes);                                      \
    for (uint32_t i = 0; i < n; i += REDUCTION_LANES)                     \
      for (uint32_t s = 0; s < arrays; s++) {                             \
        const double *from = values[s] + i;                               \
        const Truth *mask = masks[s];                                     \
        for (uint32_t k = 0; mask == NULL && k < REDUCTION_LANES; k++) {  \
          const double x = lanes[k], y = from[k];                         \
          lanes[k] = expression;                                          \
        }                                                                 \
        for (uint32_t k = 0; mask != NULL && k < REDUCTION_LANES; k++) {  \
          const double x = lanes[k], y = from[k];                         \
          const double reduced = expression;                              \
          lanes[k] = mask[i + k] ? reduced : x;                           \
        }                                                                 \
      }                                                                   \
    memcpy(to, lanes, sizeof lanes);                                      \
  }
REDUCE_MANY(sum, x + y)
REDUCE_MANY(least, y < x ? y : x)
REDUCE_MANY(greatest, y > x ? y : x)

/* Tables ------------------------------------------------------------------ */

#define BOTH(name) \
  { name##_f32, name##_f64 }

static const Loop number_loops[OPERATION_COUNT][2] = {
    [OPERATION_NEGATE] = BOTH(negate),
    [OPERATION_ABSOLUTE] = BOTH(absolute),
    [OPERATION_FLOOR] = BOTH(floor),
    [OPERATION_CEIL] = BOTH(ceil),
    [OPERATION_ROOT] = BOTH(root),
    [OPERATION_SIN] = BOTH(sin),
    [OPERATION_COS] = BOTH(cos),
    [OPERATION_TAN] = BOTH(tan),
    [OPERATION_ASIN] = BOTH(asin),
    [OPERATION_ACOS] = BOTH(acos),
    [OPERATION_ATAN] = BOTH(atan),
    [OPERATION_EXP] = BOTH(exp),
    [OPERATION_LOG] = BOTH(log),
    [OPERATION_OWN_SIN] = BOTH(own_sin),
    [OPERATION_OWN_COS] = BOTH(own_cos),
    [OPERATION_OWN_EXP] = BOTH(own_exp),
    [OPERATION_OWN_LOG] = BOTH(own_log),
    [OPERATION_FLOOR_DIVIDE] = BOTH(floor_divide),
    [OPERATION_MODULO] = BOTH(modulo),
    [OPERATION_REMAINDER] = BOTH(remainder),
    [OPERATION_POWER] = BOTH(power),
    [OPERATION_ATAN2] = BOTH(atan2),
    [OPERATION_OWN_POWER] = BOTH(own_power),
    [OPERATION_BITS_AND] = BOTH(bits_and),
    [OPERATION_BITS_OR] = BOTH(bits_or),
    [OPERATION_BITS_XOR] = BOTH(bits_xor),
    [OPERATION_OWN_ATAN2] = BOTH(own_atan2),
    [OPERATION_CONVERT] = {narrow, widen},
};

#define FORMS(name) \
  { name, name##_second, name##_first }

static const Loop formed_loops[OPERATION_COUNT][VALUE_TYPE_COUNT][FORM_COUNT] =
    {
        [OPERATION_PLUS] = {FORMS(plus_f32), FORMS(plus_f64)},
        [OPERATION_MINUS] = {FORMS(minus_f32), FORMS(minus_f64)},
        [OPERATION_TIMES] = {FORMS(times_f32), FORMS(times_f64)},
        [OPERATION_DIVIDE] = {FORMS(divide_f32), FORMS(divide_f64)},
        [OPERATION_MINIMUM] = {FORMS(minimum_f32), FORMS(minimum_f64)},
        [OPERATION_MAXIMUM] = {FORMS(maximum_f32), FORMS(maximum_f64)},
        [OPERATION_LESS] = {FORMS(less_f32), FORMS(less_f64)},
        [OPERATION_LESS_EQUAL] = {FORMS(less_equal_f32), FORMS(less_equal_f64)},
        [OPERATION_EQUAL] = {FORMS(equal_f32), FORMS(equal_f64),
                             FORMS(equal_bool), FORMS(equal_entity)},
        [OPERATION_SELECT] = {FORMS(select_f32), FORMS(select_f64),
                              FORMS(select_bool), FORMS(select_entity)},
};

Loop loop_of(Operation operation, ValueType type, LoopForm form) {
  ECS_ASSERT(operation < OPERATION_COUNT && type < VALUE_TYPE_COUNT);
  ECS_ASSERT(form < FORM_COUNT);
  Loop formed = formed_loops[operation][type][form];
  if (formed != NULL) return formed;
  if (form != FORM_ARRAYS) return NULL;
  switch (operation) {
    case OPERATION_AND: return both;
    case OPERATION_OR: return either;
    case OPERATION_NOT: return opposite;
    default: return type > VALUE_F64 ? NULL : number_loops[operation][type];
  }
}

Loop loop_product(ProductKind kind, ValueType type, LoopForm form) {
  static const Loop loops[PRODUCT_COUNT][2][2] = {
      {{times_plus_f32, times_plus_f32_second},
       {times_plus_f64, times_plus_f64_second}},
      {{times_minus_f32, times_minus_f32_second},
       {times_minus_f64, times_minus_f64_second}},
      {{minus_times_f32, minus_times_f32_second},
       {minus_times_f64, minus_times_f64_second}}};
  ECS_ASSERT(kind < PRODUCT_COUNT && type <= VALUE_F64 && form <= FORM_SECOND);
  return loops[kind][type][form];
}

bool loop_is_slow(Operation operation) {
  switch (operation) {
    case OPERATION_SIN:
    case OPERATION_COS:
    case OPERATION_TAN:
    case OPERATION_ASIN:
    case OPERATION_ACOS:
    case OPERATION_ATAN:
    case OPERATION_EXP:
    case OPERATION_LOG:
    case OPERATION_POWER:
    case OPERATION_ATAN2: return true;
    default: return false;
  }
}

Loop loop_load(ecs_Scalar scalar, ValueType type) {
  static const Loop loops[ECS_SCALAR_COUNT][2] = {
      [ECS_F32] = {copy_f32, widen},
      [ECS_F64] = {NULL, copy_f64},
      [ECS_I8] = {load_i8_f32, load_i8_f64},
      [ECS_U8] = {load_u8_f32, load_u8_f64},
      [ECS_I16] = {load_i16_f32, load_i16_f64},
      [ECS_U16] = {load_u16_f32, load_u16_f64},
      [ECS_I32] = {NULL, load_i32_f64},
      [ECS_U32] = {NULL, load_u32_f64}};
  ECS_ASSERT(scalar_loads_as(scalar, type));
  if (scalar == ECS_BOOL) return load_bool;
  if (scalar == ECS_ENTITY) return store_entity;
  return loops[scalar][type];
}

#define MASKINGS(name) \
  { store_##name, store_##name##_masked }
#define STORES(name) \
  { MASKINGS(name##_f32), MASKINGS(name##_f64) }
#define KNOWN_STORES(name) \
  { MASKINGS(whole_##name), MASKINGS(fit_##name) }

/* Has it loops of its own for known numbers? Integers are computed in f64. */
static bool is_whole(ecs_Scalar scalar, ValueType type) {
  return scalar >= ECS_I8 && scalar <= ECS_U32 && type == VALUE_F64;
}

Loop loop_store(ecs_Scalar scalar, ValueType type, bool masked,
                KnownNumbers known) {
  static const Loop loops[ECS_SCALAR_COUNT][2][2] = {
      [ECS_F32] = STORES(f32), [ECS_F64] = STORES(f64), [ECS_I8] = STORES(i8),
      [ECS_U8] = STORES(u8),   [ECS_I16] = STORES(i16), [ECS_U16] = STORES(u16),
      [ECS_I32] = STORES(i32), [ECS_U32] = STORES(u32)};
  static const Loop knowing[ECS_SCALAR_COUNT][2][2] = {
      [ECS_I8] = KNOWN_STORES(i8),   [ECS_U8] = KNOWN_STORES(u8),
      [ECS_I16] = KNOWN_STORES(i16), [ECS_U16] = KNOWN_STORES(u16),
      [ECS_I32] = KNOWN_STORES(i32), [ECS_U32] = KNOWN_STORES(u32)};
  ECS_ASSERT(scalar_stores_as(scalar, type));
  if (scalar == ECS_BOOL) return masked ? store_bool_masked : store_bool;
  if (scalar == ECS_ENTITY) return masked ? store_entity_masked : store_entity;
  if (known != KNOWN_NOTHING && is_whole(scalar, type))
    return knowing[scalar][known - KNOWN_WHOLE][masked];
  return loops[scalar][type][masked];
}

Loop loop_quantize(ecs_Scalar scalar, ValueType type, KnownNumbers known) {
  static const Loop loops[ECS_SCALAR_COUNT][2] = {
      [ECS_F32] = {copy_f32, quantize_f32_f64},
      [ECS_F64] = {copy_f32, copy_f64},
      [ECS_I8] = BOTH(quantize_i8),
      [ECS_U8] = BOTH(quantize_u8),
      [ECS_I16] = BOTH(quantize_i16),
      [ECS_U16] = BOTH(quantize_u16),
      [ECS_I32] = BOTH(quantize_i32),
      [ECS_U32] = BOTH(quantize_u32)};
  static const Loop knowing[ECS_SCALAR_COUNT] = {
      [ECS_I8] = quantize_whole_i8,   [ECS_U8] = quantize_whole_u8,
      [ECS_I16] = quantize_whole_i16, [ECS_U16] = quantize_whole_u16,
      [ECS_I32] = quantize_whole_i32, [ECS_U32] = quantize_whole_u32};
  ECS_ASSERT(scalar < ECS_BOOL && type <= VALUE_F64);
  if (known != KNOWN_NOTHING && is_whole(scalar, type)) return knowing[scalar];
  return loops[scalar][type];
}

Loop loop_reduce(ReductionKind kind, bool masked) {
  if (kind == REDUCTION_SUM) return masked ? sum_masked : sum;
  if (kind == REDUCTION_LEAST) return masked ? least_masked : least;
  return masked ? greatest_masked : greatest;
}

ReduceMany loop_reduce_many(ReductionKind kind) {
  return kind == REDUCTION_SUM     ? sum_many
         : kind == REDUCTION_LEAST ? least_many
                                   : greatest_many;
}

Loop loop_random(void) { return random_numbers; }

Loop loop_fill(ValueType type) {
  return value_bytes(type) == 4 ? fill_words : fill_twins;
}

const char *loop_instruction_set(void) {
#if HAS_CLONES
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return "AVX-512";
  if (__builtin_cpu_supports("avx2")) return "AVX2";
#endif
  return "baseline";
}
