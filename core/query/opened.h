/* opened.h: tells that a query has opened columns for writing: stamps their rows,
 * and lets go of hashes of them.
 *
 * What hands out columns calls one of these functions when it takes them back:
 * a cursor or a kernel for spans, loops over single entities for the rows that
 * they are about to write. Which values were really stored is not known. While
 * no query asks for changes all of them are one comparison. Cost: a store for
 * each block of STAMP_ROWS rows that follow each other and written term; for
 * gathered rows, one each.
 */
#ifndef ECS_OPENED_H
#define ECS_OPENED_H

#include "query/query_span.h"

/* Stamps the first count spans of a prepared query. */
ECS_INTERNAL void opened_spans(const ecs_Query *query, uint32_t count);

/* Stamps all rows of the tables that the only group of a query matches. */
ECS_INTERNAL void opened_tables(const ecs_Query *query);

/* Stamps count rows of the group with this number, from row on. */
ECS_INTERNAL void opened_rows(const ecs_Query *query, uint32_t group_index,
                              RowRef row, uint32_t count);

/* Does any query ask for changes? */
static inline bool are_watched(const ecs_Query *query) {
  return ECS_UNLIKELY(query->store->clock.watches > 0);
}

/* Does anything ask what is opened? */
static inline bool are_asked(const ecs_Query *query) {
  return ECS_UNLIKELY(query->store->asked > 0);
}

#endif
