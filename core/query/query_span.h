/* query_span.h: the rows of a prepared query, span by span.
 *
 * A span is a whole table of a full plan, or one block of the list of rows. The
 * spans of a query name every matching row once, in the order of a cursor.
 * Cursors, copies of entities, index sets and bulk changes all enumerate
 * matches through this header.
 *
 *      full plan   | {A}: 0 1 2 | {A B}: 0 1 |      span = table
 *      row list    | block 0    | block 1    |      span = block; its rows in
 *                                                   each group of the query
 *
 * Spans borrow from tables and from the row list: they are valid until a group
 * of the query changes. Cost: constant for each span.
 */
#ifndef ECS_QUERY_SPAN_H
#define ECS_QUERY_SPAN_H

#include "query/query.h"

/* The rows of one span in one group of the query. */
typedef struct SpanRows {
  Table *table;         /* NULL: the entities have no row in the group */
  const uint32_t *rows; /* count row numbers, borrowed from the row list; NULL:
                           the span is a whole table */
  uint32_t first;       /* the first row; 0 where the table is absent */
  uint32_t count;
  bool is_run; /* the rows follow each other, from first on */
} SpanRows;

/* The entities of one span. */
typedef struct Span {
  const ecs_Entity *entities; /* from the first row on; with rows: from row 0 */
  const uint32_t *rows;       /* NULL: the rows follow each other */
  uint32_t count;
} Span;

/* A matched table of one group, by its position in the list of matches. */
static inline Table *query_group_table(const QueryGroup *query_group,
                                       uint32_t index) {
  ECS_ASSERT(index < query_group->match.count);
  return query_group->group->tables[query_group->match.tables[index]];
}

/* How many spans a prepared query has; some may be empty. */
static inline uint32_t query_span_count(const ecs_Query *query) {
  return query_is_direct(query) ? query->groups[0].match.count
                                : query->list->block_count;
}

/* The rows of span number index in the group query->groups[group_index]; of a
 * group without columns only after query_prepare_everywhere. */
static inline SpanRows query_span_rows(const ecs_Query *query, uint32_t index,
                                       uint32_t group_index) {
  ECS_ASSERT(index < query_span_count(query));
  ECS_ASSERT(group_index < query->group_count + query->up_count);
  if (query_is_direct(query)) {
    Table *table = query_group_table(&query->groups[0], index);
    return (SpanRows){table, NULL, 0, table->count, true};
  }
  const RowList *list = query->list;
  ECS_ASSERT(!row_list_is_unplaced(list, group_index));
  const Block *block = &list->blocks[index];
  const uint32_t *rows = row_list_rows(list, block, group_index);
  Table *table = row_list_table(list, block, query->groups, group_index);
  bool is_run = block_is_run_in(block, group_index);
  uint32_t first = is_run && table != NULL ? rows[0] : 0;
  return (SpanRows){table, rows, first, block->count, is_run};
}

/* The entities of span number index. */
static inline Span query_span(const ecs_Query *query, uint32_t index) {
  SpanRows rows = query_span_rows(query, index, query->driver);
  const ecs_Entity *entities = rows.table->entities;
  if (!rows.is_run) return (Span){entities, rows.rows, rows.count};
  if (rows.first > 0) entities += rows.first;
  return (Span){entities, NULL, rows.count};
}

/* The entity of the row at position index of a span. */
static inline ecs_Entity span_entity(const Span *span, uint32_t index) {
  return span->entities[span->rows == NULL ? index : span->rows[index]];
}

/* The row at position index of a span. */
static inline uint32_t span_row(const SpanRows *rows, uint32_t index) {
  return rows->is_run ? rows->first + index : rows->rows[index];
}

/* Does the span's table have columns of the term's component? */
static inline bool span_has(const SpanRows *rows, const QueryTerm *term) {
  return rows->table != NULL && table_has_columns(rows->table, term->bit);
}

/* Row 0 of a column of the query in the span's table; rows is the span in the
 * column's group. NULL: the component is absent. */
static inline char *span_column(const ecs_Query *query, uint32_t column,
                                const SpanRows *rows) {
  const QueryColumn *wanted = &query->columns[column];
  const QueryTerm *term = &query->terms[wanted->term];
  if (!span_has(rows, term)) return NULL;
  return table_column(rows->table,
                      table_codes(rows->table, term->bit)[wanted->field]);
}

#endif
