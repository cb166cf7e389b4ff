/* tree_list.h: the rows of a query along a tree, targets before sources.
 *
 * A query with terms ECS_UP has columns of the entity that a row's own entity
 * links to. Its list has groups for these as well, in which the rows are those
 * of the targets. Rows are sorted by depth, then by the tables of all
 * groups, then as they were:
 *
 *      block  depth   own tables   rows       target's tables   rows
 *        0      0     {A}          0 1 2      absent            -
 *        1      1     {A L}        0 1 4      {A}               0 2 2
 *        2      2     {A L}        2 3 5      {A L}             0 0 4
 *
 * So a batch has either targets with the same components in every row or none,
 * and what a row reads of its target has been computed by an earlier batch.
 * Within a depth rows stay in their own order, and not in the order of their
 * targets: where the rows of a depth follow each other, their columns are used
 * in place and only those of the targets are gathered.
 *
 * Every entity of the tree counts for the depth, whether or not the query
 * matches it. A list is fresh while no group and no link has changed.
 */
#ifndef ECS_TREE_LIST_H
#define ECS_TREE_LIST_H

#include "query/row_list.h"
#include "storage/link_index.h"

/* What a list is made from. */
typedef struct TreeRows {
  Store *store;
  const QueryGroup *groups; /* own ones, then those of the target */
  uint32_t own;             /* how many of these are own ones */
  uint32_t driver;          /* one of the own ones */
  const RowList *base;      /* rows in the own groups, in all of them; fresh */
  LinkIndex *index;
} TreeRows;

/* Fills the list, which has all the groups. ECS_E_MEMORY: it is not built.
 * Cost: 5 to 10 ns for each row and group of the target. */
ECS_INTERNAL ecs_Status tree_list_build(RowList *list, const TreeRows *rows);

/* Checked builds: has the list every row of the base once, by depth, with the
 * rows of its target? Cost: a walk to the root from every row. */
ECS_INTERNAL bool tree_list_check_invariants(const RowList *list,
                                             const TreeRows *rows);

#endif
