/* entity_index.h: issues entity handles, recycles and retires their indices.
 *
 *      pages[index / 4096] ---> slots[index % 4096]     see slot.h
 *      bases[index / 4096] + index * 8: the same slot, without the remainder
 *      free_head --> index --> index --> 0              last in, first out
 *
 * Every index below `used` has been issued or was jumped over by
 * storage/entity_claim.h, except for index 0, so no handle is 0. The slot of an
 * index says whether the index is placed, reserved, free or retired. A freed
 * index comes back with the next generation, and is retired when its
 * generations are used up. Slots past `used` are marked free without being in
 * the list, so that none of them seems to have a row.
 *
 * The first page begins small and grows by doubling until it is as large as the
 * others, so that a world of few entities takes little memory.
 *
 * The list is linked one way. Taking an index from its middle needs the way back,
 * `previous`: an array that is made when it is first needed and kept right from
 * then on. It says nothing of the head, so that issuing need not write it.
 *
 * A placed slot has the entity's row of the main group, so this index is that
 * group's locator. Cost: constant, unless a function says otherwise.
 */
#ifndef ECS_ENTITY_INDEX_H
#define ECS_ENTITY_INDEX_H

#include "base/memory.h"
#include "storage/slot.h"

#define SLOT_PAGE_SIZE (1u << ECS_PAGE_BITS)

typedef struct EntityIndex {
  uintptr_t *bases;       /* owned; of each page: where the slot of index 0
                             would be, if the page reached down to it */
  Slot **pages;           /* owned, and so is each page */
  uint32_t page_count;    /* pages that are there */
  uint32_t slot_count;    /* slots in them: all pages but the first are full */
  uint32_t page_capacity; /* of the array of pages */
  uint32_t base_capacity; /* of the array of bases */
  uint32_t used;          /* indices below this have been issued */
  uint32_t free_head;     /* the next index to reuse; 0: none */
  uint32_t free_count;    /* indices in the free list */
  uint32_t retired_count; /* indices that are never issued again */
  uint32_t alive_count;   /* entities that are reserved or placed */
  uint32_t *previous;     /* owned; of every listed index but the head: the one
                             before it; NULL: nothing asked for it yet */
  uint32_t previous_capacity; /* of that array: every slot, or 0 */
  uint32_t plain_generations; /* freeing an index of a generation below needs
                                 neither retire it nor write `previous`: the
                                 last one, or 0 while there is `previous` */
} EntityIndex;

/* Allocates nothing. */
ECS_INTERNAL void entity_index_init(EntityIndex *index);
ECS_INTERNAL void entity_index_deinit(EntityIndex *index, Memory *memory);

/* Makes sure that the next count handles can be issued without failing. The
 * first page may move. ECS_E_MEMORY, ECS_E_LIMIT: no slot has changed. Cost: a
 * page for each SLOT_PAGE_SIZE new indices. */
ECS_INTERNAL ecs_Status entity_index_reserve(EntityIndex *index, Memory *memory,
                                             uint64_t count);

/* Makes `previous`, unless it is there. ECS_E_MEMORY: nothing has changed. Cost:
 * the free list, when it is made. */
ECS_INTERNAL ecs_Status entity_index_link(EntityIndex *index, Memory *memory);
/* Frees `previous`. */
ECS_INTERNAL void entity_index_unlink(EntityIndex *index, Memory *memory);

/* Frees pages without an issued index until page_count are left. */
ECS_INTERNAL void entity_index_drop_pages(EntityIndex *index, Memory *memory,
                                          uint32_t page_count);

/* What an index counts, beside its slots. */
typedef struct IndexCounts {
  uint32_t used, free_head, free_count, retired_count, alive_count;
} IndexCounts;

static inline IndexCounts entity_index_counts(const EntityIndex *index) {
  return (IndexCounts){index->used, index->free_head, index->free_count,
                       index->retired_count, index->alive_count};
}

/* Puts counts and slots back that the index had once. slots: those of the used
 * indices, index 0 included; there is room for them. Cost: every slot. */
ECS_INTERNAL void entity_index_put(EntityIndex *index, Memory *memory,
                                   const IndexCounts *counts,
                                   const char *slots);

/* The pages that the issued indices need. */
static inline uint32_t entity_index_pages_used(const EntityIndex *index) {
  return index->used == 1 ? 0 : ((index->used - 1u) >> ECS_PAGE_BITS) + 1u;
}

/* Checked builds: states, counts and the free list agree. Cost: every slot. */
ECS_INTERNAL bool entity_index_check_invariants(const EntityIndex *index);

/* The slot of an index that has one. */
static inline Slot *entity_index_slot(const EntityIndex *index,
                                      uint32_t entity_index) {
  uintptr_t base = index->bases[entity_index >> ECS_PAGE_BITS];
  return (Slot *)(base + (uintptr_t)entity_index * sizeof(Slot));
}

/* The same, for a loop that also looks into a locator: both have the remainder
 * in common, which makes this way the shorter one there. */
static inline Slot *entity_index_slot_beside(const EntityIndex *index,
                                             uint32_t entity_index) {
  return &index->pages[entity_index >> ECS_PAGE_BITS]
                      [entity_index & (SLOT_PAGE_SIZE - 1u)];
}

/* Has the index a slot? An index that was never issued may have one. */
static inline bool entity_index_has(const EntityIndex *index,
                                    uint32_t entity_index) {
  return entity_index < index->slot_count;
}

/* Can count more handles be issued without reserving? False says nothing. */
static inline bool entity_index_has_room(const EntityIndex *index,
                                         uint32_t count) {
  return count <= index->free_count ||
         (uint64_t)index->used + count <= index->slot_count;
}

/* Can one more handle be issued without reserving? */
static inline bool entity_index_ready(const EntityIndex *index) {
  return index->free_head != 0 || index->used < index->slot_count;
}

/* The index of the handle that is issued next. */
static inline uint32_t entity_index_next(const EntityIndex *index) {
  return index->free_head != 0 ? index->free_head : index->used;
}

/* Goes over the handles that are issued next, in their order. All zero: begins
 * with the first of them. */
typedef struct NextIndices {
  uint32_t listed; /* on the free list; 0: none of it is left */
  uint32_t fresh;
  bool begun;
} NextIndices;

/* The next index. Those that are not on the free list may have no slot yet. */
static inline uint32_t next_indices_take(NextIndices *next,
                                         const EntityIndex *index) {
  if (!next->begun) *next = (NextIndices){index->free_head, index->used, true};
  if (next->listed == 0) return next->fresh++;
  uint32_t taken = next->listed;
  next->listed = slot_row(*entity_index_slot(index, taken));
  return taken;
}

/* Issues a handle and writes its slot: the row and the table of a placed one,
 * or row bits alone. Room must be reserved. */
static inline ecs_Entity entity_index_issue_as(EntityIndex *index,
                                               uint32_t row_bits,
                                               uint32_t table_id, bool placed) {
  uint32_t issued = index->free_head;
  uint32_t generation = 0;
  Slot *slot;
  ECS_ASSERT(entity_index_ready(index));
  if (ECS_LIKELY(issued != 0)) {
    slot = entity_index_slot(index, issued);
    ECS_ASSERT(slot_state(*slot) == SLOT_FREE && index->free_count > 0);
    index->free_head = slot_row(*slot);
    index->free_count--;
    generation = slot->table_bits;
    ECS_ASSERT(generation < ECS_GENERATION_LIMIT);
  } else {
    issued = index->used++;
    slot = entity_index_slot(index, issued);
  }
  slot->row_bits = row_bits;
  slot->table_bits = placed ? table_id | slot_hint(generation) : generation;
  index->alive_count++;
  return id_make(issued, generation);
}

/* Issues a handle that is reserved, with a note. */
static inline ecs_Entity entity_index_issue_noted(EntityIndex *index,
                                                  uint32_t note) {
  ECS_ASSERT(note <= ECS_INDEX_MASK);
  return entity_index_issue_as(
      index, (uint32_t)SLOT_RESERVED << ECS_INDEX_BITS | note, 0, false);
}

/* The same with a note of 0. */
static inline ecs_Entity entity_index_issue(EntityIndex *index) {
  return entity_index_issue_noted(index, 0);
}

/* Issues count handles in the order of single ones: that are placed, in one row
 * of a table after the other; or reserved, with notes that count up. Room must
 * be reserved. Cost: two thirds of single ones. */
ECS_INTERNAL void entity_index_issue_rows(EntityIndex *index, uint32_t table_id,
                                          uint32_t first_row, uint32_t count,
                                          ecs_Entity *issued);
ECS_INTERNAL void entity_index_issue_notes(EntityIndex *index, uint32_t note,
                                           uint32_t count, ecs_Entity *issued);

/* Issues a handle that is placed at once. */
static inline ecs_Entity entity_index_issue_placed(EntityIndex *index,
                                                   uint32_t table_id,
                                                   uint32_t row) {
  return entity_index_issue_as(index, row, table_id, true);
}

/* Writes the new row of a placed entity; hint and summary stay. */
static inline void entity_index_move(EntityIndex *index, uint32_t entity_index,
                                     uint32_t table_id, uint32_t row) {
  Slot *slot = entity_index_slot(index, entity_index);
  ECS_ASSERT(slot_state(*slot) == SLOT_PLACED);
  slot->row_bits = row;
  slot->table_bits = (slot->table_bits & ~SLOT_TABLE_MASK) | table_id;
}

/* Writes the first row of a reserved entity, with an empty summary. */
static inline void entity_index_place(EntityIndex *index, uint32_t entity_index,
                                      uint32_t table_id, uint32_t row) {
  Slot *slot = entity_index_slot(index, entity_index);
  ECS_ASSERT(slot_state(*slot) == SLOT_RESERVED);
  slot->row_bits = row;
  slot->table_bits = table_id | slot_hint(slot->table_bits);
}

/* Lists an index as the next to be issued, with that generation. */
static inline void entity_index_list(EntityIndex *index, Slot *slot,
                                     uint32_t entity_index,
                                     uint32_t generation) {
  if (index->previous != NULL) index->previous[index->free_head] = entity_index;
  *slot = (Slot){(uint32_t)SLOT_FREE << ECS_INDEX_BITS | index->free_head,
                 generation};
  index->free_head = entity_index;
  index->free_count++;
}

/* The part of entity_index_free_slot that is seldom needed. */
ECS_INTERNAL ECS_COLD void entity_index_retire_or_list(EntityIndex *index,
                                                       Slot *slot,
                                                       uint32_t entity_index,
                                                       uint32_t generation);

/* Frees the index of an entity of that generation, placed or reserved. */
static inline void entity_index_free_slot(EntityIndex *index, Slot *slot,
                                          uint32_t entity_index,
                                          uint32_t generation) {
  ECS_ASSERT(slot_state(*slot) <= SLOT_RESERVED &&
             slot_state(*slot) != SLOT_FREE);
  index->alive_count--;
  if (ECS_UNLIKELY(generation >= index->plain_generations)) {
    entity_index_retire_or_list(index, slot, entity_index, generation);
    return;
  }
  slot->row_bits = (uint32_t)SLOT_FREE << ECS_INDEX_BITS | index->free_head;
  slot->table_bits = generation + 1;
  index->free_head = entity_index;
  index->free_count++;
}

/* As entity_index_free_slot, by the index alone. */
static inline void entity_index_free(EntityIndex *index, uint32_t entity_index,
                                     uint32_t generation) {
  entity_index_free_slot(index, entity_index_slot(index, entity_index),
                         entity_index, generation);
}

#endif
