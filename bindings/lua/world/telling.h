/* telling.h: where observers are called: behind what has applied changes.
 *
 * Every function that changes a world, or closes a walk or a recording, ends
 * with bind_tell or bind_tell_outcome. Observers themselves are made in
 * query/observers.c, which gives the world a function to call.
 */
#ifndef ECS_LUA_TELLING_H
#define ECS_LUA_TELLING_H

#include "world/lua_world.h"

/* Calls the observers that notices wait for. What it leaves on the stack is as
 * after a walk (walk_end.h). Cost: a load and a branch where none wait. */
static inline Outcome bind_tell_outcome(lua_State *L, LuaWorld *world) {
  if (*world->noticed == 0 || !world->tell) return OUTCOME_DONE;
  return world->tell(L, world);
}

/* Raises what an observer has raised. */
BIND_INTERNAL void bind_tell_now(lua_State *L, LuaWorld *world);

/* Calls the observers that notices wait for, and raises what one raises. */
static inline void bind_tell(lua_State *L, LuaWorld *world) {
  if (*world->noticed > 0) bind_tell_now(L, world);
}

/* Adds tell(world) to the table on top of the stack. */
BIND_INTERNAL void bind_open_telling(lua_State *L);

#endif
