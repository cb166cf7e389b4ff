/* locator.h: a paged sparse array from an entity's index to its row.
 *
 *      index ------> pages[index / 256] ---> [index % 256] ---> row, table
 *                    NULL: no entity there
 *
 * A group other than the main one has a locator to find the row of an entity. A
 * narrow locator serves a group of one table and keeps four bytes per entry, a
 * wide one keeps eight. Cost: constant; memory: whole pages where any index is
 * used, and an address for each page below the highest. Pages are small, so that
 * a set of few entities is; they take 3 % more than one array would.
 *
 * A locator may list (group_lists.h). Then its pages hold a link for each entry,
 * and an index that has not been in the locator yet is fresh: to give it a row
 * is to link it. A locator that does not list has no fresh indices, so that a row
 * is written without a question. Neither number is a row.
 */
#ifndef ECS_LOCATOR_H
#define ECS_LOCATOR_H

#include "base/memory.h"

#define LOCATOR_NONE UINT32_MAX         /* no row */
#define LOCATOR_FRESH (UINT32_MAX - 1u) /* no row, and no link */
#define LOCATOR_PAGE_SIZE (1u << ECS_LOCATOR_BITS)

typedef struct RowId {
  uint32_t row;   /* LOCATOR_FRESH or more: the entity has none */
  uint32_t table; /* id; 0 in a narrow locator */
} RowId;

typedef struct Locator Locator;
struct Locator {
  void **pages;        /* owned; NULL where no index was ever reserved */
  uint32_t page_count; /* entries of pages */
  bool narrow;         /* entries are rows of table 0: uint32_t, not RowId */
  uint16_t list_id;    /* its number in lists; 0: it does not list */
  Locator *heads;      /* that lists; borrowed: index -> the first number */
};

/* Allocates nothing. */
ECS_INTERNAL void locator_init(Locator *locator, bool narrow);
ECS_INTERNAL void locator_deinit(Locator *locator, Memory *memory);

/* Makes a locator without pages list. heads: a narrow locator, which must stay at
 * its address; id: its number there. */
ECS_INTERNAL void locator_list(Locator *locator, Locator *heads, uint16_t id);

/* Allocates the page of an index, so that it may get a row and be linked.
 * ECS_E_MEMORY: no entry has changed. Cost: a page, when it is missing. */
ECS_INTERNAL ecs_Status locator_reserve(Locator *locator, Memory *memory,
                                        uint32_t index);

/* Takes all rows out of a locator that does not list. Cost: its pages. */
ECS_INTERNAL void locator_empty(Locator *locator);

/* Frees the pages on which no index has a row. Cost: every entry. */
ECS_INTERNAL void locator_trim(Locator *locator, Memory *memory);

/* Checked builds: do exactly `places` indices have a row? Cost: every entry. */
ECS_INTERNAL bool locator_check_invariants(const Locator *locator,
                                           uint64_t places);

/* Has the index a page, so that it can be set? Cost: two loads. */
static inline bool locator_ready(const Locator *locator, uint32_t index) {
  uint32_t page = index >> ECS_LOCATOR_BITS;
  return page < locator->page_count && locator->pages[page] != NULL;
}

/* Is a row of an entry one? */
static inline bool locator_is_row(uint32_t row) { return row < LOCATOR_FRESH; }

/* The row of an index; LOCATOR_NONE or LOCATOR_FRESH when it has none. */
static inline RowId locator_find(const Locator *locator, uint32_t index) {
  uint32_t entry = index & (LOCATOR_PAGE_SIZE - 1u);
  RowId none = {LOCATOR_NONE, 0};
  const void *page;
  if (!locator_ready(locator, index)) return none;
  page = locator->pages[index >> ECS_LOCATOR_BITS];
  if (locator->narrow) return (RowId){((const uint32_t *)page)[entry], 0};
  return ((const RowId *)page)[entry];
}

/* The entry of a narrow locator, borrowed while it lives: pages never move. The
 * index must be ready. */
static inline uint32_t *locator_narrow_entry(const Locator *locator,
                                             uint32_t index) {
  ECS_ASSERT(locator->narrow && locator_ready(locator, index));
  return (uint32_t *)locator->pages[index >> ECS_LOCATOR_BITS] +
         (index & (LOCATOR_PAGE_SIZE - 1u));
}

/* Writes the row of an index, which must be ready; it is not linked. */
static inline void locator_set(Locator *locator, uint32_t index, RowId row_id) {
  uint32_t entry = index & (LOCATOR_PAGE_SIZE - 1u);
  void *page = locator->pages[index >> ECS_LOCATOR_BITS];
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

/* The bytes of an entry without its link. */
static inline size_t locator_entry_bytes(const Locator *locator) {
  return locator->narrow ? sizeof(uint32_t) : sizeof(RowId);
}

/* The link of an index that is ready: the number of the locator behind this one
 * in the list of the index, 0: none. It has a meaning unless the index is fresh.
 */
static inline uint16_t *locator_link(const Locator *locator, uint32_t index) {
  ECS_ASSERT(locator->list_id != 0 && locator_ready(locator, index));
  char *page = locator->pages[index >> ECS_LOCATOR_BITS];
  return (uint16_t *)(void *)(page + LOCATOR_PAGE_SIZE *
                                         locator_entry_bytes(locator)) +
         (index & (LOCATOR_PAGE_SIZE - 1u));
}

/* Puts the locator in front of the list of a fresh index, which must be ready: it
 * is not fresh any more, and has no row. */
ECS_INTERNAL void locator_enlist(Locator *locator, uint32_t index);

/* Writes the first row of an index, which must be ready and have none. */
static inline void locator_enter(Locator *locator, uint32_t index,
                                 RowId row_id) {
  if (locator_find(locator, index).row == LOCATOR_FRESH)
    locator_enlist(locator, index);
  locator_set(locator, index, row_id);
}

#endif
