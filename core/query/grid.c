/* grid.c: copies of a query's rows in the order of cells: life. */
#include "query/grid.h"

static Memory *memory_of(const ecs_Grid *grid) {
  return &grid->query->store->memory;
}

/* Arrays ---------------------------------------------------------------- */

static uint32_t count_optional(const ecs_Query *query) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < query->term_count; i++)
    count += grid_is_optional(&query->terms[i]);
  return count;
}

/* Writes the element sizes of all arrays. */
static void lay_arrays(ecs_Grid *grid) {
  const ecs_Query *query = grid->query;
  grid->arrays[GRID_ENTITIES].bytes = sizeof(ecs_Entity);
  grid->arrays[GRID_LINES].bytes = sizeof(uint64_t);
  for (uint32_t d = 0; d < grid->dimensions; d++)
    grid->arrays[GRID_POSITIONS + d].bytes = sizeof(double);
  for (uint32_t i = 0; i < query->column_count; i++)
    grid_column(grid, i)->bytes = 1u << query->columns[i].shift;
  for (uint32_t i = 0; i < count_optional(query); i++)
    grid_presence(grid, i)->bytes = sizeof(uint8_t);
  grid->starts.bytes = sizeof(uint32_t);
  grid->ranks.bytes = sizeof(uint32_t);
  grid->order.bytes = sizeof(uint32_t);
}

ecs_Status grid_reserve_array(const ecs_Grid *grid, GridArray *array,
                              uint32_t needed) {
  bool done = memory_ensure(memory_of(grid), &array->data, &array->capacity,
                            needed, array->bytes);
  return done ? ECS_OK : ECS_E_MEMORY;
}

/* Writes where positions and columns lie now. */
static void point_at_arrays(ecs_Grid *grid) {
  for (uint32_t d = 0; d < grid->dimensions; d++)
    grid->positions[d] = grid->arrays[GRID_POSITIONS + d].data;
  for (uint32_t i = 0; i < grid->query->column_count; i++)
    grid->columns[i] = grid_column(grid, i)->data;
}

ecs_Status grid_reserve(ecs_Grid *grid, uint32_t rows, uint32_t mask) {
  ecs_Status status = grid_reserve_array(grid, &grid->starts, mask + 3);
  if (status == ECS_OK) status = grid_reserve_array(grid, &grid->ranks, rows);
  for (uint32_t i = 0; status == ECS_OK && i < grid->array_count; i++)
    status = grid_reserve_array(grid, &grid->arrays[i], rows);
  point_at_arrays(grid);
  return status;
}

static void free_array(const ecs_Grid *grid, const GridArray *array) {
  memory_free(memory_of(grid), array->data,
              (size_t)array->capacity * array->bytes);
}

static uint64_t array_bytes(const GridArray *array) {
  return (uint64_t)array->capacity * array->bytes;
}

static size_t pointers_bytes(const ecs_Grid *grid) {
  return (size_t)(grid->query->column_count + 1) * sizeof(void *);
}

uint64_t grid_bytes(const ecs_Grid *grid) {
  uint64_t bytes = sizeof(ecs_Grid) + pointers_bytes(grid) +
                   grid->array_count * sizeof(GridArray);
  for (uint32_t i = 0; i < grid->array_count; i++)
    bytes += array_bytes(&grid->arrays[i]);
  return bytes + array_bytes(&grid->starts) + array_bytes(&grid->ranks) +
         array_bytes(&grid->order);
}

/* Life ------------------------------------------------------------------ */

static void free_grid(ecs_Grid *grid) {
  Memory *memory = memory_of(grid);
  for (uint32_t i = 0; grid->arrays != NULL && i < grid->array_count; i++)
    free_array(grid, &grid->arrays[i]);
  free_array(grid, &grid->starts);
  free_array(grid, &grid->ranks);
  free_array(grid, &grid->order);
  memory_free(memory, grid->arrays, grid->array_count * sizeof(GridArray));
  memory_free(memory, (void *)grid->columns, pointers_bytes(grid));
  memory_free(memory, grid, sizeof(ecs_Grid));
}

static void describe(ecs_Grid *grid, ecs_Query *query,
                     const ecs_GridDescription *description) {
  const QueryTerm *term = &query->terms[description->term];
  grid->query = query;
  grid->dimensions = description->dimensions;
  grid->term = description->term;
  grid->cell = description->cell;
  grid->inverse = 1 / description->cell;
  for (uint32_t d = 0; d < grid->dimensions; d++) {
    uint32_t field = description->fields[d];
    grid->fields[d] = field;
    grid->types[d] =
        (ecs_Scalar)query->columns[term->first_column + field].type;
  }
  grid->array_count = GRID_POSITIONS + grid->dimensions + query->column_count +
                      count_optional(query);
}

ecs_Status grid_create(ecs_Query *query, const ecs_GridDescription *description,
                       ecs_Grid **created) {
  Memory *memory = &query->store->memory;
  ecs_Grid *grid = memory_zeroed(memory, 1, sizeof(ecs_Grid));
  if (grid == NULL) return ECS_E_MEMORY;
  describe(grid, query, description);
  grid->arrays = memory_zeroed(memory, grid->array_count, sizeof(GridArray));
  grid->columns =
      memory_zeroed(memory, query->column_count + 1, sizeof(void *));
  ecs_Status status = ECS_E_MEMORY;
  if (grid->arrays != NULL && grid->columns != NULL) {
    lay_arrays(grid);
    status = grid_reserve(grid, 0, 0);
  }
  if (status != ECS_OK) {
    free_grid(grid);
    return status;
  }
  grid->next = query->grids;
  query->grids = grid;
  *created = grid;
  return ECS_OK;
}

/* Watches the components that a build reads, or no longer. */
static void set_watches(const ecs_Grid *grid, bool watches) {
  const ecs_Query *query = grid->query;
  void (*change)(Store *, ecs_Component, bool) =
      watches ? store_watch : store_unwatch;
  for (uint32_t i = 0; i < query->term_count; i++)
    if (query->terms[i].column_count > 0)
      change(query->store, query->terms[i].component, true);
}

void grid_watch(ecs_Grid *grid) {
  if (grid->watches) return;
  set_watches(grid, true);
  grid->watches = true;
}

void grid_destroy(ecs_Grid *grid) {
  ecs_Grid **link = &grid->query->grids;
  while (*link != grid) link = &(*link)->next;
  *link = grid->next;
  if (grid->watches) set_watches(grid, false);
  free_grid(grid);
}
