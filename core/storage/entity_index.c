/* entity_index.c: issues entity handles, recycles and retires their indices. */
#include "storage/entity_index.h"

void entity_index_init(EntityIndex *index) {
  *index = (EntityIndex){.used = 1};
}

void entity_index_deinit(EntityIndex *index, Memory *memory) {
  for (uint32_t i = 0; i < index->page_count; i++)
    memory_free(memory, index->pages[i], SLOT_PAGE_SIZE * sizeof(Slot));
  memory_free(memory, index->pages, index->page_capacity * sizeof(Slot *));
  memory_free(memory, index->bases, index->base_capacity * sizeof(uintptr_t));
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

static ecs_Status add_page(EntityIndex *index, Memory *memory) {
  Slot *page;
  if (!grow_arrays(index, memory)) return ECS_E_MEMORY;
  page = memory_resize(memory, NULL, 0, SLOT_PAGE_SIZE * sizeof(Slot));
  if (page == NULL) return ECS_E_MEMORY;
  memory_populate(page, SLOT_PAGE_SIZE * sizeof(Slot));
  for (uint32_t i = 0; i < SLOT_PAGE_SIZE; i++)
    page[i] = (Slot){(uint32_t)SLOT_FREE << ECS_INDEX_BITS, 0};
  uintptr_t before = (uintptr_t)index->page_count * SLOT_PAGE_SIZE;
  index->bases[index->page_count] = (uintptr_t)page - before * sizeof(Slot);
  index->pages[index->page_count++] = page;
  return ECS_OK;
}

void entity_index_drop_pages(EntityIndex *index, Memory *memory,
                             uint32_t page_count) {
  ECS_ASSERT(page_count >= entity_index_pages_used(index));
  while (index->page_count > page_count)
    memory_free(memory, index->pages[--index->page_count],
                SLOT_PAGE_SIZE * sizeof(Slot));
}

ecs_Status entity_index_reserve(EntityIndex *index, Memory *memory,
                                uint64_t count) {
  uint64_t fresh = count > index->free_count ? count - index->free_count : 0;
  if (fresh > ECS_INDEX_LIMIT - index->used)
    return memory_refuse(memory, ECS_INDEX_LIMIT - 1u, "entities", "a world");
  uint32_t before = index->page_count;
  while (index->used + fresh > (uint64_t)index->page_count << ECS_PAGE_BITS) {
    ecs_Status status = add_page(index, memory);
    if (status == ECS_OK) continue;
    entity_index_drop_pages(index, memory, before);
    return status;
  }
  return ECS_OK;
}

/* The free list has free_count slots. Each is free, with a generation that may
 * still be issued. */
static bool check_free_list(const EntityIndex *index) {
  uint32_t listed = 0;
  for (uint32_t next = index->free_head; next != 0; listed++) {
    if (next >= index->used || listed >= index->free_count) return false;
    Slot slot = *entity_index_slot(index, next);
    if (slot_state(slot) != SLOT_FREE) return false;
    if (slot.table_bits == 0 || slot.table_bits >= ECS_GENERATION_LIMIT)
      return false;
    next = slot_row(slot);
  }
  return listed == index->free_count;
}

bool entity_index_check_invariants(const EntityIndex *index) {
  uint32_t alive = 0, retired = 0;
  uint64_t slots = (uint64_t)index->page_count << ECS_PAGE_BITS;
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
