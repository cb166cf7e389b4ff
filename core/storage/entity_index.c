/* entity_index.c: issues entity handles, recycles and retires their indices. */
#include "storage/entity_index.h"

#include <string.h>

#include "base/platform.h"

void entity_index_init(EntityIndex *index) {
  *index =
      (EntityIndex){.used = 1, .plain_generations = ECS_GENERATION_LIMIT - 1u};
}

/* The bytes of a page. */
static size_t page_bytes(const EntityIndex *index, uint32_t page) {
  uint32_t slots = page == 0 && index->slot_count < SLOT_PAGE_SIZE
                       ? index->slot_count
                       : SLOT_PAGE_SIZE;
  return slots * sizeof(Slot);
}

void entity_index_unlink(EntityIndex *index, Memory *memory) {
  memory_free(memory, index->previous,
              index->previous_capacity * sizeof(uint32_t));
  index->previous = NULL;
  index->previous_capacity = 0;
  index->plain_generations = ECS_GENERATION_LIMIT - 1u;
}

void entity_index_deinit(EntityIndex *index, Memory *memory) {
  for (uint32_t i = 0; i < index->page_count; i++)
    memory_free(memory, index->pages[i], page_bytes(index, i));
  memory_free(memory, index->pages, index->page_capacity * sizeof(Slot *));
  memory_free(memory, index->bases, index->base_capacity * sizeof(uintptr_t));
  entity_index_unlink(index, memory);
  entity_index_init(index);
}

/* Makes room for one page more in both arrays. */
static bool grow_arrays(EntityIndex *index, Memory *memory) {
  void *pages = index->pages, *bases = index->bases;
  bool grown = memory_grow(memory, &pages, &index->page_capacity,
                           index->page_count, 1, sizeof(Slot *)) &&
               memory_grow(memory, &bases, &index->base_capacity,
                           index->page_count, 1, sizeof(uintptr_t));
  index->pages = pages;
  index->bases = bases;
  return grown;
}

static void free_slots(Slot *page, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++)
    page[i] = (Slot){(uint32_t)SLOT_FREE << ECS_INDEX_BITS, 0};
}

static ecs_Status add_page(EntityIndex *index, Memory *memory, uint32_t slots) {
  Slot *page;
  if (!grow_arrays(index, memory)) return ECS_E_MEMORY;
  page = memory_resize(memory, NULL, 0, slots * sizeof(Slot));
  if (page == NULL) return ECS_E_MEMORY;
  if (slots == SLOT_PAGE_SIZE) platform_populate(page, slots * sizeof(Slot));
  free_slots(page, 0, slots);
  uintptr_t before = (uintptr_t)index->page_count * SLOT_PAGE_SIZE;
  index->bases[index->page_count] = (uintptr_t)page - before * sizeof(Slot);
  index->pages[index->page_count++] = page;
  index->slot_count += slots;
  return ECS_OK;
}

/* Doubles the first page until it has so many slots, or all that a page has. */
static ecs_Status grow_first(EntityIndex *index, Memory *memory,
                             uint64_t wanted) {
  uint32_t slots = index->slot_count == 0 ? ECS_FIRST_SLOTS : index->slot_count;
  while (slots < wanted && slots < SLOT_PAGE_SIZE) slots *= 2;
  if (index->page_count == 0) return add_page(index, memory, slots);
  Slot *page = memory_resize(memory, index->pages[0], page_bytes(index, 0),
                             slots * sizeof(Slot));
  if (page == NULL) return ECS_E_MEMORY;
  free_slots(page, index->slot_count, slots);
  index->pages[0] = page;
  index->bases[0] = (uintptr_t)page;
  index->slot_count = slots;
  return ECS_OK;
}

void entity_index_drop_pages(EntityIndex *index, Memory *memory,
                             uint32_t page_count) {
  ECS_ASSERT(page_count >= entity_index_pages_used(index));
  while (index->page_count > page_count) {
    size_t bytes = page_bytes(index, --index->page_count);
    memory_free(memory, index->pages[index->page_count], bytes);
    index->slot_count -= (uint32_t)(bytes / sizeof(Slot));
  }
}

/* Makes room in `previous` for the indices below wanted, and for all of their
 * page. */
static ecs_Status grow_previous(EntityIndex *index, Memory *memory,
                                uint64_t wanted) {
  void *previous = index->previous;
  uint32_t capacity = index->previous_capacity;
  uint64_t rounded =
      (wanted + SLOT_PAGE_SIZE - 1u) / SLOT_PAGE_SIZE * SLOT_PAGE_SIZE;
  if (rounded <= capacity) return ECS_OK;
  if (!memory_grow(memory, &previous, &index->previous_capacity, capacity,
                   (uint32_t)(rounded - capacity), sizeof(uint32_t)))
    return ECS_E_MEMORY;
  index->previous = previous;
  return ECS_OK;
}

ecs_Status entity_index_link(EntityIndex *index, Memory *memory) {
  if (index->previous != NULL) return ECS_OK;
  ecs_Status status = grow_previous(index, memory, index->slot_count);
  if (status != ECS_OK) return status;
  for (uint32_t listed = index->free_head; listed != 0;) {
    uint32_t next = slot_row(*entity_index_slot(index, listed));
    index->previous[next] = listed;
    listed = next;
  }
  index->plain_generations = 0;
  return ECS_OK;
}

void entity_index_retire_or_list(EntityIndex *index, Slot *slot,
                                 uint32_t entity_index, uint32_t generation) {
  if (generation + 1 < ECS_GENERATION_LIMIT) {
    entity_index_list(index, slot, entity_index, generation + 1);
    return;
  }
  *slot = (Slot){(uint32_t)SLOT_RETIRED << ECS_INDEX_BITS, generation};
  index->retired_count++;
}

ecs_Status entity_index_reserve(EntityIndex *index, Memory *memory,
                                uint64_t count) {
  uint64_t fresh = count > index->free_count ? count - index->free_count : 0;
  if (fresh > ECS_INDEX_LIMIT - index->used)
    return memory_refuse(memory, ECS_INDEX_LIMIT - 1u, "entities", "a world");
  uint32_t before = index->page_count;
  uint64_t wanted = index->used + fresh;
  if (ECS_UNLIKELY(index->previous != NULL)) {
    ecs_Status status = grow_previous(index, memory, wanted);
    if (status != ECS_OK) return status;
  }
  while (wanted > index->slot_count && fresh > 0) {
    ecs_Status status = index->slot_count < SLOT_PAGE_SIZE
                            ? grow_first(index, memory, wanted)
                            : add_page(index, memory, SLOT_PAGE_SIZE);
    if (status == ECS_OK) continue;
    entity_index_drop_pages(index, memory, before);
    return status;
  }
  return ECS_OK;
}

void entity_index_put(EntityIndex *index, Memory *memory,
                      const IndexCounts *counts, const char *slots) {
  uint32_t used = counts->used == 1 ? 0 : counts->used;
  ECS_ASSERT(used <= index->slot_count);
  entity_index_unlink(index, memory);
  for (uint32_t i = 0; i < index->page_count; i++) {
    uint32_t first = i * SLOT_PAGE_SIZE;
    uint32_t count = (uint32_t)(page_bytes(index, i) / sizeof(Slot));
    uint32_t taken = first < used ? used - first : 0;
    if (taken > count) taken = count;
    if (taken > 0)
      memcpy(index->pages[i], slots + (size_t)first * sizeof(Slot),
             taken * sizeof(Slot));
    free_slots(index->pages[i], taken, count);
  }
  index->used = counts->used;
  index->free_head = counts->free_head;
  index->free_count = counts->free_count;
  index->retired_count = counts->retired_count;
  index->alive_count = counts->alive_count;
}

/* Issuing many ---------------------------------------------------------- */

/* Moves *free_index on to the next index of the free list and returns its slot.
 * After a clear that is mostly the next slot of the page; going there without
 * waiting for the list's link keeps the iterations independent of each other: 4
 * instead of 6 ns each, values included. */
static inline Slot *next_free(const EntityIndex *index, Slot *slot,
                              uint32_t *free_index) {
  uint32_t next = slot_row(*slot), follower = *free_index + 1;
  *free_index = next;
  if (ECS_LIKELY(next == follower && next % SLOT_PAGE_SIZE != 0)) {
    *free_index = follower;
    return slot + 1;
  }
  return next == 0 ? NULL : entity_index_slot(index, next);
}

/* Freed indices first, then fresh ones, as entity_index_issue_as does; placed is
 * a constant in each of its uses. */
static inline __attribute__((always_inline)) void issue_many(
    EntityIndex *index, uint32_t row_bits, uint32_t table_id, bool placed,
    uint32_t count, ecs_Entity *issued) {
  uint32_t free_index = index->free_head, reused = 0;
  Slot *slot = free_index == 0 ? NULL : entity_index_slot(index, free_index);
  for (; reused < count && slot != NULL; reused++) {
    Slot *taken = slot;
    uint32_t generation = taken->table_bits;
    ECS_ASSERT(slot_state(*taken) == SLOT_FREE);
    issued[reused] = id_make(free_index, generation);
    slot = next_free(index, taken, &free_index);
    *taken = (Slot){row_bits + reused,
                    placed ? table_id | slot_hint(generation) : generation};
  }
  index->free_head = free_index;
  ECS_ASSERT(reused <= index->free_count);
  ECS_ASSERT(reused == count || free_index == 0);
  index->free_count -= reused;
  for (uint32_t i = reused; i < count; i++) {
    uint32_t fresh = index->used++;
    issued[i] = id_make(fresh, 0);
    *entity_index_slot(index, fresh) =
        (Slot){row_bits + i, placed ? table_id : 0};
  }
  index->alive_count += count;
}

void entity_index_issue_rows(EntityIndex *index, uint32_t table_id,
                             uint32_t first_row, uint32_t count,
                             ecs_Entity *issued) {
  issue_many(index, first_row, table_id, true, count, issued);
}

void entity_index_issue_notes(EntityIndex *index, uint32_t note, uint32_t count,
                              ecs_Entity *issued) {
  issue_many(index, (uint32_t)SLOT_RESERVED << ECS_INDEX_BITS | note, 0, false,
             count, issued);
}

/* Checks ---------------------------------------------------------------- */

/* The free list has free_count slots. Each is free, with a generation that may
 * still be issued. */
static bool check_free_list(const EntityIndex *index) {
  uint32_t listed = 0, before = 0;
  for (uint32_t next = index->free_head; next != 0; listed++) {
    if (next >= index->used || listed >= index->free_count) return false;
    Slot slot = *entity_index_slot(index, next);
    if (slot_state(slot) != SLOT_FREE) return false;
    if (slot.table_bits >= ECS_GENERATION_LIMIT) return false;
    if (before != 0 && index->previous != NULL &&
        index->previous[next] != before)
      return false;
    before = next;
    next = slot_row(slot);
  }
  return listed == index->free_count;
}

bool entity_index_check_invariants(const EntityIndex *index) {
  uint32_t alive = 0, retired = 0;
  uint64_t slots = index->slot_count;
  if (index->used == 0 || (index->used > 1 && index->used > slots))
    return false;
  for (uint32_t i = 1; i < index->used; i++) {
    SlotState state = slot_state(*entity_index_slot(index, i));
    alive += state == SLOT_PLACED || state == SLOT_RESERVED;
    retired += state == SLOT_RETIRED;
  }
  for (uint64_t i = index->used; i < slots; i++)
    if (slot_state(*entity_index_slot(index, (uint32_t)i)) != SLOT_FREE)
      return false;
  if (alive != index->alive_count || retired != index->retired_count)
    return false;
  return alive + retired + index->free_count == index->used - 1 &&
         check_free_list(index);
}
