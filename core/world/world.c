/* world.c: a world's components and queries, and what always holds in it. */
#include "world/world.h"

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
  if (world->query_count >= ECS_QUERY_LIMIT) return ECS_E_LIMIT;
  if (!memory_grow(&world->store.memory, &queries, &world->query_capacity,
                   world->query_count, 1, sizeof(ecs_Query *)))
    return ECS_E_MEMORY;
  world->queries = queries;
  return ECS_OK;
}

void world_add_query(ecs_World *world, ecs_Query *query) {
  ECS_ASSERT(query->store == &world->store);
  ECS_ASSERT(world->query_count < world->query_capacity);
  world->queries[world->query_count++] = query;
}

void world_remove_query(ecs_World *world, const ecs_Query *query) {
  uint32_t index = 0;
  while (world->queries[index] != query) {
    index++;
    ECS_ASSERT(index < world->query_count);
  }
  world->query_count--;
  memmove(&world->queries[index], &world->queries[index + 1],
          (world->query_count - index) * sizeof(ecs_Query *));
}
