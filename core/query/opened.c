/* opened.c: tells that a query has opened columns for writing. */
#include "query/opened.h"

static bool is_opened(const ecs_Query *query, const QueryTerm *term) {
  return term->column_count > 0 && access_writes(term->access) &&
         query->store->components.all[term->component].guards > 0;
}

static void stamp_span(const QueryTerm *term, const SpanRows *rows) {
  if (!span_has(rows, term)) return;
  if (rows->is_run)
    table_stamp(rows->table, term->bit, rows->first, rows->count);
  for (uint32_t i = 0; !rows->is_run && i < rows->count; i++)
    table_stamp(rows->table, term->bit, rows->rows[i], 1);
}

void opened_spans(const ecs_Query *query, uint32_t count) {
  if (!are_watched(query)) return;
  for (uint32_t t = 0; t < query->term_count; t++) {
    const QueryTerm *term = &query->terms[t];
    if (!is_opened(query, term)) continue;
    for (uint32_t i = 0; i < count; i++) {
      SpanRows rows = query_span_rows(query, i, term->group_index);
      stamp_span(term, &rows);
    }
  }
}

void opened_tables(const ecs_Query *query) {
  const QueryGroup *query_group = &query->groups[0];
  for (uint32_t i = 0; are_asked(query) && i < query_group->match.count; i++) {
    RowRef all = {query_group_table(query_group, i), 0};
    opened_rows(query, 0, all, all.table->count);
  }
}

void opened_rows(const ecs_Query *query, uint32_t group_index, RowRef row,
                 uint32_t count) {
  if (!are_asked(query) || row.table == NULL) return;
  for (uint32_t t = 0; t < query->term_count; t++) {
    const QueryTerm *term = &query->terms[t];
    if (term->group_index != group_index || !is_opened(query, term)) continue;
    table_stamp(row.table, term->bit, row.row, count);
    store_wrote(query->store, term->component);
  }
}
