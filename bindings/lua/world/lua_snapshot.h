/* lua_snapshot.h: snapshots of a world as userdata: scripts/ecs/snapshot.lua.
 *
 * A snapshot has a native one, which belongs to the native world. It ends with
 * its last reference or with its world, whichever is first; from then on every
 * use raises.
 */
#ifndef ECS_LUA_LUA_SNAPSHOT_H
#define ECS_LUA_LUA_SNAPSHOT_H

#include "world/lua_world.h"

/* Leaves nil and why, in the name of call, and returns how many these are. */
BIND_INTERNAL int bind_state_refuse(lua_State *L, const LuaWorld *world,
                                    ecs_Status status, const char *call);

/* Raises, in the name of call, inside callbacks and frames. */
BIND_INTERNAL void bind_state_check_idle(lua_State *L, const LuaWorld *world,
                                         const char *call);

/* Adds snapshot, snapshot_world, take, restore, check_idle, tallies and
 * put_tallies to the table on top of the stack, and the metamethods of snapshots. */
BIND_INTERNAL void bind_open_lua_snapshot(lua_State *L);

/* The snapshot at index, of a world that is open; raises otherwise. */
BIND_INTERNAL ecs_Snapshot *bind_snapshot_check(lua_State *L, int index);

#endif
