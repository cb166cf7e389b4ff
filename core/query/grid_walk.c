/* grid_walk.c: the rows of a grid in a box or around a point. */
#include "query/grid_walk.h"

_Static_assert(sizeof(GridWalk) <= sizeof(ecs_GridCursor),
               "a cursor must hold its state");

/* Shapes ---------------------------------------------------------------- */

void grid_walk_shape(const GridWalk *walk, GridShape *shape) {
  const double *bounds = walk->bounds;
  double radius = bounds[GRID_RADIUS];
  shape->round = walk->round;
  shape->square = radius * radius;
  for (uint32_t d = 0; d < walk->grid->dimensions; d++) {
    shape->point[d] = bounds[d];
    shape->low[d] = walk->round ? bounds[d] - radius : bounds[d];
    shape->high[d] = walk->round ? bounds[d] + radius : bounds[3 + d];
  }
}

/* Can anything be in a shape? */
static bool is_possible(const GridShape *shape, uint32_t dimensions) {
  for (uint32_t d = 0; d < dimensions; d++)
    if (!(shape->low[d] <= shape->high[d])) return false;
  return true;
}

static double cells_between(int32_t low, int32_t high) {
  return (double)high - (double)low + 1;
}

/* Finds the cells that the walk's shape touches. */
static void open_walk(GridWalk *walk) {
  const ecs_Grid *grid = walk->grid;
  GridShape shape;
  grid_walk_shape(walk, &shape);
  if (grid->count == 0 || !is_possible(&shape, grid->dimensions)) {
    walk->grid = NULL;
    return;
  }
  walk->x0 = ecs_grid_cell(shape.low[0], grid->inverse);
  walk->x1 = ecs_grid_cell(shape.high[0], grid->inverse);
  walk->y0 = walk->at_y = ecs_grid_cell(shape.low[1], grid->inverse);
  walk->y1 = ecs_grid_cell(shape.high[1], grid->inverse);
  if (grid->dimensions == 3) {
    walk->at_z = ecs_grid_cell(shape.low[2], grid->inverse);
    walk->z1 = ecs_grid_cell(shape.high[2], grid->inverse);
  }
  walk->wide = cells_between(walk->x0, walk->x1) *
                   cells_between(walk->y0, walk->y1) *
                   cells_between(walk->at_z, walk->z1) >
               (double)grid->count;
  if (walk->wide) walk->end = grid->count;
}

void grid_walk_ball(const ecs_Grid *grid, const double *point, double radius,
                    GridWalk *walk) {
  *walk = (GridWalk){.grid = radius >= 0 ? grid : NULL, .round = true};
  for (uint32_t d = 0; d < grid->dimensions; d++) {
    walk->bounds[d] = point[d];
    if (!(point[d] - point[d] == 0)) walk->grid = NULL;
  }
  walk->bounds[GRID_RADIUS] = radius;
  if (walk->grid != NULL) open_walk(walk);
}

void grid_walk_box(const ecs_Grid *grid, const double *low, const double *high,
                   GridWalk *walk) {
  *walk = (GridWalk){.grid = grid};
  for (uint32_t d = 0; d < grid->dimensions; d++) {
    walk->bounds[d] = low[d];
    walk->bounds[3 + d] = high[d];
  }
  open_walk(walk);
}

/* Runs ------------------------------------------------------------------ */

static void next_line(GridWalk *walk) {
  if (walk->at_y < walk->y1) {
    walk->at_y++;
  } else {
    walk->at_y = walk->y0;
    walk->at_z++;
  }
}

/* Makes the run that of the cells of a line from x on. */
static void set_run(GridWalk *walk, int32_t x) {
  const ecs_Grid *grid = walk->grid;
  const uint32_t *starts = grid_starts(grid);
  uint32_t first = ecs_grid_bucket(x, walk->line, grid->mask);
  uint32_t last = ecs_grid_bucket(walk->x1, walk->line, grid->mask);
  walk->at = starts[first];
  walk->end = first <= last ? starts[last + 1] : grid->count;
  walk->wrapped = first <= last ? 0 : starts[last + 1];
}

/* Goes on to the rest of the line, or to the next one. False: there is none. */
static bool next_run(GridWalk *walk) {
  if (walk->wrapped > 0) {
    walk->at = 0;
    walk->end = walk->wrapped;
    walk->wrapped = 0;
    return true;
  }
  if (walk->at_z > walk->z1) return false;
  walk->line = ecs_grid_line(walk->at_y, walk->at_z);
  next_line(walk);
  set_run(walk, walk->x0);
  return true;
}

bool grid_walk_run(GridWalk *walk, GridRun *run) {
  if (walk->grid == NULL) return false;
  if (walk->wide) {
    *run = (GridRun){walk->at, walk->end, 0, false};
    walk->at = walk->end;
    return run->at < run->end;
  }
  if (!next_run(walk)) return false;
  *run = (GridRun){walk->at, walk->end, walk->line, true};
  return true;
}

/* Rows ------------------------------------------------------------------ */

/* Writes the rows from at to end that are in a shape and on a line. Written
 * without branches, since which rows are in the shape cannot be foreseen: then
 * such a row takes 1.5 ns, and with a branch 4. dimensions and round are
 * constants where this is called. */
static inline uint32_t find_rows(const GridWalk *walk, uint32_t dimensions,
                                 bool round, const GridShape *shape,
                                 uint32_t end, uint32_t *rows) {
  const double *const *positions = walk->grid->positions;
  const uint64_t *lines = grid_lines(walk->grid), line = walk->line;
  uint32_t found = 0;
  for (uint32_t row = walk->at; row < end; row++) {
    rows[found] = row;
    found += grid_is_in(positions, dimensions, round, shape, row) &
             (lines[row] == line);
  }
  return found;
}

/* The same of a wide walk, whose rows are listed. */
static uint32_t find_listed(const GridWalk *walk, const GridShape *shape,
                            uint32_t end, uint32_t *rows) {
  const ecs_Grid *grid = walk->grid;
  const uint32_t *order = grid_order(grid);
  uint32_t found = 0;
  for (uint32_t i = walk->at; i < end; i++) {
    rows[found] = order[i];
    found += grid_is_in(grid->positions, grid->dimensions, shape->round, shape,
                        order[i]);
  }
  return found;
}

/* Takes up to capacity rows of the run. Returns how many were found. */
static uint32_t take_rows(GridWalk *walk, const GridShape *shape,
                          uint32_t *rows, uint32_t capacity) {
  uint32_t left = walk->end - walk->at, found;
  uint32_t end = walk->at + (left < capacity ? left : capacity);
  if (walk->wide)
    found = find_listed(walk, shape, end, rows);
  else if (walk->grid->dimensions == 2)
    found = shape->round ? find_rows(walk, 2, true, shape, end, rows)
                         : find_rows(walk, 2, false, shape, end, rows);
  else
    found = shape->round ? find_rows(walk, 3, true, shape, end, rows)
                         : find_rows(walk, 3, false, shape, end, rows);
  walk->at = end;
  return found;
}

uint32_t grid_walk_next(GridWalk *walk, uint32_t *rows, uint32_t capacity) {
  GridShape shape;
  uint32_t found = 0;
  if (walk->grid == NULL) return 0;
  grid_walk_shape(walk, &shape);
  while (found < capacity) {
    if (walk->at == walk->end && (walk->wide || !next_run(walk))) break;
    found += take_rows(walk, &shape, rows + found, capacity - found);
  }
  return found;
}

static inline uint32_t count_run(const ecs_Grid *grid, uint32_t dimensions,
                                 const GridShape *shape, const GridRun *run) {
  const uint64_t *lines = grid_lines(grid);
  uint32_t count = 0;
  for (uint32_t row = run->at; row < run->end; row++)
    count += grid_is_in(grid->positions, dimensions, true, shape, row) &
             ((lines[row] == run->line) | !run->mixed);
  return count;
}

uint32_t grid_walk_count(GridWalk *walk) {
  GridShape shape;
  GridRun run;
  uint32_t count = 0;
  if (walk->grid == NULL) return 0;
  ECS_ASSERT(walk->round);
  grid_walk_shape(walk, &shape);
  while (grid_walk_run(walk, &run))
    count += walk->grid->dimensions == 2
                 ? count_run(walk->grid, 2, &shape, &run)
                 : count_run(walk->grid, 3, &shape, &run);
  return count;
}

/* Pairs ----------------------------------------------------------------- */

void grid_walk_pairs(const ecs_Grid *grid, double radius, GridWalk *walk) {
  *walk = (GridWalk){.grid = radius >= 0 ? grid : NULL, .round = true};
  walk->bounds[GRID_RADIUS] = radius;
  walk->z1 = -1; /* there is no line yet */
}

/* Goes on to the rows behind the next one of the order: those of its own cell
 * that lie behind it, and those of later cells. False: there is none. */
static bool next_pair_row(GridWalk *walk) {
  const ecs_Grid *grid = walk->grid;
  if (walk->position >= grid->count) return false;
  uint32_t position = walk->position++, row = grid_order(grid)[position];
  for (uint32_t d = 0; d < grid->dimensions; d++)
    walk->bounds[d] = grid->positions[d][row];
  walk->wrapped = 0;
  walk->at_z = walk->z1 = 0;
  open_walk(walk);
  ECS_ASSERT(walk->grid != NULL);
  if (walk->wide) {
    walk->at = position + 1;
    return true;
  }
  walk->at_y = grid_row_cell(grid, row, 1);
  if (grid->dimensions == 3) walk->at_z = grid_row_cell(grid, row, 2);
  walk->line = grid_lines(grid)[row];
  next_line(walk);
  set_run(walk, grid_row_cell(grid, row, 0));
  walk->at = row + 1;
  return true;
}

/* The rest of the run, the next run, or that of the next row. */
static bool next_pair_run(GridWalk *walk) {
  if (walk->position > 0 && !walk->wide && next_run(walk)) return true;
  return next_pair_row(walk);
}

uint32_t grid_walk_next_pairs(GridWalk *walk, uint32_t *rows, uint32_t *others,
                              uint32_t capacity) {
  GridShape shape;
  uint32_t found = 0;
  if (walk->grid == NULL || walk->grid->count == 0) return 0;
  grid_walk_shape(walk, &shape);
  while (found < capacity) {
    if (walk->at == walk->end) {
      if (!next_pair_run(walk)) break;
      grid_walk_shape(walk, &shape);
      continue;
    }
    uint32_t count = take_rows(walk, &shape, others + found, capacity - found);
    uint32_t row = grid_order(walk->grid)[walk->position - 1];
    for (uint32_t i = 0; i < count; i++) rows[found + i] = row;
    found += count;
  }
  return found;
}
