/* query.h: terms, and the plan made from them.
 *
 * A query asks for components; its plan says where they are. The terms of one
 * group make a part (query_group.h). With one part and no tag stored as bits the plan
 * is full: the matching tables, as they lie. Otherwise it is partial, or blind
 * when no two terms share a group, and runs over a row list (row_list.h).
 *
 *      terms  write A, read B, with S        A, B in the main group, S sparse
 *      parts  0: main group, {A B}           1: group 2, {S}
 *      plan   partial, driven by whichever part is cheaper to walk
 *
 * Which part drives is a cost: its rows are looked up in the other parts; of
 * the smallest part's rows, columns of the others are gathered, and scattered
 * when they are written. The weights were measured on shuffled rows at 64k.
 *
 * Plans are made for one layout of the world and made anew for the next, when
 * the query is used again.
 */
#ifndef ECS_QUERY_H
#define ECS_QUERY_H

#include "query/row_list.h"

typedef struct QueryTerm {
  ecs_Component component;
  ecs_Access access;
  uint32_t group_index;
  uint32_t bit;          /* in the part's group */
  uint32_t first_column; /* in batches */
  uint32_t column_count; /* 0: filters and tags */
} QueryTerm;

typedef struct QueryColumn {
  uint32_t term;
  uint32_t field;
  uint8_t shift; /* log2 of the element size */
  uint8_t type;  /* ecs_Scalar */
  bool written;  /* ECS_WRITE or ECS_OPTIONAL */
} QueryColumn;

typedef struct Scratch Scratch; /* cursor.h */

struct ecs_Query {
  Store *store;
  QueryTerm *terms;
  uint32_t term_count;
  QueryColumn *columns;
  uint32_t column_count;
  QueryGroup *groups; /* room for one per term, and one */
  uint32_t group_count;
  RowList rows;            /* of plans that are not full */
  uint32_t driver;         /* of the last row list */
  uint64_t layout_version; /* that the plan was made for; UINT64_MAX: none */
  uint32_t open;           /* cursors */
  Scratch *scratches;      /* owned; those of open cursors and spare ones */
  ecs_KernelBinding *bindings; /* owned; kernel_binding.h */
  ecs_Program *programs;       /* owned; vm.h */
};

/* Terms are valid. ECS_E_MEMORY. The query holds no place in the world yet;
 * query_prepare makes its plan. */
ECS_INTERNAL ecs_Status query_init(ecs_Query *query, Store *store,
                                   const ecs_Term *terms, uint32_t count);
/* Scratch and bindings are freed by their floors before. */
ECS_INTERNAL void query_deinit(ecs_Query *query);

/* Makes the plan for the world's layout when it is another. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status query_plan(ecs_Query *query);

/* Plans, and brings the row list up to date. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status query_prepare(ecs_Query *query);

/* The part that would drive a row list made now; the query is planned. */
ECS_INTERNAL uint32_t query_choose_driver(const ecs_Query *query);

/* Does the prepared plan walk tables as they lie, without a row list? */
static inline bool query_is_direct(const ecs_Query *query) {
  return query->group_count == 1 && !query->groups[0].filters;
}

/* Are the plan and its row list up to date? Cost: a comparison per group. */
static inline bool query_is_prepared(const ecs_Query *query) {
  return query->layout_version == query->store->layout_version &&
         (query_is_direct(query) ||
          row_list_is_fresh(&query->rows, query->groups));
}

/* How many entities match; the query is prepared. */
ECS_INTERNAL uint64_t query_count(const ecs_Query *query);

/* Checked builds: do columns, groups, masks, matched tables and the driver agree
 * with the terms and with the world? A plan that is out of date is not checked,
 * but for its columns; nor is a row list. Cost: as making them anew. */
ECS_INTERNAL bool query_check_invariants(const ecs_Query *query);

/* Text for people, as snprintf does it. The query is prepared. */
ECS_INTERNAL size_t query_explain(const ecs_Query *query, char *text,
                                  size_t capacity);

#endif
