/* locator.h: a paged sparse array from an entity's index to a place.
 *
 *      index ------> pages[index / 4096] ---> [index % 4096] ---> table, row
 *                    NULL: nobody there
 *
 * A group other than the main one has a locator to find the row of an entity.
 * A narrow locator knows one table only and keeps four bytes per entry, a wide
 * one keeps eight. Cost: constant; memory: whole pages where any index is used.
 */
#ifndef ECS_LOCATOR_H
#define ECS_LOCATOR_H

#include "base/memory.h"

#define LOCATOR_NONE UINT32_MAX
#define LOCATOR_PAGE_SIZE (1u << ECS_PAGE_BITS)

typedef struct RowId {
  uint32_t row; /* LOCATOR_NONE: no place */
  uint32_t table;
} RowId;

typedef struct Locator {
  void **pages;        /* NULL where no index was ever placed */
  uint32_t page_count; /* of the array, which is also its capacity */
  bool narrow;         /* entries are rows of table 0, not places */
} Locator;

/* Allocates nothing. */
ECS_INTERNAL void locator_init(Locator *locator, bool narrow);
ECS_INTERNAL void locator_deinit(Locator *locator, Memory *memory);

/* Makes sure that index can be set without failing. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status locator_reserve(Locator *locator, Memory *memory,
                                        uint32_t index);

/* Checked builds: are there that many entries? Cost: every page. */
ECS_INTERNAL bool locator_check_invariants(const Locator *locator,
                                           uint64_t places);

/* Has the index a page, so that it can be set? */
static inline bool locator_ready(const Locator *locator, uint32_t index) {
  uint32_t page = index >> ECS_PAGE_BITS;
  return page < locator->page_count && locator->pages[page] != NULL;
}

static inline RowId locator_find(const Locator *locator, uint32_t index) {
  uint32_t entry = index & (LOCATOR_PAGE_SIZE - 1u);
  RowId none = {LOCATOR_NONE, 0};
  const void *page;
  if (!locator_ready(locator, index)) return none;
  page = locator->pages[index >> ECS_PAGE_BITS];
  if (locator->narrow) return (RowId){((const uint32_t *)page)[entry], 0};
  return ((const RowId *)page)[entry];
}

/* The entry of a narrow locator; the index must be ready. */
static inline uint32_t *locator_narrow_entry(const Locator *locator,
                                             uint32_t index) {
  ECS_ASSERT(locator->narrow && locator_ready(locator, index));
  return (uint32_t *)locator->pages[index >> ECS_PAGE_BITS] +
         (index & (LOCATOR_PAGE_SIZE - 1u));
}

/* The index must be ready. */
static inline void locator_set(Locator *locator, uint32_t index, RowId place) {
  uint32_t entry = index & (LOCATOR_PAGE_SIZE - 1u);
  void *page = locator->pages[index >> ECS_PAGE_BITS];
  ECS_ASSERT(locator_ready(locator, index));
  ECS_ASSERT(!locator->narrow || place.table == 0);
  if (locator->narrow)
    ((uint32_t *)page)[entry] = place.row;
  else
    ((RowId *)page)[entry] = place;
}

static inline void locator_clear(Locator *locator, uint32_t index) {
  locator_set(locator, index, (RowId){LOCATOR_NONE, 0});
}

#endif
