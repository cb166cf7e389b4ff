/* lua_pass.h: systems whose programs run in one call. */
#ifndef ECS_LUA_LUA_PASS_H
#define ECS_LUA_LUA_PASS_H

#include "program/lua_program.h"

/* Adds pass and its functions to the table on top of the stack. */
BIND_INTERNAL void bind_open_lua_pass(lua_State *L);

#endif
