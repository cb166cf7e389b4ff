/* entity_index.h: issues, recycles, retires and judges entity handles.
 *
 * One slot of eight bytes per index. A slot that is placed says where the
 * entity's row of the main group is, so the index is that group's locator too.
 *
 *               31  28 27              0   31   27 26     24 23          0
 *              +------+-----------------+ +-------+---------+-------------+
 *      placed  |  0   | row             | | told  | summary | table       |
 *      free    |  1   | next free index | |   0   |    0    | next gener. |
 *      reserved|  2   |        0        | |   0   |    0    | generation  |
 *      retired |  3   |        0        | |   0   |    0    | last gener. |
 *              +------+-----------------+ +-------+---------+-------------+
 *                         row_bits                      table_bits
 *
 * told is the generation of a placed slot, or ECS_SLOT_GENERATIONS for that one
 * and all later ones; then the row is asked, which holds the whole handle. So
 * most look-ups never touch the row's entity: a cache line less for each.
 *
 * summary has a bit set when the entity has, or had, a place in a group other
 * than the main one that goes by this bit, so that destroying an entity that
 * never had a sparse component asks no other group.
 *
 * Free slots form a list, last in first out. A slot whose generations are used
 * up is retired. Index 0 is never issued. Slots that were never issued say that
 * they are free, but are not in the list: no slot claims a place that is not
 * its own. Cost: constant for everything.
 */
#ifndef ECS_ENTITY_INDEX_H
#define ECS_ENTITY_INDEX_H

#include "base/id.h"
#include "base/memory.h"

#define SLOT_PAGE_SIZE (1u << ECS_PAGE_BITS)
#define SLOT_PLACE_MASK 0xffffffu
#define SLOT_SUMMARY_SHIFT 24u
#define SLOT_SUMMARY_BITS 3u
#define SLOT_HINT_SHIFT 27u

typedef enum SlotState {
  SLOT_PLACED = 0,
  SLOT_FREE,
  SLOT_RESERVED,
  SLOT_RETIRED
} SlotState;

typedef struct Slot {
  uint32_t row_bits;
  uint32_t table_bits;
} Slot;

typedef struct EntityIndex {
  Slot **pages;
  uint32_t page_count;
  uint32_t page_capacity; /* of the array of pages */
  uint32_t used;          /* indices below this have been issued once */
  uint32_t free_head;     /* 0: none */
  uint32_t free_count;
  uint32_t retired_count;
  uint32_t alive_count; /* reserved and placed */
} EntityIndex;

/* Allocates nothing. */
ECS_INTERNAL void entity_index_init(EntityIndex *index);
ECS_INTERNAL void entity_index_deinit(EntityIndex *index, Memory *memory);

/* Makes sure that count handles can be issued without failing.
 * ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status entity_index_reserve(EntityIndex *index, Memory *memory,
                                             uint64_t count);

/* Frees an alive index of that generation. */
static inline void entity_index_free(EntityIndex *index, uint32_t entity_index,
                                     uint32_t generation);

static inline Slot *entity_index_slot(const EntityIndex *index,
                                      uint32_t entity_index) {
  return &index->pages[entity_index >> ECS_PAGE_BITS]
                      [entity_index & (SLOT_PAGE_SIZE - 1u)];
}

/* Has the index a slot? Also one that was never issued may have. */
static inline bool entity_index_has(const EntityIndex *index,
                                    uint32_t entity_index) {
  return entity_index >> ECS_PAGE_BITS < index->page_count;
}

static inline SlotState slot_state(Slot slot) {
  return (SlotState)(slot.row_bits >> ECS_INDEX_BITS);
}

static inline uint32_t slot_row(Slot slot) {
  return slot.row_bits & ECS_INDEX_MASK;
}

static inline uint32_t slot_table(Slot slot) {
  return slot.table_bits & SLOT_PLACE_MASK;
}

static inline uint32_t slot_summary(Slot slot) {
  return slot.table_bits >> SLOT_SUMMARY_SHIFT &
         ((1u << SLOT_SUMMARY_BITS) - 1u);
}

/* What a placed slot tells of its generation, where it stands in the slot. */
static inline uint32_t slot_told(uint32_t generation) {
  return (generation < ECS_SLOT_GENERATIONS ? generation : ECS_SLOT_GENERATIONS)
         << SLOT_HINT_SHIFT;
}

/* The summary bit of a group other than the main one. */
static inline uint32_t slot_summary_bit(uint32_t group) {
  return 1u << (SLOT_SUMMARY_SHIFT + (group - 1u) % SLOT_SUMMARY_BITS);
}

/* Can one more handle be issued with what is there? */
static inline bool entity_index_ready(const EntityIndex *index) {
  return index->free_head != 0 || index->used < index->page_count
                                                    << ECS_PAGE_BITS;
}

/* Issues a handle and writes its slot, as one that is placed in a table or as
 * one that stands for the generation alone. Room must be reserved. */
static inline ecs_Entity entity_index_issue_as(EntityIndex *index,
                                               uint32_t where, uint32_t table,
                                               bool placed) {
  uint32_t at = index->free_head;
  uint32_t generation = 0;
  Slot *slot;
  ECS_ASSERT(entity_index_ready(index));
  if (ECS_LIKELY(at != 0)) {
    slot = entity_index_slot(index, at);
    ECS_ASSERT(slot_state(*slot) == SLOT_FREE);
    index->free_head = slot_row(*slot);
    index->free_count--;
    generation = slot->table_bits;
  } else {
    at = index->used++;
    slot = entity_index_slot(index, at);
  }
  slot->row_bits = where;
  slot->table_bits = placed ? table | slot_told(generation) : generation;
  index->alive_count++;
  return id_make(at, generation);
}

/* Issues a handle, reserved: alive but in no place. Room must be reserved. */
static inline ecs_Entity entity_index_issue(EntityIndex *index) {
  return entity_index_issue_as(index, (uint32_t)SLOT_RESERVED << ECS_INDEX_BITS,
                               0, false);
}

/* Issues a handle that is placed at once. */
static inline ecs_Entity entity_index_issue_placed(EntityIndex *index,
                                                   uint32_t table,
                                                   uint32_t row) {
  return entity_index_issue_as(index, row, table, true);
}

/* Says where the entity's row of the main group is; keeps the summary and the
 * generation of one that was placed before. */
static inline void entity_index_move(EntityIndex *index, uint32_t entity_index,
                                     uint32_t table, uint32_t row) {
  Slot *slot = entity_index_slot(index, entity_index);
  ECS_ASSERT(slot_state(*slot) == SLOT_PLACED);
  slot->row_bits = row;
  slot->table_bits = (slot->table_bits & ~SLOT_PLACE_MASK) | table;
}

/* The first place of a reserved entity; its summary is empty. */
static inline void entity_index_place(EntityIndex *index, uint32_t entity_index,
                                      uint32_t table, uint32_t row) {
  Slot *slot = entity_index_slot(index, entity_index);
  ECS_ASSERT(slot_state(*slot) == SLOT_RESERVED);
  slot->row_bits = row;
  slot->table_bits = table | slot_told(slot->table_bits);
}

/* The same where the slot is known. One whose generations are used up is never
 * free again. */
static inline void entity_index_free_slot(EntityIndex *index, Slot *slot,
                                          uint32_t entity_index,
                                          uint32_t generation) {
  bool retires = generation + 1 >= ECS_GENERATION_LIMIT;
  ECS_ASSERT(slot_state(*slot) == SLOT_PLACED ||
             slot_state(*slot) == SLOT_RESERVED);
  index->alive_count--;
  if (ECS_UNLIKELY(retires)) {
    slot->row_bits = (uint32_t)SLOT_RETIRED << ECS_INDEX_BITS;
    slot->table_bits = generation;
    index->retired_count++;
    return;
  }
  slot->row_bits = (uint32_t)SLOT_FREE << ECS_INDEX_BITS | index->free_head;
  slot->table_bits = generation + 1;
  index->free_head = entity_index;
  index->free_count++;
}

static inline void entity_index_free(EntityIndex *index, uint32_t entity_index,
                                     uint32_t generation) {
  entity_index_free_slot(index, entity_index_slot(index, entity_index),
                         entity_index, generation);
}

#endif
