/* random.h: the numbers of ecs_random, for loops over many rows.
 *
 * There is no state: a number is a hash of the run (the key), the row's entity,
 * and how many numbers the row has drawn before. So the order of rows, threads
 * and blocks does not matter, and a run can be repeated.
 *
 * The mixer is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA
 * 2014), once for each part. Nothing has a branch.
 */
#ifndef ECS_RANDOM_H
#define ECS_RANDOM_H

#include "math/elementary_number.h"

ELEMENTARY_INLINE uint64_t random_mix(uint64_t x) {
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* A whole number below 2^32 as the low bits of another number's mantissa, and
 * back: few machines convert vectors of 64-bit integers. */
ELEMENTARY_INLINE uint64_t random_bits_of_whole(double x) {
  return elementary_bits(x + 0x1p52) & UINT64_C(0xffffffff);
}

ELEMENTARY_INLINE double random_whole_of_bits(uint64_t bits) {
  return elementary_from_bits(bits | UINT64_C(0x4330000000000000)) - 0x1p52;
}

/* draws without its fraction, as an integer; 0 for NaN and where it is not in
 * 0 .. 2^53. */
ELEMENTARY_INLINE uint64_t random_count(double draws) {
  double inside = draws >= 0.0 ? draws : 0.0;
  inside = inside < 0x1p53 ? inside : 0.0;
  double high = trunc(inside * 0x1p-32), low = trunc(inside - high * 0x1p32);
  return random_bits_of_whole(high) << 32 | random_bits_of_whole(low);
}

/* The hash that a number is made of. */
ELEMENTARY_INLINE uint64_t random_hash(uint64_t key, uint64_t entity,
                                       uint64_t count) {
  return random_mix(random_mix(key ^ entity) ^ count);
}

/* The upper 53 bits of a hash as a number in [0, 1): (double)(hash >> 11) *
 * 0x1p-53 in two parts with an exact sum. */
ELEMENTARY_INLINE double random_number_of(uint64_t hash) {
  double high = random_whole_of_bits(hash >> 32);
  double low = random_whole_of_bits(hash >> 11 & UINT64_C(0x1fffff));
  return (high * 0x1p21 + low) * 0x1p-53;
}

#endif
