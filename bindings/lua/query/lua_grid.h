/* lua_grid.h: grids as userdata: who is near, see ecs_grid.h.
 *
 * A grid has a query of its own, which shares the native one with others of the
 * same terms, and counts as a user of it until it ends: with its last reference,
 * or with its world. Then its native grid is gone, and every use raises.
 *
 * What was built has an epoch. Row views of a grid hold the epoch that they were
 * made for, and compare it before each access, so none reads memory of a grid
 * that was built again or has ended.
 *
 * When a grid is built:
 *
 *      in a frame       once a frame, and in a phase with fixed steps once a
 *                       step: by the first system with uses = { near }, or else
 *                       by the first question
 *      outside          by a question where something may have changed since
 *      near:build()     at once
 */
#ifndef ECS_LUA_LUA_GRID_H
#define ECS_LUA_LUA_GRID_H

#include "ecs_grid.h"
#include "query/lua_query.h"

typedef struct LuaGrid {
  Header header;
  GridLife life;
  LuaWorld *world;
  LuaQuery *query;
  ecs_Query *shared; /* its native query */
  uint32_t dimensions;
  uint32_t turn;     /* of the rows of nearest; see grid_loop.c */
  uint64_t frame;    /* of the world, when it was built; 0: in none */
  uint64_t step;     /* likewise */
  ecs_GridRows view; /* what was built */
} LuaGrid;

/* The grid at index, of a live world. Raises in the name of call on anything
 * else. */
BIND_INTERNAL LuaGrid *bind_grid_check(lua_State *L, int index,
                                       const char *call);

/* Builds the grid if it is not what it should be now. Makes no call of Lua. */
BIND_INTERNAL ecs_Status bind_grid_ready(LuaGrid *grid);

/* The same; raises where it could not be built. */
BIND_INTERNAL void bind_grid_prepare(lua_State *L, LuaGrid *grid);

/* Ends all grids of a world in which nothing is open. */
BIND_INTERNAL void bind_grids_end(LuaWorld *world);

/* Adds grid, grid_ready, grid_step, grid_world and grid_terms to the table on
 * top of the stack, build and explain to the methods of grids, and metamethods. */
BIND_INTERNAL void bind_open_lua_grid(lua_State *L);

#endif
