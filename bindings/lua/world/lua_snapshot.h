/* lua_snapshot.h: snapshots of a world as userdata: scripts/ecs/snapshot.lua.
 *
 * A snapshot has a native one, which belongs to the native world. It ends with
 * its last reference or with its world, whichever is first; from then on every
 * use raises.
 */
#ifndef ECS_LUA_LUA_SNAPSHOT_H
#define ECS_LUA_LUA_SNAPSHOT_H

#include "world/lua_world.h"

/* Adds snapshot, snapshot_world, take and restore, tallies and put_tallies to
 * the table on top of the stack, and the metamethods of snapshots. */
BIND_INTERNAL void bind_open_lua_snapshot(lua_State *L);

#endif
