/* marked_rows.h: values of which some have a second one, written by hand.
 *
 * A bitmap names the rows that have one, and each row knows its place among the
 * second values, which are dense:
 *
 *      value    5  2  9  4          bitmap  1 0 1 0
 *      place    1  .  0  .          second  7 3
 *
 * Nothing is checked. */
#ifndef BENCH_MARKED_ROWS_H
#define BENCH_MARKED_ROWS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct MarkedRows {
  uint32_t rows, count; /* rows is a multiple of 64 */
  float *value;
  uint64_t *bitmap;
  uint8_t *bytes; /* the bitmap again, a byte for each row */
  uint32_t *places;
  float *second;
  uint32_t *owners; /* the row of each second value */
} MarkedRows;

void marked_rows_init(MarkedRows *marked, uint32_t rows);
void marked_rows_deinit(MarkedRows *marked);

/* Gives a row that has none a second value; takes one away: the last one fills
 * the hole. */
void marked_rows_give(MarkedRows *marked, uint32_t row, float second);
void marked_rows_take(MarkedRows *marked, uint32_t row);

/* value += second where there is one: rows are listed from the bitmap and
 * gathered in slices, without a branch for each row. */
void marked_rows_add(MarkedRows *marked);

/* value += 1 where there is one, by the bitmap. */
void marked_rows_increment(MarkedRows *marked);

/* value += 1 where the byte is set; rows are compacted into slices. */
void marked_rows_increment_by_bytes(MarkedRows *marked);

/* The loops over columns, for the native kernels. */
void hand_add(float *restrict value, const float *restrict second,
              uint32_t count);
void hand_increment(float *restrict value, uint32_t count);

#endif
