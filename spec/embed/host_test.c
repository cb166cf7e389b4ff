/* host_test.c: the ownership of worlds that a host shares with scripts.
 *
 * Built for each Lua. World and state end in every order, with and without
 * ecs_lua_detach. Every call that is refused returns a status and pushes a
 * message, and leaves stack and world as they were, also when memory runs out.
 */
#include "ecs_array.h"
#include "host_fixture.h"

static uint64_t queries_of(const ecs_World *world) {
  ecs_Statistics statistics;
  ecs_world_statistics(world, &statistics);
  return statistics.queries;
}

/* Opening ------------------------------------------------------------------ */

static void opening_twice_is_harmless(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  assert_int_equal(ecs_lua_open(fixture.L), 0);
  run(fixture.L,
      "assert(world:query { require 'ecs'.component 'Position' }"
      ":count() == 1)");
  finish(&fixture);
}

static void a_state_that_is_not_open_says_so(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  lua_State *L = luaL_newstate();
  refused(L, ecs_lua_push(L, fixture.world), "call ecs_lua_open first");
  refused(L, ecs_lua_detach(L, fixture.world), "call ecs_lua_open first");
  refused(L, ecs_lua_progress(L, fixture.world, 1), "call ecs_lua_open first");
  refused(L, ecs_lua_open(L), "call luaL_openlibs");
  lua_pushinteger(L, 1);
  assert_null(ecs_lua_world(L, -1));
  lua_close(L);
  finish(&fixture);
}

static void lua_files_that_are_missing_are_named(void **unused) {
  (void)unused;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  run(L, "package.path = './nowhere/?.lua'");
  refused(L, ecs_lua_open(L), "./nowhere/ecs.lua");
  set_path(L);
  assert_int_equal(ecs_lua_open(L), 0);
  lua_close(L);
}

static void another_core_is_refused(void **unused) {
  (void)unused;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  run(L, "package.loaded['ecs.core'] = {}");
  refused(L, ecs_lua_open(L), "another ecs.core");
  lua_close(L);
}

/* Pushing ------------------------------------------------------------------ */

static void the_same_world_is_the_same_object(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  assert_int_equal(ecs_lua_push(fixture.L, fixture.world), 0);
  assert_int_equal(ecs_lua_push(fixture.L, fixture.world), 0);
  assert_true(lua_rawequal(fixture.L, -1, -2));
  assert_ptr_equal(ecs_lua_world(fixture.L, -1), fixture.world);
  assert_ptr_equal(ecs_lua_world(fixture.L, 1), fixture.world);
  lua_settop(fixture.L, 0);
  finish(&fixture);
}

static void a_world_is_found_in_a_value(void **unused) {
  (void)unused;
  lua_State *L = new_state();
  static const char *const others[] = {"return 1", "return {}", "return nil",
                                       "return io.stdout",
                                       "return require 'ecs'.tag 'T'"};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    assert_int_equal(luaL_loadstring(L, others[k]), 0);
    assert_int_equal(lua_pcall(L, 0, 1, 0), 0);
    assert_null(ecs_lua_world(L, -1));
    lua_pop(L, 1);
  }
  run(L, "world = require 'ecs'.world {}; world:spawn()");
  lua_getglobal(L, "world");
  ecs_World *world = ecs_lua_world(L, 1);
  ecs_Statistics statistics;
  ecs_world_statistics(world, &statistics);
  assert_int_equal(statistics.entities, 1);
  lua_pop(L, 1);
  refused(L, ecs_lua_push(L, world), "belongs to Lua");
  lua_getglobal(L, "world");
  run(L, "world:close()");
  assert_null(ecs_lua_world(L, 1));
  lua_close(L);
}

/* Replaces the global by a light userdata with its address, as other libraries
 * make them of pointers. */
static void set_light(lua_State *L, const char *name) {
  lua_getglobal(L, name);
  lua_pushlightuserdata(L, lua_touserdata(L, -1));
  lua_setglobal(L, name);
  lua_pop(L, 1);
}

/* The component and the world are those that were found last. */
static void a_bare_address_is_no_object(void **unused) {
  (void)unused;
  lua_State *L = new_state();
  run(L,
      "ecs = require 'ecs'; component = ecs.component('C', { x = 'f32' })\n"
      "light, world = component, ecs.world {}; bare = world\n"
      "e = world:spawn(component)");
  set_light(L, "light");
  set_light(L, "bare");
  raises(L, "world:get(e, light)", "get takes a component or tag");
  raises(L, "world:get(e, light, 'x')", "get takes a component or tag");
  raises(L, "world:set(e, light, { x = 1 })", "set takes a component");
  raises(L, "world:spawn(light)", "spawn takes a component");
  raises(L, "world:query { light }", "takes components and tags");
  raises(L, "world.get(bare, e, component)", "in place of the world");
  run(L, "assert(world:get(e, component, 'x') == 0)");
  lua_close(L);
}

static void a_world_in_two_states_is_refused(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  lua_State *other = new_state();
  share(fixture.L, fixture.world);
  refused(other, ecs_lua_push(other, fixture.world), "another Lua state");
  refused(other, ecs_lua_give(other, fixture.world), "another Lua state");
  refused(other, ecs_lua_progress(other, fixture.world, 1), "not borrowed");
  assert_int_equal(ecs_lua_detach(other, fixture.world), 0);
  run(fixture.L, "world:spawn()");
  assert_int_equal(ecs_lua_detach(fixture.L, fixture.world), 0);
  share(other, fixture.world);
  run(other, "world:spawn()");
  raises(fixture.L, "world:spawn()", "this world is closed");
  lua_close(other);
  share(fixture.L, fixture.world);
  run(fixture.L, "world:spawn()");
  finish(&fixture);
}

static void two_states_have_a_world_each(void **unused) {
  (void)unused;
  Fixture one, two;
  start(&one);
  start(&two);
  share_entity(&one);
  share_entity(&two);
  static const char chunk[] =
      "local ecs = require 'ecs'\n"
      "local Position = ecs.component 'Position'\n"
      "world:system { name = 'right', query = { Position },\n"
      "  batch = function(batch, dt)\n"
      "    local x = batch[Position].x\n"
      "    for i = 1, batch.count do x[i] = x[i] + dt end\n"
      "  end }";
  run(one.L, chunk);
  run(two.L, chunk);
  for (int k = 0; k < 3; k++)
    assert_int_equal(ecs_lua_progress(one.L, one.world, 1), 0);
  assert_int_equal(ecs_lua_progress(two.L, two.world, 10), 0);
  Position at;
  assert_int_equal(ecs_get(one.world, one.entity, one.position, &at), ECS_OK);
  assert_true(at.x == 4 && at.y == 2);
  assert_int_equal(ecs_get(two.world, two.entity, two.position, &at), ECS_OK);
  assert_true(at.x == 11 && at.y == 2);
  finish(&one);
  finish(&two);
}

static void two_worlds_share_a_state(void **unused) {
  (void)unused;
  Fixture fixture;
  ecs_World *second = NULL;
  start(&fixture);
  assert_int_equal(ecs_world_create(NULL, &second), ECS_OK);
  define_tag(second, "Only here", ECS_STORE_TABLE);
  define_position(second);
  share_entity(&fixture);
  assert_int_equal(ecs_lua_push(fixture.L, second), 0);
  lua_setglobal(fixture.L, "second");
  run(fixture.L,
      "local Position = require 'ecs'.component 'Position'\n"
      "local there = second:spawn(Position { x = 5 })\n"
      "assert(second:get(there, Position, 'x') == 5)\n"
      "assert(world:get(entity, Position, 'x') == 1)\n");
  assert_int_equal(ecs_lua_detach(fixture.L, second), 0);
  ecs_world_destroy(second);
  run(fixture.L, "world:spawn()");
  raises(fixture.L, "second:spawn()", "this world is closed");
  finish(&fixture);
}

/* Ends --------------------------------------------------------------------- */

static void kept_objects_raise(lua_State *L) {
  raises(L, "world:spawn()", "this world is closed");
  raises(L, "world:progress(1)", "this world is closed");
  raises(L, "world:hash()", "this world is closed");
  raises(L, "query:count()", "the world of this query is closed");
  raises(L, "query:batch(print)", "the world of this query is closed");
  raises(L, "return batch.count", "this batch is over");
  raises(L, "return row.x", "ecs: ");
  raises(L, "row.x = 1", "ecs: ");
  raises(L, "return last.x", "ecs: ");
  raises(L, "for e in query:rows() do end", "closed");
  for (int k = 1; k <= 5; k++) {
    lua_pushinteger(L, k);
    lua_setglobal(L, "k");
    raises(L, "prepared[k](1)", "this world is closed");
  }
  raises(L, "set_x(1, 2)", "this world is closed");
  raises(L, "shoot(1, 2)", "this world is closed");
  run(L, "assert(tostring(world) == 'ecs.World (closed)'); tostring(query)");
  run(L, "world:close()");
}

static void the_state_may_end_first(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  assert_int_equal(ecs_lua_library(fixture.L, "host", &library), 0);
  run(fixture.L, keep);
  assert_true(queries_of(fixture.world) > 0);
  lua_close(fixture.L);
  assert_int_equal(queries_of(fixture.world), 0);
  fixture.L = new_state();
  share_entity(&fixture);
  run(fixture.L, "assert(world:alive(entity))");
  finish(&fixture);
}

static void the_world_may_end_first(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  assert_int_equal(ecs_lua_library(fixture.L, "host", &library), 0);
  run(fixture.L, keep);
  ecs_world_destroy(fixture.world);
  assert_int_equal(fixture.memory.blocks, 0);
  kept_objects_raise(fixture.L);
  run(fixture.L, "query, batch, x = nil; collectgarbage()");
  lua_close(fixture.L);
}

static void a_detached_world_goes_on(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  assert_int_equal(ecs_lua_library(fixture.L, "host", &library), 0);
  for (int round = 0; round < 3; round++) {
    run(fixture.L, keep);
    assert_int_equal(ecs_lua_detach(fixture.L, fixture.world), 0);
    assert_int_equal(queries_of(fixture.world), 0);
    kept_objects_raise(fixture.L);
    refused(fixture.L, ecs_lua_progress(fixture.L, fixture.world, 1),
            "not borrowed");
    assert_int_equal(ecs_lua_detach(fixture.L, fixture.world), 0);
    assert_true(ecs_alive(fixture.world, fixture.entity));
    run(fixture.L, "old = world");
    share(fixture.L, fixture.world);
    run(fixture.L, "assert(world ~= old); world:spawn()");
  }
  finish(&fixture);
}

/* Scripts and the host have the same elements, until the world is detached or
 * ends; the next object of the world finds them again. */
static void arrays_are_shared_while_the_world_is(void **unused) {
  static const char gone[] =
      "for _, f in ipairs { function() return walls[1] end,"
      "  function() return row[1] end, function() row[1] = 1 end,"
      "  function() walls:fill(1) end, function() return #walls end } do"
      "  local done, text = pcall(f)"
      "  assert(not done and text:find 'closed', text) end";
  (void)unused;
  Fixture fixture;
  const ecs_ArrayDescription how = {"walls", ECS_U8, 2, {3, 4, 0}};
  const uint32_t wide[] = {2, 9};
  ecs_Array *walls = NULL;
  start(&fixture);
  assert_int_equal(ecs_array(fixture.world, &how, &walls), ECS_OK);
  for (int round = 0; round < 2; round++) {
    share(fixture.L, fixture.world);
    assert_int_equal(ecs_array_resize(walls, how.sizes), ECS_OK);
    run(fixture.L,
        "walls = world:array('walls', 'u8', 3, 4); row = walls[2];"
        "for _ = 1, 100 do row[4] = 7 end; assert(row[4] == 7)");
    assert_int_equal(((uint8_t *)ecs_array_view(walls)->elements)[7], 7);
    assert_int_equal(ecs_array_resize(walls, wide), ECS_OK);
    assert_int_equal(ecs_array_fill(walls, 5), ECS_OK);
    run(fixture.L, "assert(row[9] == 5 and #walls == 2 and #row == 9)");
    assert_int_equal(ecs_lua_detach(fixture.L, fixture.world), 0);
    run(fixture.L, gone);
    assert_int_equal(ecs_array_fill(walls, 6), ECS_OK);
  }
  share(fixture.L, fixture.world);
  run(fixture.L,
      "walls = world:array('walls', 'u8', 2, 9); row = walls[2];"
      "assert(row[1] == 6)");
  ecs_world_destroy(fixture.world);
  assert_int_equal(fixture.memory.blocks, 0);
  run(fixture.L, gone);
  lua_close(fixture.L);
}

static void closing_a_borrowed_world_lets_go_of_it(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  run(fixture.L,
      "query = world:query { all = true }; world:close(); world:close()");
  assert_int_equal(queries_of(fixture.world), 0);
  assert_true(ecs_alive(fixture.world, fixture.entity));
  refused(fixture.L, ecs_lua_progress(fixture.L, fixture.world, 1),
          "not borrowed");
  share(fixture.L, fixture.world);
  run(fixture.L, "assert(world:query { all = true }:count() == 1)");
  finish(&fixture);
}

static int detach_from_script(lua_State *L) {
  ecs_World *world = (ecs_World *)lua_touserdata(L, lua_upvalueindex(1));
  if (ecs_lua_detach(L, world) != 0) return lua_error(L);
  return 0;
}

static void share_detach(Fixture *fixture) {
  lua_pushlightuserdata(fixture->L, fixture->world);
  lua_pushcclosure(fixture->L, detach_from_script, 1);
  lua_setglobal(fixture->L, "detach");
}

static void a_world_is_not_detached_inside_a_loop(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  share_detach(&fixture);
  raises(fixture.L, "world:query { all = true }:batch(detach)",
         "cannot be detached inside query { all = true }");
  raises(fixture.L,
         "world:query { all = true }:batch(function() world:close() end)",
         "cannot be closed inside query { all = true }");
  run(fixture.L, "world:spawn()");
  finish(&fixture);
}

static void a_system_may_detach_its_world(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  share_detach(&fixture);
  run(fixture.L,
      "world:system { name = 'end', run = function() detach() end }\n"
      "world:system { name = 'after', run = error }");
  assert_int_equal(ecs_lua_progress(fixture.L, fixture.world, 1), 0);
  assert_int_equal(lua_gettop(fixture.L), 0);
  raises(fixture.L, "world:spawn()", "this world is closed");
  finish(&fixture);
}

/* Handing over ------------------------------------------------------------- */

static void a_given_world_ends_with_its_last_reference(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  assert_int_equal(ecs_lua_give(fixture.L, fixture.world), 0);
  assert_ptr_equal(ecs_lua_world(fixture.L, -1), fixture.world);
  lua_setglobal(fixture.L, "world");
  refused(fixture.L, ecs_lua_push(fixture.L, fixture.world), "belongs to Lua");
  run(fixture.L, "world:spawn(); collectgarbage()");
  assert_true(fixture.memory.blocks > 0);
  run(fixture.L, "world = nil; collectgarbage(); collectgarbage()");
  assert_int_equal(fixture.memory.blocks, 0);
  lua_close(fixture.L);
}

static void a_given_world_is_closed_by_a_script(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  run(fixture.L, "query = world:query { all = true }");
  assert_int_equal(ecs_lua_give(fixture.L, fixture.world), 0);
  lua_pop(fixture.L, 1);
  run(fixture.L, "assert(query:count() == 1); world:close()");
  assert_int_equal(fixture.memory.blocks, 0);
  raises(fixture.L, "query:count()", "closed");
  lua_close(fixture.L);
}

static void a_given_world_ends_with_the_state(void **unused) {
  (void)unused;
  Fixture fixture;
  start(&fixture);
  assert_int_equal(ecs_lua_give(fixture.L, fixture.world), 0);
  lua_setglobal(fixture.L, "world");
  run(fixture.L, "query = world:query { all = true }");
  lua_close(fixture.L);
  assert_int_equal(fixture.memory.blocks, 0);
}

/* Memory ------------------------------------------------------------------- */

/* Counts and fails allocations as failing_memory does; but Lua does not expect
 * that shrinking fails. */
static void *lua_resize(void *user, void *block, size_t old, size_t new_bytes) {
  FailingMemory *memory = user;
  uint64_t fail_at = memory->fail_at;
  if (block != NULL && new_bytes <= old && new_bytes > 0) memory->fail_at = 0;
  void *result = failing_memory_resize(user, block, old, new_bytes);
  memory->fail_at = fail_at;
  return result;
}

static int push_and_pop(Fixture *fixture) {
  int status = ecs_lua_push(fixture->L, fixture->world);
  if (status == 0) lua_pop(fixture->L, 1);
  return status;
}

static int add_library(Fixture *fixture) {
  return ecs_lua_library(fixture->L, "host", &library);
}

static int run_frame(Fixture *fixture) {
  return ecs_lua_progress(fixture->L, fixture->world, 1);
}

static int let_go(Fixture *fixture) {
  return ecs_lua_detach(fixture->L, fixture->world);
}

static int hand_over(Fixture *fixture) {
  int status = ecs_lua_give(fixture->L, fixture->world);
  if (status == 0) lua_pop(fixture->L, 1);
  return status;
}

/* Fails the n-th request of Lua for memory and all after it, n = 1, 2, 3 ...
 * until the call succeeds. Every failure is a status and one value. */
static void exhaust(Fixture *fixture, FailingMemory *memory,
                    int (*call)(Fixture *)) {
  for (uint64_t n = 1;; n++) {
    assert_true(n < 10000);
    failing_memory_arm(memory, n, FAIL_ONWARD);
    int status = call(fixture);
    bool failed = failing_memory_disarm(memory) > 0;
    assert_int_equal(lua_gettop(fixture->L), status != 0);
    lua_settop(fixture->L, 0);
    if (status == 0) break;
    assert_true(failed);
    assert_true(ecs_alive(fixture->world, fixture->entity));
  }
}

static void lack_of_memory_is_a_status(void **unused) {
  (void)unused;
  Fixture fixture;
  FailingMemory memory;
  ecs_Memory record = failing_memory_init(&memory);
  start(&fixture);
  lua_close(fixture.L);
  fixture.L = lua_newstate(lua_resize, record.user);
  if (!fixture.L) skip(); /* a LuaJIT that takes no allocator */
  luaL_openlibs(fixture.L);
  set_path(fixture.L);
  assert_int_equal(ecs_lua_open(fixture.L), 0);
  run(fixture.L, "if rawget(_G, 'jit') then jit.off() end");
  exhaust(&fixture, &memory, push_and_pop);
  exhaust(&fixture, &memory, add_library);
  assert_int_equal(ecs_lua_push(fixture.L, fixture.world), 0);
  lua_setglobal(fixture.L, "world");
  run(fixture.L, keep);
  exhaust(&fixture, &memory, run_frame);
  exhaust(&fixture, &memory, let_go);
  exhaust(&fixture, &memory, hand_over);
  lua_close(fixture.L);
  assert_int_equal(fixture.memory.blocks, 0);
  assert_int_equal(memory.blocks, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(opening_twice_is_harmless),
      cmocka_unit_test(a_state_that_is_not_open_says_so),
      cmocka_unit_test(lua_files_that_are_missing_are_named),
      cmocka_unit_test(another_core_is_refused),
      cmocka_unit_test(the_same_world_is_the_same_object),
      cmocka_unit_test(a_world_is_found_in_a_value),
      cmocka_unit_test(a_bare_address_is_no_object),
      cmocka_unit_test(a_world_in_two_states_is_refused),
      cmocka_unit_test(two_states_have_a_world_each),
      cmocka_unit_test(two_worlds_share_a_state),
      cmocka_unit_test(the_state_may_end_first),
      cmocka_unit_test(the_world_may_end_first),
      cmocka_unit_test(a_detached_world_goes_on),
      cmocka_unit_test(arrays_are_shared_while_the_world_is),
      cmocka_unit_test(closing_a_borrowed_world_lets_go_of_it),
      cmocka_unit_test(a_world_is_not_detached_inside_a_loop),
      cmocka_unit_test(a_system_may_detach_its_world),
      cmocka_unit_test(a_given_world_ends_with_its_last_reference),
      cmocka_unit_test(a_given_world_is_closed_by_a_script),
      cmocka_unit_test(a_given_world_ends_with_the_state),
      cmocka_unit_test(lack_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
