/* deferred_change_test.c: changes of one entity, now or recorded.
 *
 *      A {x, y}  in tables      S {x}  sparse      T  a tag, as bits
 *
 * While a level is open, a value is written in place only if nothing is
 * recorded for the entity. Every other change is recorded, unless it would have
 * no effect.
 */
#include <string.h>

#include "test_case.h"
#include "world/deferral.h"
#include "world/deferred_change.h"
#include "api_fixture.h"

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, s, t;
  ecs_Entity e, dead;
} Fixture;

static void start(Fixture *fixture) {
  static const ecs_Field xy[] = {{"x", ECS_F32, 1}, {"y", ECS_F32, 2}};
  fixture->world = open_world(&fixture->failing);
  ecs_World *world = fixture->world;
  fixture->a = define_component(world, "A", xy, 2, ECS_STORE_TABLE);
  fixture->s = define_component(world, "S", xy, 1, ECS_STORE_SPARSE);
  fixture->t = define_component(world, "T", NULL, 0, ECS_STORE_BITS);
  assert_int_equal(ecs_spawn(world, &fixture->a, 1, NULL, &fixture->e), ECS_OK);
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &fixture->dead), ECS_OK);
  assert_int_equal(ecs_destroy(world, fixture->dead), ECS_OK);
}

static void finish(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  close_world(fixture->world, &fixture->failing);
}

static void open_level(const Fixture *fixture) {
  assert_int_equal(deferral_open(fixture->world), ECS_OK);
}

static void close_level(const Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  assert_int_equal(deferral_close(fixture->world), ECS_OK);
}

static uint32_t recorded(const Fixture *fixture) {
  return fixture->world->commands.command_count;
}

static float x_of(const Fixture *fixture) {
  float image[2] = {0, 0};
  assert_int_equal(ecs_get(fixture->world, fixture->e, fixture->a, image),
                   ECS_OK);
  return image[0];
}

TEST(with_nothing_open_changes_happen_at_once) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  const float image[2] = {3, 4};
  assert_int_equal(world_add(world, fixture.e, fixture.s, image), ECS_OK);
  assert_true(ecs_has(world, fixture.e, fixture.s));
  assert_int_equal(world_set(world, fixture.e, fixture.a, image, 1), ECS_OK);
  assert_true(x_of(&fixture) == 3);
  assert_int_equal(world_set(world, fixture.e, fixture.t, NULL, 0), ECS_OK);
  assert_true(ecs_has(world, fixture.e, fixture.t));
  assert_int_equal(world_remove(world, fixture.e, fixture.s), ECS_OK);
  assert_false(ecs_has(world, fixture.e, fixture.s));
  assert_int_equal(world_destroy(world, fixture.e), ECS_OK);
  assert_false(world_alive(world, fixture.e));
  assert_int_equal(recorded(&fixture), 0);
  finish(&fixture);
}

TEST(with_a_level_open_changes_wait) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  open_level(&fixture);
  assert_int_equal(world_add(world, fixture.e, fixture.s, NULL), ECS_OK);
  assert_int_equal(world_remove(world, fixture.e, fixture.a), ECS_OK);
  assert_false(ecs_has(world, fixture.e, fixture.s));
  assert_true(ecs_has(world, fixture.e, fixture.a));
  assert_int_equal(recorded(&fixture), 2);
  close_level(&fixture);
  assert_true(ecs_has(world, fixture.e, fixture.s));
  assert_false(ecs_has(world, fixture.e, fixture.a));
  finish(&fixture);
}

TEST(a_change_that_comes_to_nothing_is_not_recorded) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  open_level(&fixture);
  assert_int_equal(deferred_add(world, fixture.e, fixture.a, NULL), ECS_OK);
  assert_int_equal(deferred_remove(world, fixture.e, fixture.s), ECS_OK);
  assert_int_equal(recorded(&fixture), 0);
  assert_int_equal(deferred_remove(world, fixture.e, fixture.a), ECS_OK);
  assert_int_equal(deferred_add(world, fixture.e, fixture.a, NULL), ECS_OK);
  assert_int_equal(recorded(&fixture), 2);
  close_level(&fixture);
  assert_true(ecs_has(world, fixture.e, fixture.a));
  finish(&fixture);
}

TEST(values_are_set_in_place_until_something_is_recorded) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  const float three[2] = {3, 3}, four[2] = {4, 4};
  open_level(&fixture);
  assert_int_equal(deferred_set(world, fixture.e, fixture.a, three, UINT64_MAX),
                   ECS_OK);
  assert_int_equal(recorded(&fixture), 0);
  assert_true(x_of(&fixture) == 3);
  assert_int_equal(deferred_add(world, fixture.e, fixture.s, NULL), ECS_OK);
  assert_int_equal(deferred_set(world, fixture.e, fixture.a, four, UINT64_MAX),
                   ECS_OK);
  assert_int_equal(recorded(&fixture), 2);
  assert_true(x_of(&fixture) == 3);
  close_level(&fixture);
  assert_true(x_of(&fixture) == 4);
  finish(&fixture);
}

TEST(a_claimed_component_is_not_set) {
  Fixture fixture;
  const float three[2] = {3, 3};
  start(&fixture);
  ecs_World *world = fixture.world;
  open_level(&fixture);
  world->store.components.all[fixture.a].readers++;
  assert_int_equal(deferred_set(world, fixture.e, fixture.a, three, UINT64_MAX),
                   ECS_E_ACCESS);
  assert_int_equal(world->contested, fixture.a);
  assert_true(x_of(&fixture) == 1);
  world->store.components.all[fixture.a].readers--;
  close_level(&fixture);
  finish(&fixture);
}

TEST(changes_of_an_entity_to_be_destroyed_are_dropped) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  open_level(&fixture);
  uint64_t epoch = world->store.row_epoch;
  assert_int_equal(deferred_destroy(world, fixture.e), ECS_OK);
  assert_true(world->store.row_epoch > epoch);
  assert_false(world_alive(world, fixture.e));
  assert_true(recorded_destroyed(world, fixture.e));
  assert_int_equal(deferred_add(world, fixture.e, fixture.s, NULL), ECS_OK);
  assert_int_equal(deferred_remove(world, fixture.e, fixture.a), ECS_OK);
  assert_int_equal(world->dropped, 2);
  assert_int_equal(recorded(&fixture), 1);
  assert_int_equal(deferred_destroy(world, fixture.e), ECS_E_DEAD);
  close_level(&fixture);
  assert_int_equal(ecs_add(world, fixture.e, fixture.s, NULL), ECS_E_DEAD);
  finish(&fixture);
}

TEST(a_recorded_entity_is_alive_and_has_nothing_yet) {
  Fixture fixture;
  ecs_Entity born = 0;
  float image[2];
  start(&fixture);
  ecs_World *world = fixture.world;
  open_level(&fixture);
  assert_int_equal(ecs_spawn(world, &fixture.a, 1, NULL, &born), ECS_OK);
  assert_true(world_alive(world, born));
  assert_int_equal(world_absence(world, born, ECS_E_DEAD), ECS_E_ABSENT);
  assert_int_equal(world_absence(world, fixture.dead, ECS_E_DEAD), ECS_E_DEAD);
  assert_int_equal(world_absence(world, fixture.e, ECS_E_ABSENT), ECS_E_ABSENT);
  assert_int_equal(ecs_get(world, born, fixture.a, image), ECS_E_ABSENT);
  assert_int_equal(deferred_add(world, born, fixture.s, NULL), ECS_OK);
  close_level(&fixture);
  assert_true(ecs_has(world, born, fixture.s));
  finish(&fixture);
}

TEST(what_is_dead_or_no_handle_is_not_changed) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Entity none[] = {0, fixture.dead, UINT64_MAX};
  open_level(&fixture);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(deferred_add(world, none[i], fixture.a, NULL), ECS_E_DEAD);
    assert_int_equal(deferred_remove(world, none[i], fixture.a), ECS_E_DEAD);
    assert_int_equal(deferred_set(world, none[i], fixture.a, NULL, 0),
                     ECS_E_DEAD);
    assert_int_equal(deferred_destroy(world, none[i]), ECS_E_DEAD);
    assert_null(recorded_commands(world, none[i]));
  }
  assert_int_equal(recorded(&fixture), 0);
  close_level(&fixture);
  finish(&fixture);
}

TEST(what_is_added_for_some_fields_has_defaults_elsewhere) {
  Fixture fixture;
  const float image[2] = {8, 9};
  float got[2];
  start(&fixture);
  ecs_World *world = fixture.world;
  assert_int_equal(world_remove(world, fixture.e, fixture.a), ECS_OK);
  assert_int_equal(world_set(world, fixture.e, fixture.a, image, 2), ECS_OK);
  assert_int_equal(ecs_get(world, fixture.e, fixture.a, got), ECS_OK);
  assert_true(got[0] == 1 && got[1] == 9);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(with_nothing_open_changes_happen_at_once),
      cmocka_unit_test(with_a_level_open_changes_wait),
      cmocka_unit_test(a_change_that_comes_to_nothing_is_not_recorded),
      cmocka_unit_test(values_are_set_in_place_until_something_is_recorded),
      cmocka_unit_test(a_claimed_component_is_not_set),
      cmocka_unit_test(changes_of_an_entity_to_be_destroyed_are_dropped),
      cmocka_unit_test(a_recorded_entity_is_alive_and_has_nothing_yet),
      cmocka_unit_test(what_is_dead_or_no_handle_is_not_changed),
      cmocka_unit_test(what_is_added_for_some_fields_has_defaults_elsewhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
