/* api_name.c: the border for the names of entities. */
#define ECS_DEFINES_API /* ecs.h */

#include <string.h>

#include "base/misuse.h"
#include "world/recorded.h"

/* Drops the names of entities that are dead for good. */
static void sweep(ecs_World *world) {
  EntityNames *names = &world->names;
  for (uint32_t i = names->count; i-- > 0;)
    if (!store_alive(&world->store, names->names[i].entity))
      entity_names_drop(names, &world->store.memory, i);
}

/* Makes room for more names. What is swept away may not be enough for long: a
 * quarter of the room stays free, so that sweeping costs little for each name. */
static ecs_Status reserve(ecs_World *world) {
  EntityNames *names = &world->names;
  void *list = names->names;
  if (names->count < names->capacity) return ECS_OK;
  if (world->depth == 0) sweep(world);
  bool done =
      memory_grow(&world->store.memory, &list, &names->capacity, names->count,
                  names->count / 4 + 1, sizeof(EntityName));
  names->names = list;
  return done ? ECS_OK : ECS_E_MEMORY;
}

ecs_Status ecs_set_name(ecs_World *world, ecs_Entity entity, const char *name) {
  ECS_MUST_LIVE(WORLD, world);
  Memory *memory = &world->store.memory;
  if (!world_alive(world, entity)) return ECS_E_DEAD;
  if (name == NULL) {
    entity_names_clear(&world->names, memory, entity);
    return ECS_OK;
  }
  size_t length = strlen(name);
  if (length == 0 || length > ECS_NAME_LIMIT) return ECS_E_NAME;
  ecs_Entity owner = entity_names_find(&world->names, name);
  if (owner == entity) return ECS_OK;
  if (world_alive(world, owner)) return ECS_E_NAME;
  ecs_Status status = reserve(world);
  return status == ECS_OK
             ? entity_names_set(&world->names, memory, entity, name)
             : status;
}

const char *ecs_name(const ecs_World *world, ecs_Entity entity) {
  ECS_MUST_LIVE(WORLD, world);
  return world_alive(world, entity) ? entity_names_get(&world->names, entity)
                                    : NULL;
}

ecs_Entity ecs_find(const ecs_World *world, const char *name) {
  ECS_MUST_LIVE(WORLD, world);
  if (name == NULL) return 0;
  ecs_Entity entity = entity_names_find(&world->names, name);
  return world_alive(world, entity) ? entity : 0;
}
