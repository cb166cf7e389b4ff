/* query_first_test.c: the first match of a query, without a row list. */
#include "bulk_terms.h"
#include "test_case.h"

/* With and without a row list, and for every list of terms, the first entity is
 * that of the first batch. */
TEST(the_first_is_the_first_row_of_the_batches) {
  static ecs_Entity matches[CROWD];
  static Fixture fixture;
  uint32_t found = 0;
  start(&fixture);
  populate(&fixture);
  for (uint32_t i = 0; i < LISTS; i++) {
    ecs_Query *query = query_of(&fixture, lists[i], terms_in(lists[i]));
    ecs_Entity stale = 0, fresh = 0;
    must(ecs_query_first(query, &stale));
    matches[0] = 0;
    found += collect(query, matches) > 0;
    must(ecs_query_first(query, &fresh));
    assert_true(stale == matches[0]);
    assert_true(fresh == matches[0]);
    must(ecs_query_destroy_all(query));
    must(ecs_query_first(query, &fresh));
    assert_true(fresh == 0);
    must(ecs_query_destroy(query));
    finish(&fixture);
    start(&fixture);
    populate(&fixture);
  }
  assert_true(found > LISTS / 2);
  finish(&fixture);
}

/* The search stops at the first match: no row list is built. */
TEST(the_first_builds_no_list) {
  Fixture fixture;
  ecs_Entity entity = 0;
  start(&fixture);
  const ecs_Term terms[] = {{A, ECS_READ}, {S, ECS_READ}};
  ecs_Query *query = query_of(&fixture, terms, 2);
  const ecs_Term a = {A, ECS_READ};
  spawn_some(&fixture, A, 5);
  must(ecs_query_add_all(query_of(&fixture, &a, 1), S, NULL));
  must(ecs_query_first(query, &entity));
  assert_true(entity == table_of(&fixture, 1)->entities[0]);
  assert_false(query->rows.built);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_is_the_first_row_of_the_batches),
      cmocka_unit_test(the_first_builds_no_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
