/* remainder_test.c: remainder.h against fmod of the C library.
 *
 * Pairs of operands are drawn in several ways: any bits, magnitudes that are
 * close, subnormal numbers, products of a whole number and the divisor give or
 * take a few units of the last place, and whole numbers. A remainder is that of
 * fmod to the bit, or no finite number; and where quotient and operands are
 * within reach, it is a finite number.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "test_case.h"
#include "math/remainder.h"

#define PAIRS 300000

static uint64_t seed;

/* Xorshift of Marsaglia, multiplied as by Vigna. */
static uint64_t next_bits(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t below(uint32_t n) { return (uint32_t)(next_bits() >> 33) % n; }

static float single_from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double scaled(double x, int exponent) { return ldexp(x, exponent); }

/* Moves a number by so many units of its last place. */
static double moved(double x, int units) {
  return elementary_from_bits(elementary_bits(x) + (uint64_t)(int64_t)units);
}

static double any_whole(void) {
  double x = (double)(next_bits() >> (11 + below(52)));
  return below(2) == 0 ? x : -x;
}

/* The mantissa and sign of one number, with an exponent close to another's. */
static double near_to(double x, double y, int range) {
  int exponent = 0, other = 0;
  double part = frexp(x, &exponent);
  frexp(y, &other);
  return scaled(part, other - range / 2 + (int)below((uint32_t)range));
}

typedef struct Pair {
  double a, b;
} Pair;

static Pair any_pair(uint32_t way) {
  Pair pair = {elementary_from_bits(next_bits()),
               elementary_from_bits(next_bits())};
  switch (way % 6) {
    case 1: pair.b = near_to(pair.b, pair.a, 130); break;
    case 2: pair.b = near_to(pair.b, pair.a, 5); break;
    case 3:
      pair.a = elementary_from_bits(next_bits() >> (12 + below(50)));
      pair.b = elementary_from_bits(next_bits() >> (12 + below(50)));
      break;
    case 4:
      pair.a = moved((double)(next_bits() >> (12 + below(51))) * pair.b,
                     (int)below(5) - 2);
      break;
    case 5:
      pair = (Pair){any_whole(), any_whole()};
      if (below(2) == 0) pair.a *= 0.25;
      break;
    default: break;
  }
  return pair;
}

/* The same in floats. */
static Pair any_single_pair(uint32_t way) {
  Pair pair = {(double)single_from_bits((uint32_t)(next_bits() >> 32)),
               (double)single_from_bits((uint32_t)(next_bits() >> 32))};
  switch (way % 6) {
    case 1: pair.b = near_to(pair.b, pair.a, 70); break;
    case 2: pair.b = near_to(pair.b, pair.a, 5); break;
    case 3:
      pair.a = (double)single_from_bits((uint32_t)(next_bits() >> 41));
      pair.b = -(double)single_from_bits((uint32_t)(next_bits() >> 41));
      break;
    case 4: pair.a = (double)(next_bits() >> (40 + below(23))) * pair.b; break;
    case 5: pair = (Pair){any_whole(), any_whole()}; break;
    default: break;
  }
  return (Pair){(double)(float)pair.a, (double)(float)pair.b};
}

static bool same(double x, double y) {
  return (x != x && y != y) || elementary_bits(x) == elementary_bits(y);
}

/* Lua's %, as its manual and its source have it. */
static double modulo(double a, double b) {
  double rest = fmod(a, b);
  return (rest > 0.0 && b < 0.0) || (rest < 0.0 && b > 0.0) ? rest + b : rest;
}

static bool is_within(Pair pair, double reach) {
  return fabs(pair.a) < 0x1p990 && fabs(pair.b) < 0x1p990 && pair.b != 0.0 &&
         fabs(pair.a / pair.b) < reach;
}

/* Returns whether the remainder is a finite number. */
static bool check(Pair pair, double rest, double reach) {
  if (!(fabs(rest) < INFINITY)) {
    assert_false(is_within(pair, reach));
    return false;
  }
  if (!same(rest, fmod(pair.a, pair.b)))
    fail_msg("%a by %a: %a, not %a", pair.a, pair.b, rest,
             fmod(pair.a, pair.b));
  if (!same(remainder_to_modulo(rest, pair.b), modulo(pair.a, pair.b)))
    fail_msg("%a %% %a: %a", pair.a, pair.b, remainder_to_modulo(rest, pair.b));
  return true;
}

TEST(is_that_of_fmod) {
  uint32_t answered = 0;
  seed = 5;
  for (uint32_t i = 0; i < PAIRS; i++) {
    Pair pair = any_pair(i);
    answered +=
        check(pair, remainder_near(pair.a, pair.b), REMAINDER_REACH / 2);
  }
  assert_in_range(answered, PAIRS / 2, PAIRS - 1);
}

TEST(is_that_of_fmod_for_floats) {
  uint32_t answered = 0;
  seed = 6;
  for (uint32_t i = 0; i < PAIRS; i++) {
    Pair pair = any_single_pair(i);
    answered += check(pair, remainder_near_single(pair.a, pair.b),
                      REMAINDER_REACH_SINGLE / 2);
  }
  assert_in_range(answered, PAIRS / 2, PAIRS - 1);
}

/* Every pair of them, both ways. */
TEST(is_right_at_edges) {
  const double edges[] = {0.0,
                          0x1p-1074,
                          0x1.fffffffffffffp-1023,
                          0x1p-149,
                          0x1p-1022,
                          0.1,
                          0.5,
                          1.0,
                          0x1.fffffffffffffp-1,
                          2.0,
                          3.0,
                          0x1p29 - 1,
                          0x1p29,
                          0x1p51 - 1,
                          0x1p51,
                          0x1p52,
                          0x1p53,
                          0x1p996,
                          0x1p1023,
                          0x1.fffffep+127,
                          0x1.fffffffffffffp+1023,
                          INFINITY,
                          NAN};
  const size_t count = sizeof edges / sizeof *edges;
  for (size_t k = 0; k < 4 * count * count; k++) {
    Pair pair = {edges[k / count % count], edges[k % count]};
    if (k / count / count % 2 == 1) pair.a = -pair.a;
    if (k / count / count / 2 == 1) pair.b = -pair.b;
    check(pair, remainder_near(pair.a, pair.b), REMAINDER_REACH / 2);
    pair = (Pair){(double)(float)pair.a, (double)(float)pair.b};
    check(pair, remainder_near_single(pair.a, pair.b),
          REMAINDER_REACH_SINGLE / 2);
  }
}

/* Both numbers are compared with fmod above; these are Lua's own results. */
TEST(modulo_has_the_sign_of_the_divisor) {
  assert_true(same(1.0, remainder_to_modulo(remainder_near(-5.0, 3.0), 3.0)));
  assert_true(same(-1.0, remainder_to_modulo(remainder_near(5.0, -3.0), -3.0)));
  assert_true(same(-0.0, remainder_to_modulo(remainder_near(-6.0, 3.0), 3.0)));
  assert_true(same(0.0, remainder_to_modulo(remainder_near(6.0, -3.0), -3.0)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_that_of_fmod),
      cmocka_unit_test(is_that_of_fmod_for_floats),
      cmocka_unit_test(is_right_at_edges),
      cmocka_unit_test(modulo_has_the_sign_of_the_divisor)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
