/* vm_planner_test.c: the plans of programs: which values are columns, single
 * values or in registers, and which steps there are.
 *
 * program_differential_test.c shows that plans are right. This test shows that
 * they are good: it expects numbers of steps and registers, and places.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test_case.h"
#include "rig_fixture.h"

static const ProgramPlan *plan;

#define COLUMNS                                                                   \
  "column c0 \"N\" \"f32\" f32 write\ncolumn c1 \"M\" \"f32\" f32 read\n"         \
  "column c2 \"N\" \"f64\" f64 write\ncolumn c3 \"N\" \"f32b\" f32 write\n"       \
  "column c4 \"O\" \"f32\" f32 optional\n"                                        \
  "column c5 \"N\" \"entity\" entity write\nuniform u0 number\nuniform u1 bool\n" \
  "reduction r0 sum\n"                                                            \
  "v0 = load f32 c0\nv1 = load f32 c1\nv2 = uniform f32 u0\n"

/* Plans the text of COLUMNS and rest. */
static void make(const char *rest) { plan = rig_program(COLUMNS, rest)->plan; }

/* Expects numbers of steps for each block, steps of the run, spread values, and
 * registers in use. The last register of a plan is spare. */
static void assert_plan(uint32_t steps, uint32_t once, uint32_t spread,
                        uint32_t registers) {
  assert_int_equal(plan->step_count, steps);
  assert_int_equal(plan->once_count, once);
  assert_int_equal(plan->spread_count, spread);
  assert_int_equal(plan->register_count - 1, registers);
}

TEST(an_update_is_one_step) {
  make("v3 = mul f32 v1 v2\nv4 = add f32 v0 v3\nstore c0 v4\n");
  assert_plan(1, 1, 0, 0);
  const Step *step = &plan->steps[0];
  assert_int_equal(step->out, plan_column(plan, 0));
  assert_int_equal(step->operands[0], plan_column(plan, 1));
  assert_true(step->operands[1] >= plan_column(plan, 6)); /* a single value */
  assert_int_equal(step->operands[2], plan_column(plan, 0));
  assert_ptr_equal(step->loop,
                   loop_product(PRODUCT_PLUS, VALUE_F32, FORM_SECOND));
}

TEST(products_go_with_their_sums) {
  make("v3 = mul f32 v1 v0\nv4 = sub f32 v3 v0\nstore c3 v4\n");
  assert_plan(1, 0, 0, 0);
  assert_ptr_equal(plan->steps[0].loop,
                   loop_product(PRODUCT_MINUS, VALUE_F32, FORM_ARRAYS));
  make("v3 = mul f32 v2 v1\nv4 = sub f32 v0 v3\nstore c3 v4\n");
  assert_plan(1, 1, 0, 0);
  assert_ptr_equal(plan->steps[0].loop,
                   loop_product(MINUS_PRODUCT, VALUE_F32, FORM_SECOND));
  /* Not if the product is used twice, nor if the rest is a single value. */
  make(
      "v3 = mul f32 v1 v0\nv4 = sub f32 v3 v0\nv5 = add f32 v4 v3\n"
      "store c3 v5\n");
  assert_int_equal(plan->step_count, 3);
  make("v3 = mul f32 v1 v0\nv4 = add f32 v3 v2\nstore c3 v4\n");
  assert_int_equal(plan->step_count, 2);
  /* Only one of two products. */
  make(
      "v3 = mul f32 v1 v0\nv4 = mul f32 v1 v1\nv5 = add f32 v3 v4\n"
      "store c3 v5\n");
  assert_plan(2, 0, 0, 1);
}

TEST(unused_values_are_not_computed) {
  make("v3 = sin f32 v0\nv4 = mul f32 v3 v2\nv5 = self\n");
  assert_int_equal(plan->step_count, 0);
}

TEST(what_never_varies_is_computed_once) {
  make(
      "v3 = constant f32 3\nv4 = sin f32 v2\nv5 = mul f32 v3 v4\n"
      "v6 = mul f32 v0 v5\nstore c0 v6\n");
  assert_plan(1, 4, 0, 0);
  /* A value that is needed as an array is spread once. */
  make("store c0 v2\nstore c3 v2\nv3 = uniform bool u1\nstore c2 v2 v3\n");
  assert_plan(3, 2, 2, 2);
}

TEST(columns_are_values) {
  make("v3 = neg f32 v0\nstore c3 v3\n");
  assert_plan(1, 0, 0, 0);
  /* Not a column of another type, nor an optional one. */
  make("v3 = load f64 c1\nstore c2 v3\n");
  assert_plan(2, 0, 0, 1);
  make("v3 = load f32 c4\nv4 = neg f32 v3\nstore c0 v4\n");
  assert_int_equal(plan->step_count, 2);
}

TEST(old_values_are_kept_while_wanted) {
  /* A swap needs one copy. */
  make("v3 = load f32 c3\nstore c0 v3\nstore c3 v0\n");
  assert_plan(3, 0, 0, 1);
  /* The column can hold the result only if no old value is used later. */
  make("v3 = neg f32 v0\nv4 = abs f32 v0\nstore c0 v3\nstore c3 v4\n");
  assert_int_equal(plan->step_count, 3);
  make("v3 = abs f32 v0\nv4 = neg f32 v0\nstore c0 v4\nstore c3 v3\n");
  assert_plan(2, 0, 0, 0);
  /* Not if the store has a mask, or if there are two. */
  make("v3 = neg f32 v0\nv4 = lt f32 v0 v1\nstore c0 v3 v4\n");
  assert_plan(3, 0, 0, 2);
  make("v3 = neg f32 v0\nstore c0 v3\nv4 = abs f32 v1\nstore c0 v4\n");
  assert_int_equal(plan->step_count, 4);
}

TEST(registers_are_used_again) {
  char text[2000] = "";
  size_t length = 0;
  for (uint32_t k = 3; k < 43; k++)
    length += (size_t)snprintf(text + length, sizeof text - length,
                               "v%u = sin f32 v%u\n", k, k == 3 ? 0 : k - 1);
  snprintf(text + length, sizeof text - length,
           "v43 = lt f32 v42 v0\nstore c0 v42 v43\n");
  make(text);
  assert_plan(42, 0, 0, 2);
  /* A result of another size needs another register. */
  make(
      "v3 = sin f32 v0\nv4 = convert f64 v3\nv5 = convert f32 v4\n"
      "v6 = lt f32 v5 v0\nstore c3 v5 v6\n");
  assert_int_equal(plan->register_count - 1, 2);
  assert_int_not_equal(plan->steps[0].out, plan->steps[1].out);
  assert_int_not_equal(plan->steps[1].out, plan->steps[2].out);
}

TEST(late_values_keep_their_registers) {
  make(
      "v3 = lt f32 v0 v1\ndestroy v3\nv4 = not v3\nv5 = not v4\n"
      "v6 = select f32 v5 v0 v1\nstore c3 v6\n");
  assert_int_equal(plan->change_count, 1);
  for (uint32_t k = 1; k < plan->step_count; k++)
    assert_int_not_equal(plan->steps[k].out, plan->changes[0].operands[0]);
}

/* The last spawn writes its entity while the operands of all changes of later
 * rows are still to be read. */
TEST(new_entities_have_registers_of_their_own) {
  make(
      "v3 = self\nremove_from v3 \"R\"\npart \"R\"\n"
      "give \"R\" \"entity\" v3\nv4 = spawn\nstore c5 v4\n");
  assert_int_equal(plan->change_count, 4);
  assert_true(plan->changes[3].ins->operation == OPERATION_SPAWN);
  assert_int_not_equal(plan->changes[0].operands[0], plan->changes[3].out);
  assert_int_not_equal(plan->changes[2].operands[0], plan->changes[3].out);
}

/* Nor do two spawns share one. */
TEST(new_entities_are_kept_until_all_changes_are_made) {
  make("v3 = spawn\nv4 = spawn\nv5 = spawn\nstore c5 v4\n");
  assert_int_equal(plan->register_count - 1, 3);
  for (uint32_t k = 0; k < 3; k++)
    assert_int_not_equal(plan->changes[k].out, plan->changes[(k + 1) % 3].out);
}

TEST(changes_that_may_stop_have_their_place) {
  make(
      "v3 = sin f32 v0\nv4 = sin f32 v3\nstore c0 v4\nv5 = lt f32 v4 v1\n"
      "v6 = spawn v5\nv7 = alive v6\nstore c5 v6 v7\n");
  /* Two sines and a comparison; then the spawn; alive and two stores. */
  assert_int_equal(plan->step_count, 6);
  assert_int_equal(plan->change_step, 3);
  assert_int_equal(plan->change_count, 1);
}

/* A cycle of two carries: a copy for each, the frame, and a next for each. */
TEST(carries_exchange_their_registers) {
  make(
      "v3 = constant f32 1\nrepeat\nv4 = carry f32 v0\nv5 = carry f32 v1\n"
      "v6 = lt f32 v4 v1\nwhile v6\nv7 = add f32 v4 v3\nv8 = mul f32 v5 v7\n"
      "next v4 v7\nnext v5 v8\nagain\nstore c0 v5\nv9 = sub f32 v4 v1\n"
      "store c3 v9\n");
  /* The last sum is computed in its column. */
  assert_plan(12, 1, 0, 5);
  assert_int_equal(plan->cycle_count, 1);
  const PlanCycle *cycle = &plan->cycles[0];
  assert_int_equal(cycle->first, 3);
  assert_int_equal(cycle->after, 10);
  assert_int_equal(cycle->outer, NO_VALUE);
  assert_true(step_exchanges(&plan->steps[7]));
  assert_true(step_exchanges(&plan->steps[8]));
  /* Not a value that is used in the next turn, or later in this one. */
  make(
      "repeat\nv3 = carry f32 v0\nv4 = carry f32 v1\nv5 = neg f32 v3\n"
      "v6 = lt f32 v5 v1\nnext v3 v4\nnext v4 v5\nagain v6\nstore c0 v4\n"
      "store c3 v3\n");
  assert_int_equal(plan->steps[5].ins->operation, OPERATION_NEXT);
  assert_false(step_exchanges(&plan->steps[5]));
  assert_true(step_exchanges(&plan->steps[6]));
}

/* What only a carry that nothing uses depends on is not computed. */
TEST(carries_without_a_use_are_left_out) {
  make(
      "v3 = constant bool false\nrepeat\nv4 = carry f32 v0\n"
      "v5 = carry f32 v1\nv6 = sin f32 v5\nv7 = cos f32 v4\nnext v4 v6\n"
      "next v5 v6\nagain v3\nstore c0 v5\n");
  for (uint32_t k = 0; k < plan->step_count; k++)
    assert_int_not_equal(plan->steps[k].ins->operation, OPERATION_COS);
}

/* A block with registers is not longer than they are. */
TEST(blocks_are_as_long_as_they_may) {
  make("v3 = mul f32 v1 v2\nv4 = add f32 v0 v3\nstore c0 v4\n");
  assert_int_equal(plan->block_rows, UINT32_MAX);
  make(
      "v3 = mul f32 v1 v2\nv4 = add f32 v0 v3\nstore c0 v4\n"
      "v5 = sin f32 v1\nstore c3 v5\n"); /* both read c1 */
  assert_int_equal(plan->register_count - 1, 0);
  assert_in_range(plan->block_rows, LOOP_ROWS, 8192);
  make("v3 = sin f32 v1\nv4 = mul f32 v0 v3\nstore c0 v4\n");
  assert_int_equal(plan->register_count - 1, 1);
  assert_int_equal(plan->block_rows, LOOP_ROWS);
}

/* The worst program of the greatest length, in a second (if that grew with the
 * square, the suite would be stopped): a third of its values are alive at
 * once, and all are needed. */
TEST(the_longest_programs_are_planned) {
  const uint32_t third = (ECS_CODE_LIMIT - 1) / 3;
  char *text = malloc(ECS_CODE_LIMIT * 40u);
  size_t length = 0;
  ecs_Program *program = NULL;
  for (uint32_t k = 0; k < third; k++)
    length += (size_t)sprintf(text + length, "v%u = self\n", k);
  for (uint32_t k = 0; k < third; k++)
    length += (size_t)sprintf(text + length, "v%u = eq entity v%u v%u\n",
                              third + k, k, third - 1 - k);
  for (uint32_t k = 0; k < third; k++)
    length +=
        (size_t)sprintf(text + length, "v%u = and v%u v%u\n", 2 * third + k,
                        2 * third - 1 - k, 2 * third - 1 + k);
  length += (size_t)sprintf(text + length, "destroy v%u\n", 3 * third - 1);
  assert_int_equal(rig_create(&rig, text, length, &program), ECS_OK);
  assert_int_equal(program->plan->step_count, 3 * third);
  assert_true(program->plan->register_count <= 2 * third + 2);
  ecs_program_destroy(program);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_update_is_one_step),
      cmocka_unit_test(products_go_with_their_sums),
      cmocka_unit_test(unused_values_are_not_computed),
      cmocka_unit_test(what_never_varies_is_computed_once),
      cmocka_unit_test(columns_are_values),
      cmocka_unit_test(old_values_are_kept_while_wanted),
      cmocka_unit_test(registers_are_used_again),
      cmocka_unit_test(late_values_keep_their_registers),
      cmocka_unit_test(new_entities_have_registers_of_their_own),
      cmocka_unit_test(new_entities_are_kept_until_all_changes_are_made),
      cmocka_unit_test(changes_that_may_stop_have_their_place),
      cmocka_unit_test(carries_exchange_their_registers),
      cmocka_unit_test(carries_without_a_use_are_left_out),
      cmocka_unit_test(blocks_are_as_long_as_they_may),
      cmocka_unit_test(the_longest_programs_are_planned)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
