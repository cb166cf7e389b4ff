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

#include "api/api_entity.h"
#include "api/for_bindings.h"
#include "object/number.h"
#include "object/plain_table.h"
#include "query/batch_loop.h"
#include "world/collect.h"
#include "world/families.h"
#include "world/report.h"
#include "world/telling.h"

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

/* Fills the columns of new rows with the fields that were given. Links are made
 * otherwise. */
static void fill_values(const ecs_Batch *batch, const SpawnParts *parts) {
  uint32_t k = 0;
  ECS_ASSERT(batch->count > 0);
  for (uint32_t p = 0; p < parts->count; p++) {
    const Definition *definition = parts->given[p].definition;
    const char *image = (const char *)parts->given[p].image;
    for (uint32_t f = 0; f < definition->field_count; f++, k++) {
      if (!image || !(parts->given[p].fields >> f & 1)) continue;
      if (definition_is_link(definition, f)) continue;
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

/* Links ------------------------------------------------------------------- */

/* The target that a part links to by field f; 0: none. */
static ecs_Entity target_of(const Given *part, uint32_t f) {
  ecs_Entity target = 0;
  if (part->image && (part->fields >> f & 1) &&
      definition_is_link(part->definition, f))
    memcpy(&target, (const char *)part->image + part->definition->offsets[f],
           sizeof target);
  return target;
}

/* Do the parts link to anything? Raises where it is not alive. */
static bool gives_links(lua_State *L, const LuaWorld *world,
                        const SpawnParts *parts) {
  bool any = false;
  for (uint32_t p = 0; p < parts->count; p++)
    for (uint32_t f = 0; f < parts->given[p].definition->field_count; f++) {
      ecs_Entity target = target_of(&parts->given[p], f);
      if (target == 0) continue;
      any = true;
      if (ecs_alive(bind_native(L, world), target)) continue;
      bind_push_entity_text(L, (double)target);
      bind_error(L, "spawn_many: %s is not alive: nothing can link to it",
                 lua_tostring(L, -1));
    }
  return any;
}

/* Applies a recording whose calls had this status, or takes it back. */
static ecs_Status end_recording(ecs_World *native, ecs_Status status) {
  if (status == ECS_OK) return ecs_defer_end(native);
  ecs_defer_discard(native);
  return status;
}

/* Spawns entities that link, without a callback: one by one, recorded, and all
 * or none. */
static ecs_Status spawn_linked(ecs_World *native, ecs_Bundle bundle,
                               double count, const SpawnParts *parts) {
  ecs_Status status = ecs_defer_begin(native);
  if (status != ECS_OK) return status;
  for (uint32_t i = 0; status == ECS_OK && i < (uint32_t)count; i++)
    status = ecs_spawn_bundle(native, bundle, parts->images, NULL);
  return end_recording(native, status);
}

/* Makes the links of new entities, of which observers are told as of added ones;
 * they are recorded while a walk is open. */
static ecs_Status make_links(ecs_World *native, const ecs_Entity *entities,
                             uint32_t count, const SpawnParts *parts) {
  ecs_Status status = ECS_OK;
  for (uint32_t p = 0; p < parts->count; p++) {
    const Given *part = &parts->given[p];
    uint64_t links = 0;
    for (uint32_t f = 0; f < part->definition->field_count; f++)
      if (target_of(part, f) != 0) links |= UINT64_C(1) << f;
    for (uint32_t i = 0; links && status == ECS_OK && i < count; i++)
      status = ecs_links_store(native, entities[i], parts->components[p],
                               part->image, links);
  }
  return status;
}

/* Spawning ---------------------------------------------------------------- */

/* New entities that a callback sees. */
typedef struct SpawnWalk {
  ecs_World *native; /* while the walk is open */
  const SpawnParts *parts;
  const ecs_Family
      *family;          /* of a prefab with children; NULL: there are none */
  ecs_Entity *entities; /* a copy of those that link or get children; NULL: none
                           do */
  uint32_t count;       /* copied */
  ecs_Status recorded;  /* of recording their links and children */
} SpawnWalk;

/* Makes the links and the children of new entities. */
static ecs_Status complete(ecs_World *native, const SpawnWalk *walk,
                           const ecs_Entity *entities, uint32_t count) {
  ecs_Status status = make_links(native, entities, count, walk->parts);
  if (status == ECS_OK && walk->family)
    status = ecs_spawn_children(native, walk->family, entities, count);
  return status;
}

/* A BatchPrepare: fills the columns of new rows, and records their links and
 * children before what the callback does. */
static ecs_Status prepare_rows(const ecs_Batch *batch, void *data) {
  SpawnWalk *walk = (SpawnWalk *)data;
  fill_values(batch, walk->parts);
  if (!walk->entities) return ECS_OK;
  memcpy(&walk->entities[walk->count], batch->entities,
         batch->count * sizeof(ecs_Entity));
  walk->count += batch->count;
  walk->recorded = complete(walk->native, walk, batch->entities, batch->count);
  return walk->recorded;
}

/* After a walk that failed, which has discarded links and children: an error of
 * the callback keeps the entities, so they get them now. Where these could not
 * be recorded, there are no entities. */
static void keep_or_destroy(const LuaWorld *world, const SpawnWalk *walk) {
  ecs_World *native = world->native;
  ecs_Status status = walk->recorded;
  if (native && status == ECS_OK && ecs_defer_begin(native) == ECS_OK)
    status = end_recording(native,
                           complete(native, walk, walk->entities, walk->count));
  for (uint32_t i = 0; native && status != ECS_OK && i < walk->count; i++)
    (void)ecs_destroy(native, walk->entities[i]);
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
  bind_plain(L, 3, &bind_plain_list, call, "its list of parts");
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

/* The call, once its arguments are read. */
typedef struct SpawnRequest {
  LuaWorld *world;
  double count;
  SpawnParts parts;
  SpawnFamily room;
  const ecs_Family *family; /* in room: the prefab has children; or NULL */
  ecs_Bundle bundle;
} SpawnRequest;

static int spawn_silently(lua_State *L, const SpawnRequest *request) {
  const LuaWorld *world = request->world;
  ecs_Status status;
  bool linked = gives_links(L, world, &request->parts);
  BIND_WITH_RELIEF(
      L, world, status,
      request->family ? ecs_spawn_family(bind_native(L, world), request->family,
                                         (uint64_t)request->count, NULL)
                      : (linked ? spawn_linked : spawn_alone)(
                            bind_native(L, world), request->bundle,
                            request->count, &request->parts));
  if (status != ECS_OK) return refuse(L, world, status, request->count);
  bind_tell(L, request->world);
  return 0;
}

/* LuaJIT's userdata has less than 2 GB, and says so in words of its own. */
#define MOST_COPIED ((double)0x7fff0000 / sizeof(ecs_Entity))

/* Pushes room for a copy of the new entities. */
static ecs_Entity *copy_of_entities(lua_State *L, const SpawnRequest *request) {
  if (request->count > MOST_COPIED)
    refuse(L, request->world, ECS_E_MEMORY, request->count);
  return (ecs_Entity *)lua_newuserdata(
      L, ((size_t)request->count + 1) * sizeof(ecs_Entity));
}

/* Spawns, and calls the function at index 4 with the rows. */
static int spawn_and_call(lua_State *L, const SpawnRequest *request) {
  LuaWorld *world = request->world;
  SpawnWalk walk = {.parts = &request->parts, .family = request->family};
  if (gives_links(L, world, &request->parts) || walk.family)
    walk.entities = copy_of_entities(L, request);
  BatchLoop loop = {NULL, 0, 4, 0, 0, "spawn_many", false, 0, 0};
  loop.view = push_view(L, world, &request->parts, request->bundle);
  bind_batch_loop_ready(L, &loop);
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, world, status,
      ecs_spawn_many(bind_native(L, world), request->bundle,
                     (uint64_t)request->count, &loop.view->cursor));
  walk.native = world->native;
  if (status != ECS_OK) return refuse(L, world, status, request->count);
  Outcome outcome = bind_batch_loop(L, &loop, prepare_rows, &walk);
  if (outcome != OUTCOME_DONE && walk.entities) keep_or_destroy(world, &walk);
  return bind_walk_raise(L, world, outcome);
}

/* Raises where so many copies of a prefab with children have no room in any
 * world. */
static void check_copies(lua_State *L, const SpawnRequest *request,
                         const char *call) {
  double members = request->parts.prefab->member_count;
  if (request->count * members <= MOST_ENTITIES) return;
  bind_error(L,
             "%s: %d more of %s would be too many, with %d children each: a "
             "world holds at most %d entities",
             call, (int)request->count, request->parts.prefab->name,
             (int)members - 1, MOST_ENTITIES);
}

/* Reads the list of parts at index 3 in the name of call. */
static void read_request(lua_State *L, SpawnRequest *request, const char *call,
                         bool called) {
  LuaWorld *world = request->world;
  SpawnParts *parts = &request->parts;
  int first = lua_gettop(L) + 1;
  bind_parts_read(L, world, 1, first, unpack_parts(L, call), call, parts);
  if (called) bind_components_ensure(L, world, 1);
  request->family = NULL;
  if (parts_have_children(parts)) {
    check_copies(L, request, call);
    bind_family_prepare(L, world, 1, parts, call, &request->room);
    request->family = &request->room.family;
    request->bundle = request->family->members[0].bundle;
    return;
  }
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   ecs_bundle(bind_native(L, world), parts->components,
                              parts->count, &request->bundle));
  if (status != ECS_OK) refuse_many(L, world, status, request->count, call);
}

/* world:spawn_many(n, { Position, Velocity { x = 1 } }, f) */
static int world_spawn_many(lua_State *L) {
  SpawnRequest request;
  request.world = bind_world_check(L, 1);
  request.count = check_count(L, 2, "spawn_many");
  bind_note_growth(L, request.world);
  lua_settop(L, 4);
  bool called = !lua_isnil(L, 4);
  if (bind_find(L, 4, KIND_DEFINITION) || bind_find(L, 4, KIND_VALUE) ||
      bind_find(L, 4, KIND_PREFAB))
    refuse_parts(L, "spawn_many");
  if (called) bind_callback_check(L, 4, "spawn_many");
  read_request(L, &request, "spawn_many", called);
  return called ? spawn_and_call(L, &request) : spawn_silently(L, &request);
}

/* world:reserve(n, { Position, Velocity }) */
static int world_reserve(lua_State *L) {
  SpawnRequest request;
  request.world = bind_world_check(L, 1);
  request.count = check_count(L, 2, "reserve");
  if (lua_gettop(L) > 3) refuse_parts(L, "reserve");
  lua_settop(L, 3);
  read_request(L, &request, "reserve", false);
  uint64_t count = (uint64_t)request.count;
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, request.world, status,
      request.family
          ? ecs_reserve_family(bind_native(L, request.world), request.family,
                               count)
          : ecs_reserve(bind_native(L, request.world), request.bundle, count));
  return status == ECS_OK
             ? 0
             : refuse_many(L, request.world, status, request.count, "reserve");
}

void bind_open_spawn_many(lua_State *L) {
  static const luaL_Reg methods[] = {{"spawn_many", world_spawn_many},
                                     {"reserve", world_reserve},
                                     {NULL, NULL}};
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, methods);
  lua_pop(L, 1);
}
