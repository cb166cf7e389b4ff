/* new_prefab.h: makes prefabs from the arguments of ecs.prefab. */
#ifndef ECS_LUA_NEW_PREFAB_H
#define ECS_LUA_NEW_PREFAB_H

#include "object/object.h"

/* Adds prefab to the table on top of the stack. */
BIND_INTERNAL void bind_open_new_prefab(lua_State *L);

#endif
