/* api_name.c: the border for the names of entities. */
#define ECS_DEFINES_API /* ecs.h */

#include <string.h>

#include "base/misuse.h"
#include "world/deferred_change.h"

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

/* The tag follows the name of an entity: now, or when the recording ends. Fails
 * as world_add does, and then nothing has changed. other: an entity that loses
 * the name; 0: none. */
static ecs_Status retag(ecs_World *world, ecs_Entity entity, ecs_Entity other,
                        bool named) {
  EntityNames *names = &world->names;
  if (names->tag == 0) return ECS_OK;
  if (world->depth == 0)
    return world_has(world, entity, names->tag) == named ? ECS_OK
           : named ? world_add(world, entity, names->tag, NULL)
                   : world_remove(world, entity, names->tag);
  if (!entity_names_reserve_renamed(names, &world->store.memory, 2))
    return ECS_E_MEMORY;
  names->renamed[names->renamed_count++] = entity;
  if (other != 0) names->renamed[names->renamed_count++] = other;
  return ECS_OK;
}

static ecs_Status clear(ecs_World *world, ecs_Entity entity) {
  if (entity_names_get(&world->names, entity) == NULL) return ECS_OK;
  ecs_Status status = retag(world, entity, 0, false);
  if (status == ECS_OK)
    entity_names_clear(&world->names, &world->store.memory, entity);
  return status;
}

/* Gives a name that no entity has which is alive; one whose destruction is
 * recorded may be its owner. */
static ecs_Status give(ecs_World *world, ecs_Entity entity, ecs_Entity owner,
                       const char *name) {
  Memory *memory = &world->store.memory;
  uint32_t text = 0;
  ecs_Status status = reserve(world);
  if (status == ECS_OK)
    status = entity_names_reserve(&world->names, memory, entity, name, &text);
  if (status != ECS_OK) return status;
  status = retag(world, entity, owner, true);
  if (status == ECS_OK)
    entity_names_place(&world->names, memory, entity, text);
  else
    entity_names_release(&world->names, memory, text);
  return status;
}

ecs_Status ecs_set_name(ecs_World *world, ecs_Entity entity, const char *name) {
  ECS_MUST_LIVE(WORLD, world);
  if (!world_alive(world, entity)) return ECS_E_DEAD;
  if (name == NULL) return clear(world, entity);
  size_t length = strlen(name);
  if (length == 0 || length > ECS_NAME_LIMIT) return ECS_E_NAME;
  ecs_Entity owner = entity_names_find(&world->names, name);
  if (owner == entity) return ECS_OK;
  if (world_alive(world, owner)) return ECS_E_NAME;
  return give(world, entity, owner, name);
}

ecs_Status ecs_name_tag(ecs_World *world, ecs_Component tag) {
  ECS_MUST_LIVE(WORLD, world);
  EntityNames *names = &world->names;
  if (!world_has_component(world, tag)) return ECS_E_COMPONENT;
  if (tag == names->tag) return ECS_OK;
  if (names->tag != 0 ||
      world->store.components.all[tag].schema->field_count > 0)
    return ECS_E_ARGUMENT;
  if (world->depth > 0) return ECS_E_OPEN;
  ecs_Status status = deferral_open(world);
  if (status != ECS_OK) return status;
  for (uint32_t i = 0; status == ECS_OK && i < names->count; i++)
    if (world_alive(world, names->names[i].entity))
      status = deferred_add(world, names->names[i].entity, tag, NULL);
  if (status == ECS_OK)
    status = deferral_close(world);
  else
    deferral_discard(world);
  if (status == ECS_OK) names->tag = tag;
  return status;
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
