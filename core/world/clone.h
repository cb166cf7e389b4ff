/* clone.h: another entity like one that exists, with all that belongs to it.
 *
 *      a --- b --- c        a' --- b' --- c'     what links to the entity as its
 *      |                    |                    child is cloned, too
 *      +--> x               +--> x               x is outside: the same link
 *
 * Children are what links to an entity by a tree that destroys.
 * Entity fields that lead to an entity which is cloned lead to its clone. Clones
 * are spawned in the order of the entities, so that children keep their order.
 * Fields that lead to a clone which is not there yet, or to oneself, are set when
 * all are.
 */
#ifndef ECS_CLONE_H
#define ECS_CLONE_H

#include "world/deferred_change.h"

/* Clones an entity that is alive, now or recorded; no clone has the component
 * without, which may be 0. ECS_E_ACCESS: an open cursor writes a component of it;
 * ECS_E_LINK: a link leads to an entity whose destruction is recorded;
 * ECS_E_MEMORY, ECS_E_LIMIT. Nothing has changed then, but handles may be used up,
 * if not by ECS_E_ACCESS.
 * Cost: for each entity, every component and link of the world. */
ECS_INTERNAL ecs_Status world_clone(ecs_World *world, ecs_Entity entity,
                                    ecs_Component without, ecs_Entity *clone);

#endif
