/* walk_end.h: how a walk ends, and what it leaves for its caller. */
#ifndef ECS_LUA_WALK_END_H
#define ECS_LUA_WALK_END_H

#include "world/lua_world.h"

/* Closes the cursor of an open walk and leaves the walk: changes that were
 * recorded are applied if the outcome so far is OUTCOME_DONE, and dropped
 * otherwise. Returns OUTCOME_MISUSE, with a message in the name of call, when
 * they cannot be applied or the world was closed meanwhile; otherwise the
 * outcome so far. Allocates only for such a message, after the walk. Where memory
 * runs out, finalizers run after the walk (recording.h): they may use the loop's
 * objects, so the caller has read what it needs of them, and has marked them as
 * idle. */
BIND_INTERNAL Outcome bind_walk_end(lua_State *L, OpenWalk *walk,
                                    ecs_Cursor *cursor, Outcome outcome,
                                    const char *call);

/* Behind a walk of a world: calls observers, and raises what the walk or one of
 * them left; returns 0 when that is nothing. */
BIND_INTERNAL int bind_walk_raise(lua_State *L, LuaWorld *world,
                                  Outcome outcome);

/* Likewise, but pushes the results for scripts/ecs, which adds the system's name
 * to errors, and returns how many: true and whether there were no rows; or
 * false, whether the error is a callback's own, and the error. */
BIND_INTERNAL int bind_walk_results(lua_State *L, LuaWorld *world,
                                    Outcome outcome, bool idle);

#endif
