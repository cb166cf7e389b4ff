/* gather_loops.h: elements at any rows of a column, copied next to each other.
 *
 *      column  c0 c1 c2 c3 c4 c5      rows 4 1 1 5
 *      gather  c4 c1 c1 c5            scatter: the other way round
 *
 * Two columns of four bytes that are read at the same rows are a pair. There
 * are three ways to gather one:
 *
 *      rows anywhere   one element at a time, four stored at once
 *      in steps        of each eight rows none is more than seven behind the
 *                      first, as where children are in the order of their
 *                      parents: eight elements are loaded and permuted
 *      packed          the two columns have been copied to one array, so that
 *                      a row is one load, and one line of a cache
 *
 * Cost of a row of a pair: 0.35, 0.1 and 0.3 ns in the nearest cache; with targets
 * at random in the next one 1 ns and 0.5, beside 0.3 for each row that is packed.
 */
#ifndef ECS_GATHER_LOOPS_H
#define ECS_GATHER_LOOPS_H

#include "storage/element.h"

/* What two columns are read from. */
typedef struct CellPair {
  const char *first, *second; /* row 0 of each */
} CellPair;

/* How many rows behind the first one of eight may be. */
#define GATHER_WINDOW 8u

/* Copies count elements of 1 << shift bytes from these rows of a column. */
ECS_INTERNAL void gather_cells(void *to, const void *from, const uint32_t *rows,
                               uint32_t count, uint32_t shift);

/* Copies count elements to these rows of a column. */
ECS_INTERNAL void scatter_cells(void *to, const void *from,
                                const uint32_t *rows, uint32_t count,
                                uint32_t shift);

/* Copies a pair of columns of four bytes to two arrays. */
ECS_INTERNAL void gather_pair(char *const *to, CellPair from,
                              const uint32_t *rows, uint32_t count);

/* The same from rows that are in steps. The columns have room for so many rows,
 * at least GATHER_WINDOW. */
ECS_INTERNAL void gather_steps(char *const *to, CellPair from,
                               const uint32_t *rows, uint32_t count,
                               uint32_t room);

/* Copies two arrays to a pair of columns. */
ECS_INTERNAL void scatter_pair(char *const *to, char *const *from,
                               const uint32_t *rows, uint32_t count);

/* Copies count rows of a pair of columns to one array. */
ECS_INTERNAL void pack_pair(Cell8 *to, CellPair from, uint32_t count);

/* Copies a packed pair to two arrays. packed has the elements of the row
 * `first`; no row is before it. */
ECS_INTERNAL void gather_packed(char *const *to, const Cell8 *packed,
                                uint32_t first, const uint32_t *rows,
                                uint32_t count);

/* Are rows in steps? */
ECS_INTERNAL bool rows_are_steps(const uint32_t *rows, uint32_t count);

#endif
