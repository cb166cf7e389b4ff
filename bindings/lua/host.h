/* host.h: what ecs_lua.h calls, apart from ecs_lua_open. */
#ifndef ECS_LUA_HOST_H
#define ECS_LUA_HOST_H

#include "object/object.h"

/* Adds on_push to the table on top of the stack, and fills the list of hosts.
 */
BIND_INTERNAL void bind_open_host(lua_State *L);

#endif
