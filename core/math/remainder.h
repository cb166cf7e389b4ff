/* remainder.h: the remainder of a division, without a branch.
 *
 *      n = a / b, rounded to a whole number       |n| < REMAINDER_REACH
 *      r = a - n b                                exact, -b/2 <= r <= b/2
 *      r + b, if r < 0                            the remainder
 *
 * n may be wrong by one where a / b is close to a half, which changes only
 * which of the two last lines gives the remainder. n b is computed as the sum
 * of two doubles, without rounding. a - n b is a multiple of half a unit of b's
 * last place and no larger than b, so it is a double, and every difference on
 * the way to it is exact. Nothing may be contracted.
 *
 * The bits are those of fmod, which needs a step of its own for every bit of
 * the quotient, and cannot be vectorised.
 */
#ifndef ECS_REMAINDER_H
#define ECS_REMAINDER_H

#include "math/elementary_number.h"

/* Quotients that remainder_near can divide by: their rounding is exact. */
#define REMAINDER_REACH 0x1p51

/* The same for operands that are floats: n b has at most 53 bits. */
#define REMAINDER_REACH_SINGLE 0x1p29

/* fmod(a, b), or no finite number: for a quotient out of reach, for a NaN or an
 * infinite operand, for b = 0, and for numbers close to the largest. */
static inline double remainder_near(double a, double b) {
  double size = fabs(a), by = fabs(b), quotient = size / by;
  double n = elementary_round(quotient < REMAINDER_REACH ? quotient : NAN);
  ElementaryPair product = elementary_product(n, by);
  double rest = (size - product.high) - product.low;
  return copysign(rest + (rest < 0.0 ? by : 0.0), a);
}

/* The same for doubles that are floats. */
static inline double remainder_near_single(double a, double b) {
  double size = fabs(a), by = fabs(b), quotient = size / by;
  double n =
      elementary_round(quotient < REMAINDER_REACH_SINGLE ? quotient : NAN);
  double rest = size - n * by;
  return copysign(rest + (rest < 0.0 ? by : 0.0), a);
}

/* Lua's a % b, of fmod(a, b) and b: moved to the sign of b, unless it is 0. */
static inline double remainder_to_modulo(double rest, double b) {
  double apart = copysign(1.0, rest) * copysign(1.0, b);
  double step = apart < 0.0 ? b : -0.0; /* x + -0.0 is x, also for -0.0 */
  return rest + (fabs(rest) > 0.0 ? step : -0.0);
}

#endif
