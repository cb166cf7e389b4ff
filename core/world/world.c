/* world.c: a world's components and queries, and what always holds in it. */
#include "world/world.h"

#include "storage/store_check.h"

/* Components -------------------------------------------------------------- */

bool world_has_components(const ecs_World *world,
                          const ecs_Component *components, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (!world_has_component(world, components[i])) return false;
    for (uint32_t k = 0; k < i; k++)
      if (components[k] == components[i]) return false;
  }
  return true;
}

/* Queries ----------------------------------------------------------------- */

ecs_Status world_reserve_query(ecs_World *world) {
  void *queries = world->queries;
  if (world->query_count >= ECS_QUERY_LIMIT)
    return memory_refuse(&world->store.memory, ECS_QUERY_LIMIT, "queries",
                         "a world");
  if (!memory_grow(&world->store.memory, &queries, &world->query_capacity,
                   world->query_count, 1, sizeof(ecs_Query *)))
    return ECS_E_MEMORY;
  world->queries = queries;
  return ECS_OK;
}

void world_add_query(ecs_World *world, ecs_Query *query) {
  ECS_ASSERT(world->query_count < world->query_capacity);
  query->position = world->query_count;
  world->queries[world->query_count++] = query;
}

void world_remove_query(ecs_World *world, const ecs_Query *query) {
  ecs_Query *last = world->queries[--world->query_count];
  ECS_ASSERT(world->queries[query->position] == query);
  world->queries[query->position] = last;
  last->position = query->position;
}

/* Checks ------------------------------------------------------------------ */

/* A world without levels has nothing recorded and nothing claimed. */
static bool check_idle(const ecs_World *world) {
  const CommandBuffer *commands = &world->commands;
  if (world->depth > 0) return true;
  if (world->observers.set_count > 0) return false;
  if (commands->entity_count > 0 || commands->command_count > 0) return false;
  if (commands->page_count > 0 || commands->staged != NULL) return false;
  for (uint32_t i = 1; i < world->store.components.count; i++)
    if (world->store.components.all[i].readers > 0) return false;
  return true;
}

/* The marks of the levels lie one after the other, between runs; the outermost
 * is at the beginning. */
static bool check_levels(const ecs_World *world) {
  const CommandBuffer *commands = &world->commands;
  uint64_t dropped = 0, before = 0;
  if (world->depth > ECS_NESTING_LIMIT) return false;
  for (uint32_t i = 0; i < world->depth; i++) {
    const Level *level = &world->levels[i];
    if (!command_mark_check_invariants(commands, &level->mark)) return false;
    if (i == 0 && level->mark.command_count > 0) return false;
    if (level->mark.command_count < before) return false;
    if (level->dropped < dropped) return false;
    before = level->mark.command_count;
    dropped = level->dropped;
  }
  return dropped <= world->dropped;
}

/* Every entity with commands is alive, is found by its handle, and has no row
 * exactly if its first command spawns it. */
static bool check_subjects(const ecs_World *world) {
  const CommandBuffer *commands = &world->commands;
  const EntityIndex *index = &world->store.index;
  uint32_t spawned = 0, reserved = 0;
  for (uint32_t i = 0; i < commands->entity_count; i++) {
    const EntityCommands *entry = &commands->entities[i];
    bool spawns = command_shape(commands, entry)->spawns;
    if (command_find(commands, entry->entity) != entry) return false;
    if (!store_alive(&world->store, entry->entity)) return false;
    if (store_is_reserved(&world->store, entry->entity) != spawns) return false;
    spawned += spawns;
  }
  for (uint32_t i = 1; i < index->used; i++)
    reserved += slot_state(*entity_index_slot(index, i)) == SLOT_RESERVED;
  return spawned == reserved;
}

/* Writers are counted as readers too. */
static bool check_claims(const ecs_World *world) {
  const Store *store = &world->store;
  for (uint32_t i = 1; i < store->components.count; i++)
    if (store->components.all[i].writers > store->components.all[i].readers)
      return false;
  return world->contested == 0 || world_has_component(world, world->contested);
}

/* Each open cursor of a query and each deferral has a level of its own. */
static bool check_queries(const ecs_World *world) {
  uint64_t open = world->deferrals;
  if (world->query_count > world->query_capacity) return false;
  for (uint32_t i = 0; i < world->query_count; i++) {
    const ecs_Query *query = world->queries[i];
    if (query->store != &world->store || query->position != i) return false;
    open += query->open;
  }
  return open <= world->depth;
}

/* The links of the fields of one component are what their index has. */
static bool check_links(const ecs_World *world, const LinkIndex *index) {
  const Component *component = &world->store.components.all[index->component];
  const Group *group = component->group;
  uint64_t links = 0;
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    for (uint32_t row = 0; row < table->count; row++) {
      ecs_Entity target = 0;
      if (!table_has(table, component->bit)) break;
      ColumnCode code = table_codes(table, component->bit)[index->field];
      memcpy(&target, table_element(table, code, row), sizeof target);
      if (target != link_target(index, table->entities[row])) return false;
      if (target != 0 && !store_alive(&world->store, target)) return false;
      links += target != 0;
    }
  }
  return links == index->links && link_index_check_invariants(index);
}

static bool check_all_links(const ecs_World *world) {
  for (uint32_t i = 0; i < world->links.count; i++)
    if (!check_links(world, &world->links.indices[i])) return false;
  return true;
}

/* Do the tag and the names agree? Where names wait for their tags, they need
 * not. */
static bool check_name_tags(const ecs_World *world) {
  const EntityNames *names = &world->names;
  uint64_t named = 0, tagged = 0;
  if (names->tag == 0 || world->depth > 0 || names->renamed_count > 0)
    return true;
  for (uint32_t i = 0; i < names->count; i++) {
    if (!store_alive(&world->store, names->names[i].entity)) continue;
    if (!world_has(world, names->names[i].entity, names->tag)) return false;
    named++;
  }
  const Component *tag = &world->store.components.all[names->tag];
  for (uint32_t i = 0; i < tag->group->table_count; i++) {
    const Table *table = tag->group->tables[i];
    for (uint32_t row = 0; row < table->count; row++)
      tagged += world_has(world, table->entities[row], names->tag);
  }
  return named == tagged;
}

bool world_check_invariants(const ecs_World *world) {
  return world->commands.store == &world->store &&
         command_buffer_check_invariants(&world->commands) &&
         check_idle(world) && check_levels(world) && check_subjects(world) &&
         check_claims(world) && check_queries(world) &&
         check_all_links(world) &&
         world->heeds_deaths == world_heeds_deaths(world) &&
         observer_set_check_invariants(&world->observers, &world->store) &&
         entity_names_check_invariants(&world->names) &&
         check_name_tags(world) && array_set_check_invariants(&world->arrays) &&
         store_check_invariants(&world->store);
}
