/* bulk_rows_test.c: bulk changes that move rows, or whole tables. */
#include "bulk_fixture.h"
#include "storage/table_rows.h"
#include "world_soundness.h"
#include "test_case.h"

static const float *first_column(ecs_Query *query) {
  ecs_Cursor cursor;
  ecs_Batch batch = {0, 0, NULL, NULL};
  must(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor));
  assert_true(ecs_cursor_next(&cursor, &batch));
  const float *column = batch.columns[0];
  must(ecs_cursor_end(&cursor));
  return column;
}

TEST(an_empty_table_gets_the_columns_as_they_are) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term term = {A, ECS_READ};
  ecs_Query *query = query_of(&fixture, &term, 1);
  spawn_some(&fixture, A, 10);
  const float *before = first_column(query);
  must(ecs_query_add_all(query, TAG, NULL));
  assert_ptr_equal(first_column(query), before);
  must(ecs_query_remove_all(query, TAG));
  assert_ptr_equal(first_column(query), before);
  assert_sound(&fixture.world->store);
  must(ecs_query_add_all(query, B, NULL));
  assert_ptr_not_equal(first_column(query), before);
  finish(&fixture);
}

/* A table that gets columns of bits with another table's rows forgets the edge
 * that it remembers: rows without bits are moved by their cells alone. */
TEST(bits_that_come_with_rows_move_on_with_them) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Term term = {A, ECS_READ};
  ecs_Query *query = query_of(&fixture, &term, 1);
  const ecs_Component both[] = {A, TAG};
  for (uint32_t i = 0; i < 2; i++) { /* {A TAG} remembers where A leads */
    ecs_Entity entity = 0;
    must(ecs_spawn(world, both, 2, NULL, &entity));
    must(ecs_remove(world, entity, A));
  }
  ecs_Entity entities[3];
  for (uint32_t i = 0; i < 3; i++) {
    must(ecs_spawn(world, both, 1, NULL, &entities[i]));
    must(ecs_add(world, entities[i], BIT, NULL));
  }
  must(ecs_query_add_all(query, TAG, NULL));
  assert_sound(&world->store);
  must(ecs_remove(world, entities[0], A));
  for (uint32_t i = 0; i < 3; i++)
    assert_true(ecs_has(world, entities[i], BIT));
  assert_sound(&world->store);
  finish(&fixture);
}

/* Rows are appended to a table with rows, and all of them are found. */
TEST(rows_are_appended_to_those_that_are_there) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term term = {A, ECS_READ};
  ecs_Query *query = query_of(&fixture, &term, 1);
  spawn_some(&fixture, A, 5);
  must(ecs_query_add_all(query, BIT, NULL));
  must(ecs_query_add_all(query, W, NULL));
  spawn_some(&fixture, A, 6);
  must(ecs_query_add_all(query, W, NULL));
  assert_sound(&fixture.world->store);
  const ecs_Term both[] = {{A, ECS_READ}, {W, ECS_READ}, {BIT, ECS_WITHOUT}};
  ecs_Query *late = query_of(&fixture, both, 3);
  assert_int_equal(count_of(query), 11);
  assert_int_equal(count_of(late), 6);
  for (uint32_t i = 0; i < fixture.world->store.groups.main->table_count; i++)
    assert_true(table_of(&fixture, i)->count == 0 ||
                table_of(&fixture, i)->count == 11);
  finish(&fixture);
}

#ifndef ECS_TINY
#define MORE 70u

/* A group with masks of two words; entities enter it with its last
 * component. */
TEST(a_group_may_have_many_components) {
  Fixture fixture;
  ecs_Component more[MORE];
  ecs_Entity last = 0;
  static const ecs_Field n = {"n", ECS_U16, 5};
  start(&fixture);
  for (uint32_t i = 0; i < MORE; i++) {
    char name[16];
    snprintf(name, sizeof name, "more%u", i);
    ecs_ComponentDescription how = {.name = name,
                                    .fields = &n,
                                    .field_count = 1,
                                    .storage = ECS_STORE_TABLE};
    must(ecs_component(fixture.world, &how, &more[i]));
  }
  must(ecs_group(fixture.world, more, MORE));
  const ecs_Term terms[] = {{A, ECS_READ}, {more[MORE - 1], ECS_WITH}};
  ecs_Query *all = query_of(&fixture, terms, 1);
  ecs_Query *late = query_of(&fixture, terms + 1, 1);
  spawn_some(&fixture, A, 10);
  must(ecs_query_add_all(all, more[MORE - 1], NULL));
  must(ecs_query_add_all(late, more[2], NULL));
  must(ecs_query_first(late, &last));
  assert_true(ecs_has(fixture.world, last, more[2]));
  assert_int_equal(count_of(late), 10);
  must(ecs_query_remove_all(all, more[2]));
  must(ecs_query_remove_all(late, more[2]));
  assert_sound(&fixture.world->store);
  must(ecs_query_remove_all(late, more[MORE - 1]));
  assert_int_equal(count_of(late), 0);
  assert_int_equal(count_of(all), 10);
  assert_sound(&fixture.world->store);
  finish(&fixture);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_table_gets_the_columns_as_they_are),
      cmocka_unit_test(bits_that_come_with_rows_move_on_with_them),
      cmocka_unit_test(rows_are_appended_to_those_that_are_there),
#ifndef ECS_TINY
      cmocka_unit_test(a_group_may_have_many_components),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
