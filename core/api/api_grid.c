/* api_grid.c: the border for grids. */
#define ECS_DEFINES_API /* ecs.h */

#include "api/api_grid.h"
#include "base/misuse.h"
#include "query/grid_build.h"
#include "query/grid_fresh.h"
#include "query/grid_nearest.h"
#include "query/grid_report.h"
#include "query/grid_walk.h"
#include "world/world.h"

#define MUST_LIVE(grid) ECS_MUST_LIVE(GRID, grid)

/* Life ------------------------------------------------------------------ */

static bool is_number(ecs_Scalar type) { return type < ECS_BOOL; }

/* ECS_E_ARGUMENT: no such term, or dimensions or a cell that cannot be. */
static ecs_Status check_shape(const ecs_Query *query,
                              const ecs_GridDescription *description) {
  if (description->term >= query->term_count) return ECS_E_ARGUMENT;
  const QueryTerm *term = &query->terms[description->term];
  double cell = description->cell, inverse = 1 / cell;
  bool possible = cell > 0 && cell - cell == 0 && inverse - inverse == 0;
  bool placed = term->column_count > 0 && access_is_own(term->access);
  bool flat = description->dimensions == 2 || description->dimensions == 3;
  return possible && placed && flat ? ECS_OK : ECS_E_ARGUMENT;
}

/* ECS_E_FIELD: no such field, or one that is no number. */
static ecs_Status check_fields(const ecs_Query *query,
                               const ecs_GridDescription *description) {
  const QueryTerm *term = &query->terms[description->term];
  for (uint32_t d = 0; d < description->dimensions; d++) {
    uint32_t field = description->fields[d];
    if (field >= term->column_count) return ECS_E_FIELD;
    uint32_t type = query->columns[term->first_column + field].type;
    if (!is_number((ecs_Scalar)type)) return ECS_E_FIELD;
  }
  return ECS_OK;
}

ecs_Status ecs_grid_create(ecs_Query *query,
                           const ecs_GridDescription *description,
                           ecs_Grid **grid) {
  ECS_MUST_LIVE(QUERY, query);
  if (description == NULL || grid == NULL) return ECS_E_ARGUMENT;
  if (query->picked != NULL && query->picked->changed_count > 0)
    return ECS_E_ARGUMENT;
  ecs_Status status = check_shape(query, description);
  if (status == ECS_OK) status = check_fields(query, description);
  if (status == ECS_OK) status = grid_create(query, description, grid);
  if (status == ECS_OK) LIVING_ENTER(GRID, *grid);
  return status;
}

void ecs_grid_destroy(ecs_Grid *grid) {
  if (grid == NULL) return;
  MUST_LIVE(grid);
  LIVING_LEAVE(GRID, grid);
  grid_destroy(grid);
}

void api_grids_free(ecs_Query *query) {
  while (query->grids != NULL) ecs_grid_destroy(query->grids);
}

/* Building -------------------------------------------------------------- */

ecs_Status ecs_grid_build(ecs_Grid *grid) {
  MUST_LIVE(grid);
  ecs_World *world = world_of(grid->query);
  ecs_Component contested = world->depth == 0 ? 0 : grid_contested(grid);
  return contested == 0 ? grid_build(grid)
                        : world_refuse_access(world, contested);
}

ecs_Status ecs_grid_refresh(ecs_Grid *grid, bool *built) {
  MUST_LIVE(grid);
  if (built != NULL) *built = false;
  if (grid_is_fresh(grid)) return ECS_OK;
  grid_watch(grid);
  ecs_Status status = ecs_grid_build(grid);
  if (built != NULL) *built = status == ECS_OK;
  return status;
}

/* Reading --------------------------------------------------------------- */

void ecs_grid_rows(const ecs_Grid *grid, ecs_GridRows *rows) {
  MUST_LIVE(grid);
  ECS_MISUSE_IF(rows == NULL, "rows is NULL");
  *rows = (ecs_GridRows){.count = grid->count,
                         .column_count = grid->query->column_count,
                         .entities = grid_entities(grid),
                         .columns = grid->columns,
                         .positions = grid->positions,
                         .lines = grid_lines(grid),
                         .starts = grid_starts(grid),
                         .mask = grid->mask,
                         .dimensions = grid->dimensions,
                         .inverse = grid->inverse};
}

bool ecs_grid_has(const ecs_Grid *grid, uint32_t term, uint32_t row) {
  MUST_LIVE(grid);
  const ecs_Query *query = grid->query;
  ECS_MISUSE_IF(term >= query->term_count || row >= grid->count,
                "there is no such term, or no such row");
  uint32_t number = 0;
  if (!grid_is_optional(&query->terms[term])) return true;
  for (uint32_t t = 0; t < term; t++)
    number += grid_is_optional(&query->terms[t]);
  return ((const uint8_t *)grid_presence(grid, number)->data)[row] != 0;
}

/* Asking ---------------------------------------------------------------- */

static GridWalk *walk_of(ecs_GridCursor *cursor) {
  return (GridWalk *)(void *)cursor;
}

/* Makes the order that a wide walk needs. */
static ecs_Status begin(ecs_Grid *grid, GridWalk *walk) {
  ecs_Status status =
      walk->grid != NULL && walk->wide ? grid_make_order(grid) : ECS_OK;
  if (status != ECS_OK) walk->grid = NULL;
  return status;
}

ecs_Status ecs_grid_within(ecs_Grid *grid, const double *point, double radius,
                           ecs_GridCursor *cursor) {
  MUST_LIVE(grid);
  if (point == NULL || cursor == NULL) return ECS_E_ARGUMENT;
  grid_ask(grid, radius);
  grid_walk_ball(grid, point, radius, walk_of(cursor));
  return begin(grid, walk_of(cursor));
}

ecs_Status ecs_grid_box(ecs_Grid *grid, const double *low, const double *high,
                        ecs_GridCursor *cursor) {
  MUST_LIVE(grid);
  if (low == NULL || high == NULL || cursor == NULL) return ECS_E_ARGUMENT;
  grid_walk_box(grid, low, high, walk_of(cursor));
  return begin(grid, walk_of(cursor));
}

ecs_Status ecs_grid_pairs(ecs_Grid *grid, double radius,
                          ecs_GridCursor *cursor) {
  MUST_LIVE(grid);
  if (cursor == NULL) return ECS_E_ARGUMENT;
  grid_ask(grid, radius);
  grid_walk_pairs(grid, radius, walk_of(cursor));
  ecs_Status status = grid_make_order(grid);
  if (status != ECS_OK) walk_of(cursor)->grid = NULL;
  return status;
}

uint32_t ecs_grid_next(ecs_GridCursor *cursor, uint32_t *rows,
                       uint32_t capacity) {
  ECS_MISUSE_IF(cursor == NULL || (rows == NULL && capacity > 0),
                "cursor or rows is NULL");
  if (walk_of(cursor)->grid != NULL) MUST_LIVE(walk_of(cursor)->grid);
  return grid_walk_next(walk_of(cursor), rows, capacity);
}

uint32_t ecs_grid_next_pairs(ecs_GridCursor *cursor, uint32_t *rows,
                             uint32_t *others, uint32_t capacity) {
  ECS_MISUSE_IF(cursor == NULL, "cursor is NULL");
  ECS_MISUSE_IF((rows == NULL || others == NULL) && capacity > 0,
                "rows or others is NULL");
  if (walk_of(cursor)->grid != NULL) MUST_LIVE(walk_of(cursor)->grid);
  return grid_walk_next_pairs(walk_of(cursor), rows, others, capacity);
}

uint32_t ecs_grid_count(ecs_Grid *grid, const double *point, double radius) {
  MUST_LIVE(grid);
  ECS_MISUSE_IF(point == NULL, "point is NULL");
  GridWalk walk;
  grid_ask(grid, radius);
  grid_walk_ball(grid, point, radius, &walk);
  return grid_walk_count(&walk);
}

bool ecs_grid_any(ecs_Grid *grid, const double *point, double radius,
                  ecs_Entity except) {
  MUST_LIVE(grid);
  ECS_MISUSE_IF(point == NULL, "point is NULL");
  grid_ask(grid, radius);
  return grid_any(grid, point, radius, except);
}

uint32_t ecs_grid_nearest(const ecs_Grid *grid, const double *point,
                          double radius, ecs_Entity except, double *square) {
  MUST_LIVE(grid);
  ECS_MISUSE_IF(point == NULL, "point is NULL");
  return grid_nearest(grid, point, radius, except, square);
}

/* Counting -------------------------------------------------------------- */

ecs_Status ecs_grid_statistics(ecs_Grid *grid, ecs_GridStatistics *statistics) {
  MUST_LIVE(grid);
  if (statistics == NULL) return ECS_E_ARGUMENT;
  ecs_Status status = grid_make_order(grid);
  if (status == ECS_OK) grid_count_cells(grid, statistics);
  return status;
}

size_t ecs_grid_explain(ecs_Grid *grid, char *text, size_t capacity) {
  ecs_GridStatistics statistics;
  if (text == NULL) capacity = 0;
  Text out = {text, capacity, 0};
  if (ecs_grid_statistics(grid, &statistics) == ECS_OK)
    grid_say(grid, &statistics, &out);
  else
    text_say(&out, "not counted: out of memory\n");
  return out.length;
}
