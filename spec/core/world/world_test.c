/* world_test.c: component checks, the list of queries, and the invariants.
 *
 * Every invariant of world_check_invariants is broken once by hand, seen, and
 * mended again.
 *
 *      A {x}  in tables      S {s}  sparse      query over A
 */
#include <string.h>

#include "test_case.h"
#include "world/deferral.h"
#include "api_fixture.h"

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, s;
  ecs_Query *query;
  ecs_Entity e;
} Fixture;

static void start(Fixture *fixture) {
  static const ecs_Field x = {"x", ECS_F32, 0};
  fixture->world = open_world(&fixture->failing);
  fixture->a = define_component(fixture->world, "A", &x, 1, ECS_STORE_TABLE);
  fixture->s = define_component(fixture->world, "S", &x, 1, ECS_STORE_SPARSE);
  const ecs_Term term = {fixture->a, ECS_WRITE};
  fixture->query = make_query(fixture->world, &term, 1);
  assert_int_equal(ecs_spawn(fixture->world, &fixture->a, 1, NULL, &fixture->e),
                   ECS_OK);
}

static void finish(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  close_world(fixture->world, &fixture->failing);
}

/* Components -------------------------------------------------------------- */

TEST(only_ids_of_the_world_are_components) {
  Fixture fixture;
  start(&fixture);
  assert_true(world_has_component(fixture.world, fixture.a));
  assert_true(world_has_component(fixture.world, fixture.s));
  assert_false(world_has_component(fixture.world, 0));
  assert_false(world_has_component(fixture.world, fixture.s + 1));
  assert_false(world_has_component(fixture.world, UINT32_MAX));
  finish(&fixture);
}

TEST(a_list_of_components_names_none_twice) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component both[] = {fixture.s, fixture.a};
  const ecs_Component twice[] = {fixture.a, fixture.s, fixture.a};
  const ecs_Component unknown[] = {fixture.a, fixture.s + 1};
  assert_true(world_has_components(fixture.world, NULL, 0));
  assert_true(world_has_components(fixture.world, both, 2));
  assert_false(world_has_components(fixture.world, twice, 3));
  assert_false(world_has_components(fixture.world, unknown, 2));
  finish(&fixture);
}

/* Queries ----------------------------------------------------------------- */

TEST(removing_a_query_keeps_the_order_of_the_others) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term term = {fixture.s, ECS_READ};
  ecs_Query *second = make_query(fixture.world, &term, 1);
  ecs_Query *third = make_query(fixture.world, &term, 1);
  assert_int_equal(ecs_query_destroy(second), ECS_OK);
  assert_int_equal(fixture.world->query_count, 2);
  assert_ptr_equal(fixture.world->queries[0], fixture.query);
  assert_ptr_equal(fixture.world->queries[1], third);
  assert_true(world_check_invariants(fixture.world));
  finish(&fixture);
}

TEST(room_for_a_query_changes_nothing_else) {
  Fixture fixture;
  start(&fixture);
  uint32_t count = fixture.world->query_count;
  assert_int_equal(world_reserve_query(fixture.world), ECS_OK);
  assert_true(fixture.world->query_capacity > count);
  assert_int_equal(fixture.world->query_count, count);
  fixture.world->query_count = ECS_QUERY_LIMIT;
  assert_int_equal(world_reserve_query(fixture.world), ECS_E_LIMIT);
  fixture.world->query_count = count;
  finish(&fixture);
}

/* Invariants -------------------------------------------------------------- */

/* Sets a field to a wrong value, checks that it is detected, and restores
 * it. */
#define assert_seen(field, wrong)                \
  do {                                           \
    assert_true(world_check_invariants(world));  \
    __typeof__(field) right = field;             \
    field = wrong;                               \
    assert_false(world_check_invariants(world)); \
    field = right;                               \
  } while (0)

TEST(broken_counts_are_seen) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  assert_seen(world->depth, ECS_NESTING_LIMIT + 1);
  assert_seen(world->deferrals, 1);
  assert_seen(world->contested, fixture.s + 1);
  assert_seen(world->query_count, world->query_capacity + 1);
  assert_seen(fixture.query->open, 1);
  assert_seen(world->store.components.all[fixture.a].writers, 1);
  assert_seen(world->store.components.all[fixture.a].readers, 1);
  finish(&fixture);
}

TEST(a_query_that_is_listed_twice_is_seen) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Term term = {fixture.s, ECS_READ};
  make_query(world, &term, 1);
  assert_seen(world->queries[1], fixture.query);
  assert_seen(world->queries[0]->store, NULL);
  finish(&fixture);
}

TEST(broken_levels_are_seen) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_add(world, fixture.e, fixture.s, NULL), ECS_OK);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_remove(world, fixture.e, fixture.a), ECS_OK);
  assert_int_equal(ecs_add(world, fixture.e, fixture.a, NULL), ECS_OK);
  const CommandMark *mark = &world->levels[1].mark;
  assert_int_equal(mark->command_count, 1);
  assert_seen(world->levels[0].mark.command_count, 1);
  assert_seen(world->levels[0].mark.entity_count, 1);
  assert_seen(world->levels[1].mark.used_bytes, mark->used_bytes + 8);
  assert_seen(world->levels[1].mark.used_bytes, mark->used_bytes - 8);
  assert_seen(world->levels[1].mark.used_bytes, 0);
  assert_seen(world->levels[1].mark.entity_count, 0);
  assert_seen(world->levels[1].mark.entity_count, 2);
  assert_seen(world->levels[1].mark.command_count, 0);
  assert_seen(world->levels[1].mark.command_count, 2);
  assert_seen(world->levels[0].dropped, 1);
  assert_seen(world->levels[1].dropped, 1);
  assert_seen(world->levels[1].mark.page_count, 0);
  assert_seen(world->levels[1].mark.page_count, UINT32_MAX);
  assert_seen(world->depth, 0);
  assert_seen(world->commands.command_count, 1);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  finish(&fixture);
}

TEST(a_recording_that_differs_from_the_store_is_seen) {
  Fixture fixture;
  ecs_Entity born = 0;
  start(&fixture);
  ecs_World *world = fixture.world;
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_add(world, fixture.e, fixture.s, NULL), ECS_OK);
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &born), ECS_OK);
  EntityCommands *recorded = world->commands.entities;
  assert_seen(recorded[0].entity, born);
  assert_seen(recorded[1].last->shape, recorded[0].last->shape);
  assert_seen(recorded[1].last->entity_position, 0);
  assert_seen(recorded[1].last, recorded[0].last);
  assert_seen(world->commands.entity_count, 1);
  assert_seen(world->commands.store, NULL);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_ids_of_the_world_are_components),
      cmocka_unit_test(a_list_of_components_names_none_twice),
      cmocka_unit_test(removing_a_query_keeps_the_order_of_the_others),
      cmocka_unit_test(room_for_a_query_changes_nothing_else),
      cmocka_unit_test(broken_counts_are_seen),
      cmocka_unit_test(a_query_that_is_listed_twice_is_seen),
      cmocka_unit_test(broken_levels_are_seen),
      cmocka_unit_test(a_recording_that_differs_from_the_store_is_seen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
