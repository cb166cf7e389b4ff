/* vm_plan_test.c: a plan that is broken by hand does not pass its check.
 *
 * Checked builds assert that every plan is sound. Here plans are broken by
 * hand, to show that the check notices.
 */
#include "test_case.h"
#include "rig_fixture.h"

static ecs_Program *program;
static ProgramPlan *plan;

/* v3 and v4 have registers, v5 is computed in c0, v6 is a product with its sum,
 * u0 is spread for the second store; v10 locates its entities for v11. */
static const char text[] =
    "column c0 \"N\" \"f32\" f32 write\ncolumn c1 \"M\" \"f32\" f32 read\n"
    "column c2 \"N\" \"f64\" f64 write\ncolumn c3 \"N\" \"f32b\" f32 write\n"
    "uniform u0 number\nreduction r0 sum\nreduction r1 sum\nv0 = load f32 c0\n"
    "v1 = load f32 c1\nv2 = uniform f32 u0\nv3 = lt f32 v0 v1\n"
    "v4 = sin f32 v1\nv5 = mul f32 v0 v4\nv6 = mul f32 v1 v2\n"
    "v7 = add f32 v6 v4\nv8 = convert f64 v7\nstore c0 v5\n"
    "v9 = self\nv10 = get f32 v9 \"M\" \"f32\"\nv11 = has v9 \"M\"\n"
    "v12 = convert f64 v10\nsum r1 v12 v11\n"
    "store c2 v2\nstore c3 v4 v3\nsum r0 v8\ndestroy v3\n";

static int make_plan(void **state) {
  set_up(state);
  program = rig_program(text, "");
  plan = program->plan;
  return plan_check_invariants(program) ? 0 : -1;
}

/* Another number there breaks the plan. The right one is put back. */
static void assert_seen(uint32_t *number, uint32_t other) {
  uint32_t right = *number;
  assert_int_not_equal(right, other);
  *number = other;
  assert_false(plan_check_invariants(program));
  *number = right;
  assert_true(plan_check_invariants(program));
}

/* The step of the instruction that defines a value. */
static Step *step_of(uint32_t value) {
  for (uint32_t k = 0; k < plan->step_count; k++)
    if (plan->steps[k].ins->result == value) return &plan->steps[k];
  fail_msg("v%u has no step", value);
  return NULL;
}

TEST(operands_are_where_their_steps_read) {
  Step *sine = step_of(4), *sum = step_of(7);
  assert_seen(&sine->operands[0], plan_column(plan, 0));
  assert_seen(&sine->operands[0], plan->base_count);
  assert_seen(&sum->operands[0], plan_column(plan, 0));
  assert_seen(&sum->operands[2], step_of(3)->out);
  assert_seen(&plan->changes[0].operands[0], sine->out);
}

TEST(look_ups_find_their_places) {
  Step *first = step_of(10), *second = step_of(11);
  assert_true(step_locates(first) && !step_locates(second));
  assert_seen(&first->operands[2], first->operands[0]);
  assert_seen(&second->operands[1], first->operands[0]);
  assert_seen(&first->out, step_places(first));
  uint32_t place = step_places(first);
  first->operands[1] = first->operands[2] = plan_column(plan, 0);
  assert_false(plan_check_invariants(program));
  first->operands[1] = first->operands[2] = place;
  assert_true(plan_check_invariants(program));
}

TEST(registers_are_kept_while_wanted) {
  assert_seen(&step_of(8)->out, step_of(3)->out); /* destroy uses v3 */
  assert_seen(&step_of(4)->out, plan->spread[0].out);
  assert_seen(&step_of(4)->out, plan_column(plan, 3));
}

TEST(single_values_are_left_alone) {
  uint32_t single = plan->once[0].out;
  assert_seen(&step_of(4)->out, single);
  assert_seen(&step_of(7)->operands[1], plan->spread[0].out);
  assert_seen(&plan->spread[0].out, single);
  assert_seen(&plan->once[0].out, 0);
}

TEST(loops_are_those_of_their_instructions) {
  Step *sum = step_of(7);
  Loop right = sum->loop;
  sum->loop = loop_product(PRODUCT_MINUS, VALUE_F32, FORM_SECOND);
  assert_false(plan_check_invariants(program));
  sum->loop = loop_product(PRODUCT_PLUS, VALUE_F32, FORM_ARRAYS);
  assert_false(plan_check_invariants(program));
  sum->loop = NULL;
  assert_false(plan_check_invariants(program));
  sum->loop = right;
  assert_true(plan_check_invariants(program));
}

TEST(every_effect_has_its_step) {
  assert_seen(&plan->change_count, 0);
  assert_seen(&plan->step_count, plan->step_count - 1);
  Step first = plan->steps[0];
  plan->steps[0] = plan->steps[plan->step_count - 1];
  assert_false(plan_check_invariants(program));
  plan->steps[0] = first;
}

TEST(registers_are_as_long_as_blocks) {
  assert_seen(&plan->block_rows, LOOP_ROWS + 1);
  void *base = plan->bases[0];
  plan->bases[0] = (char *)plan + plan->block_bytes;
  assert_false(plan_check_invariants(program));
  plan->bases[0] = base;
  assert_true(plan_check_invariants(program));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operands_are_where_their_steps_read),
      cmocka_unit_test(look_ups_find_their_places),
      cmocka_unit_test(registers_are_kept_while_wanted),
      cmocka_unit_test(single_values_are_left_alone),
      cmocka_unit_test(loops_are_those_of_their_instructions),
      cmocka_unit_test(every_effect_has_its_step),
      cmocka_unit_test(registers_are_as_long_as_blocks)};
  return cmocka_run_group_tests(tests, make_plan, tear_down);
}
