/* store.c: components, groups and entities together. */
#include "storage/store.h"

/* Life ------------------------------------------------------------------ */

void store_list_group(Store *store, Group *group) {
  if (group->id >= ECS_NEAR_GROUPS)
    locator_list(&group->locator, &store->groups.lists, (uint16_t)group->id);
}

static ecs_Status append_group(Store *store, bool narrow) {
  void *groups = store->groups.all;
  if (store->groups.count >= ECS_GROUP_LIMIT)
    return memory_refuse(&store->memory, ECS_GROUP_LIMIT, "groups", "a world");
  if (!memory_grow(&store->memory, &groups, &store->groups.capacity,
                   store->groups.count, 1, sizeof(Group *)))
    return ECS_E_MEMORY;
  store->groups.all = groups;
  Group *group = group_create(&store->memory, store->groups.count, narrow);
  if (group == NULL) return ECS_E_MEMORY;
  store_list_group(store, group);
  store->groups.all[store->groups.count++] = group;
  store->groups.main = store->groups.all[0];
  return ECS_OK;
}

/* Destroys the newest group, which has no components yet. */
static void pop_group(Store *store) {
  ECS_ASSERT(store->groups.count > 1);
  group_destroy(store->groups.all[--store->groups.count], &store->memory);
}

ecs_Status store_init(Store *store, const ChangeWays *ways, ecs_Memory memory,
                      uint64_t limit_bytes) {
  Table *table = NULL;
  *store = (Store){.ways = ways,
                   .destroy = ways->destroy,
                   .components = {.count = 1},
                   .clock = {.tick = 1},
                   .row_epoch = STORE_FIRST_ROW_EPOCH};
  memory_init(&store->memory, memory, limit_bytes);
  entity_index_init(&store->index);
  locator_init(&store->groups.lists, true);
  ecs_Status status = append_group(store, false);
  if (status == ECS_OK) /* the table of entities without components */
    status = group_ensure_table(store_main(store), &store->memory, (Mask){0},
                                &table);
  if (status != ECS_OK) store_deinit(store);
  return status;
}

void store_deinit(Store *store) {
  Memory *memory = &store->memory;
  store_free_rooms(store);
  for (uint32_t i = 0; i < store->groups.count; i++)
    group_destroy(store->groups.all[i], memory);
  for (uint32_t i = 1; i < store->components.count; i++) {
    const Component *component = &store->components.all[i];
    memory_free(memory, component->needs,
                component->need_capacity * sizeof(ecs_Component));
    schema_destroy(memory, component->schema);
  }
  name_index_deinit(&store->components.names, memory);
  entity_index_deinit(&store->index, memory);
  locator_deinit(&store->groups.lists, memory);
  memory_free(memory, store->components.all,
              store->components.capacity * sizeof(Component));
  memory_free(memory, store->groups.all,
              store->groups.capacity * sizeof(Group *));
}

static void free_room(Store *store, StoreRoom *room) {
  memory_free(&store->memory, room->bytes, room->size);
  *room = (StoreRoom){NULL, 0};
}

void *store_room(Store *store, RoomKind kind, size_t count, size_t bytes) {
  StoreRoom *room = &store->rooms[kind];
  if (count <= room->size / bytes) {
    if (count > 0) memset(room->bytes, 0, count * bytes);
    return room->bytes;
  }
  free_room(store, room);
  room->bytes = memory_zeroed(&store->memory, count, bytes);
  if (room->bytes != NULL) room->size = count * bytes;
  return room->bytes;
}

void *store_room_as_it_is(Store *store, RoomKind kind, size_t bytes) {
  StoreRoom *room = &store->rooms[kind];
  size_t wanted = room->size + room->size / 2;
  if (bytes <= room->size) return room->bytes;
  if (wanted < bytes) wanted = bytes;
  free_room(store, room);
  room->bytes = memory_resize(&store->memory, NULL, 0, wanted);
  if (room->bytes != NULL) room->size = wanted;
  return room->bytes;
}

void store_free_rooms(Store *store) {
  for (uint32_t i = 0; i < ROOM_KINDS; i++) free_room(store, &store->rooms[i]);
}

/* Components ------------------------------------------------------------ */

ecs_Component store_find_component(const Store *store, const char *name) {
  return name_index_find(&store->components.names, store->components.all, name);
}

static ecs_Status redefine(const Store *store,
                           const ecs_ComponentDescription *description,
                           ecs_Component found, ecs_Component *component) {
  const Component *known = &store->components.all[found];
  if (known->storage != description->storage ||
      !schema_matches(known->schema, description))
    return ECS_E_SCHEMA;
  *component = found;
  return ECS_OK;
}

static bool grow_components(Store *store) {
  void *components = store->components.all;
  uint32_t in_use = store->components.all == NULL ? 0 : store->components.count;
  bool grown =
      memory_grow(&store->memory, &components, &store->components.capacity,
                  in_use, 2, sizeof(Component));
  store->components.all = components;
  return grown;
}

/* Places a new component in its first group, the main one or a sparse set. */
static ecs_Status place_first(Store *store, Component *component,
                              ecs_Component id) {
  bool sparse = component->storage == ECS_STORE_SPARSE;
  bool bits = component->storage == ECS_STORE_BITS;
  ecs_Status status = sparse ? append_group(store, true) : ECS_OK;
  if (status != ECS_OK) return status;
  Group *group = store->groups.all[sparse ? store->groups.count - 1 : 0];
  uint32_t bit = group->component_count;
  status =
      group_add_component(group, &store->memory, id, component->schema, bits);
  if (status == ECS_OK)
    component_place(component, store->ways, group, bit);
  else if (sparse)
    pop_group(store);
  return status;
}

/* Puts a component that does not note in front of the list of those. */
static void list_silent(Store *store, ecs_Component id) {
  store->components.all[id].next_silent = store->components.silent;
  store->components.silent = id;
}

ecs_Status store_define(Store *store,
                        const ecs_ComponentDescription *description,
                        ecs_Component *component) {
  Component fresh = {.storage = description->storage,
                     .noting = store_notes(store)};
  ecs_Component found = description->name == NULL
                            ? 0
                            : store_find_component(store, description->name);
  if (found != 0) return redefine(store, description, found, component);
  ecs_Status status = schema_create(&store->memory, description, &fresh.schema);
  if (status != ECS_OK) return status;
  if (store->components.count > ECS_COMPONENT_LIMIT)
    status = memory_refuse(&store->memory, ECS_COMPONENT_LIMIT, "components",
                           "a world");
  else if (fresh.schema->held != 0 && store->held == NULL)
    status = ECS_E_ARGUMENT;
  else if (description->storage == ECS_STORE_BITS &&
           fresh.schema->field_count > 0)
    status = ECS_E_COMPONENT;
  else if (!grow_components(store) ||
           !name_index_reserve(&store->components.names, &store->memory,
                               store->components.all))
    status = ECS_E_MEMORY;
  else
    status = place_first(store, &fresh, store->components.count);
  if (status != ECS_OK) {
    schema_destroy(&store->memory, fresh.schema);
    return status;
  }
  ECS_ASSERT(store->components.count < store->components.capacity);
  *component = store->components.count;
  store->components.all[store->components.count++] = fresh;
  if (!fresh.noting) list_silent(store, *component);
  name_index_insert(&store->components.names, store->components.all,
                    *component);
  return ECS_OK;
}

static bool is_needed(const Component *component, ecs_Component id) {
  for (uint32_t i = 0; i < component->need_count; i++)
    if (component->needs[i] == id) return true;
  return false;
}

ecs_Status store_need(Store *store, ecs_Component id,
                      const ecs_Component *needs, uint32_t count) {
  Component *component = &store->components.all[id];
  void *all = component->needs;
  if (!memory_grow(&store->memory, &all, &component->need_capacity,
                   component->need_count, count, sizeof(ecs_Component)))
    return ECS_E_MEMORY;
  component->needs = all;
  for (uint32_t i = 0; i < count; i++)
    if (needs[i] != id && !is_needed(component, needs[i]))
      component->needs[component->need_count++] = needs[i];
  if (component->need_count > 0) component->noticed = true;
  return ECS_OK;
}

/* Groups ---------------------------------------------------------------- */

uint64_t store_structure_version(const Store *store) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < store->groups.count; i++)
    sum += store->groups.all[i]->version;
  return sum;
}

ecs_Status store_reserve_entities(Store *store, uint64_t count) {
  const EntityIndex *index = &store->index;
  uintptr_t bases = (uintptr_t)index->bases;
  uintptr_t first = index->page_count > 0 ? index->bases[0] : 0;
  ecs_Status status =
      entity_index_reserve(&store->index, &store->memory, count);
  if ((uintptr_t)index->bases != bases ||
      (index->page_count > 0 && index->bases[0] != first))
    store->row_epoch++;
  return status;
}

void store_set_noting(Store *store, bool noting) {
  store_choose(store);
  while (noting && store->components.silent != 0) {
    Component *component = &store->components.all[store->components.silent];
    store->components.silent = component->next_silent;
    component->noting = true;
    component_choose(component, store->ways);
  }
}

void store_silence(Store *store, Component *component) {
  ECS_ASSERT(!store_notes(store) && component->noting);
  component->noting = false;
  component_choose(component, store->ways);
  list_silent(store, (ecs_Component)(component - store->components.all));
}

/* Watching -------------------------------------------------------------- */

static void free_stamps(Store *store) {
  for (uint32_t i = 0; i < store->groups.count; i++) {
    const Group *group = store->groups.all[i];
    for (uint32_t k = 0; k < group->table_count; k++) {
      stamps_destroy(group->tables[k]->stamps, &store->memory);
      group->tables[k]->stamps = NULL;
    }
  }
}

/* The epoch tells prepared access (ecs_access.h) to look for guards. */
static void count_watch(Store *store, ecs_Component id, bool values,
                        uint32_t step) {
  Component *component = &store->components.all[id];
  component->followers += step;
  if (values) component->guards += step;
  store->clock.watches += step;
  store->asked += step;
  store->row_epoch++;
  store_choose(store);
}

void store_watch(Store *store, ecs_Component id, bool values) {
  count_watch(store, id, values, 1);
  component_choose(&store->components.all[id], store->ways);
}

/* The functions of a set write no stamps, so they are chosen when there are
 * none. */
void store_unwatch(Store *store, ecs_Component id, bool values) {
  ECS_ASSERT(store->components.all[id].followers > 0);
  count_watch(store, id, values, UINT32_MAX);
  if (store->clock.watches > 0) return;
  free_stamps(store);
  for (uint32_t i = 1; i < store->components.count; i++)
    component_choose(&store->components.all[i], store->ways);
}

ecs_Status store_watch_table(Store *store, Group *group, Table *table,
                             uint32_t bit) {
  Stamps *before = table->stamps;
  Stamps *stamps = stamps_extend(before, &store->memory, &store->clock, bit,
                                 stamp_blocks(table->capacity));
  if (stamps == NULL) return ECS_E_MEMORY;
  table->stamps = stamps;
  if (before != NULL) return ECS_OK;
  for (uint32_t i = 0; i < group->table_count; i++)
    table_forget_edge(group->tables[i]);
  return ECS_OK;
}

/* Keeping --------------------------------------------------------------- */

void store_keep(Store *store, ecs_Component id) {
  Component *component = &store->components.all[id];
  ECS_ASSERT(component->kept == 0 && component->writers == 0);
  component->kept = ++store->keeps;
  component->guards++;
  store->asked++;
  store->row_epoch++;
}

void store_let_go(Store *store, ecs_Component id) {
  Component *component = &store->components.all[id];
  ECS_ASSERT(component->kept != 0 && component->guards > 0);
  component->kept = 0;
  component->guards--;
  store->asked--;
  store->row_epoch++;
}

void store_let_go_all(Store *store) {
  for (ecs_Component id = 1; id < store->components.count; id++)
    store_wrote(store, id);
}
