/* gather_test.c: rows that do not follow each other are copied to a scratch,
 * and copied back where they are written; scratches are used again.
 */
#include "batch_check.h"
#include "query/gather.h"
#include "test_case.h"

/* S is in another order than A, in several blocks: whichever drives, the other
 * is copied. */
TEST(scattered_rows_are_gathered_and_put_back) {
  for (uint32_t round = 0; round < 2; round++) {
    Fixture fixture;
    start(&fixture);
    spawn(&fixture, MANY);
    for (uint32_t i = 0; i < MANY; i++) add(&fixture, i * 2 % MANY, fixture.s);
    const ecs_Term terms[] = {{fixture.a, ECS_WRITE}, {fixture.s, ECS_WRITE}};
    /* One more row in one group makes the other drive. */
    if (round == 0) spawn(&fixture, 1);
    ecs_Query *query = make_query(fixture.world, terms, 2);
    uint32_t rows, largest;
    assert_int_equal(
        check_batches(&fixture, query, ECS_BATCH_WHOLE, &rows, &largest), 3);
    assert_int_equal(rows, MANY);
    assert_int_equal(largest, ECS_BLOCK_ROWS);
    Cursor cursor;
    ecs_Batch batch;
    assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
    assert_true(cursor_next(&cursor, &batch));
    ecs_Entity first = batch.entities[0];
    write_columns(&fixture, &batch, 0, 50);
    write_columns(&fixture, &batch, 4, 60);
    assert_true(cursor_next(&cursor, &batch));
    /* The first batch has been put back, the second not yet. */
    assert_component(&fixture, number_of(&fixture, first), fixture.s,
                     number_of(&fixture, first) + 60.0);
    write_columns(&fixture, &batch, 0, 50);
    write_columns(&fixture, &batch, 4, 60);
    ecs_Entity second = batch.entities[0];
    cursor_end(&cursor); /* early: the second block is put back too */
    assert_component(&fixture, number_of(&fixture, second), fixture.s,
                     number_of(&fixture, second) + 60.0);
    uint32_t changed = 0;
    for (uint32_t i = 0; i < MANY; i++) {
      bool written = peek(&fixture, i, fixture.a).f64 == i + 50.0;
      assert_component(&fixture, i, fixture.a, i + (written ? 50.0 : 0));
      assert_component(&fixture, i, fixture.s, i + (written ? 60.0 : 0));
      changed += written;
    }
    assert_int_equal(changed, ECS_BLOCK_ROWS * 2);
    finish(&fixture);
  }
}

/* Three columns of four bytes: a pair is gathered at once, one alone. */
typedef struct Cells {
  uint32_t c[3];
} Cells;

static ecs_Component define_cells(Fixture *fixture, const char *name,
                                  ecs_Storage storage) {
  static const ecs_Field cells[] = {
      {"x", ECS_U32, 0}, {"y", ECS_U32, 0}, {"z", ECS_U32, 0}};
  return define_component(fixture->world, name, cells, 3, storage);
}

static void assert_cells(const Fixture *fixture, uint32_t index,
                         ecs_Component component, uint32_t number) {
  Cells cells;
  assert_int_equal(
      ecs_get(fixture->world, fixture->e[index], component, &cells), ECS_OK);
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(cells.c[k], number * 3 + k);
}

TEST(gathered_blocks_are_cut_into_slices) {
  Fixture fixture;
  start(&fixture);
  ecs_Component p = define_cells(&fixture, "P", ECS_STORE_TABLE);
  ecs_Component q = define_cells(&fixture, "Q", ECS_STORE_SPARSE);
  for (uint32_t i = 0; i < MANY; i++) {
    Cells cells = {{i * 3, i * 3 + 1, i * 3 + 2}};
    spawn(&fixture, 1);
    ecs_add(fixture.world, fixture.e[i], p, &cells);
  }
  for (uint32_t i = 0; i < MANY; i++) {
    uint32_t n = i * 2 % MANY;
    Cells cells = {{n * 3, n * 3 + 1, n * 3 + 2}};
    ecs_add(fixture.world, fixture.e[n], q, &cells);
  }
  const ecs_Term terms[] = {
      {fixture.a, ECS_READ}, {p, ECS_WRITE}, {q, ECS_WRITE}};
  ecs_Query *query = make_query(fixture.world, terms, 3);
  Cursor cursor;
  ecs_Batch batch;
  uint32_t rows = 0, batches = 0;
  assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  cursor.slice_rows = ECS_SLICE_ROWS;
  for (; cursor_next(&cursor, &batch); batches++) {
    assert_in_range(batch.count, 1, ECS_SLICE_ROWS);
    assert_columns(&fixture, &batch, 0);
    for (uint32_t i = 0; i < batch.count * 6; i++) {
      uint32_t *cell = (uint32_t *)batch.columns[4 + i % 6] + i / 6;
      uint32_t number = number_of(&fixture, batch.entities[i / 6]);
      assert_int_equal(*cell, number * 3 + i % 3);
      *cell += i % 6 < 3 ? 30 : 60;
    }
    rows += batch.count;
  }
  cursor_end(&cursor);
  assert_int_equal(rows, MANY);
  assert_int_equal(batches, 2 * ECS_BLOCK_ROWS / ECS_SLICE_ROWS + 1);
  for (uint32_t i = 0; i < MANY; i++) {
    assert_cells(&fixture, i, p, i + 10);
    assert_cells(&fixture, i, q, i + 20);
  }
  finish(&fixture);
}

/* One u32 in each of three groups: entity n has m = n, p = 100 + n and q = 200
 * + n. The rows of each group have another order; those of the main group are
 * in the given number of tables. */
static void define_three_orders(Fixture *fixture, uint32_t count,
                                uint32_t tables, ecs_Component *components) {
  static const ecs_Field cell[] = {{"x", ECS_U32, 0}};
  static const char *const names[] = {"M", "P", "Q"};
  static const uint32_t steps[] = {1, 7, 11}; /* coprime to counts */
  ecs_Component second = define(fixture, "Second", 0, ECS_STORE_TABLE);
  spawn(fixture, count);
  for (uint32_t i = 0; i < count; i++) {
    if (i % tables == 1) add(fixture, i, fixture->tag);
    if (i % tables == 2) add(fixture, i, second);
  }
  for (uint32_t k = 0; k < 3; k++) {
    components[k] =
        define_component(fixture->world, names[k], cell, 1,
                         k == 0 ? ECS_STORE_TABLE : ECS_STORE_SPARSE);
    for (uint32_t i = 0; i < count; i++) {
      uint32_t n = i * steps[k] % count, value = k * 100 + n;
      assert_int_equal(
          ecs_add(fixture->world, fixture->e[n], components[k], &value),
          ECS_OK);
    }
  }
}

/* Checks the columns of one batch, which are those of components order[k], and
 * adds 1000 to each cell. Returns how many columns are copies. */
static uint32_t judge_three_orders(const Fixture *fixture, const Cursor *cursor,
                                   const ecs_Batch *batch,
                                   const uint8_t *order) {
  uint32_t copies = 0;
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t *cells = batch->columns[k];
    copies += batch->columns[k] == cursor->scratch->data[k];
    for (uint32_t i = 0; i < batch->count; i++) {
      uint32_t n = number_of(fixture, batch->entities[i]);
      assert_int_equal(cells[i], order[k] * 100u + n);
      cells[i] += 1000;
    }
  }
  return copies;
}

/* Only the columns of one term are at the same rows. Whichever group drives,
 * two columns are gathered that are neighbours in some order of the terms. */
TEST(every_term_is_gathered_by_its_own_rows) {
  static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (uint32_t round = 0; round < 12; round++) {
    Fixture fixture;
    bool coalesced = round >= 6;
    uint32_t count = coalesced ? 9 : 30, rows = 0;
    ecs_Component components[3];
    ecs_Term terms[3];
    start(&fixture);
    define_three_orders(&fixture, count, coalesced ? 3 : 1, components);
    for (uint32_t k = 0; k < 3; k++)
      terms[k] = (ecs_Term){components[orders[round % 6][k]], ECS_WRITE};
    ecs_Query *query = make_query(fixture.world, terms, 3);
    Cursor cursor;
    ecs_Batch batch;
    assert_int_equal(
        cursor_begin(query, coalesced ? ECS_BATCH_COALESCED : ECS_BATCH_WHOLE,
                     &cursor),
        ECS_OK);
    cursor.slice_rows = 8;
    while (cursor_next(&cursor, &batch)) {
      uint32_t copies =
          judge_three_orders(&fixture, &cursor, &batch, orders[round % 6]);
      assert_int_equal(copies, coalesced ? 3 : 2);
      rows += batch.count;
    }
    cursor_end(&cursor);
    assert_int_equal(rows, count);
    for (uint32_t n = 0; n < count; n++)
      for (uint32_t k = 0; k < 3; k++) {
        uint32_t value = 0;
        assert_int_equal(
            ecs_get(fixture.world, fixture.e[n], components[k], &value),
            ECS_OK);
        assert_int_equal(value, 1000 + k * 100 + n);
      }
    finish(&fixture);
  }
}

TEST(what_is_only_read_is_not_put_back) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 9);
  for (uint32_t i = 0; i < 9; i++) add(&fixture, 8 - i, fixture.s);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_READ}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_true(cursor_next(&cursor, &batch));
  for (uint32_t k = 0; k < 8; k++) {
    const QueryTerm *term = &query->terms[k / 4];
    /* A read column that is a copy may be overwritten without effect. */
    assert_int_equal((cursor.scratch->columns[k] == cursor.scratch->data[k]),
                     term->group_index != query->driver);
    if (cursor.scratch->columns[k] == cursor.scratch->data[k])
      memset(batch.columns[k], 0xee, (size_t)9 << query->columns[k].shift);
  }
  cursor_end(&cursor);
  for (uint32_t i = 0; i < 9; i++) {
    assert_component(&fixture, i, fixture.a, i);
    assert_component(&fixture, i, fixture.s, i);
  }
  finish(&fixture);
}

TEST(copies_start_on_a_line) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 9);
  for (uint32_t i = 0; i < 9; i++) add(&fixture, 8 - i, fixture.s);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_WRITE}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  Cursor cursor;
  assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  const Scratch *scratch = cursor.scratch;
  assert_int_equal((uintptr_t)scratch->entities % ECS_LINE_BYTES, 0);
  const char *end = (const char *)(scratch->entities + ECS_BLOCK_ROWS);
  for (uint32_t k = 0; k < 8; k++) {
    assert_int_equal((uintptr_t)scratch->data[k] % ECS_LINE_BYTES, 0);
    assert_true(scratch->data[k] >= end);
    end =
        scratch->data[k] + ((size_t)ECS_BLOCK_ROWS << query->columns[k].shift);
  }
  assert_true(end <= (const char *)scratch->copies + scratch->copies_bytes);
  cursor_end(&cursor);
  finish(&fixture);
}

/* The same query has room for copies only where its batches are not tables. */
TEST(whole_tables_need_no_room_for_copies) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 9);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}};
  ecs_Query *query = make_query(fixture.world, terms, 1);
  Cursor whole, coalesced;
  assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &whole), ECS_OK);
  assert_null(whole.scratch->copies);
  assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &coalesced), ECS_OK);
  cursor_end(&coalesced);
  failing_memory_arm(&fixture.failing, 1, FAIL_ONCE);
  assert_int_equal(cursor_begin(query, ECS_BATCH_COALESCED, &coalesced),
                   ECS_E_MEMORY);
  assert_int_equal(failing_memory_disarm(&fixture.failing), 1);
  assert_int_equal(query->open, 1);
  assert_int_equal(cursor_begin(query, ECS_BATCH_COALESCED, &coalesced),
                   ECS_OK);
  assert_non_null(coalesced.scratch->copies);
  assert_null(whole.scratch->copies);
  cursor_end(&whole);
  cursor_end(&coalesced);
  finish(&fixture);
}

TEST(two_cursors_over_one_query_have_their_own_scratch) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 9);
  for (uint32_t i = 0; i < 9; i++) add(&fixture, i * 2 % 9, fixture.s);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_READ}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  Cursor first, second;
  ecs_Batch one, two;
  assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &first), ECS_OK);
  assert_true(cursor_next(&first, &one));
  assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &second), ECS_OK);
  assert_true(cursor_next(&second, &two));
  assert_true(first.scratch != second.scratch);
  assert_int_equal(query->open, 2);
  assert_int_equal(fixture.world->store.components.all[fixture.a].readers, 2);
  cursor_end(&second);
  assert_columns(&fixture, &one, 0);
  assert_columns(&fixture, &one, 4);
  uint64_t blocks = fixture.failing.blocks;
  cursor_end(&first);
  assert_int_equal(fixture.failing.blocks, blocks); /* both are kept */
  assert_non_null(query->scratches);
  uint64_t requests = fixture.failing.requests;
  uint32_t rows, largest;
  (void)check_batches(&fixture, query, ECS_BATCH_WHOLE, &rows, &largest);
  assert_int_equal(fixture.failing.requests, requests);
  finish(&fixture);
}

/* However often cursors nest, and whichever ends first, a query keeps as many
 * scratches as it ever had cursors open at once. */
TEST(scratches_of_nested_cursors_are_used_again) {
  static const uint8_t ends[][3] = {{2, 1, 0}, {0, 1, 2}, {1, 2, 0},
                                    {2, 0, 1}, {1, 0, 2}, {0, 2, 1}};
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 9);
  for (uint32_t i = 0; i < 9; i++) add(&fixture, i * 2 % 9, fixture.s);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_READ}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  uint64_t requests = 0;
  for (uint32_t round = 0; round < 6; round++) {
    Cursor cursors[3];
    ecs_Batch batch;
    for (uint32_t i = 0; i < 3; i++) {
      assert_int_equal(cursor_begin(query, ECS_BATCH_WHOLE, &cursors[i]),
                       ECS_OK);
      assert_true(cursor_next(&cursors[i], &batch));
      assert_columns(&fixture, &batch, 0);
      assert_columns(&fixture, &batch, 4);
    }
    for (uint32_t i = 0; i < 3; i++) cursor_end(&cursors[ends[round][i]]);
    if (round == 0) requests = fixture.failing.requests;
    assert_int_equal(fixture.failing.requests, requests);
  }
  uint32_t count = 0;
  for (const Scratch *s = query->scratches; s != NULL; s = s->next) {
    assert_false(s->taken);
    count++;
  }
  assert_int_equal(count, 3);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scattered_rows_are_gathered_and_put_back),
      cmocka_unit_test(gathered_blocks_are_cut_into_slices),
      cmocka_unit_test(every_term_is_gathered_by_its_own_rows),
      cmocka_unit_test(what_is_only_read_is_not_put_back),
      cmocka_unit_test(copies_start_on_a_line),
      cmocka_unit_test(whole_tables_need_no_room_for_copies),
      cmocka_unit_test(two_cursors_over_one_query_have_their_own_scratch),
      cmocka_unit_test(scratches_of_nested_cursors_are_used_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
