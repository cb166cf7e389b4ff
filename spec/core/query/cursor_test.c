/* cursor_test.c: rows as contiguous columns, and who may touch them.
 *
 * Every entity has its number in each component, so that a batch can be judged
 * alone: all columns of a row must name the entity that stands beside them.
 * Whatever a batch wrote must be in the world at the next call.
 *
 *      entity e7 | A {7.0 7 7 7}  S {7.0 7 7 7}  one field per element size
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "storage/table_image.h"
#include "world/world.h"
#include "query/claims.h"
#include "query/gather.h"
#include "api_fixture.h"

#define MANY (ECS_BLOCK_ROWS * 2u + 3u)

/* A field of every element size. */
typedef struct Sizes {
  double f64;
  uint32_t u32;
  uint16_t u16;
  uint8_t u8;
} Sizes;

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, s, r, tag, t;
  ecs_Entity e[MANY + 40u];
  uint32_t count;
} Fixture;

static ecs_Component define(Fixture *fixture, const char *name, uint32_t fields,
                            ecs_Storage storage) {
  static const ecs_Field sizes[] = {{"f64", ECS_F64, 0},
                                    {"u32", ECS_U32, 0},
                                    {"u16", ECS_U16, 0},
                                    {"u8", ECS_U8, 0}};
  return define_component(fixture->world, name, sizes, fields, storage);
}

static void start(Fixture *fixture) {
  fixture->world = open_world(&fixture->failing);
  fixture->count = 0;
  fixture->a = define(fixture, "A", 4, ECS_STORE_TABLE);
  fixture->s = define(fixture, "S", 4, ECS_STORE_SPARSE);
  fixture->r = define(fixture, "R", 4, ECS_STORE_SPARSE);
  fixture->tag = define(fixture, "Tag", 0, ECS_STORE_TABLE);
  fixture->t = define(fixture, "T", 0, ECS_STORE_BITS);
}

static void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

static Sizes sizes_of(double number) {
  return (Sizes){number, (uint32_t)number, (uint16_t)number,
                 (uint8_t)(uint32_t)number};
}

static void add(Fixture *fixture, uint32_t at, ecs_Component component) {
  Sizes image = sizes_of(at);
  assert_int_equal(ecs_add(fixture->world, fixture->e[at], component, &image),
                   ECS_OK);
}

/* count more entities with A. */
static void spawn(Fixture *fixture, uint32_t count) {
  for (; count > 0; count--) {
    assert_int_equal(
        ecs_spawn(fixture->world, NULL, 0, NULL, &fixture->e[fixture->count]),
        ECS_OK);
    add(fixture, fixture->count++, fixture->a);
  }
}

static uint32_t number_of(const Fixture *fixture, ecs_Entity entity) {
  for (uint32_t i = 0; i < fixture->count; i++)
    if (fixture->e[i] == entity) return i;
  fail();
  return 0;
}

/* One component of four columns, from column first on. */
static void assert_columns(const Fixture *fixture, const ecs_Batch *batch,
                           uint32_t first) {
  for (uint32_t i = 0; batch->columns[first] != NULL && i < batch->count; i++) {
    Sizes expected = sizes_of(number_of(fixture, batch->entities[i]));
    assert_true(((double *)batch->columns[first])[i] == expected.f64);
    assert_int_equal(((uint32_t *)batch->columns[first + 1])[i], expected.u32);
    assert_int_equal(((uint16_t *)batch->columns[first + 2])[i], expected.u16);
    assert_int_equal(((uint8_t *)batch->columns[first + 3])[i], expected.u8);
  }
}

/* Writes number + by into all rows of one component. */
static void write_columns(const Fixture *fixture, const ecs_Batch *batch,
                          uint32_t first, double by) {
  for (uint32_t i = 0; i < batch->count; i++) {
    Sizes wanted = sizes_of(number_of(fixture, batch->entities[i]) + by);
    ((double *)batch->columns[first])[i] = wanted.f64;
    ((uint32_t *)batch->columns[first + 1])[i] = wanted.u32;
    ((uint16_t *)batch->columns[first + 2])[i] = wanted.u16;
    ((uint8_t *)batch->columns[first + 3])[i] = wanted.u8;
  }
}

/* What is in the world, also while a walk forbids ecs_get to look. */
static Sizes peek(const Fixture *fixture, uint32_t at,
                  ecs_Component component) {
  const Store *world = &fixture->world->store;
  const Component *what = &world->components[component];
  RowRef place;
  Sizes image;
  memset(&image, 0, sizeof image);
  assert_int_equal(store_locate(world, fixture->e[at], component, &place),
                   ECS_OK);
  assert_non_null(place.table);
  table_load(place.table, place.row, what->bit, what->schema, &image);
  return image;
}

static void assert_component(const Fixture *fixture, uint32_t at,
                             ecs_Component component, double number) {
  Sizes image = peek(fixture, at, component), expected = sizes_of(number);
  assert_true(image.f64 == expected.f64 && image.u32 == expected.u32);
  assert_int_equal(image.u16, expected.u16);
  assert_int_equal(image.u8, expected.u8);
}

/* Walks all, judging every component with columns; how many batches. */
static uint32_t walk(const Fixture *fixture, ecs_Query *query,
                     ecs_Batching batching, uint32_t *rows, uint32_t *largest) {
  Cursor state;
  ecs_Batch batch;
  uint32_t batches = 0;
  *rows = *largest = 0;
  assert_int_equal(cursor_begin(query, batching, &state), ECS_OK);
  while (cursor_next(&state, &batch)) {
    assert_true(batch.count > 0);
    assert_int_equal(batch.column_count, query->column_count);
    for (uint32_t k = 0; k < batch.column_count; k += 4)
      assert_columns(fixture, &batch, k);
    *rows += batch.count;
    if (batch.count > *largest) *largest = batch.count;
    batches++;
  }
  assert_false(cursor_next(&state, &batch)); /* the end stays the end */
  cursor_end(&state);
  assert_int_equal(query->open, 0);
  return batches;
}

/* In place ---------------------------------------------------------------- */

static void a_full_plan_hands_out_tables_as_they_lie(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 12);
  for (uint32_t i = 0; i < 5; i++) add(&fixture, i * 2, fixture.tag);
  const ecs_Term term = {fixture.a, ECS_WRITE};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  uint32_t rows, largest;
  assert_int_equal(walk(&fixture, query, ECS_BATCH_WHOLE, &rows, &largest), 2);
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

static void a_run_in_the_middle_of_a_table_is_used_in_place(void **state) {
  (void)state;
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
  uint32_t bit = fixture.world->store.components[fixture.a].bit;
  for (uint32_t k = 0; k < 4; k++)
    assert_ptr_equal(batch.columns[k],
                     table_element(table, table_codes(table, bit)[k], 5));
  assert_columns(&fixture, &batch, 0);
  assert_columns(&fixture, &batch, 4);
  cursor_end(&cursor);
  finish(&fixture);
}

/* Copies ------------------------------------------------------------------ */

/* S in another order than A, several blocks: whoever drives, one is copied. */
static void scattered_rows_are_gathered_and_put_back(void **state) {
  (void)state;
  for (uint32_t who = 0; who < 2; who++) {
    Fixture fixture;
    start(&fixture);
    spawn(&fixture, MANY);
    for (uint32_t i = 0; i < MANY; i++) add(&fixture, i * 2 % MANY, fixture.s);
    const ecs_Term terms[] = {{fixture.a, ECS_WRITE}, {fixture.s, ECS_WRITE}};
    /* A row more in one part makes the other drive. */
    if (who == 0) spawn(&fixture, 1);
    ecs_Query *query = make_query(fixture.world, terms, 2);
    uint32_t rows, largest;
    assert_int_equal(walk(&fixture, query, ECS_BATCH_WHOLE, &rows, &largest),
                     3);
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
    /* The first is in the world now; of the second only what is written. */
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

/* Columns of four bytes, which go in pairs and leave one over. */
typedef struct Cells {
  uint32_t c[3];
} Cells;

static ecs_Component define_cells(Fixture *fixture, const char *name,
                                  ecs_Storage storage) {
  static const ecs_Field cells[] = {
      {"x", ECS_U32, 0}, {"y", ECS_U32, 0}, {"z", ECS_U32, 0}};
  return define_component(fixture->world, name, cells, 3, storage);
}

static void assert_cells(const Fixture *fixture, uint32_t at,
                         ecs_Component component, uint32_t number) {
  Cells cells;
  assert_int_equal(ecs_get(fixture->world, fixture->e[at], component, &cells),
                   ECS_OK);
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(cells.c[k], number * 3 + k);
}

static void gathered_blocks_are_cut_into_slices(void **state) {
  (void)state;
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

/* One u32 in each of three groups: entity n has m = n, p = 100 + n, q = 200 + n.
 * The rows of the three are in three orders, in as many tables as asked for. */
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
static void every_term_is_gathered_by_its_own_rows(void **state) {
  (void)state;
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

static void what_is_only_read_is_not_put_back(void **state) {
  (void)state;
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
    /* Only a copy may be scribbled on to see where it goes. */
    assert_int_equal((cursor.scratch->columns[k] == cursor.scratch->data[k]),
                     term->group_index != query->driver);
    if ((cursor.scratch->columns[k] == cursor.scratch->data[k]))
      memset(batch.columns[k], 0xee, (size_t)9 << query->columns[k].shift);
  }
  cursor_end(&cursor);
  for (uint32_t i = 0; i < 9; i++) {
    assert_component(&fixture, i, fixture.a, i);
    assert_component(&fixture, i, fixture.s, i);
  }
  finish(&fixture);
}

static void copies_start_on_a_line(void **state) {
  (void)state;
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
  assert_true(end <= (const char *)scratch + scratch->block_bytes);
  cursor_end(&cursor);
  finish(&fixture);
}

static void an_optional_part_is_null_where_it_is_absent(void **state) {
  (void)state;
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
    ecs_Component what[5] = {fixture->a};
    uint32_t parts = 1;
    ecs_Bundle bundle = 0;
    for (uint32_t k = 0; k < 4; k++)
      if (((i + 1) >> k & 1u) != 0) what[parts++] = tags[k];
    assert_int_equal(ecs_bundle(fixture->world, what, parts, &bundle), ECS_OK);
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

static void tiny_tables_become_one_batch(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  static const uint32_t rows[] = {2, 1, 0, 3, 0, 1, 2};
  make_tables(&fixture, rows, 7);
  const ecs_Term term = {fixture.a, ECS_WRITE};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  uint32_t total, largest;
  assert_int_equal(walk(&fixture, query, ECS_BATCH_WHOLE, &total, &largest), 5);
  assert_int_equal(largest, 3);
  assert_int_equal(walk(&fixture, query, ECS_BATCH_COALESCED, &total, &largest),
                   1);
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

/* A table of the limit is large enough to go alone, wherever it stands. */
static void a_table_that_is_not_tiny_goes_alone(void **state) {
  (void)state;
  for (uint32_t less = 0; less < 2; less++) {
    Fixture fixture;
    start(&fixture);
    const uint32_t rows[] = {1, 1, ECS_COALESCE_ROWS - less, 1, 1};
    make_tables(&fixture, rows, 5);
    const ecs_Term term = {fixture.a, ECS_READ};
    ecs_Query *query = make_query(fixture.world, &term, 1);
    uint32_t total, largest;
    assert_int_equal(
        walk(&fixture, query, ECS_BATCH_COALESCED, &total, &largest),
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
    assert_int_equal(walk(&fixture, make_query(fixture.world, &term, 1),
                          ECS_BATCH_COALESCED, &total, &largest),
                     less == 1 ? 1 : 2);
    finish(&fixture);
  }
}

/* As many tiny tables as fill a block exactly, and one row more. */
static void a_coalesced_batch_is_no_larger_than_a_block(void **state) {
  (void)state;
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
    uint32_t batches = walk(&fixture, make_query(fixture.world, &term, 1),
                            ECS_BATCH_COALESCED, &total, &largest);
    assert_int_equal(total, ECS_BLOCK_ROWS + more);
    assert_int_equal(batches, 1 + more);
    assert_true(largest <= ECS_BLOCK_ROWS);
    if (more == 0) assert_int_equal(largest, ECS_BLOCK_ROWS);
    finish(&fixture);
  }
}

static void a_batch_has_an_optional_component_or_has_it_not(void **state) {
  (void)state;
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
  assert_int_equal(batches, 2); /* the tables with B were born last */
  finish(&fixture);
}

/* Blocks of a row list coalesce as tables do. */
static void tiny_blocks_of_a_list_become_one_batch(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  static const uint32_t rows[] = {1, 2, 1, 2, 1};
  make_tables(&fixture, rows, 5);
  for (uint32_t i = 0; i < 7; i++) add(&fixture, i * 3 % 7, fixture.s);
  const ecs_Term terms[] = {{fixture.a, ECS_WRITE}, {fixture.s, ECS_WRITE}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  uint32_t total, largest;
  uint32_t whole = walk(&fixture, query, ECS_BATCH_WHOLE, &total, &largest);
  assert_true(whole > 1);
  assert_int_equal(walk(&fixture, query, ECS_BATCH_COALESCED, &total, &largest),
                   1);
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

/* Claims ------------------------------------------------------------------ */

static const Component *component_of(const Fixture *fixture,
                                     ecs_Component component) {
  return &fixture->world->store.components[component];
}

static void a_walk_claims_what_it_hands_out(void **state) {
  (void)state;
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
    const Component *what = component_of(&fixture, terms[i].component);
    assert_int_equal(what->readers, readers[i]);
    assert_int_equal(what->writers, writers[i]);
  }
  assert_int_equal(query->open, 1);
  cursor_end(&cursor);
  for (uint32_t i = 0; i < 5; i++) {
    const Component *what = component_of(&fixture, terms[i].component);
    assert_int_equal(what->readers | what->writers, 0);
  }
  assert_int_equal(query->open, 0);
  finish(&fixture);
}

static void a_filter_claims_nothing(void **state) {
  (void)state;
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

/* One component, asked for by two queries in every pair of ways. */
static void who_writes_shares_with_nobody(void **state) {
  (void)state;
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

static void two_walks_over_one_query_have_their_own_scratch(void **state) {
  (void)state;
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
  assert_int_equal(component_of(&fixture, fixture.a)->readers, 2);
  cursor_end(&second);
  assert_columns(&fixture, &one, 0);
  assert_columns(&fixture, &one, 4);
  uint64_t blocks = fixture.failing.blocks;
  cursor_end(&first);
  assert_int_equal(fixture.failing.blocks, blocks); /* both are kept */
  assert_non_null(query->scratches);
  uint64_t requests = fixture.failing.requests;
  uint32_t rows, largest;
  (void)walk(&fixture, query, ECS_BATCH_WHOLE, &rows, &largest);
  assert_int_equal(fixture.failing.requests, requests);
  finish(&fixture);
}

/* However often walks nest, and whichever ends first, a query keeps as many
 * scratches as it ever had cursors open at once. */
static void scratches_of_nested_walks_are_used_again(void **state) {
  (void)state;
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

static void every_allocation_of_beginning_may_fail(void **state) {
  (void)state;
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
      cmocka_unit_test(scattered_rows_are_gathered_and_put_back),
      cmocka_unit_test(gathered_blocks_are_cut_into_slices),
      cmocka_unit_test(every_term_is_gathered_by_its_own_rows),
      cmocka_unit_test(what_is_only_read_is_not_put_back),
      cmocka_unit_test(copies_start_on_a_line),
      cmocka_unit_test(an_optional_part_is_null_where_it_is_absent),
      cmocka_unit_test(tiny_tables_become_one_batch),
      cmocka_unit_test(a_table_that_is_not_tiny_goes_alone),
      cmocka_unit_test(a_coalesced_batch_is_no_larger_than_a_block),
      cmocka_unit_test(a_batch_has_an_optional_component_or_has_it_not),
      cmocka_unit_test(tiny_blocks_of_a_list_become_one_batch),
      cmocka_unit_test(a_walk_claims_what_it_hands_out),
      cmocka_unit_test(a_filter_claims_nothing),
      cmocka_unit_test(who_writes_shares_with_nobody),
      cmocka_unit_test(two_walks_over_one_query_have_their_own_scratch),
      cmocka_unit_test(scratches_of_nested_walks_are_used_again),
      cmocka_unit_test(every_allocation_of_beginning_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
