/* row_list.h: the rows that match a query, when whole tables are not the
 * answer.
 *
 * A list is needed when the terms are in several groups, or ask for tags stored
 * as bits. One group drives: its matching rows are read in order, and the rows
 * of their entities in the other groups are looked up (join.h). Rows with the
 * same tables in all groups are put next to each other, in the driver's order,
 * and cut into blocks:
 *
 *      block     tables          rows in group 0      rows in group 1
 *        0       {A B}, {S}      5 6 7 8              0 1 2 3     <- in a run
 *        1       {A},   {S}      2 9 1                8 4 6
 *        2       {A},   absent   ...
 *
 * A block is a run in a group when its rows there follow each other; its
 * columns there are then used in place. Blocks that are runs in every group may
 * have any length; others have at most ECS_BLOCK_ROWS rows. Rows in a group of
 * which batches have no columns need not be looked for, and count as a run.
 *
 * A list is fresh while no group of the query has changed (Group.version).
 */
#ifndef ECS_ROW_LIST_H
#define ECS_ROW_LIST_H

#include "query/query_group.h"

/* Checked builds do not check a list if its driver has more rows. */
#define ROW_LIST_CHECKED_ROWS 256u

typedef struct Block {
  uint32_t first;  /* position of its first row in the list */
  uint32_t count;  /* rows; never 0 */
  uint32_t tables; /* number of its combination of tables */
  uint32_t depth;  /* of its entities in the tree of tree_list.h; otherwise 0 */
  uint64_t runs;   /* bit k: its rows in group k follow each other, or are
                      absent; groups from 64 on have no bit and are gathered */
  uint32_t low, high; /* along a tree, of its rows in the last group, which is
                         of targets: the lowest and the highest... */
  bool steps;         /* ... and whether they are in steps (gather_loops.h) */
} Block;

typedef struct RowList {
  uint32_t group_count;
  uint64_t
      *versions;     /* per group, its version when the list was built; owned */
  uint32_t **rows;   /* per group, the rows that match; owned */
  uint32_t capacity; /* rows that each of these arrays has room for, beside
                        BITS_LIST_SLACK */
  uint32_t count;    /* rows that match */
  uint64_t unplaced; /* bit k: rows in group k were not looked for */
  uint32_t *tables;  /* per combination, group_count table ids or
                         QUERY_GROUP_ABSENT; owned */
  uint32_t tables_count;    /* combinations */
  uint32_t tables_capacity; /* table ids that there is room for */
  Block *blocks;            /* in the order of the rows; owned */
  uint32_t block_count;
  uint32_t block_capacity;
  bool built; /* false: the list was never built, or building failed */
} RowList;

/* Life ------------------------------------------------------------------ */

/* Makes a list that is not built. ECS_E_MEMORY: row_list_deinit frees what was
 * allocated. */
ECS_INTERNAL ecs_Status row_list_init(RowList *list, Memory *memory,
                                      uint32_t group_count);

/* Frees everything; a zeroed list may be given, too. */
ECS_INTERNAL void row_list_deinit(RowList *list, Memory *memory);

/* Building -------------------------------------------------------------- */

/* Is the list what row_list_build would make now? Cost: a comparison per group.
 */
ECS_INTERNAL bool row_list_is_fresh(const RowList *list,
                                    const QueryGroup *groups);

/* Fills the list with the rows that match in all groups; group number driver
 * drives. ECS_E_MEMORY: the list is not built. Cost: a look-up for each row of
 * the driver in each other group. */
ECS_INTERNAL ecs_Status row_list_build(RowList *list, Store *store,
                                       const QueryGroup *groups,
                                       uint32_t driver);

/* The parts of building, for marked_rows.h and tree_list.h: row_list_empty,
 * row_list_reserve, row_list_append for each combination, and then
 * row_list_complete or row_list_stamp. */

/* Makes the list empty, and not built. */
ECS_INTERNAL void row_list_empty(RowList *list);

/* Makes room for so many rows in each group; the rows are undefined. The list
 * is empty. ECS_E_MEMORY: the list has no room. */
ECS_INTERNAL ecs_Status row_list_reserve(RowList *list, Memory *memory,
                                         uint32_t rows);

/* Appends count rows, not 0, which stand behind the rows of the list already.
 * They have one combination of tables, group_count table ids, which is not that
 * of the rows before.
 * ECS_E_MEMORY: the list is not complete. */
ECS_INTERNAL ecs_Status row_list_append(RowList *list, Memory *memory,
                                        const uint32_t *tables, uint32_t count);

/* The same for rows that follow each other in every group, as one block. */
ECS_INTERNAL ecs_Status row_list_append_run(RowList *list, Memory *memory,
                                            const uint32_t *tables,
                                            uint32_t count);

/* The same for rows with a combination that the list has: its number. */
ECS_INTERNAL ecs_Status row_list_append_known(RowList *list, Memory *memory,
                                              uint32_t combination,
                                              uint32_t count);

/* The same for rows that follow each other in every group, as one block. */
ECS_INTERNAL ecs_Status row_list_append_known_run(RowList *list, Memory *memory,
                                                  uint32_t combination,
                                                  uint32_t count);

/* Gives an empty list the combinations of another. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status row_list_copy_tables(RowList *list, Memory *memory,
                                             const RowList *from);

/* Notes that the list is built for the groups as they are. */
ECS_INTERNAL void row_list_stamp(RowList *list, const QueryGroup *groups);

/* The same for a list that has all rows that match, in the driver's order. */
ECS_INTERNAL void row_list_complete(RowList *list, const Store *store,
                                    const QueryGroup *groups, uint32_t driver);

/* Checked builds: is the list fresh, and is every matching row listed once, in
 * order, with the rows of its entity in the other groups? Blocks, runs and
 * combinations are checked, too. Cost: a look-up for each row of the driver in
 * each group. */
ECS_INTERNAL bool row_list_check_invariants(const RowList *list,
                                            const Store *store,
                                            const QueryGroup *groups,
                                            uint32_t driver);

/* Reading --------------------------------------------------------------- */

/* The table of a block in a group; NULL: its entities have no row there. */
static inline Table *row_list_table(const RowList *list, const Block *block,
                                    const QueryGroup *groups,
                                    uint32_t group_index) {
  ECS_ASSERT(block->tables < list->tables_count);
  ECS_ASSERT(group_index < list->group_count);
  uint32_t id = list->tables[block->tables * list->group_count + group_index];
  return id == QUERY_GROUP_ABSENT ? NULL
                                  : groups[group_index].group->tables[id];
}

/* The rows of a block in a group, block->count of them; undefined where they
 * are absent or not looked for. */
static inline const uint32_t *row_list_rows(const RowList *list,
                                            const Block *block,
                                            uint32_t group_index) {
  ECS_ASSERT(block->first + block->count <= list->count);
  return list->rows[group_index] + block->first;
}

/* Were rows in a group not looked for? They are undefined. */
static inline bool row_list_is_unplaced(const RowList *list,
                                        uint32_t group_index) {
  return group_index < 64 && (list->unplaced >> group_index & 1u) != 0;
}

/* Do the rows of a block in a group follow each other, or are they absent or
 * not looked for? */
static inline bool block_is_run_in(const Block *block, uint32_t group_index) {
  return group_index < 64 && (block->runs >> group_index & 1u) != 0;
}

#endif
