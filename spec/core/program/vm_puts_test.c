/* vm_puts_test.c: what rows put in arrays of the world, and what they see.
 *
 * program_differential_test.c has random programs that put. Here are the edges.
 */
#include <math.h>

#include "ecs_array.h"
#include "test_case.h"
#include "program_fixture.h"

/* A world with one array, or two, of a type. */
static ecs_Array *arrays[2];

static void add_array(uint32_t k, ecs_Scalar type, uint32_t size) {
  static const char *const names[] = {"one", "two"};
  const ecs_ArrayDescription how = {names[k], type, 1, {size, 0, 0}};
  must(ecs_array(fixture.world, &how, &arrays[k]));
}

static void begin(ecs_Scalar type, uint32_t size, const char *text) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  add_array(0, type, size);
  add_array(1, type, size);
  make(text);
}

/* Runs with these two arrays as a0 and a1. */
static ecs_Status run_on(const ecs_Array *one, const ecs_Array *two) {
  const ecs_ProgramArray given[] = {{.array = one}, {.array = two}};
  ecs_ProgramStop stop;
  const ecs_ProgramCall call = {.arrays = given,
                                .array_count = fixture.program->array_count,
                                .stop = &stop};
  return ecs_program_run(fixture.program, &call);
}

static double element(uint32_t k, uint32_t index) {
  ecs_ArrayDescription how;
  ecs_array_describe(arrays[k], &how);
  const char *elements = ecs_array_view(arrays[k])->elements;
  return ecs_scalar_load(how.type,
                         elements + index * ecs_scalar_bytes(how.type));
}

#define COLUMNS                                                             \
  "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 write\n"      \
  "array a0 of %s\narray a1 of %s\nv0 = load f32 c0\nv1 = convert f64 v0\n" \
  "v2 = load f32 c1\nv3 = convert f64 v2\n"

static const char *text_of(const char *type, const char *rest) {
  static char text[1000];
  int length = snprintf(text, sizeof text, COLUMNS, type, type);
  snprintf(text + length, sizeof text - (size_t)length, "%s", rest);
  return text;
}

TEST(keys_without_an_element_store_nothing) {
  static const double keys[] = {0,   -0.0, 0.5,      1.5,       6,   -1,
                                NAN, 1e30, HUGE_VAL, -HUGE_VAL, 5.5, -1e-40};
  const uint32_t count = sizeof keys / sizeof *keys;
  begin(ECS_F32, 5, text_of("f32", "put a0 v1 v2\n"));
  spawn(count + 2, 0, 1);
  for (uint32_t k = 0; k < count + 2; k++) {
    set(fixture.entities[k], fixture.p, 0, k < count ? keys[k] : 1);
    set(fixture.entities[k], fixture.p, 1, k + 100.0);
  }
  set(fixture.entities[count], fixture.p, 0, 5);
  must(run_on(arrays[0], arrays[1]));
  assert_true(element(0, 0) == count + 101);
  for (uint32_t k = 1; k < 4; k++) assert_true(element(0, k) == 0);
  assert_true(element(0, 4) == count + 100);
  finish();
}

/* Numbers become those of the type as in columns; both types of values. */
TEST(numbers_are_stored_as_in_columns) {
  static const double numbers[] = {
      0,     -0.0,     1.9,          -1.9, 127.5, 128, -129,     256,
      65536, -32769.5, 2147483648.0, 5e9,  -5e9,  NAN, HUGE_VAL, -HUGE_VAL};
  const uint32_t count = sizeof numbers / sizeof *numbers;
  for (ecs_Scalar type = ECS_F32; type < ECS_BOOL; type++)
    for (uint32_t wide = 0; wide < 2; wide++) {
      begin(type, count,
            text_of(ecs_scalar_name(type),
                    wide ? "put a0 v1 v3\n" : "put a0 v1 v2\n"));
      spawn(count, 0, 1);
      for (uint32_t k = 0; k < count; k++) {
        set(fixture.entities[k], fixture.p, 0, k + 1);
        set(fixture.entities[k], fixture.p, 1, numbers[k]);
      }
      must(run_on(arrays[0], arrays[1]));
      for (uint32_t k = 0; k < count; k++) {
        uint64_t want = 0, have = 0;
        size_t bytes = ecs_scalar_bytes(type);
        ecs_scalar_convert(type, &want, (double)(float)numbers[k]);
        memcpy(&have,
               (const char *)ecs_array_view(arrays[0])->elements + k * bytes,
               bytes);
        assert_true(have == want);
      }
      finish();
    }
}

TEST(bools_are_stored_where_the_mask_holds) {
  begin(ECS_BOOL, 6,
        text_of("bool",
                "v4 = constant f64 1\nv5 = add f64 v1 v4\n"
                "v6 = lt f64 v3 v4\nv7 = not v6\n"
                "v8 = constant f64 3\nv9 = lt f64 v1 v8\n"
                "put a0 v5 v6 v9\nput a1 v5 v7\n"));
  spawn(6, 0, 1);
  for (uint32_t k = 0; k < 6; k++)
    set(fixture.entities[k], fixture.p, 1, k % 2);
  must(run_on(arrays[0], arrays[1]));
  for (uint32_t k = 0; k < 6; k++) {
    assert_true(element(0, k) == (k < 3 && k % 2 == 0));
    assert_true(element(1, k) == (k % 2 == 1));
  }
  finish();
}

/* All of a row comes before all of the next one, in one array. */
TEST(the_last_row_wins) {
  begin(ECS_I32, 4,
        text_of("i32",
                "v4 = constant f64 2\nv5 = mod f64 v1 v4\n"
                "v6 = constant f64 1\nv7 = add f64 v5 v6\n"
                "v8 = sub f64 v4 v5\nput a0 v7 v1\nput a1 v8 v3\n"));
  spawn(MOST, 0, 1);
  for (uint32_t k = 0; k < MOST; k++)
    set(fixture.entities[k], fixture.p, 1, 1000.0 + k);
  must(run_on(arrays[0], arrays[0]));
  /* The last row is odd: it puts itself at 2 and 1000 more at 1. */
  assert_true(element(0, 1) == MOST - 1);
  assert_true(element(0, 0) == MOST + 999);
  must(run_on(arrays[0], arrays[1]));
  assert_true(element(0, 0) == MOST - 2);
  assert_true(element(1, 0) == MOST + 999 && element(1, 1) == MOST + 998);
  finish();
}

static const char *const count_up =
    "v4 = constant f64 %u\nv5 = mod f64 v1 v4\nv6 = constant f64 1\n"
    "v7 = add f64 v5 v6\nv8 = at f64 a0 v7\nv9 = add f64 v8 v6\n"
    "put a0 v7 v9\nv10 = convert f32 v8\nstore c1 v10\n";

/* Each row sees the rows before it, however many meet. */
TEST(rows_count_up_where_they_meet) {
  static const uint32_t meetings[] = {1, 2, 3, 7, 30};
  for (size_t m = 0; m < sizeof meetings / sizeof *meetings; m++) {
    char rest[400];
    uint32_t cells = meetings[m];
    snprintf(rest, sizeof rest, count_up, cells);
    begin(ECS_U32, 31, text_of("u32", rest));
    spawn(MOST, 0, 1);
    must(run_on(arrays[0], arrays[1]));
    for (uint32_t k = 0; k < MOST; k++)
      assert_true(get(fixture.entities[k], fixture.p, 1) == k / cells);
    for (uint32_t c = 0; c < 31; c++)
      assert_true(element(0, c) ==
                  (c < cells ? (MOST - c + cells - 1) / cells : 0));
    finish();
  }
}

/* Keys that follow from elements, and two declarations of one array. */
TEST(keys_follow_from_elements) {
  begin(ECS_U16, 5,
        text_of("u16",
                "v4 = constant f64 1\nv5 = at f64 a0 v4\nv6 = add f64 v5 v4\n"
                "put a1 v6 v1\nput a0 v4 v6\nv7 = at f64 a1 v6\n"
                "v8 = convert f32 v7\nstore c1 v8\n"));
  spawn(4, 0, 1);
  must(run_on(arrays[0], arrays[1]));
  assert_true(element(0, 0) == 4);
  for (uint32_t k = 0; k < 4; k++) assert_true(element(1, k) == k);
  must(ecs_array_fill(arrays[0], 0));
  must(run_on(arrays[0], arrays[0]));
  /* Row 0 puts 0, then 1, at 1; row 1 puts 1 at 2, then 2 at 1; and so on. */
  static const double left[] = {4, 1, 2, 3, 0};
  for (uint32_t k = 0; k < 5; k++) assert_true(element(0, k) == left[k]);
  finish();
}

/* What older slices have marked is not taken for new when the stamps begin
 * again. */
TEST(stamps_begin_again) {
  char rest[400];
  snprintf(rest, sizeof rest, count_up, 3u);
  begin(ECS_U32, 31, text_of("u32", rest));
  const ProgramPlan *plan = fixture.program->plan;
  assert_true(plan->slices && plan->keys_are_known);
  for (uint32_t k = 0; k < ECS_PUT_MARKS; k++) plan->marks[k] = 1 + k % 3;
  plan->marks[ECS_PUT_MARKS] = UINT32_MAX;
  spawn(30, 0, 1);
  must(run_on(arrays[0], arrays[1]));
  assert_true(plan->marks[ECS_PUT_MARKS] < 40);
  for (uint32_t c = 0; c < 3; c++) assert_true(element(0, c) == 10);
  finish();
}

/* A row that takes the exit, as what it has read demands, ends the run: rows
 * before it have put, it and those behind have not. */
TEST(rows_before_an_exit_have_put) {
  begin(ECS_U8, 3,
        text_of("u8",
                "v4 = constant f64 1\nv5 = at f64 a0 v4\n"
                "v6 = add f64 v5 v4\nv7 = constant f64 5\n"
                "v8 = lt f64 v7 v6\nexit v8\nput a0 v4 v6\n"
                "v9 = constant f32 7\nstore c1 v9\n"));
  spawn(MOST, 0, 1);
  const ecs_ProgramArray given[] = {{.array = arrays[0]}, {.array = arrays[1]}};
  ecs_ProgramStop stop;
  const ecs_ProgramCall call = {
      .arrays = given, .array_count = 2, .stop = &stop};
  must(ecs_program_run(fixture.program, &call));
  assert_true(stop.row == 5 && stop.count == 1);
  assert_true(element(0, 0) == 5);
  for (uint32_t k = 0; k < MOST; k++)
    assert_true((get(fixture.entities[k], fixture.p, 1) == 7) == (k < 5));
  finish();
}

TEST(other_arrays_than_the_declared_are_refused) {
  begin(ECS_U8, 3, text_of("u8", "put a0 v1 v3\n"));
  ecs_Array *other = NULL;
  const ecs_ArrayDescription how = {"other", ECS_I8, 1, {3, 0, 0}};
  must(ecs_array(fixture.world, &how, &other));
  spawn(3, 0, 1);
  assert_int_equal(run_on(other, arrays[1]), ECS_E_ARGUMENT);
  assert_int_equal(run_on(NULL, arrays[1]), ECS_E_ARGUMENT);
  must(run_on(arrays[0], arrays[1]));
  finish();
}

static ecs_ProgramMeetings met(void) {
  ecs_ProgramMeetings meetings;
  ecs_program_meetings(fixture.program, &meetings);
  return meetings;
}

/* Counts of rows that meet say how much of the runs went row by row. */
TEST(meetings_are_counted) {
  char rest[400];
  snprintf(rest, sizeof rest, count_up, 1u);
  begin(ECS_U32, 31, text_of("u32", rest));
  spawn(MOST, 0, 1);
  ecs_ProgramMeetings meetings = met();
  assert_true(meetings.late > 0 && !meetings.late_cycles);
  assert_true(!meetings.late_keys && meetings.rows == 0);
  for (uint32_t runs = 1; runs < 3; runs++) {
    must(run_on(arrays[0], arrays[1]));
    meetings = met();
    assert_true(meetings.rows == runs * MOST && meetings.slices == 0);
    assert_true(meetings.alone == meetings.rows);
  }
  finish();
  snprintf(rest, sizeof rest, count_up, 30u);
  begin(ECS_U32, 31, text_of("u32", rest));
  spawn(8, 0, 1);
  must(run_on(arrays[0], arrays[1]));
  meetings = met();
  assert_true(meetings.rows == 8 && meetings.alone <= 8);
#ifndef ECS_TINY /* few marks, so that rows seem to meet */
  assert_true(meetings.slices == 1 && meetings.alone == 0);
#endif
  finish();
}

/* Cycles and keys are late where they follow from an array that is put in; of
 * two arrays the run decides whether rows have met. */
TEST(meetings_tell_cycles_and_keys) {
  begin(ECS_U16, 5,
        text_of("u16",
                "v4 = constant f64 1\nv5 = at f64 a0 v4\n"
                "v6 = add f64 v5 v4\nput a1 v6 v1\n"));
  spawn(4, 0, 1);
  must(run_on(arrays[0], arrays[1]));
  ecs_ProgramMeetings meetings = met();
  assert_true(meetings.late_keys && !meetings.late_cycles);
  assert_true(meetings.rows == 0);
  must(run_on(arrays[0], arrays[0]));
  meetings = met();
  assert_true(meetings.rows == 4 && meetings.alone == 4);
  finish();
  begin(ECS_F64, 5,
        text_of("f64",
                "v4 = constant f64 1\nrepeat\nv5 = carry f64 v4\n"
                "v6 = at f64 a0 v4\nv7 = add f64 v5 v6\n"
                "v8 = constant f64 3\nv9 = lt f64 v7 v8\n"
                "v10 = add f64 v7 v4\nnext v5 v10\nagain v9\n"
                "put a0 v4 v4\n"));
  spawn(4, 0, 1);
  must(run_on(arrays[0], arrays[1]));
  meetings = met();
  assert_true(meetings.late_cycles && meetings.alone == 4);
  finish();
  begin(ECS_U8, 3, text_of("u8", "put a0 v1 v3\n"));
  spawn(3, 0, 1);
  must(run_on(arrays[0], arrays[1]));
  meetings = met();
  assert_true(meetings.late == 0 && meetings.rows == 0);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_without_an_element_store_nothing),
      cmocka_unit_test(numbers_are_stored_as_in_columns),
      cmocka_unit_test(bools_are_stored_where_the_mask_holds),
      cmocka_unit_test(the_last_row_wins),
      cmocka_unit_test(rows_count_up_where_they_meet),
      cmocka_unit_test(keys_follow_from_elements),
      cmocka_unit_test(stamps_begin_again),
      cmocka_unit_test(rows_before_an_exit_have_put),
      cmocka_unit_test(meetings_are_counted),
      cmocka_unit_test(meetings_tell_cycles_and_keys),
      cmocka_unit_test(other_arrays_than_the_declared_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
