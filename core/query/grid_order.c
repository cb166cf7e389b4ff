/* grid_order.c: all rows of a grid in the order of cells. */
#include "query/grid_order.h"

#define VALUES 256u /* of a digit */

/* The cells of a dimension, from the lowest that is in use. */
typedef struct Extent {
  int32_t low;
  uint32_t span; /* the highest less the lowest */
} Extent;

static Extent find_extent(const ecs_Grid *grid, uint32_t dimension) {
  int32_t low = INT32_MAX, high = INT32_MIN;
  for (uint32_t row = 0; row < grid->count; row++) {
    int32_t cell = grid_row_cell(grid, row, dimension);
    if (cell < low) low = cell;
    if (cell > high) high = cell;
  }
  return (Extent){low, (uint32_t)high - (uint32_t)low};
}

static inline uint32_t digit_of(const ecs_Grid *grid, uint32_t row,
                                uint32_t dimension, int32_t low,
                                uint32_t shift) {
  uint32_t cell = (uint32_t)grid_row_cell(grid, row, dimension) - (uint32_t)low;
  return cell >> shift & (VALUES - 1u);
}

/* Sorts rows by one digit, which leaves those with the same one in their order. */
static void sort_digit(const ecs_Grid *grid, uint32_t dimension, int32_t low,
                       uint32_t shift) {
  const uint32_t *from = grid->order.data;
  uint32_t *to = grid->ranks.data;
  uint32_t counts[VALUES] = {0}, next = 0;
  for (uint32_t i = 0; i < grid->count; i++)
    counts[digit_of(grid, i, dimension, low, shift)]++;
  for (uint32_t value = 0; value < VALUES; value++) {
    uint32_t count = counts[value];
    counts[value] = next;
    next += count;
  }
  for (uint32_t i = 0; i < grid->count; i++)
    to[counts[digit_of(grid, from[i], dimension, low, shift)]++] = from[i];
}

static void sort_dimension(ecs_Grid *grid, uint32_t dimension) {
  Extent extent = find_extent(grid, dimension);
  for (uint32_t shift = 0; shift < 32 && extent.span >> shift > 0; shift += 8) {
    sort_digit(grid, dimension, extent.low, shift);
    GridArray sorted = grid->ranks;
    grid->ranks = grid->order;
    grid->order = sorted;
  }
}

ecs_Status grid_make_order(ecs_Grid *grid) {
  if (grid->ordered || grid->count == 0) return ECS_OK;
  ecs_Status status = grid_reserve_array(grid, &grid->order, grid->count);
  if (status != ECS_OK) return status;
  uint32_t *order = grid->order.data;
  for (uint32_t i = 0; i < grid->count; i++) order[i] = i;
  for (uint32_t d = 0; d < grid->dimensions; d++) sort_dimension(grid, d);
  grid->ordered = true;
  return ECS_OK;
}
