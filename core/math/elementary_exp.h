/* elementary_exp.h: exp and log.
 *
 *      exp     x = n ln 2 + r, |r| <= 0.35             e^r 2^n
 *      log     x = 2^n m, s = (m - 1) / (m + 1)        n ln 2 + 2 atanh s
 */
#ifndef ECS_ELEMENTARY_EXP_H
#define ECS_ELEMENTARY_EXP_H

#include "math/elementary_number.h"

/* ln 2 in two parts: n times the first is exact for every exponent n. */
#define ELEMENTARY_LN2_HIGH 0x1.62e42feep-1 /* 31 bits */
#define ELEMENTARY_LN2_LOW 0x1.a39ef35793c76p-33

/* exp --------------------------------------------------------------------- */

/* e^(high + low), for |low| far below 1. Past +-800 the result is infinite or
 * zero. */
ELEMENTARY_INLINE double elementary_exp_sum(double high, double low) {
  double x = high < -800.0 ? -800.0 : high;
  x = x > 800.0 ? 800.0 : x;
  low = x == high ? low : 0.0;
  double n = elementary_round(x * 0x1.71547652b82fep+0);
  double first = x - n * ELEMENTARY_LN2_HIGH;
  double second = n * ELEMENTARY_LN2_LOW - low;
  double r = first - second, lost = (first - r) - second;
  double q = 1.0 / 6227020800.0;
  q = q * r + 1.0 / 479001600.0;
  q = q * r + 1.0 / 39916800.0;
  q = q * r + 1.0 / 3628800.0;
  q = q * r + 1.0 / 362880.0;
  q = q * r + 1.0 / 40320.0;
  q = q * r + 1.0 / 5040.0;
  q = q * r + 1.0 / 720.0;
  q = q * r + 1.0 / 120.0;
  q = q * r + 1.0 / 24.0;
  q = q * r + 1.0 / 6.0;
  q = q * r + 0.5;
  double most = 1.0 + r, least = (1.0 - most) + r;
  double p = most + (least + (lost + r * r * q));
  /* In two steps, so that a subnormal result is rounded only once. */
  double half = elementary_round(0.5 * n);
  return p * elementary_power_of_two(half) * elementary_power_of_two(n - half);
}

/* e^x */
static inline double elementary_exp(double x) {
  return elementary_exp_sum(x, 0.0);
}

/* log --------------------------------------------------------------------- */

/* A positive finite x as 2^exponent (1 + fraction), with 1 + fraction between
 * sqrt(1/2) and sqrt(2). */
typedef struct ElementaryParts {
  double exponent;
  double fraction;
} ElementaryParts;

static inline ElementaryParts elementary_split(double x) {
  double lift = x < 0x1p-1022 ? 54.0 : 0.0;
  uint64_t bits = elementary_bits(x < 0x1p-1022 ? x * 0x1p54 : x);
  double e = elementary_from_bits((bits >> 52) | UINT64_C(0x4330000000000000));
  double m = elementary_from_bits((bits & UINT64_C(0x000fffffffffffff)) |
                                  UINT64_C(0x3ff0000000000000));
  double above = m > 0x1.6a09e667f3bcdp+0 ? 1.0 : 0.0;
  ElementaryParts parts = {((e - 0x1p52) - 1023.0) - lift + above,
                           m * (1.0 - 0.5 * above) - 1.0};
  return parts;
}

/* The log of x: inside, unless x is zero, negative, infinite or NaN. */
static inline double elementary_log_edge(double x, double inside) {
  double y = x == 0.0 ? -INFINITY : inside;
  y = x == INFINITY ? x : y;
  return x >= 0.0 ? y : NAN;
}

/* The natural logarithm of x. */
static inline double elementary_log(double x) {
  ElementaryParts parts = elementary_split(x);
  double n = parts.exponent, f = parts.fraction;
  double s = f / (2.0 + f), z = s * s;
  double p = 2.0 / 23.0;
  p = p * z + 2.0 / 21.0;
  p = p * z + 2.0 / 19.0;
  p = p * z + 2.0 / 17.0;
  p = p * z + 2.0 / 15.0;
  p = p * z + 2.0 / 13.0;
  p = p * z + 2.0 / 11.0;
  p = p * z + 2.0 / 9.0;
  p = p * z + 2.0 / 7.0;
  p = p * z + 2.0 / 5.0;
  p = p * z + 2.0 / 3.0;
  /* log(1 + f) = f - f^2/2 + s (f^2/2 + z p): the exact f comes last. */
  double half = 0.5 * f * f;
  double rest = s * (half + z * p) + n * ELEMENTARY_LN2_LOW;
  double y = n * ELEMENTARY_LN2_HIGH - ((half - rest) - f);
  return elementary_log_edge(x, y);
}

#endif
