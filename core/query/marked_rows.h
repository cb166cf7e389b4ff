/* marked_rows.h: the row list of a query over the main group and sparse sets.
 *
 * The main group drives. Its rows are taken 64 at a time from the bitmaps of
 * the sets (row_marks.h) and of the tags stored as bits:
 *
 *      with S, without T       rows  =  S & ~T
 *      optional U              first the rows without it, then those with it
 *
 * So no entity is looked up, and rows of one combination of tables come next to
 * each other without being sorted. Cost: 1 ns for each 64 rows and set, 0.5 to
 * 1 ns for each row that matches and set; after a change that the marks do not
 * follow, 2 ns for each row of a set.
 */
#ifndef ECS_MARKED_ROWS_H
#define ECS_MARKED_ROWS_H

#include "query/row_list.h"

/* Lists of queries with more optional sets are not taken from marks. */
#define MARKED_OPTIONAL_SETS 3u

/* Is the main group among the groups of the query, beside sparse sets alone, few
 * of which are optional, and do they share no choice? */
ECS_INTERNAL bool marked_rows_apply(const QueryGroup *groups,
                                    uint32_t group_count);

/* Has each set keep marks, which are not made yet. ECS_E_MEMORY:
 * marked_rows_release frees what was allocated. */
ECS_INTERNAL ecs_Status marked_rows_retain(Store *store, QueryGroup *groups,
                                           uint32_t group_count);

/* Gives up the marks of each set; also where a set is destroyed already. */
ECS_INTERNAL void marked_rows_release(Store *store, QueryGroup *groups,
                                      uint32_t group_count);

/* Makes the marks of each set true, and fills the list with the rows that
 * match; driver is the main group's number. everywhere: it has the rows in sets
 * without columns, too. ECS_E_MEMORY: the list is not built. */
ECS_INTERNAL ecs_Status marked_rows_build(RowList *list, Store *store,
                                          const QueryGroup *groups,
                                          uint32_t driver, bool everywhere);

/* Checked builds: are the marks of a set, where they claim to be, true? Cost:
 * every row of the main group and of the set. */
ECS_INTERNAL bool marked_rows_check_invariants(const Store *store,
                                               const Group *set);

#endif
