/* world_close.c: closes worlds: world:close and ecs_lua_detach.
 *
 * An owned world takes its queries with it. A borrowed one outlives them in the
 * host, so they are destroyed first; that is why closing stands above queries.
 */
#include "query/world_close.h"

#include "api/for_bindings.h"
#include "query/lua_grid.h"
#include "query/lua_query.h"
#include "query/observers.h"
#include "world/borrowed.h"

void bind_world_detach(lua_State *L, LuaWorld *world, int index) {
  if (bind_world_open(world))
    bind_error(L, "a world cannot be detached inside %s",
               bind_world_open(world));
  index = compat_absolute(L, index);
  bind_observers_end(L, world, index);
  bind_grids_end(world);
  bind_queries_end(L, world, index);
  bind_world_end(world);
  bind_borrowed_sweep(L, world);
  ECS_ASSERT(!world->native && !world->innermost);
}

/* world:close(). Closing twice is harmless. */
static int world_close(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  if (!world) return bind_refuse_self(L, 1, "world");
  if (bind_world_open(world))
    return bind_error(L, "a world cannot be closed inside %s",
                      bind_world_open(world));
  if (world->borrowed) bind_world_detach(L, world, 1);
  bind_world_end(world);
  return 0;
}

void bind_open_world_close(lua_State *L) {
  static const luaL_Reg methods[] = {{"close", world_close}, {NULL, NULL}};
  static const luaL_Reg metamethods[] = {{"__close", world_close},
                                         {NULL, NULL}};
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, methods);
  bind_push_metatable(L, KIND_WORLD);
  bind_add(L, metamethods);
  lua_pop(L, 2);
}
