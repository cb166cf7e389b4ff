/* spawn_together.h: entities of several bundles, spawned as one change.
 *
 * All room is reserved before the first row is appended. Bundles may share
 * tables, and a bundle may occur more than once:
 *
 *      bundle   {Body}   {Wheel}   {Wheel}       so many copies of each
 *      tables   {Body}   {Wheel}                 copies and 2 * copies rows
 */
#ifndef ECS_SPAWN_TOGETHER_H
#define ECS_SPAWN_TOGETHER_H

#include "change/spawn.h"

/* One of the bundles, and where its rows are. */
typedef struct SpawnedRows {
  Bundle *bundle;             /* borrowed */
  const ecs_Entity *entities; /* in their order; set by append; borrowed until
                                 the next change */
  bool known;                 /* it was resolved before it was reserved */
  bool repeated;              /* an entry before this one has the same bundle */
} SpawnedRows;

/* Resolves the bundles of count entries and makes room for copies entities of
 * each. ECS_E_MEMORY, ECS_E_LIMIT: as for spawn_reserve. Cost: a look at every
 * table; where one has to grow, at every pair of bundles. */
ECS_INTERNAL ecs_Status spawn_together_reserve(Store *store, SpawnedRows *rows,
                                               uint32_t count, uint64_t copies);

/* Takes back what spawn_together_reserve has just done. */
ECS_INTERNAL void spawn_together_give_back(Store *store, SpawnedRows *rows,
                                           uint32_t count, uint32_t pages);

/* Appends the rows of one entry, with values as in ecs_spawn. Room must be
 * reserved. */
ECS_INTERNAL void spawn_together_append(Store *store, SpawnedRows *rows,
                                        uint32_t copies,
                                        const void *const *values);

#endif
