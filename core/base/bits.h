/* bits.h: bytes of 0 and 1 as bits of a word, and bits as a list. */
#ifndef ECS_BITS_H
#define ECS_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* So many bytes are a word. */
#define WORD_BITS 64u

/* Bit k of the result is byte k, which is 0 or 1. Cost: 8 multiplications. */
static inline uint64_t bits_of_bytes(const uint8_t *bytes) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < WORD_BITS; i += 8) {
    uint64_t eight;
    memcpy(&eight, bytes + i, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    bits |= (eight * 0x0102040810204080u >> 56) << i;
  }
  return bits;
}

/* Entries behind the end of a list that bits_list may overwrite. */
#define BITS_LIST_SLACK 3u

/* Four bits as a list: where they are, and how many. */
typedef struct FourBits {
  uint8_t places[4];
  uint8_t count;
} FourBits;

static const FourBits four_bits[16] = {
    {{0}, 0},    {{0}, 1},       {{1}, 1},       {{0, 1}, 2},
    {{2}, 1},    {{0, 2}, 2},    {{1, 2}, 2},    {{0, 1, 2}, 3},
    {{3}, 1},    {{0, 3}, 2},    {{1, 3}, 2},    {{0, 1, 3}, 3},
    {{2, 3}, 2}, {{0, 2, 3}, 3}, {{1, 2, 3}, 3}, {{0, 1, 2, 3}, 4}};

/* Appends first + k to a list for each bit k that is set, in order. Returns the
 * new count. many: about a quarter of the bits or more are set; it decides
 * nothing but the way: without a branch for each bit, or with one. Cost: 0.3 ns
 * for each bit that is set where half of them are, 0.7 where few are. */
static inline uint32_t bits_list(uint64_t bits, uint32_t first, uint32_t *list,
                                 uint32_t count, bool many) {
  if (!many) {
    for (; bits != 0; bits &= bits - 1)
      list[count++] = first + (uint32_t)__builtin_ctzll(bits);
    return count;
  }
  for (uint32_t i = 0; i < WORD_BITS; i += 4, bits >>= 4) {
    const FourBits *four = &four_bits[bits & 15u];
    for (uint32_t k = 0; k < 4; k++)
      list[count + k] = first + i + four->places[k];
    count += four->count;
  }
  return count;
}

#endif
