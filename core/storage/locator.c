/* locator.c: a paged sparse array from an entity's index to its row. */
#include "storage/locator.h"

#include <string.h>

static size_t page_bytes(const Locator *locator) {
  size_t link = locator->list_id != 0 ? sizeof(uint16_t) : 0;
  return LOCATOR_PAGE_SIZE * (locator_entry_bytes(locator) + link);
}

void locator_init(Locator *locator, bool narrow) {
  *locator = (Locator){.narrow = narrow};
}

void locator_deinit(Locator *locator, Memory *memory) {
  for (uint32_t i = 0; i < locator->page_count; i++)
    memory_free(memory, locator->pages[i], page_bytes(locator));
  memory_free(memory, locator->pages, locator->page_count * sizeof(void *));
  locator->pages = NULL;
  locator->page_count = 0;
}

void locator_list(Locator *locator, Locator *heads, uint16_t id) {
  ECS_ASSERT(locator->page_count == 0 && heads->narrow && id != 0);
  locator->heads = heads;
  locator->list_id = id;
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

/* A page without rows. NULL: ECS_E_MEMORY. */
static void *create_page(const Locator *locator, Memory *memory) {
  void *page = memory_resize(memory, NULL, 0, page_bytes(locator));
  if (page == NULL) return NULL;
  memset(page, 0xff, page_bytes(locator));
  uint32_t step = (uint32_t)(locator_entry_bytes(locator) / sizeof(uint32_t));
  uint32_t *rows = page;
  if (locator->list_id != 0)
    for (uint32_t i = 0; i < LOCATOR_PAGE_SIZE; i++)
      rows[i * step] = LOCATOR_FRESH;
  return page;
}

ecs_Status locator_reserve(Locator *locator, Memory *memory, uint32_t index) {
  uint32_t page = index >> ECS_LOCATOR_BITS;
  if (locator_ready(locator, index)) return ECS_OK;
  if (page >= locator->page_count && !grow_array(locator, memory, page))
    return ECS_E_MEMORY;
  if (locator->list_id != 0) {
    ecs_Status status = locator_reserve(locator->heads, memory, index);
    if (status != ECS_OK) return status;
  }
  locator->pages[page] = create_page(locator, memory);
  return locator->pages[page] == NULL ? ECS_E_MEMORY : ECS_OK;
}

void locator_empty(Locator *locator) {
  ECS_ASSERT(locator->list_id == 0);
  for (uint32_t i = 0; i < locator->page_count; i++)
    if (locator->pages[i] != NULL)
      memset(locator->pages[i], 0xff, page_bytes(locator));
}

void locator_enlist(Locator *locator, uint32_t index) {
  uint32_t *head = locator_narrow_entry(locator->heads, index);
  ECS_ASSERT(locator_find(locator, index).row == LOCATOR_FRESH);
  *locator_link(locator, index) = *head == LOCATOR_NONE ? 0 : (uint16_t)*head;
  *head = locator->list_id;
  locator_clear(locator, index);
}

static bool page_is_empty(const Locator *locator, uint32_t page) {
  for (uint32_t i = 0; i < LOCATOR_PAGE_SIZE; i++)
    if (locator_is_row(locator_find(locator, page << ECS_LOCATOR_BITS | i).row))
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
  for (uint64_t i = 0; i < capacity << ECS_LOCATOR_BITS; i++)
    found += locator_is_row(locator_find(locator, (uint32_t)i).row);
  return found == places;
}
