/* row_list_fresh_test.c: how long a row list is valid, what building it again
 * costs, and what its check of invariants detects.
 */
#include "row_list_fixture.h"
#include "test_case.h"

static void take(Fixture *fixture, uint32_t index, ecs_Component component) {
  assert_int_equal(ecs_remove(fixture->world, fixture->e[index], component),
                   ECS_OK);
}

/* How long a list is valid ------------------------------------------------ */

TEST(a_list_is_fresh_until_one_of_its_groups_changes) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 5);
  for (uint32_t i = 0; i < 4; i++) add(&fixture, i, fixture.s);
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  (void)built(&fixture, query);
  const uint32_t value = 3;
  add(&fixture, 0, fixture.r); /* not a group of the query */
  assert_true(row_list_is_fresh(&query->rows, query->groups));
  assert_int_equal(ecs_set(fixture.world, fixture.e[0], fixture.s, &value, 1),
                   ECS_OK);
  assert_true(row_list_is_fresh(&query->rows, query->groups));
  add(&fixture, 4, fixture.s);
  assert_false(row_list_is_fresh(&query->rows, query->groups));
  assert_int_equal(built(&fixture, query)->count, 5);
  take(&fixture, 2, fixture.s);
  assert_false(row_list_is_fresh(&query->rows, query->groups));
  assert_int_equal(built(&fixture, query)->count, 4);
  add(&fixture, 3, fixture.b); /* moves a row of the main group */
  assert_false(row_list_is_fresh(&query->rows, query->groups));
  assert_int_equal(built(&fixture, query)->count, 4);
  add(&fixture, 0, fixture.t); /* bits are structure too */
  assert_false(row_list_is_fresh(&query->rows, query->groups));
  finish(&fixture);
}

TEST(a_list_that_was_never_built_is_not_fresh) {
  Fixture fixture;
  start(&fixture);
  RowList list;
  Memory *memory = &fixture.world->store.memory;
  assert_int_equal(row_list_init(&list, memory, 2), ECS_OK);
  assert_false(row_list_is_fresh(&list, NULL));
  row_list_deinit(&list, memory);
  assert_int_equal(list.group_count, 0);
  finish(&fixture);
}

TEST(a_list_that_is_built_again_needs_no_more_rows) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 30);
  for (uint32_t i = 0; i < 20; i++) add(&fixture, 29 - i, fixture.s);
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  uint32_t capacity = built(&fixture, query)->capacity;
  assert_int_equal(capacity, 20);
  take(&fixture, 15, fixture.s);
  assert_int_equal(built(&fixture, query)->capacity, 20);
  add(&fixture, 15, fixture.s);
  add(&fixture, 0, fixture.s);
  assert_int_equal(built(&fixture, query)->capacity, 30); /* half as much */
  assert_int_equal(query->rows.count, 21);
  finish(&fixture);
}

TEST(an_empty_list_has_no_blocks) {
  Fixture fixture;
  start(&fixture);
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  assert_int_equal(built(&fixture, query)->block_count, 0);
  spawn(&fixture, 3);
  assert_int_equal(built(&fixture, query)->block_count, 0);
  add(&fixture, 1, fixture.s);
  assert_int_equal(built(&fixture, query)->block_count, 1);
  take(&fixture, 1, fixture.s);
  assert_int_equal(built(&fixture, query)->block_count, 0);
  assert_int_equal(query->rows.count, 0);
  finish(&fixture);
}

TEST(every_allocation_of_a_list_may_fail) {
  for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
    Fixture fixture;
    start(&fixture);
    spawn(&fixture, 40);
    for (uint32_t i = 0; i < 40; i++) {
      if (i % 2 == 0) add(&fixture, i, fixture.b);
      add(&fixture, 39 - i, fixture.s);
      if (i % 3 == 0) add(&fixture, i, fixture.r);
    }
    const ecs_Term terms[] = {{fixture.a, ECS_READ},
                              {fixture.s, ECS_READ},
                              {fixture.r, ECS_OPTIONAL}};
    ecs_Query *query = make_query(fixture.world, terms, 3);
    uint64_t nth = 0, injected, count = 99;
    assert_int_equal(query_plan(query), ECS_OK);
    uint64_t blocks = fixture.failing.blocks;
    do {
      failing_memory_arm(&fixture.failing, ++nth, (FailingMode)mode);
      ecs_Status status = ecs_query_count(query, &count);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      if (injected > 0) assert_false(query->rows.built);
      if (injected > 0) assert_int_equal(count, 99);
      /* rows, blocks, combinations; marks of two sets in two tables */
      assert_true(fixture.failing.blocks <= blocks + 5 + 2 * 5);
    } while (injected > 0);
    assert_true(nth > 5);
    assert_sound(&fixture, query);
    finish(&fixture);
  }
}

/* The check itself -------------------------------------------------------- */

static bool is_right(const ecs_Query *query) {
  return row_list_check_invariants(&query->rows, query->store, query->groups,
                                   query->driver);
}

/* The check detects a planted fault, and passes once the fault is removed. */
#define ASSERT_SEEN(place, wrong)      \
  do {                                 \
    __typeof__(place) right = (place); \
    (place) = (wrong);                 \
    assert_false(is_right(query));     \
    (place) = right;                   \
    assert_true(is_right(query));      \
  } while (0)

/* S in no order, of entities in two tables: four blocks or more. */
TEST(the_list_check_sees_what_does_not_agree) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 12);
  for (uint32_t i = 0; i < 6; i++) add(&fixture, i * 2, fixture.b);
  for (uint32_t i = 0; i < 11; i++) add(&fixture, i * 5 % 11, fixture.s);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_OPTIONAL}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  RowList *list = &query->rows;
  (void)built(&fixture, query);
  assert_int_equal(query->driver, 0);
  assert_true(list->block_count >= 3 && list->count == 12);
  assert_true(is_right(query));
  ASSERT_SEEN(list->built, false);
  ASSERT_SEEN(list->versions[1], list->versions[1] + 1);
  ASSERT_SEEN(list->count, 11u);
  ASSERT_SEEN(list->block_count, list->block_count - 1);
  ASSERT_SEEN(list->rows[0][0], list->rows[0][1]);
  uint32_t second = list->blocks[1].first; /* the first one lacks S */
  ASSERT_SEEN(list->rows[1][second], list->rows[1][second + 1]);
  ASSERT_SEEN(list->blocks[1].runs, list->blocks[1].runs ^ 2u);
  ASSERT_SEEN(list->blocks[0].tables, list->blocks[1].tables);
  ASSERT_SEEN(list->blocks[1].first, 0u);
  ASSERT_SEEN(query->groups[1].required, true);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_is_fresh_until_one_of_its_groups_changes),
      cmocka_unit_test(a_list_that_was_never_built_is_not_fresh),
      cmocka_unit_test(a_list_that_is_built_again_needs_no_more_rows),
      cmocka_unit_test(an_empty_list_has_no_blocks),
      cmocka_unit_test(every_allocation_of_a_list_may_fail),
      cmocka_unit_test(the_list_check_sees_what_does_not_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
