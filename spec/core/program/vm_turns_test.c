/* vm_turns_test.c: cycles of kernel programs, as they run over the rows of a
 * world: how often each row goes through, and what an endless one leaves.
 */
#include "test_case.h"
#include "program_fixture.h"

/* Adds 1 to y, x times, and x turns are made. Exits where x is below 0. */
static const char counting[] =
    "column c0 \"P\" \"x\" f32 read\n"
    "column c1 \"P\" \"y\" f32 write\n"
    "reduction r0 sum\n"
    "v0 = load f32 c0\n"
    "v1 = load f32 c1\n"
    "v2 = constant f32 0\n"
    "v3 = constant f32 1\n"
    "v4 = lt f32 v0 v2\n"
    "exit v4\n"
    "repeat\n"
    "v5 = carry f32 v1\n"
    "v6 = carry f32 v2\n"
    "v7 = lt f32 v6 v0\n"
    "while v7\n"
    "v8 = add f32 v6 v3\n"
    "v9 = add f32 v5 v3\n"
    "next v5 v9\n"
    "next v6 v8\n"
    "again\n"
    "store c1 v5\n"
    "v10 = convert f64 v6\n"
    "sum r0 v10\n"
    "add \"T\"\n";

static ecs_ProgramStop stop;
static double sum;

static void begin(uint32_t count) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(counting);
  spawn(count, 0, 1);
}

static ecs_Status count_turns(uint64_t first) {
  const ecs_ProgramCall call = {
      .reductions = &sum, .reduction_count = 1, .first = first, .stop = &stop};
  sum = -1;
  return ecs_program_run(fixture.program, &call);
}

static void assert_y(uint32_t row, double y) {
  assert_true(get(fixture.entities[row], fixture.p, 1) == y);
}

/* Rows make as many turns as they need, next to others that make more. */
TEST(rows_leave_one_by_one) {
  uint32_t count = MOST < 1500 ? MOST : 1500;
  double wanted = 0;
  begin(count);
  for (uint32_t k = 0; k < count; k++) {
    set(fixture.entities[k], fixture.p, 0, k * 7 % 23);
    wanted += k * 7 % 23;
  }
  must(count_turns(0));
  assert_true(sum == wanted);
  assert_int_equal(stop.count, 0);
  assert_int_equal(stop.line, 0);
  for (uint32_t k = 0; k < count; k++) assert_y(k, k * 7 % 23);
  finish();
}

/* So many turns are made, and not one more. */
TEST(there_is_a_limit) {
  begin(3);
  for (uint32_t row = 0; row < 3; row++)
    set(fixture.entities[row], fixture.p, 0, row == 1 ? ECS_TURN_LIMIT : 2);
  must(count_turns(0));
  assert_true(sum == ECS_TURN_LIMIT + 4.0);
  assert_y(1, ECS_TURN_LIMIT);
  /* One more is no f32 where the limit is 2^24. */
  set(fixture.entities[1], fixture.p, 0,
      ECS_TURN_LIMIT < 1000 ? ECS_TURN_LIMIT + 1.0 : 3e38);
  assert_int_equal(count_turns(0), ECS_E_TURNS);
  finish();
}

/* The rows before an endless one are stored; it and the rows behind are as they
 * were; nothing is recorded, and no sum is written. */
TEST(an_endless_cycle_ends_the_run) {
#ifdef ECS_TINY
  const uint32_t rows[] = {0, 1, 2, 17, 38, 39};
#else
  const uint32_t rows[] = {LOOP_ROWS + 1}; /* more would take seconds */
#endif
  uint32_t count = MOST < 600 ? MOST : 600;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    if (rows[k] >= count) continue;
    begin(count);
    for (uint32_t row = 0; row < count; row++)
      set(fixture.entities[row], fixture.p, 0, row == rows[k] ? 3e38 : 2);
    assert_int_equal(count_turns(0), ECS_E_TURNS);
    assert_true(sum == -1);
    assert_int_equal(stop.line, 10);
    assert_int_equal(stop.row, rows[k]);
    assert_true(stop.endless == fixture.entities[rows[k]]);
    for (uint32_t row = 0; row < count; row++) {
      assert_y(row, row < rows[k] ? 2 : 0);
      assert_false(ecs_has(fixture.world, fixture.entities[row], fixture.t));
    }
    finish();
  }
}

/* Rows that make more turns than blocks begin with, among others, with endless
 * ones behind them in some runs. */
TEST(rows_make_many_turns_together) {
  static const uint32_t turns[] = {0,
                                   1,
                                   ECS_JOINT_TURNS - 1,
                                   ECS_JOINT_TURNS,
                                   ECS_JOINT_TURNS + 1,
                                   ECS_JOINT_TURNS + ECS_JOINT_TURNS / 2,
                                   ECS_TURN_LIMIT};
#ifdef ECS_TINY
  const uint32_t runs = 400, count = MOST, kinds = 7;
#else
  const uint32_t runs = 6, count = 12, kinds = 6;
#endif
  uint32_t random = 1;
  for (uint32_t k = 0; k < runs; k++) {
    uint32_t endless = count;
    double wanted = 0, made[MOST];
    begin(count);
    for (uint32_t row = 0; row < count; row++) {
      random = random * 1664525u + 1013904223u;
      uint32_t kind = k % 3 == 0 ? 5 : (random >> 24) % kinds;
      made[row] = turns[kind];
      if (k % 2 == 1 && endless == count && (random >> 8) % count == 0) {
        endless = row;
        made[row] = 3e38;
      }
      set(fixture.entities[row], fixture.p, 0, made[row]);
      wanted += made[row];
    }
    if (endless == count) {
      must(count_turns(0));
      assert_true(sum == wanted);
    } else {
      assert_int_equal(count_turns(0), ECS_E_TURNS);
      assert_int_equal(stop.row, endless);
      assert_true(sum == -1);
    }
    for (uint32_t row = 0; row < count; row++)
      assert_y(row, row < endless ? made[row] : 0);
    finish();
  }
}

/* A block makes the turns of two cycles, of which each row makes one part: none
 * is endless, though together they make more than a row may. */
TEST(a_block_makes_more_turns_than_a_row) {
  const uint32_t most = ECS_TURN_LIMIT < 100000 ? ECS_TURN_LIMIT - 8 : 3u << 20;
  const uint32_t count = 10;
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(
      "column c0 \"P\" \"x\" f32 write\n"
      "column c1 \"P\" \"y\" f32 write\n"
      "v0 = load f32 c0\nv1 = load f32 c1\n"
      "v2 = constant f32 0\nv3 = constant f32 1\n"
      "repeat\nv4 = carry f32 v2\nv5 = lt f32 v4 v0\nwhile v5\n"
      "v6 = add f32 v4 v3\nnext v4 v6\nagain\n"
      "repeat\nv7 = carry f32 v4\nv8 = carry f32 v2\nv9 = lt f32 v8 v1\n"
      "while v9\nv10 = add f32 v7 v3\nv11 = add f32 v8 v3\nnext v7 v10\n"
      "next v8 v11\nagain\nstore c0 v7\n");
  spawn(count, 0, 1);
  for (uint32_t row = 0; row < count; row++) {
    set(fixture.entities[row], fixture.p, row % 2, most);
    set(fixture.entities[row], fixture.p, 1 - row % 2, 5);
  }
  must(run(NULL, NULL));
  for (uint32_t row = 0; row < count; row++)
    assert_true(get(fixture.entities[row], fixture.p, 0) == most + 5.0);
  finish();
}

/* Whichever row comes first ends the run: one that takes the exit, or one that
 * is endless. */
TEST(an_exit_before_an_endless_row_is_taken) {
  begin(30);
  for (uint32_t row = 0; row < 30; row++)
    set(fixture.entities[row], fixture.p, 0,
        row == 9    ? -1
        : row == 20 ? 3e38
                    : 1);
  must(count_turns(0));
  assert_int_equal(stop.row, 9);
  assert_int_equal(stop.count, 1);
  for (uint32_t row = 0; row < 9; row++) assert_y(row, 1);
  assert_int_equal(count_turns(10), ECS_E_TURNS);
  assert_int_equal(stop.row, 20);
  assert_true(stop.endless == fixture.entities[20]);
  finish();
}

/* Carries take the values of the turn that ends, whatever the order of next. */
TEST(carries_change_places) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(
      "column c0 \"P\" \"x\" f32 write\n"
      "column c1 \"P\" \"y\" f32 write\n"
      "v0 = load f32 c0\n"
      "v1 = load f32 c1\n"
      "v2 = constant bool true\n"
      "v3 = constant bool false\n"
      "repeat\n"
      "v4 = carry f32 v0\n"
      "v5 = carry f32 v1\n"
      "v6 = carry bool v2\n"
      "next v4 v5\n"
      "next v5 v4\n"
      "next v6 v3\n"
      "again v6\n"
      "store c0 v5\n"
      "store c1 v4\n");
  spawn(MOST < 700 ? MOST : 700, 0, 1);
  for (uint32_t k = 0; k < 20; k++) set(fixture.entities[k], fixture.p, 1, 50);
  must(run(NULL, NULL));
  /* Two turns: the places were changed twice, and once by the stores. */
  for (uint32_t k = 0; k < 20; k++) {
    assert_true(get(fixture.entities[k], fixture.p, 0) == 50);
    assert_true(get(fixture.entities[k], fixture.p, 1) == k);
  }
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_leave_one_by_one),
      cmocka_unit_test(there_is_a_limit),
      cmocka_unit_test(an_endless_cycle_ends_the_run),
      cmocka_unit_test(rows_make_many_turns_together),
      cmocka_unit_test(a_block_makes_more_turns_than_a_row),
      cmocka_unit_test(an_exit_before_an_endless_row_is_taken),
      cmocka_unit_test(carries_change_places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
