/* advice.c: where components are stored, and which had better be elsewhere. */
#include "world/advice.h"

#include "world/collect.h"
#include "world/components.h"
#include "world/report.h"

static const char *const places[] = {
    [ECS_PLACE_MAIN] = "main group",   [ECS_PLACE_SET] = "sparse set",
    [ECS_PLACE_GROUP] = "group with ", [ECS_PLACE_BITS] = "bits",
    [ECS_PLACE_FIELD] = "field of ",   [ECS_PLACE_ARRAY] = "plain array"};

static const char *const reasons[] = {
    [ECS_REASON_CHANGES] = "adding and removing it costs less",
    [ECS_REASON_LISTS] = "queries find their rows in fewer steps",
    [ECS_REASON_COPIES] = "queries use more columns in place",
    [ECS_REASON_TABLES] = "there are fewer tables",
    [ECS_REASON_MEMORY] = "it takes less memory",
    [ECS_REASON_TOGETHER] =
        "the same entities have both, and systems ask for both",
    [ECS_REASON_ALONE] = "entities with it have nothing else"};

/* The name of a component of the world that is argument 1; 0: none. Raises when
 * a finalizer has closed the world. */
static const char *name_of(lua_State *L, const LuaWorld *world,
                           ecs_Component component) {
  bind_native(L, world);
  return component == 0 ? "" : bind_component_name(world, component);
}

static void set_place(lua_State *L, const char *key, const LuaWorld *world,
                      ecs_Place place, ecs_Component beside) {
  lua_pushfstring(L, "%s%s", places[place], name_of(L, world, beside));
  lua_setfield(L, -2, key);
}

static void push_entry(lua_State *L, const LuaWorld *world,
                       const ecs_Advice *entry) {
  lua_createtable(L, 0, 5);
  lua_pushstring(L, name_of(L, world, entry->component));
  lua_setfield(L, -2, "component");
  set_place(L, "from", world, entry->from, entry->from_beside);
  set_place(L, "to", world, entry->to, entry->to_beside);
  lua_pushstring(L, reasons[entry->reason]);
  lua_setfield(L, -2, "reason");
  compat_push_whole(L, (double)entry->gain);
  lua_setfield(L, -2, "gain");
}

/* advice(world, moves): a new sequence of { component, from, to, reason, gain };
 * moves: components are stored so. */
static int advice(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  bool moves = lua_toboolean(L, 2);
  ecs_World *native = bind_native(L, world);
  ecs_Statistics now;
  uint32_t count = 0;
  ecs_world_statistics(native, &now);
  uint32_t most = (uint32_t)now.components * 2;
  ecs_Advice *entries =
      (ecs_Advice *)lua_newuserdata(L, (most + 1) * sizeof *entries);
  ecs_Status status; /* a finalizer may have closed the world */
  BIND_WITH_RELIEF(L, world, status,
                   (moves ? ecs_world_optimize : ecs_world_advise)(
                       bind_native(L, world), entries, most, &count));
  bind_check_status(L, world, status, moves ? "optimize" : "advise");
  if (count > most) count = most;
  lua_createtable(L, (int)count, 0);
  for (uint32_t i = 0; i < count; i++) {
    push_entry(L, world, &entries[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

/* component_statistics(world, definition): a new table { changes, stored }. */
static int component_statistics(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  const Definition *definition = bind_definition_check(L, 2, "stats");
  ecs_ComponentStatistics known = {0, ECS_PLACE_MAIN, 0};
  lua_createtable(L, 0, 2);
  ecs_World *native = bind_native(L, world);
  ecs_Component component = bind_component_find(world, definition);
  if (component) ecs_component_statistics(native, component, &known);
  compat_push_whole(L, (double)known.changes);
  lua_setfield(L, -2, "changes");
  if (component) set_place(L, "stored", world, known.place, known.beside);
  return 1;
}

void bind_open_advice(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"advice", advice},
      {"component_statistics", component_statistics},
      {NULL, NULL}};
  bind_add(L, functions);
}
