/* bulk_rows.h: a component that comes to, or goes from, every match of a query.
 *
 * What the ways of doing it (bulk.c, bulk_destroy.c, bulk_rows.c) have in common.
 * A change is made in one group, the component's:
 *
 *      reserve    edges, tables, rows: may fail, and is given up then
 *      commit     rows move, places are told, values filled in
 */
#ifndef ECS_BULK_ROWS_H
#define ECS_BULK_ROWS_H

#include "query/matches.h"

typedef struct BulkChange {
  ecs_Query *query; /* prepared */
  Store *store;
  ecs_Component id;
  const Component *component; /* of that id */
  Group *group;               /* the component's */
  uint32_t bit;
  bool adds;
  const void *image;      /* whole, for who lacks it; NULL: a tag */
  uint64_t fields;        /* to be stored from the image where it is present */
  Table *first_table;     /* where entities new to the group go; NULL until one
                             is found */
  uint32_t tables_before; /* of the group */
} BulkChange;

/* Unmakes the tables that a change had made before it failed so. */
ECS_INTERNAL ecs_Status bulk_rows_give_up(const BulkChange *change,
                                          ecs_Status status);

/* Tells the entities of a table, from a row on, where they are. */
ECS_INTERNAL void bulk_rows_set_places(const BulkChange *change,
                                       const Table *table, uint32_t first);

/* The query's part over the main group, when the component is there: every
 * entity has a row in it, so that the plan names all rows in question. Another
 * group, or no such part: part_count. */
ECS_INTERNAL uint32_t bulk_rows_main_part(const BulkChange *change);

/* Room for the rows that the tables have pending, which is forgotten. */
ECS_INTERNAL ecs_Status bulk_rows_reserve_pending(const BulkChange *change);

/* The change of a component of the main group that is not stored as bits, where
 * no whole tables move: rows are copied out table by table, then the gaps are
 * closed with rows from the end.
 *
 *      {A}  | 1 2 3 4 5 |  take 2 3 5   | 1 - - 4 - |  close   | 1 4 |
 *
 * part: of the row list, which then names the rows; part_count: they are looked
 * up. ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed. */
ECS_INTERNAL ecs_Status bulk_rows_listed(BulkChange *change, uint32_t part);

/* Takes the rows of all matches out of the main group, in the same way; what
 * frees their entities is called first, while the rows are there. ECS_E_MEMORY:
 * nothing has changed. */
ECS_INTERNAL ecs_Status bulk_rows_drop(const BulkChange *change, uint32_t part,
                                       void (*free_marked)(Store *, IndexSet *),
                                       IndexSet *marks);

/* Reserved is reserved: what is checked here cannot fail. */
static inline void must_work(ecs_Status status) {
  ECS_ASSERT(status == ECS_OK);
  (void)status;
}

#endif
