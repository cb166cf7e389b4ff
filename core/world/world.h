/* world.h: what an ecs_World is.
 *
 *      ecs_World
 *        store      components, groups, entities: how things are now
 *        commands   changes that are recorded and not yet applied
 *        levels     one for each cursor, deferral and program that is open
 *        queries    every query of the world
 *        links      which entities link to which
 *        observers  functions that are told of changes, and what of
 *        arrays     see ecs_array.h; nothing else looks at them
 *
 * While depth is 0 nothing is recorded and every change happens at once. While
 * depth is greater, changes of structure are recorded (deferral.h,
 * deferred_change.h). Functions of this folder trust their callers: components
 * exist, images are given where they are needed. The border (core/api) checks
 * what comes from outside.
 */
#ifndef ECS_WORLD_H
#define ECS_WORLD_H

#include "query/cursor.h"
#include "query/query_use.h"
#include "change/command_flush.h"
#include "change/entity_change_fast.h"
#include "world/array_set.h"
#include "world/entity_names.h"
#include "world/link_set.h"
#include "world/observer_set.h"

/* A point in the recording, and what the world had counted by then. */
typedef struct Level {
  CommandMark mark; /* where the level's own records begin */
  uint64_t dropped; /* the world's count of dropped changes at that point */
  uint32_t sets;    /* those listed for observers by then */
  uint64_t stamp;   /* of the cursor that opened the level, when it was used
                       last (level_stamp); 0: no cursor opened it */
} Level;

/* What decides a hash of names and of the free list. */
typedef struct HashKey {
  uint64_t epoch;
  uint64_t structure; /* the main group's version */
  uint64_t names;     /* the names' version */
  uint32_t free_head, free_count, used;
} HashKey;

/* Hashes that world_hash.c keeps beside those of tables and links. */
typedef struct WorldHashes {
  HashKey key;
  bool kept; /* they are those of key */
  uint64_t index, names;
} WorldHashes;

struct ecs_World {
  Store store; /* first, so that a query's Store is its world: world_of */
  CommandBuffer commands;  /* empty while depth is 0 */
  ecs_Query **queries;     /* owned, the array and each query in it */
  uint32_t query_count;    /* queries in use */
  uint32_t query_capacity; /* queries that the array has room for */
  uint32_t depth;          /* levels that are open */
  uint32_t deferrals;      /* levels that ecs_defer_begin opened */
  uint64_t stamps;         /* given to cursors so far; see level_stamp */
  ecs_Component contested; /* see ecs_world_contested; 0: none so far */
  bool heeds_deaths;       /* as world_heeds_deaths says: one load for each */
  LinkSet links;           /* of components that have any */
  ChangeState changes;
  QueryUses uses;
  ObserverSet observers;
  EntityNames names;
  struct ecs_Snapshot *snapshots; /* owned: state/snapshot.h */
  ArraySet arrays;
  WorldHashes hashes;
  uint64_t dropped;   /* changes of entities destroyed before they came */
  uint32_t threads;   /* that programs and kernels may run on; 0: one, and the
                         pool of workers is not kept */
  ecs_Holder *holder; /* see ecs_world_hold; borrowed; NULL: none */
  Level levels[ECS_NESTING_LIMIT]; /* the first depth of them are open */
};

/* Does the death of an entity take more than destroying its rows? There are
 * links, or an observer is told. */
static inline bool world_heeds_deaths(const ecs_World *world) {
  return world->links.count > 0 || world->observers.asks_deaths;
}

/* The world of a query. */
static inline ecs_World *world_of(const ecs_Query *query) {
  return (ecs_World *)(void *)query->store;
}

/* Components -------------------------------------------------------------- */

/* True: the id names a component of the world. Any number may be asked for. */
static inline bool world_has_component(const ecs_World *world,
                                       ecs_Component component) {
  return component - 1u < world->store.components.count - 1u;
}

/* True: every id names a component of the world, and no id occurs twice. Cost:
 * compares every pair of ids. */
ECS_INTERNAL bool world_has_components(const ecs_World *world,
                                       const ecs_Component *components,
                                       uint32_t count);

/* True: the entity has the component now; recorded changes do not count. Any
 * number may be given as an entity. Cost: constant. */
static inline bool world_has(const ecs_World *world, ecs_Entity entity,
                             ecs_Component component) {
  RowRef row;
  ECS_ASSERT(world_has_component(world, component));
  return store_locate(&world->store, entity, component, &row) == ECS_OK &&
         row.table != NULL;
}

/* Remembers the component that an open cursor claims, for
 * ecs_world_contested. Returns ECS_E_ACCESS, which the caller passes on. */
static inline ecs_Status world_refuse_access(ecs_World *world,
                                             ecs_Component component) {
  ECS_ASSERT(world_has_component(world, component));
  world->contested = component;
  return ECS_E_ACCESS;
}

/* Queries ----------------------------------------------------------------- */

/* Makes room for one more query. ECS_E_LIMIT, ECS_E_MEMORY: nothing has
 * changed. */
ECS_INTERNAL ecs_Status world_reserve_query(ecs_World *world);

/* Adds a query of this world's store, which the world then owns. Room must be
 * reserved. */
ECS_INTERNAL void world_add_query(ecs_World *world, ecs_Query *query);

/* Removes a query from the world; the caller owns it then. The last one takes
 * its position. Cost: constant. */
ECS_INTERNAL void world_remove_query(ecs_World *world, const ecs_Query *query);

/* Checks ------------------------------------------------------------------ */

/* True: the store is sound; depth, levels and deferrals agree with each other
 * and with the open cursors; every query belongs to this world and is listed
 * once; and the recording agrees with the store. For tests. Cost: reads the
 * whole world. */
ECS_INTERNAL bool world_check_invariants(const ecs_World *world);

#endif
