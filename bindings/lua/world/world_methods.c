/* world_methods.c: what concerns a world as a whole.
 *
 *      world:clear()   world:trim()   world:state_hash()   world:group { A, B }
 *
 * Numbers and storage of a world, for scripts/ecs/explain.lua, are here, too.
 */
#include "world/world_methods.h"

#include <stdio.h>
#include <string.h>

#include "object/plain_table.h"
#include "object/system.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/report.h"
#include "world/telling.h"

/* Makes a native world that counts in the state's budget. On failure, a sentence
 * is in reason. */
static ecs_Status create_native(ModuleState *state, uint64_t limit_bytes,
                                ecs_World **native, char *reason,
                                size_t reason_bytes) {
  ecs_WorldDescription description = {{NULL, NULL}, limit_bytes};
  ecs_Status status = ecs_world_create(&description, native);
  snprintf(reason, reason_bytes, "%s", ecs_status_text(status));
  if (status != ECS_OK) return status;
  state->budget.owner = "the worlds of this Lua state";
  status = ecs_world_budget(*native, &state->budget);
  if (status == ECS_OK) return status;
  (void)ecs_world_refusal(*native, status, reason, reason_bytes);
  ecs_world_destroy(*native);
  return status;
}

/* world(limit): limit is the most bytes that the world may hold; 0 or nothing:
 * any. */
static int world_new(lua_State *L) {
  double limit = luaL_optnumber(L, 1, 0);
  luaL_argcheck(L, limit >= 0 && limit <= 9007199254740992.0, 1, "no limit");
  LuaWorld *world = bind_world_new(L);
  ecs_World *native = NULL;
  ecs_Status status;
  char reason[160];
  bind_note_growth(L, world);
  BIND_WITH_RELIEF(L, world, status,
                   create_native(world->state, (uint64_t)limit, &native, reason,
                                 sizeof reason));
  if (status != ECS_OK) return bind_error(L, "no world: %s", reason);
  (void)bind_world_hold(world, native); /* no other object can hold it */
  bind_world_charge(L, world);
  return 1;
}

static int world_clear(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status, ecs_world_clear(bind_native(L, world)));
  bind_check_status(L, world, status, "clear");
  bind_tell(L, world);
  return 0;
}

/* world:trim(): the bytes given back. */
static int world_trim(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Statistics before, after;
  ecs_world_statistics(world->native, &before);
  ecs_Status status = ecs_world_trim(world->native);
  if (status != ECS_OK) return bind_refuse_status(L, world, status, "trim");
  ecs_world_statistics(world->native, &after);
  ECS_ASSERT(after.bytes <= before.bytes);
  compat_push_whole(L, (double)(before.bytes - after.bytes));
  return 1;
}

void bind_push_hash(lua_State *L, uint64_t hash) {
  char text[24];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
  lua_pushstring(L, text);
}

static int world_state_hash(lua_State *L) {
  bind_push_hash(L, ecs_world_state_hash(bind_world_check(L, 1)->native));
  return 1;
}

/* Raises an error for an event (scripts/ecs/event.lua):
 * stored otherwise, events would not stay in the order of emission. */
static void refuse_event(lua_State *L, const Definition *definition,
                         const char *method) {
  bind_push_shared(L);
  lua_getfield(L, -1, "known event positions"); /* by name */
  if (lua_istable(L, -1)) {
    lua_pushstring(L, definition->name);
    lua_rawget(L, -2);
    if (!lua_isnil(L, -1))
      bind_error(L, "%s: %s is an event: events are stored in their order",
                 method, definition->name);
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
}

/* The components of the list that is argument 2, which are different; they are
 * pushed as a userdata. method: for messages. */
static ecs_Component *read_components(lua_State *L, LuaWorld *world,
                                      const char *method, uint32_t *count) {
  if (!lua_istable(L, 2))
    bind_error(L, "%s takes a list, as in world:%s { A, B }", method, method);
  bind_plain(L, 2, &bind_plain_list, method, "its list");
  int length = (int)bind_length(L, 2, method);
  const Definition **definitions = (const Definition **)lua_newuserdata(
      L, ((size_t)length + 1) * sizeof *definitions);
  for (int k = 0; k < length; k++) {
    lua_rawgeti(L, 2, k + 1);
    if (lua_isnil(L, -1)) bind_refuse_nil(L, k + 1, method);
    const Definition *definition =
        bind_definition_check(L, lua_gettop(L), method);
    refuse_event(L, definition, method);
    definitions[k] = definition;
    for (int before = 0; before < k; before++)
      if (definitions[before] == definition)
        bind_error(L, "%s names %s twice", method, definition->name);
    bind_needs_check(L, world, definition);
    lua_pop(L, 1);
  }
  ecs_Component *components = (ecs_Component *)lua_newuserdata(
      L, ((size_t)length + 1) * sizeof *components);
  for (int k = 0; k < length; k++) /* all were checked */
    components[k] = bind_component_ensure(L, world, 1, definitions[k]);
  *count = (uint32_t)length;
  return components;
}

/* Are the options in argument 3 { storage = "bits" }? Nothing else is one. */
static bool asks_for_bits(lua_State *L) {
  static const char *const known[] = {"storage", NULL};
  static const PlainForm form = {known, false, false};
  bool bits = false;
  if (lua_isnoneornil(L, 3)) return false;
  if (!lua_istable(L, 3))
    bind_error(L, "group takes options, as in { storage = 'bits' }");
  bind_plain(L, 3, &form, "group", "its table of options");
  for (lua_pushnil(L); lua_next(L, 3); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING ||
        strcmp(lua_tostring(L, -2), "storage") != 0)
      bind_error(L, "group knows one option, as in { storage = 'bits' }");
    if (lua_type(L, -1) != LUA_TSTRING ||
        strcmp(lua_tostring(L, -1), "bits") != 0)
      bind_error(L,
                 "group: storage is 'bits' where it is given; components "
                 "apart from others need no option");
    bits = true;
  }
  return bits;
}

/* Raises an error for a component of the list with fields. */
static void check_tags(lua_State *L, const LuaWorld *world,
                       const ecs_Component *components, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (ecs_component_field_count(world->native, components[k]) > 0)
      bind_error(L, "group: %s has fields: only tags can be stored as bits",
                 bind_component_name(world, components[k]));
}

/* world:group { A, B, C }   world:group({ Tag }, { storage = "bits" }) */
static int world_group(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  uint32_t count;
  lua_settop(L, 3);
  bool bits = asks_for_bits(L);
  const ecs_Component *components = read_components(L, world, "group", &count);
  bind_native(L, world);
  if (bits) check_tags(L, world, components, count);
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   (bits ? ecs_group_bits : ecs_group)(bind_native(L, world),
                                                       components, count));
  return bind_check_status(L, world, status, "group");
}

/* world:ungroup { A, B, C } */
static int world_ungroup(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  uint32_t count;
  const ecs_Component *components =
      read_components(L, world, "ungroup", &count);
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   ecs_ungroup(bind_native(L, world), components, count));
  return bind_check_status(L, world, status, "ungroup");
}

/* For scripts/ecs --------------------------------------------------------- */

/* statistics(world): a new table. */
static int statistics(lua_State *L) {
  static const char *const names[] = {
      "entities",   "retired",      "dropped",     "groups",
      "tables",     "components",   "queries",     "bytes",
      "peak_bytes", "memory_limit", "state_bytes", "state_memory_limit",
      "grids",      "grid_bytes"};
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Statistics now;
  const ecs_Budget *budget = &bind_state(L)->budget;
  lua_createtable(L, 0, 16);
  ecs_world_statistics(bind_native(L, world), &now);
  const uint64_t values[] = {
      now.entities,   now.retired,     now.dropped,   now.groups,
      now.tables,     now.components,  now.queries,   now.bytes,
      now.peak_bytes, now.limit_bytes, budget->bytes, budget->limit_bytes,
      now.grids,      now.grid_bytes};
  for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
    compat_push_whole(L, (double)values[k]);
    lua_setfield(L, -2, names[k]);
  }
  return 1;
}

/* change_count(world): a number that grows with every change of structure, made
 * or recorded; nothing for a closed world. */
static int change_count(lua_State *L) {
  const LuaWorld *world = (const LuaWorld *)bind_find(L, 1, KIND_WORLD);
  ecs_Statistics now;
  if (!world || !world->native) return 0;
  ecs_world_statistics(world->native, &now);
  compat_push_whole(L, (double)(now.structure_version + now.recorded));
  return 1;
}

/* seconds(): since some moment that stays the same. */
static int seconds(lua_State *L) {
  lua_pushnumber(L, system_seconds());
  return 1;
}

/* storage(world): a description of how the world stores its entities. */
static int storage(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  size_t bytes = ecs_world_explain(bind_native(L, world), NULL, 0) + 1;
  char *text = (char *)lua_newuserdata(L, bytes);
  size_t length = ecs_world_explain(bind_native(L, world), text, bytes);
  if (length >= bytes) length = bytes - 1; /* a finalizer was here */
  lua_pushlstring(L, text, length);
  return 1;
}

void bind_open_world_methods(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"world", world_new}, {"statistics", statistics},
      {"storage", storage}, {"change_count", change_count},
      {"seconds", seconds}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"clear", world_clear},           {"trim", world_trim},
      {"state_hash", world_state_hash}, {"group", world_group},
      {"ungroup", world_ungroup},       {NULL, NULL}};
  bind_add(L, functions);
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, methods);
  lua_pop(L, 1);
}
