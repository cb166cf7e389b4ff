/* program_cycles_test.c: where the cycles of a program are. What the verifier
 * refuses is in program_ir_test.c.
 */
#include "test_case.h"
#include "program/program_cycles.h"
#include "program_rig.h"

static void assert_cycle(const Cycle *cycle, uint32_t repeat, uint32_t first,
                         uint32_t again, uint32_t outer) {
  assert_int_equal(cycle->repeat, repeat);
  assert_int_equal(cycle->first, first);
  assert_int_equal(cycle->again, again);
  assert_int_equal(cycle->outer, outer);
}

TEST(cycles_are_found) {
  static const char text[] =
      "v0 = constant bool false\n"
      "repeat\n"
      "v1 = carry bool v0\n"
      "repeat v1\n"
      "v2 = carry bool v1\n"
      "v3 = carry bool v0\n"
      "next v2 v3\n"
      "next v3 v2\n"
      "again\n"
      "next v1 v2\n"
      "again v0\n"
      "repeat\n"
      "again v1\n"
      "destroy v1\n";
  static const uint32_t depths[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 1, 1, 0, 1, 0};
  Rig rig;
  ecs_Program *program = NULL;
  Cycle cycles[3];
  uint32_t inside[14];
  rig_init(&rig);
  assert_int_equal(rig_create(&rig, text, sizeof text - 1, &program), ECS_OK);
  assert_int_equal(program->cycle_count, 3);
  assert_int_equal(program->code_count, 14);
  cycles_find(program, cycles, inside);
  assert_cycle(&cycles[0], 1, 3, 10, NO_VALUE);
  assert_cycle(&cycles[1], 3, 6, 8, 0);
  assert_cycle(&cycles[2], 11, 12, 12, NO_VALUE);
  for (uint32_t i = 0; i < 14; i++) {
    uint32_t wanted = depths[i] == 0 ? NO_VALUE : depths[i] == 2 ? 1 : 0;
    assert_int_equal(inside[i], i == 12 ? 2 : wanted);
  }
  rig_deinit(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_are_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
