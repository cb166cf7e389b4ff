/* row_list_test.c: the blocks of row lists.
 *
 * Lists are built by real queries over a small world and then read row by row.
 * assert_sound checks what holds of every list. Each test puts rows in a
 * certain order and checks which blocks result.
 *
 *      A, B in tables of the main group       S, R sparse sets       T bits
 */
#include "row_list_fixture.h"
#include "test_case.h"

/* Runs -------------------------------------------------------------------- */

TEST(rows_in_order_everywhere_are_one_block_however_long) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, MANY);
  for (uint32_t i = 0; i < MANY; i++) add(&fixture, i, fixture.s);
  const RowList *list = built(&fixture, pair(&fixture, fixture.a, fixture.s));
  assert_int_equal(list->block_count, 1);
  assert_int_equal(list->blocks[0].count, MANY);
  assert_int_equal(list->blocks[0].runs, 3);
  assert_int_equal(list->tables_count, 1);
  finish(&fixture);
}

TEST(rows_out_of_order_are_cut) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, MANY);
  for (uint32_t i = 0; i < MANY; i++) add(&fixture, MANY - 1 - i, fixture.s);
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  const RowList *list = built(&fixture, query);
  assert_int_equal(list->block_count, 3);
  assert_int_equal(list->blocks[0].count, ECS_BLOCK_ROWS);
  assert_int_equal(list->blocks[1].count, ECS_BLOCK_ROWS);
  assert_int_equal(list->blocks[2].count, 3);
  for (uint32_t i = 0; i < 3; i++) /* a run in the driver alone */
    assert_int_equal(list->blocks[i].runs, 1u << query->driver);
  finish(&fixture);
}

TEST(a_full_block_is_cut_at_its_limit_and_not_before) {
  for (uint32_t more = 0; more < 2; more++) {
    Fixture fixture;
    start(&fixture);
    uint32_t count = ECS_BLOCK_ROWS + more;
    spawn(&fixture, count);
    for (uint32_t i = 0; i < count; i++)
      add(&fixture, count - 1 - i, fixture.s);
    const RowList *list = built(&fixture, pair(&fixture, fixture.a, fixture.s));
    assert_int_equal(list->block_count, 1 + more);
    assert_int_equal(list->blocks[0].count, ECS_BLOCK_ROWS);
    finish(&fixture);
  }
}

/* Two runs with a gap between them, exactly where a block ends. */
TEST(runs_are_joined_only_where_they_go_on) {
  for (uint32_t gap = 0; gap < 2; gap++) {
    Fixture fixture;
    start(&fixture);
    spawn(&fixture, ECS_BLOCK_ROWS * 2 + 1);
    for (uint32_t i = 0; i < fixture.count; i++)
      if (gap == 0 || i != ECS_BLOCK_ROWS) add(&fixture, i, fixture.s);
    const RowList *list = built(&fixture, pair(&fixture, fixture.a, fixture.s));
    /* The sparse set drives; its rows have no gap, those of A have. */
    assert_int_equal(list->block_count, 1 + gap);
    assert_int_equal(list->blocks[0].count,
                     gap == 1 ? ECS_BLOCK_ROWS : fixture.count);
    finish(&fixture);
  }
}

TEST(a_run_after_scattered_rows_is_a_block_of_its_own) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, ECS_BLOCK_ROWS * 2);
  for (uint32_t i = 0; i < ECS_BLOCK_ROWS; i++)
    add(&fixture, ECS_BLOCK_ROWS - 1 - i, fixture.s);
  for (uint32_t i = 0; i < ECS_BLOCK_ROWS; i++)
    add(&fixture, ECS_BLOCK_ROWS + i, fixture.s);
  const RowList *list = built(&fixture, pair(&fixture, fixture.a, fixture.s));
  assert_int_equal(list->block_count, 2);
  assert_int_equal(list->blocks[0].runs & list->blocks[1].runs,
                   list->blocks[0].runs);
  assert_int_equal(list->blocks[1].runs, 3);
  finish(&fixture);
}

/* Combinations ------------------------------------------------------------ */

/* Every third entity has R: two combinations, the rows of each together. */
TEST(rows_of_one_combination_are_brought_together_in_order) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 21);
  for (uint32_t i = 0; i < 21; i++) {
    add(&fixture, i, fixture.s);
    if (i % 3 == 1) add(&fixture, i, fixture.r);
  }
  const ecs_Term terms[] = {
      {fixture.a, ECS_READ}, {fixture.s, ECS_READ}, {fixture.r, ECS_OPTIONAL}};
  ecs_Query *query = make_query(fixture.world, terms, 3);
  const RowList *list = built(&fixture, query);
  assert_int_equal(list->tables_count, 2);
  assert_int_equal(list->block_count, 2);
  assert_int_equal(list->blocks[0].count, 14);
  assert_int_equal(list->blocks[1].count, 7);
  assert_null(row_list_table(list, &list->blocks[0], query->groups, 2));
  assert_non_null(row_list_table(list, &list->blocks[1], query->groups, 2));
  for (uint32_t i = 0; i < 7; i++)
    assert_int_equal(entity_at(query, &list->blocks[1], query->driver, i),
                     fixture.e[i * 3 + 1]);
  finish(&fixture);
}

/* Every driver table starts combinations of its own. */
TEST(many_tables_make_many_combinations) {
  Fixture fixture;
  start(&fixture);
  ecs_Component tags[4];
  for (uint32_t i = 0; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "Tag%u", (unsigned)i);
    ecs_ComponentDescription how = {.name = name,
                                    .fields = NULL,
                                    .field_count = 0,
                                    .storage = ECS_STORE_TABLE};
    assert_int_equal(ecs_component(fixture.world, &how, &tags[i]), ECS_OK);
  }
  spawn(&fixture, 32);
  for (uint32_t i = 0; i < 32; i++) {
    for (uint32_t k = 0; k < 4; k++)
      if ((i >> k & 1u) != 0) add(&fixture, i, tags[k]);
    add(&fixture, 31 - i, fixture.s);
    if (i % 5 != 0) add(&fixture, i, fixture.r);
    if (i % 7 == 0) add(&fixture, i, fixture.t);
  }
  const ecs_Term terms[] = {
      {fixture.a, ECS_READ}, {fixture.s, ECS_WITH}, {fixture.r, ECS_OPTIONAL}};
  const RowList *list = built(&fixture, make_query(fixture.world, terms, 3));
  /* Both entities of a table may differ in R: i and i + 16. */
  assert_int_equal(list->tables_count, 16 + 7);
  const ecs_Term filter[] = {{fixture.t, ECS_WITHOUT}, {fixture.r, ECS_WITH}};
  (void)built(&fixture, make_query(fixture.world, filter, 2));
  const ecs_Term only[] = {{fixture.t, ECS_WITH}};
  assert_int_equal(built(&fixture, make_query(fixture.world, only, 1))->count,
                   5);
  const ecs_Term none[] = {{fixture.r, ECS_WITHOUT}, {fixture.s, ECS_READ}};
  assert_int_equal(built(&fixture, make_query(fixture.world, none, 2))->count,
                   7);
  const ecs_Term group_index[] = {{fixture.r, ECS_WITHOUT},
                                  {tags[0], ECS_OPTIONAL}};
  assert_int_equal(
      built(&fixture, make_query(fixture.world, group_index, 2))->count, 7);
  finish(&fixture);
}

/* One driver table in which sixteen combinations alternate. */
TEST(a_combination_that_comes_again_is_the_same) {
  Fixture fixture;
  ecs_Term terms[5];
  start(&fixture);
  spawn(&fixture, 40);
  terms[0] = (ecs_Term){fixture.a, ECS_READ};
  for (uint32_t k = 0; k < 4; k++) {
    char name[16];
    snprintf(name, sizeof name, "G%u", (unsigned)k);
    ecs_Component sparse = define(&fixture, name, ECS_STORE_SPARSE);
    terms[k + 1] = (ecs_Term){sparse, ECS_OPTIONAL};
    for (uint32_t i = 0; i < 40; i++)
      if ((i >> k & 1u) != 0) add(&fixture, i, sparse);
  }
  const RowList *list = built(&fixture, make_query(fixture.world, terms, 5));
  assert_int_equal(list->tables_count, 16);
  assert_int_equal(list->block_count, 16);
  for (uint32_t i = 0; i < 16; i++)
    assert_int_equal(list->blocks[i].count, i < 8 ? 3 : 2);
  finish(&fixture);
}

/* A group of two tables; the query requires one of them. */
TEST(a_place_in_a_table_that_does_not_match_is_no_match) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component group[] = {fixture.s, fixture.r, fixture.t};
  assert_int_equal(ecs_group(fixture.world, group, 3), ECS_OK);
  spawn(&fixture, 16);
  for (uint32_t i = 0; i < 16; i++)
    for (uint32_t k = 0; k < 3; k++)
      if ((i >> k & 1u) != 0) add(&fixture, i, group[k]);
  for (uint32_t s = 0; s < 4; s++)
    for (uint32_t t = 0; t < 4; t++) {
      static const ecs_Access access[] = {ECS_WITH, ECS_WITHOUT, ECS_OPTIONAL,
                                          ECS_READ};
      const ecs_Term terms[] = {{fixture.a, ECS_READ},
                                {fixture.s, access[s]},
                                {fixture.t, access[t]}};
      ecs_Query *query = make_query(fixture.world, terms, 3);
      (void)built(&fixture, query);
      assert_int_equal(ecs_query_destroy(query), ECS_OK);
    }
  finish(&fixture);
}

#ifndef ECS_TINY
/* Groups from number 64 on have no bit for runs: blocks count as scattered. */
TEST(a_query_may_span_more_than_64_groups) {
  for (uint32_t groups = 62; groups <= 66; groups++) {
    Fixture fixture;
    ecs_Term terms[70];
    start(&fixture);
    spawn(&fixture, 40);
    terms[0] = (ecs_Term){fixture.a, ECS_READ};
    for (uint32_t i = 1; i <= groups; i++) {
      char name[16];
      snprintf(name, sizeof name, "G%u", (unsigned)i);
      terms[i] = (ecs_Term){define(&fixture, name, ECS_STORE_SPARSE), ECS_READ};
      for (uint32_t k = 0; k < 40; k++) add(&fixture, k, terms[i].component);
    }
    ecs_Query *query = make_query(fixture.world, terms, groups + 1);
    uint64_t count = 0;
    assert_int_equal(ecs_query_count(query, &count), ECS_OK);
    assert_int_equal(count, 40);
    assert_int_equal(query->group_count, groups + 1);
    assert_int_equal(query->rows.block_count, 1);
    assert_int_equal(
        query->rows.blocks[0].runs,
        groups + 1 >= 64 ? UINT64_MAX : (UINT64_C(1) << (groups + 1)) - 1);
    for (uint32_t i = 0; i <= groups; i++)
      assert_int_equal(block_is_run_in(&query->rows.blocks[0], i), i < 64);
    finish(&fixture);
  }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_in_order_everywhere_are_one_block_however_long),
      cmocka_unit_test(rows_out_of_order_are_cut),
      cmocka_unit_test(a_full_block_is_cut_at_its_limit_and_not_before),
      cmocka_unit_test(runs_are_joined_only_where_they_go_on),
      cmocka_unit_test(a_run_after_scattered_rows_is_a_block_of_its_own),
      cmocka_unit_test(rows_of_one_combination_are_brought_together_in_order),
      cmocka_unit_test(many_tables_make_many_combinations),
      cmocka_unit_test(a_combination_that_comes_again_is_the_same),
      cmocka_unit_test(a_place_in_a_table_that_does_not_match_is_no_match),
#ifndef ECS_TINY
      cmocka_unit_test(a_query_may_span_more_than_64_groups),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
