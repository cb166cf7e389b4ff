/* locate_test.c: which handles are alive, reserved or neither. */
#include "world_fixture.h"
#include "test_case.h"

TEST(nothing_is_alive_in_a_new_world) {
  Fixture fixture;
  start(&fixture);
  const ecs_Entity any[] = {0, 1, id_make(0, 1), UINT64_MAX, id_make(1, 1)};
  for (uint32_t round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < 5; i++) {
      assert_null(store_locate_main(&fixture.world, any[i]).table);
      assert_false(store_alive(&fixture.world, any[i]));
      assert_false(store_is_reserved(&fixture.world, any[i]));
    }
    store_destroy_entity(&fixture.world, spawn(&fixture.world, NULL, 0));
    spawn(&fixture.world, NULL, 0);
    store_clear(&fixture.world);
    if (ECS_GENERATION_LIMIT < 4) break;
  }
  finish(&fixture);
}

TEST(a_reserved_entity_is_alive_without_a_place) {
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component component = define(world, "a", "w", ECS_STORE_TABLE);
  RowRef place = {world->groups.main->tables[0], 1};
  entity_index_reserve(&world->index, &world->memory, 2);
  ecs_Entity entity = entity_index_issue(&world->index);
  assert_true(store_alive(world, entity));
  assert_true(store_is_reserved(world, entity));
  assert_false(store_is_reserved(world, entity + id_make(0, 1)));
  assert_false(store_is_reserved(world, id_make(world->index.used, 0)));
  assert_false(store_alive(world, id_make(world->index.used, 0)));
  assert_int_equal(store_locate(world, entity, component, &place), ECS_E_DEAD);
  assert_null(place.table);
  assert_int_equal(store_add(world, entity, component, NULL), ECS_E_DEAD);
  assert_int_equal(store_remove(world, entity, component), ECS_E_DEAD);
  assert_sound(world);
  entity_index_free(&world->index, id_index(entity), 0);
  finish(&fixture);
}

/* Slots hold the first generations, rows the later ones. Handles of all
 * generations are checked, and numbers that are no handles. */
TEST(only_the_latest_of_many_generations_is_alive) {
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component component = define(world, "a", "w", ECS_STORE_TABLE);
  uint32_t last = ECS_SLOT_GENERATIONS + 40;
  if (last > ECS_GENERATION_LIMIT - 1) last = ECS_GENERATION_LIMIT - 1;
  for (uint32_t now = 0; now <= last; now++) {
    ecs_Entity entity = spawn(world, &component, 1);
    assert_int_equal(entity, id_make(1, now));
    for (uint32_t k = 0; k <= last; k++)
      assert_int_equal(store_alive(world, id_make(1, k)), k == now);
    for (uint32_t bit = 52; bit < 64; bit++)
      assert_false(store_alive(world, entity | UINT64_C(1) << bit));
    assert_sound(world);
    assert_int_equal(store_destroy_entity(world, entity), ECS_OK);
    assert_false(store_alive(world, entity));
  }
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_alive_in_a_new_world),
      cmocka_unit_test(a_reserved_entity_is_alive_without_a_place),
      cmocka_unit_test(only_the_latest_of_many_generations_is_alive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
