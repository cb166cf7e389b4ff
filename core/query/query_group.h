/* query_group.h: what a query asks of one group.
 *
 * The match says which tables fit by their masks. Tags stored as bits are in
 * no mask; they filter rows: a byte of needed bits and one of forbidden bits
 * for each column of bits.
 */
#ifndef ECS_QUERY_GROUP_H
#define ECS_QUERY_GROUP_H

#include "storage/locate.h"

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

ECS_INTERNAL bool query_group_bits_fit(const QueryGroup *query_group,
                                       const Table *table, uint32_t row);

/* Does the row pass the filter of bits? */
static inline bool query_group_row_fits(const QueryGroup *query_group,
                                        const Table *table, uint32_t row) {
  return !query_group->filters || query_group_bits_fit(query_group, table, row);
}

#endif
