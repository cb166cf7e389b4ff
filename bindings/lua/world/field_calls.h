/* field_calls.h: single fields for compiled code on LuaJIT. */
#ifndef ECS_LUA_FIELD_CALLS_H
#define ECS_LUA_FIELD_CALLS_H

#include "object/object.h"

/* Adds access and access_calls to the table on top of the stack. */
BIND_INTERNAL void bind_open_field_calls(lua_State *L);

#endif
