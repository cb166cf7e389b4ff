/* link_methods.h: what scripts may ask of links. */
#ifndef ECS_LUA_LINK_METHODS_H
#define ECS_LUA_LINK_METHODS_H

#include "object/object.h"

/* Adds links, link_count, parent, children and ancestors to the methods of
 * worlds. */
BIND_INTERNAL void bind_open_link_methods(lua_State *L);

#endif
