/* parts.h: the parts of a spawn: components and values, resolved in a world.
 *
 *      world:spawn(Position { x = 1 }, Velocity, { y = -4 }, Enemy)
 *                  |                   |                     |
 *      given       Position, image,    Velocity, image,      Enemy, NULL
 *                  fields              fields
 *      components  3                   4                     7     as ecs_spawn
 *      images      of the value        read from the table   NULL  takes them
 *
 * One of them may be a prefab. What it has comes behind the other parts, which
 * override its fields.
 */
#ifndef ECS_LUA_PARTS_H
#define ECS_LUA_PARTS_H

#include "component/prefab.h"
#include "world/components.h"

/* Up to this many parts, and fields of 8 bytes in tables, need no memory but
 * the C stack. */
#define PARTS_ON_STACK 32
#define FIELDS_ON_STACK 128

/* Three arrays of count entries. Each lies in its own room, or, if there are
 * more parts, in a userdata on the stack of Lua; so do the images that are read
 * from tables. */
typedef struct SpawnParts {
  uint32_t count;
  uint32_t fields_used; /* elements of fields_room that have an owner */
  uint32_t capacity;    /* of the arrays below */
  const Prefab *prefab; /* among the arguments; NULL: none is */
  bool plain;           /* they are those of the prefab, in its order */
  Given *given;
  ecs_Component *components;
  const void **images;
  Given given_room[PARTS_ON_STACK];
  ecs_Component component_room[PARTS_ON_STACK];
  const void *image_room[PARTS_ON_STACK];
  uint64_t fields_room[FIELDS_ON_STACK];
} SpawnParts;

/* Reads the count arguments that start at stack index first into parts, for the
 * world at world_index; they are the last on the stack. Raises in the name of
 * call, and defines no component, when an argument is neither a component, with
 * or without a table of its fields behind it, nor a value, or when two name the
 * same component. A prefab may be one of them. May leave values on the stack,
 * which have to stay there while parts are used. */
BIND_INTERNAL void bind_parts_read(lua_State *L, LuaWorld *world,
                                   int world_index, int first, int count,
                                   const char *call, SpawnParts *parts);

/* As bind_parts_read, but defines no component. False: the world lacks one of
 * them, which is 0, and can be given all that they need: bind_parts_define
 * defines it. */
BIND_INTERNAL bool bind_parts_find(lua_State *L, const LuaWorld *world,
                                   int first, int count, const char *call,
                                   SpawnParts *parts);

/* Defines the components that bind_parts_find has not found. Raises when one
 * cannot be defined. */
BIND_INTERNAL void bind_parts_define(lua_State *L, LuaWorld *world,
                                     int world_index, SpawnParts *parts);

#endif
