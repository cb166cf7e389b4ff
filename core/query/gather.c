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

/* One allocation: the record, pointers, sources. */
static Scratch *scratch_create(const ecs_Query *query) {
  uint32_t count = query->column_count;
  size_t bytes =
      sizeof(Scratch) + count * (2 * sizeof(void *) + sizeof(ColumnSource));
  Scratch *scratch = memory_zeroed(&query->store->memory, 1, bytes);
  if (scratch == NULL) return NULL;
  scratch->block_bytes = bytes;
  scratch->columns = (void **)(void *)(scratch + 1);
  scratch->data = (char **)(void *)(scratch->columns + count);
  scratch->sources = (ColumnSource *)(void *)(scratch->data + count);
  return scratch;
}

/* Makes room for copies: entities and data. False: no memory. */
static bool ensure_copies(const ecs_Query *query, Scratch *scratch) {
  size_t bytes = ECS_LINE_BYTES + lines(ECS_BLOCK_ROWS * sizeof(ecs_Entity));
  if (scratch->copies != NULL) return true;
  for (uint32_t i = 0; i < query->column_count; i++)
    bytes += data_bytes(query, i);
  scratch->copies = memory_zeroed(&query->store->memory, 1, bytes);
  if (scratch->copies == NULL) return false;
  scratch->copies_bytes = bytes;
  uintptr_t begin = (uintptr_t)scratch->copies;
  char *next = (char *)(begin + (ECS_LINE_BYTES - begin % ECS_LINE_BYTES));
  scratch->entities = (ecs_Entity *)(void *)next;
  next += lines(ECS_BLOCK_ROWS * sizeof(ecs_Entity));
  for (uint32_t i = 0; i < query->column_count; i++) {
    scratch->data[i] = next;
    next += data_bytes(query, i);
  }
  ECS_ASSERT(next <= (char *)scratch->copies + bytes);
  return true;
}

Scratch *scratch_take(ecs_Query *query, bool copies) {
  Scratch *scratch = query->scratches;
  while (scratch != NULL && scratch->taken) scratch = scratch->next;
  if (scratch == NULL) {
    scratch = scratch_create(query);
    if (scratch == NULL) return NULL;
    scratch->next = query->scratches;
    query->scratches = scratch;
  }
  if (copies && !ensure_copies(query, scratch)) return NULL;
  scratch->taken = true;
  scratch->pack_end = 0;
  return scratch;
}

void scratch_free_all(ecs_Query *query) {
  Memory *memory = &query->store->memory;
  while (query->scratches != NULL) {
    Scratch *scratch = query->scratches;
    query->scratches = scratch->next;
    memory_free(memory, scratch->copies, scratch->copies_bytes);
    memory_free(memory, scratch->pack, scratch->pack_capacity * sizeof(Cell8));
    memory_free(memory, scratch, scratch->block_bytes);
  }
}

bool scratch_check_invariants(const ecs_Query *query) {
  uint32_t taken = 0;
  for (const Scratch *s = query->scratches; s != NULL; s = s->next)
    taken += s->taken;
  return taken == query->open;
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

/* Targets --------------------------------------------------------------- */

/* Packing a row costs a third of what it saves when it is gathered. */
#define PACK_ROWS 2u

/* Finds the rows of targets that the spans from this one on have in common,
 * and the end of these spans. Returns whether packing them pays: rows in steps
 * are gathered without. */
static bool find_pack(const ecs_Query *query, Scratch *scratch, uint32_t span) {
  const RowList *list = query->list;
  const Block *first = &list->blocks[span];
  uint32_t low = first->low, high = first->high;
  uint64_t rows = 0;
  for (; span < list->block_count; span++) {
    const Block *block = &list->blocks[span];
    if (block->depth != first->depth || block->tables != first->tables) break;
    if (block->steps) continue;
    rows += block->count;
    if (block->low < low) low = block->low;
    if (block->high > high) high = block->high;
  }
  scratch->pack_end = span;
  scratch->pack_first = low;
  scratch->pack_rows = high - low + 1;
  return scratch->pack_rows <= PACK_ROWS * rows;
}

/* Is this gathered column the first of a pair of targets? */
static bool is_target_pair(const ecs_Query *query, const Scratch *scratch,
                           uint32_t column) {
  uint32_t group = query->terms[query->columns[column].term].group_index;
  return group == query->list->group_count - 1 && is_pair(query, column) &&
         is_gathered(&scratch->sources[column]);
}

/* Packs every pair of targets. Where there is no memory none is packed. */
static void pack_targets(const ecs_Query *query, Scratch *scratch) {
  uint32_t pairs = 0, rows = scratch->pack_rows;
  for (uint32_t i = 0; i < query->column_count; i++)
    if (is_target_pair(query, scratch, i)) i++, pairs++;
  if (pairs == 0 || (uint64_t)pairs * rows > UINT32_MAX ||
      (pairs * rows > scratch->pack_capacity &&
       !memory_grow(&query->store->memory, &scratch->pack,
                    &scratch->pack_capacity, 0, pairs * rows, sizeof(Cell8)))) {
    scratch->pack_rows = 0;
    return;
  }
  Cell8 *to = scratch->pack;
  size_t before = (size_t)scratch->pack_first * sizeof(Cell4);
  for (uint32_t i = 0; i < query->column_count; i++) {
    if (!is_target_pair(query, scratch, i)) continue;
    const ColumnSource *from = &scratch->sources[i++];
    pack_pair(to, (CellPair){from[0].column + before, from[1].column + before},
              rows);
    to += rows;
  }
}

/* Points at what is packed. */
static void use_pack(const ecs_Query *query, const Scratch *scratch) {
  const Cell8 *packed = scratch->pack;
  for (uint32_t i = 0; i < query->column_count; i++) {
    if (!is_target_pair(query, scratch, i)) continue;
    scratch->sources[i++].packed = packed;
    packed += scratch->pack_rows;
  }
}

/* Notes that the targets' rows are in steps. */
static void use_steps(const ecs_Query *query, const Scratch *scratch,
                      uint32_t span) {
  SpanRows rows = query_span_rows(query, span, query->list->group_count - 1);
  if (rows.table == NULL || rows.table->capacity < GATHER_WINDOW) return;
  for (uint32_t i = 0; i < query->column_count; i++)
    if (is_target_pair(query, scratch, i))
      scratch->sources[i++].room = rows.table->capacity;
}

void gather_open_targets(const ecs_Query *query, Scratch *scratch,
                         uint32_t span) {
  if (query->links == NULL || query->up_count == 0 ||
      query->list != &query->rows)
    return;
  if (query->list->blocks[span].steps) {
    use_steps(query, scratch, span);
    return;
  }
  if (span >= scratch->pack_end) {
    if (find_pack(query, scratch, span))
      pack_targets(query, scratch);
    else
      scratch->pack_rows = 0;
  }
  if (scratch->pack_rows > 0) use_pack(query, scratch);
}

/* Slices ---------------------------------------------------------------- */

/* Copies a pair, the way that the span allows. */
static void gather_two(const Scratch *scratch, const ColumnSource *from,
                       char *const *to, const uint32_t *rows, uint32_t count) {
  CellPair pair = {from[0].column, from[1].column};
  if (from->packed != NULL)
    gather_packed(to, from->packed, scratch->pack_first, rows, count);
  else if (from->room > 0)
    gather_steps(to, pair, rows, count, from->room);
  else
    gather_pair(to, pair, rows, count);
}

/* Copies one column of the slice, or a pair; returns how many. */
static uint32_t gather_next(const ecs_Query *query, const Scratch *scratch,
                            uint32_t column, uint32_t first, uint32_t count) {
  const ColumnSource *from = scratch->sources + column;
  const uint32_t *rows = from->rows + first;
  char *const *to = scratch->data + column;
  if (is_pair(query, column)) {
    ECS_ASSERT(from[0].rows == from[1].rows && from[1].column != NULL);
    gather_two(scratch, from, to, rows, count);
    return 2;
  }
  gather_cells(to[0], from->column, rows, count, query->columns[column].shift);
  return 1;
}

static uint32_t scatter_next(const ecs_Query *query, const Scratch *scratch,
                             uint32_t column, uint32_t first, uint32_t count) {
  const ColumnSource *to = scratch->sources + column;
  const uint32_t *rows = to->rows + first;
  char *const *from = scratch->data + column;
  if (is_pair(query, column)) {
    ECS_ASSERT(to[0].rows == to[1].rows && to[1].column != NULL);
    char *const columns[] = {to[0].column, to[1].column};
    scatter_pair(columns, from, rows, count);
    return 2;
  }
  scatter_cells(to->column, from[0], rows, count, query->columns[column].shift);
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
  gather_cells(scratch->entities, entities, rows, count, 3);
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
      gather_cells(to, from, rows.rows, rows.count, shift);
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
      scatter_cells(to, from, rows.rows, rows.count, shift);
    from += (size_t)rows.count << shift;
  }
}

/* An optional component, or one of targets, is present in all of the spans or in
 * none. */
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
