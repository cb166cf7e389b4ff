/* bulk_sparse.h: adds many entities to a sparse set at once, or removes all.
 *
 * A sparse set is a group of one component with a narrow locator: one table,
 * and for every index the row in it.
 *
 *      locator | 1 | - | 0 | - | - |        entities | e2 | e0 |
 *                    \       \___\__ join:           | e2 | e0 | e1 e3 e4 |
 *
 * Entities that join are appended in one run, and their values are filled in
 * column by column. Joining moves no row of any group, so that the query's
 * plan, which names the entities, stays valid meanwhile.
 */
#ifndef ECS_BULK_SPARSE_H
#define ECS_BULK_SPARSE_H

#include "query/index_set.h"

/* Stores the fields of the image that are set in `fields` in matches that are
 * in the set; the others join with the whole image. The query must be planned,
 * and is prepared where that is needed. ECS_E_MEMORY, ECS_E_LIMIT: nothing has
 * changed. Cost: one locator entry per match, one copy per match that joins. */
ECS_INTERNAL ecs_Status bulk_sparse_join(ecs_Query *query, Group *group,
                                         const Schema *schema,
                                         const void *image, uint64_t fields);

/* Removes the matches of a prepared query from the set, if they are all
 * entities of the set or none of them. False: they are some of them; nothing
 * has changed, and the caller must remove them one by one. */
ECS_INTERNAL bool bulk_sparse_empty(const ecs_Query *query, Group *group);

#endif
