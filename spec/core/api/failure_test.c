/* failure_test.c: every allocation of every public function that changes a
 * world fails once, and once it fails together with all that follow.
 *
 * A scenario is a call in a prepared world, made at once and, where that is
 * possible, while changes are deferred:
 *
 *      make the world, prepare, arm the n-th allocation, call
 *        |                                  |
 *        |                                  +-- injected: the status says so,
 *        |                                  |   hashes are what they were, and
 *        |                                  |   odd n: the call is left out
 *        |                                  |   even n: the call works now
 *        |                                  +-- not injected: it worked; done
 *        +-- twin worlds where nothing ever failed hold the expected result
 *
 * Ending a deferral or a cursor is special. When it fails, the recording is
 * discarded, so the twin is a world that discards it. The test prints a table
 * of every function and the number of failures injected in it. The calls are in
 * failure_scenarios.c.
 */
#include <stdlib.h>

#include "test_case.h"
#include "failure_scenarios.h"

/* Trials ------------------------------------------------------------------ */

typedef struct Hashes {
  uint64_t whole, state;
  uint64_t entities, groups, tables, components, queries;
} Hashes;

static Hashes hash(const Fixture *fixture) {
  ecs_Statistics statistics;
  ecs_world_statistics(fixture->world, &statistics);
  return (Hashes){ecs_world_hash(fixture->world),
                  ecs_world_state_hash(fixture->world),
                  statistics.entities,
                  statistics.groups,
                  statistics.tables,
                  statistics.components,
                  statistics.queries};
}

static void assert_same(Hashes a, Hashes b) {
  assert_true(a.whole == b.whole);
  assert_true(a.state == b.state);
  assert_int_equal(a.entities, b.entities);
  assert_int_equal(a.groups, b.groups);
  assert_int_equal(a.tables, b.tables);
  assert_int_equal(a.components, b.components);
  assert_int_equal(a.queries, b.queries);
}

/* Where a trial stands: a scenario, made so, in a world with that crowd. In a
 * warm one the queries and kernels have run before, so that what they keep can
 * become stale. */
typedef struct Trial {
  const Scenario *scenario;
  bool later;
  bool warm;
  uint32_t crowd;
  Hashes done;        /* the call was made */
  Hashes undone;      /* it was not, or it was discarded */
  Hashes undone_last; /* and the deferral has ended */
  Hashes redone;      /* discarded, then made */
} Trial;

static void start(const Trial *trial, Fixture *fixture) {
  fixture_make(fixture, trial->crowd);
  if (trial->warm) use_all(fixture);
  if (trial->later) must(ecs_defer_begin(fixture->world));
  if (trial->scenario->before != NULL) trial->scenario->before(fixture);
}

/* Closes what is open, then uses the world, so that stale pointers show: one of
 * the crowd without the sparse component must have been changed by two of the
 * four calls. */
static Hashes settle(const Trial *trial, Fixture *fixture) {
  double before = 0, after = 0;
  if (trial->later) must(ecs_defer_end(fixture->world));
  const ecs_Entity one = fixture->crowd_count > 1 ? fixture->crowd[1] : 0;
  const ecs_Status found =
      ecs_get_field(fixture->world, one, fixture->position, 0, &before);
  use_all(fixture);
  if (found == ECS_OK)
    must(ecs_get_field(fixture->world, one, fixture->position, 0, &after));
  assert_true(found != ECS_OK || after == before + 2);
  return hash(fixture);
}

static void finish(const Trial *trial, Fixture *fixture, Hashes expected) {
  assert_same(settle(trial, fixture), expected);
  fixture_end(fixture);
}

/* The twins, in which nothing fails. */
static void learn(Trial *trial) {
  const Scenario *scenario = trial->scenario;
  static Fixture fixture;
  start(trial, &fixture);
  must(scenario->call(&fixture));
  trial->done = trial->redone = settle(trial, &fixture);
  fixture_end(&fixture);
  start(trial, &fixture);
  if (scenario->undo != NULL) scenario->undo(&fixture);
  trial->undone = hash(&fixture);
  trial->undone_last = settle(trial, &fixture);
  fixture_end(&fixture);
  if (scenario->undo == NULL || scenario->before == open_spawned) return;
  start(trial, &fixture);
  scenario->undo(&fixture);
  scenario->before(&fixture);
  must(scenario->call(&fixture));
  trial->redone = settle(trial, &fixture);
  fixture_end(&fixture);
}

static void check_account(const Fixture *fixture) {
  ecs_Statistics statistics;
  ecs_world_statistics(fixture->world, &statistics);
  assert_int_equal(statistics.bytes, fixture->memory.bytes);
  assert_int_equal(statistics.allocations, fixture->memory.blocks);
}

/* The call has failed. It is left out, or made again. */
static void recover(const Trial *trial, Fixture *fixture, bool again) {
  const Scenario *scenario = trial->scenario;
  assert_same(hash(fixture), trial->undone);
  check_account(fixture);
  if (!again || scenario->before == open_spawned) {
    finish(trial, fixture, trial->undone_last);
    return;
  }
  if (scenario->undo != NULL) scenario->before(fixture);
  must(scenario->call(fixture));
  finish(trial, fixture, trial->redone);
}

/* Fails the n-th allocation; false when the call makes fewer. */
static bool fail_nth(const Trial *trial, uint64_t n, FailingMode mode,
                     uint64_t *injected) {
  static Fixture fixture;
  start(trial, &fixture);
  failing_memory_arm(&fixture.memory, n, mode);
  const ecs_Status status = trial->scenario->call(&fixture);
  const uint64_t failures = failing_memory_disarm(&fixture.memory);
  if (failures == 0) {
    must(status);
    finish(trial, &fixture, trial->done);
    return false;
  }
  if (status != ECS_E_MEMORY)
    fail_msg("%s (%s): allocation %llu failed, the status is %s",
             trial->scenario->function, trial->scenario->what,
             (unsigned long long)n, ecs_status_name(status));
  *injected += failures;
  recover(trial, &fixture, n % 2 == 0);
  /* Every n is tried in both ways; this is the other way, with the same n. */
  start(trial, &fixture);
  failing_memory_arm(&fixture.memory, n, mode);
  assert_int_equal(trial->scenario->call(&fixture), ECS_E_MEMORY);
  *injected += failing_memory_disarm(&fixture.memory);
  recover(trial, &fixture, n % 2 != 0);
  return true;
}

/* With ECS_TEST_SHORT in the environment, every third case: four sizes of the
 * crowd, two of them warm. */
static void run_scenario(const Scenario *scenario, bool later,
                         uint64_t injected[2]) {
  static const uint32_t crowds[] = {0, 1, 4, 16, CROWD};
  injected[FAIL_ONCE] = injected[FAIL_ONWARD] = 0;
  size_t step = getenv("ECS_TEST_SHORT") != NULL ? 3 : 1;
  for (size_t i = 0; i < 2 * sizeof crowds / sizeof *crowds; i += step) {
    Trial trial = {.scenario = scenario,
                   .later = later,
                   .warm = i % 2 != 0,
                   .crowd = crowds[i / 2]};
    learn(&trial);
    for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
      uint64_t n = 1;
      while (fail_nth(&trial, n, (FailingMode)mode, &injected[mode])) n++;
    }
  }
}

/* The tests --------------------------------------------------------------- */

static void print_line(const char *function, const char *what, const char *when,
                       const uint64_t injected[2]) {
  printf("%-24s %-20s %-9s %8llu %8llu\n", function, what, when,
         (unsigned long long)injected[FAIL_ONCE],
         (unsigned long long)injected[FAIL_ONWARD]);
}

static void run_when(const Scenario *scenario, bool later, bool expected) {
  uint64_t injected[2];
  run_scenario(scenario, later, injected);
  print_line(scenario->function, scenario->what, later ? "deferred" : "at once",
             injected);
  if (expected && (injected[0] == 0 || injected[1] == 0))
    fail_msg("%s (%s) never allocated", scenario->function, scenario->what);
  if (!expected && injected[0] > 0)
    fail_msg("%s (%s) allocates", scenario->function, scenario->what);
}

TEST(every_failed_allocation_is_told_and_changes_nothing) {
  printf("%-24s %-20s %-9s %8s %8s\n", "function", "", "made", "once",
         "from then");
  for (size_t i = 0; i < failure_scenario_count; i++) {
    const Scenario *scenario = &failure_scenarios[i];
    if (scenario->when & NOW)
      run_when(scenario, false, (scenario->when & NOW_FAILS) != 0);
    if (scenario->when & LATER)
      run_when(scenario, true, (scenario->when & LATER_FAILS) != 0);
  }
}

TEST(a_world_that_cannot_be_made_leaves_nothing) {
  uint64_t injected[2] = {0, 0};
  for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
    for (uint64_t n = 1;; n++) {
      FailingMemory memory;
      const ecs_WorldDescription description = {
          .memory = failing_memory_init(&memory)};
      ecs_World *world = NULL;
      failing_memory_arm(&memory, n, (FailingMode)mode);
      const ecs_Status status = ecs_world_create(&description, &world);
      const uint64_t failures = failing_memory_disarm(&memory);
      injected[mode] += failures;
      assert_int_equal(status, failures > 0 ? ECS_E_MEMORY : ECS_OK);
      assert_true((world == NULL) == (failures > 0));
      ecs_world_destroy(world);
      assert_int_equal(memory.blocks, 0);
      if (failures == 0) break;
    }
  }
  print_line("ecs_world_create", "", "at once", injected);
  assert_true(injected[0] > 0 && injected[1] > 0);
}

/* The limit of bytes that a world may have works like a refusing allocator. */
TEST(a_world_past_its_limit_of_bytes_reports_it) {
  uint64_t refused = 0;
  for (uint64_t limit = 1000; limit < 200000; limit += 777) {
    FailingMemory memory;
    const ecs_WorldDescription description = {
        .memory = failing_memory_init(&memory), .limit_bytes = limit};
    ecs_World *world = NULL;
    ecs_Status status = ecs_world_create(&description, &world);
    for (uint32_t i = 0; status == ECS_OK && i < 40; i++) {
      const uint64_t before = ecs_world_hash(world);
      status = ecs_spawn(world, NULL, 0, NULL, NULL);
      if (status != ECS_OK) assert_true(ecs_world_hash(world) == before);
    }
    refused += status == ECS_E_MEMORY;
    if (status != ECS_OK) assert_int_equal(status, ECS_E_MEMORY);
    ecs_world_destroy(world);
    assert_int_equal(memory.blocks, 0);
  }
  assert_true(refused > 0);
}

/* The memory of recording and of cursors is kept and used again. */
TEST(the_same_frame_again_takes_no_more_memory) {
  static Fixture fixture;
  uint64_t blocks = 0, bytes = 0;
  fixture_make(&fixture, 0);
  for (uint32_t i = 0; i < 300; i++) {
    must(ecs_defer_begin(fixture.world));
    for (uint32_t k = 0; k < 40; k++) must(call_add_table(&fixture));
    must(call_add_sparse(&fixture));
    must(ecs_defer_end(fixture.world));
    use_all(&fixture);
    must(ecs_remove(fixture.world, fixture.hero, fixture.wide));
    must(ecs_remove(fixture.world, fixture.hero, fixture.sparse));
    if (i < 10) {
      blocks = fixture.memory.blocks;
      bytes = fixture.memory.bytes;
    }
    assert_int_equal(fixture.memory.blocks, blocks);
    assert_int_equal(fixture.memory.bytes, bytes);
  }
  fixture_end(&fixture);
}

/* Explaining returns no status; the text names the failure, in any capacity. */
TEST(a_plan_that_cannot_be_made_is_explained_so) {
  static Fixture fixture;
  char text[64], part[5] = "####";
  fixture_make(&fixture, 4);
  failing_memory_arm(&fixture.memory, 1, FAIL_ONWARD);
  const size_t length = ecs_query_explain(fixture.partial, text, sizeof text);
  assert_int_equal(ecs_query_explain(fixture.partial, part, 4), length);
  assert_int_equal(ecs_query_explain(fixture.partial, NULL, 0), length);
  assert_true(failing_memory_disarm(&fixture.memory) > 0);
  assert_int_equal(strlen(text), length);
  assert_non_null(strstr(text, "memory"));
  assert_int_equal(strlen(part), 3);
  assert_memory_equal(part, text, 3);
  assert_true(ecs_query_explain(fixture.partial, text, sizeof text) != length);
  fixture_end(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_world_that_cannot_be_made_leaves_nothing),
      cmocka_unit_test(every_failed_allocation_is_told_and_changes_nothing),
      cmocka_unit_test(a_world_past_its_limit_of_bytes_reports_it),
      cmocka_unit_test(the_same_frame_again_takes_no_more_memory),
      cmocka_unit_test(a_plan_that_cannot_be_made_is_explained_so),
  };
  return cmocka_run_group_tests_name("failure", tests, NULL, NULL);
}
