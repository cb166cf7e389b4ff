/* placement.h: records where rows are after they were added, moved or removed,
 * and makes room for rows.
 *
 * The counterpart of locate.h. A row of the main group is recorded in the
 * entity's slot. A row of another group is recorded in the group's locator,
 * with the group's bit in the summary of the slot. None of that can fail: rows
 * and locator pages have been reserved. Cost: constant.
 */
#ifndef ECS_PLACEMENT_H
#define ECS_PLACEMENT_H

#include "storage/change_note.h"
#include "storage/locate.h"
#include "storage/table_row.h"

/* Writes the row of an entity that is in the group already. */
static inline void store_set_place(Store *store, Group *group, uint32_t index,
                                   const Table *table, uint32_t row) {
  ECS_ASSERT(row < table->count && group->tables[table->id] == table);
  if (group->id == 0)
    entity_index_move(&store->index, index, table->id, row);
  else
    locator_set(&group->locator, index, (RowId){row, table->id});
}

/* Removes a row and writes the new place of the entity that fills the hole.
 * The place of the removed entity is left as it was. */
static inline void store_remove_row(Store *store, Group *group, Table *table,
                                    uint32_t row) {
  ecs_Entity moved = table_remove(table, row);
  if (moved != 0) store_set_place(store, group, id_index(moved), table, row);
}

/* Writes the first row of an entity in a group other than the main one, with
 * the summary. */
static inline void store_enter(Store *store, Group *group, uint32_t index,
                               const Table *table, uint32_t row) {
  ECS_ASSERT(group->id != 0);
  ECS_ASSERT(row < table->count && group->tables[table->id] == table);
  locator_enter(&group->locator, index, (RowId){row, table->id});
  entity_index_slot(&store->index, index)->table_bits |= group->summary;
}

/* Records that an entity has left a group other than the main one. Clears the
 * summary bit only while summaries are exact. */
ECS_INTERNAL void store_leave(Store *store, Group *group, uint32_t index);

/* Makes room in a table for `rows` more rows with `bits_columns` columns of
 * bits. If columns move, this counts as a structural change, even if the
 * function then fails. ECS_E_MEMORY, ECS_E_LIMIT: no row has changed. */
ECS_INTERNAL ecs_Status store_reserve_rows(Store *store, Group *group,
                                           Table *table, uint32_t bits_columns,
                                           uint64_t rows);

/* Destroys all entities that have a row. Cannot fail; memory is kept. Cost:
 * every row and every index. */
ECS_INTERNAL void store_clear(Store *store);

#endif
