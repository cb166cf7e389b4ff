/* lifetime_test.c: which object owns which, and until when.
 *
 * Levels of deferral and cursors are distinguished. A world frees what its open
 * cursors hold. Reserved room is enough for any bundle. The memory of a large
 * recording is released. The holder of a world is called when the world is
 * destroyed.
 */
#include "test_case.h"
#include "world/world.h"
#include "api_fixture.h"

#define MANY 9u /* components: more than fit anything of fixed size */

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component components[MANY];
  ecs_Bundle bundle; /* of all of them */
} Fixture;

static void start(Fixture *fixture) {
  static const char *const names[MANY] = {"a", "b", "c", "d", "e",
                                          "f", "g", "h", "i"};
  static const ecs_Field x = {"x", ECS_F32, 0};
  fixture->world = open_world(&fixture->failing);
  for (uint32_t i = 0; i < MANY; i++) {
    ecs_ComponentDescription what = {
        .name = names[i],
        .fields = &x,
        .field_count = 1,
        .storage = i < 2 ? ECS_STORE_SPARSE : ECS_STORE_TABLE};
    assert_int_equal(
        ecs_component(fixture->world, &what, &fixture->components[i]), ECS_OK);
  }
  assert_int_equal(
      ecs_bundle(fixture->world, fixture->components, MANY, &fixture->bundle),
      ECS_OK);
}

static void finish(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  close_world(fixture->world, &fixture->failing);
}

static ecs_Query *query_of(Fixture *fixture) {
  const ecs_Term term = {fixture->components[MANY - 1], ECS_READ};
  ecs_Query *query = NULL;
  assert_int_equal(ecs_query_create(fixture->world, &term, 1, &query), ECS_OK);
  return query;
}

TEST(a_deferral_cannot_end_a_cursor) {
  Fixture fixture;
  ecs_Cursor cursor;
  ecs_Batch batch;
  start(&fixture);
  assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 3, NULL),
                   ECS_OK);
  assert_int_equal(
      ecs_query_begin(query_of(&fixture), ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_true(ecs_cursor_next(&cursor, &batch));
  ecs_Entity doomed = batch.entities[0];
  assert_int_equal(ecs_destroy(fixture.world, doomed), ECS_OK);
  assert_int_equal(ecs_defer_end(fixture.world), ECS_E_ARGUMENT);
  ecs_defer_discard(fixture.world);
  assert_true(ecs_deferring(fixture.world));
  assert_true(batch.entities[0] == doomed); /* nothing was applied */
  assert_false(ecs_alive(fixture.world, doomed));
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  assert_int_equal(ecs_defer_end(fixture.world), ECS_E_ARGUMENT);
  finish(&fixture);
}

TEST(a_world_frees_what_open_cursors_hold) {
  Fixture fixture;
  ecs_Cursor spawned, first, second, staged;
  start(&fixture);
  ecs_Query *query = query_of(&fixture);
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &first), ECS_OK);
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &second), ECS_OK);
  assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 2, &staged),
                   ECS_OK);
  finish(&fixture);
  start(&fixture);
  assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 2, &spawned),
                   ECS_OK);
  finish(&fixture);
}

TEST(reserved_room_is_enough_for_any_bundle) {
  Fixture fixture;
  ecs_Cursor cursor;
  ecs_Batch batch;
  start(&fixture);
  assert_int_equal(ecs_reserve(fixture.world, fixture.bundle, 8), ECS_OK);
  failing_memory_arm(&fixture.failing, 1, FAIL_ONWARD);
  assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 4, &cursor),
                   ECS_OK);
  assert_true(ecs_cursor_next(&cursor, &batch));
  assert_int_equal(batch.column_count, MANY);
  for (uint32_t i = 0; i < MANY; i++)
    for (uint32_t row = 0; row < 4; row++)
      ((float *)batch.columns[i])[row] = (float)(10 * i + row);
  ecs_Entity last = batch.entities[3];
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, 4, NULL),
                   ECS_OK);
  assert_int_equal(failing_memory_disarm(&fixture.failing), 0);
  for (uint32_t i = 0; i < MANY; i++) {
    double value = 0;
    assert_int_equal(
        ecs_get_field(fixture.world, last, fixture.components[i], 0, &value),
        ECS_OK);
    assert_true(value == 10.0 * i + 3);
  }
  finish(&fixture);
}

TEST(a_large_recording_does_not_stay) {
  Fixture fixture;
  start(&fixture);
  uint32_t count = ECS_COMMAND_LIMIT < 100000 ? 40 : 100000;
  uint64_t most = 16u * ECS_COMMAND_PAGE;
  for (int discard = 0; discard <= 1; discard++) {
    assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
    assert_int_equal(ecs_spawn_many(fixture.world, fixture.bundle, count, NULL),
                     ECS_OK);
    if (discard == 1)
      ecs_defer_discard(fixture.world);
    else
      assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
    const CommandBuffer *commands = &fixture.world->commands;
    uint64_t kept = 0;
    for (uint32_t i = 0; i < commands->page_capacity; i++)
      kept += commands->pages[i].bytes;
    assert_true(kept <= most);
    assert_int_equal(ecs_world_clear(fixture.world), ECS_OK);
  }
  finish(&fixture);
}

TEST(grouping_what_is_grouped_makes_no_plan_anew) {
  Fixture fixture;
  start(&fixture);
  uint64_t before = fixture.world->store.layout_version;
  assert_int_equal(ecs_group(fixture.world, fixture.components, 1), ECS_OK);
  assert_int_equal(fixture.world->store.layout_version, before);
  assert_int_equal(ecs_group(fixture.world, fixture.components, 2), ECS_OK);
  assert_int_equal(fixture.world->store.layout_version, before + 1);
  assert_int_equal(ecs_group(fixture.world, fixture.components, 2), ECS_OK);
  assert_int_equal(fixture.world->store.layout_version, before + 1);
  finish(&fixture);
}

typedef struct Witness {
  ecs_Holder holder; /* must be first */
  int ends;
} Witness;

static void count_end(ecs_Holder *holder) {
  ((Witness *)(void *)holder)->ends++;
}

TEST(a_holder_learns_of_the_end) {
  ecs_World *world = NULL;
  Witness one = {{count_end}, 0}, other = {{count_end}, 0};
  assert_int_equal(ecs_world_create(NULL, &world), ECS_OK);
  assert_int_equal(ecs_world_hold(world, &one.holder), ECS_OK);
  assert_int_equal(ecs_world_hold(world, &other.holder), ECS_E_ARGUMENT);
  assert_int_equal(ecs_world_hold(world, &one.holder), ECS_OK);
  assert_int_equal(ecs_world_hold(world, NULL), ECS_OK);
  assert_int_equal(ecs_world_hold(world, &other.holder), ECS_OK);
  assert_int_equal(one.ends + other.ends, 0);
  ecs_world_destroy(world);
  assert_int_equal(other.ends, 1);
  assert_int_equal(one.ends, 0); /* was released */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_deferral_cannot_end_a_cursor),
      cmocka_unit_test(a_world_frees_what_open_cursors_hold),
      cmocka_unit_test(reserved_room_is_enough_for_any_bundle),
      cmocka_unit_test(a_large_recording_does_not_stay),
      cmocka_unit_test(grouping_what_is_grouped_makes_no_plan_anew),
      cmocka_unit_test(a_holder_learns_of_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
