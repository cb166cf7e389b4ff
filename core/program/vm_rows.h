/* vm_rows.h: the rows of a block that a mask names.
 *
 * A mask is a bool for each row: 0 or 1, of which one byte is 1.
 */
#ifndef ECS_VM_ROWS_H
#define ECS_VM_ROWS_H

#include <stdint.h>
#include <string.h>

/* The first row from row on that it names; rows: none. */
static inline uint32_t mask_next(const uint32_t *mask, uint32_t row,
                                 uint32_t rows) {
  if (row >= rows || mask[row] != 0) return row;
  const char *found = memchr(mask + row, 1, (rows - row) * sizeof *mask);
  if (found == NULL) return rows;
  return (uint32_t)((size_t)(found - (const char *)mask) / sizeof *mask);
}

/* From a row that the mask names, so many are looked at. */
#define MASKED_ROWS 64u

/* The rows of MASKED_ROWS that the mask names, as bits. */
static inline uint64_t mask_bits(const uint32_t *mask) {
  uint8_t bytes[MASKED_ROWS];
  uint64_t bits = 0;
  for (uint32_t i = 0; i < MASKED_ROWS; i++) bytes[i] = (uint8_t)mask[i];
  for (uint32_t i = 0; i < MASKED_ROWS; i += 8) {
    uint64_t eight;
    memcpy(&eight, bytes + i, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    bits |= (eight * 0x0102040810204080u >> 56) << i;
  }
  return bits;
}

/* Lists the rows that it names, in order, and returns their number. list has
 * room for all rows and one more. */
static inline uint32_t mask_list(const uint32_t *mask, uint32_t rows,
                                 uint32_t *list) {
  uint32_t count = 0;
  uint32_t i = mask_next(mask, 0, rows);
  for (; i < rows && rows - i >= MASKED_ROWS; i = mask_next(mask, i, rows)) {
    for (uint64_t bits = mask_bits(mask + i); bits != 0; bits &= bits - 1)
      list[count++] = i + (uint32_t)__builtin_ctzll(bits);
    i += MASKED_ROWS;
  }
  for (; i < rows; i++) {
    list[count] = i;
    count += mask[i];
  }
  return count;
}

#endif
