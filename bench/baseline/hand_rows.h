/* hand_rows.h: rows of columns of any types, as a user would write them by
 * hand: hand_store.h for one shape, but for fields of every type.
 *
 * A table has one array per field and one of ids. The array that maps an id to
 * its row, and the ids that are free, belong to the caller's program: a sparse
 * set has a map of its own, two tables that entities move between share one.
 *
 *      layout  { i32, entity }     image  | i32 | - | entity |
 *
 * Layouts are constants and all functions here are inline, so that the compiler
 * makes the code of each layout that a user would have written for it. */
#ifndef BENCH_HAND_ROWS_H
#define BENCH_HAND_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HAND_FIELD_LIMIT 10u
#define HAND_INLINE static inline __attribute__((always_inline))

/* Fields of a component, or of several, with their places in an image. */
typedef struct HandLayout {
  uint32_t count;
  uint8_t shifts[HAND_FIELD_LIMIT]; /* log2 of the size in bytes */
  uint8_t offsets[HAND_FIELD_LIMIT];
} HandLayout;

typedef struct HandRows {
  char *columns[HAND_FIELD_LIMIT];
  uint64_t *ids; /* by row; eight bytes, as handles are */
  uint32_t count;
  uint32_t capacity;
} HandRows;

#define HAND_ABSENT UINT32_MAX

/* Makes an empty table with room for capacity rows. Ends the program when
 * memory runs out. */
void hand_rows_init(HandRows *table, const HandLayout *layout,
                    uint32_t capacity);
void hand_rows_deinit(HandRows *table);

/* The sum of one hash per row over all its columns, as measure_hash. */
uint64_t hand_rows_hash(const HandRows *table, const HandLayout *layout);

/* Copies one element of 1 << shift bytes. */
HAND_INLINE void hand_copy(void *to, const void *from, uint32_t shift) {
  switch (shift) {
    case 0: memcpy(to, from, 1); break;
    case 1: memcpy(to, from, 2); break;
    case 2: memcpy(to, from, 4); break;
    default: memcpy(to, from, 8); break;
  }
}

/* Pushes a row and returns it. There is room: the caller has checked that. */
HAND_INLINE uint32_t hand_rows_push(HandRows *table, const HandLayout *layout,
                                    uint64_t id, const void *image) {
  uint32_t row = table->count++;
#pragma GCC unroll 8
  for (uint32_t k = 0; k < layout->count; k++) {
    hand_copy(table->columns[k] + ((uint64_t)row << layout->shifts[k]),
              (const char *)image + layout->offsets[k], layout->shifts[k]);
  }
  table->ids[row] = id;
  return row;
}

HAND_INLINE void hand_rows_load(const HandRows *table, const HandLayout *layout,
                                uint32_t row, void *image) {
#pragma GCC unroll 8
  for (uint32_t k = 0; k < layout->count; k++) {
    hand_copy((char *)image + layout->offsets[k],
              table->columns[k] + ((uint64_t)row << layout->shifts[k]),
              layout->shifts[k]);
  }
}

/* Moves the last row into the place of a row; rows maps ids to rows. */
HAND_INLINE void hand_rows_remove(HandRows *table, const HandLayout *layout,
                                  uint32_t *rows, uint32_t row) {
  uint32_t last = --table->count;
#pragma GCC unroll 8
  for (uint32_t k = 0; k < layout->count; k++) {
    char *column = table->columns[k];
    hand_copy(column + ((uint64_t)row << layout->shifts[k]),
              column + ((uint64_t)last << layout->shifts[k]),
              layout->shifts[k]);
  }
  uint64_t moved = table->ids[last];
  table->ids[row] = moved;
  rows[moved] = row;
}

#endif
