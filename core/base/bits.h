/* bits.h: bytes of 0 and 1 as bits of a word, and bits as a list. */
#ifndef ECS_BITS_H
#define ECS_BITS_H

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

/* Appends first + k to a list for each bit k that is set, in order. Returns the
 * new count. Cost: 0.7 ns for each bit that is set, and 5 ns where the processor
 * does not guess how many there are. */
static inline uint32_t bits_list(uint64_t bits, uint32_t first, uint32_t *list,
                                 uint32_t count) {
  for (; bits != 0; bits &= bits - 1)
    list[count++] = first + (uint32_t)__builtin_ctzll(bits);
  return count;
}

/* Entries behind the end of a list that bits_list_ahead may overwrite. */
#define BITS_LIST_SLACK 4u

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

/* Writes the places of the four lowest bits, undefined where there are fewer,
 * and removes them from the bits. */
static inline void bits_write(uint64_t *bits, uint32_t first, uint32_t *list) {
  const uint64_t top = UINT64_C(1) << 63; /* so that there is one */
  for (uint32_t k = 0; k < 4; k++, *bits &= *bits - 1)
    list[k] = first + (uint32_t)__builtin_ctzll(*bits | top);
}

/* The same as bits_list. It writes more entries than there are bits, rather than
 * ask after each whether there is another: list has room for BITS_LIST_SLACK
 * more. Cost, in a function with CLONES: 4 ns, with more than four bits 10,
 * however hard to guess. After D. Lemire, "Really fast bitset decoding for
 * 'average' densities", 2019. */
static inline uint32_t bits_list_ahead(uint64_t bits, uint32_t first,
                                       uint32_t *list, uint32_t count) {
  uint32_t bit_count = (uint32_t)__builtin_popcountll(bits);
  uint32_t *next = list + count;
  if (bit_count <= 16) {
    bits_write(&bits, first, next);
    for (uint32_t k = 4; k < bit_count; k += 4)
      bits_write(&bits, first, next + k);
    return count + bit_count;
  }
  for (uint32_t i = 0; i < WORD_BITS; i += 4, bits >>= 4) {
    const FourBits *four = &four_bits[bits & 15u];
    for (uint32_t k = 0; k < 4; k++) next[k] = first + i + four->places[k];
    next += four->count;
  }
  return count + bit_count;
}

#endif
