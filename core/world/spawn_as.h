/* spawn_as.h: spawns an entity with a given handle, now or recorded. */
#ifndef ECS_SPAWN_AS_H
#define ECS_SPAWN_AS_H

#include "storage/entity_claim.h"
#include "world/deferred_change.h"

/* Can a handle, whose index is not 0, be given? ECS_E_TAKEN: it cannot, for a
 * reason that is noted in the world's memory. Changes nothing else. */
ECS_INTERNAL ecs_Status world_check_claim(ecs_World *world, ecs_Entity entity);

/* The same of a handle whose index is not below `used`, as if so many were used. */
ECS_INTERNAL ecs_Status world_check_reach(ecs_World *world, ecs_Entity entity,
                                          uint32_t used);

/* Lists a handle, whose index is not 0, as the next one to be issued; undone by
 * entity_claim_undo. ECS_E_TAKEN: it cannot be given, for a reason that is noted
 * in the world's memory. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status world_claim(ecs_World *world, ecs_Entity entity,
                                    EntityClaim *claim);

/* As world_spawn, with a handle whose index is not 0. ECS_E_TAKEN: it cannot be
 * given, for a reason that is noted in the world's memory. ECS_E_MEMORY,
 * ECS_E_LIMIT. On failure nothing has changed. */
ECS_INTERNAL ecs_Status world_spawn_as(ecs_World *world, ecs_Entity entity,
                                       Bundle *bundle,
                                       const void *const *values);

#endif
