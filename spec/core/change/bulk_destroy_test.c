/* bulk_destroy_test.c: destroying all matches, and changing them after.
 */
#include "bulk_fixture.h"
#include "test_case.h"

/* Destroying a match twice does nothing; a component added to it is dropped. */
TEST(changes_of_destroyed_matches_are_dropped) {
  Fixture fixture;
  ecs_Statistics statistics;
  start(&fixture);
  const ecs_Term term = {A, ECS_READ};
  ecs_Query *query = query_of(&fixture, &term, 1);
  spawn_some(&fixture, A, 5);
  must(ecs_defer_begin(fixture.world));
  must(ecs_query_destroy_all(query));
  must(ecs_query_destroy_all(query));
  must(ecs_query_add_all(query, B, NULL));
  assert_int_equal(fixture.world->commands.command_count, 5);
  ecs_world_statistics(fixture.world, &statistics);
  assert_int_equal(statistics.dropped, 5);
  must(ecs_defer_end(fixture.world));
  assert_int_equal(count_of(query), 0);
  finish(&fixture);
}

/* Rows in another order than their indices, alone and joined with a set: from
 * the second time on nothing is allocated. */
TEST(destroying_all_again_allocates_nothing) {
  for (uint32_t count = 1; count <= 2; count++) {
    Fixture fixture;
    start(&fixture);
    const ecs_Term terms[] = {{A, ECS_READ}, {S, ECS_READ}};
    ecs_Query *query = query_of(&fixture, terms, count);
    uint64_t requests = 0;
    for (uint32_t round = 0; round < 4; round++) {
      ecs_Entity entities[6];
      for (uint32_t i = 0; i < 6; i++)
        must(ecs_spawn(fixture.world, NULL, 0, NULL, &entities[i]));
      for (uint32_t i = 6; i-- > 0;) {
        must(ecs_add(fixture.world, entities[i], A, NULL));
        must(ecs_add(fixture.world, entities[i], S, NULL));
      }
      assert_true(count_of(query) >= 6);
      requests = fixture.failing.requests;
      must(ecs_query_destroy_all(query));
      if (round > 1) assert_int_equal(fixture.failing.requests, requests);
    }
    finish(&fixture);
  }
}

static Table *place_of(const Fixture *fixture, ecs_Entity entity) {
  Store *store = &fixture->world->store;
  Slot slot = *entity_index_slot(&store->index, id_index(entity));
  return store_main(store)->tables[slot_table(slot)];
}

/* Rows that stay keep their order, whichever are destroyed. */
TEST(destroying_in_order_keeps_the_order) {
  enum { ROWS = 2 * ECS_BLOCK_ROWS + 3 };
  for (uint32_t step = 1; step <= 7; step++) {
    Fixture fixture;
    ecs_Entity entities[ROWS];
    const ecs_Component a = A;
    start(&fixture);
    const ecs_Term terms[] = {{A, ECS_READ}, {BIT, ECS_WITH}};
    ecs_Query *query = query_of(&fixture, terms, 2);
    for (uint32_t i = 0; i < ROWS; i++) {
      must(ecs_spawn(fixture.world, &a, 1, NULL, &entities[i]));
      if (i % 7 < step) must(ecs_add(fixture.world, entities[i], BIT, NULL));
    }
    must(ecs_query_destroy_in_order(query));
    uint32_t row = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
      assert_true(ecs_alive(fixture.world, entities[i]) == (i % 7 >= step));
      if (i % 7 < step) continue;
      Table *table = place_of(&fixture, entities[i]);
      assert_true(table->entities[row++] == entities[i]);
    }
    assert_true(world_check_invariants(fixture.world));
    finish(&fixture);
  }
}

TEST(destroying_in_order_is_refused_while_open) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term term = {A, ECS_READ};
  ecs_Query *query = query_of(&fixture, &term, 1);
  spawn_some(&fixture, A, 3);
  must(ecs_defer_begin(fixture.world));
  assert_int_equal(ecs_query_destroy_in_order(query), ECS_E_OPEN);
  must(ecs_defer_end(fixture.world));
  assert_int_equal(count_of(query), 3);
  finish(&fixture);
}

/* At once while changes are deferred, whatever is recorded for the entity. */
TEST(marking_is_not_recorded) {
  Fixture fixture;
  ecs_Cursor cursor;
  start(&fixture);
  const ecs_Term terms[] = {{A, ECS_READ}, {BIT, ECS_WITHOUT}};
  ecs_Query *query = query_of(&fixture, terms, 2);
  const ecs_Component a = A;
  spawn_some(&fixture, A, 5);
  must(ecs_defer_begin(fixture.world));
  must(ecs_query_add_all(query, B, NULL));
  must(ecs_spawn(fixture.world, &a, 1, NULL, NULL));
  must(ecs_query_mark_all(query, BIT));
  assert_int_equal(count_of(query), 0);
  must(ecs_defer_end(fixture.world));
  assert_int_equal(count_of(query), 1);
  const ecs_Term both[] = {{B, ECS_READ}, {BIT, ECS_WITH}};
  assert_int_equal(count_of(query_of(&fixture, both, 2)), 5);
  assert_int_equal(ecs_query_mark_all(query, 999), ECS_E_COMPONENT);
  assert_int_equal(ecs_query_mark_all(query, B), ECS_E_COMPONENT);
  must(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor));
  assert_int_equal(ecs_query_mark_all(query, BIT), ECS_E_OPEN);
  must(ecs_cursor_end(&cursor));
  assert_true(world_check_invariants(fixture.world));
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_of_destroyed_matches_are_dropped),
      cmocka_unit_test(destroying_all_again_allocates_nothing),
      cmocka_unit_test(destroying_in_order_keeps_the_order),
      cmocka_unit_test(destroying_in_order_is_refused_while_open),
      cmocka_unit_test(marking_is_not_recorded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
