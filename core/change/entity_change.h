/* entity_change.h: changes of one entity, for any component, table and group.
 *
 *      add, remove    the row moves to another table of the component's group,
 *                     enters the group or leaves it; or a bit is written
 *      destroy        the entity leaves every group, and its index is freed
 *
 * A component is added and removed by the functions that were chosen for it
 * (component.h). The functions for any component are here; entity_change_fast.h
 * has the fast ones for common kinds. As in store.h, arguments are trusted,
 * nothing is open, and a status other than ECS_OK means that nothing has
 * changed.
 */
#ifndef ECS_ENTITY_CHANGE_H
#define ECS_ENTITY_CHANGE_H

#include "storage/placement.h"

/* Adds a component with an image, NULL for defaults; where it is present
 * nothing happens. ECS_E_DEAD: the entity has no row; ECS_E_MEMORY,
 * ECS_E_LIMIT. Cost: moves one row of the component's group and fills the
 * hole. */
static inline ecs_Status store_add(Store *store, ecs_Entity entity,
                                   ecs_Component id, const void *image) {
  Component *component = &store->components.all[id];
  return component->add(store, entity, component, image);
}

/* Removes a component; where it is absent nothing happens. ECS_E_DEAD: the
 * entity has no row; ECS_E_MEMORY, ECS_E_LIMIT: there is no room in the table
 * without the component. Cost: as store_add. */
static inline ecs_Status store_remove(Store *store, ecs_Entity entity,
                                      ecs_Component id) {
  Component *component = &store->components.all[id];
  return component->remove(store, entity, component);
}

/* The functions for any component, see ChangeWays. */
ECS_INTERNAL AddComponent store_add_any;
ECS_INTERNAL RemoveComponent store_remove_any;

/* Destroys an entity that has a row, for any columns and groups. Cannot fail.
 * Cost: one row of every group that its summary names. */
ECS_INTERNAL void store_destroy_any(Store *store, ecs_Entity entity);

#endif
