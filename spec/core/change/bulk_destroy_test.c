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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_of_destroyed_matches_are_dropped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
