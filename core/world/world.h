/* world.h: what an ecs_World is, for the files of the border.
 *
 * The border checks everything that comes from outside, here and only here,
 * decides whether a change happens now or is recorded, and calls down.
 *
 *      api_world.c    life, components, storage, deferral
 *      api_entity.c   entities and their values
 *      api_query.c    queries, cursors, kernels
 *      api_bulk.c     changes of every match of a query
 *      accessor.c     prepared access to one component
 *
 * Every open cursor and deferral is a level: the point in the recording to
 * which discarding it goes back, and how much had been dropped by then.
 */
#ifndef ECS_WORLD_H
#define ECS_WORLD_H

#include "query/cursor.h"
#include "change/command_flush.h"
#include "change/entity_change_fast.h"

typedef struct Level {
  CommandMark mark;
  uint64_t dropped;
} Level;

struct ecs_World {
  Store store; /* must be first: a query knows its Store */
  CommandBuffer commands;
  ecs_Query **queries; /* owned */
  uint32_t query_count;
  uint32_t query_capacity;
  uint32_t depth;          /* open cursors and deferrals */
  uint32_t deferrals;      /* of these */
  ecs_Component contested; /* see ecs_world_contested */
  uint64_t dropped;        /* see ecs_Statistics */
  ecs_Holder *holder;      /* see ecs_world_hold; borrowed, may be NULL */
  Level levels[ECS_NESTING_LIMIT];
};

static inline ecs_World *world_of(const ecs_Query *query) {
  return (ecs_World *)(void *)query->store;
}

static inline bool is_component(const ecs_World *world,
                                ecs_Component component) {
  return component - 1u < world->store.component_count - 1u;
}

/* All exist, and none twice? */
ECS_INTERNAL bool are_components(const ecs_World *world,
                                 const ecs_Component *components,
                                 uint32_t count);

/* Opens one more level. ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status api_open(ecs_World *world);

/* Closes the innermost level; the outermost applies what was recorded. */
ECS_INTERNAL ecs_Status api_close(ecs_World *world);

/* Closes it and drops what was recorded since it was opened. */
ECS_INTERNAL void api_discard(ecs_World *world);

/* The query's rows of queries and bindings; frees it. */
ECS_INTERNAL void api_free_query(ecs_Query *query);

#endif
