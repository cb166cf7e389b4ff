/* store.c: components, groups and entities, and the changes of one entity. */
#include "storage/store.h"

/* Life ------------------------------------------------------------------ */

static ecs_Status append_group(Store *store, bool narrow) {
  void *groups = store->groups;
  if (store->group_count >= ECS_GROUP_LIMIT) return ECS_E_LIMIT;
  if (!memory_grow(&store->memory, &groups, &store->group_capacity,
                   store->group_count, 1, sizeof(Group *)))
    return ECS_E_MEMORY;
  store->groups = groups;
  Group *group = group_create(&store->memory, store->group_count, narrow);
  if (group == NULL) return ECS_E_MEMORY;
  store->groups[store->group_count++] = group;
  store->main = store->groups[0];
  return ECS_OK;
}

static void pop_group(Store *store) {
  group_destroy(store->groups[--store->group_count], &store->memory);
}

ecs_Status store_init(Store *store, ecs_Memory memory, uint64_t limit_bytes) {
  Table *table = NULL;
  *store = (Store){.component_count = 1};
  memory_init(&store->memory, memory, limit_bytes);
  entity_index_init(&store->index);
  ecs_Status status = append_group(store, false);
  if (status == ECS_OK) /* the table of entities without components */
    status =
        group_ensure_table(store_main(store), &store->memory, NULL, 0, &table);
  if (status != ECS_OK) store_deinit(store);
  return status;
}

void store_deinit(Store *store) {
  Memory *memory = &store->memory;
  for (uint32_t i = 0; i < store->group_count; i++)
    group_destroy(store->groups[i], memory);
  for (uint32_t i = 1; i < store->component_count; i++)
    schema_destroy(memory, store->components[i].schema);
  entity_index_deinit(&store->index, memory);
  memory_free(memory, store->components,
              store->component_capacity * sizeof(Component));
  memory_free(memory, store->groups, store->group_capacity * sizeof(Group *));
}

/* Components ------------------------------------------------------------ */

ecs_Component store_find_component(const Store *store, const char *name) {
  for (uint32_t i = 1; i < store->component_count; i++)
    if (strcmp(store->components[i].schema->name, name) == 0) return i;
  return 0;
}

static ecs_Status redefine(const Store *store,
                           const ecs_ComponentDescription *how,
                           ecs_Component found, ecs_Component *component) {
  const Component *known = &store->components[found];
  if (known->storage != how->storage || !schema_matches(known->schema, how))
    return ECS_E_SCHEMA;
  *component = found;
  return ECS_OK;
}

static bool grow_components(Store *store) {
  void *components = store->components;
  uint32_t in_use = store->components == NULL ? 0 : store->component_count;
  bool grown =
      memory_grow(&store->memory, &components, &store->component_capacity,
                  in_use, 2, sizeof(Component));
  store->components = components;
  return grown;
}

static bool all_cells(const Schema *schema) {
  for (uint32_t i = 0; i < schema->field_count; i++)
    if (schema->fields[i].shift != 2) return false;
  return true;
}

void component_settle(Component *component, Group *group, uint32_t bit) {
  const Schema *schema = component->schema;
  bool main = group->id == 0 && component->storage != ECS_STORE_BITS;
  bool plain = schema->uniform == ECS_F32 || schema->field_count == 0;
  component->group = group;
  component->group_id = group->id;
  component->bit = bit;
  component->last_edge_key = last_edge_key(bit, true);
  component->field_count = schema->field_count;
  component->bits_index = group->components[bit].bits_index;
  component->add = store_add_any;
  component->remove = main ? store_remove_in_main : store_remove_any;
  if (plain && main) component->add = store_add_in_main;
  if (component->storage == ECS_STORE_BITS && group->id == 0) {
    component->add = store_add_as_bit;
    component->remove = store_remove_as_bit;
  }
  if (!group->locator.narrow) return;
  if (plain) component->add = store_add_to_set;
  if (all_cells(schema)) component->remove = store_remove_from_set;
}

/* Puts a component without rows into its first group. */
static ecs_Status settle(Store *store, Component *component, ecs_Component id) {
  bool sparse = component->storage == ECS_STORE_SPARSE;
  bool bits = component->storage == ECS_STORE_BITS;
  ecs_Status status = sparse ? append_group(store, true) : ECS_OK;
  if (status != ECS_OK) return status;
  Group *group = store->groups[sparse ? store->group_count - 1 : 0];
  uint32_t bit = group->component_count;
  status =
      group_add_component(group, &store->memory, id, component->schema, bits);
  if (status == ECS_OK)
    component_settle(component, group, bit);
  else if (sparse)
    pop_group(store);
  return status;
}

ecs_Status store_define(Store *store, const ecs_ComponentDescription *how,
                        ecs_Component *component) {
  Component fresh = {.storage = how->storage};
  ecs_Component found =
      how->name == NULL ? 0 : store_find_component(store, how->name);
  if (found != 0) return redefine(store, how, found, component);
  ecs_Status status = schema_create(&store->memory, how, &fresh.schema);
  if (status != ECS_OK) return status;
  if (store->component_count > ECS_COMPONENT_LIMIT)
    status = ECS_E_LIMIT;
  else if (how->storage == ECS_STORE_BITS && fresh.schema->field_count > 0)
    status = ECS_E_COMPONENT;
  else if (!grow_components(store))
    status = ECS_E_MEMORY;
  else
    status = settle(store, &fresh, store->component_count);
  if (status != ECS_OK) {
    schema_destroy(&store->memory, fresh.schema);
    return status;
  }
  *component = store->component_count;
  store->components[store->component_count++] = fresh;
  return ECS_OK;
}

/* Finding --------------------------------------------------------------- */

uint64_t store_structure_version(const Store *store) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < store->group_count; i++)
    sum += store->groups[i]->version;
  return sum;
}

bool store_is_reserved(const Store *store, ecs_Entity entity) {
  uint32_t at = id_index(entity);
  if (at == 0 || at >= store->index.used) return false;
  Slot slot = *entity_index_slot(&store->index, at);
  return slot_state(slot) == SLOT_RESERVED &&
         id_make(at, slot.table_bits) == entity;
}

bool store_alive(const Store *store, ecs_Entity entity) {
  return store_locate_main(store, entity).table != NULL ||
         store_is_reserved(store, entity);
}

ecs_Status store_locate(const Store *store, ecs_Entity entity,
                        ecs_Component component, RowRef *location) {
  const Component *what = &store->components[component];
  const Group *group = what->group;
  RowRef place = store_locate_main(store, entity);
  *location = (RowRef){NULL, 0};
  if (place.table == NULL) return ECS_E_DEAD;
  if (group->id != 0) place = store_locate_in(group, id_index(entity));
  if (place.table == NULL) return ECS_OK;
  bool there = group_is_bits(group, what->bit)
                   ? table_has_bit(place.table, place.row,
                                   group->components[what->bit].bits_index)
                   : table_has(place.table, what->bit);
  if (there) *location = place;
  return ECS_OK;
}

/* Changing one entity --------------------------------------------------- */

ecs_Status store_reserve_rows(Store *store, Group *group, Table *table,
                              uint32_t bits_columns, uint64_t rows) {
  uint32_t capacity = table->capacity, bits_before = table->bits_columns;
  ecs_Status status = table_reserve_bits(table, &store->memory, bits_columns);
  if (status == ECS_OK) status = table_reserve(table, &store->memory, rows);
  if (table->capacity != capacity || table->bits_columns != bits_before)
    store_touch(store, group);
  return status;
}

void store_leave(Store *store, Group *group, uint32_t at) {
  locator_clear(&group->locator, at);
  if (summary_is_exact(store))
    entity_index_slot(&store->index, at)->table_bits &= ~group->summary;
}

/* Moves a row along an edge whose target has room. */
static uint32_t walk_edge(Store *store, Group *group, const Edge *edge,
                          ecs_Entity entity, RowRef from) {
  Table *to = group->tables[edge->table];
  ecs_Entity moved = 0;
  uint32_t row = table_move_row(to, from.table, from.row, &edge->range,
                                edge->added, &moved);
  if (moved != 0)
    store_set_place(store, group, id_index(moved), from.table, from.row);
  store_set_place(store, group, id_index(entity), to, row);
  store_touch(store, group);
  return row;
}

/* Does the table have room for one more row from the other? */
static inline bool has_room(const Table *to, const Table *from) {
  return to->count < to->capacity && to->bits_columns >= from->bits_columns;
}

/* The edge of a component from where the entity is, its target with room for
 * one more row. */
static ecs_Status reserve_walk(Store *store, Group *group, const Table *from,
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

/* A first place in a group other than the main one, in the table of mask. */
static ecs_Status enter_group(Store *store, Group *group, ecs_Entity entity,
                              const uint64_t *mask, uint32_t words,
                              uint32_t bits_columns, RowRef *location) {
  uint32_t at = id_index(entity);
  uint32_t tables_before = group->table_count;
  ecs_Status status =
      group_ensure_table(group, &store->memory, mask, words, &location->table);
  if (status != ECS_OK) return status;
  status = store_reserve_rows(store, group, location->table, bits_columns, 1);
  if (status == ECS_OK)
    status = locator_reserve(&group->locator, &store->memory, at);
  if (status != ECS_OK) {
    group_drop_tables(group, &store->memory, tables_before);
    return status;
  }
  location->row = table_append(location->table, entity);
  store_enter(store, group, at, location->table, location->row);
  store_touch(store, group);
  return ECS_OK;
}

static ecs_Status enter_with(Store *store, Group *group, ecs_Entity entity,
                             uint32_t bit, RowRef *place) {
  uint64_t few[8] = {0};
  uint32_t words = bit / 64u + 1u;
  uint64_t *mask = few;
  if (words > 8) mask = memory_zeroed(&store->memory, words, sizeof(uint64_t));
  if (mask == NULL) return ECS_E_MEMORY;
  mask[bit >> 6] = UINT64_C(1) << (bit & 63u);
  ecs_Status status = enter_group(store, group, entity, mask, words, 0, place);
  if (mask != few) memory_free(&store->memory, mask, words * sizeof(uint64_t));
  return status;
}

/* The row in the component's group of an entity whose main row is known. */
static inline RowRef place_in(const Group *group, ecs_Entity entity,
                              RowRef main) {
  return group->id == 0 ? main : store_locate_in(group, id_index(entity));
}

static ecs_Status set_bit(Store *store, Group *group, ecs_Entity entity,
                          uint32_t bit, RowRef place) {
  uint32_t columns = bits_columns_for(group, bit);
  uint32_t index = group->components[bit].bits_index;
  if (place.table != NULL && table_has_bit(place.table, place.row, index))
    return ECS_OK;
  ecs_Status status =
      place.table == NULL
          ? enter_group(store, group, entity, NULL, 0, columns, &place)
          : table_reserve_bits(place.table, &store->memory, columns);
  if (status != ECS_OK) return status;
  table_write_bit(place.table, place.row, index, true);
  store_touch(store, group);
  return ECS_OK;
}

/* The row the component is in afterwards. */
static inline ecs_Status add_to_row(Store *store, Group *group,
                                    ecs_Entity entity, uint32_t bit,
                                    RowRef *place) {
  const Edge *edge = NULL;
  if (place->table == NULL) return enter_with(store, group, entity, bit, place);
  ecs_Status status = reserve_walk(store, group, place->table, bit, &edge);
  if (status != ECS_OK) return status;
  *place = (RowRef){group->tables[edge->table],
                    walk_edge(store, group, edge, entity, *place)};
  return ECS_OK;
}

static inline void store_added(RowRef place, const Component *what,
                               const void *image) {
  if (what->schema->field_count == 0) return;
  if (image != NULL)
    table_store_all(place.table, place.row, what->bit, what->schema, image);
  else
    table_store_defaults(place.table, place.row, what->bit, what->schema);
}

ecs_Status store_add_any(Store *store, ecs_Entity entity, const Component *what,
                         const void *image) {
  Group *group = what->group;
  RowRef place = store_locate_main(store, entity);
  if (place.table == NULL) return ECS_E_DEAD;
  place = place_in(group, entity, place);
  if (what->storage == ECS_STORE_BITS)
    return set_bit(store, group, entity, what->bit, place);
  if (place.table != NULL && table_has(place.table, what->bit)) return ECS_OK;
  ecs_Status status = add_to_row(store, group, entity, what->bit, &place);
  if (status == ECS_OK) store_added(place, what, image);
  return status;
}

static inline void leave_group(Store *store, Group *group, ecs_Entity entity,
                               RowRef place) {
  store_remove_row(store, group, place.table, place.row);
  store_leave(store, group, id_index(entity));
  store_touch(store, group);
}

static bool mask_is_only(const Table *table, uint32_t bit) {
  for (uint32_t i = 0; i < table->mask_words; i++)
    if (table->mask[i] != (bit >> 6 == i ? UINT64_C(1) << (bit & 63u) : 0u))
      return false;
  return true;
}

static void clear_bit(Store *store, Group *group, ecs_Entity entity,
                      uint32_t bit, RowRef place) {
  uint32_t index = group->components[bit].bits_index;
  if (place.table == NULL || !table_has_bit(place.table, place.row, index))
    return;
  table_write_bit(place.table, place.row, index, false);
  if (group->id != 0 && place.table->mask_words == 0 &&
      !table_any_bit(place.table, place.row))
    leave_group(store, group, entity, place);
  store_touch(store, group);
}

/* Is the component all that gives the entity a place in the group? */
static inline bool is_last(const Group *group, RowRef place, uint32_t bit) {
  if (group->locator.narrow) return true;
  return group->id != 0 && mask_is_only(place.table, bit) &&
         !table_any_bit(place.table, place.row);
}

ecs_Status store_remove_any(Store *store, ecs_Entity entity,
                            const Component *what) {
  const Edge *edge = NULL;
  Group *group = what->group;
  RowRef place = store_locate_main(store, entity);
  if (place.table == NULL) return ECS_E_DEAD;
  place = place_in(group, entity, place);
  if (what->storage == ECS_STORE_BITS) {
    clear_bit(store, group, entity, what->bit, place);
    return ECS_OK;
  }
  if (place.table == NULL || !table_has(place.table, what->bit)) return ECS_OK;
  if (is_last(group, place, what->bit)) {
    leave_group(store, group, entity, place);
    return ECS_OK;
  }
  ecs_Status status = reserve_walk(store, group, place.table, what->bit, &edge);
  if (status == ECS_OK) walk_edge(store, group, edge, entity, place);
  return status;
}

void store_leave_all(Store *store, ecs_Entity entity, uint32_t summary) {
  for (; summary != 0; summary &= summary - 1) {
    uint32_t first = 1u + (uint32_t)__builtin_ctz(summary);
    for (uint32_t i = first; i < store->group_count; i += SLOT_SUMMARY_BITS) {
      Group *group = store->groups[i];
      RowRef place = store_locate_in(group, id_index(entity));
      if (place.table != NULL) leave_group(store, group, entity, place);
    }
  }
}

static void clear_group(Store *store, Group *group) {
  for (uint32_t i = 0; i < group->table_count; i++) {
    Table *table = group->tables[i];
    for (uint32_t row = 0; row < table->count; row++) {
      if (group->id != 0)
        locator_clear(&group->locator, id_index(table->entities[row]));
    }
    table_clear(table);
  }
  store_touch(store, group);
}

/* Frees the index of every entity that has a place, the highest first: which
 * handles come next must not depend on how the entities were stored. */
static void free_placed(Store *store) {
  for (uint32_t at = store->index.used - 1; at > 0; at--) {
    Slot slot = *entity_index_slot(&store->index, at);
    if (slot_state(slot) != SLOT_PLACED) continue;
    const Table *table = store_main(store)->tables[slot_table(slot)];
    entity_index_free(&store->index, at,
                      id_generation(table->entities[slot_row(slot)]));
  }
}

void store_clear(Store *store) {
  free_placed(store);
  for (uint32_t i = store->group_count; i-- > 0;)
    clear_group(store, store->groups[i]);
}

/* Invariants ------------------------------------------------------------ */

static bool check_row(const Store *store, const Group *group,
                      const Table *table, uint32_t row) {
  ecs_Entity entity = table->entities[row];
  RowRef main = store_locate_main(store, entity);
  if (main.table == NULL) return false;
  uint32_t what =
      entity_index_slot(&store->index, id_index(entity))->table_bits;
  uint32_t told = slot_told(id_generation(entity)) >> SLOT_HINT_SHIFT;
  if (what >> SLOT_HINT_SHIFT != told) return false;
  if (group->id == 0) return main.table == table && main.row == row;
  RowRef place = store_locate_in(group, id_index(entity));
  if (place.table != table || place.row != row) return false;
  if (table->mask_words == 0 && !table_any_bit(table, row)) return false;
  return (what & group->summary) != 0;
}

static bool check_table(const Store *store, const Group *group,
                        const Table *table) {
  if (!table_check_invariants(table)) return false;
  if (group_find_table(group, table->mask, table->mask_words) != table)
    return false;
  for (uint32_t row = 0; row < table->count; row++)
    if (!check_row(store, group, table, row)) return false;
  return true;
}

bool store_check_invariants(const Store *store) {
  uint64_t placed = 0;
  for (uint32_t i = 0; i < store->group_count; i++) {
    const Group *group = store->groups[i];
    if (group->id != i) return false;
    for (uint32_t k = 0; k < group->table_count; k++) {
      if (group->tables[k]->id != k) return false;
      if (!check_table(store, group, group->tables[k])) return false;
      if (i == 0) placed += group->tables[k]->count;
    }
  }
  return placed <= store->index.alive_count;
}
