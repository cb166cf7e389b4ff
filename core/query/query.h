/* query.h: the terms of a query, and the plan made from them.
 *
 * A query asks for components; its plan says where they are. Terms with
 * components in the same group share a QueryGroup (query_group.h). With one
 * group and no term on a tag stored as bits the plan is full: it is the matched
 * tables, used in place. Otherwise the plan has a row list (row_list.h) and is
 * partial, or blind when no two terms share a group.
 *
 *      terms   write A, read B, with S       A, B in the main group, S sparse
 *      groups  0: main group, {A B}          1: group 2, {S}
 *      plan    partial, driven by the group that costs less
 *
 * The driver's rows are looked up in the other groups. Columns of the other
 * groups are gathered, and scattered when they are written; the driver's are
 * not. So the driver is chosen by cost, with weights that were measured on
 * 64k shuffled rows.
 *
 * A query along a tree (ECS_ALONG) has a list in any case (tree_list.h). It is
 * made from the list of rows in its own groups, the base. Terms with the access
 * ECS_UP demand nothing, and have groups of their own behind these, even where
 * own terms are in the same group of the world.
 *
 * A query that asks for changes, or for an order, has a list of the rows that its
 * walks go over besides (picked_rows.h): its plan is not full then, whatever
 * explains it.
 *
 * A plan is made for one layout of the world (Store.layout_version). When the
 * layout has changed, the next use of the query makes a new one.
 */
#ifndef ECS_QUERY_H
#define ECS_QUERY_H

#include "base/access.h"
#include "query/marked_rows.h"
#include "query/picked_rows.h"
#include "query/tree_list.h"

typedef struct QueryTerm {
  ecs_Component component;
  ecs_Access access;
  uint32_t group_index;  /* into the query's groups; set by planning; of
                            ECS_ALONG undefined */
  uint32_t bit;          /* the component's bit in its group; set by planning */
  uint32_t first_column; /* of its columns in batches */
  uint32_t column_count; /* its fields; 0: a filter or a tag */
} QueryTerm;

typedef struct QueryColumn {
  uint32_t term;  /* index of its term */
  uint32_t field; /* index of its field in the component */
  uint8_t shift;  /* log2 of the element size in bytes */
  uint8_t type;   /* ecs_Scalar */
  bool written;   /* the term is ECS_WRITE or ECS_OPTIONAL */
} QueryColumn;

typedef struct Scratch Scratch; /* gather.h */

struct ecs_Query {
  Store *store;
  QueryTerm *terms; /* as they were given; owned */
  uint32_t term_count;
  QueryColumn *columns; /* of all terms, in their order; owned */
  uint32_t column_count;
  QueryGroup *groups; /* in the order of their first terms; owned, with room for
                         term_count + 1 */
  uint32_t group_count;    /* of the rows themselves */
  uint32_t up_count;       /* of their targets, behind those */
  LinkIndex *const *links; /* of the world; NULL: the query has no ECS_ALONG */
  uint32_t link;           /* which of them it goes along */
  uint64_t links_version;  /* of that link, when the list was made */
  RowList base;            /* where rows is along a tree: those of own groups */
  RowList rows;            /* of a plan that is not full */
  PickedRows *picked;      /* owned; NULL: neither changes nor an order */
  const RowList *list;     /* what walks go over, unless the query is direct:
                              rows, or the picked list */
  bool direct;             /* of the plan: walks go over the matched tables */
  uint32_t driver;         /* into groups, of the last row list; otherwise 0 */
  uint64_t layout_version; /* of the plan; UINT64_MAX: there is no plan */
  bool marked;        /* row lists may be taken from marks; marked_rows.h */
  uint32_t open;      /* open cursors */
  uint32_t builds;    /* row lists made so far, for explanations */
  uint32_t position;  /* among the queries of its world */
  uint32_t use;       /* one more than the index of its QueryUse; 0: none */
  Scratch *scratches; /* taken and spare ones; owned */
  ecs_KernelBinding *bindings; /* owned; kernel_binding.h */
  ecs_Program *programs;       /* owned; vm.h */
  struct ecs_Grid *grids;      /* owned; grid.h */
};

/* Life ------------------------------------------------------------------ */

/* Makes a query without a plan; terms were checked. Where one is ECS_ALONG, the
 * caller sets links and link next. ECS_E_MEMORY: everything is freed again. */
ECS_INTERNAL ecs_Status query_init(ecs_Query *query, Store *store,
                                   const ecs_Term *terms, uint32_t count);

/* Frees terms and plan. Scratches, bindings and programs belong to later
 * modules and must have been freed. */
ECS_INTERNAL void query_deinit(ecs_Query *query);

/* Asks for changes of a component of a term, or for the order by one of its
 * fields; once each, and before the query is used. ECS_E_MEMORY: nothing has
 * changed. */
ECS_INTERNAL ecs_Status query_ask_changes(ecs_Query *query, uint32_t term);
ECS_INTERNAL ecs_Status query_ask_order(ecs_Query *query, uint32_t term,
                                        uint32_t field, bool down);

/* Planning -------------------------------------------------------------- */

/* Makes a plan if there is none for the world's layout. ECS_E_MEMORY: there is
 * no plan. Cost: reads every table of the query's groups; where the plan is up
 * to date, one comparison. */
ECS_INTERNAL ecs_Status query_plan(ecs_Query *query);

/* Plans, and builds the row list if the plan has one that is not fresh.
 * ECS_E_MEMORY: the query is not prepared. */
ECS_INTERNAL ecs_Status query_prepare(ecs_Query *query);

/* The same, for those who ask for rows in groups without columns, too
 * (QueryGroup.columns): a row list then has them. */
ECS_INTERNAL ecs_Status query_prepare_everywhere(ecs_Query *query);

/* Frees the plan and its row list; the next use makes them anew. No cursor of
 * the query may be open. */
ECS_INTERNAL void query_drop_plan(ecs_Query *query);

/* The group that would drive a row list built now. The query is planned. */
ECS_INTERNAL uint32_t query_choose_driver(const ecs_Query *query);

/* Does the query ask for changes of a component? */
ECS_INTERNAL bool query_asks_changes(const ecs_Query *query,
                                     ecs_Component component);

/* Does it ask for an order? */
static inline bool query_is_sorted(const ecs_Query *query) {
  return query->picked != NULL && query->picked->sorted;
}

/* Do walks go over the matched tables, without a list? The query is planned. */
static inline bool query_is_direct(const ecs_Query *query) {
  return query->direct;
}

/* Is the plan full: are the matched tables what matches? The query is
 * planned. */
static inline bool query_is_full(const ecs_Query *query) {
  return query->group_count == 1 && !query->groups[0].filters &&
         query->links == NULL;
}

/* The links that a query with ECS_ALONG goes along. */
static inline LinkIndex *query_links(const ecs_Query *query) {
  return &(*query->links)[query->link];
}

/* Are the links of a query along a tree those that its list was made from? */
static inline bool query_links_are_fresh(const ecs_Query *query) {
  return query->links == NULL ||
         query->links_version == query_links(query)->version;
}

/* Are the plan and its row list up to date? Cost: a comparison per group. */
static inline bool query_is_prepared(const ecs_Query *query) {
  return query->layout_version == query->store->layout_version &&
         (query_is_direct(query) ||
          (row_list_is_fresh(query->list, query->groups) &&
           query_links_are_fresh(query)));
}

/* Checked builds: do columns, groups, masks, matched tables and driver agree
 * with the terms and with the world? A plan or a row list that is out of date
 * is not checked. Cost: about the same as making them. */
ECS_INTERNAL bool query_check_invariants(const ecs_Query *query);

/* Reading --------------------------------------------------------------- */

/* How many entities match. The query is prepared. Cost: a load per table, or
 * constant with a row list. */
ECS_INTERNAL uint64_t query_count(const ecs_Query *query);

/* Writes a text for people that explains the plan, cut off and terminated as by
 * snprintf. Returns its whole length in bytes. The query is prepared. */
ECS_INTERNAL size_t query_explain(const ecs_Query *query, char *text,
                                  size_t capacity);

#endif
