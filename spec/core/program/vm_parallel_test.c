/* vm_parallel_test.c: programs on several threads leave the bits of one.
 *
 * program_differential_test.c runs random programs on several threads. Here is
 * what it has not: real tables, optional columns, look-ups, totals of many rows,
 * memory that is refused, and which programs keep to one thread.
 */
#include "test_case.h"
#include "program_fixture.h"

#include "program/vm_parallel.h"

/* P.x and P.y become something, by way of a branch that few rows take. V.x is
 * optional; the look-up follows P.who. */
static const char everything[] =
    "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 write\n"
    "column c2 \"P\" \"who\" entity read\ncolumn c3 \"V\" \"x\" f32 optional\n"
    "uniform u0 number\nreduction r0 sum\nreduction r1 min\n"
    "v0 = load f32 c0\nv1 = load f32 c1\nv2 = load entity c2\n"
    "v3 = present c3\nv4 = load f32 c3\nv5 = uniform f32 u0\n"
    "v6 = mul f32 v0 v5\nv7 = select f32 v3 v4 v6\n"
    "v8 = constant f32 40\nv9 = lt f32 v7 v8\nv10 = xsin f32 v7\n"
    "v11 = xexp f32 v10\nv12 = select f32 v9 v11 v7\n"
    "v13 = get f32 v2 \"S\" \"x\"\nv14 = add f32 v12 v13\nv15 = self\n"
    "v16 = constant f64 0\nv17 = random v16\nv18 = convert f32 v17\n"
    "v19 = add f32 v14 v18\nv20 = convert f64 v19\n"
    "v21 = constant f64 0x1.5555555555555p-2\nv22 = mul f64 v20 v21\n"
    "store c0 v19\nstore c1 v14\nsum r0 v22\nmin r1 v20 v9\n";

/* Rows of several tables. Of these, some have S, which others look up. */
static void fill(uint32_t count) {
  start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_OPTIONAL}};
  ask(terms, 2);
  make(everything);
  for (uint32_t k = 0; k < count; k++) {
    const ecs_Component parts[] = {fixture.p,
                                   k % 3 == 0 ? fixture.v : fixture.t};
    must(ecs_spawn(fixture.world, parts, k % 5 == 0 ? 1 : 2, NULL,
                   &fixture.entities[k]));
    set(fixture.entities[k], fixture.p, 0, k % 251);
    set(fixture.entities[k], fixture.p, 2,
        (double)fixture.entities[k * 7 / 10]);
    if (k % 4 == 0) {
      must(ecs_add(fixture.world, fixture.entities[k], fixture.s, NULL));
      set(fixture.entities[k], fixture.s, 0, k);
    }
  }
}

#define RUNS 8u

typedef struct Outcome {
  uint64_t hash;
  double sums[RUNS][2];
} Outcome;

static Outcome play(uint32_t count, uint32_t threads) {
  Outcome outcome = {0};
  const double uniform = 0.75;
  fill(count);
  must(ecs_world_set_threads(fixture.world, threads));
  for (uint32_t k = 0; k < RUNS; k++) must(run(&uniform, outcome.sums[k]));
  assert_true(fixture.program->parallel == NULL || threads > 1);
  outcome.hash = ecs_world_hash(fixture.world);
  finish();
  return outcome;
}

TEST(any_number_of_threads_leaves_the_same_bits) {
  static const uint32_t counts[] = {0,   1,    8,    9,    16,  17,
                                    500, 1024, 1025, 2047, 3000};
  static const uint32_t threads[] = {2, 3, 8};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    if (counts[c] > MOST) break;
    Outcome want = play(counts[c], 1);
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
      Outcome have = play(counts[c], threads[t]);
      assert_true(want.hash == have.hash);
      assert_memory_equal(want.sums, have.sums, sizeof want.sums);
    }
  }
}

/* A program without totals is shared from few rows on. */
static const char moving[] =
    "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 write\n"
    "v0 = load f32 c0\nv1 = constant f32 1.5\nv2 = mul f32 v0 v1\n"
    "v3 = lt f32 v1 v2\nv4 = sqrt f32 v2\nv5 = select f32 v3 v4 v0\n"
    "store c0 v5\nstore c1 v2\n";

static void fill_moving(uint32_t count) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(moving);
  spawn(count, fixture.v, 3);
}

TEST(helpers_get_plans_when_they_first_run) {
  fill_moving(MOST);
  must(run(NULL, NULL));
  assert_null(fixture.program->parallel);
  must(ecs_world_set_threads(fixture.world, 3));
  must(run(NULL, NULL));
  assert_non_null(fixture.program->parallel);
  uint64_t requests = fixture.failing.requests;
  must(run(NULL, NULL));
  assert_int_equal(fixture.failing.requests, requests);
  must(ecs_world_set_threads(fixture.world, 1));
  must(run(NULL, NULL));
  finish();
}

/* A refused allocation leaves fewer threads, and the same values. */
TEST(without_memory_fewer_threads_run) {
  for (uint64_t n = 1;; n++) {
    fill_moving(MOST);
    must(run(NULL, NULL)); /* lists the blocks */
    must(run(NULL, NULL));
    uint64_t want = ecs_world_hash(fixture.world);
    finish();
    fill_moving(MOST);
    must(run(NULL, NULL));
    must(ecs_world_set_threads(fixture.world, 4));
    failing_memory_arm(&fixture.failing, n, FAIL_ONWARD);
    must(run(NULL, NULL));
    bool failed = failing_memory_disarm(&fixture.failing) > 0;
    assert_true(ecs_world_hash(fixture.world) == want);
    finish();
    if (!failed) break;
    assert_true(n < 100);
  }
}

TEST(totals_need_memory_or_run_on_one_thread) {
  if (MOST <= REDUCTION_ROWS) return; /* never shared */
  for (uint64_t n = 1;; n++) {
    double uniform = 0.5, want[2], have[2];
    fill(MOST);
    must(run(&uniform, want));
    must(run(&uniform, want));
    finish();
    fill(MOST);
    must(run(&uniform, have));
    must(ecs_world_set_threads(fixture.world, 2));
    failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
    must(run(&uniform, have));
    bool failed = failing_memory_disarm(&fixture.failing) > 0;
    assert_memory_equal(want, have, sizeof want);
    finish();
    if (!failed) break;
    assert_true(n < 100);
  }
}

/* Which programs keep to one thread --------------------------------------- */

static void check_alone(const char *text, const char *why) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(text);
  ecs_ProgramInfo info;
  ecs_program_info(fixture.program, &info);
  if (why == NULL)
    assert_null(info.alone);
  else
    assert_string_equal(info.alone, why);
  finish();
}

#define LOADED "column c0 \"P\" \"x\" f32 write\nv0 = load f32 c0\n"

TEST(programs_say_why_they_keep_to_one_thread) {
  check_alone(moving, NULL);
  check_alone(LOADED "v1 = constant f32 1\nv2 = lt f32 v0 v1\ndestroy v2\n",
              "it changes structure");
  check_alone(LOADED "v1 = constant f32 1\nv2 = lt f32 v0 v1\nexit v2\n",
              "rows may need plain Lua");
  check_alone(
      "column c0 \"P\" \"x\" f32 write\nreduction r0 total\n"
      "v0 = load f64 c0\ntotal r0 v0\n",
      "it adds to numbers outside in the order of rows");
  check_alone(
      "column c0 \"P\" \"x\" f32 write\nreduction r0 sum\n"
      "v0 = load f64 c0\nsum r0 v0\n",
      NULL);
  check_alone(
      "column c0 \"P\" \"x\" f32 write\n"
      "column c1 \"P\" \"who\" entity read\nv0 = load entity c1\n"
      "v1 = get f32 v0 \"V\" \"x\"\nstore c0 v1\n",
      NULL);
}

TEST(worlds_take_1_to_64_threads) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  assert_int_equal(ecs_world_threads(fixture.world), 1);
  assert_int_equal(ecs_world_set_threads(fixture.world, 0), ECS_E_ARGUMENT);
  assert_int_equal(ecs_world_set_threads(fixture.world, 65), ECS_E_ARGUMENT);
  assert_int_equal(ecs_world_threads(fixture.world), 1);
  must(ecs_world_set_threads(fixture.world, 64));
  assert_int_equal(ecs_world_threads(fixture.world), 64);
  must(ecs_world_set_threads(fixture.world, 2));
  assert_int_equal(ecs_world_threads(fixture.world), 2);
  must(ecs_world_set_threads(fixture.world, 1));
  assert_int_equal(ecs_world_threads(fixture.world), 1);
  must(ecs_world_set_threads(fixture.world, 5)); /* ends with the world */
  assert_true(ecs_cores() >= 1);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_threads_leaves_the_same_bits),
      cmocka_unit_test(helpers_get_plans_when_they_first_run),
      cmocka_unit_test(without_memory_fewer_threads_run),
      cmocka_unit_test(totals_need_memory_or_run_on_one_thread),
      cmocka_unit_test(programs_say_why_they_keep_to_one_thread),
      cmocka_unit_test(worlds_take_1_to_64_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
