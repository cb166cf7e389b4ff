/* query_entities_test.c: entities of a query one at a time: copying them,
 * locating each, and the row_epoch that says when to locate again.
 *
 * For queries with every kind of plan, located rows are compared with those in
 * the batches of a cursor.
 *
 *      A {x f32, y f64}  B {u16}  Tag       main group
 *      S {u32}                              sparse set
 *      T                                    bits
 */
#include <string.h>

#include "test_case.h"
#include "world/world.h"
#include "api_fixture.h"

#define ROOM 48u

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, b, tag, s, t;
  ecs_Entity entities[24];
} Fixture;

/* Entity k has A when k is even, B when 3 divides k, S when k & 4, the tag
 * when k & 8 and the bit when 5 divides k. */
static void populate(Fixture *fixture) {
  ecs_World *world = fixture->world;
  for (uint32_t k = 0; k < 24; k++) {
    ecs_Entity *entity = &fixture->entities[k];
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, entity), ECS_OK);
    struct {
      float x;
      double y;
    } a = {(float)k, -(double)k};
    uint16_t b = (uint16_t)(100 + k);
    uint32_t s = 1000 + k;
    if (k % 2 == 0)
      assert_int_equal(ecs_add(world, *entity, fixture->a, &a), 0);
    if (k % 3 == 0)
      assert_int_equal(ecs_add(world, *entity, fixture->b, &b), 0);
    if (k & 4) assert_int_equal(ecs_add(world, *entity, fixture->s, &s), 0);
    if (k & 8) assert_int_equal(ecs_add(world, *entity, fixture->tag, NULL), 0);
    if (k % 5 == 0)
      assert_int_equal(ecs_add(world, *entity, fixture->t, NULL), 0);
  }
}

static void start(Fixture *fixture) {
  static const ecs_Field a[] = {{"x", ECS_F32, 0}, {"y", ECS_F64, 0}};
  static const ecs_Field b = {"b", ECS_U16, 0}, s = {"s", ECS_U32, 0};
  fixture->world = open_world(&fixture->failing);
  fixture->a = define_component(fixture->world, "A", a, 2, ECS_STORE_TABLE);
  fixture->b = define_component(fixture->world, "B", &b, 1, ECS_STORE_TABLE);
  fixture->tag =
      define_component(fixture->world, "Tag", NULL, 0, ECS_STORE_TABLE);
  fixture->s = define_component(fixture->world, "S", &s, 1, ECS_STORE_SPARSE);
  fixture->t = define_component(fixture->world, "T", NULL, 0, ECS_STORE_BITS);
  populate(fixture);
}

static void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

static uint64_t row_epoch_of(const Fixture *fixture) {
  return *ecs_world_row_epoch(fixture->world);
}

/* Compares one row of a batch with what locating finds. */
static void assert_located(ecs_Query *query, const ecs_Batch *batch,
                           uint32_t row) {
  void *elements[8] = {NULL};
  uint32_t flags = 0;
  assert_int_equal(
      ecs_query_locate(query, batch->entities[row], elements, &flags), ECS_OK);
  assert_int_equal(flags, ECS_ROW_MATCHES);
  for (uint32_t k = 0; k < batch->column_count; k++) {
    bool held = query->terms[query->columns[k].term].access != ECS_READ;
    if (held || batch->columns[k] == NULL) {
      assert_null(elements[k]); /* the open cursor writes it */
      continue;
    }
    uint32_t bytes = 1u << query->columns[k].shift;
    assert_memory_equal(elements[k],
                        (char *)batch->columns[k] + (size_t)row * bytes, bytes);
  }
}

/* Locates runs, as long as at most, from the first entity to the last: each row
 * must be where locating it alone finds it. Returns how many runs there were.
 */
static uint32_t count_runs(ecs_Query *query, const ecs_Entity *entities,
                           uint32_t count, uint32_t most) {
  uint32_t runs = 0;
  for (uint32_t at = 0; at < count; runs++) {
    void *elements[8] = {NULL}, *alone[8] = {NULL};
    uint32_t flags = 0, run = 0, left = count - at, found = 0;
    assert_int_equal(
        ecs_query_locate_run(query, entities + at, left < most ? left : most,
                             elements, &flags, &run),
        ECS_OK);
    assert_true(run >= 1 && run <= most && run <= left);
    for (uint32_t i = 0; i < run; i++) {
      assert_int_equal(ecs_query_locate(query, entities[at + i], alone, &found),
                       ECS_OK);
      assert_int_equal(found, flags);
      assert_true(run == 1 || (flags & ECS_ROW_MATCHES));
      for (uint32_t k = 0; k < ecs_query_column_count(query); k++)
        assert_ptr_equal(
            elements[k]
                ? (char *)elements[k] + ((size_t)i << query->columns[k].shift)
                : NULL,
            alone[k]);
    }
    at += run;
  }
  return runs;
}

static void assert_runs(ecs_Query *query, const ecs_Entity *entities,
                        uint32_t count) {
  ecs_Entity turned[ROOM];
  assert_int_equal(count_runs(query, entities, count, 1), count);
  assert_true(count_runs(query, entities, count, 3) * 3 >= count);
  count_runs(query, entities, count, count + 1);
  for (uint32_t i = 0; i < count; i++) turned[i] = entities[count - 1 - i];
  count_runs(query, turned, count, count + 1);
}

/* Copies the entities, reads the batches and locates each: all must agree. */
static void assert_visits(Fixture *fixture, const ecs_Term *terms,
                          uint32_t count) {
  ecs_Query *query = make_query(fixture->world, terms, count);
  ecs_Entity copied[ROOM];
  uint64_t total = 99, matches = 0;
  assert_int_equal(ecs_query_entities(query, copied, ROOM, &total), ECS_OK);
  assert_int_equal(ecs_query_count(query, &matches), ECS_OK);
  assert_int_equal(total, matches);
  assert_runs(query, copied, (uint32_t)total);
  assert_runs(query, fixture->entities, 24);
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint64_t index = 0;
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  while (ecs_cursor_next(&cursor, &batch))
    for (uint32_t i = 0; i < batch.count; i++) {
      assert_int_equal(batch.entities[i], copied[index++]);
      assert_located(query, &batch, i);
    }
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  assert_int_equal(index, total);
  for (uint32_t k = 0; k < 24; k++) {
    void *elements[8];
    uint32_t flags = 0;
    bool among = false;
    for (uint64_t i = 0; i < total; i++)
      if (copied[i] == fixture->entities[k]) among = true;
    assert_int_equal(
        ecs_query_locate(query, fixture->entities[k], elements, &flags),
        ECS_OK);
    assert_int_equal((flags & ECS_ROW_MATCHES) != 0, among);
    assert_int_not_equal(flags & ECS_ROW_IN_PLACE, 0);
  }
  assert_int_equal(ecs_query_destroy(query), ECS_OK);
}

TEST(locating_finds_the_rows_of_the_batches) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[][4] = {
      {{fixture.a, ECS_READ}, {fixture.b, ECS_READ}},
      {{fixture.a, ECS_READ}, {fixture.b, ECS_OPTIONAL}},
      {{fixture.a, ECS_READ}, {fixture.s, ECS_READ}},
      {{fixture.s, ECS_READ}, {fixture.b, ECS_OPTIONAL}},
      {{fixture.a, ECS_READ}, {fixture.s, ECS_WITHOUT}},
      {{fixture.a, ECS_READ}, {fixture.t, ECS_WITH}},
      {{fixture.b, ECS_READ},
       {fixture.t, ECS_WITHOUT},
       {fixture.tag, ECS_WITH}},
      {{fixture.s, ECS_READ},
       {fixture.t, ECS_WITHOUT},
       {fixture.tag, ECS_WITHOUT},
       {fixture.a, ECS_WRITE}},
      {{fixture.t, ECS_WITH}, {fixture.s, ECS_OPTIONAL}},
  };
  static const uint32_t counts[] = {2, 2, 2, 2, 2, 2, 3, 4, 2};
  for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++)
    assert_visits(&fixture, terms[i], counts[i]);
  assert_visits(&fixture, NULL, 0);
  finish(&fixture);
}

TEST(copying_stops_at_the_capacity) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_READ}};
  for (uint32_t count = 1; count <= 2; count++) {
    ecs_Query *query = make_query(fixture.world, terms, count);
    ecs_Entity all[ROOM], some[ROOM];
    uint64_t total = 0, again = 0;
    assert_int_equal(ecs_query_entities(query, all, ROOM, &total), ECS_OK);
    assert_true(total > 3);
    for (uint64_t room = 0; room <= total; room++) {
      memset(some, 0xee, sizeof some);
      assert_int_equal(
          ecs_query_entities(query, room ? some : NULL, room, &again), ECS_OK);
      assert_int_equal(again, total);
      assert_memory_equal(some, all, (size_t)room * sizeof *all);
      assert_int_equal(some[room], UINT64_C(0xeeeeeeeeeeeeeeee));
    }
  }
  finish(&fixture);
}

TEST(copying_is_refused_where_a_cursor_is) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term write = {fixture.a, ECS_WRITE}, read = {fixture.a, ECS_READ},
                 with = {fixture.a, ECS_WITH};
  ecs_Query *writer = make_query(fixture.world, &write, 1);
  ecs_Query *reader = make_query(fixture.world, &read, 1);
  ecs_Query *asker = make_query(fixture.world, &with, 1);
  uint64_t count = 77;
  ecs_Cursor cursor;
  assert_int_equal(ecs_query_begin(writer, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_int_equal(ecs_query_entities(reader, NULL, 0, &count), ECS_E_ACCESS);
  assert_int_equal(ecs_world_contested(fixture.world), fixture.a);
  assert_int_equal(count, 77);
  assert_int_equal(ecs_query_entities(asker, NULL, 0, &count), ECS_OK);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  assert_int_equal(ecs_query_begin(reader, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_int_equal(ecs_query_entities(writer, NULL, 0, &count), ECS_E_ACCESS);
  assert_int_equal(ecs_query_entities(reader, NULL, 0, &count), ECS_OK);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  assert_int_equal(ecs_query_entities(writer, NULL, 0, &count), ECS_OK);
  finish(&fixture);
}

TEST(a_row_is_followed) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.a, ECS_WRITE}, {fixture.tag, ECS_WITHOUT}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  ecs_Entity entity = fixture.entities[2];
  void *elements[2];
  uint32_t flags = 0;
  float x = 0;
  for (uint32_t k = 0; k < 3; k++) {
    assert_int_equal(ecs_query_locate(query, entity, elements, &flags), ECS_OK);
    assert_int_equal(
        flags, k == 0 ? ECS_ROW_MATCHES | ECS_ROW_IN_PLACE : ECS_ROW_IN_PLACE);
    memcpy(&x, elements[0], sizeof x);
    assert_true(x == (k == 0 ? 2.0f : 5.0f));
    x = 5;
    memcpy(elements[0], &x, sizeof x);
    assert_int_equal(
        ecs_add(fixture.world, entity, k == 0 ? fixture.tag : fixture.b, NULL),
        ECS_OK);
  }
  assert_int_equal(ecs_remove(fixture.world, entity, fixture.a), ECS_OK);
  assert_int_equal(ecs_query_locate(query, entity, elements, &flags), ECS_OK);
  assert_null(elements[0]);
  assert_null(elements[1]);
  assert_int_equal(ecs_destroy(fixture.world, entity), ECS_OK);
  flags = 9;
  assert_int_equal(ecs_query_locate(query, entity, elements, &flags),
                   ECS_E_DEAD);
  assert_int_equal(flags, 0);
  assert_int_equal(ecs_query_locate(query, 0, elements, &flags), ECS_E_DEAD);
  assert_int_equal(ecs_query_locate(query, UINT64_MAX, elements, &flags),
                   ECS_E_DEAD);
  finish(&fixture);
}

TEST(what_is_recorded_is_heeded) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term read = {fixture.a, ECS_READ};
  ecs_Query *query = make_query(fixture.world, &read, 1);
  ecs_Entity doomed = fixture.entities[2], changed = fixture.entities[4], born;
  void *elements[2];
  uint32_t flags = 0;
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
  assert_int_equal(ecs_destroy(fixture.world, doomed), ECS_OK);
  assert_int_equal(ecs_remove(fixture.world, changed, fixture.a), ECS_OK);
  assert_int_equal(ecs_spawn(fixture.world, &fixture.a, 1, NULL, &born),
                   ECS_OK);
  assert_int_equal(ecs_query_locate(query, doomed, elements, &flags), ECS_OK);
  assert_int_equal(flags, 0);
  assert_non_null(elements[0]);
  assert_int_equal(ecs_query_locate(query, changed, elements, &flags), ECS_OK);
  assert_int_equal(flags, ECS_ROW_MATCHES);
  assert_int_equal(ecs_query_locate(query, born, elements, &flags), ECS_E_DEAD);
  assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
  assert_int_equal(ecs_query_locate(query, born, elements, &flags), ECS_OK);
  assert_int_equal(flags, ECS_ROW_MATCHES | ECS_ROW_IN_PLACE);
  finish(&fixture);
}

TEST(a_run_is_as_long_as_its_rows_follow) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Term terms[] = {{fixture.a, ECS_WRITE}, {fixture.s, ECS_OPTIONAL}};
  ecs_Query *query = make_query(world, terms, 1);
  ecs_Query *both = make_query(world, terms, 2);
  ecs_Entity born[9];
  void *elements[3];
  uint32_t flags = 9, run = 9;
  for (uint32_t k = 0; k < 9; k++)
    assert_int_equal(ecs_spawn(world, &fixture.a, 1, NULL, &born[k]), ECS_OK);
  assert_int_equal(count_runs(query, born, 9, 9), 1);
  assert_int_equal(count_runs(both, born, 9, 9), 1);
  /* The fourth alone has a value of S. */
  assert_int_equal(ecs_add(world, born[3], fixture.s, NULL), ECS_OK);
  assert_int_equal(count_runs(query, born, 9, 9), 1);
  assert_int_equal(count_runs(both, born, 9, 9), 3);
  /* The last row moves into the hole: 0 1 8 3 4 5 6 7. */
  assert_int_equal(ecs_destroy(world, born[2]), ECS_OK);
  assert_int_equal(ecs_query_locate_run(query, born, 9, elements, &flags, &run),
                   ECS_OK);
  assert_int_equal(run, 2);
  assert_int_equal(flags, ECS_ROW_MATCHES | ECS_ROW_IN_PLACE);
  assert_int_equal(
      ecs_query_locate_run(query, born + 2, 7, elements, &flags, &run),
      ECS_E_DEAD);
  assert_int_equal(run + flags, 0);
  assert_int_equal(count_runs(query, born + 3, 6, 6), 2);
  assert_int_equal(ecs_query_locate_run(query, born, 0, elements, &flags, &run),
                   ECS_E_ARGUMENT);
  assert_int_equal(run + flags, 0);
  /* While the world is open, a destruction may be recorded. */
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_destroy(world, born[1]), ECS_OK);
  assert_int_equal(count_runs(query, born, 2, 2), 2);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  finish(&fixture);
}

TEST(every_change_shows_in_the_row_epoch) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Term read = {fixture.a, ECS_READ};
  ecs_Query *query = make_query(fixture.world, &read, 1);
  ecs_Cursor cursor;
  ecs_Entity entity = 0;
  uint64_t before = row_epoch_of(&fixture);
  float value[4] = {1, 2, 3, 4};
  assert_int_equal(ecs_set(world, fixture.entities[0], fixture.a, value, ~0u),
                   ECS_OK);
  assert_int_equal(row_epoch_of(&fixture), before); /* nothing has moved */
#define ASSERT_CHANGES_EPOCH(call)                \
  do {                                            \
    before = row_epoch_of(&fixture);              \
    assert_int_equal(call, ECS_OK);               \
    assert_true(row_epoch_of(&fixture) > before); \
  } while (0)
  ASSERT_CHANGES_EPOCH(ecs_spawn(world, &fixture.a, 1, NULL, &entity));
  ASSERT_CHANGES_EPOCH(ecs_add(world, entity, fixture.b, NULL));
  ASSERT_CHANGES_EPOCH(ecs_add(world, entity, fixture.s, NULL));
  ASSERT_CHANGES_EPOCH(ecs_add(world, entity, fixture.t, NULL));
  ASSERT_CHANGES_EPOCH(ecs_remove(world, entity, fixture.b));
  ASSERT_CHANGES_EPOCH(ecs_destroy(world, entity));
  ASSERT_CHANGES_EPOCH(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor));
  ASSERT_CHANGES_EPOCH(ecs_cursor_end(&cursor));
  ASSERT_CHANGES_EPOCH(ecs_defer_begin(world));
  ASSERT_CHANGES_EPOCH(ecs_defer_end(world));
  ASSERT_CHANGES_EPOCH(ecs_group(world, &fixture.a, 1));
  ASSERT_CHANGES_EPOCH(ecs_world_clear(world));
  assert_int_equal(ecs_spawn(world, &fixture.a, 1, NULL, &entity), ECS_OK);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  ASSERT_CHANGES_EPOCH(
      ecs_destroy(world, entity)); /* recorded: it no longer matches */
#undef ASSERT_CHANGES_EPOCH
  before = row_epoch_of(&fixture);
  ecs_defer_discard(world);
  assert_true(row_epoch_of(&fixture) > before);
  finish(&fixture);
}

TEST(a_new_plan_may_fail) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_READ}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  void *elements[3];
  uint32_t flags = 9;
  uint64_t count = 55;
  failing_memory_arm(&fixture.failing, 1, false);
  assert_int_equal(ecs_query_entities(query, NULL, 0, &count), ECS_E_MEMORY);
  assert_int_equal(count, 55);
  failing_memory_arm(&fixture.failing, 1, false);
  assert_int_equal(
      ecs_query_locate(query, fixture.entities[4], elements, &flags),
      ECS_E_MEMORY);
  assert_int_equal(flags, 0);
  failing_memory_disarm(&fixture.failing);
  assert_int_equal(
      ecs_query_locate(query, fixture.entities[4], elements, &flags), ECS_OK);
  assert_int_equal(flags, ECS_ROW_MATCHES | ECS_ROW_IN_PLACE);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(locating_finds_the_rows_of_the_batches),
      cmocka_unit_test(copying_stops_at_the_capacity),
      cmocka_unit_test(copying_is_refused_where_a_cursor_is),
      cmocka_unit_test(a_row_is_followed),
      cmocka_unit_test(what_is_recorded_is_heeded),
      cmocka_unit_test(a_run_is_as_long_as_its_rows_follow),
      cmocka_unit_test(every_change_shows_in_the_row_epoch),
      cmocka_unit_test(a_new_plan_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
