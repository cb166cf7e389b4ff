/* elementary_pow.h: pow, for every pair of doubles.
 *
 *      log x as a sum of two doubles, times y, and exp of the product
 */
#ifndef ECS_ELEMENTARY_POW_H
#define ECS_ELEMENTARY_POW_H

#include "math/elementary_exp.h"

/* log x as a sum of two doubles, with an error of about 2^-66 of it, for a
 * positive finite x. */
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

/* Is y a whole number? 1.0 or 0.0. elementary_round works only below 2^51; from
 * 2^52 on every double is whole. */
static inline double elementary_whole(double y) {
  double size = fabs(y);
  double small = size < 0x1p51 ? size : 0.0;
  double middle = size < 0x1p51 ? 0.0 : size;
  /* Between 2^51 and 2^52 a number may end in one half. */
  double trimmed = middle < 0x1p52 ? (middle + 0x1p52) - 0x1p52 : middle;
  return elementary_round(small) == small && trimmed == middle ? 1.0 : 0.0;
}

/* Is y an odd number? 1.0 or 0.0. From 2^53 on every double is even. */
static inline double elementary_odd(double y) {
  double half = 0.5 * y;
  return elementary_whole(y) > 0.0 && !(elementary_whole(half) > 0.0) ? 1.0
                                                                      : 0.0;
}

/* x^y, with the special cases of C. */
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

#endif
