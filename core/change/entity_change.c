/* entity_change.c: changes of one entity, for any component, table and group.
 */
#include "change/entity_change.h"

#include "storage/group_lists.h"
#include "storage/table_image.h"

/* Moves a row along an edge, to a table that has room. */
static uint32_t move_along(Store *store, Group *group, const Edge *edge,
                           ecs_Entity entity, RowRef from) {
  Table *to = group->tables[edge->table];
  ecs_Entity moved = 0;
  ECS_ASSERT(from.table->entities[from.row] == entity);
  ECS_ASSERT(edge_source(edge) == from.table->id);
  uint32_t row = table_move_row(to, from.table, from.row, &edge->range,
                                edge->added, &moved);
  if (moved != 0)
    store_set_place(store, group, id_index(moved), from.table, from.row);
  store_set_place(store, group, id_index(entity), to, row);
  note_moved(store, group, entity, moved != 0 ? moved : entity);
  return row;
}

/* Does the table have room for one more row from the other? */
static inline bool has_room(const Table *to, const Table *from) {
  return to->count < to->capacity && to->bits_columns >= from->bits_columns;
}

/* Finds or creates the edge of a component from a table, and makes room for one
 * more row in the table that it leads to. */
static ecs_Status reserve_move(Store *store, Group *group, const Table *from,
                               uint32_t bit, const Edge **edge) {
  uint32_t tables_before = group->table_count;
  *edge = group_find_edge(group, from, bit);
  if (ECS_LIKELY(*edge != NULL)) {
    const Table *to = group->tables[(*edge)->table];
    if (ECS_LIKELY(has_room(to, from))) return ECS_OK;
  }
  ecs_Status status = group_ensure_edge(group, &store->memory, from, bit, edge);
  if (status != ECS_OK) return status;
  Table *to = group->tables[(*edge)->table];
  status = store_reserve_rows(store, group, to, from->bits_columns, 1);
  if (status != ECS_OK) group_drop_tables(group, &store->memory, tables_before);
  return status;
}

/* Gives an entity its first row in a group other than the main one, in the
 * table of a mask. */
static ecs_Status enter_group(Store *store, Group *group, ecs_Entity entity,
                              Mask mask, uint32_t bits_columns,
                              RowRef *location) {
  uint32_t entity_index = id_index(entity);
  uint32_t tables_before = group->table_count;
  ecs_Status status =
      group_ensure_table(group, &store->memory, mask, &location->table);
  if (status != ECS_OK) return status;
  status = store_reserve_rows(store, group, location->table, bits_columns, 1);
  if (status == ECS_OK)
    status = locator_reserve(&group->locator, &store->memory, entity_index);
  if (status != ECS_OK) {
    group_drop_tables(group, &store->memory, tables_before);
    return status;
  }
  ECS_ASSERT(store_locate_in(group, entity_index).table == NULL);
  location->row = table_append(location->table, entity);
  store_enter(store, group, entity_index, location->table, location->row);
  note_entered(store, group, entity_index, location->row);
  return ECS_OK;
}

static ecs_Status enter_with(Store *store, Group *group, ecs_Entity entity,
                             uint32_t bit, RowRef *place) {
  uint64_t word = 0;
  return enter_group(store, group, entity, mask_single(&word, bit), 0, place);
}

/* The row of a group; the entity's row of the main group is known. */
static inline RowRef locate_from(const Group *group, ecs_Entity entity,
                                 RowRef main) {
  return group->id == 0 ? main : store_locate_in(group, id_index(entity));
}

static ecs_Status set_bit(Store *store, Component *component, ecs_Entity entity,
                          RowRef place) {
  Group *group = component->group;
  uint32_t bit = component->bit;
  uint32_t columns = group_bits_columns(group, bit);
  uint32_t index = group->components[bit].bits_index;
  if (place.table != NULL && table_has_bit(place.table, place.row, index))
    return ECS_OK;
  ecs_Status status =
      place.table == NULL
          ? enter_group(store, group, entity, (Mask){0}, columns, &place)
          : table_reserve_bits(place.table, &store->memory, columns);
  if (status != ECS_OK) return status;
  table_write_bit(place.table, place.row, index, true);
  note_component(store, component, 1);
  return ECS_OK;
}

/* Adds a component with columns, or a tag in tables; *place gets the row that
 * has it afterwards. */
static inline ecs_Status add_to_row(Store *store, Group *group,
                                    ecs_Entity entity, uint32_t bit,
                                    RowRef *place) {
  const Edge *edge = NULL;
  if (place->table == NULL) return enter_with(store, group, entity, bit, place);
  ecs_Status status = reserve_move(store, group, place->table, bit, &edge);
  if (status != ECS_OK) return status;
  *place = (RowRef){group->tables[edge->table],
                    move_along(store, group, edge, entity, *place)};
  return ECS_OK;
}

static inline void store_added(RowRef place, const Component *component,
                               const void *image) {
  if (component->schema->field_count == 0) return;
  if (image != NULL)
    table_store_all(place.table, place.row, component->bit, component->schema,
                    image);
  else
    table_store_defaults(place.table, place.row, component->bit,
                         component->schema);
}

ecs_Status store_add_any(Store *store, ecs_Entity entity, Component *component,
                         const void *image) {
  Group *group = component->group;
  RowRef place = store_locate_main(store, entity);
  if (place.table == NULL) return ECS_E_DEAD;
  place = locate_from(group, entity, place);
  if (component_is_bits(component))
    return set_bit(store, component, entity, place);
  if (place.table != NULL && table_has(place.table, component->bit))
    return ECS_OK;
  ecs_Status status = add_to_row(store, group, entity, component->bit, &place);
  if (status != ECS_OK) return status;
  component->changes++;
  store_added(place, component, image);
  return ECS_OK;
}

static inline void leave_group(Store *store, Group *group, ecs_Entity entity,
                               RowRef place) {
  ECS_ASSERT(place.table->entities[place.row] == entity);
  store_remove_row(store, group, place.table, place.row);
  store_leave(store, group, id_index(entity));
  note_left(store, group, id_index(entity), place.row);
}

static void clear_bit(Store *store, Component *component, ecs_Entity entity,
                      RowRef place) {
  Group *group = component->group;
  uint32_t index = group->components[component->bit].bits_index;
  if (place.table == NULL || !table_has_bit(place.table, place.row, index))
    return;
  table_write_bit(place.table, place.row, index, false);
  if (group->id != 0 && place.table->mask.count == 0 &&
      !table_any_bit(place.table, place.row))
    leave_group(store, group, entity, place);
  note_component(store, component, 1);
}

/* Is the component the only one of the group that the entity has? */
static inline bool is_last(const Group *group, RowRef place, uint32_t bit) {
  if (group->locator.narrow) return true;
  return group->id != 0 && table_has_only(place.table, bit) &&
         !table_any_bit(place.table, place.row);
}

ecs_Status store_remove_any(Store *store, ecs_Entity entity,
                            Component *component) {
  const Edge *edge = NULL;
  Group *group = component->group;
  RowRef place = store_locate_main(store, entity);
  if (place.table == NULL) return ECS_E_DEAD;
  place = locate_from(group, entity, place);
  if (component_is_bits(component)) {
    clear_bit(store, component, entity, place);
    return ECS_OK;
  }
  if (place.table == NULL || !table_has(place.table, component->bit))
    return ECS_OK;
  if (is_last(group, place, component->bit)) {
    leave_group(store, group, entity, place);
    component->changes++;
    return ECS_OK;
  }
  ecs_Status status =
      reserve_move(store, group, place.table, component->bit, &edge);
  if (status != ECS_OK) return status;
  move_along(store, group, edge, entity, place);
  component->changes++;
  return ECS_OK;
}

static inline void leave_if_in(Store *store, Group *group, ecs_Entity entity) {
  RowId row_id = locator_find(&group->locator, id_index(entity));
  if (!locator_is_row(row_id.row)) return;
  RowRef place = {
      group->locator.narrow ? group->first : group->tables[row_id.table],
      row_id.row};
  if (place.table != NULL) leave_group(store, group, entity, place);
}

/* Removes the entity's row from every group that its list names. */
static ECS_COLD void leave_listed(Store *store, ecs_Entity entity) {
  uint32_t id = group_lists_take(store, id_index(entity));
  while (id != 0) {
    Group *group = store->groups.all[id];
    leave_if_in(store, group, entity);
    id = group_lists_next(group, id_index(entity));
  }
}

/* Removes the entity's row from every group that its summary or its list names;
 * the main group is not among them. */
static void leave_all(Store *store, ecs_Entity entity, uint32_t summary) {
  uint32_t near = store->groups.count;
  if (ECS_UNLIKELY(near > ECS_NEAR_GROUPS)) {
    near = ECS_NEAR_GROUPS;
    if (summary >> (SLOT_SUMMARY_BITS - 1u) != 0) leave_listed(store, entity);
  }
  for (; summary != 0; summary &= summary - 1) {
    uint32_t first = 1u + (uint32_t)__builtin_ctz(summary);
    for (uint32_t i = first; i < near; i += SLOT_SUMMARY_BITS)
      leave_if_in(store, store->groups.all[i], entity);
  }
}

void store_destroy_any(Store *store, ecs_Entity entity) {
  Group *main = store_main(store);
  RowRef place = store_locate_main(store, entity);
  uint32_t index = id_index(entity);
  ECS_ASSERT(place.table != NULL);
  uint32_t summary = slot_summary(*entity_index_slot(&store->index, index));
  leave_all(store, entity, summary);
  store_remove_row(store, main, place.table, place.row);
  entity_index_free(&store->index, index, id_generation(entity));
  ecs_Entity filler = place.row < place.table->count
                          ? place.table->entities[place.row]
                          : entity;
  note_moved(store, main, filler, filler);
}
