/* matched_tables.h: the tables of a group that a query asks for.
 *
 * A query attaches one list to every group it asks (group.h). The group adds
 * each new table that fits and removes the tables that it drops, so the list is
 * always up to date and queries never search for tables.
 */
#ifndef ECS_MATCHED_TABLES_H
#define ECS_MATCHED_TABLES_H

#include "storage/table.h"

struct Group;

typedef struct MatchedTables {
  struct Group *group; /* that keeps it up to date; NULL: it is not attached */
  uint32_t position;   /* among the lists of the group */
  uint64_t *required;  /* owned; components that a table must have */
  uint64_t *excluded;  /* owned; components that it must not have */
  uint64_t *offered;   /* owned; components that a choice is among */
  bool chooses;        /* a table must have one that is offered */
  uint32_t words;      /* of each of the three masks */
  uint32_t *tables;    /* owned; ids, ascending */
  uint32_t count;
  uint32_t capacity;
} MatchedTables;

/* Frees masks and table ids. The list must not be attached any more. */
ECS_INTERNAL void matched_tables_deinit(MatchedTables *match, Memory *memory);

/* Makes room for one more table. False: ECS_E_MEMORY, nothing has changed. */
ECS_INTERNAL bool matched_tables_reserve(MatchedTables *match, Memory *memory);

/* Has the table something that is offered? */
static inline bool matched_tables_offer(const MatchedTables *match,
                                        const Table *table) {
  for (uint32_t i = 0; i < match->words; i++)
    if ((mask_word(&table->mask, i) & match->offered[i]) != 0) return true;
  return false;
}

/* Has the table all that is required, nothing that is excluded, and something
 * that is offered where that must be? */
static inline bool matched_tables_fit(const MatchedTables *match,
                                      const Table *table) {
  for (uint32_t i = 0; i < match->words; i++) {
    uint64_t mask = mask_word(&table->mask, i);
    if ((mask & match->required[i]) != match->required[i]) return false;
    if ((mask & match->excluded[i]) != 0) return false;
  }
  return !match->chooses || matched_tables_offer(match, table);
}

/* Adds a table that fits. Its id is higher than every id in the list. Room must
 * be reserved. */
static inline void matched_tables_enter(MatchedTables *match,
                                        uint32_t table_id) {
  ECS_ASSERT(match->count < match->capacity);
  ECS_ASSERT(match->count == 0 || match->tables[match->count - 1] < table_id);
  match->tables[match->count++] = table_id;
}

/* Removes the tables with an id of table_count or higher. */
static inline void matched_tables_drop(MatchedTables *match,
                                       uint32_t table_count) {
  while (match->count > 0 && match->tables[match->count - 1] >= table_count)
    match->count--;
}

#endif
