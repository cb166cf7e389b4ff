/* grid_build.c: copies the rows of a query to the places of their cells. */
#include "query/grid_build.h"

#include <math.h>
#include <string.h>

#include "query/grid_fresh.h"

/* Rows whose cells are found at once. */
#define CHUNK 256u

/* Positions ------------------------------------------------------------- */

/* A few rows of a span: where they are, and in which buckets. */
typedef struct Chunk {
  double at[3][CHUNK];
  uint64_t lines[CHUNK];
  uint32_t buckets[CHUNK];
} Chunk;

/* Copies numbers of one type, of count rows of a span from position first on. */
#define LOAD(c_type)                                             \
  do {                                                           \
    const c_type *from = (const c_type *)(const void *)elements; \
    if (rows->is_run)                                            \
      for (uint32_t i = 0; i < count; i++)                       \
        to[i] = (double)from[rows->first + first + i];           \
    else                                                         \
      for (uint32_t i = 0; i < count; i++)                       \
        to[i] = (double)from[rows->rows[first + i]];             \
  } while (0)

static void load_numbers(ecs_Scalar type, const char *elements,
                         const SpanRows *rows, uint32_t first, uint32_t count,
                         double *to) {
  switch (type) {
    case ECS_F32: LOAD(float); break;
    case ECS_F64: LOAD(double); break;
    case ECS_I8: LOAD(int8_t); break;
    case ECS_U8: LOAD(uint8_t); break;
    case ECS_I16: LOAD(int16_t); break;
    case ECS_U16: LOAD(uint16_t); break;
    case ECS_I32: LOAD(int32_t); break;
    default: LOAD(uint32_t); break;
  }
}

/* Where the rows of a chunk are; NaN where they lack the component. */
static void load_positions(const ecs_Grid *grid, const SpanRows *rows,
                           uint32_t first, uint32_t count, Chunk *chunk) {
  const ecs_Query *query = grid->query;
  uint32_t column = query->terms[grid->term].first_column;
  for (uint32_t d = 0; d < grid->dimensions; d++) {
    const char *elements = span_column(query, column + grid->fields[d], rows);
    if (elements != NULL)
      load_numbers(grid->types[d], elements, rows, first, count, chunk->at[d]);
    for (uint32_t i = 0; elements == NULL && i < count; i++)
      chunk->at[d][i] = (double)NAN;
  }
}

/* Finds the buckets of a chunk; behind the last one for what is not finite. */
static void find_buckets(const ecs_Grid *grid, uint32_t mask, uint32_t count,
                         Chunk *chunk) {
  const double *x = chunk->at[0], *y = chunk->at[1], *z = chunk->at[2];
  const double inverse = grid->inverse;
  const bool flat = grid->dimensions == 2;
  for (uint32_t i = 0; i < count; i++) {
    double third = flat ? 0 : z[i];
    bool finite = x[i] - x[i] == 0 && y[i] - y[i] == 0 && third - third == 0;
    uint64_t line = ecs_grid_line(ecs_grid_cell(y[i], inverse),
                                  ecs_grid_cell(third, inverse));
    uint32_t bucket = ecs_grid_bucket(ecs_grid_cell(x[i], inverse), line, mask);
    chunk->buckets[i] = finite ? bucket : mask + 1;
  }
}

/* The lines of a chunk alone; those of rows without a cell mean nothing. */
static void find_lines(const ecs_Grid *grid, uint32_t count, Chunk *chunk) {
  const double *y = chunk->at[1], *z = chunk->at[2];
  const double inverse = grid->inverse;
  if (grid->dimensions == 2)
    for (uint32_t i = 0; i < count; i++)
      chunk->lines[i] = ecs_grid_line(ecs_grid_cell(y[i], inverse), 0);
  else
    for (uint32_t i = 0; i < count; i++)
      chunk->lines[i] = ecs_grid_line(ecs_grid_cell(y[i], inverse),
                                      ecs_grid_cell(z[i], inverse));
}

/* Building -------------------------------------------------------------- */

/* Counts the rows of each bucket, in starts behind that of the bucket, and writes
 * the buckets of all rows to ranks. */
static void count_rows(const ecs_Grid *grid, uint32_t mask) {
  const ecs_Query *query = grid->query;
  uint32_t group_index = query->terms[grid->term].group_index;
  uint32_t *starts = grid->starts.data, *ranks = grid->ranks.data;
  Chunk chunk;
  memset(starts, 0, (size_t)(mask + 3) * sizeof *starts);
  for (uint32_t span = 0; span < query_span_count(query); span++) {
    SpanRows rows = query_span_rows(query, span, group_index);
    for (uint32_t k = 0; k < rows.count; k += CHUNK) {
      uint32_t count = rows.count - k < CHUNK ? rows.count - k : CHUNK;
      load_positions(grid, &rows, k, count, &chunk);
      find_buckets(grid, mask, count, &chunk);
      for (uint32_t i = 0; i < count; i++) {
        starts[chunk.buckets[i] + 1]++;
        *ranks++ = chunk.buckets[i];
      }
    }
  }
}

/* Turns buckets into places. Afterwards starts[k] is where bucket k begins.
 * Returns the rows that have a cell. */
static uint32_t place_rows(const ecs_Grid *grid, uint32_t mask, uint32_t rows) {
  uint32_t *starts = grid->starts.data, *ranks = grid->ranks.data;
  uint32_t next = 0, placed = 0;
  for (uint32_t k = 1; k < mask + 3; k++) {
    uint32_t count = starts[k];
    if (k == mask + 2) placed = next;
    starts[k] = next;
    next += count;
  }
  ECS_ASSERT(next == rows);
  for (uint32_t i = 0; i < rows; i++) ranks[i] = starts[ranks[i] + 1]++;
  return placed;
}

static void write_positions(const ecs_Grid *grid, const SpanRows *rows,
                            const uint32_t *ranks) {
  uint64_t *lines = grid->arrays[GRID_LINES].data;
  Chunk chunk;
  for (uint32_t k = 0; k < rows->count; k += CHUNK) {
    uint32_t count = rows->count - k < CHUNK ? rows->count - k : CHUNK;
    load_positions(grid, rows, k, count, &chunk);
    find_lines(grid, count, &chunk);
    for (uint32_t i = 0; i < count; i++) lines[ranks[k + i]] = chunk.lines[i];
    for (uint32_t d = 0; d < grid->dimensions; d++) {
      double *to = grid->arrays[GRID_POSITIONS + d].data;
      for (uint32_t i = 0; i < count; i++) to[ranks[k + i]] = chunk.at[d][i];
    }
  }
}

/* Copies elements of one size to their places. */
#define WRITE(c_type)                                            \
  do {                                                           \
    const c_type *from = (const c_type *)(const void *)elements; \
    c_type *to = (c_type *)data;                                 \
    if (rows->is_run)                                            \
      for (uint32_t i = 0; i < rows->count; i++)                 \
        to[ranks[i]] = from[rows->first + i];                    \
    else                                                         \
      for (uint32_t i = 0; i < rows->count; i++)                 \
        to[ranks[i]] = from[rows->rows[i]];                      \
  } while (0)

static void write_elements(const char *elements, uint32_t shift,
                           const SpanRows *rows, const uint32_t *ranks,
                           void *data) {
  switch (shift) {
    case 0: WRITE(uint8_t); break;
    case 1: WRITE(uint16_t); break;
    case 2: WRITE(uint32_t); break;
    default: WRITE(uint64_t); break;
  }
}

static void write_columns(const ecs_Grid *grid, uint32_t span,
                          const uint32_t *ranks) {
  const ecs_Query *query = grid->query;
  for (uint32_t i = 0; i < query->column_count; i++) {
    const QueryColumn *column = &query->columns[i];
    SpanRows rows =
        query_span_rows(query, span, query->terms[column->term].group_index);
    const char *elements = span_column(query, i, &rows);
    if (elements != NULL)
      write_elements(elements, column->shift, &rows, ranks,
                     grid_column(grid, i)->data);
  }
}

static void write_presence(const ecs_Grid *grid, uint32_t span,
                           const uint32_t *ranks) {
  const ecs_Query *query = grid->query;
  uint32_t number = 0;
  for (uint32_t t = 0; t < query->term_count; t++) {
    const QueryTerm *term = &query->terms[t];
    if (!grid_is_optional(term)) continue;
    SpanRows rows = query_span_rows(query, span, term->group_index);
    uint8_t *to = grid_presence(grid, number++)->data;
    uint8_t has = span_has(&rows, term);
    for (uint32_t i = 0; i < rows.count; i++) to[ranks[i]] = has;
  }
}

/* Copies everything to its place. */
static void write_rows(const ecs_Grid *grid) {
  const ecs_Query *query = grid->query;
  uint32_t group_index = query->terms[grid->term].group_index;
  const uint32_t *ranks = grid->ranks.data;
  ecs_Entity *entities = grid->arrays[GRID_ENTITIES].data;
  for (uint32_t k = 0; k < query_span_count(query); k++) {
    SpanRows rows = query_span_rows(query, k, group_index);
    Span span = query_span(query, k);
    write_positions(grid, &rows, ranks);
    for (uint32_t i = 0; i < span.count; i++)
      entities[ranks[i]] = span_entity(&span, i);
    write_columns(grid, k, ranks);
    write_presence(grid, k, ranks);
    ranks += span.count;
  }
}

/* The smallest power of two that is not below rows, less one. */
static uint32_t mask_for(uint32_t rows) {
  uint32_t buckets = 1;
  while (buckets < rows) buckets *= 2;
  return buckets - 1;
}

ecs_Status grid_build(ecs_Grid *grid) {
  ecs_Query *query = grid->query;
  ecs_Status status = query_prepare(query);
  if (status != ECS_OK) return status;
  uint32_t rows = (uint32_t)query_count(query);
  uint32_t mask = mask_for(rows);
  status = grid_watch_tables(grid);
  if (status == ECS_OK) status = grid_reserve(grid, rows, mask);
  if (status != ECS_OK) return status;
  count_rows(grid, mask);
  grid->count = place_rows(grid, mask, rows);
  grid->mask = mask;
  write_rows(grid);
  grid->ordered = false;
  grid->built = true;
  grid->builds++;
  grid_seen(grid);
  ECS_ASSERT(grid_check_invariants(grid));
  return ECS_OK;
}

/* Checks ---------------------------------------------------------------- */

/* Is a row in the bucket of its position? */
static bool check_row(const ecs_Grid *grid, uint32_t bucket, uint32_t row) {
  int32_t y = grid_row_cell(grid, row, 1);
  int32_t z = grid->dimensions == 2 ? 0 : grid_row_cell(grid, row, 2);
  uint64_t line = ecs_grid_line(y, z);
  return grid_lines(grid)[row] == line && grid_entities(grid)[row] != 0 &&
         ecs_grid_bucket(grid_row_cell(grid, row, 0), line, grid->mask) ==
             bucket;
}

bool grid_check_invariants(const ecs_Grid *grid) {
  const uint32_t *starts = grid_starts(grid);
  if (starts[0] != 0 || starts[grid->mask + 1] != grid->count) return false;
  for (uint32_t bucket = 0; bucket <= grid->mask; bucket++) {
    if (starts[bucket] > starts[bucket + 1]) return false;
    for (uint32_t row = starts[bucket]; row < starts[bucket + 1]; row++)
      if (!check_row(grid, bucket, row)) return false;
  }
  return true;
}
