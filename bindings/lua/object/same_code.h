/* same_code.h: compares functions by their code. */
#ifndef ECS_LUA_SAME_CODE_H
#define ECS_LUA_SAME_CODE_H

#include "object/object.h"

/* Adds line_of and same_code to the table on top of the stack. */
BIND_INTERNAL void bind_open_same_code(lua_State *L);

#endif
