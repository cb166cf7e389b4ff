/* change_state.h: what the changes of a store keep from one to the next.
 *
 *      ecs_World { Store store; ChangeState changes; ... }
 *                    |               ^
 *                    `-- changes ----'  borrowed
 *
 * The store has a pointer to it for this folder and does not look into it. Both
 * are made together and live equally long.
 */
#ifndef ECS_CHANGE_STATE_H
#define ECS_CHANGE_STATE_H

#include "storage/store.h"

typedef struct Bundle Bundle;

/* From a table to the one with one component less and another more. Valid while
 * the layout is the same: only trimming and regrouping free tables that have
 * had rows. */
typedef struct Route {
  const Table *from; /* NULL: no route is remembered */
  Table *to;
  ecs_Component gone;
  ecs_Component added;
  uint64_t layout_version;
  ColumnRange gone_columns;  /* in `from` */
  ColumnRange added_columns; /* in `to` */
} Route;
#define CHANGE_ROUTES 4u /* a power of two */

typedef struct ChangeState {
  Bundle **bundles; /* owned; by id less one; see bundle.h */
  uint32_t bundle_count;
  uint32_t bundle_capacity;
  Bundle *recent_bundles[ECS_RECENT_BUNDLES]; /* owned; see bundle_for_once;
                                                 NULL: none */
  Route routes[CHANGE_ROUTES]; /* lately used, see replacement.h */
  uint32_t shape_version;      /* the newest of chain_shape.h */
  bool notices_births;         /* every spawn is noticed: see Bundle.noticed */
} ChangeState;

/* Gives an empty state to a store, which it must outlive. */
static inline void change_state_init(ChangeState *state, Store *store) {
  *state = (ChangeState){0};
  store->changes = state;
}

/* The state of a store. */
static inline ChangeState *change_state(const Store *store) {
  ECS_ASSERT(store->changes != NULL);
  return store->changes;
}

/* The bundle of an id that bundle_ensure has given. */
static inline Bundle *change_bundle(const Store *store, ecs_Bundle id) {
  ECS_ASSERT(id - 1u < change_state(store)->bundle_count);
  return change_state(store)->bundles[id - 1];
}

/* Is it the id of a bundle? */
static inline bool change_has_bundle(const Store *store, ecs_Bundle id) {
  return id - 1u < change_state(store)->bundle_count;
}

#endif
