/* query_use.h: how often systems ran over a query.
 *
 * The counts belong to the terms, not to the query: a query that is destroyed
 * and made again goes on counting. They are what a layout is chosen for
 * (layout/). Whoever runs systems says so; cursors count nothing, so that a
 * program that only looks at its world changes no later layout.
 */
#ifndef ECS_QUERY_USE_H
#define ECS_QUERY_USE_H

#include "query/query.h"

typedef struct QueryUse {
  uint64_t runs; /* halved by ecs_world_optimize */
  uint64_t hash; /* of the terms */
  uint32_t term_count;
  ecs_Term *terms; /* owned; ordered by component */
} QueryUse;

/* The counts of a store, which keeps a pointer to them. */
typedef struct QueryUses {
  QueryUse *all; /* owned */
  uint32_t count;
  uint32_t capacity;
  bool begun; /* changes are counted, too; put back with a snapshot */
} QueryUses;

/* Gives empty counts to a store, which they must outlive. */
static inline void query_uses_init(QueryUses *uses, Store *store) {
  *uses = (QueryUses){0};
  store->uses = uses;
}

/* The counts of a store. */
static inline QueryUses *query_uses(const Store *store) {
  ECS_ASSERT(store->uses != NULL);
  return store->uses;
}

/* Counts runs over a query's terms; with the first call for a store, counts of
 * changes begin at 0: the first one in its state, which a snapshot or a save may
 * have put back. ECS_E_MEMORY: nothing is counted. Cost: the
 * first time for a query, a look at every count. */
ECS_INTERNAL ecs_Status query_use_count(ecs_Query *query, uint64_t runs);

/* The runs that were counted for the query's terms. */
ECS_INTERNAL uint64_t query_use_runs(const ecs_Query *query);

/* Frees the counts of a store. */
ECS_INTERNAL void query_uses_deinit(Store *store);

#endif
