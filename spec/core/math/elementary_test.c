/* elementary_test.c: the functions of elementary.h against the C library.
 *
 * Accuracy is measured against long double, where it is wider than double.
 * Edges are compared with what C specifies. The bits of all results give one
 * number, which must be the same on every machine.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "test_case.h"
#include "ecs.h"
#include "math/elementary.h"

#define ROUNDS 20000

static uint64_t seed;

/* Xorshift of Marsaglia. */
static uint64_t next_bits(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static double between(double low, double high) {
  return low + (high - low) * ((double)(next_bits() >> 11) * 0x1p-53);
}

/* Any finite number; every exponent is equally likely. */
static double any_finite(void) {
  double x = elementary_from_bits(next_bits());
  return fabs(x) < INFINITY ? x : 1.0;
}

typedef struct Function {
  const char *name;
  double (*ours)(double x, double y);
  long double (*exact)(long double x, long double y);
  double units; /* largest error, in units of the last place */
  double low, high;
} Function;

#define UNARY(name)                                               \
  static double ours_##name(double x, double y) {                 \
    (void)y;                                                      \
    return ecs_##name(x);                                         \
  }                                                               \
  static long double exact_##name(long double x, long double y) { \
    (void)y;                                                      \
    return name##l(x);                                            \
  }
UNARY(sin)
UNARY(cos)
UNARY(exp)
UNARY(log)

static double ours_pow(double x, double y) { return ecs_pow(x, y); }
static double ours_atan2(double x, double y) { return ecs_atan2(y, x); }
static long double exact_atan2(long double x, long double y) {
  return atan2l(y, x);
}

static const Function functions[] = {
    {"sin", ours_sin, exact_sin, 1.0, -1e6, 1e6},
    {"cos", ours_cos, exact_cos, 1.0, -1e6, 1e6},
    {"sin", ours_sin, exact_sin, 1.0, 0.0, 0.0},
    {"cos", ours_cos, exact_cos, 1.0, 0.0, 0.0},
    {"exp", ours_exp, exact_exp, 1.0, -750.0, 715.0},
    {"exp", ours_exp, exact_exp, 1.0, -1.0, 1.0},
    {"log", ours_log, exact_log, 1.0, 0.5, 2.0},
    {"log", ours_log, exact_log, 1.0, 0.0, 0.0},
    {"pow", ours_pow, powl, 1.0, 0.0, 50.0},
    {"pow", ours_pow, powl, 1.0, 0.99, 1.01},
    {"atan2", ours_atan2, exact_atan2, 3.0, -1.0, 1.0},
    {"atan2", ours_atan2, exact_atan2, 3.0, 0.0, 0.0},
};
#define FUNCTION_COUNT (sizeof functions / sizeof functions[0])

/* An empty range means any number. log and pow need positive ones. */
static void draw(const Function *function, double *x, double *y) {
  bool all = function->low >= function->high;
  *x = all ? any_finite() : between(function->low, function->high);
  *y = all ? any_finite() : between(-200.0, 200.0);
  if (function->exact == exact_log) *x = fabs(*x);
  if (function->exact == exact_atan2 && !all) *y = between(-1.0, 1.0);
}

/* The error of a result, in units of the last place of the true one. */
static double distance(double got, long double want) {
  double rounded = (double)want;
  if (isnan(rounded)) return isnan(got) ? 0.0 : HUGE_VAL;
  if (isinf(rounded) || isinf(got)) return got == rounded ? 0.0 : HUGE_VAL;
  int exponent;
  frexpl(want, &exponent);
  if (exponent < DBL_MIN_EXP) exponent = DBL_MIN_EXP;
  return (double)(fabsl((long double)got - want) /
                  ldexpl(1.0L, exponent - DBL_MANT_DIG));
}

TEST(results_are_as_near_as_promised) {
  if (LDBL_MANT_DIG <= DBL_MANT_DIG) skip();
  seed = UINT64_C(88172645463325252);
  for (size_t k = 0; k < FUNCTION_COUNT; k++) {
    const Function *function = &functions[k];
    for (int round = 0; round < ROUNDS; round++) {
      double x, y;
      draw(function, &x, &y);
      double far = distance(function->ours(x, y), function->exact(x, y));
      if (far > function->units)
        fail_msg("%s(%a, %a) is %g units off", function->name, x, y, far);
    }
  }
}

static const double edges[] = {0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               0.5,
                               -0.5,
                               2.0,
                               -2.0,
                               3.0,
                               -3.0,
                               1.5,
                               -1.5,
                               1e300,
                               -1e300,
                               5e-324,
                               -5e-324,
                               0x1p-1022,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               0x1p51 + 0.5,
                               0x1p52 + 1.0,
                               -0x1p52 - 1.0,
                               0x1p53 + 2.0,
                               710.0,
                               -746.0,
                               0x1p20,
                               -0x1p20,
                               0x1.921fb54442d18p+0,
                               DBL_MAX,
                               -DBL_MAX};
#define EDGE_COUNT (sizeof edges / sizeof edges[0])

static void agree(const char *name, double x, double y, double got,
                  double want) {
  if (isnan(got) && isnan(want)) return;
  bool near = got == want || fabs(got - want) <= 4e-16 * fabs(want);
  if (!near || signbit(got) != signbit(want))
    fail_msg("%s(%a, %a) is %a, not %a", name, x, y, got, want);
}

TEST(edges_are_as_c_has_them) {
  for (size_t i = 0; i < EDGE_COUNT; i++) {
    double x = edges[i];
    agree("sin", x, 0.0, ecs_sin(x), sin(x));
    agree("cos", x, 0.0, ecs_cos(x), cos(x));
    agree("exp", x, 0.0, ecs_exp(x), exp(x));
    agree("log", x, 0.0, ecs_log(x), log(x));
    for (size_t j = 0; j < EDGE_COUNT; j++) {
      double y = edges[j];
      agree("pow", x, y, ecs_pow(x, y), pow(x, y));
      agree("atan2", x, y, ecs_atan2(y, x), atan2(y, x));
    }
  }
}

/* Hashes every result in order. All NaNs count as one. */
TEST(bits_are_the_same_on_every_machine) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  seed = UINT64_C(2463534242);
  for (size_t k = 0; k < FUNCTION_COUNT; k++) {
    for (int round = 0; round < ROUNDS; round++) {
      double x, y;
      draw(&functions[k], &x, &y);
      double result = functions[k].ours(x, y);
      uint64_t bits = isnan(result) ? 1u : elementary_bits(result);
      hash = (hash ^ bits) * UINT64_C(0x100000001b3);
      hash ^= hash >> 29;
    }
  }
  assert_true(hash == UINT64_C(0xb850148fce4991e6));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_are_as_near_as_promised),
      cmocka_unit_test(edges_are_as_c_has_them),
      cmocka_unit_test(bits_are_the_same_on_every_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
