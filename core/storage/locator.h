/* locator.h: a paged sparse array from an entity's index to its row.
 *
 *      index ------> pages[index / 4096] ---> [index % 4096] ---> row, table
 *                    NULL: no entity there
 *
 * A group other than the main one has a locator to find the row of an entity. A
 * narrow locator serves a group of one table and keeps four bytes per entry, a
 * wide one keeps eight. Cost: constant; memory: whole pages where any index is
 * used.
 */
#ifndef ECS_LOCATOR_H
#define ECS_LOCATOR_H

#include "base/memory.h"

#define LOCATOR_NONE UINT32_MAX
#define LOCATOR_PAGE_SIZE (1u << ECS_PAGE_BITS)

typedef struct RowId {
  uint32_t row;   /* LOCATOR_NONE: the entity has none */
  uint32_t table; /* id; 0 in a narrow locator */
} RowId;

typedef struct Locator {
  void **pages;        /* owned; NULL where no index was ever reserved */
  uint32_t page_count; /* entries of pages */
  bool narrow;         /* entries are rows of table 0: uint32_t, not RowId */
} Locator;

/* Allocates nothing. */
ECS_INTERNAL void locator_init(Locator *locator, bool narrow);
ECS_INTERNAL void locator_deinit(Locator *locator, Memory *memory);

/* Allocates the page of an index, so that locator_set may be called for it.
 * ECS_E_MEMORY: no entry has changed. Cost: a page, when it is missing. */
ECS_INTERNAL ecs_Status locator_reserve(Locator *locator, Memory *memory,
                                        uint32_t index);

/* Frees the pages on which no index has a row. Cost: every entry. */
ECS_INTERNAL void locator_trim(Locator *locator, Memory *memory);

/* Checked builds: do exactly `places` indices have a row? Cost: every entry. */
ECS_INTERNAL bool locator_check_invariants(const Locator *locator,
                                           uint64_t places);

/* Has the index a page, so that it can be set? Cost: two loads. */
static inline bool locator_ready(const Locator *locator, uint32_t index) {
  uint32_t page = index >> ECS_PAGE_BITS;
  return page < locator->page_count && locator->pages[page] != NULL;
}

/* The row of an index; LOCATOR_NONE when it has none. */
static inline RowId locator_find(const Locator *locator, uint32_t index) {
  uint32_t entry = index & (LOCATOR_PAGE_SIZE - 1u);
  RowId none = {LOCATOR_NONE, 0};
  const void *page;
  if (!locator_ready(locator, index)) return none;
  page = locator->pages[index >> ECS_PAGE_BITS];
  if (locator->narrow) return (RowId){((const uint32_t *)page)[entry], 0};
  return ((const RowId *)page)[entry];
}

/* The entry of a narrow locator, borrowed while it lives: pages never move. The
 * index must be ready. */
static inline uint32_t *locator_narrow_entry(const Locator *locator,
                                             uint32_t index) {
  ECS_ASSERT(locator->narrow && locator_ready(locator, index));
  return (uint32_t *)locator->pages[index >> ECS_PAGE_BITS] +
         (index & (LOCATOR_PAGE_SIZE - 1u));
}

/* Writes the row of an index, which must be ready. */
static inline void locator_set(Locator *locator, uint32_t index, RowId row_id) {
  uint32_t entry = index & (LOCATOR_PAGE_SIZE - 1u);
  void *page = locator->pages[index >> ECS_PAGE_BITS];
  ECS_ASSERT(locator_ready(locator, index));
  ECS_ASSERT(!locator->narrow || row_id.table == 0);
  if (locator->narrow)
    ((uint32_t *)page)[entry] = row_id.row;
  else
    ((RowId *)page)[entry] = row_id;
}

/* Records that an index, which must be ready, has no row. */
static inline void locator_clear(Locator *locator, uint32_t index) {
  locator_set(locator, index, (RowId){LOCATOR_NONE, 0});
}

#endif
