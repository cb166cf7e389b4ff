/* claims.h: which components are read and written by open cursors.
 *
 * A cursor may hand out copies of columns. So that no copy is ever out of date,
 * an open cursor claims the components of its terms: no other cursor reads or
 * writes a component that it writes, or writes a component that it reads.
 *
 *      term       readers   writers      refused while open
 *      read         + 1                  write, optional
 *      write        + 1       + 1        read, write, optional
 *      optional     + 1       + 1        read, write, optional
 *      up           + 1                  write, optional
 *
 * The counters are Component.readers and Component.writers, so that one load
 * answers whether a component may be used. Filters and tags claim nothing. The
 * cursor over rows of ecs_spawn_many claims its bundle's components as written.
 */
#ifndef ECS_CLAIMS_H
#define ECS_CLAIMS_H

#include "query/query.h"

/* Counts one more claim on a component. Claims are not refused here. Of one that
 * writes, the caller has told the store (store_wrote). */
static inline void claim_component(Component *component, bool writes) {
  component->readers++;
  ECS_ASSERT(!writes || component->kept == 0);
  if (writes) component->writers++;
  ECS_ASSERT(component->writers <= component->readers);
}

/* Takes back one claim that was made with the same `writes`. */
static inline void release_component(Component *component, bool writes) {
  ECS_ASSERT(component->readers > 0);
  ECS_ASSERT(!writes || component->writers > 0);
  component->readers--;
  if (writes) component->writers--;
}

/* The first component that a cursor over the query could not claim now; 0:
 * none. Cost: a load per term. */
ECS_INTERNAL ecs_Component claims_contested(const ecs_Query *query);

/* The component of the query's order, if an open cursor writes it; 0: none does,
 * or the query has no order. */
ECS_INTERNAL ecs_Component claims_contested_order(const ecs_Query *query);

/* Claims the components of the query's terms. Claims are not refused here:
 * callers ask claims_contested first where another cursor may be open. */
ECS_INTERNAL void claims_take(const ecs_Query *query);

/* Releases the claims of one call of claims_take. */
ECS_INTERNAL void claims_release(const ecs_Query *query);

#endif
