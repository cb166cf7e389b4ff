/* bulk_methods.h: changes of every entity that matches a query. */
#ifndef ECS_LUA_BULK_METHODS_H
#define ECS_LUA_BULK_METHODS_H

#include "object/object.h"

/* Adds add, remove, set, destroy and first to the methods of queries. */
BIND_INTERNAL void bind_open_bulk_methods(lua_State *L);

#endif
