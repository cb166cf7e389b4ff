/* world_trim_test.c: what a trim gives back, and what it leaves as it was.
 *
 * The same world is looked at before and after: entities, values, the order of
 * rows and everything prepared for it (queries, bundles, accessors) must do as
 * before.
 */
#include <string.h>

#include "test_case.h"
#include "world/world.h"
#include "api_fixture.h"

#define PARTS 5u
#define ENTITIES 24u

/* A world that has met all combinations of four components and a sparse one. */
typedef struct Fair {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component parts[PARTS];
  ecs_Entity entities[ENTITIES]; /* those that are left */
  uint32_t count;
} Fair;

static ecs_Statistics look(const Fair *fair) {
  ecs_Statistics statistics;
  ecs_world_statistics(fair->world, &statistics);
  assert_int_equal(statistics.bytes, fair->failing.bytes);
  return statistics;
}

static void open_fair(Fair *fair) {
  memset(fair, 0, sizeof *fair);
  ecs_WorldDescription how = {failing_memory_init(&fair->failing), 0};
  assert_int_equal(ecs_world_create(&how, &fair->world), ECS_OK);
  static const char *const names[PARTS] = {"A", "B", "C", "D", "S"};
  const ecs_Field fields[] = {{"x", ECS_F32, 0}, {"y", ECS_U16, 3}};
  for (uint32_t k = 0; k < PARTS; k++)
    fair->parts[k] =
        define_component(fair->world, names[k], fields, k == 1 ? 0 : 2,
                         k == 4 ? ECS_STORE_SPARSE : ECS_STORE_TABLE);
  for (uint32_t i = 0; i < ENTITIES; i++) {
    ecs_Entity entity = 0;
    assert_int_equal(ecs_spawn(fair->world, NULL, 0, NULL, &entity), ECS_OK);
    for (uint32_t k = 0; k < PARTS; k++)
      if ((i >> k & 1u) != 0)
        assert_int_equal(ecs_add(fair->world, entity, fair->parts[k], NULL), 0);
    if (i % 4 == 3)
      fair->entities[fair->count++] = entity;
    else
      assert_int_equal(ecs_destroy(fair->world, entity), ECS_OK);
  }
}

static void close_fair(Fair *fair) {
  assert_true(world_check_invariants(fair->world));
  ecs_world_destroy(fair->world);
  assert_int_equal(fair->failing.blocks, 0);
}

/* All entities of a query over everything, in its order. */
static uint64_t listed(ecs_Query *query, ecs_Entity *entities) {
  uint64_t count = 0;
  assert_int_equal(ecs_query_entities(query, entities, ENTITIES, &count), 0);
  return count;
}

TEST(empty_tables_go_and_all_else_stays) {
  Fair fair;
  open_fair(&fair);
  const ecs_Term terms[] = {{fair.parts[0], ECS_READ},
                            {fair.parts[4], ECS_OPTIONAL}};
  ecs_Query *all = NULL, *some = NULL;
  ecs_Entity before[2][ENTITIES], after[2][ENTITIES];
  assert_int_equal(ecs_query_create(fair.world, NULL, 0, &all), ECS_OK);
  assert_int_equal(ecs_query_create(fair.world, terms, 2, &some), ECS_OK);
  uint64_t count = listed(all, before[0]), few = listed(some, before[1]);
  ecs_Statistics full = look(&fair);
  uint64_t hash = ecs_world_hash(fair.world);
  uint64_t kept = ecs_world_state_hash(fair.world);
  uint64_t epoch = *ecs_world_row_epoch(fair.world);
  assert_int_equal(ecs_world_trim(fair.world), ECS_OK);
  assert_true(world_check_invariants(fair.world));
  ecs_Statistics lean = look(&fair);
  assert_true(lean.tables < full.tables);
  assert_true(lean.bytes < full.bytes);
  assert_true(lean.structure_version > full.structure_version);
  assert_true(*ecs_world_row_epoch(fair.world) != epoch);
  assert_true(ecs_world_state_hash(fair.world) == kept);
  assert_true(ecs_world_hash(fair.world) != hash); /* fewer tables */
  for (uint32_t g = 0; g < fair.world->store.groups.count; g++) {
    const Group *group = fair.world->store.groups.all[g];
    for (uint32_t i = g == 0; i < group->table_count; i++)
      assert_true(group->tables[i]->count > 0);
    assert_int_equal(group->edges.capacity, 0);
  }
  assert_int_equal(listed(all, after[0]), count);
  assert_int_equal(listed(some, after[1]), few);
  assert_memory_equal(before[0], after[0], count * sizeof(ecs_Entity));
  assert_memory_equal(before[1], after[1], few * sizeof(ecs_Entity));
  /* A second trim finds only what was made since: plans. */
  hash = ecs_world_hash(fair.world);
  assert_int_equal(ecs_world_trim(fair.world), ECS_OK);
  assert_true(ecs_world_hash(fair.world) == hash);
  assert_true(look(&fair).bytes <= lean.bytes);
  close_fair(&fair);
}

TEST(what_was_prepared_goes_on) {
  Fair fair;
  open_fair(&fair);
  ecs_Accessor access;
  ecs_Bundle bundle = 0;
  float image[2], changed[2] = {7, 0};
  ecs_Entity entity = fair.entities[0], made = 0;
  assert_int_equal(ecs_accessor(fair.world, fair.parts[0], &access), ECS_OK);
  assert_int_equal(ecs_bundle(fair.world, fair.parts, 3, &bundle), ECS_OK);
  for (uint32_t round = 0; round < 3; round++) {
    assert_int_equal(ecs_accessor_get(&access, entity, image), ECS_OK);
    assert_int_equal(ecs_spawn_bundle(fair.world, bundle, NULL, &made), ECS_OK);
    assert_int_equal(ecs_spawn(fair.world, fair.parts, 2, NULL, NULL), ECS_OK);
    assert_int_equal(ecs_world_trim(fair.world), ECS_OK);
    changed[0] += 1;
    assert_int_equal(ecs_accessor_set(&access, made, changed), ECS_OK);
    assert_int_equal(ecs_accessor_get(&access, made, image), ECS_OK);
    assert_true(image[0] == changed[0]);
    assert_int_equal(ecs_remove(fair.world, made, fair.parts[0]), ECS_OK);
    assert_int_equal(ecs_accessor_get(&access, made, image), ECS_E_ABSENT);
    assert_int_equal(ecs_add(fair.world, made, fair.parts[4], NULL), ECS_OK);
    assert_true(world_check_invariants(fair.world));
  }
  /* A recording works with the memory that it has to get again. */
  assert_int_equal(ecs_defer_begin(fair.world), ECS_OK);
  assert_int_equal(ecs_add(fair.world, made, fair.parts[3], NULL), ECS_OK);
  assert_int_equal(ecs_world_trim(fair.world), ECS_E_OPEN);
  assert_int_equal(ecs_defer_end(fair.world), ECS_OK);
  assert_true(ecs_has(fair.world, made, fair.parts[3]));
  close_fair(&fair);
}

/* Without entities little is left, and the world works as a new one. */
TEST(an_empty_world_becomes_small) {
  Fair fair;
  open_fair(&fair);
  assert_int_equal(ecs_world_clear(fair.world), ECS_OK);
  assert_int_equal(ecs_world_trim(fair.world), ECS_OK);
  assert_int_equal(look(&fair).tables, 1);
  assert_null(fair.world->store.groups.main->tables[0]->slab);
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(fair.world, fair.parts, PARTS, NULL, &entity), 0);
  assert_true(ecs_has(fair.world, entity, fair.parts[4]));
  close_fair(&fair);
}

/* A trim that is refused memory gives back what needs none. */
TEST(every_allocation_of_a_trim_may_fail) {
  uint64_t injected = 0, nth = 0;
  do {
    for (uint32_t onward = 0; onward < 2; onward++) {
      Fair fair;
      open_fair(&fair);
      uint64_t kept = ecs_world_state_hash(fair.world), before;
      before = look(&fair).bytes;
      failing_memory_arm(&fair.failing, nth + 1,
                         onward == 0 ? FAIL_ONCE : FAIL_ONWARD);
      assert_int_equal(ecs_world_trim(fair.world), ECS_OK);
      injected = failing_memory_disarm(&fair.failing);
      assert_true(world_check_invariants(fair.world));
      assert_true(ecs_world_state_hash(fair.world) == kept);
      assert_true(look(&fair).bytes < before);
      for (uint32_t i = 0; i < fair.count; i++)
        assert_int_equal(
            ecs_add(fair.world, fair.entities[i], fair.parts[2], NULL), ECS_OK);
      close_fair(&fair);
    }
    nth++;
  } while (injected > 0);
  assert_true(nth > 1);
}

/* What could not be spawned leaves no room behind: the world would be full. */
TEST(a_failed_spawn_of_many_gives_its_room_back) {
  FailingMemory failing;
  ecs_WorldDescription how = {failing_memory_init(&failing), 60000};
  ecs_World *world = NULL;
  ecs_Bundle bundle = 0;
  assert_int_equal(ecs_world_create(&how, &world), ECS_OK);
  const ecs_Field field = {"x", ECS_F64, 0};
  const ecs_Component what[] = {
      define_component(world, "A", &field, 1, ECS_STORE_TABLE),
      define_component(world, "S", &field, 1, ECS_STORE_SPARSE)};
  assert_int_equal(ecs_bundle(world, what, 2, &bundle), ECS_OK);
  assert_int_equal(ecs_spawn_bundle(world, bundle, NULL, NULL), ECS_OK);
  uint64_t bytes = failing.bytes;
  for (uint32_t count = 2; count < 30000; count += count) {
    ecs_Status status = ecs_spawn_many(world, bundle, count, NULL);
    if (status == ECS_OK) {
      bytes = failing.bytes;
      continue;
    }
    assert_true(status == ECS_E_MEMORY || status == ECS_E_LIMIT);
    /* but for pages of locators */
    assert_true(failing.bytes <= bytes + 40000);
    assert_true(world_check_invariants(world));
  }
  ecs_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(empty_tables_go_and_all_else_stays),
      cmocka_unit_test(what_was_prepared_goes_on),
      cmocka_unit_test(an_empty_world_becomes_small),
      cmocka_unit_test(every_allocation_of_a_trim_may_fail),
      cmocka_unit_test(a_failed_spawn_of_many_gives_its_room_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
