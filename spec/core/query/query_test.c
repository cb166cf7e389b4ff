/* query_test.c: terms, the plan made from them, and which group drives it.
 *
 * The text of query_explain shows nearly everything that a plan decides, so
 * several tests compare all of it. Which group drives depends on the rows of
 * each group and on the access of its columns.
 *
 *      A {f64 f32}  B {u16}  Tag       main group
 *      S {u32 u32 u8}  R {i16}         sparse sets
 *      T                               bits
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "world/world.h"
#include "api_fixture.h"

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, b, tag, s, r, t;
} Fixture;

static void start(Fixture *fixture) {
  static const ecs_Field a[] = {{"x", ECS_F64, 0}, {"y", ECS_F32, 0}};
  static const ecs_Field b = {"b", ECS_U16, 0}, r = {"r", ECS_I16, 0};
  static const ecs_Field s[] = {
      {"p", ECS_U32, 0}, {"q", ECS_U32, 0}, {"z", ECS_U8, 0}};
  fixture->world = open_world(&fixture->failing);
  fixture->a = define_component(fixture->world, "A", a, 2, ECS_STORE_TABLE);
  fixture->b = define_component(fixture->world, "B", &b, 1, ECS_STORE_TABLE);
  fixture->tag =
      define_component(fixture->world, "Tag", NULL, 0, ECS_STORE_TABLE);
  fixture->s = define_component(fixture->world, "S", s, 3, ECS_STORE_SPARSE);
  fixture->r = define_component(fixture->world, "R", &r, 1, ECS_STORE_SPARSE);
  fixture->t = define_component(fixture->world, "T", NULL, 0, ECS_STORE_BITS);
}

static void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

static ecs_Entity spawn(const Fixture *fixture, const ecs_Component *components,
                        uint32_t count) {
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(fixture->world, components, count, NULL, &entity),
                   ECS_OK);
  return entity;
}

static void spawn_many(const Fixture *fixture, ecs_Component component,
                       uint32_t count) {
  for (uint32_t i = 0; i < count; i++) (void)spawn(fixture, &component, 1);
}

static uint64_t count_of(ecs_Query *query) {
  uint64_t count = 12345;
  assert_int_equal(ecs_query_count(query, &count), ECS_OK);
  return count;
}

static void assert_explains(ecs_Query *query, const char *expected) {
  char text[1024];
  size_t length = ecs_query_explain(query, text, sizeof text);
  assert_string_equal(text, expected);
  assert_int_equal(length, strlen(expected));
}

/* Columns ----------------------------------------------------------------- */

static void columns_come_in_the_order_of_terms_then_fields(void **state) {
  (void)state;
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

static void what_is_written_or_optional_is_scattered(void **state) {
  (void)state;
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

/* Plans ------------------------------------------------------------------- */

static void one_group_makes_a_full_plan(void **state) {
  (void)state;
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

static void a_filter_of_bits_needs_a_list(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const ecs_Component both[] = {fixture.a, fixture.t};
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.t, ECS_WITH}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  spawn_many(&fixture, fixture.a, 2);
  (void)spawn(&fixture, both, 2);
  assert_int_equal(count_of(query), 1);
  assert_false(query_is_direct(query));
  assert_explains(query,
                  "partial plan, 1 rows match\n"
                  "  main group 0: 1 of 2 tables, 3 rows\n"
                  "    read A\n    with T (bits)\n"
                  "  row list of 1 blocks, 1 in place, 0 gathered\n");
  finish(&fixture);
}

static void terms_of_several_groups_make_a_partial_plan(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const ecs_Component components[] = {fixture.a, fixture.b, fixture.s};
  const ecs_Term terms[] = {
      {fixture.a, ECS_READ}, {fixture.s, ECS_WRITE}, {fixture.b, ECS_WITH}};
  ecs_Query *query = make_query(fixture.world, terms, 3);
  for (uint32_t i = 0; i < 2; i++) (void)spawn(&fixture, components, 3);
  spawn_many(&fixture, fixture.a, 20);
  assert_int_equal(count_of(query), 2);
  assert_explains(query,
                  "partial plan, 2 rows match\n"
                  "  main group 0: 1 of 3 tables, 2 rows\n"
                  "    read A\n    with B\n"
                  "  sparse set 1: 1 of 1 tables, 2 rows, drives\n"
                  "    write S\n"
                  "  row list of 1 blocks, 1 in place, 0 gathered\n");
  finish(&fixture);
}

static void terms_that_share_no_group_make_a_blind_plan(void **state) {
  (void)state;
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
  assert_explains(query,
                  "blind plan, 2 rows match\n"
                  "  group 3: 1 of 1 tables, 2 rows\n    read B\n"
                  "  sparse set 1: 1 of 1 tables, 2 rows, drives\n"
                  "    read S\n"
                  "  row list of 1 blocks, 0 in place, 1 gathered\n");
  finish(&fixture);
}

/* Two tables with S: in order in one, in reverse order in the other. */
static void explaining_counts_blocks_in_place_and_gathered(void **state) {
  (void)state;
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
      strstr(text, "  row list of 2 blocks, 1 in place, 1 gathered\n"));
  finish(&fixture);
}

static void explaining_writes_no_more_than_it_may(void **state) {
  (void)state;
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

static void a_plan_that_cannot_be_made_is_explained_too(void **state) {
  (void)state;
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

/* Who matches ------------------------------------------------------------- */

static void no_terms_match_every_entity(void **state) {
  (void)state;
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

/* Compares all pairs of storages and accesses with ecs_has. */
static void every_access_means_what_it_says_in_every_storage(void **state) {
  (void)state;
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
      for (uint32_t access = 0; left != right && access < 25; access++) {
        const ecs_Term terms[] = {
            {components[left], (ecs_Access)(access / 5)},
            {components[right], (ecs_Access)(access % 5)}};
        uint64_t expected = 0;
        ecs_Query *query = make_query(fixture.world, terms, 2);
        for (uint32_t i = 0; i < 32; i++) {
          bool fits = true;
          for (uint32_t k = 0; k < 2; k++)
            fits = fits && (terms[k].access == ECS_OPTIONAL ||
                            ecs_has(fixture.world, e[i], terms[k].component) ==
                                (terms[k].access != ECS_WITHOUT));
          expected += fits;
        }
        assert_int_equal(count_of(query), expected);
        assert_int_equal(ecs_query_destroy(query), ECS_OK);
      }
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

static void the_cheaper_part_drives(void **state) {
  (void)state;
  enum { A = 1, S = 4 };
  /* Equal costs: S has three columns to gather, A has two. */
  assert_int_equal(driver_of(ECS_READ, ECS_READ, 0, 0, 10), S);
  assert_int_equal(driver_of(ECS_WRITE, ECS_READ, 0, 0, 10), A);
  assert_int_equal(driver_of(ECS_READ, ECS_WRITE, 0, 0, 10), S);
  assert_int_equal(driver_of(ECS_WITH, ECS_WITH, 0, 0, 10), A); /* first */
  /* Rows to look up cost two each, a column one, or 2.5 when written. */
  assert_int_equal(driver_of(ECS_WITH, ECS_WITH, 1, 0, 10), S);
  assert_int_equal(driver_of(ECS_WITH, ECS_WITH, 0, 1, 10), A);
  /* 20 + 20 against 2 * (10 + k) + 30: A never; 2k + 20 + 20 < 20 + 30. */
  assert_int_equal(driver_of(ECS_READ, ECS_READ, 0, 4, 10), S);
  assert_int_equal(driver_of(ECS_READ, ECS_READ, 0, 5, 10), A);
  assert_int_equal(driver_of(ECS_READ, ECS_READ, 0, 6, 10), A);
  /* 2 * 10 + 10 * 5 = 70 for S; 2 * (10 + k) + 10 * 3 for A. */
  assert_int_equal(driver_of(ECS_WRITE, ECS_READ, 9, 0, 10), A);
  assert_int_equal(driver_of(ECS_WRITE, ECS_READ, 10, 0, 10), A);
  assert_int_equal(driver_of(ECS_WRITE, ECS_READ, 11, 0, 10), S);
  /* 2 * 10 + 10 * 7.5 = 95 for A; 2 * (10 + k) + 20 for S. */
  assert_int_equal(driver_of(ECS_READ, ECS_WRITE, 0, 27, 10), S);
  assert_int_equal(driver_of(ECS_READ, ECS_WRITE, 0, 28, 10), A);
  /* A component that may be absent cannot drive. */
  assert_int_equal(driver_of(ECS_READ, ECS_OPTIONAL, 20, 1, 2), A);
  assert_int_equal(driver_of(ECS_OPTIONAL, ECS_READ, 1, 20, 2), S);
  assert_int_equal(driver_of(ECS_OPTIONAL, ECS_OPTIONAL, 1, 2, 3), A);
  assert_int_equal(driver_of(ECS_READ, ECS_WITHOUT, 20, 1, 2), A);
  assert_int_equal(driver_of(ECS_WITHOUT, ECS_WITHOUT, 20, 1, 2), A);
  assert_int_equal(driver_of(ECS_WITHOUT, ECS_WITH, 1, 20, 2), S);
}

static void the_main_group_drives_what_requires_nothing(void **state) {
  (void)state;
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
static void the_driver_follows_the_rows(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const ecs_Component components[] = {fixture.a, fixture.s};
  const ecs_Term terms[] = {{fixture.a, ECS_WITH}, {fixture.s, ECS_WITH}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  for (uint32_t i = 0; i < 3; i++) (void)spawn(&fixture, components, 2);
  (void)count_of(query);
  assert_int_equal(query->driver, 0);
  spawn_many(&fixture, fixture.a, 1);
  (void)count_of(query);
  assert_int_equal(query->driver, 1);
  spawn_many(&fixture, fixture.s, 2);
  (void)count_of(query);
  assert_int_equal(query->driver, 0);
  finish(&fixture);
}

/* How long a plan is good ------------------------------------------------- */

static void a_plan_follows_the_layout(void **state) {
  (void)state;
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

static void tables_that_are_born_later_enter_the_plan(void **state) {
  (void)state;
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
static void a_destroyed_query_leaves_its_groups(void **state) {
  (void)state;
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
  assert_int_equal(fixture.world->store.groups[1]->match_count, 0);
  spawn_many(&fixture, fixture.a, 2);
  assert_int_equal(count_of(second), 2);
  assert_int_equal(ecs_query_destroy(second), ECS_OK);
  assert_int_equal(main->match_count, 0);
  finish(&fixture);
}

static void every_allocation_of_a_query_may_fail(void **state) {
  (void)state;
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

/* A fault planted in a place is seen, and nothing once it is gone. */
#define ASSERT_SEEN(place, wrong)                \
  do {                                           \
    __typeof__(place) right = (place);           \
    (place) = (wrong);                           \
    assert_false(query_check_invariants(query)); \
    (place) = right;                             \
    assert_true(query_check_invariants(query));  \
  } while (0)

static void the_check_sees_what_does_not_agree(void **state) {
  (void)state;
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
      cmocka_unit_test(one_group_makes_a_full_plan),
      cmocka_unit_test(a_filter_of_bits_needs_a_list),
      cmocka_unit_test(terms_of_several_groups_make_a_partial_plan),
      cmocka_unit_test(terms_that_share_no_group_make_a_blind_plan),
      cmocka_unit_test(explaining_counts_blocks_in_place_and_gathered),
      cmocka_unit_test(explaining_writes_no_more_than_it_may),
      cmocka_unit_test(a_plan_that_cannot_be_made_is_explained_too),
      cmocka_unit_test(no_terms_match_every_entity),
      cmocka_unit_test(every_access_means_what_it_says_in_every_storage),
      cmocka_unit_test(the_cheaper_part_drives),
      cmocka_unit_test(the_main_group_drives_what_requires_nothing),
      cmocka_unit_test(the_driver_follows_the_rows),
      cmocka_unit_test(a_plan_follows_the_layout),
      cmocka_unit_test(tables_that_are_born_later_enter_the_plan),
      cmocka_unit_test(a_destroyed_query_leaves_its_groups),
      cmocka_unit_test(every_allocation_of_a_query_may_fail),
      cmocka_unit_test(the_check_sees_what_does_not_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
