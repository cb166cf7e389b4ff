/* exit_loop.h: runs of programs that rows may leave. */
#ifndef ECS_LUA_EXIT_LOOP_H
#define ECS_LUA_EXIT_LOOP_H

#include "object/object.h"

/* Adds run_exits to the table on top of the stack. */
BIND_INTERNAL void bind_open_exit_loop(lua_State *L);

#endif
