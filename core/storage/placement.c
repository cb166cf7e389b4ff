/* placement.c: records where rows are after they were added, moved or removed.
 */
#include "storage/placement.h"

void store_leave(Store *store, Group *group, uint32_t index) {
  ECS_ASSERT(group->id != 0);
  locator_clear(&group->locator, index);
  if (summary_is_exact(store))
    entity_index_slot(&store->index, index)->table_bits &= ~group->summary;
}

ecs_Status store_reserve_rows(Store *store, Group *group, Table *table,
                              uint32_t bits_columns, uint64_t rows) {
  uint32_t capacity = table->capacity, bits_before = table->bits_columns;
  ecs_Status status = table_reserve_bits(table, &store->memory, bits_columns);
  if (status == ECS_OK) status = table_reserve(table, &store->memory, rows);
  if (table->capacity != capacity || table->bits_columns != bits_before)
    note_all(store, group);
  return status;
}

/* Clearing -------------------------------------------------------------- */

static void clear_group(Store *store, Group *group) {
  for (uint32_t i = 0; i < group->table_count; i++) {
    Table *table = group->tables[i];
    for (uint32_t row = 0; row < table->count; row++) {
      if (group->id != 0)
        locator_clear(&group->locator, id_index(table->entities[row]));
    }
    table_clear(table);
  }
  note_all(store, group);
}

/* Frees the index of every entity that has a row, the highest first: which
 * handles come next must not depend on how the entities were stored. */
static void free_placed(Store *store) {
  for (uint32_t i = store->index.used - 1; i > 0; i--) {
    Slot slot = *entity_index_slot(&store->index, i);
    if (slot_state(slot) != SLOT_PLACED) continue;
    ECS_ASSERT(slot_table(slot) < store_main(store)->table_count);
    const Table *table = store_main(store)->tables[slot_table(slot)];
    ECS_ASSERT(id_index(table->entities[slot_row(slot)]) == i);
    entity_index_free(&store->index, i,
                      id_generation(table->entities[slot_row(slot)]));
  }
}

void store_clear(Store *store) {
  free_placed(store);
  for (uint32_t i = store->groups.count; i-- > 0;)
    clear_group(store, store->groups.all[i]);
}
