/* elementary_number.h: doubles in pieces, for the elementary functions.
 *
 * The bits of a double, rounding to whole numbers, and numbers as the sum of
 * two doubles (Dekker, Numerische Mathematik 18, 1971). Nothing here has a
 * branch, and nothing may be contracted: a fused multiply-add would lose the
 * errors that are computed.
 */
#ifndef ECS_ELEMENTARY_NUMBER_H
#define ECS_ELEMENTARY_NUMBER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Functions of many operations: GCC makes a loop that calls one a scalar loop,
 * unless it must be in line. */
#if defined(__GNUC__)
#define ELEMENTARY_INLINE static inline __attribute__((always_inline))
#else
#define ELEMENTARY_INLINE static inline
#endif

/* The bits of a double, and the double that has these bits. */
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

/* Adding this number to one below 2^51 rounds the latter to a whole number,
 * which is then in the low bits of the sum. */
#define ELEMENTARY_ROUNDER 0x1.8p52

/* The nearest whole number; of two, the even one. |x| < 2^51. */
static inline double elementary_round(double x) {
  return (x + ELEMENTARY_ROUNDER) - ELEMENTARY_ROUNDER;
}

/* 2^n for a whole n in -1022..1023. */
static inline double elementary_power_of_two(double n) {
  uint64_t bits = elementary_bits(n + ELEMENTARY_ROUNDER);
  return elementary_from_bits((bits + 1023u) << 52);
}

/* A number as the sum of two doubles, where low is far smaller than high. */
typedef struct ElementaryPair {
  double high;
  double low;
} ElementaryPair;

/* a + b, exactly (Knuth). */
static inline ElementaryPair elementary_sum(double a, double b) {
  double high = a + b, back = high - a;
  ElementaryPair pair = {high, (a - (high - back)) + (b - back)};
  return pair;
}

/* a rounded to its upper 26 bits. |a| < 2^996. */
static inline double elementary_upper(double a) {
  double spread = a * 134217729.0;
  return spread - (spread - a);
}

/* a * b, exactly if nothing overflows or underflows. */
ELEMENTARY_INLINE ElementaryPair elementary_product(double a, double b) {
  double high = a * b;
  double a1 = elementary_upper(a), a2 = a - a1;
  double b1 = elementary_upper(b), b2 = b - b1;
  ElementaryPair pair = {high,
                         ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
  return pair;
}

#endif
