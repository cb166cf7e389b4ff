/* table_rows.h: many rows of a table at once.
 *
 * table_row.h moves row by row; here whole columns are copied, filled or handed
 * to another table.
 *
 *      rows_append   from | a b |  to | x y |   ->   from | |  to | x y a b |
 *      rows_take     from | a b |  to | x y |   ->   from | a - |  to | x y b |
 *      rows_hand     from | a b |  to | |       ->   from | |  to | a b |
 *                    without a copy: the tables exchange their slabs
 *
 * All keep the invariant of tables that every byte past the count is zero. Gaps
 * remain until rows_close and rows_cut have removed them. Callers record where
 * the rows are then (placement.h). Cost: every element that is moved or
 * written, once.
 */
#ifndef ECS_TABLE_ROWS_H
#define ECS_TABLE_ROWS_H

#include "storage/table.h"

/* Moves all rows to the end of a table that has the columns of range (added) or
 * lacks them, and otherwise the same columns. Room must be reserved; columns
 * that are new stay zero. Returns the first new row of `to`. */
ECS_INTERNAL uint32_t rows_append(Table *to, Table *from,
                                  const ColumnRange *range, bool added);

/* Can rows_hand move the rows? True if the tables differ only in tags and `to`
 * is empty. */
ECS_INTERNAL bool rows_can_hand(const Table *to, const Table *from);

/* Moves all rows by exchanging slabs. Needs no room. Cost: computes the
 * addresses of the columns. */
ECS_INTERNAL void rows_hand(Table *to, Table *from);

/* Moves the listed rows as rows_append does, but leaves a gap in place of each:
 * a row with entity 0. Returns the first new row of `to`. */
ECS_INTERNAL uint32_t rows_take(Table *to, Table *from, const uint32_t *rows,
                                uint32_t count, const ColumnRange *range,
                                bool added);

/* Copies row fillers[i] into row gaps[i]. */
ECS_INTERNAL void rows_close(Table *table, const uint32_t *gaps,
                             const uint32_t *fillers, uint32_t count);

/* Cuts the table down to count rows. */
ECS_INTERNAL void rows_cut(Table *table, uint32_t count);

/* Fills total bytes, a multiple of bytes, with copies of one element. Each pass
 * copies what is filled already. */
ECS_INTERNAL void rows_repeat(char *first, const void *element, size_t bytes,
                              size_t total);

/* Stores one component in count rows: the fields of an image that are set
 * in the mask `fields`. */
ECS_INTERNAL void rows_fill(Table *table, uint32_t first, uint32_t count,
                            uint32_t component, const Schema *schema,
                            const void *image, uint64_t fields);

/* Sets or clears a tag stored as bits in all rows; the table has the column.
 * Returns in how many rows it was otherwise. */
ECS_INTERNAL uint32_t rows_write_bit(Table *table, uint32_t bits_index,
                                     bool on);

#endif
