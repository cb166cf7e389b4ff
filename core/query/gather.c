/* gather.c: copies of columns with rows that do not follow each other. */
#include "query/gather.h"

/* Scratches ------------------------------------------------------------- */

static size_t lines(size_t bytes) {
  return (bytes + ECS_LINE_BYTES - 1) / ECS_LINE_BYTES * ECS_LINE_BYTES;
}

/* Without a skew, full blocks would start a multiple of a page apart, and loads
 * from one would wait for stores to another: 3.0 instead of 2.7 ns per match of
 * a kernel that moves two fields. */
#define DATA_SKEW (5u * ECS_LINE_BYTES)

static size_t data_bytes(const ecs_Query *query, uint32_t column) {
  return lines((size_t)ECS_BLOCK_ROWS << query->columns[column].shift) +
         DATA_SKEW;
}

/* One allocation: the record, pointers, sources, entities, data. */
static Scratch *scratch_create(const ecs_Query *query) {
  uint32_t count = query->column_count;
  size_t head =
      sizeof(Scratch) + count * (2 * sizeof(void *) + sizeof(ColumnSource));
  size_t bytes =
      lines(head) + ECS_LINE_BYTES + lines(ECS_BLOCK_ROWS * sizeof(ecs_Entity));
  for (uint32_t i = 0; i < count; i++) bytes += data_bytes(query, i);
  Scratch *scratch = memory_zeroed(&query->store->memory, 1, bytes);
  if (scratch == NULL) return NULL;
  scratch->block_bytes = bytes;
  scratch->columns = (void **)(void *)(scratch + 1);
  scratch->data = (char **)(void *)(scratch->columns + count);
  scratch->sources = (ColumnSource *)(void *)(scratch->data + count);
  uintptr_t end = (uintptr_t)(scratch->sources + count);
  char *next = (char *)(end + (ECS_LINE_BYTES - end % ECS_LINE_BYTES));
  scratch->entities = (ecs_Entity *)(void *)next;
  next += lines(ECS_BLOCK_ROWS * sizeof(ecs_Entity));
  for (uint32_t i = 0; i < count; i++) {
    scratch->data[i] = next;
    next += data_bytes(query, i);
  }
  ECS_ASSERT(next <= (char *)scratch + bytes);
  return scratch;
}

Scratch *scratch_take(ecs_Query *query) {
  Scratch *scratch = query->scratches;
  while (scratch != NULL && scratch->taken) scratch = scratch->next;
  if (scratch == NULL) {
    scratch = scratch_create(query);
    if (scratch == NULL) return NULL;
    scratch->next = query->scratches;
    query->scratches = scratch;
  }
  scratch->taken = true;
  return scratch;
}

void scratch_free_all(ecs_Query *query) {
  while (query->scratches != NULL) {
    Scratch *scratch = query->scratches;
    query->scratches = scratch->next;
    memory_free(&query->store->memory, scratch, scratch->block_bytes);
  }
}

bool scratch_check_invariants(const ecs_Query *query) {
  uint32_t taken = 0;
  for (const Scratch *s = query->scratches; s != NULL; s = s->next)
    taken += s->taken;
  return taken == query->open;
}

/* Elements -------------------------------------------------------------- */

/* One element at a time: a cycle for each store. The gather and scatter
 * instructions of AVX-512 were tried and were slower (0.78 against 0.42 ns per
 * element of four bytes). */
#define DEFINE_TRANSFER(Cell)                                                  \
  static void gather_##Cell(Cell *restrict to, const Cell *restrict from,      \
                            const uint32_t *restrict rows, uint32_t count) {   \
    _Pragma("GCC unroll 8") for (uint32_t i = 0; i < count; i++) to[i] =       \
        from[rows[i]];                                                         \
  }                                                                            \
  static void scatter_##Cell(Cell *restrict to, const Cell *restrict from,     \
                             const uint32_t *restrict rows, uint32_t count) {  \
    _Pragma("GCC unroll 8") for (uint32_t i = 0; i < count; i++) to[rows[i]] = \
        from[i];                                                               \
  }

DEFINE_TRANSFER(Cell1)
DEFINE_TRANSFER(Cell2)
DEFINE_TRANSFER(Cell4)
DEFINE_TRANSFER(Cell8)

static void gather(void *to, const void *from, const uint32_t *rows,
                   uint32_t count, uint32_t shift) {
  switch (shift) {
    case 0: gather_Cell1(to, from, rows, count); break;
    case 1: gather_Cell2(to, from, rows, count); break;
    case 2: gather_Cell4(to, from, rows, count); break;
    default: gather_Cell8(to, from, rows, count); break;
  }
}

static void scatter(void *to, const void *from, const uint32_t *rows,
                    uint32_t count, uint32_t shift) {
  switch (shift) {
    case 0: scatter_Cell1(to, from, rows, count); break;
    case 1: scatter_Cell2(to, from, rows, count); break;
    case 2: scatter_Cell4(to, from, rows, count); break;
    default: scatter_Cell8(to, from, rows, count); break;
  }
}

/* Copies two columns of four bytes at the same rows, and reads the row numbers
 * only once. */
static void gather_two(char *const *to, const ColumnSource *from,
                       const uint32_t *restrict rows, uint32_t count) {
  Cell4 *restrict first = (Cell4 *)(void *)to[0];
  Cell4 *restrict second = (Cell4 *)(void *)to[1];
  const Cell4 *restrict x = (const Cell4 *)(void *)from[0].column;
  const Cell4 *restrict y = (const Cell4 *)(void *)from[1].column;
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    first[i] = x[rows[i]];
    second[i] = y[rows[i]];
  }
}

static void scatter_two(const ColumnSource *to, char *const *from,
                        const uint32_t *restrict rows, uint32_t count) {
  Cell4 *restrict x = (Cell4 *)(void *)to[0].column;
  Cell4 *restrict y = (Cell4 *)(void *)to[1].column;
  const Cell4 *restrict first = (const Cell4 *)(void *)from[0];
  const Cell4 *restrict second = (const Cell4 *)(void *)from[1];
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    x[rows[i]] = first[i];
    y[rows[i]] = second[i];
  }
}

/* One span -------------------------------------------------------------- */

static bool is_gathered(const ColumnSource *source) {
  return source->column != NULL && source->rows != NULL;
}

/* Are this gathered column and the next both of four bytes and of one term?
 * Only columns of one term are at the same rows. */
static bool is_pair(const ecs_Query *query, uint32_t column) {
  const QueryColumn *first = query->columns + column;
  return column + 1 < query->column_count && first[0].term == first[1].term &&
         first[0].shift == 2 && first[1].shift == 2;
}

/* Copies one column of the slice, or a pair; returns how many. */
static uint32_t gather_next(const ecs_Query *query, const Scratch *scratch,
                            uint32_t column, uint32_t first, uint32_t count) {
  const ColumnSource *from = scratch->sources + column;
  const uint32_t *rows = from->rows + first;
  char *const *to = scratch->data + column;
  if (is_pair(query, column)) {
    ECS_ASSERT(from[0].rows == from[1].rows && from[1].column != NULL);
    gather_two(to, from, rows, count);
    return 2;
  }
  gather(to[0], from->column, rows, count, query->columns[column].shift);
  return 1;
}

static uint32_t scatter_next(const ecs_Query *query, const Scratch *scratch,
                             uint32_t column, uint32_t first, uint32_t count) {
  const ColumnSource *to = scratch->sources + column;
  const uint32_t *rows = to->rows + first;
  char *const *from = scratch->data + column;
  if (is_pair(query, column)) {
    ECS_ASSERT(to[0].rows == to[1].rows && to[1].column != NULL);
    scatter_two(to, from, rows, count);
    return 2;
  }
  scatter(to->column, from[0], rows, count, query->columns[column].shift);
  return 1;
}

void gather_slice(const ecs_Query *query, Scratch *scratch, uint32_t first,
                  uint32_t count) {
  ECS_ASSERT(count <= ECS_BLOCK_ROWS);
  for (uint32_t i = 0; i < query->column_count;) {
    const ColumnSource *source = &scratch->sources[i];
    if (is_gathered(source)) {
      uint32_t copied = gather_next(query, scratch, i, first, count);
      for (; copied > 0; copied--, i++) scratch->columns[i] = scratch->data[i];
    } else {
      size_t offset = (size_t)first << query->columns[i].shift;
      bool present = source->column != NULL;
      scratch->columns[i++] = present ? source->column + offset : NULL;
    }
  }
}

void scatter_slice(const ecs_Query *query, const Scratch *scratch,
                   uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < query->column_count;) {
    if (query->columns[i].written && is_gathered(&scratch->sources[i]))
      i += scatter_next(query, scratch, i, first, count);
    else
      i++;
  }
}

void gather_entities(const Scratch *scratch, const ecs_Entity *entities,
                     const uint32_t *rows, uint32_t count) {
  ECS_ASSERT(count <= ECS_BLOCK_ROWS);
  gather(scratch->entities, entities, rows, count, 3);
}

/* Several spans --------------------------------------------------------- */

/* Copies one column of all the spans. An empty span may be a table without a
 * slab. */
static void gather_column(const ecs_Query *query, const Scratch *scratch,
                          uint32_t column, uint32_t first, uint32_t count) {
  uint32_t shift = query->columns[column].shift;
  uint32_t group = query->terms[query->columns[column].term].group_index;
  char *to = scratch->data[column];
  for (uint32_t i = first; i < first + count; i++) {
    SpanRows rows = query_span_rows(query, i, group);
    if (rows.count == 0) continue;
    const char *from = span_column(query, column, &rows);
    if (rows.is_run)
      memcpy(to, from + ((size_t)rows.first << shift),
             (size_t)rows.count << shift);
    else
      gather(to, from, rows.rows, rows.count, shift);
    to += (size_t)rows.count << shift;
  }
}

static void scatter_column(const ecs_Query *query, const Scratch *scratch,
                           uint32_t column, uint32_t first, uint32_t count) {
  uint32_t shift = query->columns[column].shift;
  uint32_t group = query->terms[query->columns[column].term].group_index;
  const char *from = scratch->data[column];
  for (uint32_t i = first; i < first + count; i++) {
    SpanRows rows = query_span_rows(query, i, group);
    if (rows.count == 0) continue;
    char *to = span_column(query, column, &rows);
    if (rows.is_run)
      memcpy(to + ((size_t)rows.first << shift), from,
             (size_t)rows.count << shift);
    else
      scatter(to, from, rows.rows, rows.count, shift);
    from += (size_t)rows.count << shift;
  }
}

/* An optional component is present in all of the spans or in none. */
void gather_spans(const ecs_Query *query, Scratch *scratch, uint32_t first,
                  uint32_t count) {
  for (uint32_t i = 0; i < query->column_count; i++) {
    const QueryTerm *term = &query->terms[query->columns[i].term];
    SpanRows rows = query_span_rows(query, first, term->group_index);
    bool present = span_has(&rows, term);
    scratch->columns[i] = present ? scratch->data[i] : NULL;
    if (present) gather_column(query, scratch, i, first, count);
  }
}

void scatter_spans(const ecs_Query *query, const Scratch *scratch,
                   uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < query->column_count; i++)
    if (query->columns[i].written && scratch->columns[i] != NULL)
      scatter_column(query, scratch, i, first, count);
}

void gather_span_entities(const ecs_Query *query, const Scratch *scratch,
                          uint32_t first, uint32_t count) {
  ecs_Entity *to = scratch->entities;
  for (uint32_t i = first; i < first + count; i++) {
    Span span = query_span(query, i);
    for (uint32_t k = 0; k < span.count; k++) *to++ = span_entity(&span, k);
  }
  ECS_ASSERT(to <= scratch->entities + ECS_BLOCK_ROWS);
}
