/* lua_pack.c: packed rows, for scripts/ecs/pack.lua.
 *
 * As with saves, nothing of Lua is called while the core reads or writes them.
 */
#include "query/lua_pack.h"

#include <string.h>

#include "api/for_bindings.h"
#include "component/definition.h"
#include "object/number.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/lua_save.h"
#include "world/lua_snapshot.h"
#include "world/report.h"
#include "world/telling.h"
#include "world/value_save.h"

/* Packing ----------------------------------------------------------------- */

/* What is asked for. */
typedef struct PackCall {
  lua_State *L; /* where the query lies at index 1 */
  const LuaQuery *query;
  const ecs_Component *components; /* NULL: all */
  uint32_t count;
} PackCall;

static ecs_Status list_rows(lua_State *L, const void *of, HeldUse *uses,
                            uint32_t most, uint32_t *count) {
  const PackCall *call = (const PackCall *)of;
  return ecs_held_query_uses(bind_query_native(L, call->query),
                             call->components, call->count, uses, most, count);
}

static ecs_Status write_rows(const SaveWriter *writer, ecs_World *world,
                             const ecs_SaveSink *sink) {
  const PackCall *call = (const PackCall *)writer->of;
  (void)world;
  return ecs_held_query_pack(bind_query_native(call->L, call->query),
                             call->components, call->count, writer->text,
                             writer->text_bytes, writer->packed, sink);
}

/* Reads the list of definitions at index 2; those that the world does not know
 * are had by no entity. */
static void read_components(lua_State *L, PackCall *call) {
  luaL_checktype(L, 2, LUA_TTABLE);
  size_t length = lua_rawlen(L, 2);
  if (length > ECS_TERM_LIMIT)
    bind_error(L, "pack takes at most %d components", (int)ECS_TERM_LIMIT);
  ecs_Component *components =
      (ecs_Component *)lua_newuserdata(L, (length + 1) * sizeof *components);
  for (size_t k = 1; k <= length; k++) {
    lua_rawgeti(L, 2, (int)k);
    const Definition *definition = bind_definition_check(L, -1, "pack");
    ecs_Component component =
        bind_component_find(call->query->world, definition);
    lua_pop(L, 1);
    if (component) components[call->count++] = component;
  }
  call->components = components;
  lua_replace(L, 2);
}

/* Begins a call for the query at index 1, of the components in the list at index
 * 2, or of all for nil. */
static PackCall begin_pack(lua_State *L) {
  PackCall call = {.L = L, .query = bind_query_check(L, 1)};
  bind_state_check_idle(L, call.query->world, "pack");
  if (!lua_isnil(L, 2)) read_components(L, &call);
  return call;
}

/* pack_values(query, list or nil): what the fields of type string and any of the
 * rows have, for pack_rows; or nil and why. */
static int pack_values(lua_State *L) {
  lua_settop(L, 2);
  PackCall call = begin_pack(L);
  lua_pushnil(L);
  lua_pushliteral(L, "pack");
  return bind_held_values(L, call.query->world, list_rows, &call);
}

/* pack_rows(query, list or nil, text, values): the rows as a string, or nil and
 * why. */
static int pack_rows(lua_State *L) {
  lua_settop(L, 4);
  PackCall call = begin_pack(L);
  HeldPacked packed = {0};
  SaveWriter writer = {.write = write_rows, .of = &call};
  writer.text = luaL_checklstring(L, 3, &writer.text_bytes);
  writer.packed = bind_packed_read(L, 4, &packed);
  return bind_push_written(L, call.query->world, &writer, "pack");
}

/* Unpacking --------------------------------------------------------------- */

#define PROBLEM_BYTES 512u

/* Opens packed rows; on failure pushes nil and why, and returns how many. */
static int open_rows(lua_State *L, const LuaWorld *world, const char *bytes,
                     size_t count, ecs_Saved **packed) {
  char problem[PROBLEM_BYTES] = "";
  ecs_Status status = ecs_packed_open(bind_native(L, world), bytes, count,
                                      packed, problem, sizeof problem);
  if (status == ECS_OK) return 0;
  if (status != ECS_E_FILE)
    return bind_state_refuse(L, world, status, "unpack");
  lua_pushfstring(L, "the rows are damaged: %s", problem);
  return bind_fail(L);
}

/* packed_texts(world, bytes): the manifest, the text and the number of packed rows,
 * or nil and why. */
static int packed_texts(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  size_t count;
  const char *bytes = luaL_checklstring(L, 2, &count);
  ecs_Saved *packed = NULL;
  int refused = open_rows(L, world, bytes, count, &packed);
  if (refused != 0) return refused;
  uint64_t rows = ecs_packed_rows(packed);
  bind_push_texts(L, packed);
  lua_pushinteger(L, (lua_Integer)rows);
  return 3;
}

/* packed_values(world, bytes): as saved_values of value_save.c. */
static int packed_values(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  size_t count;
  const char *bytes = luaL_checklstring(L, 2, &count);
  lua_settop(L, 2);
  lua_pushnil(L); /* nothing decodes */
  ecs_Saved *packed = NULL;
  int refused = open_rows(L, world, bytes, count, &packed);
  return refused ? refused
                 : bind_saved_values(L, packed, "the rows do not fit");
}

/* Reads the component, tag or value at index 6, which may be nil. */
static void read_with(lua_State *L, LuaWorld *world, ecs_UnpackOptions *how) {
  if (lua_isnoneornil(L, 6)) return;
  Given given = bind_given_at(L, world->state, 6, "unpack");
  bind_refuse_name(L, given.definition, "unpack");
  how->with = bind_component_ensure(L, world, 1, given.definition);
  how->value = given_image(given);
  how->fields = given.image ? given.fields : 0;
}

static void push_entities(lua_State *L, const ecs_Entity *entities,
                          size_t count) {
  lua_createtable(L, (int)count, 0);
  for (size_t k = 0; k < count; k++) {
    bind_push_entity(L, entities[k]);
    lua_rawseti(L, -2, (int)k + 1);
  }
}

/* A new entity is no resource: there would be two. */
static const char *rename_new(void *user, const char *name) {
  return strcmp(name, BIND_RESOURCE) == 0 ? NULL : bind_rename_met(user, name);
}

/* unpack_rows(world, bytes, met, as_new, rows, with, numbers): brings rows into the
 * world, of which there are so many, with what packed_values gave. A list of
 * entities and one of sentences, or nil and why. */
static int unpack_rows(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  size_t count;
  const char *bytes = luaL_checklstring(L, 2, &count);
  double rows = (double)luaL_checknumber(L, 5);
  char problem[PROBLEM_BYTES] = "";
  LoadCall call;
  ecs_UnpackOptions how = {.as_new = lua_toboolean(L, 4)};
  bind_state_check_idle(L, world, "unpack");
  lua_settop(L, 7);
  luaL_checkstack(L, 8, "unpack");
  uint32_t number_count;
  const uint32_t *numbers = bind_numbers_read(L, 7, &number_count);
  if (!(rows >= 0 && rows <= (double)ECS_INDEX_LIMIT && rows <= (double)count))
    return bind_error(L, "unpack: there are not so many rows");
  bind_components_ensure(L, world, 1);
  read_with(L, world, &how);
  bind_load_begin(L, &call);
  size_t room = (size_t)rows;
  ecs_Entity *entities =
      (ecs_Entity *)lua_newuserdata(L, (room + 1) * sizeof *entities);
  ecs_LoadListener listener = {how.as_new ? rename_new : bind_rename_met,
                               bind_note_told, &call, NULL, NULL};
  ecs_Saved *packed = NULL;
  int refused = open_rows(L, world, bytes, count, &packed);
  if (refused != 0) return refused;
  ecs_saved_hold(packed, numbers, number_count, false);
  bool fits = ecs_packed_rows(packed) == room;
  ecs_Status status = fits
                          ? ecs_packed_unpack(packed, &how, &listener, entities,
                                              problem, sizeof problem)
                          : ECS_E_ARGUMENT;
  ecs_saved_close(packed);
  if (status == ECS_E_FILE) {
    lua_pushfstring(L, "the rows do not fit: %s", problem);
    return bind_fail(L);
  }
  if (status == ECS_E_LINK || status == ECS_E_CIRCLE || !fits)
    bind_check_status(L, world, status, "unpack");
  if (status != ECS_OK) return bind_state_refuse(L, world, status, "unpack");
  bind_world_charge(L, world);
  bind_tell(L, world);
  push_entities(L, entities, room);
  bind_push_told(L, &call);
  return 2;
}

void bind_open_lua_pack(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"pack_values", pack_values},   {"pack_rows", pack_rows},
      {"packed_texts", packed_texts}, {"packed_values", packed_values},
      {"unpack_rows", unpack_rows},   {NULL, NULL}};
  bind_add(L, functions);
}
