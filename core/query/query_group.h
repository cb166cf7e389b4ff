/* query_group.h: what a query asks of one group.
 *
 * The match says which tables fit by their masks. Tags stored as bits are in
 * no mask; they filter rows: a byte of needed bits and one of forbidden bits
 * for each column of bits.
 */
#ifndef ECS_QUERY_GROUP_H
#define ECS_QUERY_GROUP_H

#include "storage/store.h"

#define QUERY_GROUP_ABSENT \
  UINT32_MAX /* a table id: the entity has no place here */

typedef struct QueryGroup {
  Group *group;
  MatchedTables match;
  uint8_t *bits_needed; /* bits_columns bytes each; owned */
  uint8_t *bits_forbidden;
  uint32_t bits_columns;
  bool filters;  /* some tag stored as bits is asked for */
  bool required; /* an entity without a place here does not match */
} QueryGroup;

/* Masks of as many words as the group has now, all clear. ECS_E_MEMORY:
 * query_group_deinit frees what there is. */
ECS_INTERNAL ecs_Status query_group_init(QueryGroup *query_group,
                                         Memory *memory, Group *group);
ECS_INTERNAL void query_group_deinit(QueryGroup *query_group, Memory *memory);

/* Adds one term's demand: the component must be there, or must not. */
ECS_INTERNAL void query_group_demand(QueryGroup *query_group, uint32_t bit,
                                     bool there);

/* Rows of all tables that match. */
ECS_INTERNAL uint64_t query_group_rows(const QueryGroup *query_group);

/* Has the demand been added? For checks. */
ECS_INTERNAL bool query_group_demanded(const QueryGroup *query_group,
                                       uint32_t bit, bool there);

/* How many demands have been added. For checks. */
ECS_INTERNAL uint32_t query_group_demands(const QueryGroup *query_group);

/* Checked builds: are the matched tables those that fit? */
ECS_INTERNAL bool query_group_check_invariants(const QueryGroup *query_group);

ECS_INTERNAL bool query_group_bits_fit(const QueryGroup *query_group,
                                       const Table *table, uint32_t row);

/* Does the row pass the filter of bits? */
static inline bool query_group_row_fits(const QueryGroup *query_group,
                                        const Table *table, uint32_t row) {
  return !query_group->filters || query_group_bits_fit(query_group, table, row);
}

/* The row of an entity in the group, where its row in the main group is known;
 * table NULL: none. */
static inline RowRef query_group_locate(const QueryGroup *query_group,
                                        ecs_Entity entity, RowRef main_row) {
  ECS_ASSERT(main_row.table->entities[main_row.row] == entity);
  return query_group->group->id == 0
             ? main_row
             : store_locate_in(query_group->group, id_index(entity));
}

/* Does an entity with that row in the group match, as far as this group is
 * concerned? */
static inline bool query_group_fits(const QueryGroup *query_group, RowRef row) {
  if (row.table == NULL) return !query_group->required;
  return matched_tables_fit(&query_group->match, row.table) &&
         query_group_row_fits(query_group, row.table, row.row);
}

#endif
