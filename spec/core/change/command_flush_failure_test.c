/* command_flush_failure_test.c: recorded changes are applied all, or none. */
#include "flush_fixture.h"

/* A recording that needs everything: tables, bits, locators, rows. */
static void record_much(const Fixture *fixture, const ecs_Entity *e,
                        ecs_Entity *born) {
  static const uint32_t operations[] = {0, 8, 12, 5, 14, 10, 2};
  for (uint32_t i = 0; i < 6; i++)
    for (uint32_t k = 0; k <= i; k++)
      assert_int_equal(operate(fixture, e[i], operations[k]), ECS_OK);
  assert_int_equal(ecs_destroy(fixture->world, e[6]), ECS_OK);
  assert_int_equal(ecs_destroy(fixture->world, e[2]), ECS_OK);
  for (uint32_t i = 0; i < 6; i++) born[i] = spawn(fixture);
  for (uint32_t i = 0; i < 6; i++)
    assert_int_equal(operate(fixture, born[i], operations[i]), ECS_OK);
  assert_int_equal(ecs_destroy(fixture->world, born[1]), ECS_OK);
}

/* Applies with the n-th request refused; how many refusals there were. */
static uint64_t apply_refused(uint64_t nth, FailingMode mode) {
  Fixture fixture;
  ecs_Entity e[7], born[12];
  start(&fixture);
  for (uint32_t i = 0; i < 7; i++) {
    e[i] = spawn(&fixture);
    if (i >= 5) prepare(&fixture, e[i], i);
  }
  begin(&fixture);
  record_much(&fixture, e, born);
  stage_six(&fixture, born + 6);
  uint64_t hash = ecs_world_state_hash(fixture.world);
  uint32_t tables = tables_of(&fixture);
  failing_memory_arm(&fixture.failing, nth, mode);
  ecs_Status status = ecs_defer_end(fixture.world);
  uint64_t injected = failing_memory_disarm(&fixture.failing);
  assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
  assert_false(ecs_deferring(fixture.world));
  assert_settled(&fixture);
  if (injected > 0) {
    assert_true(ecs_world_state_hash(fixture.world) == hash);
    assert_int_equal(tables_of(&fixture), tables);
    assert_int_equal(fixture.world->store.index.alive_count, 7);
  }
  for (uint32_t i = 0; i < 12; i++)
    assert_int_equal(ecs_alive(fixture.world, born[i]),
                     injected == 0 && i != 1);
  begin(&fixture); /* the next recording succeeds */
  assert_int_equal(operate(&fixture, e[0], 10), ECS_OK);
  assert_int_equal(operate(&fixture, e[3], 0), ECS_OK);
  end(&fixture);
  assert_true(ecs_has(fixture.world, e[0], fixture.b));
  assert_settled(&fixture);
  finish(&fixture);
  return injected;
}

static void every_allocation_of_applying_may_fail(void **state) {
  (void)state;
  for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
    uint64_t nth = 1;
    while (apply_refused(nth, (FailingMode)mode) > 0) nth++;
    assert_true(nth > 20);
  }
}

#ifdef ECS_TINY
/* Sixty tables are the limit of a group. */
static void a_recording_that_needs_too_many_tables_is_dropped(void **state) {
  (void)state;
  FailingMemory failing;
  ecs_WorldDescription how = {failing_memory_init(&failing), 0};
  ecs_World *world = NULL;
  ecs_Component tags[6];
  ecs_Entity e[40], born = 0;
  assert_int_equal(ecs_world_create(&how, &world), ECS_OK);
  for (uint32_t i = 0; i < 6; i++) {
    char name[16];
    snprintf(name, sizeof name, "T%u", (unsigned)i);
    tags[i] = define_component(world, name, NULL, 0, ECS_STORE_TABLE);
  }
  for (uint32_t i = 0; i < 40; i++)
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &e[i]), ECS_OK);
  for (uint32_t half = 0; half < 2; half++) {
    uint64_t hash = ecs_world_state_hash(world);
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
    if (half == 1)
      assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &born), ECS_OK);
    for (uint32_t i = 0; i < 31; i++)
      for (uint32_t k = 0; k < 6; k++)
        if (((i + 1 + half * 31) >> k & 1u) != 0)
          assert_int_equal(ecs_add(world, e[i], tags[k], NULL), ECS_OK);
        else
          assert_int_equal(ecs_remove(world, e[i], tags[k]), ECS_OK);
    assert_int_equal(ecs_defer_end(world), half == 0 ? ECS_OK : ECS_E_LIMIT);
    assert_true(store_check_invariants(&world->store));
    assert_int_equal(store_main(&world->store)->table_count, 32);
    if (half == 0) continue;
    assert_true(ecs_world_state_hash(world) == hash);
    assert_false(ecs_alive(world, born));
  }
  ecs_world_destroy(world);
  assert_int_equal(failing.blocks, 0);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_allocation_of_applying_may_fail),
#ifdef ECS_TINY
      cmocka_unit_test(a_recording_that_needs_too_many_tables_is_dropped),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
