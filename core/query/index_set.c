/* index_set.c: the entities of a query as one bit per entity index. */
#include "query/index_set.h"

static void widen(const Span *span, uint32_t *lowest, uint32_t *highest) {
  for (uint32_t i = 0; i < span->count; i++) {
    uint32_t index = id_index(span_entity(span, i));
    if (index < *lowest) *lowest = index;
    if (index > *highest) *highest = index;
  }
}

static void insert_span(IndexSet *set, const Span *span) {
  for (uint32_t i = 0; i < span->count; i++) {
    uint32_t bit = id_index(span_entity(span, i)) - set->base;
    ECS_ASSERT(bit >> 6 < set->word_count);
    set->words[bit >> 6] |= UINT64_C(1) << (bit & 63u);
  }
}

ecs_Status index_set_init(IndexSet *set, const ecs_Query *query) {
  uint32_t spans = query_span_count(query);
  uint32_t lowest = UINT32_MAX, highest = 0;
  *set = (IndexSet){.base = 0};
  for (uint32_t i = 0; i < spans; i++) {
    Span span = query_span(query, i);
    widen(&span, &lowest, &highest);
  }
  if (lowest > highest) return ECS_OK; /* no entity */
  uint32_t words = (highest - lowest) / 64u + 1u;
  set->words = store_room(query->store, ROOM_SET, words, sizeof(uint64_t));
  if (set->words == NULL) return ECS_E_MEMORY;
  set->base = lowest;
  set->word_count = set->left = words;
  for (uint32_t i = 0; i < spans; i++) {
    Span span = query_span(query, i);
    insert_span(set, &span);
  }
  return ECS_OK;
}
