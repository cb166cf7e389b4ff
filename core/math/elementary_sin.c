/* elementary_sin.c: angles past the reach of three-part reduction.
 *
 * The method is of Payne and Hanek. With x = m 2^e, only a window of 192 bits
 * of 2/pi matters. The bits before it contribute whole circles; the bits after
 * it are too small to change the result.
 *
 *      2/pi   0.101000101111...|window of 192 bits|...
 *      m * window, modulo 2^192:  qq.ffffffff...      quadrant, fraction
 */
/* A rock cannot have compiler flags per file, so this file sets its own:
 * nothing here may become a fused multiply-add. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#include "math/elementary_sin.h"

#include "base/invariant.h"

/* The bits of 2/pi in words of 2^-64, 2^-128 and so on, after 64 zero bits. */
/* clang-format off */
static const uint64_t two_over_pi[21] = {
    0,
    UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0),
    UINT64_C(0xdb6295993c439041), UINT64_C(0xfe5163abdebbc561),
    UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c),
    UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484),
    UINT64_C(0xe99c7026b45f7e41), UINT64_C(0x3991d639835339f4),
    UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f),
    UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7),
    UINT64_C(0x4f463f669e5fea2d), UINT64_C(0x7527bac7ebe5f17b),
    UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08),
    UINT64_C(0x56033046fc7b6bab), UINT64_C(0xf0cfbc209af4361d)};
/* clang-format on */

typedef struct Wide {
  uint64_t high;
  uint64_t low;
} Wide;

static Wide multiply(uint64_t a, uint64_t b) {
  uint64_t a1 = a >> 32, a0 = a & UINT32_MAX;
  uint64_t b1 = b >> 32, b0 = b & UINT32_MAX;
  uint64_t low = a0 * b0;
  uint64_t middle = a1 * b0 + (low >> 32);
  uint64_t other = a0 * b1 + (middle & UINT32_MAX);
  Wide product = {a1 * b1 + (middle >> 32) + (other >> 32),
                  (other << 32) | (low & UINT32_MAX)};
  return product;
}

/* 64 bits of the table, from a bit position on. */
static uint64_t window(unsigned position) {
  unsigned word = position / 64, shift = position % 64;
  ECS_ASSERT(word + 1 < sizeof two_over_pi / sizeof *two_over_pi);
  if (shift == 0) return two_over_pi[word];
  return (two_over_pi[word] << shift) | (two_over_pi[word + 1] >> (64 - shift));
}

/* x * 2/pi modulo 4, in units of 2^-126. */
static Wide quarters_of(double x) {
  uint64_t bits = elementary_bits(x);
  uint64_t m = (bits & UINT64_C(0x000fffffffffffff)) | (UINT64_C(1) << 52);
  /* e is at least -32 here; the window starts at the bit of weight 2^(1-e). */
  unsigned position = (unsigned)((bits >> 52) & 0x7ff) - 1075u - 2u + 64u;
  Wide last = multiply(m, window(position + 128));
  Wide middle = multiply(m, window(position + 64));
  uint64_t low = middle.low + last.high;
  uint64_t high = m * window(position) + middle.high + (low < last.high);
  Wide quarters = {high, low};
  return quarters;
}

/* A whole number of 128 bits, of which the first is set, as a sum of two
 * doubles in units of 2^64. */
static ElementaryPair as_pair(Wide number) {
  double high = (double)(number.high >> 11) * 0x1p11;
  uint64_t rest = (number.high << 53) | (number.low >> 11);
  ElementaryPair pair = {high, (double)(rest >> 11) * 0x1p-42};
  return pair;
}

/* fraction 2^-128 pi/2, as a sum of two doubles. */
static ElementaryPair angle_of(Wide fraction) {
  ElementaryPair zero = {0.0, 0.0};
  double scale = 0x1p-64;
  if ((fraction.high | fraction.low) == 0) return zero;
  while (!(fraction.high >> 63)) {
    fraction.high = (fraction.high << 1) | (fraction.low >> 63);
    fraction.low <<= 1;
    scale *= 0.5;
  }
  ElementaryPair f = as_pair(fraction);
  ElementaryPair angle =
      elementary_product(f.high * scale, 0x1.921fb54442d18p+0);
  angle.low += f.high * scale * 0x1.1a62633145c07p-54 +
               f.low * scale * 0x1.921fb54442d18p+0;
  return elementary_sum(angle.high, angle.low);
}

ElementaryAngle elementary_reduce_far(double x) {
  ElementaryAngle angle = {NAN, 0.0, 0};
  if (!(fabs(x) < INFINITY)) return angle;
  Wide quarters = quarters_of(fabs(x));
  Wide fraction = {(quarters.high << 2) | (quarters.low >> 62),
                   quarters.low << 2};
  uint64_t quadrant = quarters.high >> 62;
  double sign = 1.0;
  if (fraction.high >> 63) {
    /* Nearer to the next quadrant, so measured back from there. */
    fraction.low = ~fraction.low + 1u;
    fraction.high = ~fraction.high + (fraction.low == 0);
    quadrant++;
    sign = -1.0;
  }
  if (x < 0.0) {
    sign = -sign;
    quadrant = 0u - quadrant;
  }
  ElementaryPair pair = angle_of(fraction);
  angle.high = sign * pair.high;
  angle.low = sign * pair.low;
  angle.quadrant = quadrant;
  ECS_ASSERT(fabs(angle.high) <= 0x1.921fb54442d19p-1);
  ECS_ASSERT(fabs(angle.low) <= fabs(angle.high) * 0x1p-52);
  return angle;
}
