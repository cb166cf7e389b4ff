/* share_test.c: components, systems and kernels that host and scripts share.
 *
 * Built for each Lua. Components of either side reach the other, in any order
 * of definition and of fields. Systems of scripts run when the host calls them,
 * and kernels of the host run in systems of scripts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host_fixture.h"

/* Components --------------------------------------------------------------- */

static void a_component_of_the_host_is_found(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  define_tag(fixture.world, "Bits", ECS_STORE_BITS);
  share_entity(&fixture);
  run(fixture.L,
      "local ecs = require 'ecs'\n"
      "local Position = ecs.component 'Position'\n"
      "assert(ecs.component('Position',\n"
      "  { x = { 'f32', 7 }, y = 'f32' }) == Position)\n"
      "assert(Position.fields[1].name == 'y')\n"
      "assert(Position.fields[2].name == 'x')\n"
      "assert(Position.fields[2].default == 7)\n"
      "assert(ecs.tag('Bits', { storage = 'bits' }) == ecs.component 'Bits')\n"
      "assert(world:get(entity, Position, 'x') == 1)\n"
      "local image = world:get(entity, Position)\n"
      "assert(image.x == 1 and image.y == 2)\n"
      "world:set(entity, Position { x = 3 })\n"
      "world:set(entity, Position, 'y', 4)\n"
      "world:query { Position }:batch(function(batch)\n"
      "  local p = batch[Position]\n"
      "  assert(p.x[1] == 3 and p.y[1] == 4)\n"
      "  p.x[1] = 5\n"
      "end)\n"
      "born = world:spawn(Position { y = 9 })\n"
      "world:spawn_many(2, { Position { y = 8 } })\n");
  Position at;
  assert_int_equal(
      ecs_get(fixture.world, fixture.entity, fixture.position, &at), ECS_OK);
  assert_true(at.x == 5 && at.y == 4);
  lua_getglobal(fixture.L, "born");
  ecs_Entity born = (ecs_Entity)lua_tonumber(fixture.L, -1);
  lua_pop(fixture.L, 1);
  assert_int_equal(ecs_get(fixture.world, born, fixture.position, &at), ECS_OK);
  assert_true(at.x == 7 && at.y == 9);
  finish(&fixture);
}

static bool hashes_agree(const Fixture *fixture) {
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, ecs_world_hash(fixture->world));
  run(fixture->L, "hash = world:hash()");
  lua_getglobal(fixture->L, "hash");
  bool agree = strcmp(lua_tostring(fixture->L, -1), hash) == 0;
  lua_pop(fixture->L, 1);
  return agree;
}

static void a_hash_of_scripts_is_the_hosts_and_what_they_add(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share_entity(&fixture);
  assert_true(hashes_agree(&fixture));
  run(fixture.L,
      "local Position = require 'ecs'.component 'Position'\n"
      "world:set(entity, Position { x = 3 })\n"
      "world:system { name = 'move', query = { Position },\n"
      "  each = function(p) p.x = p.x + 1 end }\n"
      "world:progress(1)\n");
  assert_true(hashes_agree(&fixture));
  run(fixture.L, "world:enable('move', false)");
  assert_false(hashes_agree(&fixture));
  finish(&fixture);
}

static void other_definitions_of_its_name_are_refused(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  run(fixture.L, "ecs = require 'ecs'");
  raises(fixture.L, "ecs.component('Position', { x = 'f32', y = 'f32' })",
         "already defined, with other types, defaults, links or storage");
  raises(fixture.L, "ecs.component('Position', { x = { 'f32', 7 } })",
         "already defined, with y, x");
  raises(fixture.L, "ecs.tag 'Position'", "already defined");
  raises(fixture.L, "ecs.component 'Positron'",
         "no component is called Positron yet");
  raises(fixture.L, "ecs.component('Position', nil)", "has fields");
  finish(&fixture);
}

static void what_the_host_defines_later_is_found(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share_entity(&fixture);
  run(fixture.L, "ecs = require 'ecs'");
  define_tag(fixture.world, "Late", ECS_STORE_SPARSE);
  define_tag(fixture.world, "Later", ECS_STORE_TABLE);
  define_tag(fixture.world, "count", ECS_STORE_TABLE);
  define_tag(fixture.world, "a\nb", ECS_STORE_TABLE);
  ecs_Component later = ecs_component_find(fixture.world, "Later");
  assert_int_equal(ecs_add(fixture.world, fixture.entity, later, NULL), ECS_OK);
  run(fixture.L,
      "world:add(entity, ecs.component 'Late')\n"
      "local names = {}\n"
      "for k, c in ipairs(world:components(entity)) do names[k] = c.name end\n"
      "assert(table.concat(names, ' ') == 'Position Late Later')\n");
  raises(fixture.L, "ecs.component 'count'", "batches use it");
  finish(&fixture);
}

static void a_component_of_a_script_is_found(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share_entity(&fixture);
  assert_int_equal(ecs_component_find(fixture.world, "Health"), 0);
  run(fixture.L,
      "Health = require 'ecs'.component('Health',\n"
      "  { max = { 'i32', 9 }, hp = { 'i32', 5 } })\n"
      "world:add(entity, Health { hp = 3 })");
  ecs_Component health = ecs_component_find(fixture.world, "Health");
  struct {
    int32_t hp, max;
  } image;
  assert_int_equal(ecs_get(fixture.world, fixture.entity, health, &image),
                   ECS_OK);
  assert_int_equal(image.hp, 3);
  assert_int_equal(image.max, 9);
  finish(&fixture);
}

static void a_script_that_came_first_and_disagrees_is_told(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  run(fixture.L,
      "ecs = require 'ecs'\n"
      "P = ecs.component('Position', { x = { 'f32', 7 },\n"
      "  y = 'f32' })");
  uint64_t hash = ecs_world_hash(fixture.world);
  refused(fixture.L, ecs_lua_push(fixture.L, fixture.world),
          "Position is defined in this state already");
  refused(fixture.L, ecs_lua_give(fixture.L, fixture.world), "Position");
  assert_true(ecs_world_hash(fixture.world) == hash);
  lua_State *other = new_state();
  share(other, fixture.world);
  lua_close(other);
  finish(&fixture);
}

static void a_script_that_came_first_and_agrees_is_served(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  static const ecs_Field fields[] = {{"a", ECS_I8, 0}, {"b", ECS_F64, 1}};
  const ecs_ComponentDescription what = {.name = "Both",
                                         .fields = fields,
                                         .field_count = 2,
                                         .storage = ECS_STORE_TABLE};
  ecs_Component component;
  assert_int_equal(ecs_component(fixture.world, &what, &component), ECS_OK);
  run(fixture.L,
      "Both = require 'ecs'.component('Both',\n"
      "  { b = { 'f64', 1 }, a = 'i8' })");
  share_entity(&fixture);
  run(fixture.L,
      "world:add(entity, Both { a = 1 })\n"
      "assert(require 'ecs'.component 'Both' == Both)");
  assert_true(ecs_has(fixture.world, fixture.entity, component));
  finish(&fixture);
}

/* After the push the script defines a component, and then the host does. */
static void a_host_that_comes_last_and_disagrees_is_told(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share_entity(&fixture);
  run(fixture.L,
      "Spot = require 'ecs'.component('Spot',\n"
      "  { x = 'f32', y = 'f32' })");
  static const ecs_Field fields[] = {{"y", ECS_F32, 0}, {"x", ECS_F32, 0}};
  const ecs_ComponentDescription what = {.name = "Spot",
                                         .fields = fields,
                                         .field_count = 2,
                                         .storage = ECS_STORE_TABLE};
  ecs_Component component;
  assert_int_equal(ecs_component(fixture.world, &what, &component), ECS_OK);
  raises(fixture.L, "world:add(entity, Spot)", "in the host's world");
  finish(&fixture);
}

/* Frames ------------------------------------------------------------------- */

static void systems_run_without_a_variable(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  run(fixture.L,
      "frames = 0\n"
      "world:system { name = 'f', run = function(w, dt)\n"
      "  frames = frames + dt; collectgarbage() end }\n"
      "world = nil; collectgarbage(); collectgarbage()");
  for (int k = 0; k < 4; k++)
    assert_int_equal(ecs_lua_progress(fixture.L, fixture.world, 0.5), 0);
  run(fixture.L, "assert(frames == 2)");
  finish(&fixture);
}

static void an_error_of_a_system_is_handed_out(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  run(fixture.L,
      "world:system { name = 'bad', query = { all = true },\n"
      "  batch = function() error 'oh' end }");
  refused(fixture.L, ecs_lua_progress(fixture.L, fixture.world, 1),
          "oh (in system 'bad')");
  refused(fixture.L, ecs_lua_progress(fixture.L, fixture.world, 1.0 / 0.0),
          "seconds since the last frame");
  refused(fixture.L, ecs_lua_progress(fixture.L, NULL, 1), "not borrowed");
  refused(fixture.L, ecs_lua_push(fixture.L, NULL), "no world");
  assert_int_equal(ecs_lua_detach(fixture.L, NULL), 0);
  run(fixture.L, "world:spawn()");
  finish(&fixture);
}

static void scripts_run_inside_a_cursor_of_the_host(void **unused) {
  (void)unused;
  Fixture fixture;
  ecs_Query *query;
  ecs_Cursor cursor;
  ecs_Batch batch;
  start(&fixture);
  share_entity(&fixture);
  run(fixture.L,
      "ecs = require 'ecs'\n"
      "T = ecs.tag 'T'; all = world:query { all = true }\n"
      "all:batch(function() end)\n"
      "U = ecs.tag 'U'");
  const ecs_Term term = {fixture.position, ECS_WRITE};
  assert_int_equal(ecs_query_create(fixture.world, &term, 1, &query), ECS_OK);
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_true(ecs_cursor_next(&cursor, &batch));
  run(fixture.L,
      "rows = 0\n"
      "all:batch(function(b) rows = b.count end)\n"
      "assert(rows == 1)\n"
      "world:add(entity, T); assert(not world:has(entity, T))");
  raises(fixture.L, "world:get(entity, ecs.component 'Position')",
         "something is walking over it");
  raises(fixture.L, "world:add(entity, U)", "ecs: U");
  raises(fixture.L, "world:clear()", "ecs: clear");
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  run(fixture.L, "assert(world:has(entity, T)); world:add(entity, U)");
  finish(&fixture);
}

static void a_phase_runs_alone(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  run(fixture.L,
      "seen = ''\n"
      "for _, phase in ipairs { 'last', 'first' } do\n"
      "  world:system { name = phase, phase = phase,\n"
      "    run = function(_, dt) seen = seen .. phase .. dt end }\n"
      "end");
  assert_int_equal(ecs_lua_run(fixture.L, fixture.world, "last", 0.5), 0);
  assert_int_equal(ecs_lua_progress(fixture.L, fixture.world, 1.5), 0);
  run(fixture.L, "assert(seen == 'last0.5first1.5last1.5', seen)");
  refused(fixture.L, ecs_lua_run(fixture.L, fixture.world, "never", 1),
          "never");
  refused(fixture.L, ecs_lua_run(fixture.L, fixture.world, NULL, 1), "ecs: ");
  finish(&fixture);
}

/* Columns on LuaJIT are those of the module that scripts load. */
static void columns_are_as_fast_as_in_a_module(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  run(fixture.L,
      "local Position = require 'ecs'.component 'Position'\n"
      "world:query { Position }:batch(function(batch)\n"
      "  column = type(batch[Position].x)\n"
      "end)\n"
      "local fast = rawget(_G, 'jit') and os.getenv 'ECS_BACKEND' ~= 'capi'\n"
      "assert(column == (fast and 'cdata' or 'table'), column)\n");
  finish(&fixture);
}

/* Kernels ------------------------------------------------------------------ */

static void kernels_of_the_host_run(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  assert_int_equal(ecs_lua_library(fixture.L, "host", &library), 0);
  assert_int_equal(ecs_lua_library(fixture.L, "host", &library), 0);
  run(fixture.L,
      "ecs = require 'ecs'\n"
      "assert(ecs.load_native 'host'[1] == 'host.double')\n"
      "world:system { name = 'd', native = 'host.double',\n"
      "  query = { ecs.component 'Position' } }");
  for (int k = 0; k < 5; k++)
    assert_int_equal(ecs_lua_progress(fixture.L, fixture.world, 1), 0);
  Position at;
  assert_int_equal(
      ecs_get(fixture.world, fixture.entity, fixture.position, &at), ECS_OK);
  assert_true(at.x == 32 && at.y == 2);
  raises(fixture.L,
         "world:system { name = 'e', query = { all = true },\n"
         "  native = 'host.double' }",
         "Position.x");
  finish(&fixture);
}

static void wrong_libraries_are_refused(void **unused) {
  (void)unused;
  lua_State *L = new_state();
  static const ecs_KernelLibrary other = ECS_KERNEL_LIBRARY_OF(kernels);
  ecs_KernelLibrary outdated = library;
  outdated.abi++;
  refused(L, ecs_lua_library(L, "host", &outdated), "another ecs.h");
  outdated = library;
  outdated.call_bytes += 8;
  refused(L, ecs_lua_library(L, "host", &outdated), "another ecs.h");
  refused(L, ecs_lua_library(L, "", &library), "has a name");
  refused(L, ecs_lua_library(L, NULL, &library), "has a name");
  refused(L, ecs_lua_library(L, "host", NULL), "has a name");
  assert_int_equal(ecs_lua_library(L, "host", &library), 0);
  refused(L, ecs_lua_library(L, "host", &other), "another library");
  lua_close(L);
}

/* The limit counts worlds of scripts; what Lua's allocator sees is not in it. */
static void the_worlds_of_a_state_have_a_limit(void **unused) {
  (void)unused;
  Fixture fixture;
  lua_State *bare = luaL_newstate();
  assert_int_not_equal(ecs_lua_memory_limit(bare, 1), 0);
  lua_close(bare);
  start(&fixture);
  share_entity(&fixture);
  assert_int_equal(ecs_lua_memory_limit(fixture.L, 400000), 0);
  run(fixture.L,
      "ecs = require 'ecs'\n"
      "made = ecs.world {}\n"
      "local stats = made:stats()\n"
      "assert(stats.state_memory_limit == 400000)\n"
      "assert(stats.state_bytes == stats.bytes)\n");
  raises(fixture.L, "made:spawn_many(100000, {})",
         "the memory limit of the worlds of this Lua state is reached: "
         "400000 bytes");
  run(fixture.L, "world:spawn_many(100000, {})"); /* the host's own */
  run(fixture.L, "list = {}");
  raises(fixture.L, "for k = 1, 1000 do list[k] = ecs.world {} end",
         "no world: the memory limit of the worlds of this Lua state is "
         "reached: 400000 bytes");
  run(fixture.L,
      "for _, other in ipairs(list) do other:close() end\n"
      "assert(made:stats().state_bytes == made:stats().bytes)\n");
  assert_int_equal(ecs_lua_memory_limit(fixture.L, 0), 0);
  run(fixture.L, "made:spawn_many(100000, {})");
  finish(&fixture);
}

/* The first word of the userdata at index, which some hosts take for a pointer
 * to a type of theirs. */
static void shows_no_type(lua_State *L, int index, const char *name) {
  void *word = NULL;
  if (lua_type(L, index) != LUA_TUSERDATA) fail_msg("%s is no userdata", name);
  memcpy(&word, lua_touserdata(L, index), sizeof word);
  if (word) fail_msg("%s begins with %p", name, word);
}

static void objects_begin_with_null(void **unused) {
  (void)unused;
  static const char make[] =
      "local ecs = require 'ecs'\n"
      "Position = ecs.component 'Position'\n"
      "value = Position { x = 1 }\n"
      "grid = world:grid { query = { read = { Position } },\n"
      "  at = { Position, 'x', 'y' }, cell = 4 }\n"
      "observer = world:on('add', Position, function() end)\n"
      "prefab = ecs.prefab('Stone', { Position { x = 1 } })\n";
  static const char *const names[] = {"world",    "query", "Position", "prefab",
                                      "observer", "row",   "grid"};
  Fixture fixture;
  start(&fixture);
  share_entity(&fixture);
  assert_int_equal(ecs_lua_library(fixture.L, "host", &library), 0);
  run(fixture.L, keep);
  run(fixture.L, make);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    lua_getglobal(fixture.L, names[k]);
    /* With LuaJIT's FFI some are C data, which no host takes for its own. */
    if (lua_type(fixture.L, -1) == LUA_TUSERDATA || k < 4)
      shows_no_type(fixture.L, -1, names[k]);
    lua_pop(fixture.L, 1);
  }
#if LUA_VERSION_NUM >= 504
  lua_getglobal(fixture.L, "value");
  shows_no_type(fixture.L, -1, "value");
  lua_pop(fixture.L, 1);
#endif
  finish(&fixture);
}

/* A game that starts its level anew: the worlds before are garbage, which counts
 * until it is collected. */
static void a_level_can_be_started_again_and_again(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  assert_int_equal(ecs_lua_memory_limit(fixture.L, 4 << 20), 0);
  run(fixture.L,
      "local ecs = require 'ecs'\n"
      "local Load = ecs.component('Load', { a = 'f64', b = 'f64' })\n"
      "for level = 1, 100 do\n"
      "  local world = ecs.world { flush = 'frame' }\n"
      "  world:system { name = 'load', query = { Load },\n"
      "    each = function(l) l.a = l.a + 1 end }\n"
      "  world:system { name = 'spawn', run = function(same)\n"
      "    for _ = 1, 1000 do same:spawn(Load) end end }\n"
      "  world:spawn_many(20000, { Load })\n"
      "  for _ = 1, 5 do world:progress(1) end\n"
      "  assert(world:stats().entities == 25000)\n"
      "end\n");
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_component_of_the_host_is_found),
      cmocka_unit_test(a_hash_of_scripts_is_the_hosts_and_what_they_add),
      cmocka_unit_test(other_definitions_of_its_name_are_refused),
      cmocka_unit_test(what_the_host_defines_later_is_found),
      cmocka_unit_test(a_component_of_a_script_is_found),
      cmocka_unit_test(a_script_that_came_first_and_disagrees_is_told),
      cmocka_unit_test(a_script_that_came_first_and_agrees_is_served),
      cmocka_unit_test(a_host_that_comes_last_and_disagrees_is_told),
      cmocka_unit_test(systems_run_without_a_variable),
      cmocka_unit_test(an_error_of_a_system_is_handed_out),
      cmocka_unit_test(scripts_run_inside_a_cursor_of_the_host),
      cmocka_unit_test(a_phase_runs_alone),
      cmocka_unit_test(the_worlds_of_a_state_have_a_limit),
      cmocka_unit_test(objects_begin_with_null),
      cmocka_unit_test(a_level_can_be_started_again_and_again),
      cmocka_unit_test(columns_are_as_fast_as_in_a_module),
      cmocka_unit_test(kernels_of_the_host_run),
      cmocka_unit_test(wrong_libraries_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
