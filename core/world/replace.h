/* replace.h: an entity loses a component and gets another, now or recorded. */
#ifndef ECS_REPLACE_H
#define ECS_REPLACE_H

#include "world/deferral.h"
#include "world/deferred_change.h"

/* Removes the first component, which may be absent, and adds the second. It gets
 * the named fields of the image; the others are defaults where it is new, and
 * stay where it is present. ECS_E_DEAD; ECS_E_ACCESS as deferred_set;
 * ECS_E_MEMORY, ECS_E_LIMIT. On failure nothing has changed. */
ECS_INTERNAL ecs_Status world_replace(ecs_World *world, ecs_Entity entity,
                                      ecs_Component gone, ecs_Component added,
                                      const void *image, uint64_t fields);

/* The same while a level is open. */
ECS_INTERNAL ecs_Status deferred_replace(ecs_World *world, ecs_Entity entity,
                                         ecs_Component gone,
                                         ecs_Component added, const void *image,
                                         uint64_t fields);

/* ECS_E_COMPONENT: a component is unknown, or both are the same; ECS_E_ARGUMENT:
 * there is no image for the named fields, of which *fields keeps those that the
 * second component has. */
ECS_INTERNAL ecs_Status check_replacement(const ecs_World *world,
                                          ecs_Component gone,
                                          ecs_Component added,
                                          const void *image, uint64_t *fields);

#endif
