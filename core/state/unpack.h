/* unpack.h: brings packed rows (pack.h) into a world.
 *
 *      rows        e7 e4 e9                  e7 e4 e9
 *                   as same |                 as new |
 *      made        e7 e4 e9                  e51 e52 e53
 *
 * Under their own handles, entities that are alive get the components that were
 * packed, and the others are spawned. New entities lead to each other where the
 * packed ones did.
 *
 *      bytes --> components, fields      as load.h has it
 *            --> images                  converted, mended
 *            --> links                   checked, in their order (unpack_links.h)
 *            --> a recording             applied at once, or not at all
 *
 * If anything fails, the handles that were issued are taken back, too: nothing has
 * changed.
 */
#ifndef ECS_UNPACK_H
#define ECS_UNPACK_H

#include "state/saved.h"
#include "world/world.h"

/* Unpacks rows into their world, which is not open, and has their components.
 * entities: room for each of them. ECS_E_MEMORY; ECS_E_LIMIT; ECS_E_FILE: they
 * are damaged, or do not fit, and a sentence is in problem; ECS_E_LINK,
 * ECS_E_CIRCLE: the component of the options links to what is not alive or
 * descends from a row. Nothing has changed then. Cost: as a recorded change of
 * each row, and a copy of the handles of all entities. */
ECS_INTERNAL ecs_Status rows_unpack(const ecs_Saved *saved,
                                    const ecs_UnpackOptions *options,
                                    const ecs_LoadListener *listener,
                                    ecs_Entity *entities, char *problem,
                                    size_t problem_bytes);

#endif
