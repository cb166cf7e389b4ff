/* entity_change_fast.h: the fast functions that change one entity. */
#ifndef ECS_ENTITY_CHANGE_FAST_H
#define ECS_ENTITY_CHANGE_FAST_H

#include "change/entity_change.h"

/* All functions that add and remove components, for store_init. */
ECS_INTERNAL extern const ChangeWays entity_change_ways[2];

/* Destroys an entity. ECS_E_DEAD: it has no row. Cost: fills the hole in one
 * row of every group that it is in. */
static inline ecs_Status store_destroy_entity(Store *store, ecs_Entity entity) {
  return store->destroy(store, entity);
}

#endif
