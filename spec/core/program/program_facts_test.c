/* program_facts_test.c: the facts about a program before it is planned.
 *
 * Each fact is tested here. vm_planner_test.c and program_differential_test.c
 * test what is made of them.
 */
#include "test_case.h"
#include "program/program_facts.h"
#include "rig_fixture.h"

static ecs_Program *program;
static ProgramFacts facts;

#define COLUMNS                                                               \
  "column c0 \"N\" \"f32\" f32 write\ncolumn c1 \"M\" \"f32\" f32 read\n"     \
  "column c2 \"N\" \"f64\" f64 write\ncolumn c3 \"O\" \"f32\" f32 optional\n" \
  "reduction r0 sum\nreduction r1 sum\narray a0 number\n"                     \
  "v0 = load f32 c0\nv1 = load f32 c1\nv2 = constant f32 3\n"

/* Instructions 0 to 2 are those of COLUMNS. */
static void gather(const char *rest) {
  program = rig_program(COLUMNS, rest);
  assert_int_equal(facts_init(&facts, program), ECS_OK);
}

static void forget(void) {
  facts_deinit(&facts);
  ecs_program_destroy(program);
}

/* What a turn uses from outside is used until the cycle ends: at 16. */
TEST(values_last_as_long_as_cycles) {
  gather(
      "v3 = neg f32 v0\nv4 = neg f32 v1\nrepeat\nv5 = carry f32 v0\n"
      "repeat\nv6 = carry f32 v5\nv7 = mul f32 v6 v3\nv8 = add f32 v7 v2\n"
      "next v6 v8\nagain\nv9 = mul f32 v6 v6\nv10 = add f32 v9 v4\n"
      "next v5 v10\nagain\nstore c0 v5\n");
  const uint32_t ends[] = {6, 4, 16, 16, 16, 17, 14, 10, 11, 14, 15};
  for (uint32_t v = 0; v < 11; v++)
    assert_int_equal(facts.last_use[v], ends[v]);
  assert_int_equal(facts.column[5], NO_VALUE);
  assert_false(facts.is_part[7]);
  assert_true(facts.is_part[9]);
  forget();
}

TEST(only_what_effects_depend_on_is_needed) {
  gather("v3 = sin f32 v1\nv4 = neg f32 v0\nv5 = neg f32 v3\nstore c0 v4\n");
  const bool needed[] = {true, false, false, false, true, false};
  for (uint32_t v = 0; v < 6; v++)
    assert_int_equal(facts.is_needed[v], needed[v]);
  assert_int_equal(facts.uses[0], 1);
  assert_int_equal(facts.uses[3], 0); /* v5 is not needed */
  forget();
}

TEST(single_values_come_of_single_values) {
  gather("v3 = mul f32 v2 v2\nv4 = mul f32 v3 v0\nstore c0 v4\n");
  assert_true(facts.is_single[2]);
  assert_true(facts.is_single[3]);
  assert_false(facts.is_single[0]);
  assert_false(facts.is_single[4]);
  forget();
}

TEST(a_product_is_part_of_its_only_sum) {
  gather("v3 = mul f32 v1 v0\nv4 = add f32 v3 v1\nstore c0 v4\n");
  assert_true(facts.is_part[3]);
  assert_int_equal(facts.definition[3], 3);
  assert_int_equal(facts.last_use[0], 4); /* where the sum is */
  forget();
  gather("v3 = mul f32 v1 v0\nv4 = add f32 v3 v3\nstore c0 v4\n");
  assert_false(facts.is_part[3]);
  assert_int_equal(facts.last_use[0], 3);
  forget();
}

/* An element at a key that is the same for every row is, too. */
TEST(elements_at_single_keys_are_single) {
  gather(
      "v3 = convert f64 v0\nv4 = constant f64 2\nv5 = at f64 a0 v4\n"
      "v6 = inside a0 v4\nv7 = at f64 a0 v3\nv8 = inside a0 v3\n"
      "sum r0 v5 v6\nsum r1 v7 v8\n");
  assert_true(facts.is_single[5] && facts.is_single[6]);
  assert_false(facts.is_single[7] || facts.is_single[8]);
  forget();
}

TEST(what_runs_late_keeps_values_to_the_end) {
  gather(
      "v3 = lt f32 v0 v1\nv4 = convert f64 v0\nsum r0 v4\n"
      "sum r1 v4\nsum r1 v4\ndestroy v3\n");
  const Instruction *code = program->code;
  assert_int_equal(facts.adders[0], 1);
  assert_int_equal(facts.adders[1], 2);
  assert_false(facts_late(&facts, &code[5]));
  assert_true(facts_late(&facts, &code[6]));
  assert_true(facts_late(&facts, &code[8]));
  assert_int_equal(facts.last_use[3], program->code_count);
  assert_int_equal(facts.last_use[0], 4);
  forget();
}

TEST(a_value_is_computed_in_the_column_it_is_stored_to) {
  gather("v3 = neg f32 v0\nstore c0 v3\n");
  assert_int_equal(facts.column[3], 0);
  assert_int_equal(facts.columns[0].written_at, 3);
  assert_int_equal(facts.columns[1].stores, 0);
  forget();
  /* Not if old values are used later, ... */
  gather(
      "v3 = neg f32 v0\nv4 = abs f32 v0\nstore c0 v3\n"
      "v5 = convert f64 v4\nstore c2 v5\n");
  assert_int_equal(facts.column[3], NO_VALUE);
  assert_int_equal(facts.column[5], 2);
  forget();
  /* ... if rows are left out, or if the column has another type. */
  gather("v3 = neg f32 v0\nv4 = lt f32 v0 v1\nstore c0 v3 v4\nstore c2 v3\n");
  assert_int_equal(facts.columns[0].store, NO_VALUE);
  assert_int_equal(facts.columns[0].stores, 1);
  assert_int_equal(facts.column[3], NO_VALUE);
  forget();
}

/* Operands of all changes, and new entities, are kept until the last of them,
 * where all are made. */
TEST(changes_that_come_first_are_made_at_the_last) {
  gather("v3 = self\nv4 = lt f32 v0 v1\ndestroy_other v3\nv5 = spawn v4\n");
  assert_true(program->code[5].operation == OPERATION_DESTROY_OTHER);
  assert_int_equal(facts.changes_at, 6);
  for (uint32_t v = 3; v < 6; v++) assert_int_equal(facts.last_use[v], 6);
  assert_int_equal(facts.last_use[0], 4);
  assert_false(facts_late(&facts, &program->code[5]));
  forget();
  /* An entity that is not used is spawned all the same. */
  gather("v3 = spawn\nv4 = spawn\nv5 = eq entity v3 v4\n");
  assert_false(facts.is_needed[3]);
  assert_true(facts_needed(&facts, &program->code[3]));
  assert_false(facts_needed(&facts, &program->code[5]));
  assert_int_equal(facts.changes_at, 4);
  assert_int_equal(facts.last_use[3], 4);
  forget();
  /* The masks of changes that may not stop are made with the others. */
  gather(
      "v3 = lt f32 v0 v1\nadd \"T\" v3\nv4 = spawn\nv5 = alive v4\n"
      "store c3 v0 v5\n");
  assert_int_equal(facts.changes_at, 5);
  assert_int_equal(facts.last_use[3], 5);
  assert_int_equal(facts.last_use[4], 6);
  forget();
}

TEST(values_before_changes_are_not_computed_in_columns) {
  gather("v3 = neg f32 v0\nstore c0 v3\nv4 = spawn\n");
  assert_int_equal(facts.column[3], NO_VALUE);
  assert_int_equal(facts.columns[0].written_at, 5);
  forget();
  /* What is computed behind them is. */
  gather(
      "v3 = spawn\nv4 = get f64 v3 \"R\" \"f64\"\nv5 = neg f64 v4\n"
      "store c2 v5\n");
  assert_int_equal(facts.column[5], 2);
  forget();
}

TEST(columns_that_may_be_absent_are_not_values) {
  gather("");
  assert_true(facts_direct(&facts, 0, VALUE_F32));
  assert_false(facts_direct(&facts, 0, VALUE_F64));
  assert_true(facts_direct(&facts, 2, VALUE_F64));
  assert_false(facts_direct(&facts, 3, VALUE_F32));
  forget();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_last_as_long_as_cycles),
      cmocka_unit_test(only_what_effects_depend_on_is_needed),
      cmocka_unit_test(single_values_come_of_single_values),
      cmocka_unit_test(a_product_is_part_of_its_only_sum),
      cmocka_unit_test(elements_at_single_keys_are_single),
      cmocka_unit_test(what_runs_late_keeps_values_to_the_end),
      cmocka_unit_test(a_value_is_computed_in_the_column_it_is_stored_to),
      cmocka_unit_test(changes_that_come_first_are_made_at_the_last),
      cmocka_unit_test(values_before_changes_are_not_computed_in_columns),
      cmocka_unit_test(columns_that_may_be_absent_are_not_values)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
