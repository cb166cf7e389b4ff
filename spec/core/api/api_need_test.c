/* api_need_test.c: components that need others, in every storage and way. */
#include "api_scene.h"
#include "test_case.h"

/* A needs S and T, S needs Tag: every storage. */
static void declare(const Fixture *fixture) {
  const ecs_Component needs[] = {fixture->s, fixture->t};
  assert_int_equal(ecs_component_need(fixture->world, fixture->a, needs, 2),
                   ECS_OK);
  assert_int_equal(
      ecs_component_need(fixture->world, fixture->s, &fixture->tag, 1), ECS_OK);
}

static void start_needy(Fixture *fixture) {
  static const ecs_Field a[] = {{"x", ECS_F64, 1.5}, {"flag", ECS_BOOL, 0}};
  static const ecs_Field s = {"s", ECS_U16, 7};
  fixture->world = open_world(&fixture->failing);
  ecs_World *world = fixture->world;
  fixture->a = define_component(world, "A", a, 2, ECS_STORE_TABLE);
  fixture->tag = define_component(world, "Tag", NULL, 0, ECS_STORE_TABLE);
  fixture->t = define_component(world, "T", NULL, 0, ECS_STORE_BITS);
  fixture->s = define_component(world, "S", &s, 1, ECS_STORE_SPARSE);
  declare(fixture);
  assert_int_equal(ecs_bundle(world, &fixture->a, 1, &fixture->bundle), ECS_OK);
}

static uint16_t s_of(const Fixture *fixture, ecs_Entity entity) {
  uint16_t s = 0;
  assert_int_equal(ecs_get(fixture->world, entity, fixture->s, &s), ECS_OK);
  return s;
}

static bool has_all(const Fixture *fixture, ecs_Entity entity) {
  return ecs_has(fixture->world, entity, fixture->a) &&
         ecs_has(fixture->world, entity, fixture->s) &&
         ecs_has(fixture->world, entity, fixture->t) &&
         ecs_has(fixture->world, entity, fixture->tag);
}

static bool has_none(const Fixture *fixture, ecs_Entity entity) {
  return !ecs_has(fixture->world, entity, fixture->a) &&
         !ecs_has(fixture->world, entity, fixture->s) &&
         !ecs_has(fixture->world, entity, fixture->t) &&
         !ecs_has(fixture->world, entity, fixture->tag);
}

TEST(declaring_is_refused_for_what_is_unknown_or_in_use) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  assert_refused(ecs_component_need(world, fixture.past, &fixture.a, 1),
                 ECS_E_COMPONENT);
  assert_refused(ecs_component_need(world, fixture.a, &fixture.past, 1),
                 ECS_E_COMPONENT);
  assert_refused(ecs_component_need(world, fixture.tag, NULL, 1),
                 ECS_E_ARGUMENT);
  /* The bundle of the scene has A and S. */
  assert_refused(ecs_component_need(world, fixture.s, &fixture.t, 1),
                 ECS_E_ARGUMENT);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_refused(ecs_component_need(world, fixture.t, &fixture.tag, 1),
                 ECS_E_OPEN);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_int_equal(ecs_component_need(world, fixture.t, NULL, 0), ECS_OK);
  /* Itself, one twice, and what is declared already count once. */
  const ecs_Component needs[] = {fixture.t, fixture.tag, fixture.tag};
  for (uint32_t i = 0; i < 2; i++)
    assert_int_equal(ecs_component_need(world, fixture.t, needs, 3), ECS_OK);
  assert_int_equal(world->store.components.all[fixture.t].need_count, 1);
  finish(&fixture);
}

TEST(bundles_are_made_anew_when_a_need_is_declared) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Entity before, after, recorded;
  assert_int_equal(ecs_spawn(world, &fixture.tag, 1, NULL, &before), ECS_OK);
  assert_int_equal(ecs_component_need(world, fixture.tag, &fixture.s, 1),
                   ECS_OK);
  assert_int_equal(ecs_spawn(world, &fixture.tag, 1, NULL, &after), ECS_OK);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_spawn(world, &fixture.tag, 1, NULL, &recorded), ECS_OK);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_false(ecs_has(world, before, fixture.s));
  assert_int_equal(s_of(&fixture, after), 7);
  assert_int_equal(s_of(&fixture, recorded), 7);
  finish(&fixture);
}

TEST(a_spawn_gives_what_is_needed_and_keeps_what_is_given) {
  Fixture fixture;
  start_needy(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Component order[][2] = {{fixture.a, fixture.s},
                                    {fixture.s, fixture.a}};
  const A a = {4, 1};
  const uint16_t s = 9;
  for (uint32_t i = 0; i < 4; i++) {
    const void *values[] = {i % 2 == 0 ? (const void *)&a : &s,
                            i % 2 == 0 ? (const void *)&s : &a};
    ecs_Entity entity = 0, plain = 0;
    if (i >= 2) assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_spawn(world, order[i % 2], 2, values, &entity),
                     ECS_OK);
    assert_int_equal(ecs_spawn_bundle(world, fixture.bundle, NULL, &plain),
                     ECS_OK);
    /* A chain that is no birth. */
    if (i == 3)
      assert_int_equal(ecs_set(world, entity, fixture.a, &a, 1), ECS_OK);
    if (i >= 2) assert_int_equal(ecs_defer_end(world), ECS_OK);
    assert_true(has_all(&fixture, entity) && has_all(&fixture, plain));
    assert_int_equal(s_of(&fixture, entity), 9);
    assert_int_equal(s_of(&fixture, plain), 7);
  }
  finish(&fixture);
}

/* Batches have the columns of the bundle's own components. */
TEST(rows_that_are_spawned_at_once_have_what_is_needed) {
  Fixture fixture;
  start_needy(&fixture);
  for (uint32_t i = 0; i < 2; i++) {
    ecs_Cursor cursor;
    ecs_Batch batch;
    uint64_t count = 0;
    ecs_Query *query = NULL;
    const ecs_Term terms[] = {{fixture.a, ECS_READ},
                              {fixture.s, ECS_READ},
                              {fixture.t, ECS_WITH},
                              {fixture.tag, ECS_WITH}};
    if (i == 1) assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
    assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 5, &cursor),
                     ECS_OK);
    while (ecs_cursor_next(&cursor, &batch))
      assert_int_equal(batch.column_count, 2);
    assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
    if (i == 1) assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
    assert_int_equal(ecs_query_create(fixture.world, terms, 4, &query), ECS_OK);
    assert_int_equal(ecs_query_count(query, &count), ECS_OK);
    assert_int_equal(count, 5 + 5 * i);
  }
  finish(&fixture);
}

typedef ecs_Status GiveA(const Fixture *fixture, ecs_Entity entity);

static ecs_Status give_by_add(const Fixture *fixture, ecs_Entity entity) {
  return ecs_add(fixture->world, entity, fixture->a, NULL);
}
static ecs_Status give_by_set(const Fixture *fixture, ecs_Entity entity) {
  const A a = {4, 1};
  return ecs_set(fixture->world, entity, fixture->a, &a, 1);
}
static ecs_Status give_by_field(const Fixture *fixture, ecs_Entity entity) {
  return ecs_set_field(fixture->world, entity, fixture->a, 0, 4);
}
static ecs_Status give_by_replace(const Fixture *fixture, ecs_Entity entity) {
  return ecs_replace(fixture->world, entity, fixture->t, fixture->a, NULL, 0);
}
static ecs_Status give_by_list(const Fixture *fixture, ecs_Entity entity) {
  return ecs_add_many(fixture->world, &entity, 1, fixture->a, NULL, NULL);
}
static ecs_Status give_to_all(const Fixture *fixture, bool set) {
  const A a = {4, 1};
  ecs_Query *query = NULL;
  ecs_Status status = ecs_query_create(fixture->world, NULL, 0, &query);
  if (status != ECS_OK) return status;
  status = set ? ecs_query_set_all(query, fixture->a, &a, 1)
               : ecs_query_add_all(query, fixture->a, &a);
  assert_int_equal(ecs_query_destroy(query), ECS_OK);
  return status;
}
static ecs_Status give_by_add_all(const Fixture *fixture, ecs_Entity entity) {
  (void)entity;
  return give_to_all(fixture, false);
}
static ecs_Status give_by_set_all(const Fixture *fixture, ecs_Entity entity) {
  (void)entity;
  return give_to_all(fixture, true);
}

static GiveA *const ways[] = {give_by_add,     give_by_set,  give_by_field,
                              give_by_replace, give_by_list, give_by_add_all,
                              give_by_set_all};
#define WAYS (sizeof ways / sizeof *ways)

/* Each allocation fails once: nothing has changed, or all has. */
static void give_whole_or_not_at_all(GiveA *give, bool recorded) {
  Fixture fixture;
  ecs_Entity entity = 0;
  uint64_t nth = 0, injected = 1;
  while (injected > 0) {
    start_needy(&fixture);
    assert_int_equal(ecs_spawn(fixture.world, NULL, 0, NULL, &entity), ECS_OK);
    uint64_t before = ecs_world_hash(fixture.world);
    failing_memory_arm(&fixture.failing, ++nth, FAIL_ONCE);
    ecs_Status status = recorded ? ecs_defer_begin(fixture.world) : ECS_OK;
    assert_int_equal(status, ECS_OK);
    status = give(&fixture, entity);
    if (recorded) {
      assert_true(has_none(&fixture, entity));
      ecs_Status ended = ecs_defer_end(fixture.world);
      if (status == ECS_OK) status = ended;
    }
    injected = failing_memory_disarm(&fixture.failing);
    if (status != ECS_OK) {
      assert_int_equal(status, ECS_E_MEMORY);
      assert_true(has_none(&fixture, entity));
      assert_true(ecs_world_hash(fixture.world) == before);
    } else {
      assert_true(has_all(&fixture, entity));
      assert_int_equal(s_of(&fixture, entity), 7);
    }
    finish(&fixture);
  }
  assert_true(nth > 1);
}

TEST(every_way_gives_all_or_nothing) {
  for (uint32_t i = 0; i < WAYS; i++) give_whole_or_not_at_all(ways[i], false);
}

TEST(every_way_recorded_gives_all_or_nothing) {
  for (uint32_t i = 0; i < WAYS; i++) give_whole_or_not_at_all(ways[i], true);
}

/* Tag is there, so that S does not bring it back; and T is not touched. */
TEST(what_is_there_stays) {
  Fixture fixture;
  start_needy(&fixture);
  ecs_World *world = fixture.world;
  const uint16_t s = 3;
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &entity), ECS_OK);
  assert_int_equal(ecs_add(world, entity, fixture.s, &s), ECS_OK);
  assert_int_equal(ecs_remove(world, entity, fixture.tag), ECS_OK);
  assert_int_equal(ecs_add(world, entity, fixture.a, NULL), ECS_OK);
  assert_int_equal(s_of(&fixture, entity), 3);
  assert_true(ecs_has(world, entity, fixture.t));
  assert_false(ecs_has(world, entity, fixture.tag));
  /* It has A: neither adding nor setting it brings back anything. */
  assert_int_equal(ecs_remove(world, entity, fixture.t), ECS_OK);
  for (uint32_t i = 0; i < WAYS; i++)
    if (ways[i] != give_by_replace)
      assert_int_equal(ways[i](&fixture, entity), ECS_OK);
  assert_false(ecs_has(world, entity, fixture.t));
  finish(&fixture);
}

TEST(a_circle_of_needs_ends) {
  Fixture fixture;
  start_needy(&fixture);
  ecs_World *world = fixture.world;
  ecs_Entity entity = 0;
  ecs_Component one = define_component(world, "One", NULL, 0, ECS_STORE_TABLE);
  ecs_Component two = define_component(world, "Two", NULL, 0, ECS_STORE_SPARSE);
  assert_int_equal(ecs_component_need(world, one, &two, 1), ECS_OK);
  assert_int_equal(ecs_component_need(world, two, &one, 1), ECS_OK);
  assert_int_equal(ecs_spawn(world, &two, 1, NULL, &entity), ECS_OK);
  assert_true(ecs_has(world, entity, one));
  assert_int_equal(ecs_remove(world, entity, one), ECS_OK);
  assert_int_equal(ecs_remove(world, entity, two), ECS_OK);
  assert_int_equal(ecs_add(world, entity, one, NULL), ECS_OK);
  assert_true(ecs_has(world, entity, two));
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(declaring_is_refused_for_what_is_unknown_or_in_use),
      cmocka_unit_test(bundles_are_made_anew_when_a_need_is_declared),
      cmocka_unit_test(a_spawn_gives_what_is_needed_and_keeps_what_is_given),
      cmocka_unit_test(rows_that_are_spawned_at_once_have_what_is_needed),
      cmocka_unit_test(every_way_gives_all_or_nothing),
      cmocka_unit_test(every_way_recorded_gives_all_or_nothing),
      cmocka_unit_test(what_is_there_stays),
      cmocka_unit_test(a_circle_of_needs_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
