/* elementary_sin.h: sin and cos.
 *
 *      x = n pi/2 + r, |r| <= pi/4, r as a sum of two doubles
 */
#ifndef ECS_ELEMENTARY_SIN_H
#define ECS_ELEMENTARY_SIN_H

#include "base/config.h"
#include "math/elementary_number.h"

/* Arguments of at least this size need elementary_reduce_far. */
#define ELEMENTARY_REACH 0x1p20

/* An angle as quadrant pi/2 + high + low, with |high| <= pi/4. Only the two
 * lowest bits of the quadrant count. */
typedef struct ElementaryAngle {
  double high;
  double low;
  uint64_t quadrant;
} ElementaryAngle;

/* Reduces |x| < ELEMENTARY_REACH. pi/2 has three parts of 33, 33 and 53 bits,
 * so that the products with the first two are exact. */
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

/* Reduces any x; high is NaN if x is not finite. Cost: about 100 ns. */
ECS_INTERNAL ElementaryAngle elementary_reduce_far(double x);

/* The sine, and below the cosine, of y + low with |y| <= pi/4. */
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

/* The sine of an angle to which quarters of a circle are added. With 0 quarters
 * it is the sine of the angle, with 1 the cosine. */
static inline double elementary_quarter_sin(ElementaryAngle angle,
                                            uint64_t quarters) {
  uint64_t q = angle.quadrant + quarters;
  double s = elementary_sin_polynomial(angle.high, angle.low);
  double c = elementary_cos_polynomial(angle.high, angle.low);
  double y = (q & 1u) ? c : s;
  return (q & 2u) ? -y : y;
}

/* The same of x; for |x| < ELEMENTARY_REACH. */
static inline double elementary_quarter_sin_near(double x, uint64_t quarters) {
  return elementary_quarter_sin(elementary_reduce(x), quarters);
}

/* The same of any x. */
static inline double elementary_quarter_sin_any(double x, uint64_t quarters) {
  if (fabs(x) < ELEMENTARY_REACH)
    return elementary_quarter_sin_near(x, quarters);
  return elementary_quarter_sin(elementary_reduce_far(x), quarters);
}

#endif
