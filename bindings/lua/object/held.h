/* held.h: the values of fields of type string and any, as the Lua state keeps
 * them.
 *
 * A column has numbers (storage/held_values.h); the value of number k is at [k]
 * of a table of Lua, so that the collector leaves it alone. What refers to a
 * number is one of these:
 *
 *      columns of worlds, and snapshots    marked by the core
 *      Values                              listed in a weak table; a table of
 *                                          fields is read into one, too, that
 *                                          lies on the stack of the call
 *      prefabs, spawners                   their numbers are pinned
 *      saves that are written or read      nothing is let go meanwhile
 *
 * Values that nothing refers to are let go by world/held_sweep.c, when there are
 * twice as many as were left the last time; never while a world is open, where
 * what is recorded refers to some.
 */
#ifndef ECS_LUA_HELD_H
#define ECS_LUA_HELD_H

#include "object/object.h"

/* The number of the value at index, which is held from now on, at least until
 * Lua is entered again; 0 for nil. May run finalizers, and let go of others. */
BIND_INTERNAL uint32_t bind_held_number(lua_State *L, int index);

/* Pushes the value of a number in a field of a type. Neither allocates nor
 * raises. */
BIND_INTERNAL void bind_held_push(lua_State *L, ecs_Scalar type,
                                  uint32_t number);

/* The value on top of the stack refers to numbers: it is a Value. */
BIND_INTERNAL void bind_held_list(lua_State *L);

/* What hashes count for the value at index; 0 for nil. */
BIND_INTERNAL uint64_t bind_held_content(lua_State *L, int index);

/* Pushes a userdata, a pause: nothing is let go while it lives, or until
 * bind_held_resume has been told of it. */
BIND_INTERNAL void bind_held_pause(lua_State *L);
BIND_INTERNAL void bind_held_resume(lua_State *L, int index);

/* Is there one? */
BIND_INTERNAL bool bind_held_is_paused(lua_State *L);

/* The value of a number is never let go. */
BIND_INTERNAL void bind_held_pin(lua_State *L, uint32_t number);

/* Are there so many that some should be let go? */
static inline bool bind_held_is_due(const ModuleState *state) {
  return state->held.living >= state->held_due;
}

#endif
