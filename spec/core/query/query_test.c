/* query_test.c: terms, the columns that they lead to, the entities that match,
 * and how long a plan is valid.
 */
#include "query_fixture.h"
#include "test_case.h"

/* Columns ----------------------------------------------------------------- */

TEST(columns_come_in_the_order_of_terms_then_fields) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {
      {fixture.s, ECS_READ},    {fixture.tag, ECS_READ},
      {fixture.b, ECS_WITH},    {fixture.t, ECS_WITH},
      {fixture.r, ECS_WITHOUT}, {fixture.a, ECS_OPTIONAL}};
  const ecs_Query *query = make_query(fixture.world, terms, 6);
  assert_int_equal(ecs_query_column_count(query), 5);
  static const uint32_t expected[5][2] = {
      {0, 0}, {0, 1}, {0, 2}, {5, 0}, {5, 1}};
  static const uint8_t shifts[] = {2, 2, 0, 3, 2};
  static const ecs_Scalar types[] = {ECS_U32, ECS_U32, ECS_U8, ECS_F64,
                                     ECS_F32};
  for (uint32_t i = 0; i < 5; i++) {
    uint32_t column = 99;
    assert_int_equal(
        ecs_query_column(query, expected[i][0], expected[i][1], &column),
        ECS_OK);
    assert_int_equal(column, i);
    assert_int_equal(query->columns[i].term, expected[i][0]);
    assert_int_equal(query->columns[i].field, expected[i][1]);
    assert_int_equal(query->columns[i].shift, shifts[i]);
    assert_int_equal(query->columns[i].type, types[i]);
    assert_int_equal(query->columns[i].written, i >= 3);
  }
  static const uint32_t none[][2] = {{0, 3}, {1, 0}, {2, 0}, {3, 0},
                                     {4, 0}, {5, 2}, {6, 0}, {UINT32_MAX, 0}};
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t column = 99;
    assert_int_equal(ecs_query_column(query, none[i][0], none[i][1], &column),
                     ECS_E_FIELD);
    assert_int_equal(column, 99);
  }
  finish(&fixture);
}

TEST(what_is_written_or_optional_is_scattered) {
  Fixture fixture;
  start(&fixture);
  static const ecs_Access access[] = {ECS_WRITE, ECS_READ, ECS_OPTIONAL};
  for (uint32_t i = 0; i < 3; i++) {
    const ecs_Term term = {fixture.b, access[i]};
    ecs_Query *query = make_query(fixture.world, &term, 1);
    assert_int_equal(query->columns[0].written, access[i] != ECS_READ);
    assert_int_equal(query->terms[0].access, access[i]);
  }
  finish(&fixture);
}

/* Matching ---------------------------------------------------------------- */

TEST(no_terms_match_every_entity) {
  Fixture fixture;
  start(&fixture);
  ecs_Query *query = make_query(fixture.world, NULL, 0);
  assert_int_equal(count_of(query), 0);
  (void)spawn(&fixture, NULL, 0);
  spawn_many(&fixture, fixture.s, 2);
  spawn_many(&fixture, fixture.t, 1);
  spawn_many(&fixture, fixture.a, 3);
  assert_int_equal(count_of(query), 7);
  assert_int_equal(ecs_query_column_count(query), 0);
  finish(&fixture);
}

/* The accesses of terms about the row's own entity. */
#define OWN 6u
static const ecs_Access own[OWN] = {ECS_WRITE, ECS_READ,    ECS_OPTIONAL,
                                    ECS_WITH,  ECS_WITHOUT, ECS_ANY};

/* Compares all pairs of storages and accesses with ecs_has. */
TEST(every_access_means_what_it_says_in_every_storage) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component components[] = {fixture.a, fixture.tag, fixture.s,
                                      fixture.r, fixture.t};
  ecs_Entity e[32];
  for (uint32_t i = 0; i < 32; i++) {
    e[i] = spawn(&fixture, NULL, 0);
    for (uint32_t k = 0; k < 5; k++)
      if ((i >> k & 1u) != 0)
        assert_int_equal(ecs_add(fixture.world, e[i], components[k], NULL),
                         ECS_OK);
  }
  for (uint32_t left = 0; left < 5; left++)
    for (uint32_t right = 0; right < 5; right++)
      for (uint32_t access = 0; left != right && access < OWN * OWN; access++) {
        const ecs_Term terms[] = {{components[left], own[access / OWN]},
                                  {components[right], own[access % OWN]}};
        uint64_t expected = 0;
        ecs_Query *query = make_query(fixture.world, terms, 2);
        for (uint32_t i = 0; i < 32; i++) {
          bool fits = true, chooses = false, offered = false;
          for (uint32_t k = 0; k < 2; k++) {
            bool has = ecs_has(fixture.world, e[i], terms[k].component);
            bool any = terms[k].access == ECS_ANY;
            chooses = chooses || any;
            offered = offered || (any && has);
            fits = fits && (any || terms[k].access == ECS_OPTIONAL ||
                            has == (terms[k].access != ECS_WITHOUT));
          }
          expected += fits && (offered || !chooses);
        }
        assert_int_equal(count_of(query), expected);
        assert_int_equal(ecs_query_destroy(query), ECS_OK);
      }
  finish(&fixture);
}

/* How long a plan is valid ------------------------------------------------ */

TEST(a_plan_follows_the_layout) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component components[] = {fixture.a, fixture.b, fixture.s};
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_READ}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  for (uint32_t i = 0; i < 4; i++) (void)spawn(&fixture, components, i % 3 + 1);
  for (uint32_t round = 0; round < 2; round++) {
    assert_int_equal(count_of(query), 1);
    assert_int_equal(query->group_count, 2);
    const ecs_Component both[] = {fixture.s, fixture.a};
    assert_int_equal(ecs_group(fixture.world, both, 2), ECS_OK);
    assert_int_equal(count_of(query), 1);
    assert_int_equal(query->group_count, 1);
    assert_true(query_is_direct(query));
    assert_int_equal(ecs_ungroup(fixture.world, both, 2), ECS_OK);
    assert_int_equal(count_of(query), 1);
    assert_int_equal(query->groups[0].group->id, 0);
    assert_int_equal(ecs_group(fixture.world, &fixture.s, 1), ECS_OK);
  }
  (void)spawn(&fixture, components, 3);
  assert_int_equal(count_of(query), 2);
  finish(&fixture);
}

TEST(tables_that_are_created_later_enter_the_plan) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component components[] = {fixture.tag, fixture.a, fixture.b};
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.b, ECS_WITHOUT}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  assert_int_equal(count_of(query), 0);
  (void)spawn(&fixture, components, 2);
  assert_int_equal(count_of(query), 1);
  (void)spawn(&fixture, components, 3);
  assert_int_equal(count_of(query), 1);
  (void)spawn(&fixture, components + 1, 1);
  assert_int_equal(count_of(query), 2);
  finish(&fixture);
}

/* A destroyed query is removed from its groups' lists of matches. */
TEST(a_destroyed_query_leaves_its_groups) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_READ}};
  ecs_Query *first = make_query(fixture.world, terms, 2);
  ecs_Query *second = make_query(fixture.world, terms, 1);
  (void)count_of(first);
  (void)count_of(second);
  const Group *main = store_main(&fixture.world->store);
  assert_int_equal(main->match_count, 2);
  assert_int_equal(ecs_query_destroy(first), ECS_OK);
  assert_int_equal(main->match_count, 1);
  assert_int_equal(fixture.world->store.groups.all[1]->match_count, 0);
  spawn_many(&fixture, fixture.a, 2);
  assert_int_equal(count_of(second), 2);
  assert_int_equal(ecs_query_destroy(second), ECS_OK);
  assert_int_equal(main->match_count, 0);
  finish(&fixture);
}

TEST(every_allocation_of_a_query_may_fail) {
  for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
    Fixture fixture;
    start(&fixture);
    const ecs_Component components[] = {fixture.a, fixture.s, fixture.t};
    const ecs_Term terms[] = {
        {fixture.a, ECS_READ}, {fixture.s, ECS_WRITE}, {fixture.t, ECS_WITH}};
    for (uint32_t i = 0; i < 5; i++) (void)spawn(&fixture, components, 3);
    uint64_t nth = 0, injected, hash = ecs_world_hash(fixture.world);
    ecs_Query *query = NULL;
    do {
      failing_memory_arm(&fixture.failing, ++nth, (FailingMode)mode);
      ecs_Status status = ecs_query_create(fixture.world, terms, 3, &query);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      if (injected > 0) assert_null(query);
    } while (injected > 0);
    assert_int_equal(nth, 5); /* the grown list of queries stays */
    for (nth = 1;; nth++) {
      uint64_t count = 0;
      failing_memory_arm(&fixture.failing, nth, (FailingMode)mode);
      ecs_Status status = ecs_query_count(query, &count);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      if (injected == 0) break;
      assert_int_equal(count, 0);
    }
    assert_true(nth > 8);
    assert_int_equal(count_of(query), 5);
    assert_true(ecs_world_hash(fixture.world) == hash);
    finish(&fixture);
  }
}

/* The check itself -------------------------------------------------------- */

/* The check detects a planted fault, and passes once the fault is removed. */
#define ASSERT_SEEN(place, wrong)                \
  do {                                           \
    __typeof__(place) right = (place);           \
    (place) = (wrong);                           \
    assert_false(query_check_invariants(query)); \
    (place) = right;                             \
    assert_true(query_check_invariants(query));  \
  } while (0)

TEST(the_query_check_sees_what_does_not_agree) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component components[] = {fixture.s, fixture.a, fixture.b};
  const ecs_Term terms[] = {{fixture.a, ECS_READ},
                            {fixture.s, ECS_WRITE},
                            {fixture.b, ECS_WITHOUT},
                            {fixture.t, ECS_WITH}};
  ecs_Query *query = make_query(fixture.world, terms, 4);
  for (uint32_t i = 1; i <= 3; i++) {
    ecs_Entity entity = spawn(&fixture, components, i);
    assert_int_equal(ecs_add(fixture.world, entity, fixture.t, NULL), ECS_OK);
  }
  assert_int_equal(count_of(query), 1);
  assert_true(query_check_invariants(query));
  QueryGroup *main = &query->groups[0];
  ASSERT_SEEN(query->terms[1].first_column, 3u);
  ASSERT_SEEN(query->terms[1].column_count, 2u);
  ASSERT_SEEN(query->terms[1].group_index, 0u);
  ASSERT_SEEN(query->terms[0].bit, query->terms[0].bit + 1);
  ASSERT_SEEN(query->columns[1].shift, 3);
  ASSERT_SEEN(query->columns[2].field, 1u);
  ASSERT_SEEN(query->columns[2].written, false);
  ASSERT_SEEN(query->column_count, 4u);
  ASSERT_SEEN(query->group_count, 1u);
  ASSERT_SEEN(query->driver, 2u);
  ASSERT_SEEN(main->match.required[0], 0u);
  ASSERT_SEEN(main->match.required[0], main->match.required[0] | 4u);
  ASSERT_SEEN(main->match.excluded[0], 0u);
  ASSERT_SEEN(main->bits_needed[0], 0);
  ASSERT_SEEN(main->bits_forbidden[0], 1);
  ASSERT_SEEN(main->filters, false);
  ASSERT_SEEN(main->required, false);
  ASSERT_SEEN(main->match.count, main->match.count - 1);
  ASSERT_SEEN(main->match.tables[0], main->match.tables[0] - 1);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_come_in_the_order_of_terms_then_fields),
      cmocka_unit_test(what_is_written_or_optional_is_scattered),
      cmocka_unit_test(no_terms_match_every_entity),
      cmocka_unit_test(every_access_means_what_it_says_in_every_storage),
      cmocka_unit_test(a_plan_follows_the_layout),
      cmocka_unit_test(tables_that_are_created_later_enter_the_plan),
      cmocka_unit_test(a_destroyed_query_leaves_its_groups),
      cmocka_unit_test(every_allocation_of_a_query_may_fail),
      cmocka_unit_test(the_query_check_sees_what_does_not_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
