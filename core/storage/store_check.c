/* store_check.c: does everything in a store agree? */
#include "storage/store_check.h"

#include "storage/group_lists.h"

/* The row is where its entity is located, and the entity's slot agrees. */
static bool check_row(const Store *store, const Group *group,
                      const Table *table, uint32_t row) {
  ecs_Entity entity = table->entities[row];
  RowRef main = store_locate_main(store, entity);
  if (main.table == NULL) return false;
  uint32_t table_bits =
      entity_index_slot(&store->index, id_index(entity))->table_bits;
  uint32_t hint = slot_hint(id_generation(entity)) >> SLOT_HINT_SHIFT;
  if (table_bits >> SLOT_HINT_SHIFT != hint) return false;
  if (group->id == 0) return main.table == table && main.row == row;
  RowRef found = store_locate_in(group, id_index(entity));
  if (found.table != table || found.row != row) return false;
  if (table->mask.count == 0 && !table_any_bit(table, row)) return false;
  return (table_bits & group->summary) != 0;
}

static uint64_t count_rows(const Group *group) {
  uint64_t rows = 0;
  for (uint32_t i = 0; i < group->table_count; i++)
    rows += group->tables[i]->count;
  return rows;
}

static bool check_group(const Store *store, const Group *group) {
  if (!group_check_invariants(group)) return false;
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    for (uint32_t row = 0; row < table->count; row++)
      if (!check_row(store, group, table, row)) return false;
  }
  /* As many located entities as rows: none is left of an entity that was
   * removed. */
  return group->id == 0 ||
         locator_check_invariants(&group->locator, count_rows(group));
}

static bool check_component(const Store *store, ecs_Component id) {
  const Component *component = &store->components.all[id];
  const Group *group = component->group;
  return component->group_id < store->groups.count &&
         store->groups.all[component->group_id] == group &&
         component->bit < group->component_count &&
         group->components[component->bit].component == id &&
         group->components[component->bit].bits_index ==
             component->bits_index &&
         component->writers <= component->readers &&
         (component->kept == 0 ||
          (component->guards > 0 && component->writers == 0));
}

bool store_check_invariants(const Store *store) {
  if (!entity_index_check_invariants(&store->index)) return false;
  for (uint32_t i = 1; i < store->components.count; i++)
    if (!check_component(store, i)) return false;
  for (uint32_t i = 0; i < store->groups.count; i++)
    if (store->groups.all[i]->id != i ||
        !check_group(store, store->groups.all[i]))
      return false;
  return store->groups.main == store->groups.all[0] &&
         group_lists_check_invariants(store) &&
         name_index_check_invariants(&store->components.names,
                                     store->components.all,
                                     store->components.count - 1u) &&
         count_rows(store->groups.main) <= store->index.alive_count;
}
