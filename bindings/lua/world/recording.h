/* recording.h: how a recording ends whose changes there is no room for.
 *
 *      end --> ECS_OK
 *       |
 *       +--> ECS_E_MEMORY: the changes are kept, in a deferral
 *               |
 *               v
 *            collect --> apply --> ECS_OK
 *               ^          |
 *               +----------+--> ECS_E_MEMORY, again: the changes are lost
 *
 * Finalizers run while the changes wait. They find the world as inside of any
 * recording: what they change is recorded behind the rest, they can neither
 * close the world nor begin a frame, and no observer is called.
 */
#ifndef ECS_LUA_RECORDING_H
#define ECS_LUA_RECORDING_H

#include "world/lua_world.h"

/* Ends what a kept end (api/kept_end.h) has left after ECS_E_MEMORY: collects and
 * applies the changes, or drops them when that gives too little. The deferral is
 * counted by the world, and is no more afterwards. Returns ECS_OK, or why they
 * are dropped. No walk of the world is open, and the loop has let go of all that
 * a finalizer may use. Does not raise; runs finalizers. There is room for 4
 * values on the stack, which is left as it was. */
BIND_INTERNAL ecs_Status bind_apply_kept(lua_State *L, LuaWorld *world);

/* Ends the innermost deferral, which the world counts, and applies its changes if
 * it is the outermost. Otherwise as bind_apply_kept. */
BIND_INTERNAL ecs_Status bind_end_deferral(lua_State *L, LuaWorld *world);

#endif
