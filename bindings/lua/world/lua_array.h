/* lua_array.h: arrays of a world as userdata: world:array("walls", "u8", 9, 9).
 *
 *      world --private table--> arrays --> "walls" --> LuaArray
 *      LuaArray --private table-->  world
 *                                   array   the array itself
 *                                   1, 2..  walls[1], walls[2] ..
 *                                   deep    deep[1][2]: walls[1][2], an array of
 *                                           three indices
 *
 * walls[x] is an object of its own for each x, an ArrayRow. It is made when it
 * is first asked for and kept, so that no access makes garbage. A row has the
 * private table of its array, and keeps the array alive by it.
 *
 * An array has a copy of where its elements are, which the core keeps true
 * (ecs_array_hold). A row has its indices alone: these are compared with the
 * sizes at each access, since the array may have got other sizes.
 *
 * On LuaJIT, while its compiler is on, scripts/ecs/ffi/array_ffi.lua makes rows
 * and reads elements.
 */
#ifndef ECS_LUA_LUA_ARRAY_H
#define ECS_LUA_LUA_ARRAY_H

#include "ecs_array.h"
#include "world/lua_world.h"

typedef struct LuaArray {
  Header header;
  ecs_ArrayView
      view;          /* kept true by the core; no elements: the world is gone */
  LuaWorld *world;   /* kept alive by the private table */
  ecs_Array *native; /* the world's; to be used only while view has elements */
  uint32_t type;     /* an ecs_Scalar */
  uint32_t dimensions;
  char name[];
} LuaArray;

typedef struct ArrayRow {
  Header header;
  LuaArray *array; /* kept alive by the private table */
  uint32_t depth;  /* how many of at are given: 1 or 2 */
  uint32_t at[2];  /* from 1 */
} ArrayRow;

/* The array at index, of a world that is open. Raises, in the name of a method,
 * on anything else. */
BIND_INTERNAL LuaArray *bind_array_check(lua_State *L, int index,
                                         const char *call);

/* The array at index whether its world is open or not; NULL: no array. */
BIND_INTERNAL LuaArray *bind_array_find(lua_State *L, int index);

/* Raises because the world of an array is closed. */
BIND_INTERNAL int bind_array_refuse_closed(lua_State *L, const LuaArray *array);

/* Raises because the value at index does not fit the elements of an array. where:
 * which of the values of a call it is, or "". */
BIND_INTERNAL int bind_array_refuse_value(lua_State *L, const LuaArray *array,
                                          int index, const char *where);

/* Adds array to the methods of worlds; fill, resize and size to those of arrays;
 * and metamethods. */
BIND_INTERNAL void bind_open_lua_array(lua_State *L);

#endif
