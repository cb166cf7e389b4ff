/* telling.c: where observers are called: behind what has applied changes. */
#include "world/telling.h"

#include "object/error.h"

void bind_tell_now(lua_State *L, LuaWorld *world) {
  Outcome outcome = bind_tell_outcome(L, world);
  if (outcome == OUTCOME_MISUSE) bind_raise(L);
  if (outcome == OUTCOME_THROWN) lua_error(L);
}

/* tell(world): for scripts/ecs/ffi. */
static int tell(lua_State *L) {
  bind_tell(L, bind_world_check(L, 1));
  return 0;
}

void bind_open_telling(lua_State *L) {
  static const luaL_Reg functions[] = {{"tell", tell}, {NULL, NULL}};
  bind_add(L, functions);
}
