/* limits_test.c: every named limit of config.h, at it and one past it.
 *
 * At a limit calls succeed; past it they return ECS_E_LIMIT and leave the hash
 * of the world as it was:
 *
 *      1  2  3 ... limit | limit + 1
 *      ok ok ok     ok   | ECS_E_LIMIT, nothing changed
 *
 * The tiny build shrinks the limits, so that all of them are reached; a normal
 * build reaches a few. Sizes that bound no input (of a page of entities or of
 * commands) are not limits and are not tested here.
 */
#include "limits_fixture.h"
#include "test_case.h"

/* In every build ---------------------------------------------------------- */

TEST(a_component_has_at_most_so_many_fields) {
  ecs_World *world = make_world();
  ecs_Component component = 0;
  must(define(world, 1, ECS_FIELD_LIMIT, ECS_F64, ECS_STORE_TABLE, &component));
  ASSERT_LIMIT(world, define(world, 2, ECS_FIELD_LIMIT + 1, ECS_F64,
                             ECS_STORE_TABLE, &component));
  const ecs_Entity entity = spawn_empty(world);
  must(ecs_set_field(world, entity, component, ECS_FIELD_LIMIT - 1, 7));
  double value = 0;
  must(ecs_get_field(world, entity, component, ECS_FIELD_LIMIT - 1, &value));
  assert_true(value == 7);
  ecs_world_destroy(world);
}

/* A name that is too long is ECS_E_NAME, not ECS_E_LIMIT. */
TEST(names_have_at_most_so_many_bytes) {
  char name[ECS_NAME_LIMIT + 2];
  ecs_World *world = make_world();
  ecs_Component component = 0;
  memset(name, 'n', sizeof name);
  name[ECS_NAME_LIMIT] = 0;
  const ecs_Field field = {name, ECS_F32, 0};
  const ecs_ComponentDescription description = {
      .name = name, .fields = &field, .field_count = 1};
  const ecs_ComponentDescription other = {
      .name = "Other", .fields = &field, .field_count = 1};
  must(ecs_component(world, &description, &component));
  assert_string_equal(ecs_component_name(world, component), name);
  const uint64_t before = ecs_world_hash(world);
  name[ECS_NAME_LIMIT] = 'n';
  name[ECS_NAME_LIMIT + 1] = 0;
  assert_int_equal(ecs_component(world, &description, &component), ECS_E_NAME);
  assert_int_equal(ecs_component(world, &other, &component), ECS_E_NAME);
  assert_true(ecs_world_hash(world) == before);
  ecs_world_destroy(world);
}

TEST(cursors_and_deferrals_nest_so_deep) {
  ecs_World *world = make_world();
  ecs_Component component = tag(world, 1);
  ecs_Query *query = NULL;
  ecs_Bundle bundle = 0;
  static ecs_Cursor cursors[ECS_NESTING_LIMIT + 1];
  must(ecs_query_create(world, NULL, 0, &query));
  must(ecs_bundle(world, &component, 1, &bundle));
  for (uint32_t i = 0; i < ECS_NESTING_LIMIT; i++) {
    must(i % 2 == 0 ? ecs_defer_begin(world)
                    : ecs_query_begin(query, ECS_BATCH_WHOLE, &cursors[i]));
  }
  ecs_Cursor *last = &cursors[ECS_NESTING_LIMIT];
  ASSERT_LIMIT(world, ecs_defer_begin(world));
  ASSERT_LIMIT(world, ecs_query_begin(query, ECS_BATCH_WHOLE, last));
  ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, 1, last));
  must(ecs_spawn_many(world, bundle, 1, NULL)); /* opens nothing */
  for (uint32_t i = ECS_NESTING_LIMIT; i-- > 0;)
    must(i % 2 == 0 ? ecs_defer_end(world) : ecs_cursor_end(&cursors[i]));
  assert_false(ecs_deferring(world));
  uint64_t count = 0;
  must(ecs_query_count(query, &count));
  assert_int_equal(count, 1);
  ecs_world_destroy(world);
}

TEST(more_entities_than_handles_are_refused_at_once) {
  ecs_World *world = make_world();
  ecs_Bundle bundle = 0;
  ecs_Cursor cursor;
  must(ecs_bundle(world, NULL, 0, &bundle));
  ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, ECS_INDEX_LIMIT, NULL));
  ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, UINT64_MAX, NULL));
  ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, ECS_INDEX_LIMIT, &cursor));
  ASSERT_LIMIT(world, ecs_reserve(world, bundle, ECS_INDEX_LIMIT));
  ASSERT_LIMIT(world, ecs_reserve(world, bundle, UINT64_MAX));
  assert_false(ecs_deferring(world));
  ecs_world_destroy(world);
}

TEST(a_query_has_at_most_so_many_terms) {
  ecs_World *world = make_world();
  ecs_Query *query = NULL;
  ecs_Term *terms = calloc(ECS_TERM_LIMIT + 1, sizeof *terms);
  assert_non_null(terms);
#ifdef ECS_TINY /* fewer components than terms; the number is checked first */
  for (uint32_t i = 0; i <= ECS_TERM_LIMIT; i++)
    terms[i] = (ecs_Term){1, ECS_WITHOUT};
  (void)tag(world, 1);
#else
  for (uint32_t i = 0; i <= ECS_TERM_LIMIT; i++)
    terms[i] = (ecs_Term){tag(world, i), ECS_WITHOUT};
  must(ecs_query_create(world, terms, ECS_TERM_LIMIT, &query));
  uint64_t count = 0;
  (void)spawn_empty(world);
  must(ecs_query_count(query, &count));
  assert_int_equal(count, 1);
#endif
  ASSERT_LIMIT(world,
               ecs_query_create(world, terms, ECS_TERM_LIMIT + 1, &query));
  free(terms);
  ecs_world_destroy(world);
}

/* In the tiny build ------------------------------------------------------- */

#ifdef ECS_TINY
#define HANDLES (ECS_INDEX_LIMIT - 1)

static void fill_with_entities(ecs_World *world, ecs_Entity *entities) {
  for (uint32_t i = 0; i < HANDLES; i++) entities[i] = spawn_empty(world);
}

TEST(so_many_entities_are_alive_at_once) {
  ecs_World *world = make_world();
  ecs_Entity entities[HANDLES], more = 0;
  ecs_Bundle bundle = 0;
  ecs_Cursor cursor;
  must(ecs_bundle(world, NULL, 0, &bundle));
  fill_with_entities(world, entities);
  ASSERT_LIMIT(world, ecs_spawn(world, NULL, 0, NULL, &more));
  ASSERT_LIMIT(world, ecs_spawn_bundle(world, bundle, NULL, &more));
  ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, 1, NULL));
  ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, 1, &cursor));
  ASSERT_LIMIT(world, ecs_reserve(world, bundle, 1));
  must(ecs_defer_begin(world));
  must(ecs_destroy(world, entities[3])); /* frees nothing until the end */
  ASSERT_LIMIT(world, ecs_spawn(world, NULL, 0, NULL, &more));
  ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, 1, NULL));
  ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, 1, &cursor));
  must(ecs_defer_end(world));
  must(ecs_spawn(world, NULL, 0, NULL, &more));
  ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, 1, NULL));
  assert_false(ecs_alive(world, entities[3]));
  assert_true(ecs_alive(world, more));
  ecs_world_destroy(world);
}

TEST(reserving_up_to_the_limit_works_and_one_more_does_not) {
  ecs_World *world = make_world();
  ecs_Bundle bundle = 0;
  must(ecs_bundle(world, NULL, 0, &bundle));
  (void)spawn_empty(world);
  must(ecs_reserve(world, bundle, HANDLES - 1));
  ASSERT_LIMIT(world, ecs_reserve(world, bundle, HANDLES));
  must(ecs_spawn_many(world, bundle, HANDLES - 1, NULL));
  ecs_world_destroy(world);
}

/* Spawns and destroys until no handle is left; each was issued once. */
TEST(an_index_whose_generations_are_used_up_is_retired) {
  ecs_World *world = make_world();
  ecs_Entity issued[HANDLES * ECS_GENERATION_LIMIT + 1];
  ecs_Statistics statistics;
  uint32_t count = 0;
  while (count <= HANDLES * ECS_GENERATION_LIMIT) {
    ecs_Entity entity = 0;
    const ecs_Status status = ecs_spawn(world, NULL, 0, NULL, &entity);
    if (status == ECS_E_LIMIT) break;
    must(status);
    assert_true(entity != 0);
    for (uint32_t i = 0; i < count; i++) assert_true(issued[i] != entity);
    issued[count++] = entity;
    must(ecs_destroy(world, entity));
    ecs_world_statistics(world, &statistics);
    assert_int_equal(statistics.retired, count / ECS_GENERATION_LIMIT);
  }
  assert_int_equal(count, HANDLES * ECS_GENERATION_LIMIT);
  ASSERT_LIMIT(world, ecs_spawn(world, NULL, 0, NULL, NULL));
  for (uint32_t i = 0; i < count; i++) {
    assert_false(ecs_alive(world, issued[i]));
    assert_int_equal(ecs_destroy(world, issued[i]), ECS_E_DEAD);
  }
  ecs_world_destroy(world);
}

/* Discarded spawns and clear use generations up as well. */
TEST(discarding_and_clearing_retire_too) {
  ecs_World *world = make_world();
  ecs_Entity first = 0, second = 0, third = 0;
  ecs_Statistics statistics;
  must(ecs_defer_begin(world));
  first = spawn_empty(world);
  ecs_defer_discard(world);
  second = spawn_empty(world);
  must(ecs_world_clear(world));
  third = spawn_empty(world);
  assert_true(first != second && second != third && first != third);
  must(ecs_destroy(world, third));
  ecs_world_statistics(world, &statistics);
  assert_int_equal(statistics.retired, 1);
  assert_int_equal(statistics.entities, 0);
  assert_false(ecs_alive(world, first) || ecs_alive(world, second) ||
               ecs_alive(world, third));
  ecs_world_destroy(world);
}

TEST(a_world_has_at_most_so_many_components) {
  ecs_World *world = make_world();
  ecs_Component component = 0, again = 0;
  for (uint32_t i = 0; i < ECS_COMPONENT_LIMIT; i++)
    must(define(world, i, i % 3, ECS_U16, ECS_STORE_TABLE, &component));
  ASSERT_LIMIT(world, define(world, 99, 0, ECS_U8, ECS_STORE_TABLE, &again));
  ASSERT_LIMIT(world, define(world, 98, 2, ECS_F64, ECS_STORE_SPARSE, &again));
  assert_int_equal(ecs_component_find(world, "Component99"), 0);
  must(define(world, ECS_COMPONENT_LIMIT - 1, (ECS_COMPONENT_LIMIT - 1) % 3,
              ECS_U16, ECS_STORE_TABLE, &again));
  assert_int_equal(again, component);
  ecs_world_destroy(world);
}

/* The main group is one of them. */
TEST(a_world_has_at_most_so_many_groups) {
  ecs_World *world = make_world();
  ecs_Component component = 0, first = 0;
  ecs_Statistics statistics;
  must(define(world, 0, 1, ECS_F32, ECS_STORE_TABLE, &first));
  for (uint32_t i = 1; i < ECS_GROUP_LIMIT - 1; i++)
    must(define(world, i, 1, ECS_F32, ECS_STORE_SPARSE, &component));
  const ecs_Entity entity = spawn_empty(world);
  must(ecs_set_field(world, entity, first, 0, 5));
  must(ecs_group(world, &first, 1));
  ecs_world_statistics(world, &statistics);
  assert_int_equal(statistics.groups, ECS_GROUP_LIMIT);
  ASSERT_LIMIT(world,
               define(world, 99, 1, ECS_F32, ECS_STORE_SPARSE, &component));
  assert_int_equal(ecs_component_find(world, "Component99"), 0);
  must(define(world, 99, 1, ECS_F32, ECS_STORE_TABLE, &component));
  ASSERT_LIMIT(world, ecs_group(world, &component, 1));
  double value = 0;
  must(ecs_get_field(world, entity, first, 0, &value));
  assert_true(value == 5);
  ecs_world_destroy(world);
}

TEST(a_world_has_at_most_so_many_queries) {
  ecs_World *world = make_world();
  ecs_Query *queries[ECS_QUERY_LIMIT], *more = NULL;
  for (uint32_t i = 0; i < ECS_QUERY_LIMIT; i++)
    must(ecs_query_create(world, NULL, 0, &queries[i]));
  ASSERT_LIMIT(world, ecs_query_create(world, NULL, 0, &more));
  assert_null(more);
  must(ecs_query_destroy(queries[5]));
  must(ecs_query_create(world, NULL, 0, &more));
  ecs_world_destroy(world);
}

/* Lists of up to two of eight tags: more than enough different ones. */
static uint32_t list_of(const ecs_Component *tags, uint32_t number,
                        ecs_Component *list) {
  list[0] = tags[number % 8];
  list[1] = tags[(number + 1 + number / 8) % 8];
  return 2;
}

TEST(a_world_has_at_most_so_many_bundles) {
  ecs_World *world = make_world();
  ecs_Component tags[8], list[2];
  ecs_Bundle bundles[ECS_BUNDLE_LIMIT], bundle = 0;
  for (uint32_t i = 0; i < 8; i++) tags[i] = tag(world, i);
  for (uint32_t i = 0; i < ECS_BUNDLE_LIMIT; i++) {
    const uint32_t count = list_of(tags, i, list);
    must(ecs_bundle(world, list, count, &bundles[i]));
    assert_int_equal(bundles[i], i + 1);
  }
  const uint32_t past = list_of(tags, ECS_BUNDLE_LIMIT, list);
  ASSERT_LIMIT(world, ecs_bundle(world, list, past, &bundle));
  must(ecs_spawn(world, list, past, NULL, NULL)); /* needs no bundle */
  const uint32_t known = list_of(tags, 3, list);
  must(ecs_bundle(world, list, known, &bundle));
  assert_int_equal(bundle, bundles[3]);
  ecs_world_destroy(world);
}

/* Commands ---------------------------------------------------------------- */

TEST(so_many_changes_are_recorded_at_once) {
  ecs_World *world = make_world();
  ecs_Component component = 0;
  ecs_Bundle bundle = 0;
  ecs_Cursor cursor;
  double value = 0;
  must(define(world, 0, 1, ECS_U16, ECS_STORE_TABLE, &component));
  must(ecs_bundle(world, &component, 1, &bundle));
  const ecs_Entity entity = spawn_empty(world);
  must(ecs_defer_begin(world));
  for (uint32_t i = 0; i < ECS_COMMAND_LIMIT; i++)
    must(ecs_set_field(world, entity, component, 0, i));
  ASSERT_LIMIT(world, ecs_set_field(world, entity, component, 0, 9999));
  ASSERT_LIMIT(world, ecs_add(world, entity, component, NULL));
  ASSERT_LIMIT(world, ecs_remove(world, entity, component));
  ASSERT_LIMIT(world, ecs_destroy(world, entity));
  ASSERT_LIMIT(world, ecs_spawn(world, NULL, 0, NULL, NULL));
  ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, 1, NULL));
  ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, 1, &cursor));
  must(ecs_defer_end(world));
  must(ecs_get_field(world, entity, component, 0, &value));
  assert_true(value == ECS_COMMAND_LIMIT - 1);
  must(ecs_defer_begin(world));
  must(ecs_destroy(world, entity));
  must(ecs_defer_end(world));
  assert_false(ecs_alive(world, entity));
  ecs_world_destroy(world);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_component_has_at_most_so_many_fields),
      cmocka_unit_test(names_have_at_most_so_many_bytes),
      cmocka_unit_test(cursors_and_deferrals_nest_so_deep),
      cmocka_unit_test(more_entities_than_handles_are_refused_at_once),
      cmocka_unit_test(a_query_has_at_most_so_many_terms),
#ifdef ECS_TINY
      cmocka_unit_test(so_many_entities_are_alive_at_once),
      cmocka_unit_test(reserving_up_to_the_limit_works_and_one_more_does_not),
      cmocka_unit_test(an_index_whose_generations_are_used_up_is_retired),
      cmocka_unit_test(discarding_and_clearing_retire_too),
      cmocka_unit_test(a_world_has_at_most_so_many_components),
      cmocka_unit_test(a_world_has_at_most_so_many_groups),
      cmocka_unit_test(a_world_has_at_most_so_many_queries),
      cmocka_unit_test(a_world_has_at_most_so_many_bundles),
      cmocka_unit_test(so_many_changes_are_recorded_at_once),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
