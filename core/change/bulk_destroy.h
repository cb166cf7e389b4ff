/* bulk_destroy.h: destroys every entity that matches a query, at once.
 *
 * Indices come free from the highest to the lowest, so that which handles come
 * next never tells how the entities were stored. Where whole tables of the main
 * group go, no row is moved at all:
 *
 *      table | e1 e2 e5 |   free 5, 2, 1   ->   table | |   cleared
 */
#ifndef ECS_BULK_DESTROY_H
#define ECS_BULK_DESTROY_H

#include "query/query.h"

/* Destroys the matches of a query; nothing is open. ECS_E_MEMORY: nothing has
 * changed. Cost: a bit per index and one pass over the matches; where they are
 * not whole tables of the main group, moving as many rows at most. */
ECS_INTERNAL ecs_Status bulk_destroy(ecs_Query *query);

#endif
