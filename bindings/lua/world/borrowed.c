/* borrowed.c: the list of worlds that the state has borrowed from hosts. */
#include "world/borrowed.h"

#include "api/for_bindings.h"

int bind_borrowed_push(lua_State *L) {
  bind_push_shared(L);
  bind_push_table(L, "worlds");
  lua_remove(L, -2);
  return lua_gettop(L);
}

LuaWorld *bind_borrowed_find(lua_State *L, const ecs_World *native) {
  int worlds = bind_borrowed_push(L);
  int count = (int)lua_rawlen(L, worlds);
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, worlds, k);
    LuaWorld *world = (LuaWorld *)bind_find(L, -1, KIND_WORLD);
    if (world && world->native == native && native) {
      lua_remove(L, worlds);
      return world;
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return NULL;
}

void bind_borrowed_add(lua_State *L, int index) {
  ECS_ASSERT(index > 0 && bind_find(L, index, KIND_WORLD));
  int worlds = bind_borrowed_push(L);
  lua_pushvalue(L, index);
  lua_rawseti(L, worlds, (int)lua_rawlen(L, worlds) + 1);
  lua_pop(L, 1);
}

void bind_borrowed_sweep(lua_State *L, const LuaWorld *without) {
  int worlds = bind_borrowed_push(L);
  int count = (int)lua_rawlen(L, worlds), kept = 0;
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, worlds, k);
    LuaWorld *world = (LuaWorld *)bind_find(L, -1, KIND_WORLD);
    if (world && world->native && world != without)
      lua_rawseti(L, worlds, ++kept);
    else
      lua_pop(L, 1);
  }
  for (int k = kept + 1; k <= count; k++) {
    lua_pushnil(L);
    lua_rawseti(L, worlds, k);
  }
  lua_pop(L, 1);
}
