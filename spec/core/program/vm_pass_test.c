/* vm_pass_test.c: programs in a pass leave what they leave one after the other.
 *
 * random_schedules.lua compares passes of random systems. Here is what it has
 * not: that rows do go through a pass together, memory that is refused, and which
 * programs a pass has not.
 */
#include "test_case.h"
#include "program_fixture.h"

#include "program/vm_pass.h"

/* Each reads what the one before it has written in the row. */
static const char *const texts[] = {
    "column c0 \"P\" \"x\" f32 write\nuniform u0 number\nreduction r0 sum\n"
    "v0 = load f32 c0\nv1 = uniform f32 u0\nv2 = mul f32 v0 v1\n"
    "v3 = constant f64 0x1.5555555555555p-2\nv4 = convert f64 v2\n"
    "v5 = mul f64 v4 v3\nstore c0 v2\nsum r0 v5\n",
    "column c0 \"P\" \"x\" f32 read\ncolumn c1 \"V\" \"x\" f32 write\n"
    "uniform u0 number\nreduction r0 sum\nv0 = load f32 c0\n"
    "v1 = load f32 c1\nv2 = uniform f32 u0\nv3 = mul f32 v1 v2\n"
    "v4 = add f32 v0 v3\nv5 = convert f64 v4\nstore c1 v4\nsum r0 v5\n",
    "column c0 \"P\" \"x\" f32 read\ncolumn c1 \"P\" \"y\" f32 write\n"
    "column c2 \"V\" \"x\" f32 optional\nuniform u0 number\nreduction r0 sum\n"
    "v0 = load f32 c0\nv1 = present c2\nv2 = load f32 c2\nv3 = load f32 c1\n"
    "v4 = select f32 v1 v2 v3\nv5 = add f32 v0 v4\nv6 = uniform f32 u0\n"
    "v7 = mul f32 v5 v6\nv8 = convert f64 v7\nstore c1 v7\nsum r0 v8\n",
};

enum { PROGRAMS = 3 };

typedef struct Pass {
  PassProgram programs[PROGRAMS];
  ecs_ProgramStop stops[PROGRAMS];
  double sums[PROGRAMS];
} Pass;

static const double uniform = 0.75;

static void prepare(Pass *pass, uint32_t k) {
  pass->programs[k] = (PassProgram){
      .program = fixture.program,
      .call = {.uniforms = &uniform,
               .uniform_count = fixture.program->uniform_count,
               .reductions = &pass->sums[k],
               .reduction_count = fixture.program->reduction_count,
               .stop = &pass->stops[k]},
      .begins = k == 0};
}

/* A world with count rows in several tables, and the three programs. */
static void fill(Pass *pass, uint32_t count, ecs_Storage storage) {
  memset(pass, 0, sizeof *pass);
  start(storage, ECS_STORE_TABLE);
  const ecs_Term terms[PROGRAMS][2] = {
      {{fixture.p, ECS_WRITE}},
      {{fixture.p, ECS_READ}, {fixture.v, ECS_WRITE}},
      {{fixture.p, ECS_WRITE}, {fixture.v, ECS_OPTIONAL}}};
  for (uint32_t k = 0; k < PROGRAMS; k++) {
    ask(terms[k], k == 0 ? 1 : 2);
    make(texts[k]);
    prepare(pass, k);
  }
  spawn(count, fixture.v, 3);
  for (uint32_t k = 0; k < count; k += 7)
    must(ecs_add(fixture.world, fixture.entities[k], fixture.t, NULL));
}

#define RUNS 4u

typedef struct Outcome {
  uint64_t hash;
  double sums[RUNS][PROGRAMS];
} Outcome;

static void run_one_by_one(Pass *pass) {
  for (uint32_t k = 0; k < PROGRAMS; k++)
    must(ecs_program_run(pass->programs[k].program, &pass->programs[k].call));
}

static void run_pass(Pass *pass) {
  uint32_t failed = 0;
  must(ecs_pass_run(pass->programs, PROGRAMS, &failed));
}

static Outcome play(uint32_t count, ecs_Storage storage,
                    void (*play_once)(Pass *pass)) {
  Pass pass;
  Outcome outcome = {0};
  fill(&pass, count, storage);
  for (uint32_t k = 0; k < RUNS; k++) {
    play_once(&pass);
    memcpy(outcome.sums[k], pass.sums, sizeof pass.sums);
  }
  outcome.hash = ecs_world_hash(fixture.world);
  finish();
  return outcome;
}

TEST(a_pass_leaves_what_its_programs_leave) {
  static const uint32_t counts[] = {0,  1,  15,  16,   17,   33,
                                    40, 97, 500, 1025, 2049, 3000};
  static const ecs_Storage storages[] = {ECS_STORE_TABLE, ECS_STORE_SPARSE};
  for (size_t s = 0; s < 2; s++)
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
      if (counts[c] > MOST) break;
      Outcome want = play(counts[c], storages[s], run_one_by_one);
      Outcome have = play(counts[c], storages[s], run_pass);
      assert_true(want.hash == have.hash);
      assert_memory_equal(want.sums, have.sums, sizeof want.sums);
    }
}

TEST(rows_go_through_a_pass_together_where_there_are_many) {
  Pass pass;
  fill(&pass, MOST, ECS_STORE_TABLE);
  assert_false(pass_pays(pass.programs, PROGRAMS)); /* not known yet */
  run_pass(&pass);
  assert_int_equal(pass.stops[0].row, MOST);
  assert_int_equal(pass.stops[1].row, (MOST + 2) / 3);
  assert_true(pass_pays(pass.programs, PROGRAMS) ==
              (MOST >= 2 * ECS_PASS_ROWS));
  assert_true(pass_run_together(pass.programs, PROGRAMS));
  pass.programs[0].left_out = pass.programs[1].left_out = true;
  assert_false(pass_pays(pass.programs, PROGRAMS));
  must(ecs_world_set_threads(fixture.world, 2));
  assert_false(pass_run_together(pass.programs, PROGRAMS));
  finish();
  /* Rows that are gathered are walked by each program. */
  fill(&pass, MOST, ECS_STORE_SPARSE);
  assert_false(pass_run_together(pass.programs, PROGRAMS));
  finish();
}

TEST(who_is_left_out_does_not_run) {
  Pass pass;
  fill(&pass, MOST, ECS_STORE_TABLE);
  pass.programs[1].left_out = true;
  for (uint32_t k = 0; k < RUNS; k++) run_pass(&pass);
  assert_int_equal(pass.stops[1].row, 0);
  assert_int_equal(pass.stops[2].row, MOST);
  for (uint32_t k = 0; k < MOST; k += 3)
    assert_true(get(fixture.entities[k], fixture.v, 0) == 2.0 * k + 1);
  finish();
}

/* A refused allocation: the programs before the one that fails have run, and it
 * has not. */
TEST(without_memory_a_pass_ends_before_a_program) {
  for (uint64_t n = 1;; n++) {
    Pass pass;
    uint32_t failed = PROGRAMS;
    fill(&pass, MOST, ECS_STORE_TABLE);
    for (uint32_t k = 0; k < PROGRAMS; k++) pass.stops[k].row = MOST;
    failing_memory_arm(&fixture.failing, n, FAIL_ONWARD);
    ecs_Status status = ecs_pass_run(pass.programs, PROGRAMS, &failed);
    bool refused = failing_memory_disarm(&fixture.failing) > 0;
    assert_true(status == ECS_OK || status == ECS_E_MEMORY);
    assert_true((status == ECS_OK) == (failed == PROGRAMS));
    uint64_t have = ecs_world_hash(fixture.world);
    finish();
    fill(&pass, MOST, ECS_STORE_TABLE);
    for (uint32_t k = 0; k < failed; k++)
      must(ecs_program_run(pass.programs[k].program, &pass.programs[k].call));
    assert_true(ecs_world_hash(fixture.world) == have);
    finish();
    if (!refused) break;
    assert_true(n < 100);
  }
}

/* Totals with memory of their own: more than a run has room for. */
TEST(many_totals_need_memory_that_may_be_refused) {
  static const char text[] =
      "column c0 \"P\" \"x\" f32 write\nreduction r0 sum\nreduction r1 sum\n"
      "reduction r2 min\nreduction r3 max\nreduction r4 sum\n"
      "v0 = load f64 c0\nsum r0 v0\nsum r1 v0\nmin r2 v0\nmax r3 v0\n"
      "sum r4 v0\n";
  for (uint64_t n = 1;; n++) {
    double sums[2][5];
    ecs_ProgramStop stops[2] = {{.row = MOST}, {.row = MOST}};
    PassProgram programs[2];
    uint32_t failed = 2;
    start(ECS_STORE_TABLE, ECS_STORE_TABLE);
    const ecs_Term term = {fixture.p, ECS_WRITE};
    ask(&term, 1);
    for (uint32_t k = 0; k < 2; k++) {
      make(text);
      programs[k] = (PassProgram){.program = fixture.program,
                                  .call = {.reductions = sums[k],
                                           .reduction_count = 5,
                                           .stop = &stops[k]},
                                  .begins = k == 0};
    }
    spawn(MOST, fixture.v, 2);
    failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
    ecs_Status status = ecs_pass_run(programs, 2, &failed);
    bool refused = failing_memory_disarm(&fixture.failing) > 0;
    assert_true((status == ECS_OK) == (failed == 2));
    for (uint32_t k = 0; k < failed; k++) {
      assert_true(sums[k][0] == (double)MOST * (MOST - 1) / 2);
      assert_true(sums[k][3] == MOST - 1);
    }
    finish();
    if (!refused) break;
    assert_true(n < 100);
  }
}

/* Which programs a pass has ------------------------------------------------ */

#define X "column c0 \"P\" \"x\" f32 write\nv0 = load f32 c0\n"

static ecs_Program *new_program(const char *text) {
  make(text);
  return fixture.program;
}

TEST(who_looks_up_what_another_writes_meets_it) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_WRITE}};
  ask(terms, 2);
  ecs_Program *looks = new_program(
      "column c0 \"P\" \"who\" entity read\ncolumn c1 \"V\" \"x\" f32 write\n"
      "v0 = load entity c0\nv1 = get f32 v0 \"P\" \"x\"\nstore c1 v1\n");
  ecs_Program *writes = new_program(X "store c0 v0\n");
  ecs_Program *reads = new_program(
      "column c0 \"P\" \"x\" f32 read\ncolumn c1 \"V\" \"y\" f32 write\n"
      "v0 = load f32 c0\nstore c1 v0\n");
  ecs_Program *asks = new_program(
      "column c0 \"P\" \"who\" entity read\ncolumn c1 \"V\" \"x\" f32 write\n"
      "v0 = load entity c0\nv1 = has v0 \"P\"\nv2 = constant f32 1\n"
      "store c1 v2 v1\n");
  assert_true(ecs_pass_meets(looks, writes));
  assert_true(ecs_pass_meets(writes, looks));
  assert_false(ecs_pass_meets(looks, reads));
  assert_false(ecs_pass_meets(reads, writes));
  assert_false(ecs_pass_meets(asks, writes));
  finish();
}

static void check_hindrance(const char *text, const char *why) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(text);
  const char *hindrance = ecs_pass_hindrance(fixture.program);
  if (why == NULL)
    assert_null(hindrance);
  else
    assert_string_equal(hindrance, why);
  finish();
}

TEST(programs_say_why_a_pass_has_them_not) {
  check_hindrance(X "store c0 v0\n", NULL);
  check_hindrance(X "v1 = constant f32 1\nv2 = lt f32 v0 v1\ndestroy v2\n",
                  "it changes structure");
  check_hindrance(X "v1 = constant f32 1\nv2 = lt f32 v0 v1\nexit v2\n",
                  "rows may need plain Lua");
  check_hindrance(
      "column c0 \"P\" \"x\" f32 write\nreduction r0 total\n"
      "v0 = load f64 c0\ntotal r0 v0\n",
      "it changes numbers outside");
  check_hindrance(
      "column c0 \"P\" \"x\" f32 write\nreduction r0 sum\n"
      "v0 = load f64 c0\nsum r0 v0\n",
      NULL);
}

/* A cursor that is open contests what the pass writes. */
TEST(an_open_cursor_refuses_a_pass) {
  Pass pass;
  ecs_Query *query = NULL;
  ecs_Cursor cursor;
  uint32_t failed = PROGRAMS;
  fill(&pass, MOST, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.v, ECS_READ};
  must(ecs_query_create(fixture.world, &term, 1, &query));
  run_pass(&pass);
  must(ecs_query_begin(query, 0, &cursor));
  assert_int_equal(ecs_pass_run(pass.programs, PROGRAMS, &failed),
                   ECS_E_ACCESS);
  assert_int_equal(failed, 1); /* the first has run: it does not use V */
  must(ecs_cursor_end(&cursor));
  run_pass(&pass);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pass_leaves_what_its_programs_leave),
      cmocka_unit_test(rows_go_through_a_pass_together_where_there_are_many),
      cmocka_unit_test(who_is_left_out_does_not_run),
      cmocka_unit_test(without_memory_a_pass_ends_before_a_program),
      cmocka_unit_test(many_totals_need_memory_that_may_be_refused),
      cmocka_unit_test(who_looks_up_what_another_writes_meets_it),
      cmocka_unit_test(programs_say_why_a_pass_has_them_not),
      cmocka_unit_test(an_open_cursor_refuses_a_pass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
