/* held_sweep.c: lets go of values that no field refers to any more.
 *
 *      worlds     columns, snapshots  \
 *      Values     images               >-- marks --> the rest is let go
 *      pinned                         /
 *
 * Nothing allocates between the first mark and the end, so nothing else of Lua
 * runs.
 */
#include "world/held_sweep.h"

#include "api/for_bindings.h"
#include "component/definition.h"
#include "object/held.h"

/* Calls visit for every open world in the table on top of the stack, while it
 * returns true. */
static bool each_world(lua_State *L, ModuleState *state,
                       bool (*visit)(const LuaWorld *, ModuleState *)) {
  bool going = true;
  int table = lua_gettop(L);
  for (lua_pushnil(L); going && lua_next(L, table); lua_pop(L, 1)) {
    const LuaWorld *world =
        (const LuaWorld *)bind_find_in(L, state, -1, KIND_WORLD);
    if (world && world->native) going = visit(world, state);
  }
  lua_settop(L, table);
  return going;
}

static bool is_settled(const LuaWorld *world, ModuleState *state) {
  (void)state;
  return !bind_world_open(world) && ecs_world_is_settled(world->native);
}

static bool mark_world(const LuaWorld *world, ModuleState *state) {
  ecs_world_mark_held(world->native, &state->held);
  return true;
}

/* Marks what the values in the table on top of the stack refer to. */
static void mark_values(lua_State *L, ModuleState *state) {
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    const Value *value =
        (const Value *)bind_find_in(L, state, lua_gettop(L) - 1, KIND_VALUE);
    for (uint32_t f = 0; value && f < value->definition->field_count; f++)
      if (value->definition->held >> f & 1)
        ecs_held_mark(&state->held,
                      definition_held(value->definition, value->image, f));
  }
}

/* Takes what has no mark out of the table on top of the stack. */
static void take_out(lua_State *L, const ModuleState *state) {
  for (uint32_t k = 1; k < state->held.count; k++) {
    const HeldValue *value = held_get(&state->held, k);
    if (!value || value->marked || value->pinned) continue;
    lua_pushnil(L);
    lua_rawseti(L, -2, (int)k);
  }
}

static void let_go(lua_State *L, ModuleState *state) {
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 16) || bind_held_is_paused(L)) return;
  bind_push_shared(L);
  lua_rawgeti(L, -1, HELD_OBJECTS);
  lua_rawgeti(L, -2, HELD_REFERRERS);
  lua_getfield(L, -3, "all_worlds");
  if (lua_istable(L, -1) && each_world(L, state, is_settled)) {
    ecs_held_unmark(&state->held);
    each_world(L, state, mark_world);
    lua_pop(L, 1);
    mark_values(L, state);
    lua_pop(L, 1);
    take_out(L, state);
    uint32_t living = ecs_held_sweep(&state->held);
    state->held_due = living < HELD_FIRST / 2 ? HELD_FIRST : living * 2;
  }
  lua_settop(L, top);
}

void bind_held_relieve(lua_State *L, ModuleState *state) {
  if (bind_held_is_due(state)) let_go(L, state);
}

/* held_count(): how many values are held. */
static int held_count(lua_State *L) {
  compat_push_integer(L, bind_state(L)->held.living);
  return 1;
}

void bind_open_held_sweep(lua_State *L) {
  static const luaL_Reg functions[] = {{"held_count", held_count},
                                       {NULL, NULL}};
  bind_state(L)->let_go = let_go;
  bind_add(L, functions);
}
