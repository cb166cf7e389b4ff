/* grid.h: copies of a query's rows in the order of cells.
 *
 * include/ecs_grid.h says what a grid is. Its memory is a list of arrays with an
 * element for each row, filled anew by every build (grid_build.h):
 *
 *      | entities | lines | x | y | (z) | columns of the query | has optional |
 *      | starts of buckets |   | order: all rows by cells, where it is asked for |
 *
 * Everything is reserved before anything is written, so a build that fails
 * leaves what was built, though arrays may have moved. Arrays only grow.
 *
 * A grid is fresh while the versions of its query's groups and the stamps of the
 * columns that it copies (stamps.h) are what they were. Only grids that are asked
 * watch their components, since that makes changes dearer.
 */
#ifndef ECS_QUERY_GRID_H
#define ECS_QUERY_GRID_H

#include "ecs_grid.h"
#include "query/query_span.h"

/* The first arrays of a grid; positions, columns and, for each optional term,
 * whether rows have it, follow. */
enum { GRID_ENTITIES, GRID_LINES, GRID_POSITIONS };

typedef struct GridArray {
  void *data; /* owned */
  uint32_t capacity;
  uint32_t bytes; /* of an element */
} GridArray;

struct ecs_Grid {
  ecs_Query *query;
  ecs_Grid *next; /* of the same query */
  uint32_t dimensions;
  uint32_t term;      /* with the position */
  uint32_t fields[3]; /* of its component */
  ecs_Scalar types[3];
  double cell;
  double inverse;
  uint32_t count;    /* rows */
  uint32_t mask;     /* buckets less one */
  GridArray *arrays; /* owned */
  uint32_t array_count;
  const void **columns; /* owned; the query's: where they lie now */
  const double *positions[3];
  GridArray starts; /* uint32_t: of each bucket the first row */
  GridArray ranks;  /* of a build; then scratch of the order */
  GridArray order;  /* uint32_t: the rows in the order of cells */
  bool ordered;     /* order is that of what was built */
  bool watches;     /* its components */
  bool built;       /* once, at least */
  uint64_t builds;
  uint64_t versions;       /* of the groups, when it was built */
  uint64_t layout_version; /* likewise */
  uint64_t tick;           /* stamps until then have been seen */
  double asked;            /* the sum of all finite radii asked for */
  uint64_t questions;      /* and their number */
};

/* Makes an empty grid of a query, which owns it. The description was checked.
 * ECS_E_MEMORY: everything is freed again. */
ECS_INTERNAL ecs_Status grid_create(ecs_Query *query,
                                    const ecs_GridDescription *description,
                                    ecs_Grid **grid);

/* Takes a grid from its query and frees it. */
ECS_INTERNAL void grid_destroy(ecs_Grid *grid);

/* Watches components from now on, so that the next build can be
 * known to be fresh. */
ECS_INTERNAL void grid_watch(ecs_Grid *grid);

/* Makes room in an array. ECS_E_MEMORY: nothing has changed. */
ECS_INTERNAL ecs_Status grid_reserve_array(const ecs_Grid *grid,
                                           GridArray *array, uint32_t needed);

/* Makes room for rows in all arrays but order, and for the starts of buckets up
 * to mask. ECS_E_MEMORY: what was built is what it was. */
ECS_INTERNAL ecs_Status grid_reserve(ecs_Grid *grid, uint32_t rows,
                                     uint32_t mask);

/* The bytes of all arrays of a grid, itself included. */
ECS_INTERNAL uint64_t grid_bytes(const ecs_Grid *grid);

/* Has a term columns that a row may lack? */
static inline bool grid_is_optional(const QueryTerm *term) {
  return term->column_count > 0 && access_is_optional(term->access);
}

static inline GridArray *grid_column(const ecs_Grid *grid, uint32_t column) {
  return &grid->arrays[GRID_POSITIONS + grid->dimensions + column];
}

/* Bytes: have rows the component of the optional term with a number? */
static inline GridArray *grid_presence(const ecs_Grid *grid, uint32_t number) {
  return grid_column(grid, grid->query->column_count + number);
}

/* The cell of a row along a dimension. */
static inline int32_t grid_row_cell(const ecs_Grid *grid, uint32_t row,
                                    uint32_t dimension) {
  return ecs_grid_cell(grid->positions[dimension][row], grid->inverse);
}

static inline const ecs_Entity *grid_entities(const ecs_Grid *grid) {
  return (const ecs_Entity *)grid->arrays[GRID_ENTITIES].data;
}

static inline const uint64_t *grid_lines(const ecs_Grid *grid) {
  return (const uint64_t *)grid->arrays[GRID_LINES].data;
}

static inline const uint32_t *grid_starts(const ecs_Grid *grid) {
  return (const uint32_t *)grid->starts.data;
}

#endif
