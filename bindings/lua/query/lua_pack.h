/* lua_pack.h: packed rows, for scripts/ecs/pack.lua. */
#ifndef ECS_LUA_LUA_PACK_H
#define ECS_LUA_LUA_PACK_H

#include "query/lua_query.h"

/* Adds pack_rows, packed_texts and unpack_rows to the table on top of the stack. */
BIND_INTERNAL void bind_open_lua_pack(lua_State *L);

#endif
