/* command_flush_failure_test.c: recorded changes are applied all, or none. */
#include "flush_fixture.h"
#include "test_case.h"

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

TEST(every_allocation_of_applying_may_fail) {
  for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
    uint64_t nth = 1;
    while (apply_refused(nth, (FailingMode)mode) > 0) nth++;
    assert_true(nth > 20);
  }
}

/* Births, in three groups and split in runs, with nothing else: all tables are
 * those of their bundles. With `more`, of further shapes. */
static void record_births(const Fixture *fixture, ecs_Entity *born, bool more) {
  static const uint32_t operations[] = {0, 8, 12, 10, 5, 14};
  for (uint32_t i = 0; i < 11; i++) born[i] = spawn(fixture);
  for (uint32_t k = 0; k < 6; k++)
    for (uint32_t i = 0; i < 11; i++)
      if (i % 4 != k && (more || i % 4 < 2))
        assert_int_equal(operate(fixture, born[i], operations[k]), ECS_OK);
}

/* Each request of a flush fails, after nothing or after flushes of the same
 * shapes. What was made for bundles is gone, and they are resolved anew: the
 * next flush comes to what it comes to where the first one was discarded. */
TEST(births_that_fail_leave_nothing) {
  for (uint32_t way = 0; way < 6; way++) {
    uint64_t injected = 1, nth = 1;
    for (; injected > 0; nth++) {
      Fixture fixture, twin;
      Fixture *both[] = {&fixture, &twin};
      ecs_Entity born[11];
      uint64_t hashes[2][4];
      for (uint32_t w = 0; w < 2; w++) {
        ecs_World *world = (start(both[w]), both[w]->world);
        begin(both[w]);
        if (way / 2 > 0) record_births(both[w], born, way / 2 == 2);
        end(both[w]);
        hashes[w][0] = ecs_world_hash(world);
        begin(both[w]);
        record_births(both[w], born, true);
        if (w == 1) {
          if (injected > 0) ecs_defer_discard(world);
          if (injected == 0) end(&twin);
        } else {
          failing_memory_arm(&fixture.failing, nth,
                             way % 2 == 0 ? FAIL_ONCE : FAIL_ONWARD);
          ecs_Status status = ecs_defer_end(world);
          injected = failing_memory_disarm(&fixture.failing);
          assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
        }
        assert_settled(both[w]);
        assert_true(world_check_invariants(world));
        hashes[w][1] = ecs_world_hash(world);
        begin(both[w]);
        record_births(both[w], born, false);
        end(both[w]);
        hashes[w][2] = ecs_world_hash(world);
        begin(both[w]);
        record_births(both[w], born, true);
        end(both[w]);
        hashes[w][3] = ecs_world_hash(world);
        assert_settled(both[w]);
      }
      assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
      finish(&fixture);
      finish(&twin);
    }
    assert_true(nth > (way < 2 ? 8 : 1));
  }
}

/* Records that fail may leave a page behind, and a world without levels has
 * none in use. */
TEST(a_record_that_failed_leaves_nothing_to_apply) {
  for (uint32_t spawns = 0; spawns < 2; spawns++) {
    uint64_t injected = 1;
    for (uint64_t nth = 1; injected > 0; nth++) {
      Fixture fixture;
      ecs_Entity born = 0;
      start(&fixture);
      ecs_Entity entity = spawn(&fixture);
      begin(&fixture);
      failing_memory_arm(&fixture.failing, nth, FAIL_ONCE);
      ecs_Status status = spawns == 1
                              ? ecs_spawn(fixture.world, NULL, 0, NULL, &born)
                              : ecs_add(fixture.world, entity, fixture.s, NULL);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      end(&fixture);
      assert_settled(&fixture);
      assert_true(world_check_invariants(fixture.world));
      assert_true(injected > 0 || nth > 3);
      finish(&fixture);
    }
  }
}

#ifdef ECS_TINY
/* Sixty tables are the limit of a group. */
TEST(a_recording_that_needs_too_many_tables_is_dropped) {
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
      cmocka_unit_test(births_that_fail_leave_nothing),
      cmocka_unit_test(a_record_that_failed_leaves_nothing_to_apply),
#ifdef ECS_TINY
      cmocka_unit_test(a_recording_that_needs_too_many_tables_is_dropped),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
