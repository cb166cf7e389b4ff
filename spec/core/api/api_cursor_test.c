/* api_cursor_test.c: the cursor over the columns of ecs_spawn_many, and how
 * cursors end.
 */
#include "api_scene.h"
#include "storage/store_check.h"
#include "test_case.h"

/* Spawning many ----------------------------------------------------------- */

TEST(many_are_spawned_with_defaults_and_their_columns_open) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Cursor cursor;
  ecs_Batch batch;
  A image;
  uint16_t s = 0;
  assert_int_equal(ecs_spawn_many(world, fixture.bundle, 3, NULL), ECS_OK);
  assert_int_equal(ecs_spawn_many(world, fixture.bundle, 10, &cursor), ECS_OK);
  assert_true(ecs_deferring(world));
  assert_true(ecs_cursor_next(&cursor, &batch));
  assert_int_equal(batch.count, 10);
  assert_int_equal(batch.column_count, 3);
  ecs_Entity first = batch.entities[0], last = batch.entities[9];
  assert_true(((double *)batch.columns[0])[9] == 1.5);
  assert_int_equal(((uint8_t *)batch.columns[1])[9], 0);
  assert_int_equal(((uint16_t *)batch.columns[2])[9], 7);
  ((double *)batch.columns[0])[9] = 5;
  ((uint16_t *)batch.columns[2])[0] = 6;
  assert_int_equal(ecs_get(world, first, fixture.a, &image), ECS_E_ACCESS);
  assert_int_equal(ecs_world_contested(world), fixture.a);
  assert_int_equal(ecs_get(world, first, fixture.s, &s), ECS_E_ACCESS);
  assert_int_equal(ecs_world_contested(world), fixture.s);
  assert_false(ecs_cursor_next(&cursor, &batch));
  ecs_cursor_discard(&cursor); /* keeps the entities */
  assert_false(ecs_deferring(world));
  assert_int_equal(ecs_get(world, last, fixture.a, &image), ECS_OK);
  assert_true(image.x == 5);
  assert_int_equal(ecs_get(world, first, fixture.s, &s), ECS_OK);
  assert_int_equal(s, 6);
  s = 8; /* no cursor owns them */
  assert_int_equal(ecs_set(world, first, fixture.s, &s, 1), ECS_OK);
  assert_int_equal(ecs_set(world, first, fixture.a, &image, 3), ECS_OK);
  s = 0;
  assert_int_equal(ecs_get(world, first, fixture.s, &s), ECS_OK);
  assert_int_equal(s, 8);
  assert_int_equal(statistics_of(&fixture).entities, 14);
  assert_true(world_check_invariants(world));
  finish(&fixture);
}

/* Their table may stay. */
TEST(spawning_none_of_many_is_possible) {
  for (uint32_t deferred = 0; deferred < 2; deferred++) {
    Fixture fixture;
    ecs_Cursor cursor;
    ecs_Batch batch;
    start(&fixture);
    uint64_t hash = ecs_world_state_hash(fixture.world);
    if (deferred == 1) assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
    assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 0, &cursor),
                     ECS_OK);
    assert_false(ecs_cursor_next(&cursor, &batch));
    assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
    assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 0, NULL),
                     ECS_OK);
    if (deferred == 1) assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
    assert_true(ecs_world_state_hash(fixture.world) == hash);
    finish(&fixture);
  }
}

TEST(every_allocation_of_spawning_many_may_fail) {
  for (uint32_t round = 0; round < 4; round++) {
    Fixture fixture;
    FailingMode mode = round % 2 == 0 ? FAIL_ONCE : FAIL_ONWARD;
    start(&fixture);
    ecs_World *world = fixture.world;
    ecs_Cursor cursor;
    uint64_t nth = 0, injected;
    if (round >= 2) assert_int_equal(ecs_defer_begin(world), ECS_OK);
    do {
      uint64_t hash = ecs_world_hash(world);
      uint64_t entities = statistics_of(&fixture).entities;
      failing_memory_arm(&fixture.failing, ++nth, mode);
      ecs_Status status = ecs_spawn_many(world, fixture.bundle, 9, &cursor);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      if (injected == 0) break;
      assert_true(ecs_world_hash(world) == hash);
      assert_int_equal(statistics_of(&fixture).entities, entities);
      assert_int_equal(ecs_deferring(world), round >= 2);
    } while (injected > 0);
    assert_true(nth > 4);
    assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
    if (round >= 2) assert_int_equal(ecs_defer_end(world), ECS_OK);
    assert_int_equal(statistics_of(&fixture).entities, 10);
    assert_true(world_check_invariants(world));
    finish(&fixture);
  }
}

/* Cursors ----------------------------------------------------------------- */

TEST(a_cursor_ends_with_a_failed_recording) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Query *query = query_of(&fixture, fixture.a, ECS_WRITE);
  assert_int_equal(ecs_add(world, fixture.e, fixture.a, NULL), ECS_OK);
  uint64_t hash = ecs_world_state_hash(world);
  ecs_Cursor cursor = open_cursor(query);
  assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_OK);
  failing_memory_arm(&fixture.failing, 1, FAIL_ONWARD);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_E_MEMORY);
  (void)failing_memory_disarm(&fixture.failing);
  assert_false(ecs_deferring(world));
  assert_int_equal(query->open, 0);
  assert_true(ecs_world_state_hash(world) == hash);
  assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_OK);
  assert_true(ecs_has(world, fixture.e, fixture.tag));
  finish(&fixture);
}

/* The outermost applies, whichever kind it is. */
TEST(the_outermost_end_applies) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Cursor outer = open_cursor(query_of(&fixture, fixture.a, ECS_READ));
  ecs_Cursor inner = open_cursor(query_of(&fixture, fixture.a, ECS_READ));
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_OK);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_int_equal(ecs_cursor_end(&inner), ECS_OK);
  assert_false(ecs_has(world, fixture.e, fixture.tag));
  assert_int_equal(ecs_cursor_end(&outer), ECS_OK);
  assert_true(ecs_has(world, fixture.e, fixture.tag));
  finish(&fixture);
}

TEST(a_cursor_that_could_not_begin_leaves_nothing_open) {
  Fixture fixture;
  start(&fixture);
  ecs_Query *query = query_of(&fixture, fixture.a, ECS_WRITE);
  ecs_Cursor cursor;
  uint64_t nth = 0, injected;
  do {
    failing_memory_arm(&fixture.failing, ++nth, FAIL_ONCE);
    ecs_Status status = ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor);
    injected = failing_memory_disarm(&fixture.failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    assert_int_equal(ecs_deferring(fixture.world), injected == 0);
  } while (injected > 0);
  assert_true(nth > 2);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_are_spawned_with_defaults_and_their_columns_open),
      cmocka_unit_test(spawning_none_of_many_is_possible),
      cmocka_unit_test(every_allocation_of_spawning_many_may_fail),
      cmocka_unit_test(a_cursor_ends_with_a_failed_recording),
      cmocka_unit_test(the_outermost_end_applies),
      cmocka_unit_test(a_cursor_that_could_not_begin_leaves_nothing_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
