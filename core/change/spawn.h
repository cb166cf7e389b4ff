/* spawn.h: creates entities from bundles.
 *
 * When there is room, spawning writes the entity, its values and one slot. As
 * in store.h, arguments are trusted and every function reserves first.
 */
#ifndef ECS_SPAWN_H
#define ECS_SPAWN_H

#include "change/bundle.h"

/* Resolves the bundle and makes room for count entities: handles, rows and
 * locator pages. ECS_E_MEMORY, ECS_E_LIMIT: not even an empty table is left,
 * nor room for the rows and handles, but for some pages of locators. */
ECS_INTERNAL ecs_Status spawn_reserve(Store *store, Bundle *bundle,
                                      uint64_t count);

/* Makes room in one group of a bundle for so many rows, and for them and other
 * entities in its locator. ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status spawn_reserve_group(Store *store,
                                            const BundleGroup *target,
                                            uint64_t rows, uint64_t entities);

/* Takes the room back that a table got since it had this capacity. */
ECS_INTERNAL void spawn_give_back(Store *store, const BundleGroup *target,
                                  uint32_t capacity);

/* Creates one entity; values as in ecs_spawn, and entity may be NULL.
 * ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed. Cost: one row of every group
 * of the bundle. */
ECS_INTERNAL ecs_Status spawn_one(Store *store, Bundle *bundle,
                                  const void *const *values,
                                  ecs_Entity *entity);

/* Creates count entities with defaults. In every group of the bundle the new
 * rows follow each other; first_rows[k] becomes the first of them in group k of
 * the bundle. Handles are issued in the order of spawn_one. ECS_E_MEMORY,
 * ECS_E_LIMIT: nothing has changed. */
ECS_INTERNAL ecs_Status spawn_rows(Store *store, Bundle *bundle, uint32_t count,
                                   uint32_t *first_rows);

/* The same where room is reserved, with values as in ecs_spawn for all of them.
 */
ECS_INTERNAL void spawn_append(Store *store, Bundle *bundle, uint32_t count,
                               const void *const *values, uint32_t *first_rows);

#endif
