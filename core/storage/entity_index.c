/* entity_index.c: issues, recycles, retires and judges entity handles. */
#include "storage/entity_index.h"

void entity_index_init(EntityIndex *index) {
  *index = (EntityIndex){.used = 1};
}

void entity_index_deinit(EntityIndex *index, Memory *memory) {
  for (uint32_t i = 0; i < index->page_count; i++)
    memory_free(memory, index->pages[i], SLOT_PAGE_SIZE * sizeof(Slot));
  memory_free(memory, index->pages, index->page_capacity * sizeof(Slot *));
  entity_index_init(index);
}

static ecs_Status add_page(EntityIndex *index, Memory *memory) {
  void *pages = index->pages;
  Slot *page;
  if (!memory_grow(memory, &pages, &index->page_capacity, index->page_count, 1,
                   sizeof(Slot *)))
    return ECS_E_MEMORY;
  index->pages = pages;
  page = memory_resize(memory, NULL, 0, SLOT_PAGE_SIZE * sizeof(Slot));
  if (page == NULL) return ECS_E_MEMORY;
  memory_populate(page, SLOT_PAGE_SIZE * sizeof(Slot));
  for (uint32_t i = 0; i < SLOT_PAGE_SIZE; i++)
    page[i] = (Slot){(uint32_t)SLOT_FREE << ECS_INDEX_BITS, 0};
  index->pages[index->page_count++] = page;
  return ECS_OK;
}

ecs_Status entity_index_reserve(EntityIndex *index, Memory *memory,
                                uint64_t count) {
  uint64_t fresh = count > index->free_count ? count - index->free_count : 0;
  if (fresh > ECS_INDEX_LIMIT - index->used) return ECS_E_LIMIT;
  while (index->used + fresh > (uint64_t)index->page_count << ECS_PAGE_BITS) {
    ecs_Status status = add_page(index, memory);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}
