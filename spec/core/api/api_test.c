/* api_test.c: what the public functions refuse, and what they do at once.
 *
 * Every refusal must leave the world's hash as it was. Bad components are 0,
 * one past the last, and far away; bad entities are null, dead, stale, never
 * issued, and no handle at all.
 */
#include "api_scene.h"
#include "test_case.h"

/* Components -------------------------------------------------------------- */

TEST(unknown_components_are_refused_everywhere) {
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
        assert_refused(ecs_group_bits(world, &what, 1), ECS_E_COMPONENT);
      }
    }
  finish(&fixture);
}

TEST(a_component_twice_is_refused_everywhere) {
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
  assert_refused(ecs_bundle(fixture.world, twice, 3, &bundle), ECS_E_COMPONENT);
  assert_refused(ecs_group(fixture.world, twice, 3), ECS_E_COMPONENT);
  assert_refused(ecs_ungroup(fixture.world, twice, 3), ECS_E_COMPONENT);
  const ecs_Component tags[] = {fixture.tag, fixture.t, fixture.tag};
  assert_refused(ecs_group_bits(fixture.world, tags, 3), ECS_E_COMPONENT);
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

TEST(a_definition_is_found_again_or_refused) {
  Fixture fixture;
  start(&fixture);
  ecs_Field fields[] = {{"x", ECS_F64, 1.5}, {"flag", ECS_BOOL, 0}};
  ecs_ComponentDescription how = {.name = "A",
                                  .fields = fields,
                                  .field_count = 2,
                                  .storage = ECS_STORE_TABLE};
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

TEST(a_component_tells_its_schema) {
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

TEST(entities_that_are_not_alive_are_refused_everywhere) {
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
      assert_refused(ecs_set_field(world, bad[i], fixture.a, 0, 2), ECS_E_DEAD);
      assert_false(ecs_has(world, bad[i], fixture.a));
      assert_int_equal(ecs_components_of(world, bad[i], there, 4), 0);
    }
    assert_int_equal(world->commands.command_count, deferred);
    if (deferred == 1) assert_int_equal(ecs_defer_end(world), ECS_OK);
  }
  finish(&fixture);
}

TEST(tags_have_no_values_and_fields_have_numbers) {
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
    assert_refused(ecs_get(world, fixture.e, tags[i], &image), ECS_E_COMPONENT);
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
  assert_refused(ecs_set_field(world, fixture.e, fixture.a, 2, 0), ECS_E_FIELD);
  assert_refused(ecs_set_field(world, fixture.e, fixture.a, 1, 2), ECS_E_VALUE);
  assert_refused(ecs_set(world, fixture.e, fixture.a, NULL, 1), ECS_E_ARGUMENT);
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
TEST(a_field_that_is_set_adds_the_rest_as_defaults) {
  for (uint32_t deferred = 0; deferred < 2; deferred++) {
    Fixture fixture;
    A image = {-1, 9};
    start(&fixture);
    if (deferred == 1) assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
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

TEST(adding_what_is_there_keeps_its_value) {
  Fixture fixture;
  start(&fixture);
  A first = {3, 1}, second = {4, 0}, back = {0, 0};
  assert_int_equal(ecs_add(fixture.world, fixture.e, fixture.a, &first),
                   ECS_OK);
  assert_refused(ecs_add(fixture.world, fixture.e, fixture.a, &second), ECS_OK);
  assert_int_equal(ecs_get(fixture.world, fixture.e, fixture.a, &back), ECS_OK);
  assert_true(back.x == 3 && back.flag == 1);
  assert_int_equal(ecs_remove(fixture.world, fixture.e, fixture.a), ECS_OK);
  assert_refused(ecs_remove(fixture.world, fixture.e, fixture.a), ECS_OK);
  finish(&fixture);
}

TEST(components_of_an_entity_come_in_order_of_definition) {
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

TEST(bundles_that_do_not_exist_are_refused) {
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
  assert_refused(
      ecs_spawn_many(fixture.world, fixture.bundle, ECS_INDEX_LIMIT, NULL),
      ECS_E_LIMIT);
  assert_refused(
      ecs_reserve(fixture.world, fixture.bundle, UINT64_C(1) + ECS_INDEX_LIMIT),
      ECS_E_LIMIT);
  assert_refused(ecs_reserve(fixture.world, fixture.bundle, UINT64_MAX),
                 ECS_E_LIMIT);
  assert_int_equal(ecs_spawn_bundle(fixture.world, fixture.bundle, NULL, NULL),
                   ECS_OK);
  finish(&fixture);
}

TEST(what_was_reserved_allocates_nothing) {
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

/* Worlds ------------------------------------------------------------------ */

TEST(a_cleared_world_keeps_its_definitions) {
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

TEST(grouping_and_ungrouping_are_opposites) {
  Fixture fixture;
  start(&fixture);
  const Component *components = fixture.world->store.components.all;
  const ecs_Component both[] = {fixture.a, fixture.tag};
  assert_int_equal(components[fixture.a].group_id, 0);
  assert_int_equal(ecs_group(fixture.world, both, 2), ECS_OK);
  components = fixture.world->store.components.all;
  assert_true(components[fixture.a].group_id > 0);
  assert_int_equal(components[fixture.a].group_id,
                   components[fixture.tag].group_id);
  assert_int_equal(ecs_ungroup(fixture.world, both, 1), ECS_OK);
  components = fixture.world->store.components.all;
  assert_int_equal(components[fixture.a].group_id, 0);
  assert_true(components[fixture.tag].group_id > 0);
  finish(&fixture);
}

TEST(the_account_is_that_of_the_allocator) {
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

/* A limit of the world, one of its budget, and an allocator that refuses. */
TEST(a_refusal_names_the_limit) {
#ifdef ECS_TINY
  skip(); /* its limit of entities comes before that of memory */
#endif
  ecs_WorldDescription how = {{NULL, NULL}, 100000};
  ecs_Budget budget = {0, 0, "the worlds of this test"};
  ecs_World *world = NULL, *other = NULL;
  ecs_Bundle bundle = 0;
  char text[128];
  assert_int_equal(ecs_world_create(&how, &world), ECS_OK);
  assert_int_equal(ecs_world_create(NULL, &other), ECS_OK);
  assert_true(ecs_world_refusal(world, ECS_E_MEMORY, text, sizeof text) > 0);
  assert_string_equal(text, ecs_status_text(ECS_E_MEMORY));
  assert_int_equal(ecs_bundle(world, NULL, 0, &bundle), ECS_OK);
  assert_int_equal(ecs_spawn_many(world, bundle, 100000, NULL), ECS_E_MEMORY);
  size_t length = ecs_world_refusal(world, ECS_E_MEMORY, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_string_equal(
      text, "the memory limit of this world is reached: 100000 bytes");
  (void)ecs_world_refusal(world, ECS_E_DEAD, text, sizeof text);
  assert_string_equal(text, ecs_status_text(ECS_E_DEAD));
  assert_int_equal(ecs_spawn_many(world, bundle, UINT64_MAX, NULL),
                   ECS_E_LIMIT);
  assert_int_equal(ecs_world_budget(world, &budget), ECS_OK);
  assert_int_equal(ecs_world_budget(other, &budget), ECS_OK);
  ecs_Statistics now, more;
  ecs_world_statistics(world, &now);
  ecs_world_statistics(other, &more);
  assert_int_equal(now.limit_bytes, 100000);
  assert_int_equal(more.limit_bytes, 0);
  assert_true(budget.bytes == now.bytes + more.bytes);
  budget.limit_bytes = 50000;
  assert_int_equal(ecs_bundle(other, NULL, 0, &bundle), ECS_OK);
  assert_int_equal(ecs_spawn_many(other, bundle, 100000, NULL), ECS_E_MEMORY);
  (void)ecs_world_refusal(other, ECS_E_MEMORY, text, sizeof text);
  assert_string_equal(text,
                      "the memory limit of the worlds of this test is "
                      "reached: 50000 bytes");
  ecs_world_destroy(world);
  assert_int_equal(ecs_world_budget(other, NULL), ECS_OK);
  assert_int_equal(budget.bytes, 0);
  budget.limit_bytes = 1;
  assert_int_equal(ecs_world_budget(other, &budget), ECS_E_MEMORY);
  assert_int_equal(ecs_spawn_many(other, bundle, 1000, NULL), ECS_OK);
  ecs_world_destroy(other);
  assert_int_equal(budget.bytes, 0);
}

TEST(a_world_may_not_be_created_or_not_grow) {
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
      cmocka_unit_test(a_cleared_world_keeps_its_definitions),
      cmocka_unit_test(grouping_and_ungrouping_are_opposites),
      cmocka_unit_test(the_account_is_that_of_the_allocator),
      cmocka_unit_test(a_refusal_names_the_limit),
      cmocka_unit_test(a_world_may_not_be_created_or_not_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
