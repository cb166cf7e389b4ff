/* claims_test.c: which components open cursors claim, and what they refuse. */
#include "columns_fixture.h"
#include "query/claims.h"
#include "test_case.h"

static const Component *component_of(const Fixture *fixture,
                                     ecs_Component component) {
  return &fixture->world->store.components.all[component];
}

TEST(a_cursor_claims_what_it_hands_out) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.a, ECS_WRITE},
                            {fixture.s, ECS_READ},
                            {fixture.r, ECS_OPTIONAL},
                            {fixture.tag, ECS_WRITE},
                            {fixture.t, ECS_READ}};
  ecs_Query *query = make_query(fixture.world, terms, 5);
  Cursor cursor;
  assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  static const uint32_t readers[] = {1, 1, 1, 0, 0};
  static const uint32_t writers[] = {1, 0, 1, 0, 0};
  for (uint32_t i = 0; i < 5; i++) {
    const Component *component = component_of(&fixture, terms[i].component);
    assert_int_equal(component->readers, readers[i]);
    assert_int_equal(component->writers, writers[i]);
  }
  assert_int_equal(query->open, 1);
  cursor_end(&cursor);
  for (uint32_t i = 0; i < 5; i++) {
    const Component *component = component_of(&fixture, terms[i].component);
    assert_int_equal(component->readers | component->writers, 0);
  }
  assert_int_equal(query->open, 0);
  finish(&fixture);
}

TEST(a_filter_claims_nothing) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.a, ECS_WITH}, {fixture.s, ECS_WITHOUT}};
  const ecs_Term writes[] = {{fixture.a, ECS_WRITE}, {fixture.s, ECS_WRITE}};
  ecs_Query *filter = make_query(fixture.world, terms, 2);
  ecs_Query *writer = make_query(fixture.world, writes, 2);
  Cursor first, second;
  assert_int_equal(cursor_begin(writer, ECS_BATCH_WHOLE, &first), ECS_OK);
  assert_int_equal(claims_contested(filter), 0);
  assert_int_equal(cursor_begin(filter, ECS_BATCH_WHOLE, &second), ECS_OK);
  assert_int_equal(component_of(&fixture, fixture.a)->readers, 1);
  cursor_end(&second);
  cursor_end(&first);
  finish(&fixture);
}

/* Two queries of the same component, with every pair of accesses. */
TEST(a_writing_cursor_shares_with_no_other) {
  static const bool contested[3][3] = {/* second: write, read, optional */
                                       {true, true, true},
                                       {true, false, true},
                                       {true, true, true}};
  Fixture fixture;
  start(&fixture);
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 3; k++) {
      static const ecs_Access access[] = {ECS_WRITE, ECS_READ, ECS_OPTIONAL};
      const ecs_Term one[] = {{fixture.a, access[i]}, {fixture.r, ECS_READ}};
      const ecs_Term two[] = {{fixture.r, ECS_READ}, {fixture.a, access[k]}};
      ecs_Query *first = make_query(fixture.world, one, 2);
      ecs_Query *second = make_query(fixture.world, two, 2);
      Cursor open;
      assert_int_equal(claims_contested(second), 0);
      assert_int_equal(cursor_begin(first, ECS_BATCH_WHOLE, &open), ECS_OK);
      assert_int_equal(claims_contested(second),
                       contested[i][k] ? fixture.a : 0);
      cursor_end(&open);
      assert_int_equal(claims_contested(second), 0);
      assert_int_equal(ecs_query_destroy(first), ECS_OK);
      assert_int_equal(ecs_query_destroy(second), ECS_OK);
    }
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cursor_claims_what_it_hands_out),
      cmocka_unit_test(a_filter_claims_nothing),
      cmocka_unit_test(a_writing_cursor_shares_with_no_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
