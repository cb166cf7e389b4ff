/* command_flush_test.c: the result of applying recorded changes.
 *
 * It is compared with a twin: a world of the same components and entities, in
 * which the same calls are made at once. Both must end with the same state
 * hash.
 *
 *      program    add A    set A.x    remove A    set A.y    destroy ...
 *      direct     ------------------ at once ------------------> hash
 *      deferred   recorded ......................... applied --> hash
 */
#include "flush_fixture.h"
#include "test_case.h"

/* Twins ------------------------------------------------------------------- */

#define OPERATIONS 16u

typedef struct Step {
  uint32_t entity;
  uint32_t operation;
} Step;

/* Makes the same steps in both worlds, for entities of several kinds. */
static void assert_same(const uint32_t *kinds, uint32_t entity_count,
                        const Step *steps, uint32_t count) {
  Fixture direct, deferred;
  ecs_Entity e[8], twin[8];
  start(&direct);
  start(&deferred);
  for (uint32_t i = 0; i < entity_count; i++) {
    e[i] = spawn(&direct);
    twin[i] = spawn(&deferred);
    prepare(&direct, e[i], kinds[i]);
    prepare(&deferred, twin[i], kinds[i]);
  }
  begin(&deferred);
  for (uint32_t i = 0; i < count; i++) {
    (void)operate(&direct, e[steps[i].entity], steps[i].operation);
    (void)operate(&deferred, twin[steps[i].entity], steps[i].operation);
  }
  end(&deferred);
  assert_settled(&deferred);
  assert_true(ecs_world_state_hash(direct.world) ==
              ecs_world_state_hash(deferred.world));
  for (uint32_t i = 0; i < entity_count; i++)
    assert_int_equal(ecs_alive(direct.world, e[i]),
                     ecs_alive(deferred.world, twin[i]));
  finish(&direct);
  finish(&deferred);
}

/* All chains of two and of three of the operations on A, for entities that
 * have nothing and that have everything. */
TEST(every_short_chain_comes_to_what_the_calls_come_to) {
  static const uint32_t kinds[] = {0, 63};
  for (uint32_t kind = 0; kind < 2; kind++)
    for (uint32_t i = 0; i < OPERATIONS; i++)
      for (uint32_t k = 0; k < OPERATIONS; k++) {
        Step steps[] = {{0, 14}, {0, i}, {0, k}, {0, 2}, {0, 9}};
        assert_same(&kinds[kind], 1, steps, 3);
        assert_same(&kinds[kind], 1, steps + 1, 2);
        for (uint32_t third = 0; i < 5 && k < 5 && third < 5; third++) {
          steps[3].operation = third;
          assert_same(&kinds[kind], 1, steps, 4);
        }
        assert_same(&kinds[kind], 1, steps + 1, 4);
      }
}

static uint32_t roll(uint64_t *seed, uint32_t sides) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*seed >> 33) % sides;
}

TEST(long_chains_of_several_entities_come_to_the_same) {
  uint64_t seed = 7;
  for (uint32_t round = 0; round < 400; round++) {
    uint32_t kinds[5];
    Step steps[24];
    for (uint32_t i = 0; i < 5; i++) kinds[i] = roll(&seed, 64);
    for (uint32_t i = 0; i < 24; i++) {
      uint32_t operation = roll(&seed, OPERATIONS * 2);
      if (operation >= OPERATIONS)
        operation = roll(&seed, OPERATIONS - 1); /* few destructions */
      steps[i] = (Step){roll(&seed, 5), operation};
    }
    assert_same(kinds, 5, steps, 24);
  }
}

/* Spawns: the ids are the same while no entity is destroyed in between. */
TEST(spawned_and_changed_entities_are_as_if_at_once) {
  for (uint32_t i = 0; i < OPERATIONS; i++)
    for (uint32_t k = 0; k < OPERATIONS; k++) {
      Fixture pair[2];
      uint64_t hash[2];
      for (uint32_t w = 0; w < 2; w++) {
        start(&pair[w]);
        const ecs_Component what[] = {pair[w].t, pair[w].s, pair[w].a,
                                      pair[w].b};
        const A image = {8, 9};
        const void *values[] = {NULL, NULL, &image, NULL};
        ecs_Entity entity = 0, bare = 0;
        if (w == 1) begin(&pair[w]);
        assert_int_equal(ecs_spawn(pair[w].world, what, 4, values, &entity),
                         ECS_OK);
        bare = spawn(&pair[w]);
        (void)operate(&pair[w], entity, i);
        (void)operate(&pair[w], bare, k);
        (void)operate(&pair[w], entity, k);
        (void)operate(&pair[w], bare, i);
        if (w == 1) end(&pair[w]);
        assert_settled(&pair[w]);
        hash[w] = ecs_world_state_hash(pair[w].world);
      }
      assert_true(hash[0] == hash[1]);
      finish(&pair[0]);
      finish(&pair[1]);
    }
}

/* Order and economy ------------------------------------------------------- */

TEST(entities_are_moved_in_the_order_of_their_first_record) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[4];
  for (uint32_t i = 0; i < 4; i++) e[i] = spawn(&fixture);
  static const uint32_t order[] = {2, 0, 3, 1};
  begin(&fixture);
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(ecs_add(fixture.world, e[order[i]], fixture.tag, NULL),
                     ECS_OK);
  assert_int_equal(ecs_add(fixture.world, e[1], fixture.s, NULL), ECS_OK);
  assert_int_equal(ecs_add(fixture.world, e[2], fixture.s, NULL), ECS_OK);
  end(&fixture);
  for (uint32_t i = 0; i < 4; i++) {
    RowRef place = store_locate_main(&fixture.world->store, e[order[i]]);
    assert_int_equal(place.row, i);
  }
  RowRef place;
  (void)store_locate(&fixture.world->store, e[2], fixture.s, &place);
  assert_int_equal(place.row, 0); /* its first record is the oldest */
  (void)store_locate(&fixture.world->store, e[1], fixture.s, &place);
  assert_int_equal(place.row, 1);
  finish(&fixture);
}

TEST(an_entity_moves_once_and_leaves_no_tables_on_its_way) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = spawn(&fixture);
  uint32_t tables = tables_of(&fixture);
  const Group *main = store_main(&fixture.world->store);
  begin(&fixture);
  static const uint32_t operations[] = {0, 14, 8, 4, 7, 0, 10, 2};
  for (uint32_t i = 0; i < 8; i++)
    assert_int_equal(operate(&fixture, entity, operations[i]), ECS_OK);
  end(&fixture);
  /* {A Tag} of the main group, {S}, and {B} of the third. */
  assert_int_equal(tables_of(&fixture), tables + 3);
  begin(&fixture);
  assert_int_equal(operate(&fixture, entity, 4), ECS_OK);
  assert_int_equal(operate(&fixture, entity, 0), ECS_OK);
  uint32_t row = store_locate_main(&fixture.world->store, entity).row;
  const Table *table = store_locate_main(&fixture.world->store, entity).table;
  uint64_t version = main->version;
  end(&fixture);
  assert_int_equal(main->version, version + 1); /* two records, one change */
  RowRef place = store_locate_main(&fixture.world->store, entity);
  assert_ptr_equal(place.table, table);
  assert_int_equal(place.row, row);
  assert_int_equal(tables_of(&fixture), tables + 3);
  finish(&fixture);
}

TEST(groups_without_changes_stay_as_they_are) {
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world->store;
  ecs_Entity entity = spawn(&fixture);
  prepare(&fixture, entity, 63);
  uint64_t versions[8];
  for (uint32_t i = 0; i < world->groups.count; i++)
    versions[i] = world->groups.all[i]->version;
  begin(&fixture);
  assert_int_equal(operate(&fixture, entity, 9), ECS_OK); /* remove S */
  end(&fixture);
  uint32_t changed = world->components.all[fixture.s].group_id;
  for (uint32_t i = 0; i < world->groups.count; i++)
    assert_int_equal(world->groups.all[i]->version > versions[i], i == changed);
  finish(&fixture);
}

TEST(applying_nothing_changes_nothing) {
  Fixture fixture;
  start(&fixture);
  uint64_t version = store_structure_version(&fixture.world->store);
  uint64_t requests = fixture.failing.requests;
  begin(&fixture);
  end(&fixture);
  assert_int_equal(command_flush(&fixture.world->commands), ECS_OK);
  assert_int_equal(store_structure_version(&fixture.world->store), version);
  assert_int_equal(fixture.failing.requests, requests);
  finish(&fixture);
}

TEST(applying_again_needs_no_more_memory) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = spawn(&fixture);
  for (uint32_t round = 0; round < 3; round++) {
    uint64_t requests = fixture.failing.requests;
    begin(&fixture);
    assert_int_equal(operate(&fixture, entity, 0), ECS_OK);
    assert_int_equal(operate(&fixture, entity, 7), ECS_OK);
    end(&fixture);
    begin(&fixture);
    assert_int_equal(operate(&fixture, entity, 4), ECS_OK);
    assert_int_equal(operate(&fixture, entity, 9), ECS_OK);
    end(&fixture);
    if (round > 0) assert_int_equal(fixture.failing.requests, requests);
  }
  finish(&fixture);
}

/* The memory kept between two applications must grow with the world. */
TEST(components_may_come_between_two_applications) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = spawn(&fixture);
  static const ecs_Field field = {"f", ECS_U32, 0};
  for (uint32_t i = 0; i < 10; i++) {
    char name[16];
    snprintf(name, sizeof name, "N%u", (unsigned)i);
    ecs_Component fresh =
        define_component(fixture.world, name, &field, 1,
                         i % 2 == 0 ? ECS_STORE_SPARSE : ECS_STORE_TABLE);
    uint32_t image = i + 40, back = 0;
    begin(&fixture);
    assert_int_equal(ecs_add(fixture.world, entity, fresh, &image), ECS_OK);
    end(&fixture);
    assert_int_equal(ecs_get(fixture.world, entity, fresh, &back), ECS_OK);
    assert_int_equal(back, image);
    assert_settled(&fixture);
  }
  finish(&fixture);
}

/* Spawns and destructions ------------------------------------------------- */

TEST(spawned_and_destroyed_in_one_recording_leaves_no_trace) {
  Fixture fixture;
  start(&fixture);
  uint64_t hash = ecs_world_state_hash(fixture.world);
  uint32_t tables = tables_of(&fixture);
  begin(&fixture);
  ecs_Entity entity = spawn(&fixture);
  assert_int_equal(operate(&fixture, entity, 0), ECS_OK);
  assert_int_equal(operate(&fixture, entity, 7), ECS_OK);
  assert_int_equal(ecs_destroy(fixture.world, entity), ECS_OK);
  end(&fixture);
  assert_false(ecs_alive(fixture.world, entity));
  assert_true(ecs_world_state_hash(fixture.world) == hash);
  assert_int_equal(tables_of(&fixture), tables);
  assert_int_equal(fixture.world->store.index.alive_count, 0);
  ecs_Entity next = spawn(&fixture);
  assert_int_equal(id_index(next), id_index(entity));
  assert_int_equal(id_generation(next), id_generation(entity) + 1);
  assert_settled(&fixture);
  finish(&fixture);
}

TEST(rows_are_reserved_for_all_entities_of_a_table) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[20];
  for (uint32_t i = 0; i < 20; i++) e[i] = spawn(&fixture);
  begin(&fixture);
  for (uint32_t i = 0; i < 20; i++) {
    const A image = {i, (float)i};
    assert_int_equal(ecs_add(fixture.world, e[i], fixture.a, &image), ECS_OK);
    assert_int_equal(operate(&fixture, e[i], 8), ECS_OK);
    assert_int_equal(operate(&fixture, e[i], 12), ECS_OK);
  }
  for (uint32_t i = 0; i < 20; i++) (void)spawn(&fixture);
  end(&fixture);
  for (uint32_t i = 0; i < 20; i++) {
    A a;
    assert_int_equal(ecs_get(fixture.world, e[i], fixture.a, &a), ECS_OK);
    assert_true(a.x == i && a.y == (float)i);
    assert_true(ecs_has(fixture.world, e[i], fixture.u));
  }
  assert_int_equal(fixture.world->store.index.alive_count, 40);
  assert_settled(&fixture);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_short_chain_comes_to_what_the_calls_come_to),
      cmocka_unit_test(long_chains_of_several_entities_come_to_the_same),
      cmocka_unit_test(spawned_and_changed_entities_are_as_if_at_once),
      cmocka_unit_test(entities_are_moved_in_the_order_of_their_first_record),
      cmocka_unit_test(an_entity_moves_once_and_leaves_no_tables_on_its_way),
      cmocka_unit_test(groups_without_changes_stay_as_they_are),
      cmocka_unit_test(applying_nothing_changes_nothing),
      cmocka_unit_test(applying_again_needs_no_more_memory),
      cmocka_unit_test(components_may_come_between_two_applications),
      cmocka_unit_test(spawned_and_destroyed_in_one_recording_leaves_no_trace),
      cmocka_unit_test(rows_are_reserved_for_all_entities_of_a_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
