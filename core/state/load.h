/* load.h: puts the state of a save into a world.
 *
 * The save becomes a snapshot of the world (snapshot.h), which is restored:
 *
 *      the save's components    those of the world that have their names
 *      the save's groups        as they are; what the world stores otherwise by
 *                               definition is moved there at the end
 *      columns                  copied, or converted value by value
 *      generations, entities    checked, and made into slots
 *      links, names             checked, and linked in their order
 *
 * Everything that comes from the bytes is checked on the way, so a save that was
 * made to harm is refused, and nothing has changed.
 */
#ifndef ECS_LOAD_H
#define ECS_LOAD_H

#include "state/saved.h"
#include "state/snapshot.h"

/* Loads a save into its world, which is not open, and has its components.
 * ECS_E_MEMORY; ECS_E_LIMIT; ECS_E_FILE: it is damaged, or does not fit, and a
 * sentence is in problem. Nothing has changed then. */
ECS_INTERNAL ecs_Status state_load(const ecs_Saved *saved,
                                   const ecs_LoadListener *listener,
                                   char *problem, size_t problem_bytes);

#endif
