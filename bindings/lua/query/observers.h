/* observers.h: world:on, and the observers that it makes.
 *
 *      world:on("add", Position, function(e, p) ... end)
 *
 * An observer is a userdata (observer_calls.h) that its world keeps until it is
 * off.
 */
#ifndef ECS_LUA_OBSERVERS_H
#define ECS_LUA_OBSERVERS_H

#include "world/lua_world.h"

/* Ends the observers that this state has in a world; index is the stack index
 * of the world. */
BIND_INTERNAL void bind_observers_end(lua_State *L, LuaWorld *world, int index);

/* Adds observe to the table on top of the stack, and the methods of observers.
 */
BIND_INTERNAL void bind_open_observers(lua_State *L);

#endif
