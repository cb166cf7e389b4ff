/* borrowed.h: the list of worlds that the state has borrowed from hosts.
 *
 *      ModuleState: worlds { userdata, userdata, ... }
 *
 * The list keeps a borrowed world's userdata, and with it the systems, alive:
 * the host runs them whether or not a script has the world in a variable. A
 * world that has ended stays in the list, its native NULL, until the list is
 * swept.
 */
#ifndef ECS_LUA_BORROWED_H
#define ECS_LUA_BORROWED_H

#include "world/lua_world.h"

/* Pushes the list and returns its stack index. */
BIND_INTERNAL int bind_borrowed_push(lua_State *L);

/* Pushes the object of a native world that is borrowed here; pushes nothing and
 * returns NULL when it is not. Cost: linear in the list. */
BIND_INTERNAL LuaWorld *bind_borrowed_find(lua_State *L,
                                           const ecs_World *native);

/* Appends the world at an absolute index. May raise when memory runs out. */
BIND_INTERNAL void bind_borrowed_add(lua_State *L, int index);

/* Removes the worlds that have ended, and this one. NULL: no other. */
BIND_INTERNAL void bind_borrowed_sweep(lua_State *L, const LuaWorld *without);

#endif
