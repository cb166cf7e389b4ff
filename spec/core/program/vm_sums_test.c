/* vm_sums_test.c: the reductions of runs over real worlds.
 *
 * program_differential_test.c compares reductions of random programs. Here is
 * what tables and blocks must not change, and what is left of a run that fails.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "test_case.h"
#include "program_fixture.h"

static const char reductions[] =
    "column c0 \"P\" \"x\" f32 read\nreduction r0 sum\nreduction r1 min\n"
    "reduction r2 max\nreduction r3 sum\nreduction r4 min\nreduction r5 max\n"
    "v0 = load f64 c0\nv1 = constant f64 0x1.5555555555555p-2\n"
    "v2 = mul f64 v0 v1\nv3 = constant f64 100\nv4 = lt f64 v3 v0\n"
    "sum r0 v2\nmin r1 v2\nmax r2 v2\nsum r3 v2 v4\nsum r3 v1\nsum r3 v0 v4\n"
    "min r4 v2 v4\nmax r5 v2 v4\n";

/* Reduces count rows. The first split of them are in another table than the
 * rest, but their order is the same. */
static void reduce(uint32_t count, uint32_t split, double results[6]) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_READ};
  ask(&term, 1);
  make(reductions);
  for (uint32_t k = 0; k < count; k++) {
    const ecs_Component both[] = {fixture.p, fixture.t};
    must(ecs_spawn(fixture.world, both, k < split ? 1 : 2, NULL,
                   &fixture.entities[k]));
    set(fixture.entities[k], fixture.p, 0,
        k % 251 == 250 ? (double)NAN : (double)(k % 251));
  }
  must(run(NULL, results));
  finish();
}

TEST(reductions_do_not_depend_on_tables) {
  static const uint32_t counts[] = {0, 1, 15, 16, 17, 40, 249, 1024, 2500};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    uint32_t count = counts[c];
    double whole[6], cut[6];
    if (count > MOST) break;
    reduce(count, count, whole);
    for (uint32_t split = 0; split < count; split += 1 + count / 9) {
      reduce(count, split, cut);
      assert_memory_equal(whole, cut, sizeof whole);
    }
  }
}

/* Every row adds x / 3 to r0, then 0.1, then x / 3 ...; r1 gets one of them. So
 * does r2, in order, and r3, of which the rows are odd. */
TEST(many_additions_keep_their_order) {
  static const uint32_t counts[] = {1, 17, 33, 700, 2500};
  for (uint32_t adders = 1; adders <= 12; adders++)
    for (size_t c = 0; c < 5 && counts[c] <= MOST; c++) {
      Reduction want;
      double results[4] = {0, 0, 1e9, -1e-9}, in_order = 1e9, odd = -1e-9;
      char text[2000] =
          "column c0 \"P\" \"x\" f32 read\nreduction r0 sum\n"
          "reduction r1 sum\nreduction r2 total\nreduction r3 total\n"
          "v0 = load f64 c0\nv1 = constant f64 3\n"
          "v2 = div f64 v0 v1\nv3 = constant f64 0.1\nv4 = constant f64 2\n"
          "v5 = mod f64 v0 v4\nv6 = lt f64 v3 v5\n";
      for (uint32_t k = 0; k < adders; k++)
        strcat(text, k % 2 == 0 ? "sum r0 v2\ntotal r2 v2\ntotal r3 v2 v6\n"
                                : "sum r0 v3\nsum r1 v3\ntotal r2 v3\n");
      start(ECS_STORE_TABLE, ECS_STORE_TABLE);
      const ecs_Term term = {fixture.p, ECS_READ};
      ask(&term, 1);
      make(text);
      spawn(counts[c], 0, 1);
      must(run(NULL, results));
      reduction_begin(&want, REDUCTION_SUM);
      for (uint32_t row = 0; row < counts[c]; row++) {
        for (uint32_t k = 0; k < adders; k++) {
          double added = k % 2 == 0 ? row / 3.0 : 0.1;
          reduction_add(&want, REDUCTION_SUM, row, added);
          in_order += added;
          if (k % 2 == 0 && row % 2 == 1) odd += added;
        }
        if (row % REDUCTION_ROWS == REDUCTION_ROWS - 1)
          reduction_fold(&want, REDUCTION_SUM);
      }
      reduction_fold(&want, REDUCTION_SUM);
      assert_true(results[0] == want.total);
      assert_true(results[2] == in_order);
      assert_true(results[3] == odd);
      finish();
    }
}

TEST(reductions_have_these_values) {
  double results[6];
  reduce(0, 0, results);
  assert_true(results[0] == 0 && !signbit(results[0]));
  assert_true(results[1] == HUGE_VAL && results[2] == -HUGE_VAL);
  assert_true(results[4] == HUGE_VAL && results[5] == -HUGE_VAL);
  reduce(4, 2, results);
  const double third = 0x1.5555555555555p-2;
  /* Lanes 0 to 3, then 4, 2 and 1 apart: (0 + 2) + (1 + 3). */
  assert_true(results[0] == (0.0 + 2 * third) + (third + 3 * third));
  assert_true(results[1] == 0 && results[2] == 3 * third);
  assert_true(results[3] == (third + third) + (third + third));
  assert_true(results[4] == HUGE_VAL);
}

static const char ordered[] =
    "column c0 \"P\" \"x\" f32 read\nreduction r0 total\n"
    "reduction r1 lowest\nreduction r2 highest\nreduction r3 total\n"
    "reduction r4 sum\n"
    "v0 = load f64 c0\nv1 = constant f64 0x1.5555555555555p-2\n"
    "v2 = mul f64 v0 v1\nv3 = constant f64 100\nv4 = lt f64 v3 v0\n"
    "total r0 v2\nlowest r1 v2 v4\nhighest r2 v2\ntotal r3 v2 v4\n"
    "total r3 v1\nsum r4 v2\nsum r4 v1 v4\n";

/* The same as `ordered`, by hand. Where rows of another table are between, the
 * order is that of the walk: first those without T. */
static void add_by_hand(uint32_t count, double results[5]) {
  const double third = 0x1.5555555555555p-2;
  for (uint32_t k = 0; k < count; k++) {
    double x = k % 251 == 250 ? (double)NAN : (double)(k % 251);
    results[0] += x * third;
    if (x > 100 && x * third < results[1]) results[1] = x * third;
    if (x * third > results[2]) results[2] = x * third;
    if (x > 100) results[3] += x * third;
    results[3] += third;
  }
}

TEST(ordered_reductions_take_rows_in_order) {
  static const uint32_t counts[] = {0, 1, 15, 16, 17, 40, 249, 1024, 2500};
  static const double starts[][5] = {
      {0, 0, 0, 0, 7}, {1e16, 90, -5, -0.1, 7}, {-0.0, (double)NAN, 1e9, 3, 7}};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (size_t s = 0; s < 3 && counts[c] <= MOST; s++) {
      uint32_t count = counts[c];
      double want[5], results[5];
      memcpy(want, starts[s], sizeof want);
      memcpy(results, starts[s], sizeof results);
      add_by_hand(count, want);
      start(ECS_STORE_TABLE, ECS_STORE_TABLE);
      const ecs_Term term = {fixture.p, ECS_READ};
      ask(&term, 1);
      make(ordered);
      for (uint32_t k = 0; k < count; k++) {
        const ecs_Component both[] = {fixture.p, fixture.t};
        must(ecs_spawn(fixture.world, both, k < count / 3 ? 1 : 2, NULL,
                       &fixture.entities[k]));
        set(fixture.entities[k], fixture.p, 0,
            k % 251 == 250 ? (double)NAN : (double)(k % 251));
      }
      must(run(NULL, results));
      for (uint32_t r = 0; r < 4; r++) {
        if (isnan(want[r]))
          assert_true(isnan(results[r]));
        else
          assert_memory_equal(&want[r], &results[r], sizeof want[r]);
      }
      assert_true(count > 0 || results[4] == 0);
      finish();
    }
}

/* A run that fails -------------------------------------------------------- */

/* Every row that is run stores 100 in y and adds to these. */
#define DECLARED                                                      \
  "column c0 \"P\" \"x\" f32 read\ncolumn c1 \"P\" \"y\" f32 write\n" \
  "reduction r0 total\nreduction r1 total\nreduction r2 sum\n"        \
  "reduction r3 lowest\nreduction r4 highest\nreduction r5 max\n"     \
  "v0 = load f32 c0\nv1 = convert f64 v0\nv2 = constant f32 100\n"    \
  "v3 = constant f64 0x1.5555555555555p-2\n"
#define ADDED                                                       \
  "store c1 v2\ntotal r0 v1\ntotal r0 v3\ntotal r1 v3\nsum r2 v1\n" \
  "lowest r3 v1\nhighest r4 v1\nmax r5 v1\n"

/* What the caller has in them. */
static const double own[6] = {0.5, 1e16, 7, 90, -5, 8};

/* The rows are in two tables, in the order of their entities. */
static void begin_counted(uint32_t count, const char *text) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(text);
  for (uint32_t k = 0; k < count; k++) {
    const ecs_Component both[] = {fixture.p, fixture.s};
    must(ecs_spawn(fixture.world, both, k < count / 3 ? 1 : 2, NULL,
                   &fixture.entities[k]));
    set(fixture.entities[k], fixture.p, 0, k);
  }
}

static ecs_Status run_counted(double results[6]) {
  ecs_ProgramStop stop;
  const ecs_ProgramCall call = {
      .reductions = results, .reduction_count = 6, .stop = &stop};
  memcpy(results, own, sizeof own);
  return ecs_program_run(fixture.program, &call);
}

/* Expects that those in order are of the rows that were stored, and the others
 * as the caller had them. Returns how many rows were stored. */
static uint32_t expect_stored(uint32_t count, const double results[6]) {
  const double third = 0x1.5555555555555p-2;
  double want[6];
  uint32_t rows = 0;
  memcpy(want, own, sizeof want);
  for (uint32_t k = 0; k < count; k++) {
    double x = get(fixture.entities[k], fixture.p, 0);
    if (get(fixture.entities[k], fixture.p, 1) != 100) continue;
    rows++;
    want[0] += x;
    want[0] += third;
    want[1] += third;
    if (x < want[3]) want[3] = x;
    if (x > want[4]) want[4] = x;
  }
  assert_memory_equal(results, want, sizeof want);
  return rows;
}

/* The rows before one that never ends have added, also those of its block. */
TEST(an_endless_row_leaves_the_totals_of_others) {
#ifdef ECS_TINY
  const uint32_t count = 40, rows[] = {0, 1, 17, 39};
#else
  const uint32_t count = 600, rows[] = {LOOP_ROWS + 1}; /* more take seconds */
#endif
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    double results[6];
    begin_counted(count, DECLARED
                  "repeat\nv4 = carry f32 v2\nv5 = lt f32 v0 v4\n"
                  "v6 = not v5\nnext v4 v4\nagain v6\n" ADDED);
    for (uint32_t k = 0; k < count; k++)
      set(fixture.entities[k], fixture.p, 0, k == rows[r] ? 200 : k % 90);
    assert_int_equal(run_counted(results), ECS_E_TURNS);
    assert_int_equal(expect_stored(count, results), rows[r]);
    finish();
  }
}

/* Each allocation of a run fails once. Some fail before the first row, some
 * behind the last one, and some between two. */
static void fail_each_allocation(const char *text) {
  const uint32_t count = MOST < 1500 ? 16 : 1500; /* few can be recorded */
  bool none = false, some = false, all = false;
  for (uint64_t n = 1;; n++) {
    double results[6];
    begin_counted(count, text);
    failing_memory_arm(&fixture.failing, n, FAIL_ONWARD);
    ecs_Status status = run_counted(results);
    if (failing_memory_disarm(&fixture.failing) == 0) {
      must(status);
      finish();
      break;
    }
    assert_int_equal(status, ECS_E_MEMORY);
    uint32_t rows = expect_stored(count, results);
    none = none || rows == 0;
    all = all || rows == count;
    some = some || (rows > 0 && rows < count);
    finish();
  }
  assert_true(none);
  assert_true(all);
  assert_true(some);
}

TEST(a_lack_of_memory_leaves_the_totals_of_stored_rows) {
  fail_each_allocation(DECLARED ADDED "add \"T\"\n");
  fail_each_allocation(DECLARED
                       "part \"V\"\ngive \"V\" \"x\" v0\nv4 = spawn\n" ADDED);
}

/* A call that is refused writes nothing. */
TEST(a_refused_run_leaves_all_totals) {
  double results[6];
  ecs_Cursor cursor;
  begin_counted(10, DECLARED ADDED);
  must(ecs_query_begin(fixture.query, ECS_BATCH_WHOLE, &cursor));
  assert_int_equal(run_counted(results), ECS_E_ACCESS);
  ecs_cursor_discard(&cursor);
  assert_memory_equal(results, own, sizeof own);
  assert_int_equal(expect_stored(10, results), 0);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reductions_do_not_depend_on_tables),
      cmocka_unit_test(many_additions_keep_their_order),
      cmocka_unit_test(reductions_have_these_values),
      cmocka_unit_test(ordered_reductions_take_rows_in_order),
      cmocka_unit_test(an_endless_row_leaves_the_totals_of_others),
      cmocka_unit_test(a_lack_of_memory_leaves_the_totals_of_stored_rows),
      cmocka_unit_test(a_refused_run_leaves_all_totals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
