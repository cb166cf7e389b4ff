/* cursor.c: the rows of a query as batches of contiguous columns. */
#include "query/cursor.h"

#include "query/claims.h"
#include "query/gather.h"
#include "query/opened.h"

/* Spans ----------------------------------------------------------------- */

static uint32_t span_rows(const ecs_Query *query, uint32_t span) {
  return query_span_rows(query, span, query->driver).count;
}

/* May two spans be one batch? They have the same optional components, and along
 * a tree the same depth: no row is a target of another. */
static bool go_together(const ecs_Query *query, uint32_t left, uint32_t right) {
  if (query->links != NULL &&
      query->rows.blocks[left].depth != query->rows.blocks[right].depth)
    return false;
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    if (!access_is_optional(term->access) || term->column_count == 0) continue;
    SpanRows a = query_span_rows(query, left, term->group_index);
    SpanRows b = query_span_rows(query, right, term->group_index);
    if (span_has(&a, term) != span_has(&b, term)) return false;
  }
  return true;
}

/* Takes the next span that has rows, and tiny spans that follow it and can be
 * coalesced with it. Returns their rows. */
static uint32_t take_spans(Cursor *cursor) {
  const ecs_Query *query = cursor->query;
  uint32_t total = query_span_count(query);
  uint32_t rows = 0;
  while (cursor->next_span < total && span_rows(query, cursor->next_span) == 0)
    cursor->next_span++;
  cursor->first_span = cursor->next_span;
  while (cursor->next_span < total) {
    uint32_t count = span_rows(query, cursor->next_span);
    bool first = cursor->next_span == cursor->first_span;
    if (!first &&
        (cursor->batching != ECS_BATCH_COALESCED ||
         count >= ECS_COALESCE_ROWS || rows + count > ECS_BLOCK_ROWS ||
         !go_together(query, cursor->first_span, cursor->next_span)))
      break;
    cursor->next_span++;
    rows += count;
    if (first && count >= ECS_COALESCE_ROWS) break;
  }
  cursor->span_count = cursor->next_span - cursor->first_span;
  return rows;
}

/* Finds the columns of the batch's only span, once for all its slices. Columns
 * in place are pointed at. Returns whether any column has to be gathered. */
static bool open_span(const Cursor *cursor) {
  const ecs_Query *query = cursor->query;
  Scratch *scratch = cursor->scratch;
  bool gathered = false;
  for (uint32_t i = 0; i < query->column_count; i++) {
    const QueryColumn *column = &query->columns[i];
    SpanRows rows = query_span_rows(query, cursor->first_span,
                                    query->terms[column->term].group_index);
    char *elements = span_column(query, i, &rows);
    bool in_place = elements != NULL && rows.is_run;
    if (in_place) elements += (size_t)rows.first << column->shift;
    scratch->columns[i] = elements;
    scratch->sources[i] =
        (ColumnSource){elements, in_place ? NULL : rows.rows, NULL, 0};
    gathered = gathered || (elements != NULL && !in_place);
  }
  if (gathered) gather_open_targets(query, scratch, cursor->first_span);
  return gathered;
}

/* Batches --------------------------------------------------------------- */

/* Writes back the copies of the batch. */
static void put_back(const Cursor *cursor) {
  if (cursor->sliced)
    scatter_slice(cursor->query, cursor->scratch, cursor->done, cursor->count);
  else if (cursor->span_count > 1)
    scatter_spans(cursor->query, cursor->scratch, cursor->first_span,
                  cursor->span_count);
}

/* Goes on to the rows after the batch: the rest of its span, another span, or
 * several spans. False: there are none. */
static bool advance(Cursor *cursor) {
  uint32_t count = cursor->left;
  cursor->done += cursor->count;
  if (count == 0) {
    count = take_spans(cursor);
    cursor->done = 0;
    cursor->sliced = cursor->span_count == 1 && open_span(cursor);
  }
  cursor->count =
      cursor->sliced && count > cursor->slice_rows ? cursor->slice_rows : count;
  cursor->left = count - cursor->count;
  ECS_ASSERT(cursor->span_count <= 1 || cursor->count <= ECS_BLOCK_ROWS);
  ECS_ASSERT(!cursor->sliced || cursor->count <= cursor->slice_rows);
  return count > 0;
}

static const ecs_Entity *batch_entities(const Cursor *cursor) {
  const ecs_Query *query = cursor->query;
  const Scratch *scratch = cursor->scratch;
  if (cursor->without_entities) return NULL;
  if (cursor->span_count > 1) {
    gather_span_entities(query, scratch, cursor->first_span,
                         cursor->span_count);
    return scratch->entities;
  }
  Span span = query_span(query, cursor->first_span);
  if (span.rows == NULL) return span.entities + cursor->done;
  gather_entities(scratch, span.entities, span.rows + cursor->done,
                  cursor->count);
  return scratch->entities;
}

/* For asserts: do the batch's columns lie where span_column finds them? */
static ECS_ASSERT_ONLY bool columns_agree(const ecs_Query *query, uint32_t span,
                                          void *const *columns) {
  SpanRows rows = query_span_rows(query, span, 0);
  for (uint32_t i = 0; i < query->column_count; i++)
    if (columns[i] != (void *)span_column(query, i, &rows)) return false;
  return true;
}

/* Points at the columns of a table, by term. */
static inline void point_at_table(const ecs_Query *query, const Table *table,
                                  void **columns) {
  const QueryTerm *term = query->terms, *end = term + query->term_count;
  for (; term < end; term++) {
    uint32_t left = term->column_count;
    if (left == 0) continue;
    bool there = table_has_columns(table, term->bit);
    char *const *field = there ? table_fields(table, term->bit) : NULL;
    for (; left > 0; left--) *columns++ = there ? *field++ : NULL;
  }
}

/* The next table that has rows. Pure optimisation: the other way takes twice
 * the time for few rows. */
static inline bool next_in_place(Cursor *cursor, ecs_Batch *batch) {
  const ecs_Query *query = cursor->query;
  const QueryGroup *group = &query->groups[0];
  void **columns = cursor->scratch->columns;
  while (cursor->next_span < group->match.count) {
    const Table *table = query_group_table(group, cursor->next_span++);
    if (table->count == 0) continue;
    point_at_table(query, table, columns);
    ECS_ASSERT(columns_agree(query, cursor->next_span - 1, columns));
    *batch = (ecs_Batch){
        .count = table->count,
        .column_count = query->column_count,
        .entities = cursor->without_entities ? NULL : table->entities,
        .columns = columns};
    return true;
  }
  return false;
}

static ECS_APART bool next_gathered(Cursor *cursor, ecs_Batch *batch) {
  put_back(cursor);
  if (!advance(cursor)) return false;
  if (cursor->sliced)
    gather_slice(cursor->query, cursor->scratch, cursor->done, cursor->count);
  else if (cursor->span_count > 1)
    gather_spans(cursor->query, cursor->scratch, cursor->first_span,
                 cursor->span_count);
  *batch = (ecs_Batch){.count = cursor->count,
                       .column_count = cursor->query->column_count,
                       .entities = batch_entities(cursor),
                       .columns = cursor->scratch->columns};
  return true;
}

bool cursor_next(Cursor *cursor, ecs_Batch *batch) {
  ECS_ASSERT(query_is_prepared(cursor->query));
  return cursor->in_place ? next_in_place(cursor, batch)
                          : next_gathered(cursor, batch);
}

/* Life ------------------------------------------------------------------ */

ecs_Status cursor_begin(ecs_Query *query, ecs_Batching batching,
                        Cursor *cursor) {
  ecs_Status status = query_prepare(query);
  if (status != ECS_OK) return status;
  *cursor = (Cursor){
      .query = query,
      .slice_rows = ECS_BLOCK_ROWS,
      .batching = (uint32_t)batching,
      .began = query->store->clock.tick,
      .in_place = batching == ECS_BATCH_WHOLE && query_is_direct(query)};
  cursor->scratch = scratch_take(query, !cursor->in_place);
  if (cursor->scratch == NULL) return ECS_E_MEMORY;
  claims_take(query);
  query->open++;
  ECS_ASSERT(scratch_check_invariants(query));
  return ECS_OK;
}

void cursor_end(Cursor *cursor) {
  ECS_ASSERT(query_is_prepared(cursor->query));
  if (!cursor->in_place) put_back(cursor);
  opened_spans(cursor->query, cursor->next_span);
  if (cursor->query->picked != NULL)
    picked_rows_walked(cursor->query->picked, cursor->query->store,
                       cursor->began);
  claims_release(cursor->query);
  ECS_ASSERT(cursor->query->open > 0);
  cursor->query->open--;
  scratch_give_back(cursor->scratch);
  ECS_ASSERT(scratch_check_invariants(cursor->query));
  cursor->scratch = NULL;
}
