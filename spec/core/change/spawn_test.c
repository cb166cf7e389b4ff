/* spawn_test.c: entities are spawned with all of their values, or not at all.
 */
#include "world_fixture.h"
#include "test_case.h"

typedef struct Cast {
  Fixture fixture;
  ecs_Component table, other, tag, bits[9], sparse, empty_sparse;
} Cast;

static void open_cast(Cast *cast) {
  Store *world = &cast->fixture.world;
  start(&cast->fixture);
  cast->table = define(world, "table", "bwhd", ECS_STORE_TABLE);
  assert_int_equal(
      try_define(world, "other", "wf", ECS_STORE_TABLE, true, &cast->other),
      ECS_OK);
  cast->tag = define(world, "tag", "", ECS_STORE_TABLE);
  cast->bits[0] = define_many(world, 9, "", ECS_STORE_BITS);
  for (uint32_t i = 1; i < 9; i++) cast->bits[i] = cast->bits[0] + i;
  assert_int_equal(
      try_define(world, "sparse", "hf", ECS_STORE_SPARSE, true, &cast->sparse),
      ECS_OK);
  cast->empty_sparse = define(world, "empty", "", ECS_STORE_SPARSE);
}

static Bundle *ensure(Cast *cast, const ecs_Component *components,
                      uint32_t count) {
  ecs_Bundle id = 0;
  Store *world = &cast->fixture.world;
  assert_int_equal(bundle_ensure(world, components, count, &id), ECS_OK);
  return change_bundle(world, id);
}

/* A field of an entity as a number. */
static double field_of(const Store *world, ecs_Entity entity,
                       ecs_Component component, uint32_t field) {
  Image image;
  RowRef place;
  const Component *what = &world->components.all[component];
  assert_int_equal(store_locate(world, entity, component, &place), ECS_OK);
  assert_non_null(place.table);
  table_load(place.table, place.row, what->bit, what->schema, &image);
  return ecs_scalar_load(what->schema->fields[field].type,
                         (char *)&image + what->schema->fields[field].offset);
}

TEST(a_bundle_is_made_once_for_components_in_order) {
  Cast cast;
  open_cast(&cast);
  Store *world = &cast.fixture.world;
  const ecs_Component lists[] = {1, 2, 1, 3};
  ecs_Bundle ids[4], again;
  assert_int_equal(bundle_ensure(world, lists, 2, &ids[0]), ECS_OK);
  assert_int_equal(bundle_ensure(world, lists + 1, 2, &ids[1]), ECS_OK);
  assert_int_equal(bundle_ensure(world, lists, 0, &ids[2]), ECS_OK);
  assert_int_equal(bundle_ensure(world, lists, 1, &ids[3]), ECS_OK);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(ids[i], i + 1);
  assert_int_equal(bundle_ensure(world, lists + 1, 2, &again), ECS_OK);
  assert_int_equal(again, 2);
  assert_int_equal(bundle_ensure(world, lists + 2, 1, &again), ECS_OK);
  assert_int_equal(again, 4);
  assert_int_equal(change_state(world)->bundle_count, 4);
  assert_int_equal(world->groups.main->table_count, 1);
  finish(&cast.fixture);
}

TEST(recent_bundles_without_id_are_used_again) {
  Cast cast;
  open_cast(&cast);
  Store *world = &cast.fixture.world;
  const ecs_Component list[] = {1, 2}, twice[] = {1, 1}, unknown[] = {1, 99};
  assert_null(bundle_find_once(world, list, 2));
  Bundle *bundle = bundle_for_once(world, list, 2);
  assert_ptr_equal(bundle_find_once(world, list, 2), bundle);
  assert_null(bundle_find_once(world, list, 1));
  assert_null(bundle_find_once(world, twice, 2));
  assert_null(bundle_find_once(world, unknown, 2));
  uint64_t requests = cast.fixture.failing.requests;
  assert_ptr_equal(bundle_for_once(world, list, 2), bundle);
  assert_int_equal(cast.fixture.failing.requests, requests);
  failing_memory_arm(&cast.fixture.failing, 1, FAIL_ONCE);
  assert_null(bundle_for_once(world, list, 1));
  failing_memory_disarm(&cast.fixture.failing);
  Bundle *other = bundle_for_once(world, list, 1);
  assert_int_equal(other->item_count, 1);
  requests = cast.fixture.failing.requests;
  assert_ptr_equal(bundle_for_once(world, list, 2), bundle);
  assert_ptr_equal(bundle_for_once(world, list, 1), other);
  assert_int_equal(cast.fixture.failing.requests, requests);
  finish(&cast.fixture);
}

TEST(a_refused_bundle_leaves_no_trace) {
  for (uint64_t n = 1;; n++) {
    Cast cast;
    ecs_Bundle id = 0;
    open_cast(&cast);
    Store *world = &cast.fixture.world;
    uint64_t before = digest(world);
    failing_memory_arm(&cast.fixture.failing, n, FAIL_ONCE);
    ecs_Status status = bundle_ensure(world, &cast.table, 1, &id);
    bool failed = failing_memory_disarm(&cast.fixture.failing) > 0;
    assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_OK);
    assert_int_equal(digest(world) == before, failed);
    assert_int_equal(id, failed ? 0 : 1);
    finish(&cast.fixture);
    if (!failed) break;
  }
}

TEST(there_are_as_many_bundles_as_the_limit_says) {
#ifdef ECS_TINY
  Cast cast;
  ecs_Bundle id = 0;
  open_cast(&cast);
  Store *world = &cast.fixture.world;
  for (uint32_t i = 0; i < ECS_BUNDLE_LIMIT; i++) {
    const ecs_Component list[] = {1 + i / 7, 8 + i % 7};
    assert_int_equal(bundle_ensure(world, list, 2, &id), ECS_OK);
  }
  assert_int_equal(bundle_ensure(world, NULL, 0, &id), ECS_E_LIMIT);
  const ecs_Component known[] = {1, 8};
  assert_int_equal(bundle_ensure(world, known, 2, &id), ECS_OK);
  assert_int_equal(id, 1);
  finish(&cast.fixture);
#endif
}

TEST(values_defaults_and_bits_arrive_where_they_belong) {
  Cast cast;
  Image images[2];
  open_cast(&cast);
  Store *world = &cast.fixture.world;
  const ecs_Component list[] = {cast.sparse,       cast.bits[8], cast.other,
                                cast.empty_sparse, cast.tag,     cast.table};
  const void *values[] = {NULL, NULL, &images[0], NULL, NULL, &images[1]};
  Bundle *bundle = ensure(&cast, list, 6);
  for (uint32_t i = 1; i < 20; i++) {
    ecs_Entity entity = 0, plain = 0;
    make_image(world->components.all[cast.other].schema, i, &images[0]);
    make_image(world->components.all[cast.table].schema, i + 50, &images[1]);
    assert_int_equal(spawn_one(world, bundle, values, &entity), ECS_OK);
    assert_int_equal(spawn_one(world, bundle, NULL, &plain), ECS_OK);
    assert_component(world, entity, cast.other, i);
    assert_component(world, entity, cast.table, i + 50);
    assert_true(field_of(world, entity, cast.sparse, 0) == 7);
    assert_true(field_of(world, entity, cast.sparse, 1) == 0);
    assert_true(field_of(world, plain, cast.other, 0) == 7);
    assert_component(world, plain, cast.table, 0);
    for (uint32_t k = 0; k < 6; k++) assert_true(has(world, plain, list[k]));
    for (uint32_t k = 0; k < 8; k++)
      assert_false(has(world, plain, cast.bits[k]));
    assert_sound(world);
    assert_summaries_exact(world);
  }
  finish(&cast.fixture);
}

/* Bundles of the main group alone, in either order of components. */
TEST(rows_of_one_group_get_values_and_defaults) {
  Cast cast;
  Image images[2];
  open_cast(&cast);
  Store *world = &cast.fixture.world;
  for (uint32_t order = 0; order < 2; order++) {
    const ecs_Component list[] = {order == 0 ? cast.other : cast.table,
                                  cast.tag,
                                  order == 0 ? cast.table : cast.other};
    const void *values[] = {&images[0], NULL, &images[1]};
    const void *one[] = {list[0] == cast.table ? &images[0] : NULL, NULL,
                         list[2] == cast.table ? &images[1] : NULL};
    Bundle *bundle = ensure(&cast, list, 3);
    for (uint32_t i = 1; i < 8; i++) {
      ecs_Entity both = 0, half = 0, none = 0;
      make_image(world->components.all[list[0]].schema, i, &images[0]);
      make_image(world->components.all[list[2]].schema, i + 50, &images[1]);
      assert_int_equal(spawn_one(world, bundle, values, &both), ECS_OK);
      assert_int_equal(spawn_one(world, bundle, one, &half), ECS_OK);
      assert_int_equal(spawn_one(world, bundle, NULL, &none), ECS_OK);
      assert_component(world, both, list[0], i);
      assert_component(world, both, list[2], i + 50);
      assert_component(world, half, cast.table, order == 0 ? i + 50 : i);
      assert_component(world, none, cast.table, 0);
      assert_true(field_of(world, half, cast.other, 0) == 7);
      assert_true(field_of(world, none, cast.other, 0) == 7);
      assert_true(has(world, none, cast.tag));
      assert_sound(world);
    }
  }
  finish(&cast.fixture);
}

TEST(many_are_spawned_in_rows_that_follow_each_other) {
  Cast cast;
  open_cast(&cast);
  Store *world = &cast.fixture.world;
  const ecs_Component list[] = {cast.other, cast.bits[3], cast.sparse,
                                cast.table};
  Bundle *bundle = ensure(&cast, list, 4);
  const uint32_t counts[] = {0, 1, 2, 3, 7, 0, 20};
  uint32_t born = 0, rows[2] = {77, 77};
  for (uint32_t i = 0; i < 7; i++) {
    assert_int_equal(spawn_rows(world, bundle, counts[i], rows), ECS_OK);
    assert_int_equal(rows[0], born);
    assert_int_equal(rows[1], born);
    born += counts[i];
    assert_int_equal(bundle->groups[0].table->count, born);
    assert_sound(world);
  }
  for (uint32_t i = 0; i < born; i++) {
    ecs_Entity entity = bundle->groups[0].table->entities[i];
    assert_int_equal(entity, id_make(i + 1, 0));
    assert_int_equal(bundle->groups[1].table->entities[i], entity);
    assert_true(field_of(world, entity, cast.other, 0) == 7);
    assert_true(field_of(world, entity, cast.other, 1) == 0);
    assert_true(field_of(world, entity, cast.sparse, 0) == 7);
    assert_component(world, entity, cast.table, 0);
    assert_true(has(world, entity, cast.bits[3]));
    assert_false(has(world, entity, cast.bits[2]));
  }
  finish(&cast.fixture);
}

/* Recycled indices first, then fresh ones, over several pages of a locator. */
TEST(reserved_room_takes_spawns_without_a_request) {
  for (uint32_t freed = 0; freed < 12; freed++) {
    Cast cast;
    open_cast(&cast);
    Store *world = &cast.fixture.world;
    const ecs_Component list[] = {cast.table, cast.sparse, cast.bits[8],
                                  cast.empty_sparse};
    ecs_Entity entities[12];
    for (uint32_t i = 0; i < 12; i++) entities[i] = spawn(world, NULL, 0);
    for (uint32_t i = 0; i < freed; i++)
      store_destroy_entity(world, entities[i * 5 % 12]);
    Bundle *bundle = ensure(&cast, list, 4);
    assert_int_equal(spawn_reserve(world, bundle, 17), ECS_OK);
    assert_sound(world);
    failing_memory_arm(&cast.fixture.failing, 1, FAIL_ONWARD);
    for (uint32_t i = 0; i < 17; i++) {
      ecs_Entity entity;
      assert_int_equal(spawn_one(world, bundle, NULL, &entity), ECS_OK);
    }
    assert_int_equal(failing_memory_disarm(&cast.fixture.failing), 0);
    assert_sound(world);
    finish(&cast.fixture);
  }
}

typedef enum Way { WAY_ONE, WAY_ROWS, WAY_RESERVE, WAY_COUNT } Way;

static ecs_Status go(Store *world, Bundle *bundle, Way way) {
  uint32_t rows[4];
  ecs_Entity entity = 0;
  if (way == WAY_ONE) return spawn_one(world, bundle, NULL, &entity);
  if (way == WAY_ROWS) return spawn_rows(world, bundle, 11, rows);
  return spawn_reserve(world, bundle, 11);
}

/* With and without tables of the bundle being there already. */
TEST(a_failed_spawn_leaves_not_even_an_empty_table) {
  for (uint32_t setting = 0; setting < 2 * WAY_COUNT; setting++) {
    Way way = setting / 2;
    for (uint64_t n = 1;; n++) {
      Cast cast;
      open_cast(&cast);
      Store *world = &cast.fixture.world;
      const ecs_Component list[] = {cast.table, cast.sparse, cast.bits[8],
                                    cast.empty_sparse};
      Bundle *bundle = ensure(&cast, list, 4);
      if (setting % 2 == 1) {
        spawn(world, list, 2);
        for (uint32_t i = 1; i < ECS_ROW_ALIGN; i++) spawn(world, list, 4);
      }
      uint64_t before = digest(world);
      failing_memory_arm(&cast.fixture.failing, n, FAIL_ONCE);
      ecs_Status status = go(world, bundle, way);
      bool failed = failing_memory_disarm(&cast.fixture.failing) > 0;
      assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_OK);
      if (failed) assert_true(digest(world) == before);
      assert_sound(world);
      assert_int_equal(go(world, bundle, way), ECS_OK);
      assert_sound(world);
      finish(&cast.fixture);
      if (!failed) break;
    }
  }
}

TEST(more_entities_than_the_limit_are_refused) {
  Cast cast;
  uint32_t rows[2];
  open_cast(&cast);
  Store *world = &cast.fixture.world;
  Bundle *bundle = ensure(&cast, &cast.sparse, 1);
  uint64_t before = digest(world);
  assert_int_equal(spawn_reserve(world, bundle, ECS_INDEX_LIMIT), ECS_E_LIMIT);
  assert_int_equal(spawn_reserve(world, bundle, UINT64_MAX), ECS_E_LIMIT);
  assert_true(digest(world) == before);
#ifdef ECS_TINY
  ecs_Entity entity = 0;
  assert_int_equal(spawn_rows(world, bundle, ECS_INDEX_LIMIT - 1, rows),
                   ECS_OK);
  assert_int_equal(spawn_one(world, bundle, NULL, &entity), ECS_E_LIMIT);
  assert_int_equal(spawn_rows(world, bundle, 1, rows), ECS_E_LIMIT);
  store_destroy_entity(world, 9);
  assert_int_equal(spawn_one(world, bundle, NULL, &entity), ECS_OK);
  assert_int_equal(entity, id_make(9, 1));
#endif
  assert_sound(world);
  (void)rows;
  finish(&cast.fixture);
}

TEST(a_bundle_follows_its_components_to_other_groups) {
  Cast cast;
  open_cast(&cast);
  Store *world = &cast.fixture.world;
  const ecs_Component list[] = {cast.table, cast.other, cast.sparse};
  Bundle *bundle = ensure(&cast, list, 3);
  ecs_Entity entity = 0;
  assert_int_equal(spawn_one(world, bundle, NULL, &entity), ECS_OK);
  assert_int_equal(bundle->group_count, 2);
  assert_int_equal(store_regroup(world, list, 2, REGROUP_TO_GROUP), ECS_OK);
  assert_int_equal(spawn_one(world, bundle, NULL, &entity), ECS_OK);
  assert_int_equal(bundle->group_count, 3);
  assert_true(field_of(world, entity, cast.other, 0) == 7);
  assert_int_equal(store_regroup(world, list, 3, REGROUP_TO_MAIN), ECS_OK);
  assert_int_equal(spawn_one(world, bundle, NULL, &entity), ECS_OK);
  assert_int_equal(bundle->group_count, 1);
  assert_true(field_of(world, entity, cast.sparse, 0) == 7);
  assert_sound(world);
  finish(&cast.fixture);
}

/* Pointers to columns are valid while the version is unchanged. */
TEST(room_that_moves_columns_grows_the_versions) {
  Cast cast;
  open_cast(&cast);
  Store *world = &cast.fixture.world;
  const ecs_Component list[] = {cast.table, cast.sparse};
  spawn(world, list, 2);
  const Group *sparse = world->groups.all[1];
  uint64_t main_before = world->groups.main->version, before = sparse->version;
  uint64_t structure_before = store_structure_version(world);
  assert_int_equal(spawn_reserve(world, ensure(&cast, list, 2), 30), ECS_OK);
  assert_true(world->groups.main->version > main_before);
  assert_true(sparse->version > before);
  assert_true(store_structure_version(world) > structure_before);
  finish(&cast.fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bundle_is_made_once_for_components_in_order),
      cmocka_unit_test(recent_bundles_without_id_are_used_again),
      cmocka_unit_test(a_refused_bundle_leaves_no_trace),
      cmocka_unit_test(there_are_as_many_bundles_as_the_limit_says),
      cmocka_unit_test(values_defaults_and_bits_arrive_where_they_belong),
      cmocka_unit_test(rows_of_one_group_get_values_and_defaults),
      cmocka_unit_test(many_are_spawned_in_rows_that_follow_each_other),
      cmocka_unit_test(reserved_room_takes_spawns_without_a_request),
      cmocka_unit_test(a_failed_spawn_leaves_not_even_an_empty_table),
      cmocka_unit_test(more_entities_than_the_limit_are_refused),
      cmocka_unit_test(a_bundle_follows_its_components_to_other_groups),
      cmocka_unit_test(room_that_moves_columns_grows_the_versions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
