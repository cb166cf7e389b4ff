/* bulk_sparse.h: many entities join a sparse set, or all of it leaves, at once.
 *
 * A sparse set is a group of one component with a narrow locator: one table,
 * and for every index the row in it.
 *
 *      locator | 1 | - | 0 | - | - |        entities | e2 | e0 |
 *                    \       \___\__ join:           | e2 | e0 | e1 e3 e4 |
 *
 * Who joins does so in one run at the end, and its values are filled in column
 * by column. Joining moves no row of any group, so that the plan that names the
 * entities stays good meanwhile.
 */
#ifndef ECS_BULK_SPARSE_H
#define ECS_BULK_SPARSE_H

#include "query/index_set.h"

/* Matches that are in the set get the fields of the image whose bits are set;
 * the others join with all of it. The query is planned, and is prepared where
 * that is needed. ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed. */
ECS_INTERNAL ecs_Status bulk_sparse_join(ecs_Query *query, Group *group,
                                         const Schema *schema,
                                         const void *image, uint64_t fields);

/* Takes the matches of a prepared query out of the set when they are all or
 * none of it. False: they are some, nothing has changed, and they have to go
 * one by one. */
ECS_INTERNAL bool bulk_sparse_empty(const ecs_Query *query, Group *group);

#endif
