/* spawn_many.c: world:spawn_many and world:reserve: many entities of the same
 * parts at once, or room for them.
 *
 *      bundle --> ecs_spawn_many --> batch of new rows: values are filled in,
 *                                    then the callback gets the batch
 *
 * The view of a bundle's rows is kept in the world's table `bundles`. It is
 * made for the first callback: without one, no Lua runs and none is needed.
 */
#include "query/spawn_many.h"

#include <string.h>

#include "api/for_bindings.h"
#include "query/batch_loop.h"
#include "world/parts.h"
#include "world/report.h"

/* Copies source to every element of a column, twice as many with each copy. */
static void fill_column(char *column, const void *source, size_t bytes,
                        size_t count) {
  size_t done = 1;
  if (count == 0) return;
  memcpy(column, source, bytes);
  for (; done < count - done; done *= 2)
    memcpy(column + done * bytes, column, done * bytes);
  memcpy(column + done * bytes, column, (count - done) * bytes);
}

/* A BatchPrepare: fills the columns of new rows with the fields that were
 * given. */
static void fill_values(const ecs_Batch *batch, const void *data) {
  const SpawnParts *parts = (const SpawnParts *)data;
  uint32_t k = 0;
  ECS_ASSERT(batch->count > 0);
  for (uint32_t p = 0; p < parts->count; p++) {
    const Definition *definition = parts->given[p].definition;
    const char *image = (const char *)parts->given[p].image;
    for (uint32_t f = 0; f < definition->field_count; f++, k++) {
      if (!image || !(parts->given[p].fields >> f & 1)) continue;
      fill_column((char *)batch->columns[k], image + definition->offsets[f],
                  ecs_scalar_bytes(definition->fields[f].type), batch->count);
    }
  }
}

static bool gives_values(const SpawnParts *parts) {
  for (uint32_t p = 0; p < parts->count; p++)
    if (parts->given[p].image) return true;
  return false;
}

/* Index 0 belongs to no entity. */
#define MOST_ENTITIES ((int)ECS_INDEX_LIMIT - 1)

static double check_count(lua_State *L, int index, const char *call) {
  double count =
      lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : -1;
  if (!(count >= 0 && count <= MOST_ENTITIES &&
        count == (double)(uint32_t)count))
    bind_error(L, "%s takes how many: a whole number from 0 to %d", call,
               MOST_ENTITIES);
  return count;
}

static int refuse_parts(lua_State *L, const char *call) {
  return bind_error(L,
                    "%s takes a list of parts, as in "
                    "world:%s(100, { Position, Enemy })",
                    call, call);
}

/* Pushes the parts of the list at index 3 and returns how many there are. */
static int unpack_parts(lua_State *L, const char *call) {
  if (!lua_istable(L, 3)) refuse_parts(L, call);
  int count = (int)bind_length(L, 3, call);
  luaL_checkstack(L, count + 16, "too many parts");
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, 3, k);
    if (lua_isnil(L, -1)) bind_refuse_nil(L, k, call);
  }
  return count;
}

/* Pushes the view for a bundle's new rows. */
static View *push_view(lua_State *L, LuaWorld *world, const SpawnParts *parts,
                       ecs_Bundle bundle) {
  compat_push_private(L, 1);
  bind_push_table(L, "bundles");
  int bundles = lua_gettop(L);
  lua_rawgeti(L, bundles, (int)bundle);
  View *view = (View *)bind_find(L, -1, KIND_VIEW);
  if (view && !view->busy) return view;
  LuaTerm *terms =
      (LuaTerm *)lua_newuserdata(L, (parts->count + 1u) * sizeof *terms);
  for (uint32_t p = 0; p < parts->count; p++)
    terms[p] = (LuaTerm){parts->given[p].definition, ECS_WRITE};
  ViewPlan plan = {world, "spawn_many", terms, parts->count, false};
  view = bind_view_new(L, 1, &plan);
  lua_pushvalue(L, -1);
  lua_rawseti(L, bundles, (int)bundle);
  return view;
}

/* Raises for a status, with a message of its own when there would be too many
 * entities. */
static int refuse_many(lua_State *L, const LuaWorld *world, ecs_Status status,
                       double count, const char *call) {
  ecs_Statistics now;
  ecs_world_statistics(bind_native(L, world), &now);
  if (status == ECS_E_LIMIT &&
      (double)now.entities + (double)now.retired + count > MOST_ENTITIES)
    return bind_error(L,
                      "%s: %d more would be too many: a world holds "
                      "at most %d entities",
                      call, (int)count, MOST_ENTITIES);
  return bind_refuse_status(L, world, status, call);
}

static int refuse(lua_State *L, const LuaWorld *world, ecs_Status status,
                  double count) {
  return refuse_many(L, world, status, count, "spawn_many");
}

/* Spawns without a callback. Values are filled in between the begin and the end
 * of a cursor, where nothing else runs and nothing is recorded. */
static ecs_Status spawn_alone(ecs_World *native, ecs_Bundle bundle,
                              double count, const SpawnParts *parts) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  if (!gives_values(parts))
    return ecs_spawn_many(native, bundle, (uint64_t)count, NULL);
  ecs_Status status = ecs_spawn_many(native, bundle, (uint64_t)count, &cursor);
  if (status != ECS_OK) return status;
  while (ecs_cursor_next(&cursor, &batch)) fill_values(&batch, parts);
  return ecs_cursor_end(&cursor);
}

/* world:spawn_many(n, { Position, Velocity { x = 1 } }, f) */
static int world_spawn_many(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  double count = check_count(L, 2, "spawn_many");
  lua_settop(L, 4);
  bool called = !lua_isnil(L, 4);
  if (bind_find(L, 4, KIND_DEFINITION) || bind_find(L, 4, KIND_VALUE))
    refuse_parts(L, "spawn_many");
  if (called) bind_callback_check(L, 4, "spawn_many");
  SpawnParts parts;
  ecs_Bundle bundle;
  bind_parts_read(L, world, 1, 5, unpack_parts(L, "spawn_many"), "spawn_many",
                  &parts);
  if (called) bind_components_ensure(L, world, 1);
  ecs_Status status =
      ecs_bundle(bind_native(L, world), parts.components, parts.count, &bundle);
  if (status != ECS_OK) return refuse(L, world, status, count);
  if (!called) {
    status = spawn_alone(bind_native(L, world), bundle, count, &parts);
    return status == ECS_OK ? 0 : refuse(L, world, status, count);
  }
  BatchLoop loop = {NULL, 0, 4, 0, 0, "spawn_many", false, 0, 0};
  loop.view = push_view(L, world, &parts, bundle);
  bind_batch_loop_ready(L, &loop);
  status = ecs_spawn_many(bind_native(L, world), bundle, (uint64_t)count,
                          &loop.view->cursor);
  if (status != ECS_OK) return refuse(L, world, status, count);
  return bind_walk_raise(L, bind_batch_loop(L, &loop, fill_values, &parts));
}

/* world:reserve(n, { Position, Velocity }) */
static int world_reserve(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  double count = check_count(L, 2, "reserve");
  SpawnParts parts;
  ecs_Bundle bundle;
  if (lua_gettop(L) > 3) refuse_parts(L, "reserve");
  lua_settop(L, 3);
  bind_parts_read(L, world, 1, 4, unpack_parts(L, "reserve"), "reserve",
                  &parts);
  ecs_Status status =
      ecs_bundle(bind_native(L, world), parts.components, parts.count, &bundle);
  if (status == ECS_OK)
    status = ecs_reserve(bind_native(L, world), bundle, (uint64_t)count);
  return status == ECS_OK ? 0 : refuse_many(L, world, status, count, "reserve");
}

void bind_open_spawn_many(lua_State *L) {
  static const luaL_Reg methods[] = {{"spawn_many", world_spawn_many},
                                     {"reserve", world_reserve},
                                     {NULL, NULL}};
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, methods);
  lua_pop(L, 1);
}
