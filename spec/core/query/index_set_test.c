/* index_set_test.c: the entities of a query as one bit per index, from the
 * highest index to the lowest.
 */
#include "columns_fixture.h"
#include "query/index_set.h"
#include "test_case.h"

/* Takes all indices out of a set and checks that they are those of the given
 * entities, from the last to the first. */
static void assert_takes(const Fixture *fixture, IndexSet *set,
                         const uint32_t *numbers, uint32_t count) {
  uint64_t bits = 0;
  uint32_t first = 0;
  while (index_set_next(set, &bits, &first))
    while (bits != 0) {
      uint32_t index = index_set_take(&bits, first);
      assert_true(count > 0);
      ecs_Entity expected = fixture->e[numbers[--count]];
      assert_int_equal(index, id_index(expected));
      assert_int_equal(entity_of_index(&fixture->world->store, index),
                       expected);
    }
  assert_int_equal(count, 0);
}

/* S is added in an order of its own, so that no rows are in order of index. */
TEST(indices_come_from_the_highest_to_the_lowest) {
  static const uint32_t numbers[] = {1, 2, 4, 7, 11, 12, 30};
  static const uint32_t order[] = {3, 6, 0, 5, 1, 4, 2};
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 31);
  for (uint32_t i = 0; i < 7; i++) add(&fixture, numbers[order[i]], fixture.s);
  const ecs_Term terms[] = {{fixture.s, ECS_READ}, {fixture.a, ECS_READ}};
  for (uint32_t count = 1; count <= 2; count++) { /* full, then partial */
    ecs_Query *query = make_query(fixture.world, terms, count);
    IndexSet set;
    assert_int_equal(query_prepare(query), ECS_OK);
    assert_int_equal(query_is_direct(query), count == 1);
    assert_int_equal(index_set_init(&set, query), ECS_OK);
    assert_takes(&fixture, &set, numbers, 7);
    assert_takes(&fixture, &set, numbers, 0); /* again: none is left */
    index_set_rewind(&set);
    assert_takes(&fixture, &set, numbers, 7);
  }
  finish(&fixture);
}

/* Words begin at the lowest index, and the last may have only one bit. */
TEST(a_set_is_as_long_as_its_indices_are_apart) {
  Fixture fixture;
  start(&fixture);
  uint32_t most = ECS_INDEX_LIMIT > 130u ? 129u : 40u;
  spawn(&fixture, most + 1);
  const ecs_Term term = {fixture.s, ECS_READ};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  add(&fixture, 1, fixture.s);
  for (uint32_t i = 2; i <= most; i++) {
    const uint32_t numbers[] = {1, i};
    IndexSet set;
    add(&fixture, i, fixture.s);
    assert_int_equal(query_prepare(query), ECS_OK);
    assert_int_equal(index_set_init(&set, query), ECS_OK);
    assert_int_equal(set.base, id_index(fixture.e[1]));
    assert_int_equal(set.word_count, (i - 1) / 64 + 1);
    assert_takes(&fixture, &set, numbers, 2);
    assert_int_equal(ecs_remove(fixture.world, fixture.e[i], fixture.s),
                     ECS_OK);
  }
  finish(&fixture);
}

TEST(a_set_of_no_entity_owns_nothing) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term term = {fixture.s, ECS_READ};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  IndexSet set;
  assert_int_equal(query_prepare(query), ECS_OK);
  assert_int_equal(index_set_init(&set, query), ECS_OK);
  assert_null(set.words);
  assert_takes(&fixture, &set, NULL, 0);
  finish(&fixture);
}

TEST(without_memory_a_set_is_empty) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 3);
  const ecs_Term term = {fixture.a, ECS_READ};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  IndexSet set;
  assert_int_equal(query_prepare(query), ECS_OK);
  failing_memory_arm(&fixture.failing, 1, FAIL_ONCE);
  assert_int_equal(index_set_init(&set, query), ECS_E_MEMORY);
  assert_int_equal(failing_memory_disarm(&fixture.failing), 1);
  assert_null(set.words);
  assert_int_equal(set.word_count, 0);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(indices_come_from_the_highest_to_the_lowest),
      cmocka_unit_test(a_set_is_as_long_as_its_indices_are_apart),
      cmocka_unit_test(a_set_of_no_entity_owns_nothing),
      cmocka_unit_test(without_memory_a_set_is_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
