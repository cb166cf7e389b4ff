/* index_set.h: the entities of a query as one bit per entity index.
 *
 *      entities  e70 e3 e5       base 3, words  | ...101 | ...1000 |
 *                                               bits of 3, 5   of 70
 *
 * The indices come back from the highest to the lowest. That order does not
 * depend on where rows are stored, so that results which depend on order, such
 * as the handles that are issued next, do not depend on storage either. It is
 * also the order in which clearing a world frees its indices.
 */
#ifndef ECS_INDEX_SET_H
#define ECS_INDEX_SET_H

#include "query/query_span.h"

typedef struct IndexSet {
  uint64_t *words;     /* borrowed from the store; NULL: no index */
  uint32_t base;       /* the index of the first bit */
  uint32_t word_count; /* words of the set */
  uint32_t left;       /* words not yet returned, counted from the first */
} IndexSet;

/* Fills the set with the entities of a prepared query. It is valid until another
 * one of the same store is filled. ECS_E_MEMORY: the set is empty. Cost: reads
 * the entities twice; memory for one bit per index between the lowest and the
 * highest. */
ECS_INTERNAL ecs_Status index_set_init(IndexSet *set, const ecs_Query *query);

/* Makes index_set_next begin again at the highest index. */
static inline void index_set_rewind(IndexSet *set) {
  set->left = set->word_count;
}

/* The next word that has a bit set: *bits is the word, *first the index of its
 * bit 0. False when there are no more. */
static inline bool index_set_next(IndexSet *set, uint64_t *bits,
                                  uint32_t *first) {
  ECS_ASSERT(set->left <= set->word_count);
  while (set->left > 0) {
    set->left--;
    *bits = set->words[set->left];
    *first = set->base + set->left * 64u;
    if (*bits != 0) return true;
  }
  return false;
}

/* Takes the highest index out of the bits of a word. */
static inline uint32_t index_set_take(uint64_t *bits, uint32_t first) {
  ECS_ASSERT(*bits != 0);
  uint32_t highest = 63u - (uint32_t)__builtin_clzll(*bits);
  *bits &= ~(UINT64_C(1) << highest);
  return first + highest;
}

/* The entity of an index that has a row in the main group. */
static inline ecs_Entity entity_of_index(const Store *store, uint32_t index) {
  Slot slot = *entity_index_slot(&store->index, index);
  const Table *table = store_main(store)->tables[slot_table(slot)];
  ECS_ASSERT(slot_state(slot) == SLOT_PLACED);
  ECS_ASSERT(id_index(table->entities[slot.row_bits]) == index);
  return table->entities[slot.row_bits];
}

#endif
