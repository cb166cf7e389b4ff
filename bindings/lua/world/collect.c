/* collect.c: when the collector is asked to free worlds and queries. */
#include "world/collect.h"

#if __has_include(<luajit.h>)
#include <luajit.h>
#endif

#include "api/for_bindings.h"

/* A call is made this often again: the first collection leaves what LuaJIT's
 * compiled code holds, and what a finalizer has brought back. */
#define RELIEF_ROUNDS 2

/* Compiled code of LuaJIT keeps the functions that it was made for, and with
 * them their worlds. */
static void drop_traces(lua_State *L) {
#ifdef LUAJIT_VERSION
  luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_FLUSH);
#else
  (void)L;
#endif
}

static int collect_all(lua_State *L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

/* A full collection. Raises what a finalizer raises, where Lua hands that on;
 * the state is as before then. */
static void collect(lua_State *L, ModuleState *state) {
  luaL_checkstack(L, 4, NULL);
  state->collecting = true;
  bool failed = compat_call(L, collect_all) != 0;
  state->collecting = false;
  if (failed) lua_error(L);
}

/* Drops what is only a cache: see world_queries.c. */
static void drop_caches(lua_State *L) {
  int top = lua_gettop(L);
  luaL_checkstack(L, 8, NULL);
  bind_push_shared(L);
  lua_getfield(L, -1, "drop_caches");
  if (lua_isfunction(L, -1)) lua_call(L, 0, 0);
  lua_settop(L, top);
}

static uint64_t lua_bytes(lua_State *L) {
  return (uint64_t)lua_gc(L, LUA_GCCOUNT, 0) * 1024;
}

/* Could a collection give more than the last one, which gave too little? */
static bool is_due(lua_State *L, const ModuleState *state) {
  return state->relief_bytes == 0 || state->closed != state->relief_closed ||
         lua_bytes(L) > state->relief_bytes + state->relief_bytes / 8;
}

bool bind_collect_for_relief(lua_State *L, ModuleState *state, int *rounds) {
  if (state->collecting || !compat_collects(L)) return false;
  if (*rounds == 0 && !is_due(L, state)) return false;
  if (*rounds == RELIEF_ROUNDS) {
    state->relief_bytes = lua_bytes(L);
    state->relief_closed = state->closed;
    return false;
  }
  if (*rounds == 0)
    drop_caches(L);
  else
    drop_traces(L);
  collect(L, state);
  state->relief_bytes = 0;
  ++*rounds;
  return true;
}

/* relieve(rounds): bind_collect_for_relief's result, and the rounds. */
static int relieve(lua_State *L) {
  int rounds = (int)lua_tointeger(L, 1);
  lua_pushboolean(L, bind_collect_for_relief(L, bind_state(L), &rounds));
  lua_pushinteger(L, rounds);
  return 2;
}

/* The function is made when the module is opened, and its name is a key, so that
 * nothing here allocates outside of the protected call. */
bool bind_collect_quietly(lua_State *L, int *rounds) {
  int top = lua_gettop(L);
  bool again = *rounds < RELIEF_ROUNDS;
  bind_push_shared(L);
  lua_getfield(L, -1, "relieve");
  lua_pushinteger(L, *rounds);
  if (lua_pcall(L, 1, 2, 0) == 0) {
    again = lua_toboolean(L, -2);
    *rounds = (int)lua_tointeger(L, -1);
  } else {
    ++*rounds;
  }
  lua_settop(L, top);
  return again;
}

void bind_collect_growth(lua_State *L, ModuleState *state) {
  if (state->collecting || !compat_collects(L)) return;
  collect(L, state);
  state->collect_at = state->budget.bytes + bind_room_to_grow(&state->budget);
}

/* When a script stopped the collector nothing is done: on LuaJIT a step would
 * start it again. */
void bind_world_charge(lua_State *L, const LuaWorld *world) {
  if (!compat_collects(L)) return;
  ecs_Statistics statistics;
  ecs_world_statistics(world->native, &statistics);
  lua_gc(L, LUA_GCSTEP, (int)(statistics.bytes / 1024 % 65536));
}

void bind_open_collect(lua_State *L) {
  static const luaL_Reg shared[] = {{"relieve", relieve}, {NULL, NULL}};
  bind_push_shared(L);
  bind_add(L, shared);
  lua_pop(L, 1);
}
