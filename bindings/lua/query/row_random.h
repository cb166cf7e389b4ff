/* row_random.h: ecs.random. */
#ifndef ECS_LUA_ROW_RANDOM_H
#define ECS_LUA_ROW_RANDOM_H

#include "object/object.h"

/* Adds random, set_seed and seed to the table on top of the stack. */
BIND_INTERNAL void bind_open_row_random(lua_State *L);

#endif
