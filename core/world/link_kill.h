/* link_kill.h: entities that die with an entity, at once.
 *
 *      collect   the entity, what destroys itself with it, and so on
 *      clear     the fields of others that lead to one of these
 *      destroy   all of them
 *
 * Collecting takes the links of what dies out of the indices. Everything that
 * can fail comes in this step, so it is taken back where it fails. By one tree
 * everything is listed before the first link is taken, and no step is noted.
 * Links that remove their component need room in other tables: then nothing is
 * done here, and the destruction is recorded and applied (link_flush.h), to the
 * same end.
 */
#ifndef ECS_LINK_KILL_H
#define ECS_LINK_KILL_H

#include "world/link_step.h"

/* Destroys an entity that is alive while nothing is open, and all that dies with
 * it. ECS_E_OPEN: this has to be recorded. ECS_E_MEMORY. In both cases nothing
 * has changed. Cost: of each entity, a look at each index and its removal. */
ECS_INTERNAL ecs_Status link_kill(ecs_World *world, ecs_Entity entity);

#endif
