/* vm_rows.h: the rows of a block that a mask names.
 *
 * A mask is a bool for each row: 0 or 1, of which one byte is 1.
 */
#ifndef ECS_VM_ROWS_H
#define ECS_VM_ROWS_H

#include "base/bits.h"

/* The first row from row on that it names; rows: none. */
static inline uint32_t mask_next(const uint32_t *mask, uint32_t row,
                                 uint32_t rows) {
  if (row >= rows || mask[row] != 0) return row;
  const char *found = memchr(mask + row, 1, (rows - row) * sizeof *mask);
  if (found == NULL) return rows;
  return (uint32_t)((size_t)(found - (const char *)mask) / sizeof *mask);
}

/* The rows of WORD_BITS that the mask names, as bits. */
static inline uint64_t mask_bits(const uint32_t *mask) {
  uint8_t bytes[WORD_BITS];
  for (uint32_t i = 0; i < WORD_BITS; i++) bytes[i] = (uint8_t)mask[i];
  return bits_of_bytes(bytes);
}

/* Lists the rows that it names, in order, and returns their number. list has
 * room for all rows and one more. */
static inline uint32_t mask_list(const uint32_t *mask, uint32_t rows,
                                 uint32_t *list) {
  uint32_t count = 0;
  uint32_t i = mask_next(mask, 0, rows);
  for (; i < rows && rows - i >= WORD_BITS; i = mask_next(mask, i, rows)) {
    count = bits_list(mask_bits(mask + i), i, list, count);
    i += WORD_BITS;
  }
  for (; i < rows; i++) {
    list[count] = i;
    count += mask[i];
  }
  return count;
}

#endif
