/* world_methods.h: what concerns a world as a whole. */
#ifndef ECS_LUA_WORLD_METHODS_H
#define ECS_LUA_WORLD_METHODS_H

#include "object/object.h"

/* Pushes a hash as sixteen hexadecimal digits: 64 bits fit no Lua number of
 * LuaJIT. */
BIND_INTERNAL void bind_push_hash(lua_State *L, uint64_t hash);

/* Adds statistics and storage to the table on top of the stack, and clear,
 * trim, state_hash and group to the methods of worlds. */
BIND_INTERNAL void bind_open_world_methods(lua_State *L);

#endif
