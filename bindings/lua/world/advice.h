/* advice.h: where components are stored, and which had better be elsewhere. */
#ifndef ECS_LUA_ADVICE_H
#define ECS_LUA_ADVICE_H

#include "object/object.h"

/* Adds advice and component_statistics to the table on top of the stack. */
BIND_INTERNAL void bind_open_advice(lua_State *L);

#endif
