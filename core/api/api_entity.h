/* api_entity.h: stores by a row, and clones that lack a tag, for bindings.
 *
 * Exported for bindings; not part of the interface that ecs.h promises.
 */
#ifndef ECS_API_ENTITY_H
#define ECS_API_ENTITY_H

#include "base/config.h"
#include "ecs.h"

/* As ecs_set_field, but observers of sets are not told. at_once: also where the
 * entity has recorded changes, but for a link; then ECS_E_ABSENT, too, and
 * nothing is added. */
ECS_API ecs_Status ecs_row_store(ecs_World *world, ecs_Entity entity,
                                 ecs_Component component, uint32_t field,
                                 double value, bool at_once);

/* As ecs_set of fields that are links, which wait while a cursor is open. All of
 * them are made by one change: where the rule of one removes the component, the
 * others do not bring it back. */
ECS_API ecs_Status ecs_links_store(ecs_World *world, ecs_Entity entity,
                                   ecs_Component component, const void *image,
                                   uint64_t fields);

/* As ecs_clone, but no clone has the component without; 0: nothing is left out. */
ECS_API ecs_Status ecs_clone_without(ecs_World *world, ecs_Entity entity,
                                     ecs_Component without, ecs_Entity *clone);

#endif
