/* cursor_test.c: the rows of a query as batches, in place and coalesced. */
#include "batch_check.h"
#include "test_case.h"

/* In place ---------------------------------------------------------------- */

TEST(a_full_plan_hands_out_tables_as_they_lie) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 12);
  for (uint32_t i = 0; i < 5; i++) add(&fixture, i * 2, fixture.tag);
  const ecs_Term term = {fixture.a, ECS_WRITE};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  uint32_t rows, largest;
  assert_int_equal(
      check_batches(&fixture, query, ECS_BATCH_WHOLE, &rows, &largest), 2);
  assert_int_equal(rows, 12);
  Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  while (cursor_next(&cursor, &batch)) {
    RowRef place = store_locate_main(&fixture.world->store, batch.entities[0]);
    assert_ptr_equal(batch.entities, place.table->entities);
    assert_int_equal((uintptr_t)batch.columns[0] % ECS_LINE_BYTES, 0);
    write_columns(&fixture, &batch, 0, 100);
  }
  cursor_end(&cursor);
  for (uint32_t i = 0; i < 12; i++)
    assert_component(&fixture, i, fixture.a, i + 100.0);
  finish(&fixture);
}

TEST(a_run_in_the_middle_of_a_table_is_used_in_place) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 20);
  for (uint32_t i = 5; i < 15; i++) add(&fixture, i, fixture.s);
  const ecs_Term terms[] = {{fixture.a, ECS_WRITE}, {fixture.s, ECS_WRITE}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_true(cursor_next(&cursor, &batch));
  assert_int_equal(batch.count, 10);
  const Table *table =
      store_locate_main(&fixture.world->store, fixture.e[0]).table;
  uint32_t bit = fixture.world->store.components.all[fixture.a].bit;
  for (uint32_t k = 0; k < 4; k++)
    assert_ptr_equal(batch.columns[k],
                     table_element(table, table_codes(table, bit)[k], 5));
  assert_columns(&fixture, &batch, 0);
  assert_columns(&fixture, &batch, 4);
  cursor_end(&cursor);
  finish(&fixture);
}

TEST(an_optional_component_is_null_where_it_is_absent) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 12);
  for (uint32_t i = 0; i < 12; i += 3) add(&fixture, i, fixture.s);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_OPTIONAL}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  for (uint32_t round = 0; round < 2; round++) {
    Cursor cursor;
    ecs_Batch batch;
    uint32_t present = 0, absent = 0;
    assert_int_equal(cursor_begin(query, (ecs_Batching)round, &cursor), ECS_OK);
    while (cursor_next(&cursor, &batch)) {
      assert_columns(&fixture, &batch, 0);
      for (uint32_t k = 5; k < 8; k++)
        assert_int_equal(batch.columns[k] == NULL, batch.columns[4] == NULL);
      if (batch.columns[4] == NULL) {
        absent += batch.count;
        continue;
      }
      present += batch.count;
      write_columns(&fixture, &batch, 4, round + 1.0);
    }
    cursor_end(&cursor);
    assert_int_equal(present, 4);
    assert_int_equal(absent, 8);
    for (uint32_t i = 0; i < 12; i += 3)
      assert_component(&fixture, i, fixture.s, i + round + 1.0);
  }
  finish(&fixture);
}

/* Coalescing -------------------------------------------------------------- */

/* Tables of the main group that hold 1, 2, ... rows, by masks of four tags. */
static void make_tables(Fixture *fixture, const uint32_t *rows,
                        uint32_t count) {
  ecs_Component tags[4];
  for (uint32_t i = 0; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "Tag%u", (unsigned)i);
    tags[i] = define(fixture, name, 0, ECS_STORE_TABLE);
  }
  for (uint32_t i = 0; i < count; i++) {
    ecs_Component components[5] = {fixture->a};
    uint32_t component_count = 1;
    ecs_Bundle bundle = 0;
    for (uint32_t k = 0; k < 4; k++)
      if (((i + 1) >> k & 1u) != 0) components[component_count++] = tags[k];
    assert_int_equal(
        ecs_bundle(fixture->world, components, component_count, &bundle),
        ECS_OK);
    /* No rows at all make a table without a slab. */
    assert_int_equal(ecs_spawn_many(fixture->world, bundle, 0, NULL), ECS_OK);
    for (uint32_t k = 0; k < rows[i]; k++) {
      Sizes image = sizes_of(fixture->count);
      const void *values[5] = {&image, NULL, NULL, NULL, NULL};
      assert_int_equal(ecs_spawn_bundle(fixture->world, bundle, values,
                                        &fixture->e[fixture->count++]),
                       ECS_OK);
    }
  }
}

TEST(tiny_tables_become_one_batch) {
  Fixture fixture;
  start(&fixture);
  static const uint32_t rows[] = {2, 1, 0, 3, 0, 1, 2};
  make_tables(&fixture, rows, 7);
  const ecs_Term term = {fixture.a, ECS_WRITE};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  uint32_t total, largest;
  assert_int_equal(
      check_batches(&fixture, query, ECS_BATCH_WHOLE, &total, &largest), 5);
  assert_int_equal(largest, 3);
  assert_int_equal(
      check_batches(&fixture, query, ECS_BATCH_COALESCED, &total, &largest), 1);
  assert_int_equal(total, 9);
  Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(cursor_begin(query, ECS_BATCH_COALESCED, &cursor), ECS_OK);
  assert_true(cursor_next(&cursor, &batch));
  for (uint32_t i = 0; i < 9; i++) /* tables in order, rows in order */
    assert_int_equal(batch.entities[i], fixture.e[i]);
  write_columns(&fixture, &batch, 0, 30);
  cursor_end(&cursor);
  for (uint32_t i = 0; i < 9; i++)
    assert_component(&fixture, i, fixture.a, i + 30.0);
  finish(&fixture);
}

/* A table with as many rows as the limit is a batch of its own, wherever it is
 * among the tables. */
TEST(a_table_that_is_not_tiny_goes_alone) {
  for (uint32_t less = 0; less < 2; less++) {
    Fixture fixture;
    start(&fixture);
    const uint32_t rows[] = {1, 1, ECS_COALESCE_ROWS - less, 1, 1};
    make_tables(&fixture, rows, 5);
    const ecs_Term term = {fixture.a, ECS_READ};
    ecs_Query *query = make_query(fixture.world, &term, 1);
    uint32_t total, largest;
    assert_int_equal(
        check_batches(&fixture, query, ECS_BATCH_COALESCED, &total, &largest),
        less == 1 ? 1 : 3);
    assert_int_equal(total, ECS_COALESCE_ROWS - less + 4);
    finish(&fixture);
  }
  for (uint32_t less = 0; less < 2; less++) {
    Fixture fixture;
    start(&fixture);
    const uint32_t rows[] = {ECS_COALESCE_ROWS - less, 1, 1};
    make_tables(&fixture, rows, 3);
    const ecs_Term term = {fixture.a, ECS_READ};
    uint32_t total, largest;
    assert_int_equal(
        check_batches(&fixture, make_query(fixture.world, &term, 1),
                      ECS_BATCH_COALESCED, &total, &largest),
        less == 1 ? 1 : 2);
    finish(&fixture);
  }
}

/* Tiny tables that fill a block exactly; then with one row more. */
TEST(a_coalesced_batch_is_no_larger_than_a_block) {
  static const uint32_t tables = ECS_COALESCE_ROWS == 4 ? 4 : 15;
  static const uint32_t tiny = ECS_COALESCE_ROWS - 1;
  for (uint32_t more = 0; more < 2; more++) {
    Fixture fixture;
    start(&fixture);
    uint32_t rows[15];
    for (uint32_t i = 0; i < 15; i++) rows[i] = tiny;
    make_tables(&fixture, rows, tables);
    ecs_Component extra = define(&fixture, "Extra", 0, ECS_STORE_TABLE);
    while (fixture.count < ECS_BLOCK_ROWS + more) {
      spawn(&fixture, 1);
      if (fixture.count > (tables + 1) * tiny)
        add(&fixture, fixture.count - 1, extra);
    }
    const ecs_Term term = {fixture.a, ECS_READ};
    uint32_t total, largest;
    uint32_t batches =
        check_batches(&fixture, make_query(fixture.world, &term, 1),
                      ECS_BATCH_COALESCED, &total, &largest);
    assert_int_equal(total, ECS_BLOCK_ROWS + more);
    assert_int_equal(batches, 1 + more);
    assert_true(largest <= ECS_BLOCK_ROWS);
    if (more == 0) assert_int_equal(largest, ECS_BLOCK_ROWS);
    finish(&fixture);
  }
}

TEST(a_batch_has_an_optional_component_or_has_it_not) {
  Fixture fixture;
  start(&fixture);
  ecs_Component b = define(&fixture, "B", 4, ECS_STORE_TABLE);
  static const uint32_t rows[] = {1, 1, 1, 1, 1, 1};
  make_tables(&fixture, rows, 6);
  for (uint32_t i = 0; i < 6; i++)
    if (i == 1 || i == 2 || i == 5) add(&fixture, i, b);
  const ecs_Term terms[] = {
      {fixture.a, ECS_READ}, {b, ECS_OPTIONAL}, {fixture.tag, ECS_OPTIONAL}};
  ecs_Query *query = make_query(fixture.world, terms, 3);
  Cursor cursor;
  ecs_Batch batch;
  uint32_t with = 0, without = 0, batches = 0;
  assert_int_equal(cursor_begin(query, ECS_BATCH_COALESCED, &cursor), ECS_OK);
  while (cursor_next(&cursor, &batch)) {
    assert_columns(&fixture, &batch, 0);
    assert_columns(&fixture, &batch, 4);
    for (uint32_t i = 0; i < batch.count; i++)
      assert_int_equal(ecs_has(fixture.world, batch.entities[i], b),
                       batch.columns[4] != NULL);
    *(batch.columns[4] != NULL ? &with : &without) += batch.count;
    batches++;
  }
  cursor_end(&cursor);
  assert_int_equal(with, 3);
  assert_int_equal(without, 3);
  assert_int_equal(batches, 2); /* the tables with B were created last */
  finish(&fixture);
}

/* Blocks of a row list coalesce as tables do. */
TEST(tiny_blocks_of_a_list_become_one_batch) {
  Fixture fixture;
  start(&fixture);
  static const uint32_t rows[] = {1, 2, 1, 2, 1};
  make_tables(&fixture, rows, 5);
  for (uint32_t i = 0; i < 7; i++) add(&fixture, i * 3 % 7, fixture.s);
  const ecs_Term terms[] = {{fixture.a, ECS_WRITE}, {fixture.s, ECS_WRITE}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  uint32_t total, largest;
  uint32_t whole =
      check_batches(&fixture, query, ECS_BATCH_WHOLE, &total, &largest);
  assert_true(whole > 1);
  assert_int_equal(
      check_batches(&fixture, query, ECS_BATCH_COALESCED, &total, &largest), 1);
  assert_int_equal(total, 7);
  Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(cursor_begin(query, ECS_BATCH_COALESCED, &cursor), ECS_OK);
  assert_true(cursor_next(&cursor, &batch));
  write_columns(&fixture, &batch, 0, 5);
  write_columns(&fixture, &batch, 4, 6);
  assert_false(cursor_next(&cursor, &batch));
  cursor_end(&cursor);
  for (uint32_t i = 0; i < 7; i++) {
    assert_component(&fixture, i, fixture.a, i + 5.0);
    assert_component(&fixture, i, fixture.s, i + 6.0);
  }
  finish(&fixture);
}

/* Beginning --------------------------------------------------------------- */

static const Component *component_of(const Fixture *fixture,
                                     ecs_Component component) {
  return &fixture->world->store.components.all[component];
}

TEST(every_allocation_of_beginning_may_fail) {
  for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
    Fixture fixture;
    start(&fixture);
    spawn(&fixture, 9);
    for (uint32_t i = 0; i < 9; i++) add(&fixture, i * 2 % 9, fixture.s);
    const ecs_Term terms[] = {{fixture.a, ECS_WRITE}, {fixture.s, ECS_READ}};
    ecs_Query *query = make_query(fixture.world, terms, 2);
    uint64_t nth = 0, injected;
    Cursor cursor;
    do {
      failing_memory_arm(&fixture.failing, ++nth, (FailingMode)mode);
      ecs_Status status = cursor_begin(query, ECS_BATCH_WHOLE, &cursor);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      assert_int_equal(query->open, injected == 0);
      assert_int_equal(component_of(&fixture, fixture.a)->writers,
                       injected == 0);
      assert_int_equal(component_of(&fixture, fixture.s)->readers,
                       injected == 0);
    } while (injected > 0);
    assert_true(nth > 8);
    cursor_end(&cursor);
    finish(&fixture);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_full_plan_hands_out_tables_as_they_lie),
      cmocka_unit_test(a_run_in_the_middle_of_a_table_is_used_in_place),
      cmocka_unit_test(an_optional_component_is_null_where_it_is_absent),
      cmocka_unit_test(tiny_tables_become_one_batch),
      cmocka_unit_test(a_table_that_is_not_tiny_goes_alone),
      cmocka_unit_test(a_coalesced_batch_is_no_larger_than_a_block),
      cmocka_unit_test(a_batch_has_an_optional_component_or_has_it_not),
      cmocka_unit_test(tiny_blocks_of_a_list_become_one_batch),
      cmocka_unit_test(every_allocation_of_beginning_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
