/* world_queries.h: one query for the same terms of a world. */
#ifndef ECS_LUA_WORLD_QUERIES_H
#define ECS_LUA_WORLD_QUERIES_H

#include "object/object.h"

/* Adds query, system_query and sort_terms to the table on top of the stack, and
 * query to the methods of worlds. */
BIND_INTERNAL void bind_open_world_queries(lua_State *L);

#endif
