/* collect.h: when the collector is asked to free worlds and queries.
 *
 * Lua's collector does not see the native memory of worlds. It is asked in two
 * cases:
 *
 *      growth   what all worlds of the state hold has grown by COLLECT_BYTES, or
 *               by as much as was alive after the last collection, whichever is
 *               more: so much can be garbage at most. Where the host limits the
 *               worlds of the state, by three quarters of what is left, too.
 *      relief   a limit has refused a call, which has changed nothing: what is
 *               only a cache is dropped, and the call is made once more. Where
 *               recorded changes are applied, they wait meanwhile: recording.h.
 *
 * A collection that gave too little is repeated only when Lua's own memory has
 * grown by an eighth, or a world was closed. Nothing is done while a script has
 * stopped the collector, or where Lua's finalizers run.
 */
#ifndef ECS_LUA_COLLECT_H
#define ECS_LUA_COLLECT_H

#include "world/lua_world.h"

/* Sets status to the value of call, which is evaluated again when memory was
 * refused and a collection may have made room. Between two evaluations
 * finalizers run, so call reads its world or query anew (bind_native,
 * bind_query_native), and what else it reads lies on the stack. */
#define BIND_WITH_RELIEF(L, world, status, call) \
  for (int relief_rounds = 0;                    \
       ((status) = (call)) == ECS_E_MEMORY &&    \
       bind_collect_for_relief(L, (world)->state, &relief_rounds);)

/* For BIND_WITH_RELIEF: counts the rounds of one call. False: refuse it. */
BIND_INTERNAL bool bind_collect_for_relief(lua_State *L, ModuleState *state,
                                           int *rounds);

/* The same where nothing may raise: what a finalizer raises is dropped, as Lua 5.4
 * drops it. There is room for 4 values on the stack. */
BIND_INTERNAL bool bind_collect_quietly(lua_State *L, int *rounds);

/* Collects when growth asks for it. Called by what makes worlds grow, before it
 * reads its arguments. Runs finalizers. */
BIND_INTERNAL void bind_collect_growth(lua_State *L, ModuleState *state);

static inline void bind_note_growth(lua_State *L, const LuaWorld *world) {
  ModuleState *state = world->state;
  if (state->budget.bytes >= state->collect_at) bind_collect_growth(L, state);
}

/* Lets the collector advance as if it had allocated what a new world holds, so
 * that small worlds, too, are found in time. Runs finalizers. */
BIND_INTERNAL void bind_world_charge(lua_State *L, const LuaWorld *world);

/* Adds what bind_collect_quietly calls to the state. */
BIND_INTERNAL void bind_open_collect(lua_State *L);

#endif
