/* matches.h: which entities match a query, outside of any walk.
 *
 * A walk hands out columns and claims what it touches; here nothing is asked
 * for but the entities. They come in spans, in the order of the walk: a span is
 * a table of a full plan, or a block of a row list.
 *
 *      span    entities of one table    rows: all, or a list of them
 *
 * IndexSet are the same entities as one bit per index. They come back from the
 * highest index to the lowest: an order that knows nothing of rows, for what
 * would otherwise let the storage show, such as which handles come next. It is
 * the order in which clearing a world frees its indices.
 */
#ifndef ECS_MATCHES_H
#define ECS_MATCHES_H

#include "query/query.h"

typedef struct Span {
  const ecs_Entity *entities; /* of the first row, or of row 0 of a list */
  const uint32_t *rows;       /* NULL: they follow each other */
  uint32_t count;
} Span;

static inline ecs_Entity span_entity(const Span *span, uint32_t at) {
  return span->entities[span->rows == NULL ? at : span->rows[at]];
}

/* Spans of a prepared query; they last until its groups change. */
ECS_INTERNAL uint32_t query_spans(const ecs_Query *query);
ECS_INTERNAL Span query_span(const ecs_Query *query, uint32_t at);

/* The entities of a prepared query, copied; there is room for query_count. */
ECS_INTERNAL void query_copy_entities(const ecs_Query *query,
                                      ecs_Entity *entities);

/* The first entity of the walk, 0: there is none. Of a query that is planned;
 * where its row list is stale, it is not built but searched for one row.
 * Cost: up to the first match. */
ECS_INTERNAL ecs_Entity query_first_entity(const ecs_Query *query);

typedef struct IndexSet {
  uint64_t *words;
  uint32_t base;       /* the index of the first bit */
  uint32_t word_count; /* owned */
  uint32_t left;       /* words not yet gone through, from the first on */
} IndexSet;

/* IndexSet the entities of a prepared query. ECS_E_MEMORY. Cost: reads them
 * twice; a bit for every index between the lowest and the highest. */
ECS_INTERNAL ecs_Status index_set_init(IndexSet *marks, const ecs_Query *query);
ECS_INTERNAL void index_set_deinit(IndexSet *marks, Memory *memory);

/* Begins again at the highest. */
static inline void index_set_rewind(IndexSet *marks) {
  marks->left = marks->word_count;
}

/* Takes a handful of neighbours: the bits of one word, as they are, and the
 * index of bit 0. False when there are no more. */
static inline bool index_set_next(IndexSet *marks, uint64_t *bits,
                                  uint32_t *first) {
  while (marks->left > 0) {
    marks->left--;
    *bits = marks->words[marks->left];
    *first = marks->base + marks->left * 64u;
    if (*bits != 0) return true;
  }
  return false;
}

/* Takes the highest index out of the bits of a word. */
static inline uint32_t index_set_take(uint64_t *bits, uint32_t first) {
  uint32_t highest = 63u - (uint32_t)__builtin_clzll(*bits);
  *bits &= ~(UINT64_C(1) << highest);
  return first + highest;
}

/* The handle of an index that has a place. */
static inline ecs_Entity entity_of_index(const Store *store, uint32_t at) {
  Slot slot = *entity_index_slot(&store->index, at);
  return store_main(store)->tables[slot_table(slot)]->entities[slot.row_bits];
}

#endif
