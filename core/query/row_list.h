/* row_list.h: the rows that match a query whose terms span groups.
 *
 * One part drives: its matching rows are visited in order, and the places of
 * their entities in the other parts are looked up. Rows with the same tables
 * in all parts are brought together, in the driver's order, and cut into
 * blocks:
 *
 *      block     tables          rows of part 0       rows of part 1
 *        0       {A B}, {S}      5 6 7 8              0 1 2 3     <- in a run
 *        1       {A},   {S}      2 9 1                8 4 6
 *        2       {A},   absent   ...
 *
 * A block is a run in a part when its rows there follow each other; then its
 * columns are used in place. Blocks that are runs in every part may be long;
 * others have at most ECS_BLOCK_ROWS rows.
 *
 * The list stays good while no group of the query changes (Group.version).
 */
#ifndef ECS_ROW_LIST_H
#define ECS_ROW_LIST_H

#include "query/query_group.h"

/* Checked builds leave out checks of lists whose driver has more rows. */
#define ROW_LIST_CHECKED_ROWS 256u

typedef struct Block {
  uint32_t first; /* of its rows in the list */
  uint32_t count;
  uint32_t tables; /* which combination of tables */
  uint64_t runs;   /* bit k: its rows of part k follow each other; parts past
                      64 are not told apart and count as scattered */
} Block;

typedef struct RowList {
  uint32_t group_count;
  uint64_t *versions; /* of the groups, one per part, when it was built */
  uint32_t **rows;    /* one array per part; owned */
  uint32_t capacity;  /* of each of them */
  uint32_t count;     /* rows that match */
  uint32_t *tables;   /* part_count ids per combination; QUERY_GROUP_ABSENT */
  uint32_t tables_count;    /* combinations */
  uint32_t tables_capacity; /* in ids */
  Block *blocks;
  uint32_t block_count;
  uint32_t block_capacity;
  bool built;
} RowList;

ECS_INTERNAL ecs_Status row_list_init(RowList *list, Memory *memory,
                                      uint32_t group_count);
ECS_INTERNAL void row_list_deinit(RowList *list, Memory *memory);

/* Is it still what row_list_build would make? */
ECS_INTERNAL bool row_list_is_fresh(const RowList *list,
                                    const QueryGroup *groups);

/* Fills the list. ECS_E_MEMORY leaves it not built. Cost: one look-up per row
 * of the driver and other part. */
ECS_INTERNAL ecs_Status row_list_build(RowList *list, Store *store,
                                       const QueryGroup *groups,
                                       uint32_t driver);

/* Checked builds: is the list what its groups say? Every matching row is listed
 * once, in order, with the rows of its entity in the other groups; blocks,
 * runs, combinations and versions agree. Cost: looks up every entity of the
 * driver in every group. */
ECS_INTERNAL bool row_list_check_invariants(const RowList *list,
                                            const Store *store,
                                            const QueryGroup *groups,
                                            uint32_t driver);

/* The table of a block in a part; NULL when absent. */
static inline Table *row_list_table(const RowList *list, const Block *block,
                                    const QueryGroup *groups,
                                    uint32_t group_index) {
  ECS_ASSERT(block->tables < list->tables_count);
  ECS_ASSERT(group_index < list->group_count);
  uint32_t id = list->tables[block->tables * list->group_count + group_index];
  return id == QUERY_GROUP_ABSENT ? NULL
                                  : groups[group_index].group->tables[id];
}

static inline const uint32_t *row_list_rows(const RowList *list,
                                            const Block *block,
                                            uint32_t group_index) {
  ECS_ASSERT(block->first + block->count <= list->count);
  return list->rows[group_index] + block->first;
}

static inline bool block_is_run_in(const Block *block, uint32_t group_index) {
  return group_index < 64 && (block->runs >> group_index & 1u) != 0;
}

#endif
