/* grid_order.h: all rows of a grid in the order of cells.
 *
 * Buckets hold the rows of a cell together, but follow each other in no order
 * that means anything. Loops over pairs, and over more cells than there are rows,
 * go by a list that is made once after a build. It is sorted digit by digit, in
 * as many passes as the extent of the cells has bytes. */
#ifndef ECS_GRID_ORDER_H
#define ECS_GRID_ORDER_H

#include "query/grid.h"

/* Makes the order of all rows, unless there is. ECS_E_MEMORY: there is none.
 * Cost: about 5 ns for each row and byte. */
ECS_INTERNAL ecs_Status grid_make_order(ecs_Grid *grid);

/* The rows in that order, which was made. */
static inline const uint32_t *grid_order(const ecs_Grid *grid) {
  ECS_ASSERT(grid->ordered || grid->count == 0);
  return (const uint32_t *)grid->order.data;
}

/* Does a row come before another one? Rows of a cell lie in their order. */
static inline bool grid_is_before(const ecs_Grid *grid, uint32_t row,
                                  uint32_t other) {
  uint64_t line = grid_lines(grid)[row], other_line = grid_lines(grid)[other];
  if (line != other_line) return line < other_line;
  int32_t x = grid_row_cell(grid, row, 0);
  int32_t other_x = grid_row_cell(grid, other, 0);
  return x != other_x ? x < other_x : row < other;
}

#endif
