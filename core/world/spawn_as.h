/* spawn_as.h: spawns an entity with a given handle, now or recorded. */
#ifndef ECS_SPAWN_AS_H
#define ECS_SPAWN_AS_H

#include "world/deferred_change.h"

/* As world_spawn, with a handle whose index is not 0. ECS_E_TAKEN: it cannot be
 * given, for a reason that is noted in the world's memory. ECS_E_MEMORY,
 * ECS_E_LIMIT. On failure nothing has changed. */
ECS_INTERNAL ecs_Status world_spawn_as(ecs_World *world, ecs_Entity entity,
                                       Bundle *bundle,
                                       const void *const *values);

#endif
