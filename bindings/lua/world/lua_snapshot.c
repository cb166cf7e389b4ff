/* lua_snapshot.c: snapshots of a world as userdata.
 *
 * Private table: [1] the world.
 */
#include "world/lua_snapshot.h"

#include <string.h>

#include "api/for_bindings.h"
#include "world/collect.h"
#include "world/report.h"
#include "world/totals.h"

typedef struct LuaSnapshot {
  Header header;
  SnapshotLife life;
  LuaWorld *world;
} LuaSnapshot;

/* Life -------------------------------------------------------------------- */

/* Ends the snapshot; harmless when it has ended. Neither allocates nor raises. */
static void end(LuaSnapshot *snapshot) {
  ecs_Snapshot *native = snapshot->life.native;
  snapshot->life.native = NULL;
  if (!native) return;
  SnapshotLife **link = &snapshot->world->snapshots;
  while (*link && *link != &snapshot->life) link = &(*link)->next;
  if (*link) *link = snapshot->life.next;
  ecs_snapshot_destroy(native);
}

static int snapshot_gc(lua_State *L) {
  LuaSnapshot *snapshot = (LuaSnapshot *)bind_find(L, 1, KIND_SNAPSHOT);
  if (snapshot) end(snapshot);
  return 0;
}

static int snapshot_tostring(lua_State *L) {
  const LuaSnapshot *snapshot =
      (const LuaSnapshot *)bind_find(L, 1, KIND_SNAPSHOT);
  if (!snapshot) return bind_error(L, "this is not a snapshot");
  double bytes = snapshot->life.native
                     ? (double)ecs_snapshot_bytes(snapshot->life.native)
                     : 0;
  char text[64];
  snprintf(text, sizeof text, "ecs.Snapshot (%.0f bytes)", bytes);
  lua_pushstring(L, text);
  return 1;
}

static LuaSnapshot *check_at(lua_State *L, int index) {
  LuaSnapshot *snapshot = (LuaSnapshot *)bind_find(L, index, KIND_SNAPSHOT);
  if (!snapshot) bind_error(L, "this is not a snapshot");
  if (!snapshot->life.native)
    bind_error(L, "the world of this snapshot is closed");
  return snapshot;
}

/* The snapshot at index 1, of a world that is open. */
static LuaSnapshot *check(lua_State *L) { return check_at(L, 1); }

ecs_Snapshot *bind_snapshot_check(lua_State *L, int index) {
  return check_at(L, index)->life.native;
}

/* Taking and restoring ---------------------------------------------------- */

int bind_state_refuse(lua_State *L, const LuaWorld *world, ecs_Status status,
                      const char *call) {
  bind_push_status(L, world, status, call);
  return bind_fail(L);
}

void bind_state_check_idle(lua_State *L, const LuaWorld *world,
                           const char *call) {
  const char *open = bind_world_open(world);
  if (!open && world->running) open = "a frame";
  if (!open && world->telling) open = "an observer";
  if (open)
    bind_error(L, "%s is not possible inside %s: do it between frames", call,
               open);
}

/* check_idle(world, call): raises an error inside callbacks and frames. */
static int check_idle(lua_State *L) {
  const LuaWorld *world = bind_world_check(L, 1);
  bind_state_check_idle(L, world, luaL_checkstring(L, 2));
  return 0;
}

/* snapshot(world): a snapshot that holds nothing yet, or nil and why. */
static int snapshot_new(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  LuaSnapshot *snapshot =
      (LuaSnapshot *)bind_new(L, KIND_SNAPSHOT, sizeof *snapshot);
  snapshot->world = world;
  bind_keep(L, 1, 1);
  ecs_Snapshot *native = NULL;
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   ecs_snapshot_create(bind_native(L, world), &native));
  if (status != ECS_OK) return bind_state_refuse(L, world, status, "snapshot");
  snapshot->life = (SnapshotLife){native, world->snapshots};
  world->snapshots = &snapshot->life;
  return 1;
}

/* snapshot_world(snapshot): its world. */
static int snapshot_world(lua_State *L) {
  (void)check(L);
  compat_push_private(L, 1);
  lua_rawgeti(L, -1, 1);
  return 1;
}

/* take(snapshot): copies the state of the world. True, or nil and why. */
static int take(lua_State *L) {
  LuaWorld *world = check(L)->world;
  ecs_Status status;
  bind_state_check_idle(L, world, "snapshot");
  BIND_WITH_RELIEF(L, world, status, ecs_snapshot_take(check(L)->life.native));
  if (status != ECS_OK) return bind_state_refuse(L, world, status, "snapshot");
  bind_world_charge(L, world);
  lua_pushboolean(L, true);
  return 1;
}

/* restore(snapshot): puts that state back. True, or nil and why. */
static int restore(lua_State *L) {
  LuaWorld *world = check(L)->world;
  ecs_Status status;
  bind_state_check_idle(L, world, "restore");
  BIND_WITH_RELIEF(L, world, status,
                   ecs_snapshot_restore(check(L)->life.native));
  if (status != ECS_OK) return bind_state_refuse(L, world, status, "restore");
  bind_world_charge(L, world);
  lua_pushboolean(L, true);
  return 1;
}

/* Totals ------------------------------------------------------------------ */

/* tallies(world): what systems have added to totals in their last runs, as a
 * list of fours: "sum", "min" or "max"; the total; the system; the value. */
static int tallies(lua_State *L) {
  const LuaWorld *world = bind_world_check(L, 1);
  int count = 0;
  lua_newtable(L);
  for (const Total *total = world->totals; total; total = total->next)
    for (const Tally *tally = total->tallies; tally; tally = tally->next) {
      if (tally->value == reduction_start(total->kind)) continue;
      lua_pushstring(L, bind_total_kind(total));
      lua_rawseti(L, -2, ++count);
      lua_pushstring(L, total->name);
      lua_rawseti(L, -2, ++count);
      lua_pushstring(L, tally->system);
      lua_rawseti(L, -2, ++count);
      lua_pushnumber(L, tally->value);
      lua_rawseti(L, -2, ++count);
    }
  return 1;
}

/* Pushes the total of a kind and a name of the world at index 1; NULL, and
 * nothing is pushed: there is none. */
static Total *push_total(lua_State *L, const char *kind, const char *name) {
  lua_pushfstring(L, "%s %s", kind, name);
  compat_push_private(L, 1);
  lua_getfield(L, -1, "totals");
  if (lua_istable(L, -1)) {
    lua_pushvalue(L, -3);
    lua_rawget(L, -2);
  }
  Total *total = (Total *)bind_find(L, -1, KIND_TOTAL);
  if (total == NULL) lua_settop(L, 6);
  return total;
}

/* put_tallies(world, list): the values of such a list, and of no others. What is
 * of a total that the world does not have is passed over. */
static int put_tallies(lua_State *L) {
  const LuaWorld *world = bind_world_check(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  for (const Total *total = world->totals; total; total = total->next)
    for (Tally *tally = total->tallies; tally; tally = tally->next)
      tally->value = reduction_start(total->kind);
  int count = (int)lua_rawlen(L, 2);
  for (int k = 1; k + 3 <= count; k += 4) {
    lua_settop(L, 2);
    for (int i = 0; i < 4; i++) lua_rawgeti(L, 2, k + i);
    if (lua_type(L, 3) != LUA_TSTRING || lua_type(L, 4) != LUA_TSTRING ||
        lua_type(L, 5) != LUA_TSTRING || lua_type(L, 6) != LUA_TNUMBER)
      continue;
    Total *total = push_total(L, lua_tostring(L, 3), lua_tostring(L, 4));
    if (total == NULL || total->world != world) continue;
    Tally *tally =
        bind_tally_ensure(L, total, lua_gettop(L), lua_tostring(L, 5));
    tally->value = (double)lua_tonumber(L, 6);
  }
  return 0;
}

void bind_open_lua_snapshot(lua_State *L) {
  static const luaL_Reg functions[] = {{"snapshot", snapshot_new},
                                       {"snapshot_world", snapshot_world},
                                       {"take", take},
                                       {"restore", restore},
                                       {"tallies", tallies},
                                       {"put_tallies", put_tallies},
                                       {"check_idle", check_idle},
                                       {NULL, NULL}};
  static const luaL_Reg metamethods[] = {
      {"__gc", snapshot_gc}, {"__tostring", snapshot_tostring}, {NULL, NULL}};
  bind_add(L, functions);
  bind_push_metatable(L, KIND_SNAPSHOT);
  bind_add(L, metamethods);
  lua_pop(L, 1);
}
