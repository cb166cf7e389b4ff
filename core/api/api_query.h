/* api_query.h: what other files of core/api need of queries. */
#ifndef ECS_API_QUERY_H
#define ECS_API_QUERY_H

#include "base/config.h"
#include "ecs.h"

/* Removes a query from its world, destroys its programs and kernel bindings,
 * and frees it. A cursor that is open over the query is not valid any more; its
 * level stays open. */
ECS_INTERNAL void api_query_free(ecs_Query *query);

#endif
