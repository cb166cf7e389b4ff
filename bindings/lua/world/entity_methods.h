/* entity_methods.h: the methods of a world that take one entity. */
#ifndef ECS_LUA_ENTITY_METHODS_H
#define ECS_LUA_ENTITY_METHODS_H

#include "object/object.h"

/* Adds them to the methods of worlds. */
BIND_INTERNAL void bind_open_entity_methods(lua_State *L);

#endif
