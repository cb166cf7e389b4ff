/* bulk_destroy.h: destroys every entity that matches a query, at once.
 *
 * Indices are freed from the highest to the lowest, so that the handles issued
 * next do not depend on how the entities were stored. When the matches are
 * whole tables of the main group, no row is moved:
 *
 *      table | e1 e2 e5 |   free 5, 2, 1   ->   table | |   cleared
 */
#ifndef ECS_BULK_DESTROY_H
#define ECS_BULK_DESTROY_H

#include "query/query.h"

/* Destroys the matches of a query; nothing is open. in_order: the rows that
 * remain in tables of the main group keep their order. ECS_E_MEMORY: nothing has
 * changed. Cost: a bit per index and one pass over the matches; where they are
 * not whole tables of the main group, moving as many rows at most; in order, all
 * rows behind the first match. */
ECS_INTERNAL ecs_Status bulk_destroy(ecs_Query *query, bool in_order);

#endif
