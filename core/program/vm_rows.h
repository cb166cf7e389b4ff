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

/* From a row that the mask names, so many are looked at one by one. */
#define MASKED_ROWS 32u

/* Lists the rows that it names, in order, and returns their number. list has
 * room for all rows and one more. */
static inline uint32_t mask_list(const uint32_t *mask, uint32_t rows,
                                 uint32_t *list) {
  uint32_t count = 0;
  for (uint32_t i = mask_next(mask, 0, rows); i < rows;
       i = mask_next(mask, i, rows)) {
    uint32_t end = rows - i < MASKED_ROWS ? rows : i + MASKED_ROWS;
    for (; i < end; i++) {
      list[count] = i;
      count += mask[i];
    }
  }
  return count;
}

#endif
