/* locator.c: a paged sparse array from an entity's index to its row. */
#include "storage/locator.h"

#include <string.h>

static size_t page_bytes(const Locator *locator) {
  return LOCATOR_PAGE_SIZE *
         (locator->narrow ? sizeof(uint32_t) : sizeof(RowId));
}

void locator_init(Locator *locator, bool narrow) {
  *locator = (Locator){.narrow = narrow};
}

void locator_deinit(Locator *locator, Memory *memory) {
  for (uint32_t i = 0; i < locator->page_count; i++)
    memory_free(memory, locator->pages[i], page_bytes(locator));
  memory_free(memory, locator->pages, locator->page_count * sizeof(void *));
  locator_init(locator, locator->narrow);
}

/* The array of pages at least doubles, so that growth costs little. */
static bool grow_array(Locator *locator, Memory *memory, uint32_t page) {
  uint32_t capacity = locator->page_count;
  void *pages = locator->pages;
  if (!memory_grow(memory, &pages, &capacity, locator->page_count,
                   page + 1 - locator->page_count, sizeof(void *)))
    return false;
  locator->pages = pages;
  for (uint32_t i = locator->page_count; i < capacity; i++)
    locator->pages[i] = NULL;
  locator->page_count = capacity;
  return true;
}

ecs_Status locator_reserve(Locator *locator, Memory *memory, uint32_t index) {
  uint32_t page = index >> ECS_PAGE_BITS;
  if (locator_ready(locator, index)) return ECS_OK;
  if (page >= locator->page_count && !grow_array(locator, memory, page))
    return ECS_E_MEMORY;
  locator->pages[page] = memory_resize(memory, NULL, 0, page_bytes(locator));
  if (locator->pages[page] == NULL) return ECS_E_MEMORY;
  memset(locator->pages[page], 0xff, page_bytes(locator));
  return ECS_OK;
}

static bool page_is_empty(const Locator *locator, uint32_t page) {
  for (uint32_t i = 0; i < LOCATOR_PAGE_SIZE; i++)
    if (locator_find(locator, page << ECS_PAGE_BITS | i).row != LOCATOR_NONE)
      return false;
  return true;
}

void locator_trim(Locator *locator, Memory *memory) {
  for (uint32_t i = 0; i < locator->page_count; i++) {
    if (locator->pages[i] == NULL || !page_is_empty(locator, i)) continue;
    memory_free(memory, locator->pages[i], page_bytes(locator));
    locator->pages[i] = NULL;
  }
}

bool locator_check_invariants(const Locator *locator, uint64_t places) {
  uint64_t found = 0, capacity = locator->page_count;
  for (uint64_t i = 0; i < capacity << ECS_PAGE_BITS; i++)
    found += locator_find(locator, (uint32_t)i).row != LOCATOR_NONE;
  return found == places;
}
