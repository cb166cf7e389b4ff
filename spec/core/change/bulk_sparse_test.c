/* bulk_sparse_test.c: many entities join a sparse set at once. */
#include "bulk_fixture.h"
#include "world_soundness.h"
#include "test_case.h"

/* It would be out of date at once, every time. */
TEST(joining_a_set_builds_no_list) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{A, ECS_READ}, {S, ECS_WITHOUT}};
  const ecs_Term in_set = {S, ECS_READ};
  ecs_Query *query = query_of(&fixture, terms, 2);
  ecs_Query *joined = query_of(&fixture, &in_set, 1);
  for (uint32_t round = 1; round < 4; round++) {
    spawn_some(&fixture, A, 5);
    must(ecs_query_add_all(query, S, NULL));
    assert_false(query->rows.built);
    assert_int_equal(count_of(joined), 5 * round);
    assert_sound(&fixture.world->store);
  }
  assert_int_equal(count_of(query), 0);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joining_a_set_builds_no_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
