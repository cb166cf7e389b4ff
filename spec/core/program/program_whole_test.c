/* program_whole_test.c: which values of a program become whole numbers.
 *
 * program_differential_test.c shows that all bits are the same. This test shows
 * which values are whole, and that those are not of which more is seen.
 */
#include "test_case.h"
#include "program/program_whole.h"
#include "rig_fixture.h"

static ecs_Program *program;

/* v0 and v1 are i32, v2 is an i8. */
#define COLUMNS                                                            \
  "column c0 \"N\" \"i32\" i32 write\ncolumn c1 \"M\" \"i32\" i32 read\n"  \
  "column c2 \"N\" \"i8\" i8 write\ncolumn c3 \"N\" \"f64\" f64 write\n"   \
  "column c4 \"N\" \"f32\" f32 write\ncolumn c5 \"N\" \"u32\" u32 write\n" \
  "uniform u0 number\nv0 = load f64 c0\nv1 = load f64 c1\nv2 = load f64 c2\n"

static void make(const char *rest) { program = rig_program(COLUMNS, rest); }

/* How many instructions of the plan take or make whole numbers. */
static uint32_t count(Operation operation) {
  const ecs_Program *planned = program->whole;
  uint32_t found = 0;
  for (uint32_t k = 0; planned != NULL && k < planned->code_count; k++) {
    const Instruction *ins = &planned->code[k];
    bool takes = ins->operands[0] != NO_VALUE &&
                 planned->types[ins->operands[0]] == VALUE_WHOLE;
    found += ins->operation == operation && (ins->type == VALUE_WHOLE || takes);
  }
  return found;
}

static void assert_no_whole(const char *rest) {
  make(rest);
  if (program->whole != NULL) fail_msg("whole: %s", rest);
}

TEST(a_timer_has_no_conversion) {
  make(
      "v3 = constant f64 1\nv4 = sub f64 v0 v3\nv5 = quantize i32 f64 v4\n"
      "v6 = constant f64 0\nv7 = le f64 v5 v6\nv8 = constant f64 60\n"
      "v9 = select f64 v7 v8 v5\nstore c0 v9\n");
  assert_int_equal(count(OPERATION_MINUS), 1);
  assert_int_equal(count(OPERATION_LESS_EQUAL), 1);
  assert_int_equal(count(OPERATION_SELECT), 1);
  assert_int_equal(count(OPERATION_QUANTIZE), 0);
  assert_int_equal(count(OPERATION_CONVERT), 0);
  assert_int_equal(program->plan->step_count, 3);
}

/* A sum that a small field takes ends at its limits, in one step. */
TEST(small_fields_limit_their_sums) {
  make(
      "v3 = constant f64 5\nv4 = add f64 v2 v3\nv5 = quantize i8 f64 v4\n"
      "store c2 v5\n");
  assert_int_equal(count(OPERATION_PLUS), 1);
  assert_int_equal(count(OPERATION_QUANTIZE), 0);
  assert_int_equal(program->plan->step_count, 3);
  /* Not where the sum is used once more. */
  make(
      "v3 = constant f64 5\nv4 = add f64 v2 v3\nv5 = quantize i8 f64 v4\n"
      "store c2 v5\nstore c0 v4\n");
  assert_int_equal(count(OPERATION_QUANTIZE), 1);
}

TEST(programs_without_integers_stay) {
  program = rig_program(
      "column c0 \"N\" \"f64\" f64 write\n",
      "v0 = load f64 c0\nv1 = quantize i32 f64 v0\nv2 = abs f64 v1\n"
      "v3 = add f64 v1 v2\nstore c0 v3\n");
  assert_null(program->whole);
}

TEST(what_costs_more_stays) {
  /* Loads that are only taken as numbers. */
  assert_no_whole("v3 = div f64 v0 v1\nstore c3 v3\n");
  assert_no_whole(
      "v3 = sqrt f64 v0\nv4 = sqrt f64 v1\nv5 = add f64 v0 v1\n"
      "v6 = mul f64 v3 v4\nv7 = mul f64 v5 v6\nstore c3 v7\n");
}

/* What is used in both ways is converted once. */
TEST(values_are_converted_once) {
  make(
      "v3 = constant f64 1\nv4 = sub f64 v0 v3\nv5 = quantize i32 f64 v4\n"
      "v6 = lt f64 v5 v1\nv7 = select f64 v6 v5 v1\nstore c0 v7\n"
      "v8 = sqrt f64 v7\nv9 = exp f64 v7\nv10 = add f64 v8 v9\n"
      "store c3 v10\n");
  assert_int_equal(count(OPERATION_CONVERT), 1);
  assert_int_equal(count(OPERATION_SELECT), 1);
}

/* 0 * -3 is -0. A field of floats shows that, one of integers does not. */
TEST(signs_of_zeros_that_are_seen_are_kept) {
  make(
      "v3 = constant f64 -3\nv4 = mul f64 v2 v3\nv5 = max f64 v4 v1\n"
      "store c3 v5\n");
  assert_int_equal(count(OPERATION_TIMES), 0);
  make(
      "v3 = constant f64 -3\nv4 = mul f64 v2 v3\nv5 = max f64 v4 v1\n"
      "store c0 v5\n");
  assert_int_equal(count(OPERATION_TIMES), 1);
  make("v3 = neg f64 v2\nv4 = max f64 v3 v1\nv5 = neg f64 v4\nstore c3 v5\n");
  assert_int_equal(count(OPERATION_NEGATE), 0);
  make("v3 = neg f64 v2\nv4 = max f64 v3 v1\nv5 = abs f64 v4\nstore c0 v5\n");
  assert_int_equal(count(OPERATION_NEGATE), 1);
  /* -0 * 2 is -0. */
  make(
      "v3 = constant f64 2\nv4 = neg f64 v2\nv5 = mul f64 v4 v3\n"
      "v6 = max f64 v5 v1\nstore c3 v6\n");
  assert_int_equal(count(OPERATION_TIMES), 0);
  /* 0 - v is never -0. */
  make(
      "v3 = constant f64 0\nv4 = sub f64 v3 v2\nv5 = max f64 v4 v1\n"
      "store c3 v5\n");
  assert_int_equal(count(OPERATION_MINUS), 1);
}

TEST(what_is_beyond_is_kept_where_it_is_seen) {
  /* The sum has 33 bits. */
  make("v3 = add f64 v0 v1\nstore c0 v3\n");
  assert_int_equal(count(OPERATION_PLUS), 1);
  assert_no_whole("v3 = add f64 v0 v1\nstore c3 v3\n");
  make("v3 = add f64 v0 v1\nstore c5 v3\n");
  assert_int_equal(count(OPERATION_PLUS), 0);
  assert_no_whole("v3 = add f64 v0 v1\nv4 = sub f64 v3 v1\nstore c0 v4\n");
  make(
      "v3 = add f64 v0 v1\nv4 = constant f64 100\nv5 = min f64 v3 v4\n"
      "store c0 v5\n");
  assert_int_equal(count(OPERATION_PLUS), 1);
  /* A number at the limit would be equal to all that are beyond. */
  make(
      "v3 = add f64 v0 v1\nv4 = constant f64 2147483646\nv5 = le f64 v3 v4\n"
      "store c0 v3 v5\n");
  assert_int_equal(count(OPERATION_LESS_EQUAL), 1);
  make(
      "v3 = add f64 v0 v1\nv4 = constant f64 2147483647\nv5 = le f64 v3 v4\n"
      "store c0 v3 v5\n");
  assert_int_equal(count(OPERATION_LESS_EQUAL), 0);
}

/* They are natural numbers, which end at 0. */
TEST(fields_of_u32_have_a_type_of_their_own) {
  make(
      "v3 = load f64 c5\nv4 = constant f64 1\nv5 = sub f64 v3 v4\n"
      "v6 = quantize u32 f64 v5\nv7 = constant f64 0\nv8 = le f64 v6 v7\n"
      "v9 = constant f64 60\nv10 = select f64 v8 v9 v6\nstore c5 v10\n");
  assert_non_null(program->whole);
  assert_int_equal(program->plan->step_count, 3);
  for (uint32_t k = 0; k < program->plan->step_count; k++)
    assert_int_equal(program->plan->steps[k].ins->type, VALUE_NATURAL);
  /* Less than 0 is seen of what an i8 holds. */
  make(
      "v3 = load f64 c5\nv4 = constant f64 1\nv5 = sub f64 v3 v4\n"
      "v6 = quantize i8 f64 v5\nstore c2 v6\n");
  for (uint32_t k = 0; k < program->plan->step_count; k++)
    assert_int_not_equal(program->plan->steps[k].ins->type, VALUE_NATURAL);
}

/* Carries stay numbers; what is made of them is not whole, but all else is. */
TEST(cycles_take_numbers) {
  make(
      "v3 = max f64 v0 v1\nv4 = min f64 v0 v1\nv5 = constant f64 1\n"
      "repeat\nv6 = carry f64 v3\nv7 = lt f64 v4 v6\nwhile v7\n"
      "v8 = add f64 v1 v5\nv9 = quantize i32 f64 v8\nv10 = max f64 v9 v4\n"
      "v11 = sub f64 v6 v5\nv12 = lt f64 v10 v9\nnext v6 v11\nagain v12\n"
      "store c0 v4\nstore c3 v6\n");
  assert_int_equal(count(OPERATION_PLUS), 1);
  assert_int_equal(count(OPERATION_MINUS), 0);
  assert_int_equal(count(OPERATION_MAXIMUM), 2);
  assert_int_equal(count(OPERATION_CARRY), 0);
  for (uint32_t k = 0; k + 1 < program->whole->code_count; k++)
    if (program->whole->code[k].operation == OPERATION_REPEAT)
      assert_int_equal(program->whole->code[k + 1].operation, OPERATION_CARRY);
}

TEST(remainders_of_small_numbers_are_whole) {
  make("v3 = constant f64 60\nv4 = mod f64 v0 v3\nstore c0 v4\n");
  assert_int_equal(count(OPERATION_MODULO), 1);
  make("v3 = constant f64 0x1p30\nv4 = mod f64 v0 v3\nstore c0 v4\n");
  assert_int_equal(count(OPERATION_MODULO), 1);
  make("v3 = constant f64 1073741825\nv4 = mod f64 v0 v3\nstore c0 v4\n");
  assert_int_equal(count(OPERATION_MODULO), 0);
  make("v3 = constant f64 -60\nv4 = mod f64 v0 v3\nstore c0 v4\n");
  assert_int_equal(count(OPERATION_MODULO), 0);
  make("v3 = constant f64 60\nv4 = mod f64 v0 v1\nstore c0 v4\n");
  assert_int_equal(count(OPERATION_MODULO), 0);
  /* That of -60 is -0, which a field of floats shows. */
  make("v3 = constant f64 60\nv4 = mod f64 v0 v3\nstore c3 v4\n");
  assert_int_equal(count(OPERATION_MODULO), 0);
}

/* Which keys a visit shows depends on looks that nothing needs, too. */
TEST(what_nothing_needs_stays) {
  program = rig_program(
      "column c0 \"N\" \"i32\" i32 write\narray a0 number\n",
      "v0 = load f64 c0\nv1 = constant f64 1\nv2 = sub f64 v0 v1\n"
      "v3 = quantize i32 f64 v2\nv4 = at f64 a0 v2\nv5 = at f64 a0 v3\n"
      "store c0 v3\n");
  uint32_t looks = 0;
  assert_non_null(program->whole);
  for (uint32_t k = 0; k < program->whole->code_count; k++)
    looks += program->whole->code[k].operation == OPERATION_AT;
  assert_int_equal(looks, 2);
  assert_true(program->plan->keys_follow[0] == NO_VALUE);
}

/* The text of a program is what it was made from. */
TEST(texts_stay) {
  char text[1000];
  make("v3 = abs f64 v2\nstore c0 v3\n");
  assert_non_null(program->whole);
  size_t length = ecs_program_text(program, text, sizeof text);
  assert_true(length < sizeof text);
  assert_non_null(strstr(text, "v3 = abs f64 v2\n"));
  assert_null(strstr(text, "v4"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_timer_has_no_conversion),
      cmocka_unit_test(small_fields_limit_their_sums),
      cmocka_unit_test(programs_without_integers_stay),
      cmocka_unit_test(what_costs_more_stays),
      cmocka_unit_test(values_are_converted_once),
      cmocka_unit_test(signs_of_zeros_that_are_seen_are_kept),
      cmocka_unit_test(what_is_beyond_is_kept_where_it_is_seen),
      cmocka_unit_test(fields_of_u32_have_a_type_of_their_own),
      cmocka_unit_test(cycles_take_numbers),
      cmocka_unit_test(what_nothing_needs_stays),
      cmocka_unit_test(remainders_of_small_numbers_are_whole),
      cmocka_unit_test(texts_stay)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
