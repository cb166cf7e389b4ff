/* deferral_test.c: levels of recording, opened, closed and discarded.
 *
 *      level 1   add A to e1     closed    kept for level 0
 *      level 1   add A to e2     discarded
 *      level 0                   closed    e1 has A
 */
#include <string.h>

#include "test_case.h"
#include "world/deferral.h"
#include "world/deferred_change.h"
#include "api_fixture.h"

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a;
  ecs_Entity e1, e2;
} Fixture;

static void start(Fixture *fixture) {
  static const ecs_Field x = {"x", ECS_F32, 0};
  fixture->world = open_world(&fixture->failing);
  fixture->a = define_component(fixture->world, "A", &x, 1, ECS_STORE_TABLE);
  assert_int_equal(ecs_spawn(fixture->world, NULL, 0, NULL, &fixture->e1),
                   ECS_OK);
  assert_int_equal(ecs_spawn(fixture->world, NULL, 0, NULL, &fixture->e2),
                   ECS_OK);
}

static void finish(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  close_world(fixture->world, &fixture->failing);
}

static void record_add(const Fixture *fixture, ecs_Entity entity) {
  assert_int_equal(deferred_add(fixture->world, entity, fixture->a, NULL),
                   ECS_OK);
  assert_false(ecs_has(fixture->world, entity, fixture->a));
  assert_true(world_check_invariants(fixture->world));
}

TEST(the_outermost_level_applies_what_inner_ones_kept) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  assert_int_equal(deferral_open(world), ECS_OK);
  assert_int_equal(deferral_open(world), ECS_OK);
  record_add(&fixture, fixture.e1);
  assert_int_equal(deferral_close(world), ECS_OK);
  assert_int_equal(deferral_open(world), ECS_OK);
  record_add(&fixture, fixture.e2);
  deferral_discard(world);
  assert_true(world_check_invariants(world));
  assert_false(ecs_has(world, fixture.e1, fixture.a));
  assert_int_equal(deferral_close(world), ECS_OK);
  assert_true(ecs_has(world, fixture.e1, fixture.a));
  assert_false(ecs_has(world, fixture.e2, fixture.a));
  finish(&fixture);
}

TEST(every_opening_and_closing_changes_the_row_epoch) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  uint64_t epoch = world->store.row_epoch;
  assert_int_equal(deferral_open(world), ECS_OK);
  assert_int_equal(world->store.row_epoch, epoch + 1);
  assert_int_equal(deferral_close(world), ECS_OK);
  assert_int_equal(world->store.row_epoch, epoch + 2);
  assert_int_equal(deferral_open(world), ECS_OK);
  deferral_discard(world);
  assert_int_equal(world->store.row_epoch, epoch + 4);
  finish(&fixture);
}

TEST(levels_are_limited) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  for (uint32_t i = 0; i < ECS_NESTING_LIMIT; i++)
    assert_int_equal(deferral_open(world), ECS_OK);
  uint64_t epoch = world->store.row_epoch;
  assert_int_equal(deferral_open(world), ECS_E_LIMIT);
  assert_int_equal(world->depth, ECS_NESTING_LIMIT);
  assert_int_equal(world->store.row_epoch, epoch);
  for (uint32_t i = 0; i < ECS_NESTING_LIMIT; i++) deferral_discard(world);
  finish(&fixture);
}

TEST(a_rewound_level_stays_open) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  assert_int_equal(deferral_open(world), ECS_OK);
  record_add(&fixture, fixture.e1);
  assert_int_equal(deferred_destroy(world, fixture.e1), ECS_OK);
  Level before = deferral_mark(world);
  assert_int_equal(deferred_add(world, fixture.e1, fixture.a, NULL), ECS_OK);
  assert_int_equal(world->dropped, 1);
  record_add(&fixture, fixture.e2);
  deferral_rewind(world, &before);
  assert_int_equal(world->depth, 1);
  assert_int_equal(world->dropped, 0);
  assert_null(recorded_commands(world, fixture.e2));
  assert_true(recorded_destroyed(world, fixture.e1));
  assert_true(world_check_invariants(world));
  assert_int_equal(deferral_close(world), ECS_OK);
  assert_false(ecs_alive(world, fixture.e1));
  finish(&fixture);
}

/* A failed application leaves nothing recorded and nothing counted. */
TEST(what_cannot_be_applied_is_forgotten) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  uint64_t hash = ecs_world_hash(world);
  assert_int_equal(deferral_open(world), ECS_OK);
  record_add(&fixture, fixture.e1);
  assert_int_equal(deferred_destroy(world, fixture.e2), ECS_OK);
  assert_int_equal(deferred_add(world, fixture.e2, fixture.a, NULL), ECS_OK);
  assert_int_equal(world->dropped, 1);
  failing_memory_arm(&fixture.failing, 1, FAIL_ONWARD);
  assert_int_equal(deferral_close(world), ECS_E_MEMORY);
  assert_true(failing_memory_disarm(&fixture.failing) > 0);
  assert_int_equal(world->depth, 0);
  assert_int_equal(world->dropped, 0);
  assert_true(ecs_world_hash(world) == hash);
  assert_true(world_check_invariants(world));
  finish(&fixture);
}

/* A failed application keeps all of it, in a deferral. */
TEST(what_cannot_be_applied_is_kept) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  assert_int_equal(deferral_open(world), ECS_OK);
  (void)level_stamp(world, 1);
  record_add(&fixture, fixture.e1);
  assert_int_equal(deferred_destroy(world, fixture.e2), ECS_OK);
  assert_int_equal(deferred_add(world, fixture.e2, fixture.a, NULL), ECS_OK);
  uint64_t epoch = world->store.row_epoch;
  failing_memory_arm(&fixture.failing, 1, FAIL_ONWARD);
  assert_int_equal(deferral_close_kept(world), ECS_E_MEMORY);
  assert_true(failing_memory_disarm(&fixture.failing) > 0);
  assert_int_equal(world->depth, 1);
  assert_int_equal(world->deferrals, 1);
  assert_true(deferral_is_innermost(world));
  assert_int_equal(world->store.row_epoch, epoch + 1);
  assert_int_equal(world->dropped, 1);
  assert_true(world_check_invariants(world));
  world->deferrals--;
  assert_int_equal(deferral_close_kept(world), ECS_OK);
  assert_int_equal(world->depth, 0);
  assert_true(ecs_has(world, fixture.e1, fixture.a));
  assert_false(ecs_alive(world, fixture.e2));
  assert_int_equal(world->dropped, 1);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_outermost_level_applies_what_inner_ones_kept),
      cmocka_unit_test(every_opening_and_closing_changes_the_row_epoch),
      cmocka_unit_test(levels_are_limited),
      cmocka_unit_test(a_rewound_level_stays_open),
      cmocka_unit_test(what_cannot_be_applied_is_forgotten),
      cmocka_unit_test(what_cannot_be_applied_is_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
