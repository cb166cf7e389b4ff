/* elementary.h: sin, cos, exp, log, pow and atan2 with the same bits on every
 * machine.
 *
 * A C library's versions differ between systems in the last bits, so a program
 * that uses them cannot be replayed elsewhere. These use additions,
 * multiplications, divisions and comparisons of doubles alone, in one order,
 * never contracted. They have no branches, so that a loop over a column can be
 * vectorised; only sin and cos of arguments past ELEMENTARY_REACH take another
 * way, which is why those come in two parts.
 *
 * How: the argument is brought into a small interval, exactly or with the error
 * carried along as a second double, and a Taylor polynomial is summed there:
 *
 *      exp     x = n ln 2 + r, |r| <= 0.35             e^r 2^n
 *      log     x = 2^n m, s = (m - 1) / (m + 1)        n ln 2 + 2 atanh s
 *      pow     log as a sum of two doubles, times y    exp
 *      sin cos x = n pi/2 + r, |r| <= pi/4, r as a sum of two doubles
 *      atan2   t in 0..1, against the nearest of 0, 1/2, 1
 *
 * The reductions are textbook ones: Cody and Waite (Software Manual for the
 * Elementary Functions, 1980) in three parts; Payne and Hanek (SIGNUM
 * Newsletter 18, 1983) past ELEMENTARY_REACH; sums and products of two doubles
 * as of Dekker (Numerische Mathematik 18, 1971).
 *
 * Accuracy, in units of the last place of the true result: all but atan2 within
 * 1, atan2 within 3 (elementary_test measures it). Infinities, NaN and signed
 * zeros are as in C. A NaN that comes out need not be the one that went in.
 */
#ifndef ECS_ELEMENTARY_H
#define ECS_ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/config.h"

/* sin and cos of arguments of at least this size need elementary_reduce_far. */
#define ELEMENTARY_REACH 0x1p20

/* Parts of numbers ------------------------------------------------------- */

static inline uint64_t elementary_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double elementary_from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Adding this to a number of less than 2^51 rounds it to a whole one, which
 * then stands in the low bits of the sum. */
#define ELEMENTARY_ROUNDER 0x1.8p52

static inline double elementary_round(double x) {
  return (x + ELEMENTARY_ROUNDER) - ELEMENTARY_ROUNDER;
}

/* 2^n for a whole n in -1022..1023. */
static inline double elementary_power_of_two(double n) {
  uint64_t bits = elementary_bits(n + ELEMENTARY_ROUNDER);
  return elementary_from_bits((bits + 1023u) << 52);
}

/* A number as the sum of two doubles, of which low is the smaller by far. */
typedef struct ElementaryPair {
  double high;
  double low;
} ElementaryPair;

static inline ElementaryPair elementary_sum(double a, double b) {
  double high = a + b, back = high - a;
  ElementaryPair pair = {high, (a - (high - back)) + (b - back)};
  return pair;
}

/* a's upper 26 bits. |a| < 2^996. */
static inline double elementary_upper(double a) {
  double spread = a * 134217729.0;
  return spread - (spread - a);
}

static inline ElementaryPair elementary_product(double a, double b) {
  double high = a * b;
  double a1 = elementary_upper(a), a2 = a - a1;
  double b1 = elementary_upper(b), b2 = b - b1;
  ElementaryPair pair = {high,
                         ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
  return pair;
}

/* exp --------------------------------------------------------------------- */

#define ELEMENTARY_LN2_HIGH 0x1.62e42feep-1 /* 31 bits */
#define ELEMENTARY_LN2_LOW 0x1.a39ef35793c76p-33

/* e^(high + low), |low| far below 1. Past +-800 all is infinite or zero. */
static inline double elementary_exp_sum(double high, double low) {
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
  /* In two steps, so that a result below the normal ones is rounded once. */
  double half = elementary_round(0.5 * n);
  return p * elementary_power_of_two(half) * elementary_power_of_two(n - half);
}

static inline double elementary_exp(double x) {
  return elementary_exp_sum(x, 0.0);
}

/* log --------------------------------------------------------------------- */

/* x = 2^exponent (1 + fraction), 1 + fraction in sqrt(1/2)..sqrt(2), for a
 * positive finite x. */
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

/* What log has where its argument is no positive finite number. */
static inline double elementary_log_edge(double x, double inside) {
  double y = x == 0.0 ? -INFINITY : inside;
  y = x == INFINITY ? x : y;
  return x >= 0.0 ? y : NAN;
}

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

/* pow --------------------------------------------------------------------- */

/* log x as a sum of two doubles, to about 2^-66 of it, for a positive finite
 * x. */
static inline ElementaryPair elementary_log_pair(double x) {
  ElementaryParts parts = elementary_split(x);
  double n = parts.exponent, f = parts.fraction;
  /* s + low = f / (2 + f) */
  double t = 2.0 + f, t_low = f - (t - 2.0);
  double s = f / t;
  ElementaryPair back = elementary_product(s, t);
  double low = (((f - back.high) - back.low) - s * t_low) / t;
  /* z = s^2, cube = s^3, third = s^3 / 3, each with its low part */
  ElementaryPair z = elementary_product(s, s);
  z.low += 2.0 * s * low;
  ElementaryPair cube = elementary_product(s, z.high);
  cube.low += s * z.low + low * z.high;
  ElementaryPair third = elementary_product(cube.high, 0x1.5555555555555p-2);
  third.low +=
      cube.high * 0x1.5555555555555p-56 + cube.low * 0x1.5555555555555p-2;
  double w = z.high, p = 1.0 / 25.0;
  p = p * w + 1.0 / 23.0;
  p = p * w + 1.0 / 21.0;
  p = p * w + 1.0 / 19.0;
  p = p * w + 1.0 / 17.0;
  p = p * w + 1.0 / 15.0;
  p = p * w + 1.0 / 13.0;
  p = p * w + 1.0 / 11.0;
  p = p * w + 1.0 / 9.0;
  p = p * w + 1.0 / 7.0;
  p = p * w + 1.0 / 5.0;
  double rest = cube.high * w * p;
  ElementaryPair a = elementary_sum(s, third.high);
  a.low += low + third.low + rest;
  ElementaryPair sum = elementary_sum(n * 0x1.62e42fefa2p-1, 2.0 * a.high);
  return elementary_sum(sum.high,
                        sum.low + 2.0 * a.low + n * 0x1.9ef35793c7673p-41);
}

/* Whole? Odd? From 2^53 on all numbers are even. Rounding is exact below 2^51
 * only, so a half of y is looked at above. */
static inline double elementary_whole(double y) {
  double size = fabs(y);
  double small = size < 0x1p51 ? size : 0.0;
  double middle = size < 0x1p51 ? 0.0 : size;
  /* Between 2^51 and 2^52 a number may end in one half. */
  double trimmed = middle < 0x1p52 ? (middle + 0x1p52) - 0x1p52 : middle;
  return elementary_round(small) == small && trimmed == middle ? 1.0 : 0.0;
}

static inline double elementary_odd(double y) {
  double half = 0.5 * y;
  return elementary_whole(y) > 0.0 && !(elementary_whole(half) > 0.0) ? 1.0
                                                                      : 0.0;
}

static inline double elementary_pow(double x, double y) {
  double size = fabs(x);
  double inner = size == 0.0 || !(size < INFINITY) ? 1.0 : size;
  double reach = y > 0x1p70 ? 0x1p70 : y;
  reach = reach < -0x1p70 ? -0x1p70 : reach;
  ElementaryPair log = elementary_log_pair(inner);
  ElementaryPair product = elementary_product(reach, log.high);
  double power =
      elementary_exp_sum(product.high, product.low + reach * log.low);
  power = size == 0.0 ? (y < 0.0 ? INFINITY : 0.0) : power;
  power = size == INFINITY ? (y < 0.0 ? 0.0 : INFINITY) : power;
  double negative = copysign(1.0, x) < 0.0 ? 1.0 : 0.0;
  power = negative > 0.0 && elementary_odd(y) > 0.0 ? -power : power;
  double broken =
      x < 0.0 && size < INFINITY && !(elementary_whole(y) > 0.0) ? 1.0 : 0.0;
  power = broken > 0.0 && fabs(y) < INFINITY ? NAN : power;
  power = x != x || y != y ? NAN : power;
  return x == 1.0 || y == 0.0 ? 1.0 : power;
}

/* sin, cos ---------------------------------------------------------------- */

/* x = quadrant pi/2 + high + low, |high| <= pi/4; of the quadrant only the two
 * lowest bits count. */
typedef struct ElementaryAngle {
  double high;
  double low;
  uint64_t quadrant;
} ElementaryAngle;

/* For |x| < ELEMENTARY_REACH. pi/2 in three parts of 33, 33 and 53 bits: the
 * first two products are exact. */
static inline ElementaryAngle elementary_reduce(double x) {
  double shifted = x * 0x1.45f306dc9c883p-1 + ELEMENTARY_ROUNDER;
  double n = shifted - ELEMENTARY_ROUNDER;
  double first = x - n * 0x1.921fb544p+0;
  double w = n * 0x1.0b4611a6p-34;
  double second = first - w;
  double error = (first - second) - w;
  double t = n * 0x1.3198a2e037073p-69 - error;
  double high = second - t;
  ElementaryAngle angle = {high, (second - high) - t, elementary_bits(shifted)};
  return angle;
}

/* For any x: NaN for what is not finite. Cost: about 100 ns. */
ECS_INTERNAL ElementaryAngle elementary_reduce_far(double x);

static inline double elementary_sin_polynomial(double y, double low) {
  double z = y * y, v = z * y;
  double r = 1.0 / 355687428096000.0;
  r = r * z - 1.0 / 1307674368000.0;
  r = r * z + 1.0 / 6227020800.0;
  r = r * z - 1.0 / 39916800.0;
  r = r * z + 1.0 / 362880.0;
  r = r * z - 1.0 / 5040.0;
  r = r * z + 1.0 / 120.0;
  return y - ((z * (0.5 * low - v * r) - low) + v * (1.0 / 6.0));
}

static inline double elementary_cos_polynomial(double y, double low) {
  double z = y * y;
  double r = 1.0 / 6402373705728000.0;
  r = 1.0 / 20922789888000.0 - r * z;
  r = r * z - 1.0 / 87178291200.0;
  r = r * z + 1.0 / 479001600.0;
  r = r * z - 1.0 / 3628800.0;
  r = r * z + 1.0 / 40320.0;
  r = r * z - 1.0 / 720.0;
  r = r * z + 1.0 / 24.0;
  double half = 0.5 * z, w = 1.0 - half;
  return w + (((1.0 - w) - half) + (z * z * r - y * low));
}

/* The sine of an angle, quarter turns of it added: 1 makes it the cosine. */
static inline double elementary_turn(ElementaryAngle angle, uint64_t quarters) {
  uint64_t q = angle.quadrant + quarters;
  double s = elementary_sin_polynomial(angle.high, angle.low);
  double c = elementary_cos_polynomial(angle.high, angle.low);
  double y = (q & 1u) ? c : s;
  return (q & 2u) ? -y : y;
}

/* quarters 0: sin, 1: cos. |x| < ELEMENTARY_REACH. */
static inline double elementary_turn_near(double x, uint64_t quarters) {
  return elementary_turn(elementary_reduce(x), quarters);
}

static inline double elementary_turn_any(double x, uint64_t quarters) {
  if (fabs(x) < ELEMENTARY_REACH) return elementary_turn_near(x, quarters);
  return elementary_turn(elementary_reduce_far(x), quarters);
}

/* atan2 ------------------------------------------------------------------- */

/* For t in 0..1. */
static inline double elementary_atan(double t) {
  double at = t < 0.25 ? 0.0 : t < 0.75 ? 0.5 : 1.0;
  double base = t < 0.25   ? 0.0
                : t < 0.75 ? 0x1.dac670561bb4fp-2
                           : 0x1.921fb54442d18p-1;
  double low = t < 0.25   ? 0.0
               : t < 0.75 ? 0x1.a2b7f222f65e2p-56
                          : 0x1.1a62633145c07p-55;
  double u = (t - at) / (1.0 + at * t), z = u * u;
  double r = 1.0 / 27.0;
  r = 1.0 / 25.0 - r * z;
  r = 1.0 / 23.0 - r * z;
  r = 1.0 / 21.0 - r * z;
  r = 1.0 / 19.0 - r * z;
  r = 1.0 / 17.0 - r * z;
  r = 1.0 / 15.0 - r * z;
  r = 1.0 / 13.0 - r * z;
  r = 1.0 / 11.0 - r * z;
  r = 1.0 / 9.0 - r * z;
  r = 1.0 / 7.0 - r * z;
  r = 1.0 / 5.0 - r * z;
  r = 1.0 / 3.0 - r * z;
  return base + (u + (low - u * z * r));
}

static inline double elementary_atan2(double y, double x) {
  double rise = fabs(y), run = fabs(x);
  double larger = rise > run ? rise : run;
  double smaller = rise > run ? run : rise;
  double t = larger == 0.0 ? 0.0 : smaller / larger;
  t = smaller == INFINITY ? 1.0 : t;
  double a = elementary_atan(t);
  a = rise > run ? 0x1.921fb54442d18p+0 - (a - 0x1.1a62633145c07p-54) : a;
  a = copysign(1.0, x) < 0.0
          ? 0x1.921fb54442d18p+1 - (a - 0x1.1a62633145c07p-53)
          : a;
  return x != x || y != y ? NAN : copysign(a, y);
}

#endif
