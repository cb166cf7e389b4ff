/* bulk_destroy_test.c: destroying all matches, and changing them after.
 */
#include "bulk_fixture.h"

/* Destroying a match twice does nothing; a component added to it is dropped. */
static void changes_of_destroyed_matches_are_dropped(void **state) {
  (void)state;
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
static void destroying_all_again_allocates_nothing(void **state) {
  (void)state;
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_of_destroyed_matches_are_dropped),
      cmocka_unit_test(destroying_all_again_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
