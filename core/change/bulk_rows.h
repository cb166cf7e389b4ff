/* bulk_rows.h: adds a component to all matches of a query, or removes it.
 *
 * What bulk.c, bulk_destroy.c and bulk_rows.c share is here. A change is made
 * in the component's group, in two steps:
 *
 *      reserve    edges, tables and rows; a failure drops them again
 *      commit     rows move, places are written, values are filled in
 */
#ifndef ECS_BULK_ROWS_H
#define ECS_BULK_ROWS_H

#include "query/index_set.h"

typedef struct BulkChange {
  ecs_Query *query; /* borrowed; prepared */
  Store *store;
  ecs_Component id;
  Component *component; /* of that id */
  Group *group;         /* the component's */
  uint32_t bit;
  bool adds;              /* the component is added; otherwise removed */
  const void *image;      /* of the whole component, for matches that lack it;
                             NULL: a tag */
  uint64_t fields;        /* to store from the image where it is present */
  bool in_order;          /* rows that stay keep their order, for dropping */
  Table *first_table;     /* where entities new to the group go; NULL until one
                             is found */
  uint32_t tables_before; /* of the group, before the change */
} BulkChange;

/* Drops the tables that a change has created before it failed, and returns the
 * status. */
ECS_INTERNAL ecs_Status bulk_rows_give_up(const BulkChange *change,
                                          ecs_Status status);

/* Records where the entities of a table are, from row first on. */
ECS_INTERNAL void bulk_rows_set_places(const BulkChange *change,
                                       const Table *table, uint32_t first);

/* The index of the main group among the query's groups, if the component is in
 * the main group: every entity has a row there, so the plan names the row of
 * every match. The query's group_count if the component is in another group, or
 * if the query does not ask the main group. */
ECS_INTERNAL uint32_t bulk_rows_group_index(const BulkChange *change);

/* Makes room for the rows that are pending in the group's tables, and sets the
 * numbers back to 0. ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status bulk_rows_reserve_pending(const BulkChange *change);

/* Makes the change of a component of the main group that is not stored as bits,
 * where no whole tables move: rows are copied out table by table, then the gaps
 * are closed with rows from the end.
 *
 *      {A}  | 1 2 3 4 5 |  take 2 3 5   | 1 - - 4 - |  close   | 1 4 |
 *
 * group_index: the group of the row list that names the rows, or the query's
 * group_count: rows are then located one by one. ECS_E_MEMORY, ECS_E_LIMIT:
 * nothing has changed. Cost: the matches, and the rows that fill their gaps. */
ECS_INTERNAL ecs_Status bulk_rows_listed(BulkChange *change,
                                         uint32_t group_index);

/* Removes the rows of all matches from the main group in the same way.
 * free_entities is called first, while the rows are there; it frees the indices
 * of the entities in `matches`. in_order: all rows behind a gap move up instead.
 * ECS_E_MEMORY: nothing has changed. */
ECS_INTERNAL ecs_Status
bulk_rows_drop(const BulkChange *change, uint32_t group_index,
               void (*free_entities)(Store *, IndexSet *), IndexSet *matches);

/* For changes that cannot fail, because everything is reserved. */
static inline void must_work(ecs_Status status) {
  ECS_ASSERT(status == ECS_OK);
  (void)status;
}

#endif
