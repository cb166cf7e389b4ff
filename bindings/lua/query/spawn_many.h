/* spawn_many.h: world:spawn_many and world:reserve. */
#ifndef ECS_LUA_SPAWN_MANY_H
#define ECS_LUA_SPAWN_MANY_H

#include "object/object.h"

/* Adds spawn_many and reserve to the methods of worlds. */
BIND_INTERNAL void bind_open_spawn_many(lua_State *L);

#endif
