/* recorded.h: what is recorded of an entity. */
#ifndef ECS_RECORDED_H
#define ECS_RECORDED_H

#include "world/world.h"

/* An entity's records; NULL: none. Borrowed until the next change. Cost:
 * constant; one comparison while nothing is recorded for any entity. */
static inline const EntityCommands *recorded_commands(const ecs_World *world,
                                                      ecs_Entity entity) {
  return world->commands.entity_count == 0
             ? NULL
             : command_find(&world->commands, entity);
}

/* True: the destruction of the entity is recorded. */
static inline bool recorded_destroyed(const ecs_World *world,
                                      ecs_Entity entity) {
  const EntityCommands *commands = recorded_commands(world, entity);
  return commands != NULL && is_recorded_destroyed(&world->commands, commands);
}

/* True: the entity is alive, recorded spawns and destructions counted. */
static inline bool world_alive(const ecs_World *world, ecs_Entity entity) {
  const EntityCommands *commands = recorded_commands(world, entity);
  if (commands != NULL)
    return !is_recorded_destroyed(&world->commands, commands);
  return store_alive(&world->store, entity);
}

#endif
