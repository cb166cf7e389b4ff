/* lua_world.c: worlds as userdata: their life, and what is open in them.
 *
 * The userdata is the holder of its native world (ecs_world_hold): when a host
 * destroys the native world, the userdata becomes a closed one.
 *
 * A world in which something is open cannot be closed. A finalizer cannot be
 * refused, and a script with the debug library can call it at any time: then
 * the world ends with the outermost walk or recording.
 */
#include "world/lua_world.h"

#include <stdio.h>
#include <string.h>

#include "api/for_bindings.h"
#include "ecs_array.h"

static LuaWorld *find_world(lua_State *L, int index) {
  LuaWorld *world = (LuaWorld *)bind_find(L, index, KIND_WORLD);
  if (!world) bind_refuse_self(L, index, "world");
  world->state = bind_state(L);
  if (world->finalized) return world;
  world->state->recent_world = world;
  world->state->recent_world_magic = world->header.magic;
  return world;
}

/* The metatable of the world that was found last is not compared again. Length
 * and magic are: a script with the debug library can remove the finalizer that
 * would reset recent_world. */
LuaWorld *bind_world_check(lua_State *L, int index) {
  const ModuleState *state = bind_state(L);
  LuaWorld *world = (LuaWorld *)lua_touserdata(L, index);
  if (!world || world != state->recent_world ||
      lua_rawlen(L, index) != sizeof *world ||
      world->header.magic != state->recent_world_magic ||
      world->state != state) /* a new world at its address */
    world = find_world(L, index);
  bind_native(L, world);
  ECS_ASSERT(world == bind_find(L, index, KIND_WORLD));
  return world;
}

const char *bind_component_name(const LuaWorld *world,
                                ecs_Component component) {
  const Definition *definition =
      component < world->capacity ? world->owners[component] : NULL;
  ECS_ASSERT(world->native && (definition || world->borrowed));
  return definition ? definition->name
                    : ecs_component_name(world->native, component);
}

void bind_push_worlds(lua_State *L) {
  bind_push_shared(L);
  lua_getfield(L, -1, "all_worlds");
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "all_worlds");
  }
  lua_remove(L, -2);
}

/* Lists the world on top of the stack. */
static void list(lua_State *L, LuaWorld *world) {
  bind_push_worlds(L);
  lua_pushlightuserdata(L, world);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

LuaWorld *bind_world_new(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_new(L, KIND_WORLD, sizeof *world);
  world->state = bind_state(L);
  list(L, world);
  compat_push_private(L, -1);
  lua_newtable(L);
  lua_setfield(L, -2, "state");
  lua_newtable(L);
  lua_setfield(L, -2, "bundles");
  lua_newtable(L);
  lua_setfield(L, -2, "families");
  lua_newtable(L);
  lua_setfield(L, -2, "totals");
  lua_pop(L, 1);
  return world;
}

/* Removes all pointers into the native world. */
static void forget(LuaWorld *world) {
  static const uint64_t closed = WORLD_CLOSED;
  static const uint32_t none = 0;
  world->row_epoch = &closed;
  world->noticed = &none;
  world->native = NULL;
  for (GridLife *life = world->grids; life; life = life->next) {
    life->epoch = WORLD_CLOSED;
    life->native = NULL;
  }
  world->grids = NULL;
  for (SnapshotLife *life = world->snapshots; life; life = life->next)
    life->native = NULL;
  world->snapshots = NULL;
}

static void native_ended(ecs_Holder *holder) {
  forget((LuaWorld *)(void *)((char *)holder - offsetof(LuaWorld, holder)));
}

bool bind_world_hold(LuaWorld *world, ecs_World *native) {
  world->holder.ended = native_ended;
  if (ecs_world_hold(native, &world->holder) != ECS_OK) return false;
  world->row_epoch = ecs_world_row_epoch(native);
  world->noticed = ecs_world_notices(native);
  world->native = native;
  ecs_Statistics statistics;
  ecs_world_statistics(native, &statistics);
  world->limited = statistics.limit_bytes > 0;
  return true;
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

uint64_t bind_room_to_grow(const ecs_Budget *budget) {
  uint64_t live = budget->bytes, limit = budget->limit_bytes;
  uint64_t most = larger(COLLECT_BYTES, live);
  if (limit == 0) return most;
  uint64_t left = limit > live ? limit - live : 0;
  uint64_t part = larger(left / 4 * 3, live / 8 + 1);
  return part < most ? part : most;
}

/* What may be garbage follows from what is left now. */
static void lower_collect_at(ModuleState *state) {
  uint64_t at = state->budget.bytes + bind_room_to_grow(&state->budget);
  if (at < state->collect_at) state->collect_at = at;
}

void bind_world_end(LuaWorld *world) {
  if (!world->native) return;
  ECS_ASSERT(!bind_world_open(world));
  if (world->borrowed) {
    ecs_arrays_release(world->native);
    (void)ecs_world_hold(world->native, NULL);
  } else {
    ecs_world_destroy(world->native);
  }
  world->state->closed++;
  lower_collect_at(world->state);
  forget(world);
}

bool bind_world_end_pending(LuaWorld *world) {
  if (!world->end_pending || bind_world_open(world)) return false;
  bind_world_end(world);
  return true;
}

int32_t bind_run_index(lua_State *L, const SystemRun *run) {
  if (!run->blocks || *run->row < 0) return *run->row;
  bind_push_shared(L);
  bind_push_table(L, "block_tables");
  lua_rawgeti(L, -1, 1);
  if (!lua_istable(L, -1)) bind_error(L, "the table of the row is gone");
  lua_rawgeti(L, -1, 1);
  lua_Number row = lua_tonumber(L, -1);
  lua_pop(L, 4);
  ECS_ASSERT(row >= 1);
  return *run->row + (int32_t)row - 1;
}

void bind_world_enter(OpenWalk *walk) {
  LuaWorld *world = walk->world;
  ECS_ASSERT(world->native && world->innermost != walk);
  walk->outer = world->innermost;
  walk->before = world->state->walk;
  world->innermost = world->state->walk = walk;
}

bool bind_world_leave(OpenWalk *walk) {
  LuaWorld *world = walk->world;
  ECS_ASSERT(world->innermost == walk); /* walks nest */
  ECS_ASSERT(world->state->walk == walk);
  world->innermost = walk->outer;
  world->state->walk = walk->before;
  return bind_world_end_pending(world);
}

const char *bind_world_open(const LuaWorld *world) {
  if (world->innermost) return world->innermost->label;
  if (world->telling) return "an observer";
  if (world->applying) return "a finalizer, while changes wait for memory";
  return world->deferrals > 0
             ? "a frame that records its changes (flush = 'frame')"
             : NULL;
}

static int world_gc(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  if (world) world->finalized = true;
  if (world && bind_state(L)->recent_world == world)
    bind_state(L)->recent_world = NULL;
  if (world && bind_world_open(world))
    world->end_pending = true;
  else if (world)
    bind_world_end(world);
  return 0;
}

static int world_tostring(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  if (!world) return bind_error(L, "this is not a world");
  ecs_Statistics statistics;
  char text[64];
  if (!world->native) {
    lua_pushliteral(L, "ecs.World (closed)");
    return 1;
  }
  ecs_world_statistics(world->native, &statistics);
  snprintf(text, sizeof text, "ecs.World (%llu %s)",
           (unsigned long long)statistics.entities,
           statistics.entities == 1 ? "entity" : "entities");
  lua_pushstring(L, text);
  return 1;
}

/* state(world): the table in which scripts/ecs keeps its data about a world.
 */
static int world_state(lua_State *L) {
  bind_world_check(L, 1);
  compat_push_private(L, 1);
  lua_getfield(L, -1, "state");
  return 1;
}

/* find_state(world): the same; nothing for a closed world and any other value.
 */
static int find_state(lua_State *L) {
  const LuaWorld *world = (const LuaWorld *)bind_find(L, 1, KIND_WORLD);
  if (!world || !world->native) return 0;
  compat_push_private(L, 1);
  lua_getfield(L, -1, "state");
  return 1;
}

/* live(world): false for a closed world. */
static int world_live(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  lua_pushboolean(L, world && world->native);
  return 1;
}

/* open(world): the label of the innermost open walk; nil when there is none. */
static int world_open(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  if (world->innermost)
    lua_pushstring(L, world->innermost->label);
  else
    lua_pushnil(L);
  return 1;
}

/* busy(world): what is open, walk or recording; nil when nothing is. */
static int world_busy(lua_State *L) {
  const char *open = bind_world_open(bind_world_check(L, 1));
  if (open)
    lua_pushstring(L, open);
  else
    lua_pushnil(L);
  return 1;
}

void bind_open_lua_world(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"state", world_state}, {"find_state", find_state}, {"open", world_open},
      {"busy", world_busy},   {"live", world_live},       {NULL, NULL}};
  static const luaL_Reg metamethods[] = {
      {"__gc", world_gc}, {"__tostring", world_tostring}, {NULL, NULL}};
  bind_add(L, functions);
  bind_push_metatable(L, KIND_WORLD);
  bind_add(L, metamethods);
  lua_pop(L, 1);
}
