/* command_flush_bits_test.c: recorded changes of components stored as bits, and
 * of groups with masks of many words.
 */
#include "flush_fixture.h"
#include "test_case.h"

/* Ten tags stored as bits, in the main group or in one of their own; more
 * than one column of them. */
TEST(bits_come_and_go_in_groups_of_nothing_else) {
  for (uint32_t apart = 0; apart < 2; apart++) {
    FailingMemory failing;
    ecs_WorldDescription how = {failing_memory_init(&failing), 0};
    ecs_World *world = NULL;
    ecs_Component bits[10];
    assert_int_equal(ecs_world_create(&how, &world), ECS_OK);
    for (uint32_t i = 0; i < 10; i++) {
      char name[16];
      snprintf(name, sizeof name, "T%u", (unsigned)i);
      bits[i] = define_component(world, name, NULL, 0, ECS_STORE_BITS);
    }
    if (apart == 1) assert_int_equal(ecs_group(world, bits, 10), ECS_OK);
    ecs_Entity e[5];
    for (uint32_t i = 0; i < 5; i++)
      assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &e[i]), ECS_OK);
    static const uint32_t first[] = {0, 9, 7, 8, 1};
    for (uint32_t round = 0; round < 3; round++) {
      assert_int_equal(ecs_defer_begin(world), ECS_OK);
      for (uint32_t i = 0; i < 5; i++) {
        /* 0: add the first, 1: replace it by the second, 2: remove that */
        ecs_Component come = bits[first[i]], next = bits[(first[i] + 8) % 10];
        if (round == 0) assert_int_equal(ecs_add(world, e[i], come, NULL), 0);
        if (round == 1) assert_int_equal(ecs_add(world, e[i], next, NULL), 0);
        if (round == 1) assert_int_equal(ecs_remove(world, e[i], come), 0);
        if (round == 2) assert_int_equal(ecs_remove(world, e[i], next), 0);
      }
      assert_int_equal(ecs_defer_end(world), ECS_OK);
      assert_true(store_check_invariants(&world->store));
      for (uint32_t i = 0; i < 5; i++) {
        ecs_Component there[10], next = bits[(first[i] + 8) % 10];
        assert_int_equal(ecs_components_of(world, e[i], there, 10), round < 2);
        if (round < 2)
          assert_int_equal(there[0], round == 0 ? bits[first[i]] : next);
        RowRef place =
            store_locate_in(world->store.groups.all[apart], id_index(e[i]));
        if (apart == 1) assert_int_equal(place.table != NULL, round < 2);
      }
    }
    ecs_world_destroy(world);
    assert_int_equal(failing.blocks, 0);
  }
}

TEST(bits_stay_with_a_row_that_moves) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = spawn(&fixture), other = spawn(&fixture);
  prepare(&fixture, entity, 63);
  begin(&fixture);
  assert_int_equal(operate(&fixture, entity, 4), ECS_OK);  /* remove A */
  assert_int_equal(operate(&fixture, entity, 11), ECS_OK); /* remove B */
  assert_int_equal(operate(&fixture, other, 14), ECS_OK);  /* add Tag */
  end(&fixture);
  assert_true(ecs_has(fixture.world, entity, fixture.t));
  assert_true(ecs_has(fixture.world, entity, fixture.u));
  assert_false(ecs_has(fixture.world, other, fixture.t));
  assert_false(ecs_has(fixture.world, entity, fixture.b));
  begin(&fixture);
  assert_int_equal(operate(&fixture, entity, 13), ECS_OK); /* remove U */
  assert_int_equal(operate(&fixture, entity, 6), ECS_OK);  /* remove T */
  end(&fixture);
  assert_false(ecs_has(fixture.world, entity, fixture.u));
  assert_false(ecs_has(fixture.world, entity, fixture.t));
  assert_settled(&fixture);
  finish(&fixture);
}

#ifndef ECS_TINY
TEST(masks_may_have_many_words) {
  for (uint32_t apart = 0; apart < 2; apart++) {
    Fixture fixture;
    ecs_Component many[300];
    start(&fixture);
    ecs_Entity entity = spawn(&fixture);
    for (uint32_t i = 0; i < 300; i++) {
      char name[16];
      snprintf(name, sizeof name, "M%u", (unsigned)i);
      many[i] = define_component(fixture.world, name, NULL, 0, ECS_STORE_TABLE);
    }
    if (apart == 1)
      assert_int_equal(ecs_group(fixture.world, many, 300), ECS_OK);
    for (uint32_t round = 0; round < 2; round++) {
      begin(&fixture);
      for (uint32_t i = 0; i < 300; i++) {
        if (round == 0)
          assert_int_equal(ecs_add(fixture.world, entity, many[i], NULL), 0);
        else if (i % 2 == 0)
          assert_int_equal(ecs_remove(fixture.world, entity, many[i]), 0);
      }
      end(&fixture);
      for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(ecs_has(fixture.world, entity, many[i]),
                         round == 0 || i % 2 == 1);
      assert_settled(&fixture);
    }
    finish(&fixture);
  }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_come_and_go_in_groups_of_nothing_else),
      cmocka_unit_test(bits_stay_with_a_row_that_moves),
#ifndef ECS_TINY
      cmocka_unit_test(masks_may_have_many_words),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
