/* field_access_test.c: single fields of single entities, as numbers.
 *
 * The results of field_access are compared with ecs_get_field, ecs_has and
 * ecs_alive for living and dead entities and for numbers that are no handles,
 * while rows move, tables are created and the layout changes.
 *
 *      components   plain {x y}   mixed {f64 u8 entity}   sparse {x}
 *                   tag           sparse tag              bits
 */
#include <math.h>
#include <string.h>

#include "test_case.h"
#include "world/world.h"
#include "api_fixture.h"
#include "api/field_access.h"

#define COUNT 30u
#define COMPONENTS 9u

static const struct Kind {
  const char *name;
  ecs_Field fields[3];
  uint32_t count;
  ecs_Storage storage;
} kinds[COMPONENTS] = {
    {"plain", {{"x", ECS_F32, 1}, {"y", ECS_F32, 2}}, 2, ECS_STORE_TABLE},
    {"mixed",
     {{"a", ECS_F64, 0.5}, {"b", ECS_U8, 3}, {"c", ECS_ENTITY, 0}},
     3,
     ECS_STORE_TABLE},
    {"sparse", {{"x", ECS_F32, 4}}, 1, ECS_STORE_SPARSE},
    {"tag", {{0}}, 0, ECS_STORE_TABLE},
    {"sparse tag", {{0}}, 0, ECS_STORE_SPARSE},
    {"bits", {{0}}, 0, ECS_STORE_BITS},
    {"tag 2", {{0}}, 0, ECS_STORE_TABLE},
    {"tag 3", {{0}}, 0, ECS_STORE_TABLE},
    {"tag 4", {{0}}, 0, ECS_STORE_TABLE}};

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component components[COMPONENTS];
  FieldAccess access[COMPONENTS];
  FieldSelection fields[COMPONENTS]; /* all of a component, the last first */
  FieldAccess alive;
  ecs_Entity e[COUNT];
  uint32_t seed;
} Fixture;

static uint32_t roll(Fixture *fixture, uint32_t n) {
  fixture->seed = fixture->seed * 1664525u + 1013904223u;
  return (fixture->seed >> 16) % n;
}

static void start(Fixture *fixture, uint32_t seed) {
  fixture->world = open_world(&fixture->failing);
  fixture->seed = seed;
  ecs_field_init(&fixture->alive, &fixture->world, 0);
  assert_int_equal(ecs_field_alive(&fixture->alive, 1.0), FIELD_NO);
  for (uint32_t i = 0; i < COMPONENTS; i++) {
    ecs_ComponentDescription what = {.name = kinds[i].name,
                                     .fields = kinds[i].fields,
                                     .field_count = kinds[i].count,
                                     .storage = kinds[i].storage};
    assert_int_equal(
        ecs_component(fixture->world, &what, &fixture->components[i]), ECS_OK);
    ecs_field_init(&fixture->access[i], &fixture->world,
                   fixture->components[i]);
    fixture->fields[i] = (FieldSelection){.count = kinds[i].count};
    ecs_field_init(&fixture->fields[i].access, &fixture->world,
                   fixture->components[i]);
    for (uint32_t f = 0; f < kinds[i].count; f++)
      fixture->fields[i].fields[f] = (uint8_t)(kinds[i].count - 1 - f);
  }
  for (uint32_t i = 0; i < COUNT; i++)
    assert_int_equal(ecs_spawn(fixture->world, NULL, 0, NULL, &fixture->e[i]),
                     ECS_OK);
}

static void finish(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  ecs_world_destroy(fixture->world);
  fixture->world = NULL;
  for (uint32_t i = 0; i < COMPONENTS; i++) {
    double values[3];
    FieldAccess *access = &fixture->access[i];
    double entity = (double)fixture->e[0];
    assert_int_equal(ecs_field_has(access, entity), FIELD_ASK);
    assert_int_equal(ecs_field_present(access, entity), FIELD_ASK);
    assert_int_equal(ecs_field_pair(access, entity, 0, 0, values), FIELD_ASK);
    assert_int_equal(ecs_field_all(access, entity, values), FIELD_ASK);
    assert_false(ecs_field_set(access, entity, 0, 1));
    assert_true(isnan(ecs_field_get(access, entity, 0)));
    assert_int_equal(ecs_fields_get(&fixture->fields[i], entity, values),
                     FIELD_ASK);
    assert_false(ecs_fields_set(&fixture->fields[i], entity, values));
  }
  assert_int_equal(ecs_fields_has(fixture->access, COMPONENTS, 1), FIELD_ASK);
  assert_int_equal(ecs_field_alive(&fixture->alive, 1.0), FIELD_ASK);
  assert_int_equal(fixture->failing.blocks, 0);
}

static ecs_Entity handle_of(double entity) {
  return id_is_handle(entity) ? (ecs_Entity)entity : 0;
}

/* NO for a number that may be an entity's, and ASK for what is no id. */
static FieldAnswer no(double entity) {
  bool whole = entity >= 0 && entity < 9007199254740992.0 &&
               entity == (double)(uint64_t)entity;
  return whole ? FIELD_NO : FIELD_ASK;
}

static void compare_fields(Fixture *fixture, uint32_t i, double entity) {
  FieldAccess *access = &fixture->access[i];
  double all[3], some[3], two[2], value;
  uint32_t count = kinds[i].count;
  bool has = ecs_field_all(access, entity, all) == FIELD_YES;
  assert_int_equal(ecs_field_present(access, entity) == FIELD_YES, has);
  assert_int_equal(ecs_fields_get(&fixture->fields[i], entity, some),
                   has ? FIELD_YES : no(entity));
  for (uint32_t f = 0; f < count; f++) {
    uint32_t other = (f + 1) % count;
    ecs_Status status = ecs_get_field(fixture->world, handle_of(entity),
                                      fixture->components[i], f, &value);
    assert_int_equal(status == ECS_OK, has);
    assert_int_equal(ecs_field_pair(access, entity, other, f, two),
                     has ? FIELD_YES : no(entity));
    double one = ecs_field_get(access, entity, f);
    assert_int_equal(isnan(one), !has);
    if (!has) continue;
    assert_true(one == value && two[1] == value && all[f] == value);
    assert_true(two[0] == all[other]);
    assert_true(some[count - 1 - f] == value);
  }
}

static void compare(Fixture *fixture, double entity) {
  bool alive = ecs_alive(fixture->world, handle_of(entity)), all = true;
  assert_int_equal(ecs_field_alive(&fixture->alive, entity),
                   alive ? FIELD_YES : no(entity));
  for (uint32_t i = 0; i <= COMPONENTS; i++) {
    assert_int_equal(ecs_fields_has(fixture->access, i, entity),
                     all ? FIELD_YES : no(entity));
    all = all && i < COMPONENTS &&
          ecs_has(fixture->world, handle_of(entity), fixture->components[i]);
  }
  for (uint32_t i = 0; i < COMPONENTS; i++) {
    bool has =
        ecs_has(fixture->world, handle_of(entity), fixture->components[i]);
    assert_int_equal(ecs_field_has(&fixture->access[i], entity),
                     has ? FIELD_YES : no(entity));
    if (kinds[i].count > 0) compare_fields(fixture, i, entity);
  }
}

/* Sets all fields of a component: all or none. */
static void set_some(Fixture *fixture, ecs_Entity entity) {
  static const double numbers[] = {0, 1, 2.5, 255, 256, 7, 1e39, -1};
  uint32_t i = roll(fixture, 3), count = kinds[i].count;
  double before[3], after[3], values[3];
  FieldSelection *fields = &fixture->fields[i];
  bool done = ecs_fields_get(fields, (double)entity, before) == FIELD_YES;
  bool there = done;
  for (uint32_t k = 0; k < count; k++) {
    uint64_t element = 0;
    ecs_Scalar type = kinds[i].fields[fields->fields[k]].type;
    values[k] = numbers[roll(fixture, 8)];
    done = ecs_scalar_store(type, &element, values[k]) == ECS_OK && done;
  }
  assert_int_equal(ecs_fields_set(fields, (double)entity, values), done);
  if (!there) return;
  assert_int_equal(ecs_fields_get(fields, (double)entity, after), FIELD_YES);
  for (uint32_t k = 0; k < count; k++)
    assert_true(after[k] == (done ? values[k] : before[k]));
}

/* Sets a field in this way. When the call is refused, nothing has changed. */
static void set(Fixture *fixture, ecs_Entity entity) {
  static const double numbers[] = {
      0, 1, 2.5, 255, 256, -1, 1e9, 1e39, -0.0, 7, 1e-9, 4503599627370495.0};
  uint32_t i = roll(fixture, 3), f = roll(fixture, kinds[i].count);
  double number = numbers[roll(fixture, 12)], before = 0, after = 0;
  uint64_t element;
  ecs_Component component = fixture->components[i];
  bool there =
      ecs_get_field(fixture->world, entity, component, f, &before) == ECS_OK;
  bool fits =
      ecs_scalar_store(kinds[i].fields[f].type, &element, number) == ECS_OK;
  bool done = ecs_field_set(&fixture->access[i], (double)entity, f, number);
  assert_int_equal(done, there && fits);
  if (!there) return;
  assert_int_equal(ecs_get_field(fixture->world, entity, component, f, &after),
                   ECS_OK);
  if (done) before = ecs_scalar_load(kinds[i].fields[f].type, &element);
  assert_true(after == before);
}

/* One random change; a destroyed entity is replaced by a new one. */
static void change(Fixture *fixture) {
  ecs_World *world = fixture->world;
  ecs_Entity *entity = &fixture->e[roll(fixture, COUNT)];
  ecs_Component component = fixture->components[roll(fixture, COMPONENTS)];
  switch (roll(fixture, 9)) {
    case 0:
      if (roll(fixture, 8) != 0) break;
      assert_int_equal(ecs_destroy(world, *entity), ECS_OK);
      compare(fixture, (double)*entity);
      if (ecs_spawn(world, NULL, 0, NULL, entity) != ECS_OK)
        *entity = fixture->e[0]; /* the tiny build has few handles */
      break;
    case 1:
    case 2: ecs_remove(world, *entity, component); break;
    case 3:
      set(fixture, *entity);
      set_some(fixture, *entity);
      break;
    case 4:
      if (roll(fixture, 20) == 0)
        ecs_group(world, &fixture->components[roll(fixture, 4)], 2);
      break;
    default: ecs_add(world, *entity, component, NULL); break;
  }
  compare(fixture, (double)*entity);
}

TEST(answers_are_those_of_the_border) {
  for (uint32_t seed = 1; seed < 12; seed++) {
    Fixture fixture;
    start(&fixture, seed);
    for (uint32_t step = 0; step < 300; step++) change(&fixture);
    for (uint32_t i = 0; i < COUNT; i++)
      compare(&fixture, (double)fixture.e[i]);
    finish(&fixture);
  }
}

TEST(any_number_is_a_fair_question) {
  static const double strange[] = {NAN,
                                   INFINITY,
                                   -INFINITY,
                                   -0.0,
                                   -1,
                                   0.5,
                                   1.5,
                                   1e300,
                                   4503599627370495.0,
                                   4503599627370496.0,
                                   9007199254740992.0,
                                   268435455.0,
                                   268435456.0};
  Fixture fixture;
  start(&fixture, 1);
  for (uint32_t i = 0; i < COMPONENTS; i++)
    assert_int_equal(
        ecs_add(fixture.world, fixture.e[0], fixture.components[i], NULL),
        ECS_OK);
  for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++)
    compare(&fixture, strange[i]);
  for (int k = 1; k < 24; k++)
    compare(&fixture, (double)fixture.e[0] + ldexp(1, 27 + k));
  compare(&fixture, (double)fixture.e[0] + 0.25);
  compare(&fixture, -(double)fixture.e[0]);
  finish(&fixture);
}

/* Row 0 of an empty table belongs to entity 0, and index 0 has a slot. */
TEST(an_empty_table_has_no_row_of_entity_0) {
  Fixture fixture;
  start(&fixture, 1);
  compare(&fixture, (double)fixture.e[0]);
  for (uint32_t i = 0; i < COUNT; i++)
    assert_int_equal(
        ecs_add(fixture.world, fixture.e[i], fixture.components[0], NULL),
        ECS_OK);
  compare(&fixture, 0);
  for (uint32_t i = 0; i < COUNT; i++) {
    compare(&fixture, (double)fixture.e[i]);
    assert_int_equal(ecs_destroy(fixture.world, fixture.e[i]), ECS_OK);
    compare(&fixture, (double)fixture.e[i]);
  }
  compare(&fixture, 0);
  finish(&fixture);
}

TEST(open_cursors_and_records_send_elsewhere) {
  Fixture fixture;
  double values[2];
  ecs_Cursor cursor;
  ecs_Query *query;
  start(&fixture, 1);
  double e = (double)fixture.e[0];
  FieldAccess *plain = &fixture.access[0], *sparse = &fixture.access[2];
  assert_int_equal(ecs_add(fixture.world, fixture.e[0], plain->component, NULL),
                   ECS_OK);
  assert_int_equal(
      ecs_add(fixture.world, fixture.e[0], sparse->component, NULL), ECS_OK);
  compare(&fixture, e);
  compare(&fixture, (double)fixture.e[1]);
  ecs_Term terms[] = {{plain->component, ECS_WRITE},
                      {sparse->component, ECS_READ}};
  assert_int_equal(ecs_query_create(fixture.world, terms, 2, &query), ECS_OK);
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_true(isnan(ecs_field_get(plain, e, 0)));
  assert_int_equal(ecs_field_present(plain, e), FIELD_ASK);
  assert_int_equal(ecs_field_pair(plain, e, 0, 1, values), FIELD_ASK);
  assert_int_equal(ecs_field_all(plain, e, values), FIELD_ASK);
  assert_int_equal(ecs_field_has(plain, e), FIELD_YES);
  assert_true(ecs_field_get(sparse, e, 0) == 4);
  assert_false(ecs_field_set(plain, e, 0, 9));
  assert_false(ecs_field_set(sparse, e, 0, 9));
  assert_int_equal(ecs_fields_get(&fixture.fields[0], e, values), FIELD_ASK);
  assert_false(ecs_fields_set(&fixture.fields[0], e, values));
  assert_false(ecs_fields_set(&fixture.fields[2], e, values));
  assert_int_equal(ecs_destroy(fixture.world, fixture.e[1]), ECS_OK);
  compare_fields(&fixture, 2, e);
  assert_int_equal(ecs_field_alive(&fixture.alive, (double)fixture.e[1]),
                   FIELD_NO);
  assert_int_equal(ecs_field_alive(&fixture.alive, e), FIELD_YES);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  compare(&fixture, e);
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
  assert_true(ecs_field_set(plain, e, 0, 9));
  assert_int_equal(ecs_remove(fixture.world, fixture.e[0], plain->component),
                   ECS_OK);
  assert_false(ecs_field_set(plain, e, 0, 10));
  assert_false(ecs_fields_set(&fixture.fields[0], e, values));
  assert_true(ecs_field_get(plain, e, 0) == 9);
  assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
  compare(&fixture, e);
  finish(&fixture);
}

TEST(a_nan_is_stored_without_payload) {
  Fixture fixture;
  double nan, payload;
  uint64_t bits = UINT64_C(0xffffdeadbeef0001);
  memcpy(&payload, &bits, sizeof payload);
  start(&fixture, 1);
  double e = (double)fixture.e[0];
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(
        ecs_add(fixture.world, fixture.e[0], fixture.components[i], NULL),
        ECS_OK);
    assert_true(ecs_field_set(&fixture.access[i], e, 0, payload));
    nan = ecs_field_get(&fixture.access[i], e, 0);
    memcpy(&bits, &nan, sizeof bits);
    assert_true(bits == UINT64_C(0x7ff8000000000000));
    assert_int_equal(ecs_field_present(&fixture.access[i], e), FIELD_YES);
  }
  assert_true(ecs_field_set(&fixture.access[0], e, 1, INFINITY));
  assert_false(ecs_field_set(&fixture.access[0], e, 1, 3.5e38));
  assert_true(isinf(ecs_field_get(&fixture.access[0], e, 1)));
  finish(&fixture);
}

/* For every component, at once and where changes are recorded; and what fails
 * changes nothing. */
TEST(changes_are_those_of_the_border) {
  static const double strangers[] = {0, -1, 0.5, 1e300, INFINITY, NAN};
  Fixture fixture;
  start(&fixture, 2);
  ecs_World *world = fixture.world;
  for (uint32_t round = 0; round < 2 * COMPONENTS; round++) {
    uint32_t i = round % COMPONENTS;
    const FieldAccess *access = &fixture.access[i];
    ecs_Component component = fixture.components[i];
    ecs_Entity e = fixture.e[round];
    bool later = round >= COMPONENTS;
    for (uint32_t add = 2; add-- > 0;) {
      if (later) assert_int_equal(ecs_defer_begin(world), ECS_OK);
      assert_int_equal(add ? ecs_field_add(access, (double)e)
                           : ecs_field_remove(access, (double)e),
                       FIELD_YES);
      if (later) assert_int_equal(ecs_defer_end(world), ECS_OK);
      assert_int_equal(ecs_has(world, e, component), add);
    }
    if (later) assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_field_destroy(&fixture.alive, (double)e), FIELD_YES);
    assert_int_equal(ecs_field_destroy(&fixture.alive, (double)e), FIELD_NO);
    if (later) assert_int_equal(ecs_defer_end(world), ECS_OK);
    assert_false(ecs_alive(world, e));
    uint64_t before = ecs_world_hash(world);
    assert_int_equal(ecs_field_add(access, (double)e), FIELD_ASK);
    assert_int_equal(ecs_field_remove(access, (double)e), FIELD_ASK);
    for (uint32_t k = 0; k < sizeof strangers / sizeof strangers[0]; k++) {
      assert_int_equal(ecs_field_add(access, strangers[k]), FIELD_ASK);
      assert_int_equal(ecs_field_remove(access, strangers[k]), FIELD_ASK);
      assert_int_equal(ecs_field_destroy(access, strangers[k]),
                       no(strangers[k]));
    }
    assert_true(ecs_world_hash(world) == before);
  }
  ecs_World *none = NULL;
  FieldAccess closed;
  ecs_field_init(&closed, &none, 1);
  assert_int_equal(ecs_field_add(&closed, 1), FIELD_ASK);
  assert_int_equal(ecs_field_remove(&closed, 1), FIELD_ASK);
  assert_int_equal(ecs_field_destroy(&closed, 1), FIELD_ASK);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_those_of_the_border),
      cmocka_unit_test(any_number_is_a_fair_question),
      cmocka_unit_test(an_empty_table_has_no_row_of_entity_0),
      cmocka_unit_test(open_cursors_and_records_send_elsewhere),
      cmocka_unit_test(a_nan_is_stored_without_payload),
      cmocka_unit_test(changes_are_those_of_the_border),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
