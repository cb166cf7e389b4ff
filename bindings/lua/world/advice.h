/* advice.h: which components would be better stored otherwise. */
#ifndef ECS_LUA_ADVICE_H
#define ECS_LUA_ADVICE_H

#include "object/object.h"

/* Adds advice to the table on top of the stack. */
BIND_INTERNAL void bind_open_advice(lua_State *L);

#endif
