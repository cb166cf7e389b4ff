/* query_group_test.c: what a query requires of one group.
 *
 * Requirements are set by hand on the main group of a small world: three
 * components in tables, and eleven tags stored as bits, which take two columns.
 *
 *      bits column 0   T0 T1 T2 T3 T4 T5 T6 T7
 *      bits column 1   T8 T9 T10
 */
#include <string.h>

#include "test_case.h"
#include "world/world.h"
#include "api_fixture.h"

#define BITS 11u

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  Memory *memory;
  ecs_Component bits[BITS];
  ecs_Component a, b, c;
} Fixture;

static ecs_Component define(Fixture *fixture, const char *name,
                            ecs_Storage storage) {
  return define_component(fixture->world, name, NULL, 0, storage);
}

static void start(Fixture *fixture) {
  fixture->world = open_world(&fixture->failing);
  fixture->memory = &fixture->world->store.memory;
  fixture->a = define(fixture, "A", ECS_STORE_TABLE);
  for (uint32_t i = 0; i < BITS; i++) {
    char name[16];
    snprintf(name, sizeof name, "T%u", (unsigned)i);
    fixture->bits[i] = define(fixture, name, ECS_STORE_BITS);
  }
  fixture->b = define(fixture, "B", ECS_STORE_TABLE);
  fixture->c = define(fixture, "C", ECS_STORE_TABLE);
}

static void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

static uint32_t bit_of(const Fixture *fixture, ecs_Component component) {
  return fixture->world->store.components.all[component].bit;
}

static QueryGroup query_group_over_main(const Fixture *fixture) {
  QueryGroup query_group;
  memset(&query_group, 0xff, sizeof query_group);
  assert_int_equal(query_group_init(&query_group, fixture->memory,
                                    store_main(&fixture->world->store)),
                   ECS_OK);
  return query_group;
}

static RowRef spawn(const Fixture *fixture, const ecs_Component *components,
                    uint32_t count) {
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(fixture->world, components, count, NULL, &entity),
                   ECS_OK);
  return store_locate_main(&fixture->world->store, entity);
}

TEST(a_fresh_query_group_requires_nothing) {
  Fixture fixture;
  start(&fixture);
  QueryGroup query_group = query_group_over_main(&fixture);
  assert_ptr_equal(query_group.group, store_main(&fixture.world->store));
  assert_int_equal(query_group.match.words, 1);
  assert_int_equal(query_group.bits_columns, 2);
  assert_false(query_group.filters);
  assert_false(query_group.required);
  assert_int_equal(
      query_group.match.required[0] | query_group.match.excluded[0], 0);
  for (uint32_t i = 0; i < 2; i++)
    assert_int_equal(query_group.bits_needed[i] | query_group.bits_forbidden[i],
                     0);
  RowRef place = spawn(&fixture, fixture.bits, 3);
  assert_true(query_group_row_fits(&query_group, place.table, place.row));
  query_group_deinit(&query_group, fixture.memory);
  assert_null(query_group.group);
  finish(&fixture);
}

TEST(a_query_group_without_components_needs_no_memory) {
  FailingMemory failing;
  ecs_WorldDescription how = {failing_memory_init(&failing), 0};
  ecs_World *world = NULL;
  assert_int_equal(ecs_world_create(&how, &world), ECS_OK);
  QueryGroup query_group;
  failing_memory_arm(&failing, 1, FAIL_ONWARD);
  assert_int_equal(query_group_init(&query_group, &world->store.memory,
                                    store_main(&world->store)),
                   ECS_OK);
  assert_int_equal(failing_memory_disarm(&failing), 0);
  assert_int_equal(query_group.match.words, 0);
  assert_int_equal(query_group.bits_columns, 0);
  query_group_deinit(&query_group, &world->store.memory);
  ecs_world_destroy(world);
}

TEST(tables_are_asked_for_by_masks) {
  Fixture fixture;
  start(&fixture);
  QueryGroup query_group = query_group_over_main(&fixture);
  query_group_demand(&query_group, bit_of(&fixture, fixture.b), false);
  assert_false(query_group.required);
  query_group_demand(&query_group, bit_of(&fixture, fixture.a), true);
  assert_true(query_group.required);
  query_group_demand(&query_group, bit_of(&fixture, fixture.c), true);
  assert_false(query_group.filters);
  uint64_t one = 1;
  assert_int_equal(
      query_group.match.required[0],
      one << bit_of(&fixture, fixture.a) | one << bit_of(&fixture, fixture.c));
  assert_int_equal(query_group.match.excluded[0],
                   one << bit_of(&fixture, fixture.b));
  query_group_deinit(&query_group, fixture.memory);
  finish(&fixture);
}

TEST(tags_stored_as_bits_are_asked_for_by_filters) {
  Fixture fixture;
  start(&fixture);
  QueryGroup query_group = query_group_over_main(&fixture);
  query_group_demand(&query_group, bit_of(&fixture, fixture.bits[10]), false);
  assert_true(query_group.filters);
  assert_false(query_group.required);
  query_group_demand(&query_group, bit_of(&fixture, fixture.bits[0]), true);
  query_group_demand(&query_group, bit_of(&fixture, fixture.bits[7]), true);
  query_group_demand(&query_group, bit_of(&fixture, fixture.bits[8]), false);
  assert_true(query_group.required);
  assert_int_equal(query_group.bits_needed[0], 0x81);
  assert_int_equal(query_group.bits_needed[1], 0);
  assert_int_equal(query_group.bits_forbidden[0], 0);
  assert_int_equal(query_group.bits_forbidden[1], 0x05);
  assert_int_equal(
      query_group.match.required[0] | query_group.match.excluded[0], 0);
  query_group_deinit(&query_group, fixture.memory);
  finish(&fixture);
}

/* Every pair of a required and an excluded tag, over rows with one, the other,
 * both or none. The table gets more columns of bits from pair to pair. */
TEST(a_row_fits_when_it_has_the_needed_and_no_forbidden_bits) {
  static const uint32_t tags[] = {0, 5, 7, 8, 10};
  Fixture fixture;
  start(&fixture);
  for (uint32_t pair = 0; pair < 25; pair++) {
    const ecs_Component components[] = {fixture.bits[tags[pair / 5]],
                                        fixture.bits[tags[pair % 5]]};
    if (pair / 5 == pair % 5) continue;
    QueryGroup query_group = query_group_over_main(&fixture);
    query_group_demand(&query_group, bit_of(&fixture, components[0]), true);
    query_group_demand(&query_group, bit_of(&fixture, components[1]), false);
    RowRef none = spawn(&fixture, components, 0);
    assert_false(query_group_row_fits(&query_group, none.table, none.row));
    RowRef needed = spawn(&fixture, components, 1);
    assert_true(query_group_row_fits(&query_group, needed.table, needed.row));
    RowRef forbidden = spawn(&fixture, components + 1, 1);
    assert_false(
        query_group_row_fits(&query_group, forbidden.table, forbidden.row));
    RowRef both = spawn(&fixture, components, 2);
    assert_false(query_group_row_fits(&query_group, both.table, both.row));
    query_group_deinit(&query_group, fixture.memory);
    assert_int_equal(ecs_world_clear(fixture.world), ECS_OK);
  }
  finish(&fixture);
}

TEST(all_needed_bits_must_be_there) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component components[] = {fixture.bits[1], fixture.bits[2],
                                      fixture.bits[9]};
  QueryGroup query_group = query_group_over_main(&fixture);
  for (uint32_t i = 0; i < 3; i++)
    query_group_demand(&query_group, bit_of(&fixture, components[i]), true);
  for (uint32_t count = 0; count <= 3; count++) {
    RowRef place = spawn(&fixture, components, count);
    assert_int_equal(query_group_row_fits(&query_group, place.table, place.row),
                     count == 3);
  }
  RowRef place = spawn(&fixture, components + 1, 2);
  assert_false(query_group_row_fits(&query_group, place.table, place.row));
  query_group_deinit(&query_group, fixture.memory);
  finish(&fixture);
}

/* A row fits by its table's component, or by one of two tags in two columns. */
TEST(a_row_fits_when_it_has_something_that_is_offered) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component offered[] = {fixture.a, fixture.bits[2], fixture.bits[9]};
  QueryGroup query_group = query_group_over_main(&fixture);
  for (uint32_t i = 0; i < 3; i++)
    query_group_offer(&query_group, bit_of(&fixture, offered[i]));
  assert_false(query_group.required);
  query_groups_choose(&query_group, 1);
  assert_true(query_group.required && query_group.row_chooses);
  assert_false(query_group.match.chooses || query_group.shares);
  for (uint32_t i = 0; i < 8; i++) {
    ecs_Component has[4] = {fixture.bits[3]};
    uint32_t count = 1;
    for (uint32_t k = 0; k < 3; k++)
      if ((i >> k & 1u) != 0) has[count++] = offered[k];
    RowRef place = spawn(&fixture, has, count);
    assert_int_equal(query_group_row_fits(&query_group, place.table, place.row),
                     i != 0);
  }
  query_group_deinit(&query_group, fixture.memory);
  finish(&fixture);
}

/* Without bits tables choose; two groups that offer share the choice. */
TEST(a_choice_is_a_demand_of_one_group_or_shared) {
  Fixture fixture;
  start(&fixture);
  QueryGroup groups[2] = {query_group_over_main(&fixture),
                          query_group_over_main(&fixture)};
  query_group_offer(&groups[0], bit_of(&fixture, fixture.a));
  query_groups_choose(groups, 2);
  assert_true(groups[0].match.chooses && groups[0].required);
  assert_false(groups[0].filters || groups[1].required);
  assert_false(query_groups_share(groups, 2));
  RowRef b = spawn(&fixture, &fixture.b, 1), a = spawn(&fixture, &fixture.a, 1);
  assert_false(matched_tables_fit(&groups[0].match, b.table));
  assert_true(matched_tables_fit(&groups[0].match, a.table));
  query_group_deinit(&groups[0], fixture.memory);
  groups[0] = query_group_over_main(&fixture);
  query_group_offer(&groups[0], bit_of(&fixture, fixture.a));
  query_group_offer(&groups[1], bit_of(&fixture, fixture.bits[4]));
  query_groups_choose(groups, 2);
  assert_true(query_groups_share(groups, 2));
  assert_false(groups[0].required || groups[1].required || groups[1].filters);
  assert_false(query_groups_offer(groups, 2, b.table->entities[b.row], b));
  assert_true(query_groups_offer(groups, 2, a.table->entities[a.row], a));
  query_group_deinit(&groups[0], fixture.memory);
  query_group_deinit(&groups[1], fixture.memory);
  finish(&fixture);
}

#define ROWS (ECS_INDEX_LIMIT > 200u ? 200u : ECS_INDEX_LIMIT - 1u)

/* Rows with three tags, in two columns of bits, by the bits of their numbers;
 * rare: most rows lack one of them. Returns the table. */
static const Table *spawn_mixed(const Fixture *fixture, uint32_t rows,
                                bool rare) {
  RowRef place = {NULL, 0};
  for (uint32_t i = 0; i < rows; i++) {
    ecs_Component has[4] = {fixture->a, 0, 0, 0};
    uint32_t count = 1, draw = i * 2654435761u >> 20;
    if (rare ? draw % 16 == 0 : draw % 8 != 0) has[count++] = fixture->bits[0];
    if (draw / 16 % 4 == 0) has[count++] = fixture->bits[3];
    if (draw / 64 % 8 != 0) has[count++] = fixture->bits[9];
    place = spawn(fixture, has, count);
    assert_int_equal(place.row, i);
  }
  return place.table;
}

/* Lists rows from first on, and compares with one row at a time. */
static void check_listed(const QueryGroup *asked, const Table *table,
                         uint32_t first, uint32_t count) {
  uint32_t list[200 + BITS_LIST_SLACK], next = 0;
  uint32_t listed = query_group_list(asked, table, first, count, list);
  for (uint32_t row = first; row < first + count; row++)
    if (query_group_bits_fit(asked, table, row)) {
      assert_true(next < listed);
      assert_int_equal(list[next++], row);
    }
  assert_int_equal(listed, next);
}

TEST(rows_with_bits_that_fit_are_listed) {
  static const uint32_t counts[] = {0, 1, 63, 64, 65, 127, 128, 200};
  for (uint32_t rare = 0; rare < 2; rare++) {
    Fixture fixture;
    start(&fixture);
    QueryGroup asked = query_group_over_main(&fixture);
    query_group_demand(&asked, bit_of(&fixture, fixture.bits[0]), true);
    query_group_demand(&asked, bit_of(&fixture, fixture.bits[3]), false);
    query_group_demand(&asked, bit_of(&fixture, fixture.bits[9]), true);
    const Table *table = spawn_mixed(&fixture, ROWS, rare != 0);
    for (uint32_t first = 0; first < ROWS; first++)
      for (uint32_t i = 0; i < 8; i++)
        if (counts[i] <= ROWS - first)
          check_listed(&asked, table, first, counts[i]);
    query_group_deinit(&asked, fixture.memory);
    finish(&fixture);
  }
}

TEST(a_table_without_the_needed_bits_has_no_row_that_fits) {
  Fixture fixture;
  uint32_t list[1 + BITS_LIST_SLACK];
  start(&fixture);
  QueryGroup needs = query_group_over_main(&fixture);
  QueryGroup forbids = query_group_over_main(&fixture);
  query_group_demand(&needs, bit_of(&fixture, fixture.bits[9]), true);
  query_group_demand(&forbids, bit_of(&fixture, fixture.bits[9]), false);
  const Table *table = spawn(&fixture, &fixture.a, 1).table;
  assert_int_equal(query_group_list(&needs, table, 0, 1, list), 0);
  assert_int_equal(query_group_list(&forbids, table, 0, 1, list), 1);
  query_group_deinit(&needs, fixture.memory);
  query_group_deinit(&forbids, fixture.memory);
  finish(&fixture);
}

TEST(a_query_group_counts_the_rows_of_its_tables) {
  Fixture fixture;
  start(&fixture);
  Group *main = store_main(&fixture.world->store);
  const ecs_Component components[] = {fixture.b, fixture.a, fixture.c};
  QueryGroup query_group = query_group_over_main(&fixture);
  query_group_demand(&query_group, bit_of(&fixture, fixture.a), true);
  query_group_demand(&query_group, bit_of(&fixture, fixture.c), false);
  assert_int_equal(group_attach(main, fixture.memory, &query_group.match),
                   ECS_OK);
  assert_int_equal(query_group_rows(&query_group), 0);
  for (uint32_t i = 0; i < 3; i++)
    (void)spawn(&fixture, components, 2); /* B A */
  for (uint32_t i = 0; i < 2; i++)
    (void)spawn(&fixture, components + 1, 1); /* A */
  for (uint32_t i = 0; i < 5; i++) (void)spawn(&fixture, components, 3);
  (void)spawn(&fixture, components, 1);
  assert_int_equal(query_group_rows(&query_group), 5);
  group_detach(&query_group.match);
  query_group_deinit(&query_group, fixture.memory);
  finish(&fixture);
}

#ifndef ECS_TINY
TEST(components_past_the_first_word_are_told_apart) {
  Fixture fixture;
  start(&fixture);
  ecs_Component last = 0;
  for (uint32_t i = 0; i < 120; i++) {
    char name[16];
    snprintf(name, sizeof name, "M%u", (unsigned)i);
    last = define(&fixture, name, ECS_STORE_TABLE);
  }
  QueryGroup query_group = query_group_over_main(&fixture);
  uint32_t bit = bit_of(&fixture, last);
  assert_int_equal(query_group.match.words, 3);
  query_group_demand(&query_group, bit, true);
  query_group_demand(&query_group, bit - 64, false);
  assert_int_equal(query_group.match.required[bit / 64], UINT64_C(1)
                                                             << bit % 64);
  assert_int_equal(query_group.match.excluded[bit / 64 - 1], UINT64_C(1)
                                                                 << bit % 64);
  assert_int_equal(query_group.match.required[0], 0);
  query_group_deinit(&query_group, fixture.memory);
  finish(&fixture);
}
#endif

TEST(every_allocation_of_a_query_group_may_fail) {
  for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
    Fixture fixture;
    start(&fixture);
    Group *main = store_main(&fixture.world->store);
    uint64_t blocks = fixture.failing.blocks, nth = 0, injected;
    do {
      QueryGroup query_group;
      failing_memory_arm(&fixture.failing, ++nth, (FailingMode)mode);
      ecs_Status status = query_group_init(&query_group, fixture.memory, main);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      query_group_deinit(&query_group, fixture.memory);
      assert_int_equal(fixture.failing.blocks, blocks);
    } while (injected > 0);
    assert_int_equal(nth, 7); /* three masks, three rows of bits */
    finish(&fixture);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fresh_query_group_requires_nothing),
      cmocka_unit_test(a_query_group_without_components_needs_no_memory),
      cmocka_unit_test(tables_are_asked_for_by_masks),
      cmocka_unit_test(tags_stored_as_bits_are_asked_for_by_filters),
      cmocka_unit_test(a_row_fits_when_it_has_the_needed_and_no_forbidden_bits),
      cmocka_unit_test(all_needed_bits_must_be_there),
      cmocka_unit_test(a_row_fits_when_it_has_something_that_is_offered),
      cmocka_unit_test(a_choice_is_a_demand_of_one_group_or_shared),
      cmocka_unit_test(rows_with_bits_that_fit_are_listed),
      cmocka_unit_test(a_table_without_the_needed_bits_has_no_row_that_fits),
      cmocka_unit_test(a_query_group_counts_the_rows_of_its_tables),
#ifndef ECS_TINY
      cmocka_unit_test(components_past_the_first_word_are_told_apart),
#endif
      cmocka_unit_test(every_allocation_of_a_query_group_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
