/* world_close.h: closes worlds: world:close and ecs_lua_detach. */
#ifndef ECS_LUA_WORLD_CLOSE_H
#define ECS_LUA_WORLD_CLOSE_H

#include "world/lua_world.h"

/* Ends a borrowed world for this state: destroys the queries that were made
 * here, lets go of the native world and takes it off the list. Raises when
 * something is open. index is the stack index of the world. */
BIND_INTERNAL void bind_world_detach(lua_State *L, LuaWorld *world, int index);

/* Adds close and __close to worlds. */
BIND_INTERNAL void bind_open_world_close(lua_State *L);

#endif
