/* row_loop.h: query:each, each systems and query:rows. */
#ifndef ECS_LUA_ROW_LOOP_H
#define ECS_LUA_ROW_LOOP_H

#include "object/object.h"

/* Adds each_next, run_each and rows_done to the table on top of the stack, and
 * each and rows to the methods of queries. */
BIND_INTERNAL void bind_open_row_loop(lua_State *L);

#endif
