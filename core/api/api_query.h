/* api_query.h: what other files of core/api need of queries. */
#ifndef ECS_API_QUERY_H
#define ECS_API_QUERY_H

#include "base/config.h"
#include "ecs.h"

/* Removes a query from its world, destroys its programs and kernel bindings,
 * and frees it. A cursor that is open over the query is not valid any more; its
 * level stays open. */
ECS_INTERNAL void api_query_free(ecs_Query *query);

/* Closes the innermost open cursor of a world: releases its claims and writes
 * back what it gathered. Its level stays open; returns the world, to close it
 * in. NULL: the cursor is not the innermost, or not open; function is named
 * where a checked build finds that a misuse. */
ECS_INTERNAL ecs_World *api_cursor_close(ecs_Cursor *cursor,
                                         const char *function);

#endif
