/* lua_program.h: kernel programs, as scripts/ecs compiles them. */
#ifndef ECS_LUA_LUA_PROGRAM_H
#define ECS_LUA_LUA_PROGRAM_H

#include "object/object.h"

/* Adds program, run_program, program_info and drop_program to the table on top
 * of the stack. */
BIND_INTERNAL void bind_open_lua_program(lua_State *L);

#endif
