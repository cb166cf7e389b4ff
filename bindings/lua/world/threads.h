/* threads.h: the threads of a world. */
#ifndef ECS_LUA_THREADS_H
#define ECS_LUA_THREADS_H

#include "world/lua_world.h"

/* Adds set_threads, threads and cores to the table on top of the stack. */
BIND_INTERNAL void bind_open_threads(lua_State *L);

#endif
