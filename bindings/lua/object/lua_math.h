/* lua_math.h: the functions of ecs.math that are written in C. */
#ifndef ECS_LUA_LUA_MATH_H
#define ECS_LUA_LUA_MATH_H

#include "object/object.h"

/* Adds the table math to the table on top of the stack. */
BIND_INTERNAL void bind_open_lua_math(lua_State *L);

#endif
