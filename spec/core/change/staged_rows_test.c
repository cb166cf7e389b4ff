/* staged_rows_test.c: the values of entities that are spawned when changes are
 * applied.
 */
#include "flush_fixture.h"
#include "test_case.h"

TEST(staged_rows_of_no_entities_are_freed) {
  Fixture fixture;
  start(&fixture);
  ecs_Bundle bundle = 0;
  assert_int_equal(ecs_bundle(fixture.world, &fixture.a, 1, &bundle), ECS_OK);
  uint64_t blocks = 0;
  for (uint32_t i = 0; i < 3; i++) {
    begin(&fixture);
    assert_int_equal(ecs_spawn_many(fixture.world, bundle, 0, NULL), ECS_OK);
    end(&fixture);
    assert_settled(&fixture);
    if (i > 0) assert_int_equal(fixture.failing.blocks, blocks);
    blocks = fixture.failing.blocks;
  }
  finish(&fixture);
}

static void assert_a(const Fixture *fixture, ecs_Entity entity, double x,
                     float y) {
  A a = {-1, -1};
  assert_int_equal(ecs_get(fixture->world, entity, fixture->a, &a), ECS_OK);
  assert_true(a.x == x);
  assert_true(a.y == y);
}

TEST(staged_values_arrive_and_can_be_changed_before) {
  Fixture fixture;
  ecs_Entity e[6];
  start(&fixture);
  ecs_World *world = fixture.world;
  begin(&fixture);
  stage_six(&fixture, e);
  const A image = {90, 91};
  assert_int_equal(ecs_add(world, e[1], fixture.a, &image), ECS_OK);
  assert_int_equal(ecs_set(world, e[2], fixture.a, &image, 2), ECS_OK);
  assert_int_equal(ecs_remove(world, e[3], fixture.a), ECS_OK);
  assert_int_equal(ecs_remove(world, e[3], fixture.t), ECS_OK);
  assert_int_equal(ecs_remove(world, e[3], fixture.s), ECS_OK);
  assert_int_equal(ecs_remove(world, e[4], fixture.a), ECS_OK);
  assert_int_equal(ecs_set(world, e[4], fixture.a, &image, 1), ECS_OK);
  assert_int_equal(ecs_add(world, e[4], fixture.u, NULL), ECS_OK);
  assert_int_equal(ecs_destroy(world, e[5]), ECS_OK);
  end(&fixture);
  assert_a(&fixture, e[0], 0, 0);
  assert_a(&fixture, e[1], 1, 2); /* it was there: adding does nothing */
  assert_a(&fixture, e[2], 2, 91);
  assert_a(&fixture, e[4], 90, 0);
  const bool has_a[] = {true, true, true, false, true, false};
  for (uint32_t i = 0; i < 6; i++) {
    uint16_t s = 0;
    uint8_t b = 0;
    assert_int_equal(ecs_has(world, e[i], fixture.a), has_a[i]);
    assert_int_equal(ecs_has(world, e[i], fixture.t), i != 3 && i != 5);
    assert_int_equal(ecs_has(world, e[i], fixture.u), i == 4);
    assert_int_equal(ecs_has(world, e[i], fixture.tag), i != 5);
    assert_int_equal(ecs_alive(world, e[i]), i != 5);
    if (i == 5) continue;
    assert_int_equal(ecs_get(world, e[i], fixture.b, &b), ECS_OK);
    assert_int_equal(b, i % 2);
    assert_int_equal(ecs_get(world, e[i], fixture.s, &s),
                     i == 3 ? ECS_E_ABSENT : ECS_OK);
    if (i != 3) assert_int_equal(s, i * 3);
  }
  assert_settled(&fixture);
  finish(&fixture);
}

TEST(staged_values_are_made_canonical) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component what[] = {fixture.a, fixture.b};
  ecs_Bundle bundle = 0;
  ecs_Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(ecs_bundle(fixture.world, what, 2, &bundle), ECS_OK);
  begin(&fixture);
  assert_int_equal(ecs_spawn_many(fixture.world, bundle, 1, &cursor), ECS_OK);
  assert_true(ecs_cursor_next(&cursor, &batch));
  const uint64_t noise = UINT64_C(0xfff123456789abcd);
  memcpy(batch.columns[0], &noise, 8);
  *(uint8_t *)batch.columns[2] = 7;
  ecs_Entity entity = batch.entities[0];
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  end(&fixture);
  A a;
  uint8_t b = 0;
  uint64_t bits = 0;
  assert_int_equal(ecs_get(fixture.world, entity, fixture.a, &a), ECS_OK);
  assert_int_equal(ecs_get(fixture.world, entity, fixture.b, &b), ECS_OK);
  memcpy(&bits, &a.x, 8);
  assert_int_equal(bits, UINT64_C(0x7ff8000000000000));
  assert_int_equal(b, 1);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(staged_rows_of_no_entities_are_freed),
      cmocka_unit_test(staged_values_arrive_and_can_be_changed_before),
      cmocka_unit_test(staged_values_are_made_canonical),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
