/* elementary_pow.h: pow, for every pair of doubles.
 *
 *      log x as a sum of two doubles, times y, and exp of the product
 */
#ifndef ECS_ELEMENTARY_POW_H
#define ECS_ELEMENTARY_POW_H

#include "math/elementary_exp.h"

/* log x as a sum of two doubles, with an error of about 2^-66 of it, for a
 * positive finite x. */
ELEMENTARY_INLINE ElementaryPair elementary_log_pair(double x) {
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
ELEMENTARY_INLINE double elementary_whole(double y) {
  double size = fabs(y);
  double small = size < 0x1p51 ? size : 0.0;
  double middle = size < 0x1p51 ? 0.0 : size;
  /* Between 2^51 and 2^52 a number may end in one half. */
  double trimmed = middle < 0x1p52 ? (middle + 0x1p52) - 0x1p52 : middle;
  double below = elementary_round(small) == small ? 1.0 : 0.0;
  double above = trimmed == middle ? 1.0 : 0.0;
  return below * above;
}

/* Is y an odd number? 1.0 or 0.0. From 2^53 on every double is even. */
ELEMENTARY_INLINE double elementary_odd(double y) {
  return elementary_whole(y) * (1.0 - elementary_whole(0.5 * y));
}

/* size^y for a size that is not negative. */
ELEMENTARY_INLINE double elementary_pow_of_size(double size, double y) {
  double inner = size == 0.0 ? 1.0 : size;
  inner = inner < INFINITY ? inner : 1.0;
  double reach = y > 0x1p70 ? 0x1p70 : y;
  reach = reach < -0x1p70 ? -0x1p70 : reach;
  ElementaryPair log = elementary_log_pair(inner);
  ElementaryPair product = elementary_product(reach, log.high);
  double power =
      elementary_exp_sum(product.high, product.low + reach * log.low);
  double of_zero = y < 0.0 ? INFINITY : 0.0;
  double of_infinity = y < 0.0 ? 0.0 : INFINITY;
  power = size == 0.0 ? of_zero : power;
  return size == INFINITY ? of_infinity : power;
}

/* The last special cases of C: NaN, and what is 1 for any other number. */
ELEMENTARY_INLINE double elementary_pow_edge(double x, double y, double power) {
  power = x != x ? NAN : power;
  power = y != y ? NAN : power;
  power = x == 1.0 ? 1.0 : power;
  return y == 0.0 ? 1.0 : power;
}

/* x^y, with the special cases of C. Conditions are numbers, 1 or 0, and joined
 * by products: && and || are branches, with which a loop stays scalar. */
ELEMENTARY_INLINE double elementary_pow(double x, double y) {
  double size = fabs(x), power = elementary_pow_of_size(size, y);
  double minus = copysign(1.0, x) < 0.0 ? 1.0 : 0.0;
  double below = x < 0.0 ? 1.0 : 0.0, finite = size < INFINITY ? 1.0 : 0.0;
  double firm = fabs(y) < INFINITY ? 1.0 : 0.0;
  double broken = below * finite * firm * (1.0 - elementary_whole(y));
  power = power * (1.0 - 2.0 * (minus * elementary_odd(y)));
  return elementary_pow_edge(x, y, broken > 0.0 ? NAN : power);
}

#endif
