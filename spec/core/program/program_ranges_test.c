/* program_ranges_test.c: which values of a program are known whole numbers.
 *
 * program_differential_test.c tests what is made of them.
 */
#include <math.h>

#include "test_case.h"
#include "program/program_ranges.h"
#include "rig_fixture.h"

#define VALUES 32u

static ecs_Program *program;
static WholeRange ranges[VALUES];

#define COLUMNS                                                            \
  "column c0 \"N\" \"i32\" i32 write\ncolumn c1 \"N\" \"u8\" u8 read\n"    \
  "column c2 \"N\" \"f64\" f64 write\ncolumn c3 \"N\" \"f32\" f32 write\n" \
  "uniform u0 number\nv0 = load f64 c0\nv1 = load f64 c1\n"                \
  "v2 = load f64 c2\nv3 = uniform f64 u0\n"

/* v0 is an i32, v1 a u8, v2 and v3 are any numbers. */
static void find(const char *rest) {
  program = rig_program(COLUMNS, rest);
  assert_in_range(program->value_count, 1, VALUES);
  ranges_find(program, ranges);
}

static void expect(uint32_t value, double least, double greatest) {
  if (!range_is_known(ranges[value]) || ranges[value].least != least ||
      ranges[value].greatest != greatest)
    fail_msg("v%u: %g .. %g, not %g .. %g", value, ranges[value].least,
             ranges[value].greatest, least, greatest);
}

static void expect_unknown(uint32_t value) {
  if (range_is_known(ranges[value]))
    fail_msg("v%u: %g .. %g", value, ranges[value].least,
             ranges[value].greatest);
}

TEST(is_known_of_fields_and_constants) {
  find(
      "v4 = constant f64 -3\nv5 = constant f64 0.5\nv6 = constant f64 nan\n"
      "v7 = constant f64 inf\nv8 = constant f64 1e300\n"
      "v9 = constant f32 16777218\nv10 = constant bool true\n");
  expect(0, -2147483648.0, 2147483647.0);
  expect(1, 0, 255);
  expect(4, -3, -3);
  for (uint32_t v = 5; v <= 10; v++) expect_unknown(v);
  expect_unknown(2);
  expect_unknown(3);
  ecs_program_destroy(program);
}

TEST(follows_arithmetic_on_whole_numbers) {
  find(
      "v4 = constant f64 -3\nv5 = add f64 v1 v4\nv6 = sub f64 v4 v1\n"
      "v7 = mul f64 v1 v4\nv8 = neg f64 v5\nv9 = abs f64 v5\n"
      "v10 = min f64 v1 v4\nv11 = max f64 v5 v6\nv12 = lt f64 v1 v4\n"
      "v13 = select f64 v12 v1 v4\nv14 = floor f64 v5\nv15 = mod f64 v0 v4\n"
      "v16 = constant f64 8\nv17 = mod f64 v0 v16\nv18 = div f64 v1 v16\n"
      "v19 = add f64 v1 v2\nv20 = mod f64 v1 v5\nv21 = mul f64 v0 v0\n"
      "v22 = mod f64 v2 v16\nv23 = select f64 v12 v1 v2\n");
  expect(5, -3, 252);
  expect(6, -258, -3);
  expect(7, -765, 0);
  expect(8, -252, 3);
  expect(9, 0, 252);
  expect(10, -3, -3);
  expect(11, -3, 252);
  expect_unknown(12);
  expect(13, -3, 255);
  expect(14, -3, 252);
  expect(15, -2, 0);
  expect(17, 0, 7);
  for (uint32_t v = 18; v <= 23; v++) expect_unknown(v);
  ecs_program_destroy(program);
}

TEST(ends_where_a_type_is_no_longer_exact) {
  find(
      "v4 = convert f32 v1\nv5 = convert f32 v0\nv6 = mul f32 v4 v4\n"
      "v7 = mul f32 v6 v4\nv8 = mul f32 v7 v4\nv9 = convert f64 v6\n");
  expect(4, 0, 255);
  expect_unknown(5);
  expect(6, 0, 65025);
  expect(7, 0, 16581375);
  expect_unknown(8);
  expect(9, 0, 65025);
  ecs_program_destroy(program);
}

TEST(is_cut_by_what_a_field_holds) {
  find(
      "v4 = quantize i8 f64 v2\nv5 = quantize i8 f64 v1\n"
      "v6 = constant f64 1000\nv7 = add f64 v1 v6\nv8 = quantize i8 f64 v7\n"
      "v9 = quantize f64 f64 v7\nv10 = quantize f32 f64 v7\n"
      "v11 = quantize f32 f64 v0\nv12 = quantize f64 f64 v2\n");
  expect(4, -128, 127);
  expect(5, 0, 127);
  expect(8, 127, 127);
  expect(9, 1000, 1255);
  expect(10, 1000, 1255);
  expect_unknown(11);
  expect_unknown(12);
  ecs_program_destroy(program);
}

TEST(fits_the_types_that_hold_it) {
  const WholeRange byte = {0, 255}, none = {1, 0}, one_more = {0, 256};
  assert_true(range_fits(byte, ECS_U8));
  assert_false(range_fits(byte, ECS_I8));
  assert_true(range_fits(byte, ECS_I16));
  assert_true(range_fits(byte, ECS_U32));
  assert_false(range_fits(byte, ECS_F32));
  assert_false(range_fits(byte, ECS_BOOL));
  assert_false(range_fits(none, ECS_I32));
  assert_false(range_fits(one_more, ECS_U8));
  assert_false(range_fits((WholeRange){-1, 0}, ECS_U8));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(is_known_of_fields_and_constants, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(follows_arithmetic_on_whole_numbers,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(ends_where_a_type_is_no_longer_exact,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(is_cut_by_what_a_field_holds, set_up,
                                      tear_down),
      cmocka_unit_test(fits_the_types_that_hold_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
