/* vm_ahead_test.c: rows that are computed behind an exit.
 *
 * That parts do what masks do, sums and changes among it, is in vm_part_test.c.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test_case.h"
#include "api/for_bindings.h"
#include "program/vm_ahead.h"
#include "program_fixture.h"

/* x grows by u0; rows whose y is not 0 take the exit. Where x < 0, y becomes
 * 5. */
#define DECLARED                                                       \
  "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 write\n" \
  "uniform u0 number\n"
#define LEAVING                                               \
  "v0 = load f32 c0\nv1 = load f32 c1\nv2 = constant f32 0\n" \
  "v3 = uniform f32 u0\nv4 = eq f32 v1 v2\nv5 = not v4\nexit v5\n"
#define MOVING                                           \
  "v6 = add f32 v0 v3\nstore c0 v6\nv7 = lt f32 v0 v2\n" \
  "v8 = constant f32 5\nstore c1 v8 v7\n"

#define ROWS 24u

static ecs_Cursor cursor;
static ecs_Batch batch;
static double step;
static ecs_ProgramCall call;
static ProgramPart part;

/* Rows 3, 4 and 10 take the exit; of the others, those from 20 on have an x
 * below 0. The cursor is open, and has its only batch. */
static void open_rows(const char *text) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}};
  ask(terms, 1);
  make(text);
  spawn(ROWS, 0, 1);
  for (uint32_t k = 20; k < ROWS; k++)
    set(fixture.entities[k], fixture.p, 0, -1.0 * k);
  set(fixture.entities[3], fixture.p, 1, 1);
  set(fixture.entities[4], fixture.p, 1, 1);
  set(fixture.entities[10], fixture.p, 1, 1);
  step = 0.5;
  call =
      (ecs_ProgramCall){.uniforms = &step, .uniform_count = 1, .random_key = 7};
  part = (ProgramPart){.batch = &batch, .changed = true};
  must(ecs_query_begin(fixture.query, ECS_BATCH_WHOLE, &cursor));
  assert_true(ecs_cursor_next(&cursor, &batch));
  assert_int_equal(batch.count, ROWS);
}

static void close_rows(void) {
  must(ecs_cursor_end(&cursor));
  finish();
}

static double x_of(uint32_t row) { return ((float *)batch.columns[0])[row]; }
static double y_of(uint32_t row) { return ((float *)batch.columns[1])[row]; }
static double x_before(uint32_t row) { return row < 20 ? row : -1.0 * row; }

/* Runs a part from a row on; it ends before row end, and so many rows leave. */
static void run_from(uint32_t first, uint32_t end, uint32_t taken) {
  part.first = first;
  if (!ecs_program_go_on(fixture.program, &call, &part))
    must(ecs_program_run_part(fixture.program, &call, &part));
  assert_int_equal(part.end, end);
  assert_int_equal(part.taken, taken);
}

static void assert_moved(uint32_t first, uint32_t end, double by) {
  for (uint32_t k = first; k < end; k++) {
    assert_true(x_of(k) == x_before(k) + by);
    assert_true(y_of(k) ==
                (k < 20 || by == 0 ? (k == 3 || k == 4 || k == 10) : 5));
  }
}

static bool is_ahead(void) { return fixture.program->ahead->rows > 0; }

TEST(rows_are_stored_once_and_not_before_their_turn) {
  open_rows(DECLARED LEAVING MOVING);
  run_from(0, 3, 2);
  assert_true(is_ahead());
  assert_moved(0, 3, 0.5);
  assert_moved(3, ROWS, 0);
  part.first = 5;
  assert_true(ecs_program_go_on(fixture.program, &call, &part));
  assert_true(part.end == 10 && part.taken == 1);
  assert_true(is_ahead());
  assert_moved(5, 10, 0.5);
  assert_moved(10, ROWS, 0);
  part.first = 11; /* no row behind takes the exit */
  assert_false(ecs_program_go_on(fixture.program, &call, &part));
  run_from(11, ROWS, 0);
  assert_false(is_ahead());
  assert_moved(0, 3, 0.5);
  assert_moved(3, 5, 0);
  assert_moved(5, 10, 0.5);
  assert_moved(10, 11, 0);
  assert_moved(11, ROWS, 0.5);
  close_rows();
}

TEST(other_uniforms_drop_the_rest) {
  open_rows(DECLARED LEAVING MOVING);
  run_from(0, 3, 2);
  step = 0.25;
  part.changed = true;
  run_from(5, 10, 1);
  assert_moved(5, 10, 0.25);
  step = 0.75;
  part.changed = true;
  run_from(11, ROWS, 0);
  assert_moved(0, 3, 0.5);
  assert_moved(11, ROWS, 0.75);
  close_rows();
}

/* A caller may take fewer rows than leave, and more. */
TEST(the_caller_may_go_on_anywhere) {
  open_rows(DECLARED LEAVING MOVING);
  run_from(0, 3, 2);
  run_from(4, 4, 1);
  run_from(7, 10, 1);
  assert_moved(4, 7, 0);
  assert_moved(7, 10, 0.5);
  run_from(10, 10, 1);
  run_from(5, 10, 1); /* back: computed anew, as rows 7 to 9 were stored */
  assert_moved(5, 7, 0.5);
  assert_moved(7, 10, 1);
  run_from(12, ROWS, 0);
  assert_moved(10, 12, 0);
  assert_moved(12, ROWS, 0.5);
  close_rows();
}

/* Another key of random numbers, or another part of the same program. */
TEST(what_was_computed_for_another_run_is_dropped) {
  open_rows(DECLARED LEAVING MOVING);
  run_from(0, 3, 2);
  call.random_key = 8;
  run_from(5, 10, 1);
  assert_moved(5, 10, 0.5);
  assert_true(fixture.program->ahead->random_key == 8);
  assert_true(fixture.program->ahead->first == 5);
  ProgramPart other = {.batch = &batch, .changed = true, .first = 15};
  double far = 100;
  const ecs_ProgramCall others = {.uniforms = &far, .uniform_count = 1};
  must(ecs_program_run_part(fixture.program, &others, &other));
  assert_true(x_of(15) == 115);
  run_from(11, 20, 4); /* it gave them a y */
  assert_moved(11, 15, 0.5);
  assert_true(x_of(15) == 115.5);
  close_rows();
}

static void assert_ahead(const char *text, bool is) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}};
  ask(terms, 1);
  make(text);
  assert_true((fixture.program->ahead != NULL) == is);
  finish();
}

TEST(only_what_follows_from_rows_is_computed_ahead) {
  assert_ahead(DECLARED LEAVING MOVING, true);
  assert_ahead(DECLARED LEAVING MOVING "add \"T\"\n", true);
  assert_ahead(DECLARED
               "v0 = load f32 c0\nv1 = uniform f32 u0\n"
               "v2 = add f32 v0 v1\nstore c0 v2\n",
               false);
  assert_ahead(DECLARED LEAVING MOVING
               "v9 = self\nv10 = has v9 \"S\"\nadd \"T\" v10\n",
               false);
  assert_ahead(DECLARED LEAVING MOVING
               "v9 = self\nv10 = alive v9\nadd \"T\" v10\n",
               false);
  assert_ahead(DECLARED LEAVING MOVING "v9 = self\nadd_to v9 \"T\"\n", false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_stored_once_and_not_before_their_turn),
      cmocka_unit_test(other_uniforms_drop_the_rest),
      cmocka_unit_test(the_caller_may_go_on_anywhere),
      cmocka_unit_test(what_was_computed_for_another_run_is_dropped),
      cmocka_unit_test(only_what_follows_from_rows_is_computed_ahead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
