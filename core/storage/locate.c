/* locate.c: where an entity's row of a component is. */
#include "storage/locate.h"

bool store_is_reserved(const Store *store, ecs_Entity entity) {
  uint32_t index = id_index(entity);
  if (index == 0 || index >= store->index.used) return false;
  Slot slot = *entity_index_slot(&store->index, index);
  return slot_state(slot) == SLOT_RESERVED &&
         id_make(index, slot.table_bits) == entity;
}

bool store_alive(const Store *store, ecs_Entity entity) {
  return store_locate_main(store, entity).table != NULL ||
         store_is_reserved(store, entity);
}

ecs_Status store_locate(const Store *store, ecs_Entity entity, ecs_Component id,
                        RowRef *location) {
  ECS_ASSERT(id - 1u < store->components.count - 1u);
  const Component *component = &store->components.all[id];
  const Group *group = component->group;
  RowRef row = store_locate_main(store, entity);
  *location = (RowRef){NULL, 0};
  if (row.table == NULL) return ECS_E_DEAD;
  if (group->id != 0) row = store_locate_in(group, id_index(entity));
  if (row.table == NULL) return ECS_OK;
  ECS_ASSERT(row.table->entities[row.row] == entity);
  bool present = group_is_bits(group, component->bit)
                     ? table_has_bit(row.table, row.row, component->bits_index)
                     : table_has(row.table, component->bit);
  if (present) *location = row;
  return ECS_OK;
}
