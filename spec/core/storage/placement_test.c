/* placement_test.c: rows are found where they were placed, and not found once
 * they are gone.
 */
#include "naive_world.h"
#include "test_case.h"

/* In the main group and in a sparse set. */
TEST(a_row_that_fills_a_hole_is_found_there) {
  for (ecs_Storage storage = 0; storage < ECS_STORE_BITS; storage++) {
    Fixture fixture;
    RowRef last;
    start(&fixture);
    Store *world = &fixture.world;
    ecs_Component component = define(world, "a", "wb", storage);
    ecs_Entity entities[3];
    for (uint32_t i = 0; i < 3; i++) {
      entities[i] = spawn(world, NULL, 0);
      assert_int_equal(add(world, entities[i], component, i + 1), ECS_OK);
    }
    assert_int_equal(store_locate(world, entities[2], component, &last),
                     ECS_OK);
    assert_int_equal(last.row, 2);
    assert_int_equal(store_remove(world, entities[0], component), ECS_OK);
    assert_int_equal(store_locate(world, entities[2], component, &last),
                     ECS_OK);
    assert_int_equal(last.row, 0);
    assert_component(world, entities[2], component, 3);
    assert_sound(world);
    finish(&fixture);
  }
}

/* More than three groups share bits, and then no bit is cleared. Groups of
 * several components are left by store_leave; the fast ways out of a set clear
 * no bit. */
TEST(a_summary_is_cleared_while_it_is_exact) {
  for (uint32_t groups = 1; groups <= 7; groups++) {
    Fixture fixture;
    start(&fixture);
    Store *world = &fixture.world;
    define_many(world, groups * 2, "b", ECS_STORE_TABLE);
    for (uint32_t i = 1; i < groups * 2; i += 2)
      assert_int_equal(store_regroup(world, (ecs_Component[]){i, i + 1}, 2,
                                     REGROUP_TO_GROUP),
                       ECS_OK);
    ecs_Entity entity = spawn(world, NULL, 0);
    const Slot *slot = entity_index_slot(&world->index, id_index(entity));
    assert_int_equal(slot_summary(*slot), 0);
    for (uint32_t i = 1; i < groups * 2; i += 2)
      assert_int_equal(add(world, entity, i, i), ECS_OK);
    uint32_t full = slot_summary(*slot);
    assert_int_equal(full, groups < 3 ? (1u << groups) - 1 : 7);
    for (uint32_t i = 1; i < groups * 2; i += 2)
      assert_int_equal(store_remove(world, entity, i), ECS_OK);
    assert_int_equal(slot_summary(*slot), groups <= 3 ? 0 : full);
    assert_sound(world);
    finish(&fixture);
  }
}

/* More than three groups share bits of the summary. */
TEST(many_groups_agree_with_the_naive_world) {
  const uint32_t counts[] = {2, 3, 4, 7, 8, 9, 13};
  for (uint32_t seed = 1; seed <= naive_seeds(14); seed++) {
    Naive *naive = naive_open(seed);
    Store *world = &naive->fixture.world;
    define_many(world, 2, "wb", ECS_STORE_TABLE);
    define_many(world, counts[seed % 7], "f", ECS_STORE_SPARSE);
    for (uint32_t i = 0; i < STEPS; i++) naive_step(naive);
    naive_close(naive);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_that_fills_a_hole_is_found_there),
      cmocka_unit_test(a_summary_is_cleared_while_it_is_exact),
      cmocka_unit_test(many_groups_agree_with_the_naive_world),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
