/* row_list_test.c: the rows of a query, where tables alone do not tell.
 *
 * Lists are built by real queries over a small world and then read row by row.
 * assert_sound checks what must hold of any list. Each test makes rows of a
 * certain order, and checks which blocks result.
 *
 *      A, B in tables of the main group       S, R sparse sets       T bits
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "world/world.h"
#include "api_fixture.h"

#define MANY (ECS_BLOCK_ROWS * 2u + 3u)

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, b, s, r, t;
  ecs_Entity e[MANY + 40u];
  uint32_t count;
} Fixture;

static ecs_Component define(Fixture *fixture, const char *name,
                            ecs_Storage storage) {
  static const ecs_Field field = {"v", ECS_U32, 0};
  return define_component(fixture->world, name, &field,
                          storage == ECS_STORE_BITS ? 0 : 1, storage);
}

static void start(Fixture *fixture) {
  fixture->world = open_world(&fixture->failing);
  fixture->count = 0;
  fixture->a = define(fixture, "A", ECS_STORE_TABLE);
  fixture->b = define(fixture, "B", ECS_STORE_TABLE);
  fixture->s = define(fixture, "S", ECS_STORE_SPARSE);
  fixture->r = define(fixture, "R", ECS_STORE_SPARSE);
  fixture->t = define(fixture, "T", ECS_STORE_BITS);
}

static void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

/* count more entities with A. */
static void spawn(Fixture *fixture, uint32_t count) {
  for (; count > 0; count--)
    assert_int_equal(ecs_spawn(fixture->world, &fixture->a, 1, NULL,
                               &fixture->e[fixture->count++]),
                     ECS_OK);
}

static void add(Fixture *fixture, uint32_t index, ecs_Component component) {
  assert_int_equal(ecs_add(fixture->world, fixture->e[index], component, NULL),
                   ECS_OK);
}

static void take(Fixture *fixture, uint32_t index, ecs_Component component) {
  assert_int_equal(ecs_remove(fixture->world, fixture->e[index], component),
                   ECS_OK);
}

/* A query that requires both components. */
static ecs_Query *pair(Fixture *fixture, ecs_Component left,
                       ecs_Component right) {
  const ecs_Term terms[] = {{left, ECS_READ}, {right, ECS_READ}};
  return make_query(fixture->world, terms, 2);
}

static bool matches(const ecs_Query *query, const ecs_World *world,
                    ecs_Entity entity) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    bool there = ecs_has(world, entity, term->component);
    if (term->access == ECS_OPTIONAL) continue;
    if (there != (term->access != ECS_WITHOUT)) return false;
  }
  return true;
}

static ecs_Entity entity_at(const ecs_Query *query, const Block *block,
                            uint32_t group_index, uint32_t index) {
  const Table *table =
      row_list_table(&query->rows, block, query->groups, group_index);
  if (table == NULL) return 0;
  uint32_t row = row_list_rows(&query->rows, block, group_index)[index];
  assert_true(row < table->count);
  return table->entities[row];
}

/* Checks that the rows in one group are those of the driver's entities. */
static void assert_block(const ecs_Query *query, const Block *block,
                         uint32_t group_index) {
  const uint32_t *rows = row_list_rows(&query->rows, block, group_index);
  const QueryGroup *query_group = &query->groups[group_index];
  bool run = true;
  for (uint32_t i = 0; i < block->count; i++) {
    ecs_Entity entity = entity_at(query, block, query->driver, i);
    RowRef place = query_group->group->id == 0
                       ? store_locate_main(query->store, entity)
                       : store_locate_in(query_group->group, id_index(entity));
    const Table *table =
        row_list_table(&query->rows, block, query->groups, group_index);
    assert_ptr_equal(place.table, table);
    if (table == NULL) continue;
    assert_int_equal(place.row, rows[i]);
    run = run && rows[i] == rows[0] + i;
  }
  assert_int_equal(block_is_run_in(block, group_index), run);
}

static bool is_run(const ecs_Query *query, const Block *block) {
  for (uint32_t i = 0; i < query->group_count; i++)
    if (!block_is_run_in(block, i)) return false;
  return true;
}

/* Checks what holds of every list: every entity that matches is listed once,
 * blocks follow each other without gaps, rows are in the driver's order. */
static void assert_sound(const Fixture *fixture, ecs_Query *query) {
  uint64_t count = 0, wanted = 0;
  assert_int_equal(ecs_query_count(query, &count), ECS_OK);
  const RowList *list = &query->rows;
  assert_true(row_list_is_fresh(list, query->groups));
  for (uint32_t i = 0; i < fixture->count; i++)
    if (matches(query, fixture->world, fixture->e[i])) wanted++;
  assert_int_equal(count, wanted);
  uint32_t next = 0;
  for (uint32_t i = 0; i < list->block_count; i++) {
    const Block *block = &list->blocks[i];
    const uint32_t *rows = row_list_rows(list, block, query->driver);
    assert_int_equal(block->first, next);
    assert_true(block->count > 0);
    next += block->count;
    for (uint32_t k = 0; k < query->group_count; k++)
      assert_block(query, block, k);
    for (uint32_t k = 0; k < block->count; k++)
      assert_true(matches(query, fixture->world,
                          entity_at(query, block, query->driver, k)));
    for (uint32_t k = 1; k < block->count; k++)
      assert_true(rows[k] > rows[k - 1]);
    if (!is_run(query, block)) assert_true(block->count <= ECS_BLOCK_ROWS);
    if (i > 0 && block[-1].tables == block->tables)
      assert_true(rows[0] > rows[-1]);
  }
  assert_int_equal(next, count);
}

static const RowList *built(const Fixture *fixture, ecs_Query *query) {
  assert_sound(fixture, query);
  return &query->rows;
}

/* Runs -------------------------------------------------------------------- */

static void rows_in_order_everywhere_are_one_block_however_long(void **state) {
  (void)state;
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

static void rows_out_of_order_are_cut(void **state) {
  (void)state;
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

static void a_full_block_is_cut_at_its_limit_and_not_before(void **state) {
  (void)state;
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
static void runs_are_joined_only_where_they_go_on(void **state) {
  (void)state;
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

static void a_run_after_scattered_rows_is_a_block_of_its_own(void **state) {
  (void)state;
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
static void rows_of_one_combination_are_brought_together_in_order(
    void **state) {
  (void)state;
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
static void many_tables_make_many_combinations(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Component tags[4];
  for (uint32_t i = 0; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "Tag%u", (unsigned)i);
    ecs_ComponentDescription how = {name, NULL, 0, ECS_STORE_TABLE};
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

/* One driver table in which sixteen combinations come again and again. */
static void a_combination_that_comes_again_is_the_same(void **state) {
  (void)state;
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

/* A group of two tables, of which one is asked for. */
static void a_place_in_a_table_that_does_not_match_is_no_match(void **state) {
  (void)state;
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
static void a_query_may_span_more_than_64_groups(void **state) {
  (void)state;
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

/* How long it is good ----------------------------------------------------- */

static void a_list_is_fresh_until_one_of_its_groups_changes(void **state) {
  (void)state;
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

static void a_list_that_was_never_built_is_not_fresh(void **state) {
  (void)state;
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

static void a_list_that_is_built_again_needs_no_more_rows(void **state) {
  (void)state;
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

static void an_empty_list_has_no_blocks(void **state) {
  (void)state;
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

static void every_allocation_of_a_list_may_fail(void **state) {
  (void)state;
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
      assert_true(fixture.failing.blocks <= blocks + 3 + 2);
    } while (injected > 0);
    assert_true(nth > 10);
    assert_sound(&fixture, query);
    finish(&fixture);
  }
}

/* The check itself -------------------------------------------------------- */

static bool is_right(const ecs_Query *query) {
  return row_list_check_invariants(&query->rows, query->store, query->groups,
                                   query->driver);
}

/* A fault planted in a place is seen, and nothing once it is gone. */
#define ASSERT_SEEN(place, wrong)      \
  do {                                 \
    __typeof__(place) right = (place); \
    (place) = (wrong);                 \
    assert_false(is_right(query));     \
    (place) = right;                   \
    assert_true(is_right(query));      \
  } while (0)

/* S in no order, of entities in two tables: four blocks or more. */
static void the_check_sees_what_does_not_agree(void **state) {
  (void)state;
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
      cmocka_unit_test(a_list_is_fresh_until_one_of_its_groups_changes),
      cmocka_unit_test(a_list_that_was_never_built_is_not_fresh),
      cmocka_unit_test(a_list_that_is_built_again_needs_no_more_rows),
      cmocka_unit_test(an_empty_list_has_no_blocks),
      cmocka_unit_test(every_allocation_of_a_list_may_fail),
      cmocka_unit_test(the_check_sees_what_does_not_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
