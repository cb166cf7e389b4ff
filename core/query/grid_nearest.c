/* grid_nearest.c: the row of a grid that is nearest to a point. */
#include "query/grid_nearest.h"

typedef struct Nearest {
  const ecs_Grid *grid;
  const GridShape *shape; /* of the whole ball */
  ecs_Entity except;
  uint32_t row; /* ECS_GRID_NONE: none so far */
  double square;
} Nearest;

/* Is a row better than the one that was found? Of equals the first in the order
 * counts, which in a run is the first. */
static inline bool is_nearer(const Nearest *nearest, const GridRun *run,
                             uint32_t row, double square) {
  if (square > nearest->square) return false;
  if (nearest->row == ECS_GRID_NONE || square < nearest->square) return true;
  return !run->mixed && grid_is_before(nearest->grid, row, nearest->row);
}

static inline void look_at_run(Nearest *nearest, uint32_t dimensions,
                               const GridRun *run) {
  const ecs_Grid *grid = nearest->grid;
  const GridShape *shape = nearest->shape;
  const uint64_t *lines = grid_lines(grid);
  for (uint32_t row = run->at; row < run->end; row++) {
    double square = grid_square(grid->positions, dimensions, shape->point, row);
    if (square > nearest->square) continue;
    if (is_nearer(nearest, run, row, square) &&
        (!run->mixed || lines[row] == run->line) &&
        grid_entities(grid)[row] != nearest->except &&
        grid_is_in(grid->positions, dimensions, true, shape, row)) {
      nearest->row = row;
      nearest->square = square;
    }
  }
}

/* Looks at all rows in the cells of a walk. */
static void look(Nearest *nearest, GridWalk *walk) {
  GridRun run;
  while (grid_walk_run(walk, &run)) {
    if (nearest->grid->dimensions == 2)
      look_at_run(nearest, 2, &run);
    else
      look_at_run(nearest, 3, &run);
  }
}

/* Is what was found in the box of a shape nearer than all outside of it? */
static bool is_settled(const Nearest *nearest, const GridShape *shape) {
  if (nearest->row == ECS_GRID_NONE) return false;
  for (uint32_t d = 0; d < nearest->grid->dimensions; d++) {
    double below = shape->point[d] - shape->low[d];
    double above = shape->high[d] - shape->point[d];
    double reach = below < above ? below : above;
    if (!(nearest->square < reach * reach)) return false;
  }
  return true;
}

uint32_t grid_nearest(const ecs_Grid *grid, const double *point, double radius,
                      ecs_Entity except, double *square) {
  GridWalk walk;
  GridShape whole, shape;
  grid_walk_ball(grid, point, radius, &walk);
  if (walk.grid == NULL) return ECS_GRID_NONE;
  grid_walk_shape(&walk, &whole);
  Nearest nearest = {grid, &whole, except, ECS_GRID_NONE, whole.square};
  double tried = grid->cell * 0.5;
  bool settled = false, last = false;
  while (!settled && !last) {
    last = !(tried < radius);
    grid_walk_ball(grid, point, last ? radius : tried, &walk);
    grid_walk_shape(&walk, &shape);
    last = last || walk.wide;
    nearest.row = ECS_GRID_NONE;
    nearest.square = whole.square;
    look(&nearest, &walk);
    settled = last || is_settled(&nearest, &shape);
    tried *= 2;
  }
  if (nearest.row != ECS_GRID_NONE && square != NULL) *square = nearest.square;
  return nearest.row;
}

bool grid_any(const ecs_Grid *grid, const double *point, double radius,
              ecs_Entity except) {
  GridWalk walk;
  GridShape shape;
  GridRun run;
  grid_walk_ball(grid, point, radius, &walk);
  if (walk.grid == NULL) return false;
  grid_walk_shape(&walk, &shape);
  const uint64_t *lines = grid_lines(grid);
  while (grid_walk_run(&walk, &run))
    for (uint32_t row = run.at; row < run.end; row++)
      if (grid_is_in(grid->positions, grid->dimensions, true, &shape, row) &&
          (!run.mixed || lines[row] == run.line) &&
          grid_entities(grid)[row] != except)
        return true;
  return false;
}
