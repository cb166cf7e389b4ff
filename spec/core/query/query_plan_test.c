/* query_plan_test.c: the plan of a query, and which group drives it.
 *
 * The text of query_explain shows nearly everything that a plan decides, so
 * several tests compare all of it. Which group drives depends on the rows of
 * every group, so those tests make worlds of exact numbers of entities.
 */
#include "query_fixture.h"
#include "test_case.h"

static void assert_explains(ecs_Query *query, const char *expected) {
  char text[1024];
  size_t length = ecs_query_explain(query, text, sizeof text);
  assert_string_equal(text, expected);
  assert_int_equal(length, strlen(expected));
}

/* Plans ------------------------------------------------------------------- */

TEST(one_group_makes_a_full_plan) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component both[] = {fixture.a, fixture.b};
  const ecs_Term terms[] = {{fixture.a, ECS_WRITE},
                            {fixture.b, ECS_OPTIONAL},
                            {fixture.tag, ECS_WITHOUT}};
  ecs_Query *query = make_query(fixture.world, terms, 3);
  (void)spawn(&fixture, both, 2);
  spawn_many(&fixture, fixture.a, 2);
  spawn_many(&fixture, fixture.b, 4);
  assert_int_equal(count_of(query), 3);
  assert_true(query_is_direct(query));
  assert_explains(query,
                  "full plan, 3 rows match\n"
                  "  main group 0: 2 of 4 tables, 3 rows\n"
                  "    write A\n    optional B\n    without Tag\n"
                  "  columns in place, a batch per table\n");
  finish(&fixture);
}

TEST(a_filter_of_bits_needs_a_list) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component both[] = {fixture.a, fixture.t};
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.t, ECS_WITH}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  spawn_many(&fixture, fixture.a, 2);
  (void)spawn(&fixture, both, 2);
  assert_int_equal(count_of(query), 1);
  assert_false(query_is_direct(query));
  assert_explains(
      query,
      "partial plan, 1 rows match\n"
      "  main group 0: 1 of 2 tables, 3 rows\n"
      "    read A\n    with T (bits)\n"
      "  row list of 1 blocks, 1 in place, 0 gathered; made 1 times: "
      "anew after every change of these groups\n");
  finish(&fixture);
}

TEST(terms_of_several_groups_make_a_partial_plan) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component components[] = {fixture.a, fixture.b, fixture.s};
  const ecs_Term terms[] = {
      {fixture.a, ECS_READ}, {fixture.s, ECS_WRITE}, {fixture.b, ECS_WITH}};
  ecs_Query *query = make_query(fixture.world, terms, 3);
  for (uint32_t i = 0; i < 2; i++) (void)spawn(&fixture, components, 3);
  spawn_many(&fixture, fixture.a, 20);
  assert_int_equal(count_of(query), 2);
  assert_explains(
      query,
      "partial plan, 2 rows match\n"
      "  main group 0: 1 of 3 tables, 2 rows\n"
      "    read A\n    with B\n"
      "  sparse set 1: 1 of 1 tables, 2 rows, drives\n"
      "    write S\n"
      "  row list of 1 blocks, 1 in place, 0 gathered; made 1 times: "
      "anew after every change of these groups\n");
  finish(&fixture);
}

TEST(terms_that_share_no_group_make_a_blind_plan) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component group[] = {fixture.b, fixture.tag};
  assert_int_equal(ecs_group(fixture.world, group, 2), ECS_OK);
  const ecs_Component components[] = {fixture.b, fixture.s};
  const ecs_Term terms[] = {{fixture.b, ECS_READ}, {fixture.s, ECS_READ}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  ecs_Entity e[3];
  for (uint32_t i = 0; i < 3; i++)
    e[i] = spawn(&fixture, components, i == 0 ? 1 : 2);
  assert_int_equal(ecs_remove(fixture.world, e[0], fixture.b), ECS_OK);
  assert_explains(
      query,
      "blind plan, 2 rows match\n"
      "  group 3: 1 of 1 tables, 2 rows\n    read B\n"
      "  sparse set 1: 1 of 1 tables, 2 rows, drives\n"
      "    read S\n"
      "  row list of 1 blocks, 0 in place, 1 gathered; made 1 times: "
      "anew after every change of these groups\n");
  finish(&fixture);
}

/* Two tables with S: in order in one, in reverse order in the other. */
TEST(explaining_counts_blocks_in_place_and_gathered) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component components[] = {fixture.a, fixture.tag};
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_READ}};
  ecs_Entity e[6];
  char text[512];
  for (uint32_t i = 0; i < 6; i++)
    e[i] = spawn(&fixture, components, i < 3 ? 1 : 2);
  static const uint32_t order[] = {0, 1, 2, 5, 4, 3};
  for (uint32_t i = 0; i < 6; i++)
    assert_int_equal(ecs_add(fixture.world, e[order[i]], fixture.s, NULL), 0);
  (void)ecs_query_explain(make_query(fixture.world, terms, 2), text,
                          sizeof text);
  assert_non_null(
      strstr(text,
             "  row list of 2 blocks, 1 in place, 1 gathered; made 1 times: "
             "anew after every change of these groups\n"));
  finish(&fixture);
}

TEST(explaining_writes_no_more_than_it_may) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term term = {fixture.a, ECS_READ};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  char whole[512], text[512];
  size_t length = ecs_query_explain(query, whole, sizeof whole);
  assert_int_equal(length, strlen(whole));
  for (size_t capacity = 0; capacity <= length + 2; capacity++) {
    memset(text, '#', sizeof text);
    assert_int_equal(ecs_query_explain(query, text, capacity), length);
    assert_int_equal(text[capacity], '#');
    if (capacity == 0) continue;
    size_t shown = capacity - 1 < length ? capacity - 1 : length;
    assert_int_equal(strlen(text), shown);
    assert_memory_equal(text, whole, shown);
  }
  assert_int_equal(ecs_query_explain(query, NULL, 0), length);
  finish(&fixture);
}

TEST(a_plan_that_cannot_be_made_is_explained_too) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term term = {fixture.a, ECS_READ};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  static const char sorry[] = "not planned: out of memory\n";
  failing_memory_arm(&fixture.failing, 1, FAIL_ONWARD);
  for (size_t capacity = 0; capacity < 40; capacity++) {
    char text[64];
    memset(text, '#', sizeof text);
    assert_int_equal(ecs_query_explain(query, text, capacity),
                     sizeof sorry - 1);
    assert_int_equal(text[capacity], '#');
    if (capacity == 0) continue;
    size_t shown = capacity < sizeof sorry ? capacity - 1 : sizeof sorry - 1;
    assert_int_equal(strlen(text), shown);
    assert_memory_equal(text, sorry, shown);
  }
  assert_true(failing_memory_disarm(&fixture.failing) > 0);
  assert_int_equal(count_of(query), 0);
  finish(&fixture);
}

/* The driver -------------------------------------------------------------- */

/* Which group drives when so many entities have A alone, S alone, and both? */
static ecs_Component driver_of(ecs_Access a, ecs_Access s, uint32_t only_a,
                               uint32_t only_s, uint32_t both) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component components[] = {fixture.a, fixture.s};
  const ecs_Term terms[] = {{fixture.a, a}, {fixture.s, s}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  spawn_many(&fixture, fixture.a, only_a);
  spawn_many(&fixture, fixture.s, only_s);
  for (uint32_t i = 0; i < both; i++) (void)spawn(&fixture, components, 2);
  (void)count_of(query);
  ecs_Component driver = query->terms[query->driver].component;
  finish(&fixture);
  return driver;
}

TEST(the_cheaper_group_drives) {
  enum { A = 1, S = 4 };
  /* Equal costs: S has three columns to gather, A has two. */
  assert_int_equal(driver_of(ECS_READ, ECS_READ, 0, 0, 10), S);
  assert_int_equal(driver_of(ECS_WRITE, ECS_READ, 0, 0, 10), A);
  assert_int_equal(driver_of(ECS_READ, ECS_WRITE, 0, 0, 10), S);
  assert_int_equal(driver_of(ECS_WITH, ECS_WITH, 0, 0, 10), A); /* first */
  /* Looking up a row of S costs two, listing a match one, a column one, or 2.5
   * when it is written, and 64 rows of A cost three. */
  assert_int_equal(driver_of(ECS_WITH, ECS_WITH, 1, 0, 10), A);
  assert_int_equal(driver_of(ECS_WITH, ECS_WITH, 0, 1, 10), A);
  assert_int_equal(driver_of(ECS_WITH, ECS_WITH, 10, 0, 1), A);
  assert_int_equal(driver_of(ECS_WITH, ECS_WITH, 30, 0, 1), S);
  /* 0.5 + 10 + 30 for A; 2 * (10 + k) + 20 for S. */
  assert_int_equal(driver_of(ECS_READ, ECS_READ, 0, 1, 10), A);
  assert_int_equal(driver_of(ECS_READ, ECS_READ, 9, 0, 10), S);
  /* 2 * 10 + 10 * 5 = 70 for S; 10 + 10 * 3 and a little for A. */
  assert_int_equal(driver_of(ECS_WRITE, ECS_READ, 20, 0, 10), A);
  /* 0.5 + 10 + 10 * 7.5 = 85.5 for A; 2 * (10 + k) + 20 for S. */
  assert_int_equal(driver_of(ECS_READ, ECS_WRITE, 0, 22, 10), S);
  assert_int_equal(driver_of(ECS_READ, ECS_WRITE, 0, 23, 10), A);
  /* A component that may be absent cannot drive. */
  assert_int_equal(driver_of(ECS_READ, ECS_OPTIONAL, 20, 1, 2), A);
  assert_int_equal(driver_of(ECS_OPTIONAL, ECS_READ, 1, 20, 2), S);
  assert_int_equal(driver_of(ECS_OPTIONAL, ECS_OPTIONAL, 1, 2, 3), A);
  assert_int_equal(driver_of(ECS_READ, ECS_WITHOUT, 20, 1, 2), A);
  assert_int_equal(driver_of(ECS_WITHOUT, ECS_WITHOUT, 20, 1, 2), A);
  assert_int_equal(driver_of(ECS_WITHOUT, ECS_WITH, 1, 20, 2), S);
}

TEST(the_main_group_drives_what_requires_nothing) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.s, ECS_OPTIONAL},
                            {fixture.r, ECS_WITHOUT}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  spawn_many(&fixture, fixture.s, 2);
  spawn_many(&fixture, fixture.r, 1);
  spawn_many(&fixture, fixture.a, 3);
  assert_int_equal(count_of(query), 5);
  assert_int_equal(query->group_count, 3);
  assert_int_equal(query->groups[query->driver].group->id, 0);
  const ecs_Term tag = {fixture.s, ECS_WITHOUT};
  assert_int_equal(count_of(make_query(fixture.world, &tag, 1)), 4);
  finish(&fixture);
}

/* The driver is chosen again whenever the list is built again. */
TEST(the_driver_follows_the_rows) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component components[] = {fixture.a, fixture.s};
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_WRITE}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  for (uint32_t i = 0; i < 3; i++) (void)spawn(&fixture, components, 2);
  (void)count_of(query);
  assert_int_equal(query->driver, 1);
  spawn_many(&fixture, fixture.s, 10);
  (void)count_of(query);
  assert_int_equal(query->driver, 0);
  for (uint32_t i = 0; i < 3; i++) (void)spawn(&fixture, components, 2);
  (void)count_of(query);
  assert_int_equal(query->driver, 1);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_group_makes_a_full_plan),
      cmocka_unit_test(a_filter_of_bits_needs_a_list),
      cmocka_unit_test(terms_of_several_groups_make_a_partial_plan),
      cmocka_unit_test(terms_that_share_no_group_make_a_blind_plan),
      cmocka_unit_test(explaining_counts_blocks_in_place_and_gathered),
      cmocka_unit_test(explaining_writes_no_more_than_it_may),
      cmocka_unit_test(a_plan_that_cannot_be_made_is_explained_too),
      cmocka_unit_test(the_cheaper_group_drives),
      cmocka_unit_test(the_main_group_drives_what_requires_nothing),
      cmocka_unit_test(the_driver_follows_the_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
