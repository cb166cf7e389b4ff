/* entity_methods.h: the methods of a world that take one entity. */
#ifndef ECS_LUA_ENTITY_METHODS_H
#define ECS_LUA_ENTITY_METHODS_H

#include "object/object.h"

/* The method of this name, one of those in entity_methods.c. A function that
 * has the state as its first upvalue may call it in its own place: errors blame
 * the line that called the function. */
BIND_INTERNAL lua_CFunction bind_entity_method(const char *name);

/* The number at index as an entity; nil, and a number that is no handle, are
 * the null entity. Raises in the name of call on other values. */
BIND_INTERNAL ecs_Entity bind_entity_read(lua_State *L, int index,
                                          const char *call);

/* Adds them to the methods of worlds. */
BIND_INTERNAL void bind_open_entity_methods(lua_State *L);

#endif
