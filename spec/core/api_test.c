/* api_test.c: what the border refuses, drops, records or does at once.
 *
 * Every refusal must leave the world's hash as it was; assert_refused says so
 * for each call. Bad components are 0, one past the last, and far away; bad
 * entities are null, dead, stale, never issued, and no handle at all.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api.h"
#include "api_fixture.h"

typedef struct A {
  double x;
  uint8_t flag;
} A;

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, tag, t, s, past;
  ecs_Bundle bundle; /* {A, S} */
  ecs_Entity e, dead;
} Fixture;

static void start(Fixture *fixture) {
  static const ecs_Field a[] = {{"x", ECS_F64, 1.5}, {"flag", ECS_BOOL, 0}};
  static const ecs_Field s = {"s", ECS_U16, 7};
  fixture->world = open_world(&fixture->failing);
  ecs_World *world = fixture->world;
  fixture->a = define_component(world, "A", a, 2, ECS_STORE_TABLE);
  fixture->tag = define_component(world, "Tag", NULL, 0, ECS_STORE_TABLE);
  fixture->t = define_component(world, "T", NULL, 0, ECS_STORE_BITS);
  fixture->s = define_component(world, "S", &s, 1, ECS_STORE_SPARSE);
  fixture->past = fixture->s + 1;
  const ecs_Component both[] = {fixture->a, fixture->s};
  assert_int_equal(ecs_bundle(world, both, 2, &fixture->bundle), ECS_OK);
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &fixture->dead), ECS_OK);
  assert_int_equal(ecs_destroy(world, fixture->dead), ECS_OK);
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &fixture->e), ECS_OK);
}

static void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

#define assert_refused(call, expected)                            \
  do {                                                            \
    uint64_t before = ecs_world_hash(fixture.world);              \
    assert_int_equal(call, expected);                             \
    assert_true(ecs_world_hash(fixture.world) == before);         \
  } while (0)

static ecs_Query *query_of(Fixture *fixture, ecs_Component component,
                           ecs_Access access) {
  const ecs_Term term = {component, access};
  ecs_Query *query = NULL;
  assert_int_equal(ecs_query_create(fixture->world, &term, 1, &query), ECS_OK);
  return query;
}

static ecs_Cursor open_cursor(ecs_Query *query) {
  ecs_Cursor cursor;
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  return cursor;
}

static ecs_Statistics statistics_of(const Fixture *fixture) {
  ecs_Statistics statistics;
  memset(&statistics, 0xff, sizeof statistics);
  ecs_world_statistics(fixture->world, &statistics);
  return statistics;
}

/* Components -------------------------------------------------------------- */

static void unknown_components_are_refused_everywhere(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Component bad[] = {0, fixture.past, UINT32_MAX};
  for (uint32_t deferred = 0; deferred < 2; deferred++)
    for (uint32_t i = 0; i < 3; i++) {
      ecs_Component what = bad[i];
      ecs_Entity born = 0;
      ecs_Bundle bundle = 0;
      ecs_Query *query = NULL;
      ecs_FieldInfo info;
      double number = 0;
      const ecs_Term term = {what, ECS_READ};
      A image = {1, 1};
      if (deferred == 1) assert_int_equal(ecs_defer_begin(world), ECS_OK);
      assert_refused(ecs_spawn(world, &what, 1, NULL, &born), ECS_E_COMPONENT);
      assert_refused(ecs_bundle(world, &what, 1, &bundle), ECS_E_COMPONENT);
      assert_refused(ecs_add(world, fixture.e, what, NULL), ECS_E_COMPONENT);
      assert_refused(ecs_remove(world, fixture.e, what), ECS_E_COMPONENT);
      assert_refused(ecs_set(world, fixture.e, what, &image, 1),
                     ECS_E_COMPONENT);
      assert_refused(ecs_get(world, fixture.e, what, &image), ECS_E_COMPONENT);
      assert_refused(ecs_get_field(world, fixture.e, what, 0, &number),
                     ECS_E_COMPONENT);
      assert_refused(ecs_set_field(world, fixture.e, what, 0, 1),
                     ECS_E_COMPONENT);
      assert_refused(ecs_query_create(world, &term, 1, &query),
                     ECS_E_COMPONENT);
      assert_refused(ecs_component_field(world, what, 0, &info),
                     ECS_E_COMPONENT);
      assert_false(ecs_has(world, fixture.e, what));
      assert_null(ecs_component_name(world, what));
      assert_int_equal(ecs_component_field_count(world, what), 0);
      assert_int_equal(ecs_component_image_bytes(world, what), 0);
      assert_int_equal(ecs_component_storage(world, what), ECS_STORE_TABLE);
      assert_int_equal(born | bundle, 0);
      assert_null(query);
      if (deferred == 1) assert_int_equal(ecs_defer_end(world), ECS_OK);
      if (deferred == 0) {
        assert_refused(ecs_group(world, &what, 1), ECS_E_COMPONENT);
        assert_refused(ecs_ungroup(world, &what, 1), ECS_E_COMPONENT);
      }
    }
  finish(&fixture);
}

static void a_component_twice_is_refused_everywhere(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const ecs_Component twice[] = {fixture.a, fixture.s, fixture.a};
  const ecs_Term terms[] = {
      {fixture.a, ECS_READ}, {fixture.s, ECS_READ}, {fixture.a, ECS_WITH}};
  ecs_Entity born = 0;
  ecs_Bundle bundle = 0;
  ecs_Query *query = NULL;
  assert_refused(ecs_spawn(fixture.world, twice, 3, NULL, &born),
                 ECS_E_COMPONENT);
  assert_refused(ecs_bundle(fixture.world, twice, 3, &bundle),
                 ECS_E_COMPONENT);
  assert_refused(ecs_group(fixture.world, twice, 3), ECS_E_COMPONENT);
  assert_refused(ecs_ungroup(fixture.world, twice, 3), ECS_E_COMPONENT);
  assert_refused(ecs_query_create(fixture.world, terms, 3, &query),
                 ECS_E_COMPONENT);
  const ecs_Term last[] = {
      {fixture.s, ECS_READ}, {fixture.a, ECS_READ}, {fixture.a, ECS_WITH}};
  assert_refused(ecs_query_create(fixture.world, last, 3, &query),
                 ECS_E_COMPONENT);
  assert_int_equal(ecs_bundle(fixture.world, twice, 2, &bundle), ECS_OK);
  assert_int_equal(bundle, fixture.bundle);
  assert_int_equal(ecs_bundle(fixture.world, twice + 1, 2, &bundle), ECS_OK);
  assert_int_equal(bundle, fixture.bundle + 1); /* another order */
  finish(&fixture);
}

static void a_definition_is_found_again_or_refused(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Field fields[] = {{"x", ECS_F64, 1.5}, {"flag", ECS_BOOL, 0}};
  ecs_ComponentDescription how = {"A", fields, 2, ECS_STORE_TABLE};
  ecs_Component found = 0;
  assert_int_equal(ecs_component(fixture.world, &how, &found), ECS_OK);
  assert_int_equal(found, fixture.a);
  how.storage = ECS_STORE_SPARSE;
  assert_refused(ecs_component(fixture.world, &how, &found), ECS_E_SCHEMA);
  how.storage = ECS_STORE_TABLE;
  fields[0].default_value = 2;
  assert_refused(ecs_component(fixture.world, &how, &found), ECS_E_SCHEMA);
  how.name = NULL;
  assert_refused(ecs_component(fixture.world, &how, &found), ECS_E_NAME);
  how.name = "New";
  how.storage = (ecs_Storage)(ECS_STORE_BITS + 1);
  assert_refused(ecs_component(fixture.world, &how, &found), ECS_E_ARGUMENT);
  how.storage = (ecs_Storage)-1;
  assert_refused(ecs_component(fixture.world, &how, &found), ECS_E_ARGUMENT);
  how.storage = ECS_STORE_BITS; /* only tags are bits */
  assert_refused(ecs_component(fixture.world, &how, &found), ECS_E_COMPONENT);
  assert_int_equal(ecs_component_find(fixture.world, "New"), 0);
  assert_int_equal(ecs_component_find(fixture.world, "Tag"), fixture.tag);
  assert_int_equal(found, fixture.a);
  finish(&fixture);
}

static void a_component_tells_its_schema(void **state) {
  (void)state;
  Fixture fixture;
  ecs_FieldInfo info;
  start(&fixture);
  assert_string_equal(ecs_component_name(fixture.world, fixture.a), "A");
  assert_int_equal(ecs_component_field_count(fixture.world, fixture.a), 2);
  assert_int_equal(ecs_component_image_bytes(fixture.world, fixture.a),
                   sizeof(A));
  assert_int_equal(ecs_component_image_bytes(fixture.world, fixture.tag), 0);
  assert_int_equal(ecs_component_storage(fixture.world, fixture.s),
                   ECS_STORE_SPARSE);
  assert_int_equal(ecs_component_storage(fixture.world, fixture.t),
                   ECS_STORE_BITS);
  assert_int_equal(ecs_component_field(fixture.world, fixture.a, 1, &info),
                   ECS_OK);
  assert_string_equal(info.name, "flag");
  assert_int_equal(info.type, ECS_BOOL);
  assert_int_equal(info.offset, offsetof(A, flag));
  assert_int_equal(ecs_component_field(fixture.world, fixture.a, 0, &info),
                   ECS_OK);
  assert_true(info.default_value == 1.5);
  assert_int_equal(ecs_component_field(fixture.world, fixture.a, 2, &info),
                   ECS_E_FIELD);
  assert_int_equal(ecs_component_field(fixture.world, fixture.tag, 0, &info),
                   ECS_E_FIELD);
  finish(&fixture);
}

/* Entities ---------------------------------------------------------------- */

static void entities_that_are_not_alive_are_refused_everywhere(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  for (uint32_t deferred = 0; deferred < 2; deferred++) {
    ecs_Entity born = 0;
    if (deferred == 1) assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &born), ECS_OK);
    const ecs_Entity bad[] = {0,
                              fixture.dead,
                              id_make(40, 0),
                              id_make(ECS_INDEX_MASK, 0),
                              UINT64_MAX,
                              fixture.e | UINT64_C(1) << 52,
                              fixture.e | UINT64_C(1) << 60,
                              born | UINT64_C(1) << 52,
                              born | UINT64_C(1) << 60};
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
      A image = {1, 1};
      double number = 0;
      ecs_Component there[4];
      assert_false(ecs_alive(world, bad[i]));
      assert_refused(ecs_destroy(world, bad[i]), ECS_E_DEAD);
      assert_refused(ecs_add(world, bad[i], fixture.a, NULL), ECS_E_DEAD);
      assert_refused(ecs_add(world, bad[i], fixture.t, NULL), ECS_E_DEAD);
      assert_refused(ecs_remove(world, bad[i], fixture.a), ECS_E_DEAD);
      assert_refused(ecs_set(world, bad[i], fixture.a, &image, 3), ECS_E_DEAD);
      assert_refused(ecs_get(world, bad[i], fixture.a, &image), ECS_E_DEAD);
      assert_refused(ecs_get_field(world, bad[i], fixture.a, 0, &number),
                     ECS_E_DEAD);
      assert_refused(ecs_set_field(world, bad[i], fixture.a, 0, 2),
                     ECS_E_DEAD);
      assert_false(ecs_has(world, bad[i], fixture.a));
      assert_int_equal(ecs_components_of(world, bad[i], there, 4), 0);
    }
    assert_int_equal(world->commands.command_count, deferred);
    if (deferred == 1) assert_int_equal(ecs_defer_end(world), ECS_OK);
  }
  finish(&fixture);
}

static void tags_have_no_values_and_fields_have_numbers(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Component tags[] = {fixture.tag, fixture.t};
  A image;
  double number = 0;
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(ecs_set(world, fixture.e, tags[i], NULL, ~UINT64_C(0)),
                     ECS_OK); /* setting adds */
    assert_true(ecs_has(world, fixture.e, tags[i]));
    assert_int_equal(ecs_set(world, fixture.e, tags[i], &image, 1), ECS_OK);
    assert_refused(ecs_get(world, fixture.e, tags[i], &image),
                   ECS_E_COMPONENT);
    assert_refused(ecs_get_field(world, fixture.e, tags[i], 0, &number),
                   ECS_E_COMPONENT);
    assert_refused(ecs_set_field(world, fixture.e, tags[i], 0, 0),
                   ECS_E_COMPONENT);
  }
  assert_refused(ecs_get(world, fixture.e, fixture.a, &image), ECS_E_ABSENT);
  assert_refused(ecs_get_field(world, fixture.e, fixture.a, 0, &number),
                 ECS_E_ABSENT);
  assert_refused(ecs_get_field(world, fixture.e, fixture.a, 2, &number),
                 ECS_E_FIELD);
  assert_refused(ecs_set_field(world, fixture.e, fixture.a, 2, 0),
                 ECS_E_FIELD);
  assert_refused(ecs_set_field(world, fixture.e, fixture.a, 1, 2),
                 ECS_E_VALUE);
  assert_refused(ecs_set(world, fixture.e, fixture.a, NULL, 1),
                 ECS_E_ARGUMENT);
  assert_int_equal(ecs_set(world, fixture.e, fixture.a, NULL, 0), ECS_OK);
  assert_int_equal(ecs_get(world, fixture.e, fixture.a, &image), ECS_OK);
  assert_true(image.x == 1.5);
  assert_int_equal(ecs_set_field(world, fixture.e, fixture.a, 1, 1), ECS_OK);
  assert_int_equal(ecs_get_field(world, fixture.e, fixture.a, 1, &number),
                   ECS_OK);
  assert_true(number == 1);
  assert_int_equal(ecs_get_field(world, fixture.e, fixture.a, 0, &number),
                   ECS_OK);
  assert_true(number == 1.5);
  finish(&fixture);
}

/* At once and recorded. */
static void a_field_that_is_set_adds_the_rest_as_defaults(void **state) {
  (void)state;
  for (uint32_t deferred = 0; deferred < 2; deferred++) {
    Fixture fixture;
    A image = {-1, 9};
    start(&fixture);
    if (deferred == 1)
      assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
    assert_int_equal(ecs_set_field(fixture.world, fixture.e, fixture.a, 1, 1),
                     ECS_OK);
    assert_int_equal(ecs_has(fixture.world, fixture.e, fixture.a),
                     deferred == 0);
    if (deferred == 1) assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
    assert_int_equal(ecs_get(fixture.world, fixture.e, fixture.a, &image),
                     ECS_OK);
    assert_true(image.x == 1.5);
    assert_int_equal(image.flag, 1);
    finish(&fixture);
  }
}

static void adding_what_is_there_keeps_its_value(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  A first = {3, 1}, second = {4, 0}, back = {0, 0};
  assert_int_equal(ecs_add(fixture.world, fixture.e, fixture.a, &first),
                   ECS_OK);
  assert_refused(ecs_add(fixture.world, fixture.e, fixture.a, &second),
                 ECS_OK);
  assert_int_equal(ecs_get(fixture.world, fixture.e, fixture.a, &back),
                   ECS_OK);
  assert_true(back.x == 3 && back.flag == 1);
  assert_int_equal(ecs_remove(fixture.world, fixture.e, fixture.a), ECS_OK);
  assert_refused(ecs_remove(fixture.world, fixture.e, fixture.a), ECS_OK);
  finish(&fixture);
}

static void components_of_an_entity_come_in_order_of_definition(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Component there[4] = {0, 0, 0, 99};
  assert_int_equal(ecs_add(fixture.world, fixture.e, fixture.s, NULL), ECS_OK);
  assert_int_equal(ecs_add(fixture.world, fixture.e, fixture.t, NULL), ECS_OK);
  assert_int_equal(ecs_add(fixture.world, fixture.e, fixture.a, NULL), ECS_OK);
  assert_int_equal(ecs_components_of(fixture.world, fixture.e, there, 4), 3);
  assert_int_equal(there[0], fixture.a);
  assert_int_equal(there[1], fixture.t);
  assert_int_equal(there[2], fixture.s);
  assert_int_equal(there[3], 99);
  there[1] = 99;
  assert_int_equal(ecs_components_of(fixture.world, fixture.e, there, 1), 3);
  assert_int_equal(there[1], 99);
  assert_int_equal(ecs_components_of(fixture.world, fixture.e, NULL, 0), 3);
  finish(&fixture);
}

static void bundles_that_do_not_exist_are_refused(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const ecs_Bundle bad[] = {0, fixture.bundle + 1, UINT32_MAX};
  ecs_Entity born = 0;
  ecs_Cursor cursor;
  for (uint32_t i = 0; i < 3; i++) {
    assert_refused(ecs_spawn_bundle(fixture.world, bad[i], NULL, &born),
                   ECS_E_ARGUMENT);
    assert_refused(ecs_reserve(fixture.world, bad[i], 1), ECS_E_ARGUMENT);
    assert_refused(ecs_spawn_many(fixture.world, bad[i], 1, &cursor),
                   ECS_E_ARGUMENT);
  }
  assert_refused(ecs_spawn_many(fixture.world, fixture.bundle,
                                ECS_INDEX_LIMIT, NULL),
                 ECS_E_LIMIT);
  assert_refused(ecs_reserve(fixture.world, fixture.bundle,
                             UINT64_C(1) + ECS_INDEX_LIMIT),
                 ECS_E_LIMIT);
  assert_refused(ecs_reserve(fixture.world, fixture.bundle, UINT64_MAX),
                 ECS_E_LIMIT);
  assert_int_equal(ecs_spawn_bundle(fixture.world, fixture.bundle, NULL, NULL),
                   ECS_OK);
  finish(&fixture);
}

static void what_was_reserved_allocates_nothing(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  assert_int_equal(ecs_reserve(fixture.world, fixture.bundle, 20), ECS_OK);
  uint64_t requests = fixture.failing.requests;
  for (uint32_t i = 0; i < 20; i++)
    assert_int_equal(
        ecs_spawn_bundle(fixture.world, fixture.bundle, NULL, NULL), ECS_OK);
  assert_int_equal(fixture.failing.requests, requests);
  finish(&fixture);
}

/* While something is open -------------------------------------------------- */

static void layout_and_definitions_wait_until_all_is_closed(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Query *query = query_of(&fixture, fixture.a, ECS_READ);
  ecs_ComponentDescription fresh = {"Fresh", NULL, 0, ECS_STORE_TABLE};
  ecs_ComponentDescription known = {"Tag", NULL, 0, ECS_STORE_TABLE};
  ecs_Component found = 0;
  for (uint32_t cursor_opens = 0; cursor_opens < 2; cursor_opens++) {
    ecs_Cursor cursor;
    if (cursor_opens == 1)
      cursor = open_cursor(query);
    else
      assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_true(ecs_deferring(world));
    assert_refused(ecs_world_clear(world), ECS_E_OPEN);
    assert_refused(ecs_component(world, &fresh, &found), ECS_E_OPEN);
    assert_int_equal(ecs_component(world, &known, &found), ECS_OK);
    assert_int_equal(found, fixture.tag);
    assert_refused(ecs_group(world, &fixture.a, 1), ECS_E_OPEN);
    assert_refused(ecs_ungroup(world, &fixture.s, 1), ECS_E_OPEN);
    assert_refused(ecs_reserve(world, fixture.bundle, 1), ECS_E_OPEN);
    assert_int_equal(ecs_query_destroy(query),
                     cursor_opens == 1 ? ECS_E_OPEN : ECS_OK);
    if (cursor_opens == 0) query = query_of(&fixture, fixture.a, ECS_READ);
    assert_int_equal(cursor_opens == 1 ? ecs_cursor_end(&cursor)
                                       : ecs_defer_end(world),
                     ECS_OK);
    assert_false(ecs_deferring(world));
  }
  assert_int_equal(ecs_query_destroy(query), ECS_OK);
  assert_int_equal(ecs_query_destroy(NULL), ECS_OK);
  assert_int_equal(ecs_group(world, NULL, 0), ECS_OK);
  finish(&fixture);
}

static void openings_nest_to_a_limit(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Query *query = query_of(&fixture, fixture.a, ECS_READ);
  ecs_Cursor cursor;
  for (uint32_t i = 0; i < ECS_NESTING_LIMIT; i++)
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_refused(ecs_defer_begin(world), ECS_E_LIMIT);
  assert_refused(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor),
                 ECS_E_LIMIT);
  assert_refused(ecs_spawn_many(world, fixture.bundle, 2, &cursor),
                 ECS_E_LIMIT);
  assert_int_equal(query->open, 0);
  assert_int_equal(ecs_spawn_many(world, fixture.bundle, 2, NULL), ECS_OK);
  for (uint32_t i = 0; i < ECS_NESTING_LIMIT; i++) {
    assert_int_equal(statistics_of(&fixture).tables, 1);
    assert_int_equal(ecs_defer_end(world), ECS_OK);
  }
  assert_int_equal(statistics_of(&fixture).tables, 3);
  assert_int_equal(ecs_defer_end(world), ECS_E_ARGUMENT);
  ecs_defer_discard(world); /* nothing is open: nothing happens */
  assert_int_equal(statistics_of(&fixture).entities, 3);
  finish(&fixture);
}

/* What the innermost level recorded goes; what the outer one did stays. */
static void a_discarded_level_takes_back_only_its_own(void **state) {
  (void)state;
  for (uint32_t with_cursor = 0; with_cursor < 2; with_cursor++) {
    Fixture fixture;
    ecs_Cursor cursor;
    ecs_Entity kept = 0, dropped = 0;
    start(&fixture);
    ecs_World *world = fixture.world;
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_spawn_bundle(world, fixture.bundle, NULL, &kept),
                     ECS_OK);
    assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_OK);
    if (with_cursor == 1)
      cursor = open_cursor(query_of(&fixture, fixture.a, ECS_READ));
    else
      assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_spawn_bundle(world, fixture.bundle, NULL, &dropped),
                     ECS_OK);
    assert_int_equal(ecs_add(world, fixture.e, fixture.s, NULL), ECS_OK);
    assert_int_equal(ecs_destroy(world, kept), ECS_OK);
    if (with_cursor == 1)
      ecs_cursor_discard(&cursor);
    else
      ecs_defer_discard(world);
    assert_true(ecs_alive(world, kept));
    assert_false(ecs_alive(world, dropped));
    assert_true(ecs_deferring(world));
    assert_int_equal(ecs_defer_end(world), ECS_OK);
    assert_true(ecs_has(world, kept, fixture.a));
    assert_true(ecs_has(world, fixture.e, fixture.tag));
    assert_false(ecs_has(world, fixture.e, fixture.s));
    assert_int_equal(statistics_of(&fixture).entities, 2);
    finish(&fixture);
  }
}

static void until_the_end_everything_answers_as_before(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Entity born = 0;
  A image = {3, 1};
  uint64_t count = 9;
  ecs_Query *query = query_of(&fixture, fixture.a, ECS_READ);
  assert_int_equal(ecs_add(world, fixture.e, fixture.a, &image), ECS_OK);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_spawn_bundle(world, fixture.bundle, NULL, &born),
                   ECS_OK);
  assert_true(ecs_alive(world, born));
  assert_false(ecs_has(world, born, fixture.a));
  assert_int_equal(ecs_get(world, born, fixture.a, &image), ECS_E_ABSENT);
  assert_int_equal(ecs_remove(world, fixture.e, fixture.a), ECS_OK);
  assert_true(ecs_has(world, fixture.e, fixture.a));
  assert_int_equal(ecs_get(world, fixture.e, fixture.a, &image), ECS_OK);
  assert_int_equal(ecs_query_count(query, &count), ECS_OK);
  assert_int_equal(count, 1);
  assert_int_equal(statistics_of(&fixture).entities, 2);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_false(ecs_has(world, fixture.e, fixture.a));
  assert_true(ecs_has(world, born, fixture.a));
  finish(&fixture);
}

/* Values change at once unless something is recorded for their entity. */
static void what_needs_no_record_leaves_none(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  A image = {3, 1}, back = {0, 0};
  const CommandBuffer *commands = &world->commands;
  assert_int_equal(ecs_add(world, fixture.e, fixture.a, NULL), ECS_OK);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_set(world, fixture.e, fixture.a, &image, 1), ECS_OK);
  assert_int_equal(ecs_get(world, fixture.e, fixture.a, &back), ECS_OK);
  assert_true(back.x == 3 && back.flag == 0);
  assert_int_equal(ecs_add(world, fixture.e, fixture.a, NULL), ECS_OK);
  assert_int_equal(ecs_remove(world, fixture.e, fixture.s), ECS_OK);
  assert_int_equal(commands->command_count, 0);
  assert_int_equal(ecs_set(world, fixture.e, fixture.a, NULL, 1),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_OK);
  assert_int_equal(commands->command_count, 1);
  image.x = 4;
  assert_int_equal(ecs_set(world, fixture.e, fixture.a, &image, 1), ECS_OK);
  assert_int_equal(ecs_add(world, fixture.e, fixture.a, NULL), ECS_OK);
  assert_int_equal(ecs_remove(world, fixture.e, fixture.s), ECS_OK);
  assert_int_equal(commands->command_count, 4);
  assert_int_equal(ecs_get(world, fixture.e, fixture.a, &back), ECS_OK);
  assert_true(back.x == 3);
  ecs_defer_discard(world);
  assert_int_equal(ecs_get(world, fixture.e, fixture.a, &back), ECS_OK);
  assert_true(back.x == 3); /* what was set at once stays */
  finish(&fixture);
}

static void changes_to_the_destroyed_are_dropped_and_counted(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  A image = {3, 1};
  assert_int_equal(ecs_add(world, fixture.e, fixture.a, NULL), ECS_OK);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_destroy(world, fixture.e), ECS_OK);
  assert_false(ecs_alive(world, fixture.e));
  assert_int_equal(ecs_destroy(world, fixture.e), ECS_E_DEAD);
  assert_int_equal(statistics_of(&fixture).dropped, 0);
  assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_OK);
  assert_int_equal(ecs_remove(world, fixture.e, fixture.a), ECS_OK);
  assert_int_equal(ecs_set(world, fixture.e, fixture.a, &image, 3), ECS_OK);
  assert_int_equal(ecs_set_field(world, fixture.e, fixture.a, 0, 3), ECS_OK);
  assert_int_equal(statistics_of(&fixture).dropped, 4);
  assert_int_equal(ecs_add(world, fixture.e, 0, NULL), ECS_E_COMPONENT);
  assert_int_equal(statistics_of(&fixture).dropped, 4);
  assert_int_equal(world->commands.command_count, 1);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_E_DEAD);
  assert_int_equal(statistics_of(&fixture).dropped, 4);
  assert_int_equal(statistics_of(&fixture).entities, 0);
  finish(&fixture);
}

/* One level at a time, and all of it when applying fails. */
static void what_a_discarded_recording_dropped_is_not_counted(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_destroy(world, fixture.e), ECS_OK);
  assert_int_equal(ecs_remove(world, fixture.e, fixture.a), ECS_OK);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_remove(world, fixture.e, fixture.a), ECS_OK);
  assert_int_equal(statistics_of(&fixture).dropped, 2);
  ecs_defer_discard(world);
  assert_int_equal(statistics_of(&fixture).dropped, 1);
  ecs_defer_discard(world);
  assert_int_equal(statistics_of(&fixture).dropped, 0);

  ecs_Query *query = query_of(&fixture, fixture.a, ECS_READ);
  ecs_Cursor cursor = open_cursor(query);
  assert_int_equal(ecs_destroy(world, fixture.e), ECS_OK);
  assert_int_equal(ecs_remove(world, fixture.e, fixture.a), ECS_OK);
  ecs_cursor_discard(&cursor);
  assert_int_equal(statistics_of(&fixture).dropped, 0);

  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_destroy(world, fixture.e), ECS_OK);
  assert_int_equal(ecs_remove(world, fixture.e, fixture.a), ECS_OK);
  failing_memory_arm(&fixture.failing, 1, FAIL_ONWARD);
  ecs_Status status = ecs_defer_end(world);
  failing_memory_disarm(&fixture.failing);
  assert_int_equal(status, ECS_E_MEMORY);
  assert_int_equal(statistics_of(&fixture).dropped, 0);
  assert_true(ecs_alive(world, fixture.e));
  finish(&fixture);
}

/* Access ------------------------------------------------------------------ */

static void cursors_own_what_they_walk_over(void **state) {
  (void)state;
  static const ecs_Access access[] = {ECS_WRITE, ECS_READ, ECS_OPTIONAL,
                                      ECS_WITH};
  for (uint32_t i = 0; i < 4; i++) {
    Fixture fixture;
    start(&fixture);
    ecs_World *world = fixture.world;
    A image = {3, 1};
    double number = 0;
    bool reads = i < 3, writes = i == 0 || i == 2;
    ecs_Query *writer = query_of(&fixture, fixture.a, ECS_WRITE);
    ecs_Query *reader = query_of(&fixture, fixture.a, ECS_READ);
    ecs_Entity without = 0;
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &without), ECS_OK);
    assert_int_equal(ecs_add(world, fixture.e, fixture.a, NULL), ECS_OK);
    assert_int_equal(ecs_world_contested(world), 0);
    ecs_Cursor cursor = open_cursor(query_of(&fixture, fixture.a, access[i]));
    ecs_Cursor second;
    ecs_Status to_read = writes ? ECS_E_ACCESS : ECS_OK;
    ecs_Status to_write = reads ? ECS_E_ACCESS : ECS_OK;
    assert_int_equal(ecs_get(world, fixture.e, fixture.a, &image), to_read);
    assert_int_equal(ecs_get_field(world, fixture.e, fixture.a, 0, &number),
                     to_read);
    assert_int_equal(ecs_query_begin(reader, ECS_BATCH_WHOLE, &second),
                     to_read);
    if (!writes) assert_int_equal(ecs_cursor_end(&second), ECS_OK);
    assert_int_equal(ecs_world_contested(world), writes ? fixture.a : 0);
    assert_int_equal(ecs_query_begin(writer, ECS_BATCH_WHOLE, &second),
                     to_write);
    if (!reads) assert_int_equal(ecs_cursor_end(&second), ECS_OK);
    assert_int_equal(ecs_set(world, fixture.e, fixture.a, &image, 3),
                     to_write);
    assert_int_equal(ecs_set_field(world, fixture.e, fixture.a, 0, 9),
                     to_write);
    assert_int_equal(ecs_world_contested(world), reads ? fixture.a : 0);
    /* With a record and with none; whoever lacks it is only recorded. */
    assert_int_equal(ecs_add(world, fixture.e, fixture.s, NULL), ECS_OK);
    assert_int_equal(ecs_set(world, fixture.e, fixture.a, &image, 3),
                     to_write);
    assert_int_equal(ecs_set(world, without, fixture.a, &image, 3), ECS_OK);
    assert_int_equal(ecs_remove(world, fixture.e, fixture.a), ECS_OK);
    assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
    assert_false(ecs_has(world, fixture.e, fixture.a));
    assert_int_equal(ecs_get(world, without, fixture.a, &image), ECS_OK);
    assert_int_equal(ecs_set(world, without, fixture.a, &image, 3), ECS_OK);
    finish(&fixture);
  }
}

static void bad_enums_are_refused(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Query *query = query_of(&fixture, fixture.a, ECS_READ), *none = NULL;
  ecs_Cursor cursor;
  const int bad[] = {ECS_BATCH_COALESCED + 1, -1, ECS_ACCESS_COUNT};
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(ecs_query_begin(query, (ecs_Batching)bad[i], &cursor),
                     ECS_E_ARGUMENT);
    assert_false(ecs_deferring(fixture.world));
    const ecs_Term term = {fixture.a, (ecs_Access)(i == 0 ? 99 : bad[i])};
    assert_int_equal(ecs_query_create(fixture.world, &term, 1, &none),
                     ECS_E_ARGUMENT);
  }
  assert_int_equal(ecs_query_create(fixture.world, NULL, ECS_TERM_LIMIT + 1,
                                    &none),
                   ECS_E_LIMIT);
  assert_null(none);
  finish(&fixture);
}

#ifdef ECS_TINY
static void queries_end_at_their_limit(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Query *query = NULL;
  for (uint32_t i = 0; i < ECS_QUERY_LIMIT; i++)
    assert_int_equal(ecs_query_create(fixture.world, NULL, 0, &query), ECS_OK);
  ecs_Query *last = query;
  assert_int_equal(ecs_query_create(fixture.world, NULL, 0, &query),
                   ECS_E_LIMIT);
  assert_int_equal(statistics_of(&fixture).queries, ECS_QUERY_LIMIT);
  assert_int_equal(ecs_query_destroy(last), ECS_OK);
  assert_int_equal(ecs_query_create(fixture.world, NULL, 0, &query), ECS_OK);
  finish(&fixture);
}
#endif

static void queries_may_be_destroyed_in_any_order(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Query *queries[5];
  for (uint32_t i = 0; i < 5; i++)
    queries[i] = query_of(&fixture, fixture.a, ECS_READ);
  static const uint32_t order[] = {2, 0, 4};
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(ecs_query_destroy(queries[order[i]]), ECS_OK);
    assert_int_equal(statistics_of(&fixture).queries, 4 - i);
  }
  uint64_t count = 9;
  assert_int_equal(ecs_query_count(queries[1], &count), ECS_OK);
  assert_int_equal(ecs_query_count(queries[3], &count), ECS_OK);
  assert_int_equal(count, 0);
  finish(&fixture); /* and the world takes the rest */
}

/* Spawning many ----------------------------------------------------------- */

static void many_are_born_with_defaults_and_their_columns_open(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Cursor cursor;
  ecs_Batch batch;
  A image;
  uint16_t s = 0;
  assert_int_equal(ecs_spawn_many(world, fixture.bundle, 3, NULL), ECS_OK);
  assert_int_equal(ecs_spawn_many(world, fixture.bundle, 10, &cursor), ECS_OK);
  assert_true(ecs_deferring(world));
  assert_true(ecs_cursor_next(&cursor, &batch));
  assert_int_equal(batch.count, 10);
  assert_int_equal(batch.column_count, 3);
  ecs_Entity first = batch.entities[0], last = batch.entities[9];
  assert_true(((double *)batch.columns[0])[9] == 1.5);
  assert_int_equal(((uint8_t *)batch.columns[1])[9], 0);
  assert_int_equal(((uint16_t *)batch.columns[2])[9], 7);
  ((double *)batch.columns[0])[9] = 5;
  ((uint16_t *)batch.columns[2])[0] = 6;
  assert_int_equal(ecs_get(world, first, fixture.a, &image), ECS_E_ACCESS);
  assert_int_equal(ecs_world_contested(world), fixture.a);
  assert_int_equal(ecs_get(world, first, fixture.s, &s), ECS_E_ACCESS);
  assert_int_equal(ecs_world_contested(world), fixture.s);
  assert_false(ecs_cursor_next(&cursor, &batch));
  ecs_cursor_discard(&cursor); /* keeps the entities */
  assert_false(ecs_deferring(world));
  assert_int_equal(ecs_get(world, last, fixture.a, &image), ECS_OK);
  assert_true(image.x == 5);
  assert_int_equal(ecs_get(world, first, fixture.s, &s), ECS_OK);
  assert_int_equal(s, 6);
  s = 8; /* nobody owns them any more */
  assert_int_equal(ecs_set(world, first, fixture.s, &s, 1), ECS_OK);
  assert_int_equal(ecs_set(world, first, fixture.a, &image, 3), ECS_OK);
  s = 0;
  assert_int_equal(ecs_get(world, first, fixture.s, &s), ECS_OK);
  assert_int_equal(s, 8);
  assert_int_equal(statistics_of(&fixture).entities, 14);
  assert_true(world_check_invariants(&world->world));
  finish(&fixture);
}

static void nobody_may_be_born_many_times(void **state) {
  (void)state;
  for (uint32_t deferred = 0; deferred < 2; deferred++) {
    Fixture fixture;
    ecs_Cursor cursor;
    ecs_Batch batch;
    start(&fixture);
    uint64_t hash = ecs_world_hash(fixture.world);
    if (deferred == 1)
      assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
    assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 0, &cursor),
                     ECS_OK);
    assert_false(ecs_cursor_next(&cursor, &batch));
    assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
    assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 0, NULL),
                     ECS_OK);
    if (deferred == 1) assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
    assert_true(ecs_world_hash(fixture.world) == hash);
    finish(&fixture);
  }
}

static void every_allocation_of_spawning_many_may_fail(void **state) {
  (void)state;
  for (uint32_t turn = 0; turn < 4; turn++) {
    Fixture fixture;
    FailingMode mode = turn % 2 == 0 ? FAIL_ONCE : FAIL_ONWARD;
    start(&fixture);
    ecs_World *world = fixture.world;
    ecs_Cursor cursor;
    uint64_t nth = 0, injected;
    if (turn >= 2) assert_int_equal(ecs_defer_begin(world), ECS_OK);
    do {
      uint64_t hash = ecs_world_hash(world);
      uint64_t entities = statistics_of(&fixture).entities;
      failing_memory_arm(&fixture.failing, ++nth, mode);
      ecs_Status status = ecs_spawn_many(world, fixture.bundle, 9, &cursor);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      if (injected == 0) break;
      assert_true(ecs_world_hash(world) == hash);
      assert_int_equal(statistics_of(&fixture).entities, entities);
      assert_int_equal(ecs_deferring(world), turn >= 2);
    } while (injected > 0);
    assert_true(nth > 4);
    assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
    if (turn >= 2) assert_int_equal(ecs_defer_end(world), ECS_OK);
    assert_int_equal(statistics_of(&fixture).entities, 10);
    assert_true(world_check_invariants(&world->world));
    finish(&fixture);
  }
}

/* Cursors ----------------------------------------------------------------- */

static void a_cursor_ends_with_a_failed_recording(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Query *query = query_of(&fixture, fixture.a, ECS_WRITE);
  assert_int_equal(ecs_add(world, fixture.e, fixture.a, NULL), ECS_OK);
  uint64_t hash = ecs_world_state_hash(world);
  ecs_Cursor cursor = open_cursor(query);
  assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_OK);
  failing_memory_arm(&fixture.failing, 1, FAIL_ONWARD);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_E_MEMORY);
  (void)failing_memory_disarm(&fixture.failing);
  assert_false(ecs_deferring(world));
  assert_int_equal(query->open, 0);
  assert_true(ecs_world_state_hash(world) == hash);
  assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_OK);
  assert_true(ecs_has(world, fixture.e, fixture.tag));
  finish(&fixture);
}

/* The outermost applies, whichever kind it is. */
static void the_outermost_end_applies(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Cursor outer = open_cursor(query_of(&fixture, fixture.a, ECS_READ));
  ecs_Cursor inner = open_cursor(query_of(&fixture, fixture.a, ECS_READ));
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_OK);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_int_equal(ecs_cursor_end(&inner), ECS_OK);
  assert_false(ecs_has(world, fixture.e, fixture.tag));
  assert_int_equal(ecs_cursor_end(&outer), ECS_OK);
  assert_true(ecs_has(world, fixture.e, fixture.tag));
  finish(&fixture);
}

static void a_cursor_that_could_not_begin_leaves_nothing_open(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Query *query = query_of(&fixture, fixture.a, ECS_WRITE);
  ecs_Cursor cursor;
  uint64_t nth = 0, injected;
  do {
    failing_memory_arm(&fixture.failing, ++nth, FAIL_ONCE);
    ecs_Status status = ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor);
    injected = failing_memory_disarm(&fixture.failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    assert_int_equal(ecs_deferring(fixture.world), injected == 0);
  } while (injected > 0);
  assert_true(nth > 2);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  finish(&fixture);
}

/* Worlds ------------------------------------------------------------------ */

static void a_cleared_world_keeps_its_definitions(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Query *query = query_of(&fixture, fixture.a, ECS_READ);
  uint64_t count = 9;
  assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 5, NULL),
                   ECS_OK);
  assert_int_equal(ecs_world_clear(fixture.world), ECS_OK);
  assert_false(ecs_alive(fixture.world, fixture.e));
  assert_int_equal(ecs_query_count(query, &count), ECS_OK);
  assert_int_equal(count, 0);
  ecs_Statistics statistics = statistics_of(&fixture);
  assert_int_equal(statistics.entities, 0);
  assert_int_equal(statistics.components, 4);
  assert_int_equal(statistics.queries, 1);
  assert_int_equal(statistics.groups, 2);
  assert_int_equal(statistics.tables, 3);
  assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 2, NULL),
                   ECS_OK);
  assert_int_equal(ecs_query_count(query, &count), ECS_OK);
  assert_int_equal(count, 2);
  finish(&fixture);
}

static void grouping_and_ungrouping_are_opposites(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const Component *components = fixture.world->world.components;
  const ecs_Component both[] = {fixture.a, fixture.tag};
  assert_int_equal(components[fixture.a].group, 0);
  assert_int_equal(ecs_group(fixture.world, both, 2), ECS_OK);
  components = fixture.world->world.components;
  assert_true(components[fixture.a].group > 0);
  assert_int_equal(components[fixture.a].group, components[fixture.tag].group);
  assert_int_equal(ecs_ungroup(fixture.world, both, 1), ECS_OK);
  components = fixture.world->world.components;
  assert_int_equal(components[fixture.a].group, 0);
  assert_true(components[fixture.tag].group > 0);
  finish(&fixture);
}

static void the_account_is_that_of_the_allocator(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Statistics statistics = statistics_of(&fixture);
  assert_int_equal(statistics.bytes, fixture.failing.bytes);
  assert_int_equal(statistics.allocations, fixture.failing.blocks);
  assert_true(statistics.peak_bytes >= statistics.bytes);
  assert_int_equal(statistics.retired, 0);
  uint64_t version = statistics.structure_version;
  assert_int_equal(ecs_add(fixture.world, fixture.e, fixture.t, NULL), ECS_OK);
  assert_true(statistics_of(&fixture).structure_version > version);
  finish(&fixture);
}

static void a_world_may_not_be_created_or_not_grow(void **state) {
  (void)state;
  FailingMemory failing;
  ecs_WorldDescription how = {failing_memory_init(&failing), 0};
  ecs_World *world = NULL;
  uint64_t nth = 0, injected;
  do {
    failing_memory_arm(&failing, ++nth, FAIL_ONCE);
    ecs_Status status = ecs_world_create(&how, &world);
    injected = failing_memory_disarm(&failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    if (injected > 0) assert_null(world);
    if (injected > 0) assert_int_equal(failing.blocks, 0);
  } while (injected > 0);
  assert_true(nth > 3);
  ecs_world_destroy(world);
  ecs_world_destroy(NULL);
  assert_int_equal(failing.blocks, 0);
  how.limit_bytes = 4096 * 64;
  assert_int_equal(ecs_world_create(&how, &world), ECS_OK);
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < 100000; i++)
    status = ecs_spawn(world, NULL, 0, NULL, NULL);
#ifdef ECS_TINY
  assert_int_equal(status, ECS_E_LIMIT);
#else
  assert_int_equal(status, ECS_E_MEMORY);
#endif
  ecs_world_destroy(world);
  assert_int_equal(ecs_world_create(NULL, &world), ECS_OK);
  ecs_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_components_are_refused_everywhere),
      cmocka_unit_test(a_component_twice_is_refused_everywhere),
      cmocka_unit_test(a_definition_is_found_again_or_refused),
      cmocka_unit_test(a_component_tells_its_schema),
      cmocka_unit_test(entities_that_are_not_alive_are_refused_everywhere),
      cmocka_unit_test(tags_have_no_values_and_fields_have_numbers),
      cmocka_unit_test(a_field_that_is_set_adds_the_rest_as_defaults),
      cmocka_unit_test(adding_what_is_there_keeps_its_value),
      cmocka_unit_test(components_of_an_entity_come_in_order_of_definition),
      cmocka_unit_test(bundles_that_do_not_exist_are_refused),
      cmocka_unit_test(what_was_reserved_allocates_nothing),
      cmocka_unit_test(layout_and_definitions_wait_until_all_is_closed),
      cmocka_unit_test(openings_nest_to_a_limit),
      cmocka_unit_test(a_discarded_level_takes_back_only_its_own),
      cmocka_unit_test(until_the_end_everything_answers_as_before),
      cmocka_unit_test(what_needs_no_record_leaves_none),
      cmocka_unit_test(changes_to_the_destroyed_are_dropped_and_counted),
      cmocka_unit_test(what_a_discarded_recording_dropped_is_not_counted),
      cmocka_unit_test(cursors_own_what_they_walk_over),
      cmocka_unit_test(bad_enums_are_refused),
#ifdef ECS_TINY
      cmocka_unit_test(queries_end_at_their_limit),
#endif
      cmocka_unit_test(queries_may_be_destroyed_in_any_order),
      cmocka_unit_test(many_are_born_with_defaults_and_their_columns_open),
      cmocka_unit_test(nobody_may_be_born_many_times),
      cmocka_unit_test(every_allocation_of_spawning_many_may_fail),
      cmocka_unit_test(a_cursor_ends_with_a_failed_recording),
      cmocka_unit_test(the_outermost_end_applies),
      cmocka_unit_test(a_cursor_that_could_not_begin_leaves_nothing_open),
      cmocka_unit_test(a_cleared_world_keeps_its_definitions),
      cmocka_unit_test(grouping_and_ungrouping_are_opposites),
      cmocka_unit_test(the_account_is_that_of_the_allocator),
      cmocka_unit_test(a_world_may_not_be_created_or_not_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
