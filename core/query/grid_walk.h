/* grid_walk.h: the rows of a grid in a box or around a point.
 *
 * A walk goes over the cells that touch its box, line by line. The cells of a
 * line are a run of buckets, so its rows are one run of the arrays, or two where
 * the buckets wrap around. Rows of other lines that share a bucket are passed
 * over by their line; rows of the same line, by their position:
 *
 *      line y1  | . . [ a b | c | d ] . . |      a look at each of a to d
 *      line y0  | e ] . . . . . . . [ f g |      wraps around: f g, then e
 *
 * A walk over more cells than there are rows is wide. It goes over all rows: in
 * the order of grid_order.h, or where the order does not matter as they lie.
 */
#ifndef ECS_GRID_WALK_H
#define ECS_GRID_WALK_H

#include "query/grid_order.h"

/* Where a walk is: the contents of an ecs_GridCursor. */
typedef struct GridWalk {
  const ecs_Grid *grid; /* borrowed; NULL: nothing is found */
  double bounds[6]; /* of a ball its centre, and its radius at GRID_RADIUS; of a
                       box its low corner and its high one */
  uint64_t line;    /* of the run */
  int32_t x0, x1, y0, y1, z1; /* cells that are touched */
  int32_t at_y, at_z;         /* the next line */
  uint32_t at, end;  /* the rest of the run; of a wide walk, of the order */
  uint32_t wrapped;  /* how many rows the run has at the first bucket; 0: none
                       are left */
  uint32_t position; /* of pairs: that of the next row, in the order */
  bool round;        /* a ball */
  bool wide;
} GridWalk;

#define GRID_RADIUS 3

/* What a row must have to be found. */
typedef struct GridShape {
  double point[3], low[3], high[3];
  double square; /* of the radius */
  bool round;
} GridShape;

/* Rows of the arrays to look at. */
typedef struct GridRun {
  uint32_t at, end;
  uint64_t line;
  bool mixed; /* rows of other lines may be among them */
} GridRun;

/* Begins a walk. */
ECS_INTERNAL void grid_walk_ball(const ecs_Grid *grid, const double *point,
                                 double radius, GridWalk *walk);
ECS_INTERNAL void grid_walk_box(const ecs_Grid *grid, const double *low,
                                const double *high, GridWalk *walk);

/* The shape of a walk that finds something. */
ECS_INTERNAL void grid_walk_shape(const GridWalk *walk, GridShape *shape);

/* The next run of a walk, in no order where it is wide. False: there is none. */
ECS_INTERNAL bool grid_walk_run(GridWalk *walk, GridRun *run);

/* The next rows of a walk in the order of cells, at most capacity of them; 0:
 * there are none. A wide walk needs the order. */
ECS_INTERNAL uint32_t grid_walk_next(GridWalk *walk, uint32_t *rows,
                                     uint32_t capacity);

/* How many rows a walk finds, which it goes over. */
ECS_INTERNAL uint32_t grid_walk_count(GridWalk *walk);

/* Begins a walk over pairs, for which there is the order. */
ECS_INTERNAL void grid_walk_pairs(const ecs_Grid *grid, double radius,
                                  GridWalk *walk);

/* The next pairs; 0: there are none. */
ECS_INTERNAL uint32_t grid_walk_next_pairs(GridWalk *walk, uint32_t *rows,
                                           uint32_t *others, uint32_t capacity);

/* The square of the distance of a row from a point, as answers compute it. */
static inline double grid_square(const double *const *positions,
                                 uint32_t dimensions, const double *point,
                                 uint32_t row) {
  double x = point[0] - positions[0][row], y = point[1] - positions[1][row];
  double square = x * x + y * y;
  if (dimensions == 2) return square;
  double z = point[2] - positions[2][row];
  return square + z * z;
}

/* Is a row in a shape? */
static inline bool grid_is_in(const double *const *positions,
                              uint32_t dimensions, bool round,
                              const GridShape *shape, uint32_t row) {
  double x = positions[0][row], y = positions[1][row];
  bool in = (x >= shape->low[0]) & (x <= shape->high[0]) &
            (y >= shape->low[1]) & (y <= shape->high[1]);
  if (dimensions == 3) {
    double z = positions[2][row];
    in &= (z >= shape->low[2]) & (z <= shape->high[2]);
  }
  if (round)
    in &=
        grid_square(positions, dimensions, shape->point, row) <= shape->square;
  return in;
}

#endif
