/* component_test.c: where a component is placed, and which way of adding and
 * removing it is chosen there.
 */
#include "world_fixture.h"
#include "test_case.h"

static void assert_ways(const Store *world, ecs_Component id,
                        AddComponent *adds, RemoveComponent *removes) {
  assert_true(world->components.all[id].add == adds);
  assert_true(world->components.all[id].remove == removes);
}

TEST(the_shortest_way_that_fits_is_chosen) {
  const ChangeWays *ways = entity_change_ways;
  const struct {
    const char *letters;
    ecs_Storage storage;
    AddComponent *adds;
    RemoveComponent *removes;
  } cases[] = {
      {"f", ECS_STORE_TABLE, ways->add_in_main, ways->remove_in_main},
      {"", ECS_STORE_TABLE, ways->add_in_main, ways->remove_in_main},
      {"fw", ECS_STORE_TABLE, ways->add_in_main, ways->remove_in_main},
      {"", ECS_STORE_BITS, ways->add_as_bit, ways->remove_as_bit},
      {"fb", ECS_STORE_SPARSE, ways->add_to_set, ways->remove_from_set},
      {"", ECS_STORE_SPARSE, ways->add_to_set, ways->remove_from_set}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Fixture fixture;
    start(&fixture);
    ecs_Component id =
        define(&fixture.world, "c", cases[i].letters, cases[i].storage);
    assert_ways(&fixture.world, id, cases[i].adds, cases[i].removes);
    finish(&fixture);
  }
}

/* In a group of several components only the general ways fit. */
TEST(a_component_that_changes_its_group_is_placed_again) {
  const ChangeWays *ways = entity_change_ways;
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component first = define(world, "a", "f", ECS_STORE_TABLE);
  ecs_Component together[] = {define(world, "b", "", ECS_STORE_BITS),
                              define(world, "c", "ff", ECS_STORE_TABLE)};
  const Component *bits = &world->components.all[together[0]];
  const Component *plain = &world->components.all[together[1]];
  assert_int_equal(plain->group_id, 0);
  assert_int_equal(bits->bits_index, 0);
  assert_int_equal(store_regroup(world, together, 2, REGROUP_TO_GROUP), ECS_OK);
  assert_int_equal(plain->group_id, 1);
  assert_ptr_equal(plain->group, world->groups.all[1]);
  assert_int_equal(bits->group_id, 1);
  assert_int_equal(bits->bits_index, 0);
  assert_int_equal(plain->bits_index, GROUP_NOT_BITS);
  assert_int_equal(plain->field_count, 2);
  assert_int_equal(plain->last_edge_key, last_edge_key(plain->bit, true));
  assert_ways(world, together[0], ways->add_any, ways->remove_any);
  assert_ways(world, together[1], ways->add_any, ways->remove_any);
  assert_ways(world, first, ways->add_in_main, ways->remove_in_main);
  assert_int_equal(store_regroup(world, together, 2, REGROUP_TO_MAIN), ECS_OK);
  assert_int_equal(plain->group_id, 0);
  assert_int_equal(bits->bits_index, GROUP_NOT_BITS);
  assert_ways(world, together[0], ways->add_in_main, ways->remove_in_main);
  assert_ways(world, together[1], ways->add_in_main, ways->remove_in_main);
  assert_int_equal(store_regroup(world, together, 1, REGROUP_TO_BITS), ECS_OK);
  assert_int_equal(bits->bits_index, 0);
  assert_ways(world, together[0], ways->add_as_bit, ways->remove_as_bit);
  assert_sound(world);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_shortest_way_that_fits_is_chosen),
      cmocka_unit_test(a_component_that_changes_its_group_is_placed_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
