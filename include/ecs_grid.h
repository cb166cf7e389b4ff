/* ecs_grid.h: who is near whom, for C programs; include it beside ecs.h.
 *
 * A grid is an index over space: it holds copies of the rows of a query, in the
 * order of cells, as they were when it was last built.
 *
 *      +-----+-----+-----+     bucket   0     1     2     3
 *      | a b |     |  c  |     starts   0     2     2     3    4
 *      +-----+-----+-----+               \     \     \     \
 *      |     |  d  |     |     rows       a b         c     d
 *      +-----+-----+-----+     columns    x x         x     x
 *
 * A cell of a coordinate is floor(x / cell); a bucket has all rows of a cell, and
 * maybe those of other cells: the number of buckets follows from the number of
 * rows, and space has no bounds. Cells side by side in x are buckets side by
 * side, so what is near is a few runs of rows.
 *
 * Answers are in the order of cells, which is by z, then y, then x, and within a
 * cell in that of the query. They follow from the rows alone, not from the
 * buckets. A row is within a radius of a point if, for each coordinate p of the
 * row and c of the point, c - radius <= p <= c + radius, and the sum of their
 * (c - p) * (c - p) is at most radius * radius; all of it in double. A radius
 * below 0 or NaN, and a point that is not finite, find nothing.
 *
 * Rows without a finite position are in no cell, so they are not in the grid. An
 * entity may have died or moved since the grid was built: what is shown is what
 * was built.
 *
 *      ecs_GridCursor cursor;
 *      uint32_t rows[64], count;
 *      if (ecs_grid_within(grid, centre, 4, &cursor) != ECS_OK) ...
 *      while ((count = ecs_grid_next(&cursor, rows, 64)) > 0)
 *        for (uint32_t i = 0; i < count; i++) hit(view.entities[rows[i]]);
 *
 * The rules of ecs.h hold here, too. A kernel may read an ecs_GridRows that it
 * was given; all other functions are calls into its world.
 */
#ifndef ECS_GRID_H
#define ECS_GRID_H

#include "ecs.h"

/* Its functions cast as C does, whatever a program in C++ wants of its own. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ecs_Grid ecs_Grid;

/* No row. */
#define ECS_GRID_NONE UINT32_MAX

/* Life -------------------------------------------------------------------- */

typedef struct ecs_GridDescription {
  uint32_t term; /* position of the query's term with the position: of a row
                          itself, and with columns */
  uint32_t dimensions; /* 2 or 3 */
  uint32_t fields[3];  /* of its component, which are numbers: x, y and z */
  double cell;         /* the length of a cell's sides: finite, above 0, and
                          1 / cell is finite */
} ecs_GridDescription;

/* Creates a grid that is not built: it is empty. Terms that write are only read.
 * The query owns the grid and frees it at its end; ecs_grid_destroy frees it
 * earlier. Returns ECS_OK, ECS_E_ARGUMENT (no such term, a number of dimensions
 * or a cell that cannot be), ECS_E_FIELD (no such field, or one that is no
 * number), or ECS_E_MEMORY. */
ECS_API ecs_Status ecs_grid_create(ecs_Query *query,
                                   const ecs_GridDescription *description,
                                   ecs_Grid **grid);

/* Frees a grid; does nothing for NULL. */
ECS_API void ecs_grid_destroy(ecs_Grid *grid);

/* Building ---------------------------------------------------------------- */

/* Copies the rows that match now. Cursors of the grid, and what ecs_grid_rows
 * told, are not valid any more, after a failure either. Returns ECS_OK,
 * ECS_E_ACCESS while an open cursor writes a component that the grid copies, or
 * ECS_E_MEMORY: the grid shows what it did. Cost: about 10 ns for each row;
 * memory is kept, so nothing is allocated where there are no more rows than
 * before. */
ECS_API ecs_Status ecs_grid_build(ecs_Grid *grid);

/* Builds if the grid was never built, or if something may have changed since:
 * rows that match came, moved or went, or a component was written or opened for
 * writing. *built says whether it did; built may be NULL. Returns as
 * ecs_grid_build. Cost: where nothing was written in the world, a comparison for
 * each group of the query. From the first call on changes of what the grid reads
 * cost what ecs_query_ask_changes says. */
ECS_API ecs_Status ecs_grid_refresh(ecs_Grid *grid, bool *built);

/* Reading ----------------------------------------------------------------- */

/* What was built. Arrays are borrowed until the grid is built again or freed, and
 * have an element for each row, in the order of buckets. */
typedef struct ecs_GridRows {
  uint32_t count; /* rows */
  uint32_t column_count;
  const ecs_Entity *entities;
  const void *const *columns; /* those of the query, copied; what an optional
                                      component that a row lacks is undefined */
  const double *const *positions; /* one for each dimension */
  const uint64_t *lines;          /* ecs_grid_line of each row */
  const uint32_t *starts;         /* of each bucket its first row, and then
                                      count */
  uint32_t mask;                  /* the number of buckets less one, which is
                                      a power of two less one */
  uint32_t dimensions;
  double inverse; /* 1 / cell */
} ecs_GridRows;

/* Writes where what was built lies. */
ECS_API void ecs_grid_rows(const ecs_Grid *grid, ecs_GridRows *rows);

/* Has a row the component of the term at position `term` of the query? Always
 * true for one that must be present. row is below count. */
ECS_API bool ecs_grid_has(const ecs_Grid *grid, uint32_t term, uint32_t row);

/* The cell of a finite coordinate: floor(x * inverse), from -2^30 to 2^30. It
 * never falls as x grows. */
static inline int32_t ecs_grid_cell(double x, double inverse) {
  const double most = 1073741824.0;
  double scaled = x * inverse;
  scaled = scaled < most ? scaled : most;
  scaled = scaled > -most ? scaled : -most;
  int32_t cell = (int32_t)scaled; /* towards 0 */
  return cell - ((double)cell > scaled);
}

/* The line of cells with these y and z (0 in two dimensions); lines are in the
 * order of these numbers. */
static inline uint64_t ecs_grid_line(int32_t y, int32_t z) {
  return (uint64_t)((uint32_t)z + (1u << 30)) << 32 |
         ((uint32_t)y + (1u << 30));
}

/* The bucket of a cell. */
static inline uint32_t ecs_grid_bucket(int32_t x, uint64_t line,
                                       uint32_t mask) {
  uint32_t mixed =
      (uint32_t)line * 0x9e3779b1u + (uint32_t)(line >> 32) * 0x85ebca77u;
  return ((uint32_t)x + (mixed ^ mixed >> 15)) & mask;
}

/* Asking ------------------------------------------------------------------ */

/* A loop over rows of a grid. Plain data owned by the caller, which needs no
 * end. Where the grid was built or freed meanwhile, it must not be used. */
typedef struct ecs_GridCursor {
  uint64_t private_state[16];
} ecs_GridCursor;

/* Begins a loop over the rows within a radius of a point, which has as many
 * numbers as the grid has dimensions. Returns ECS_OK or ECS_E_MEMORY, which only
 * a loop over more cells than there are rows may do. Cost: a look at each row in
 * cells that are touched; where there are more cells than rows, at every row,
 * and once after each building their order. */
ECS_API ecs_Status ecs_grid_within(ecs_Grid *grid, const double *point,
                                   double radius, ecs_GridCursor *cursor);

/* The same over the rows with low <= p <= high for each coordinate p. */
ECS_API ecs_Status ecs_grid_box(ecs_Grid *grid, const double *low,
                                const double *high, ecs_GridCursor *cursor);

/* Writes up to capacity of the next rows. Returns how many; 0: there are no
 * more. */
ECS_API uint32_t ecs_grid_next(ecs_GridCursor *cursor, uint32_t *rows,
                               uint32_t capacity);

/* Begins a loop over pairs of rows, each once: for each row in the order of
 * cells the others behind it in that order that are within a radius of it.
 * Returns ECS_OK or ECS_E_MEMORY. Cost: once after each building the order of
 * all rows; then that of ecs_grid_within for each row. */
ECS_API ecs_Status ecs_grid_pairs(ecs_Grid *grid, double radius,
                                  ecs_GridCursor *cursor);

/* Writes up to capacity of the next pairs: rows[i] and others[i]. Returns how
 * many; 0: there are no more. */
ECS_API uint32_t ecs_grid_next_pairs(ecs_GridCursor *cursor, uint32_t *rows,
                                     uint32_t *others, uint32_t capacity);

/* The number of rows within a radius of a point. Cost: that of ecs_grid_within. */
ECS_API uint32_t ecs_grid_count(ecs_Grid *grid, const double *point,
                                double radius);

/* Is a row within a radius of a point that is not that of the entity except? 0:
 * of any. Cost: up to the first. */
ECS_API bool ecs_grid_any(ecs_Grid *grid, const double *point, double radius,
                          ecs_Entity except);

/* The row within a radius of a point that is nearest, other than that of except;
 * of equals the first in the order of cells. ECS_GRID_NONE: there is none.
 * *square is the sum of the squares of the differences; it is not written where
 * there is none, and may be NULL. The radius may be infinite. Cost: a few cells
 * where rows are near; never more than twice that of ecs_grid_within. */
ECS_API uint32_t ecs_grid_nearest(const ecs_Grid *grid, const double *point,
                                  double radius, ecs_Entity except,
                                  double *square);

typedef struct ecs_GridStatistics {
  uint64_t rows;
  uint64_t cells;   /* in which there are rows */
  uint64_t most;    /* rows of one cell */
  uint64_t bytes;   /* held from the world's allocator */
  uint64_t builds;  /* that succeeded */
  double suggested; /* a cell that suits what was asked; 0: there is nothing
                          to say */
} ecs_GridStatistics;

/* Counts. Returns ECS_OK or ECS_E_MEMORY. Cost: every row, and their order. */
ECS_API ecs_Status ecs_grid_statistics(ecs_Grid *grid,
                                       ecs_GridStatistics *statistics);

/* The same in words, as lines of text (rule "Text" of ecs.h). */
ECS_API size_t ecs_grid_explain(ecs_Grid *grid, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
