/* query_group.h: what a query demands of one group.
 *
 * Demands on components are masks, which select tables. Demands on tags stored
 * as bits are in no mask: they select rows, by one byte of needed bits and one
 * of forbidden bits for each column of bits.
 *
 *      with A, without B, with T (bits)
 *
 *      tables   required {A}   excluded {B}      --> {A}, {A C}
 *      rows     needed 00000001  forbidden 0     --> rows of these that have T
 *
 * A choice (ECS_ANY) is among components that are offered. Where all of them
 * are in one group, it is a demand on the group: on its tables, or on its rows
 * if a tag stored as bits is offered. Where several groups offer them, no group
 * knows whether an entity fits: it is looked up in all of them
 * (query_groups_offer).
 */
#ifndef ECS_QUERY_GROUP_H
#define ECS_QUERY_GROUP_H

#include "base/bits.h"
#include "storage/locate.h"

/* Stands for a table id: the entity has no row in the group. */
#define QUERY_GROUP_ABSENT UINT32_MAX

typedef struct QueryGroup {
  Group *group;            /* owned by the store */
  MatchedTables match;     /* the tables with masks that fit; updated by the
                              group */
  uint8_t *bits_needed;    /* bits_columns bytes; owned */
  uint8_t *bits_forbidden; /* bits_columns bytes; owned */
  uint8_t *bits_offered;   /* bits_columns bytes; owned */
  uint32_t bits_columns;   /* columns of bits when the plan was made */
  RowMarks *marks;         /* of a sparse set, which keeps them for the query;
                              NULL: the query does not use any */
  bool filters;            /* there is a demand on a tag stored as bits */
  bool offers;             /* the query's choice is among its components */
  bool
      row_chooses; /* a row must have one of them, as a tag stored as bits or in
                       its table; filters is true */
  bool shares;     /* so it may, or have one of another group */
  bool columns;    /* batches have columns of it */
  bool required;   /* an entity without a row in the group does not match */
} QueryGroup;

/* Life ------------------------------------------------------------------ */

/* Makes masks for the components that the group has now, without demands.
 * ECS_E_MEMORY: query_group_deinit frees what was allocated. */
ECS_INTERNAL ecs_Status query_group_init(QueryGroup *query_group,
                                         Memory *memory, Group *group);

/* Frees everything. The group must not keep the match any more: group_detach
 * comes first. */
ECS_INTERNAL void query_group_deinit(QueryGroup *query_group, Memory *memory);

/* Adds the demand of one term: the component with this bit must be there, or
 * must not. Once for each component, before group_attach. */
ECS_INTERNAL void query_group_demand(QueryGroup *query_group, uint32_t bit,
                                     bool there);

/* Offers the component with this bit to the query's choice. Once for each
 * component, before query_groups_choose. */
ECS_INTERNAL void query_group_offer(QueryGroup *query_group, uint32_t bit);

/* Makes the choice a demand of the one group that offers, or has the groups
 * share it. After all offers, before group_attach. */
ECS_INTERNAL void query_groups_choose(QueryGroup *groups, uint32_t count);

/* Matching -------------------------------------------------------------- */

/* The rows of all matched tables, whatever their bits. Cost: a load per table.
 */
ECS_INTERNAL uint64_t query_group_rows(const QueryGroup *query_group);

/* Do the bits of a row fit, column by column, and does it have something that
 * is offered where that must be? */
ECS_INTERNAL bool query_group_bits_fit(const QueryGroup *query_group,
                                       const Table *table, uint32_t row);

/* The rows of a table from first on with bits that fit, as bits of a word: bit k
 * is row first + k, of count rows, WORD_BITS at most. Cost: 0.1 ns a row. */
ECS_INTERNAL uint64_t query_group_word(const QueryGroup *query_group,
                                       const Table *table, uint32_t first,
                                       uint32_t count);

/* Lists those of count rows of a table, from first on, that have bits that fit.
 * Returns their number. list has room for all, and BITS_LIST_SLACK more. Cost:
 * 0.1 ns a row, and 0.3 to 0.7 ns for each that fits. */
ECS_INTERNAL uint32_t query_group_list(const QueryGroup *query_group,
                                       const Table *table, uint32_t first,
                                       uint32_t count, uint32_t *list);

/* The most rows of query_group_sift. */
#define QUERY_SIFT_ROWS 256u

/* Writes for each of count rows of a table, from first on, 1 if its bits fit and
 * 0 if not. Returns how many do. fits has room for
 * QUERY_SIFT_ROWS, and those behind count become 0. Cost: 0.02 ns a row. */
ECS_INTERNAL uint32_t query_group_sift(const QueryGroup *query_group,
                                       const Table *table, uint32_t first,
                                       uint32_t count, uint8_t *fits);

/* Do the bits of a row fit? Where no demand is on bits they always do. */
static inline bool query_group_row_fits(const QueryGroup *query_group,
                                        const Table *table, uint32_t row) {
  return !query_group->filters || query_group_bits_fit(query_group, table, row);
}

/* The row of an entity in the group; main_row is its row in the main group.
 * table NULL: the entity has none. */
static inline RowRef query_group_locate(const QueryGroup *query_group,
                                        ecs_Entity entity, RowRef main_row) {
  ECS_ASSERT(main_row.table->entities[main_row.row] == entity);
  return query_group->group->id == 0
             ? main_row
             : store_locate_in(query_group->group, id_index(entity));
}

/* Does an entity that has this row in the group fit the demands on it? */
static inline bool query_group_fits(const QueryGroup *query_group, RowRef row) {
  if (row.table == NULL) return !query_group->required;
  return matched_tables_fit(&query_group->match, row.table) &&
         query_group_row_fits(query_group, row.table, row.row);
}

/* Has the row something that is offered? table NULL: there is no row. */
ECS_INTERNAL bool query_group_row_offers(const QueryGroup *query_group,
                                         const Table *table, uint32_t row);

/* Do the groups share a choice? Where they do not, each entity that fits all of
 * them matches. */
static inline bool query_groups_share(const QueryGroup *groups,
                                      uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (groups[i].shares) return true;
  return false;
}

/* Has an entity what a choice that groups share demands? main_row is its row in
 * the main group. Cost: a look-up in each group that shares it. */
ECS_INTERNAL bool query_groups_offer(const QueryGroup *groups, uint32_t count,
                                     ecs_Entity entity, RowRef main_row);

/* Checking -------------------------------------------------------------- */

/* Has this component been offered? */
ECS_INTERNAL bool query_group_offered(const QueryGroup *query_group,
                                      uint32_t bit);

/* Has this demand been added? */
ECS_INTERNAL bool query_group_demanded(const QueryGroup *query_group,
                                       uint32_t bit, bool there);

/* How many demands and offers have been added? */
ECS_INTERNAL uint32_t query_group_demands(const QueryGroup *query_group);

/* Checked builds: are the matched tables exactly the tables that fit, by
 * ascending id? */
ECS_INTERNAL bool query_group_check_invariants(const QueryGroup *query_group);

#endif
