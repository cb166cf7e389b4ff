/* family.h: entities that are spawned together and linked to each other.
 *
 *      members    0 tank    1 turret -> 0    2 barrel -> 1    3 wheel -> 0
 *      copies     t t t     u u u            b b b            w w w
 *
 * Copies are made member by member: rows of one member follow each other in
 * their tables, and columns are filled at once. Everything is reserved first,
 * also the nodes of links and the notices of observers.
 */
#ifndef ECS_FAMILY_H
#define ECS_FAMILY_H

#include "world/spawn_as.h"

/* Spawns copies of a family that was checked, now or recorded. entities: NULL,
 * or room for the handles of the first member's copies. ECS_E_LINK,
 * ECS_E_TAKEN, ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed, but where more
 * than one copy was recorded handles may be used up. */
ECS_INTERNAL ecs_Status world_spawn_family(ecs_World *world,
                                           const ecs_Family *family,
                                           uint32_t copies,
                                           ecs_Entity *entities);

/* Spawns the members but the first of so many copies, as children of entities
 * that take the place of the first. ECS_E_DEAD: one of them is not alive. */
ECS_INTERNAL ecs_Status world_spawn_children(ecs_World *world,
                                             const ecs_Family *family,
                                             uint32_t copies,
                                             const ecs_Entity *parents);

/* Makes room for so many copies; nothing is open. ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status world_reserve_family(ecs_World *world,
                                             const ecs_Family *family,
                                             uint32_t copies);

#endif
