/* recording.c: how a recording ends whose changes there is no room for. */
#include "world/recording.h"

#include "api/for_bindings.h"
#include "api/kept_end.h"
#include "world/collect.h"

/* A host can do what a script cannot: end the deferral, or the world. */
ecs_Status bind_apply_kept(lua_State *L, LuaWorld *world) {
  ecs_Status status = ECS_E_MEMORY;
  int rounds = 0;
  ECS_ASSERT(!world->innermost && world->deferrals > 0 && !world->applying);
  world->applying = true;
  while (status == ECS_E_MEMORY && bind_collect_quietly(L, &rounds) &&
         world->native)
    status = ecs_defer_end_kept(world->native);
  world->applying = false;
  world->deferrals--;
  if (status == ECS_E_MEMORY && world->native) ecs_defer_discard(world->native);
  return status;
}

ecs_Status bind_end_deferral(lua_State *L, LuaWorld *world) {
  ECS_ASSERT(world->native && world->deferrals > 0);
  ecs_Status status = ecs_defer_end_kept(world->native);
  if (status == ECS_E_MEMORY) return bind_apply_kept(L, world);
  world->deferrals--;
  return status;
}
