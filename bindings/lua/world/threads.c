/* threads.c: the threads of a world. */
#include "world/threads.h"

#include "api/for_bindings.h"

/* set_threads(world, threads): a whole number from 1 to 64. */
static int set_threads(lua_State *L) {
  ecs_World *world = bind_native(L, bind_world_check(L, 1));
  double threads = luaL_checknumber(L, 2);
  if (!(threads >= 1 && threads <= 64) ||
      ecs_world_set_threads(world, (uint32_t)threads) != ECS_OK)
    return luaL_argerror(L, 2, "not a whole number from 1 to 64");
  return 0;
}

/* threads(world): how many there are. */
static int threads(lua_State *L) {
  const ecs_World *world = bind_native(L, bind_world_check(L, 1));
  lua_pushinteger(L, (lua_Integer)ecs_world_threads(world));
  return 1;
}

/* cores(): how many processors the process may run on. */
static int cores(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)ecs_cores());
  return 1;
}

static const luaL_Reg functions[] = {{"set_threads", set_threads},
                                     {"threads", threads},
                                     {"cores", cores},
                                     {NULL, NULL}};

void bind_open_threads(lua_State *L) { bind_add(L, functions); }
