/* kept_end_test.c: every allocation of every end of a recording fails, and the
 * changes are applied once more, or discarded.
 *
 * The recordings are those of failure_scenarios.c. Twin worlds in which nothing
 * ever failed hold the expected results.
 */
#include <string.h>

#include "api/kept_end.h"
#include "failure_scenarios.h"
#include "test_case.h"
#include "world/world.h"

static Fixture fixture, twin;

static bool is_cursor(const Scenario *scenario) {
  return strcmp(scenario->function, "ecs_cursor_end") == 0;
}

static void prepare(Fixture *made, const Scenario *scenario) {
  fixture_make(made, CROWD);
  use_all(made);
  scenario->before(made);
}

static uint64_t used_hash(Fixture *made) {
  use_all(made);
  return ecs_world_hash(made->world);
}

/* What the world is where the recording was applied, or discarded. */
static uint64_t expected(const Scenario *scenario, bool applied) {
  prepare(&twin, scenario);
  if (applied)
    must(scenario->call(&twin));
  else
    scenario->undo(&twin);
  uint64_t hash = used_hash(&twin);
  fixture_end(&twin);
  return hash;
}

static ecs_Status end_kept(const Scenario *scenario) {
  return is_cursor(scenario) ? ecs_cursor_end_kept(&fixture.cursor)
                             : ecs_defer_end_kept(fixture.world);
}

static void check_kept(const Scenario *scenario) {
  assert_true(ecs_deferring(fixture.world));
  assert_int_equal(fixture.world->depth, 1);
  assert_int_equal(fixture.world->deferrals, 1);
  assert_true(world_check_invariants(fixture.world));
  if (is_cursor(scenario))
    assert_int_equal(ecs_cursor_end_kept(&fixture.cursor), ECS_E_ARGUMENT);
}

/* Ends the recording where the n-th allocation fails, and makes it again, or
 * discards it. False: there are not so many. */
static bool try_failing(const Scenario *scenario, uint64_t n, bool again,
                        uint64_t hash) {
  prepare(&fixture, scenario);
  failing_memory_arm(&fixture.memory, n, n % 2 == 0 ? FAIL_ONCE : FAIL_ONWARD);
  ecs_Status status = end_kept(scenario);
  for (uint32_t i = 0; n % 2 != 0 && status == ECS_E_MEMORY && i < 2; i++)
    status = ecs_defer_end_kept(fixture.world);
  bool injected = failing_memory_disarm(&fixture.memory) > 0;
  assert_true(injected || status == ECS_OK);
  if (status != ECS_OK) {
    assert_int_equal(status, ECS_E_MEMORY);
    check_kept(scenario);
    if (again)
      must(ecs_defer_end_kept(fixture.world));
    else
      ecs_defer_discard(fixture.world);
    assert_true(used_hash(&fixture) == hash);
  }
  assert_false(ecs_deferring(fixture.world));
  fixture_end(&fixture);
  return injected;
}

static uint64_t count_failures(bool again) {
  uint64_t failures = 0;
  for (size_t s = 0; s < failure_scenario_count; s++) {
    const Scenario *scenario = &failure_scenarios[s];
    if (scenario->undo == NULL) continue;
    uint64_t hash = expected(scenario, again);
    for (uint64_t n = 1; try_failing(scenario, n, again, hash); n++) failures++;
  }
  return failures;
}

TEST(what_had_no_room_is_applied_later) {
  assert_true(count_failures(true) > 20);
}

TEST(what_had_no_room_can_be_discarded) {
  assert_true(count_failures(false) > 20);
}

/* A run that has its rows behind it: only its changes wait. False: there are not
 * so many allocations. */
static bool try_run(const Scenario *scenario, uint64_t n, uint64_t hash,
                    uint64_t *kept_count) {
  const double uniform = 2;
  double reductions[] = {-1, -1};
  ecs_ProgramStop stop;
  const ecs_ProgramCall call = {.uniforms = &uniform,
                                .reductions = reductions,
                                .uniform_count = 1,
                                .reduction_count = 2,
                                .stop = &stop};
  bool kept = true;
  prepare(&fixture, scenario);
  assert_true(ecs_program_changes(fixture.program));
  failing_memory_arm(&fixture.memory, n, FAIL_ONCE);
  ecs_Status status = ecs_program_run_kept(fixture.program, &call, &kept);
  bool injected = failing_memory_disarm(&fixture.memory) > 0;
  assert_int_equal(ecs_deferring(fixture.world), kept);
  assert_int_equal(reductions[0] != -1, kept || status == ECS_OK);
  if (kept) {
    ++*kept_count;
    assert_int_equal(status, ECS_E_MEMORY);
    assert_true(world_check_invariants(fixture.world));
    must(ecs_defer_end_kept(fixture.world));
    assert_true(used_hash(&fixture) == hash);
  }
  fixture_end(&fixture);
  return injected;
}

TEST(a_run_of_a_program_keeps_its_changes) {
  uint64_t scenarios = 0;
  for (size_t s = 0; s < failure_scenario_count; s++) {
    const Scenario *scenario = &failure_scenarios[s];
    if (strcmp(scenario->function, "ecs_program_run") != 0) continue;
    uint64_t hash = expected(scenario, true), kept = 0;
    for (uint64_t n = 1; try_run(scenario, n, hash, &kept); n++) {
    }
    scenarios++;
    assert_true(kept > 0);
  }
  assert_true(scenarios > 0);
}

/* A program with one change of all rows is applied as a list, without records;
 * where that fails it is recorded after all. */
TEST(a_list_that_has_no_room_is_kept) {
  static const char text[] = "add \"Wide\"\n";
  const ecs_ProgramCall call = {.uniforms = NULL};
  uint64_t kept_count = 0, matches = 0;
  bool injected = true;
  for (uint64_t n = 1; injected; n++) {
    bool kept = false;
    fixture_make(&fixture, CROWD);
    must(ecs_program_create(fixture.full, text, sizeof text - 1,
                            &fixture.program, NULL, 0));
    must(ecs_query_count(fixture.full, &matches));
    failing_memory_arm(&fixture.memory, n, FAIL_ONCE);
    (void)ecs_program_run_kept(fixture.program, &call, &kept);
    injected = failing_memory_disarm(&fixture.memory) > 0;
    kept_count += kept;
    assert_int_equal(ecs_deferring(fixture.world), kept);
    if (kept) must(ecs_defer_end_kept(fixture.world));
    if (kept || !injected)
      assert_true(ecs_has(fixture.world, fixture.hero, fixture.wide));
    assert_true(world_check_invariants(fixture.world));
    fixture_end(&fixture);
  }
  assert_true(kept_count > 0 && matches > 0);
}

/* What makes room records something, by levels of its own. */
TEST(the_recording_goes_on_meanwhile) {
  ecs_Cursor cursor;
  ecs_Entity born = 0;
  for (uint32_t applied = 0; applied < 2; applied++) {
    fixture_make(&fixture, CROWD);
    ecs_World *world = fixture.world;
    must(ecs_query_begin(fixture.tags, ECS_BATCH_WHOLE, &fixture.cursor));
    must(ecs_add(world, fixture.plain, fixture.wide, NULL));
    failing_memory_arm(&fixture.memory, 1, FAIL_ONWARD);
    assert_int_equal(ecs_cursor_end_kept(&fixture.cursor), ECS_E_MEMORY);
    assert_true(failing_memory_disarm(&fixture.memory) > 0);
    must(ecs_query_begin(fixture.full, ECS_BATCH_WHOLE, &cursor));
    assert_int_equal(ecs_defer_end_kept(world), ECS_E_ARGUMENT);
    must(ecs_add(world, fixture.plain, fixture.tag, NULL));
    must(ecs_cursor_end_kept(&cursor));
    must(ecs_spawn(world, NULL, 0, NULL, &born));
    assert_false(ecs_has(world, fixture.plain, fixture.wide));
    if (applied)
      must(ecs_defer_end_kept(world));
    else
      ecs_defer_discard(world);
    assert_int_equal(ecs_has(world, fixture.plain, fixture.wide), applied);
    assert_int_equal(ecs_has(world, fixture.plain, fixture.tag), applied);
    assert_int_equal(ecs_alive(world, born), applied);
    assert_int_equal(ecs_defer_end_kept(world), ECS_E_ARGUMENT);
    fixture_end(&fixture);
  }
}

TEST(an_inner_end_applies_nothing) {
  fixture_make(&fixture, CROWD);
  ecs_World *world = fixture.world;
  must(ecs_defer_begin(world));
  must(ecs_query_begin(fixture.tags, ECS_BATCH_WHOLE, &fixture.cursor));
  must(ecs_add(world, fixture.plain, fixture.wide, NULL));
  failing_memory_arm(&fixture.memory, 1, FAIL_ONWARD);
  must(ecs_cursor_end_kept(&fixture.cursor));
  assert_int_equal(failing_memory_disarm(&fixture.memory), 0);
  assert_int_equal(world->depth, 1);
  assert_int_equal(ecs_cursor_end_kept(NULL), ECS_E_ARGUMENT);
  must(ecs_defer_end_kept(world));
  assert_true(ecs_has(world, fixture.plain, fixture.wide));
  fixture_end(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_had_no_room_is_applied_later),
      cmocka_unit_test(what_had_no_room_can_be_discarded),
      cmocka_unit_test(a_run_of_a_program_keeps_its_changes),
      cmocka_unit_test(a_list_that_has_no_room_is_kept),
      cmocka_unit_test(the_recording_goes_on_meanwhile),
      cmocka_unit_test(an_inner_end_applies_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
