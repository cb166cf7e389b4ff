/* api_open_test.c: what the public functions refuse, drop or record while a
 * deferral or a cursor is open.
 */
#include "api_scene.h"
#include "test_case.h"

/* While something is open ------------------------------------------------- */

TEST(layout_and_definitions_wait_until_all_is_closed) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Query *query = query_of(&fixture, fixture.a, ECS_READ);
  ecs_ComponentDescription fresh = {.name = "Fresh",
                                    .fields = NULL,
                                    .field_count = 0,
                                    .storage = ECS_STORE_TABLE};
  ecs_ComponentDescription known = {.name = "Tag",
                                    .fields = NULL,
                                    .field_count = 0,
                                    .storage = ECS_STORE_TABLE};
  ecs_Component found = 0;
  for (uint32_t cursor_opens = 0; cursor_opens < 2; cursor_opens++) {
    ecs_Cursor cursor;
    if (cursor_opens == 1)
      cursor = open_cursor(query);
    else
      assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_true(ecs_deferring(world));
    assert_refused(ecs_world_clear(world), ECS_E_OPEN);
    assert_refused(ecs_world_trim(world), ECS_E_OPEN);
    assert_refused(ecs_component(world, &fresh, &found), ECS_E_OPEN);
    assert_int_equal(ecs_component(world, &known, &found), ECS_OK);
    assert_int_equal(found, fixture.tag);
    assert_refused(ecs_group(world, &fixture.a, 1), ECS_E_OPEN);
    assert_refused(ecs_ungroup(world, &fixture.s, 1), ECS_E_OPEN);
    assert_refused(ecs_group_bits(world, &fixture.tag, 1), ECS_E_OPEN);
    assert_refused(ecs_reserve(world, fixture.bundle, 1), ECS_E_OPEN);
    assert_int_equal(ecs_query_destroy(query),
                     cursor_opens == 1 ? ECS_E_OPEN : ECS_OK);
    if (cursor_opens == 0) query = query_of(&fixture, fixture.a, ECS_READ);
    assert_int_equal(
        cursor_opens == 1 ? ecs_cursor_end(&cursor) : ecs_defer_end(world),
        ECS_OK);
    assert_false(ecs_deferring(world));
  }
  assert_int_equal(ecs_query_destroy(query), ECS_OK);
  assert_int_equal(ecs_query_destroy(NULL), ECS_OK);
  assert_int_equal(ecs_group(world, NULL, 0), ECS_OK);
  assert_int_equal(ecs_group_bits(world, NULL, 0), ECS_OK);
  finish(&fixture);
}

TEST(openings_nest_to_a_limit) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Query *query = query_of(&fixture, fixture.a, ECS_READ);
  ecs_Cursor cursor;
  for (uint32_t i = 0; i < ECS_NESTING_LIMIT; i++)
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_refused(ecs_defer_begin(world), ECS_E_LIMIT);
  assert_refused(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_E_LIMIT);
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

/* Discards what the innermost level recorded; the records of the outer level
 * stay. */
TEST(a_discarded_level_takes_back_only_its_own) {
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

TEST(until_the_end_everything_answers_as_before) {
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

/* Values change at once if nothing is recorded for their entity. */
TEST(what_needs_no_record_leaves_none) {
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
  assert_true(back.x == 3); /* the value set at once stays */
  finish(&fixture);
}

TEST(changes_to_the_destroyed_are_dropped_and_counted) {
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

/* One level is discarded at a time; a failure discards all of them. */
TEST(what_a_discarded_recording_dropped_is_not_counted) {
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

TEST(cursors_claim_the_components_of_their_query) {
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
    assert_int_equal(ecs_set(world, fixture.e, fixture.a, &image, 3), to_write);
    assert_int_equal(ecs_set_field(world, fixture.e, fixture.a, 0, 9),
                     to_write);
    assert_int_equal(ecs_world_contested(world), reads ? fixture.a : 0);
    /* With records for the entity and without. A change of an entity that lacks
     * the component is only recorded. */
    assert_int_equal(ecs_add(world, fixture.e, fixture.s, NULL), ECS_OK);
    assert_int_equal(ecs_set(world, fixture.e, fixture.a, &image, 3), to_write);
    assert_int_equal(ecs_set(world, without, fixture.a, &image, 3), ECS_OK);
    assert_int_equal(ecs_remove(world, fixture.e, fixture.a), ECS_OK);
    assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
    assert_false(ecs_has(world, fixture.e, fixture.a));
    assert_int_equal(ecs_get(world, without, fixture.a, &image), ECS_OK);
    assert_int_equal(ecs_set(world, without, fixture.a, &image, 3), ECS_OK);
    finish(&fixture);
  }
}

TEST(bad_enums_are_refused) {
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
  assert_int_equal(
      ecs_query_create(fixture.world, NULL, ECS_TERM_LIMIT + 1, &none),
      ECS_E_LIMIT);
  assert_null(none);
  finish(&fixture);
}

#ifdef ECS_TINY
TEST(queries_end_at_their_limit) {
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

TEST(queries_may_be_destroyed_in_any_order) {
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
  finish(&fixture); /* the world destroys the others */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layout_and_definitions_wait_until_all_is_closed),
      cmocka_unit_test(openings_nest_to_a_limit),
      cmocka_unit_test(a_discarded_level_takes_back_only_its_own),
      cmocka_unit_test(until_the_end_everything_answers_as_before),
      cmocka_unit_test(what_needs_no_record_leaves_none),
      cmocka_unit_test(changes_to_the_destroyed_are_dropped_and_counted),
      cmocka_unit_test(what_a_discarded_recording_dropped_is_not_counted),
      cmocka_unit_test(cursors_claim_the_components_of_their_query),
      cmocka_unit_test(bad_enums_are_refused),
#ifdef ECS_TINY
      cmocka_unit_test(queries_end_at_their_limit),
#endif
      cmocka_unit_test(queries_may_be_destroyed_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
