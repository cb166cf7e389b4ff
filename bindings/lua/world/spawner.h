/* spawner.h: prepared spawns: world:spawner(Position, "x", "y", Enemy). */
#ifndef ECS_LUA_SPAWNER_H
#define ECS_LUA_SPAWNER_H

#include "api/spawn_call.h"
#include "object/object.h"

/* A prepared spawn. Everything that it points to but the world lies behind it,
 * in the same userdata. */
typedef struct Spawner Spawner;

/* The function behind the method spawner: pushes the closure, below it a
 * userdata that starts with its SpawnCall. */
BIND_INTERNAL const SpawnCall *bind_spawner_push(lua_State *L);

/* Pushes what a prepared spawn means: a list of its parts, each { component,
 * fields that are fixed, as bind_fields_push has them }, and a list of its
 * arguments, each { number of the part, name of the field }; and whether what it
 * spawns has children. */
BIND_INTERNAL void bind_spawner_describe(lua_State *L, const Spawner *spawner);

/* Adds spawner to the methods of worlds. */
BIND_INTERNAL void bind_open_spawner(lua_State *L);

#endif
