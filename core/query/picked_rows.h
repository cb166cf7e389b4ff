/* picked_rows.h: the rows of a query that asks for changes, or for an order.
 *
 * Such a query has a plan like any other, but its walks go over a list of their
 * own, which is made from the matched tables or from the plan's row list:
 *
 *      the plan      | {A}: 0 ... 5000      | {A B}: 0 ... 300   |
 *      changed       | 1024 ... 2047, 4096 ... 5000  |  0 ... 300 |   blocks with
 *                                                          newer stamps (stamps.h)
 *      sorted        | 4711 | {A B}: 12 | 1500 | ...                    by a field
 *
 * Changes are those since a tick, which is that of the last walk that its owner
 * has called seen. A walk goes over blocks with rows that came, moved or were
 * written since; where a group can only take entities away, any change of it
 * makes all rows count as changed.
 *
 * An order is a stable sort by one field: rows that are equal stay in the order
 * of the plan, and NaNs come last. The list is kept until rows come or go, or the
 * field's component is opened for writing. The rows of tables are not moved.
 */
#ifndef ECS_PICKED_ROWS_H
#define ECS_PICKED_ROWS_H

#include "query/row_list.h"

/* A component whose changes are asked for. */
typedef struct PickedTerm {
  ecs_Component component;
  uint32_t group_index; /* into the query's groups; set by planning */
  uint32_t bit;         /* in that group; STAMP_NO_BIT: without columns in its
                           tables; likewise */
} PickedTerm;

typedef struct PickedRows {
  PickedTerm *changed; /* owned; with room for every term */
  uint32_t changed_count;
  const uint64_t **lists; /* scratch: one more than there are terms; owned */
  PickedTerm order;
  bool sorted;
  bool down;           /* from the largest to the smallest */
  uint32_t field;      /* of the component of order */
  RowList found;       /* the rows to be sorted, where the plan has no list */
  RowList list;        /* what walks go over */
  uint64_t since;      /* stamps until then have been seen */
  uint64_t seen;       /* the tick at which the last walk began */
  uint64_t since_lost; /* count_lost in picked_rows.c, at these two */
  uint64_t seen_lost;
  uint64_t made_lost; /* and when the list was made */
  uint64_t made;      /* the tick then */
  uint32_t builds;    /* of the plan's list then */
} PickedRows;

/* What a list is made from. */
typedef struct PickedFrom {
  Store *store;
  const QueryGroup *groups;
  uint32_t group_count;
  const RowList *rows; /* the plan's, built with the rows of every group; NULL:
                          the matched tables of the only group */
  uint32_t builds;     /* how often that list was made */
} PickedFrom;

/* Makes lists that are not built. ECS_E_MEMORY: picked_rows_drop frees what was
 * allocated. */
ECS_INTERNAL ecs_Status picked_rows_plan(PickedRows *picked, Memory *memory,
                                         uint32_t group_count);

/* Frees both lists. */
ECS_INTERNAL void picked_rows_drop(PickedRows *picked, Memory *memory);

/* Makes the list, unless it is what would be made. ECS_E_MEMORY: it is not
 * built. Cost: a comparison per block of STAMP_ROWS rows, term and group, and
 * a copy of each row that is picked; sorting takes about 30 ns a row. */
ECS_INTERNAL ecs_Status picked_rows_make(PickedRows *picked,
                                         const PickedFrom *from);

/* A walk over the list, which began at a tick, has ended: what is written from
 * now on is newer. */
ECS_INTERNAL void picked_rows_walked(PickedRows *picked, Store *store,
                                     uint64_t began);

/* What the last walk went over has been seen. */
ECS_INTERNAL void picked_rows_see(PickedRows *picked);

#endif
