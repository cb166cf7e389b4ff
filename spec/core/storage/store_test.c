/* store_test.c: stores are created whole, and components are defined whole, or
 * not at all.
 */
#include "world_fixture.h"
#include "test_case.h"

#define MANY (ECS_COMPONENT_LIMIT < 40u ? ECS_COMPONENT_LIMIT : 40u)

TEST(a_store_that_cannot_be_made_leaves_nothing) {
  for (uint64_t n = 1;; n++) {
    FailingMemory failing;
    Store world;
    ecs_Memory record = failing_memory_init(&failing);
    failing_memory_arm(&failing, n, FAIL_ONCE);
    ecs_Status status = store_init(&world, entity_change_ways, record, 0);
    if (failing_memory_disarm(&failing) == 0) {
      assert_int_equal(status, ECS_OK);
      assert_sound(&world);
      store_deinit(&world);
      assert_int_equal(failing.blocks, 0);
      break;
    }
    assert_int_equal(status, ECS_E_MEMORY);
    assert_int_equal(failing.blocks, 0);
  }
}

TEST(a_component_is_found_by_its_name) {
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component again = 0;
  assert_int_equal(define(world, "a", "w", ECS_STORE_TABLE), 1);
  assert_int_equal(define(world, "b", "", ECS_STORE_BITS), 2);
  assert_int_equal(define(world, "c", "h", ECS_STORE_SPARSE), 3);
  assert_int_equal(store_find_component(world, "a"), 1);
  assert_int_equal(store_find_component(world, "c"), 3);
  assert_int_equal(store_find_component(world, "d"), 0);
  uint64_t before = digest(world), bytes = fixture.failing.bytes;
  assert_int_equal(define(world, "b", "", ECS_STORE_BITS), 2);
  assert_int_equal(try_define(world, "a", "w", ECS_STORE_SPARSE, false, &again),
                   ECS_E_SCHEMA);
  assert_int_equal(try_define(world, "a", "h", ECS_STORE_TABLE, false, &again),
                   ECS_E_SCHEMA);
  assert_int_equal(try_define(world, "", "h", ECS_STORE_TABLE, false, &again),
                   ECS_E_NAME);
  assert_int_equal(try_define(world, "x", "h", ECS_STORE_BITS, false, &again),
                   ECS_E_COMPONENT);
  ecs_ComponentDescription nameless = {.name = NULL,
                                       .fields = NULL,
                                       .field_count = 0,
                                       .storage = ECS_STORE_TABLE};
  assert_int_equal(store_define(world, &nameless, &again), ECS_E_NAME);
  assert_true(digest(world) == before);
  assert_int_equal(fixture.failing.bytes, bytes);
  assert_int_equal(again, 0);
  assert_int_equal(world->components.all[3].group_id, 1);
  assert_true(world->groups.all[1]->locator.narrow);
  assert_sound(world);
  finish(&fixture);
}

/* Names that begin alike, and one that is the beginning of others. */
TEST(many_components_are_found_by_their_names) {
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  char name[40] = "";
  for (uint32_t k = 1; k <= MANY; k++) {
    snprintf(name, sizeof name, "n%.*s%u", (int)(k % 4), "nnn", k / 4);
    assert_int_equal(store_find_component(world, name), 0);
    assert_int_equal(define(world, name, "w", ECS_STORE_TABLE), k);
    assert_sound(world);
  }
  for (uint32_t k = 1; k <= MANY; k++) {
    snprintf(name, sizeof name, "n%.*s%u", (int)(k % 4), "nnn", k / 4);
    assert_int_equal(store_find_component(world, name), k);
  }
  assert_int_equal(store_find_component(world, "n"), 0);
  finish(&fixture);
}

TEST(a_definition_that_failed_leaves_no_trace) {
  for (ecs_Storage storage = 0; storage <= ECS_STORE_BITS; storage++) {
    for (uint32_t others = 0; others < 9; others++) {
      for (uint64_t n = 1;; n++) {
        Fixture fixture;
        start(&fixture);
        Store *world = &fixture.world;
        ecs_Component component = 0;
        define_many(world, others, "", storage);
        uint64_t before = digest(world);
        failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
        ecs_Status status =
            try_define(world, "new", storage == ECS_STORE_BITS ? "" : "wb",
                       storage, true, &component);
        bool failed = failing_memory_disarm(&fixture.failing) > 0;
        assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_OK);
        assert_int_equal(component, failed ? 0 : others + 1);
        assert_int_equal(digest(world) == before, failed);
        assert_sound(world);
        define_many(world, 1, "", ECS_STORE_TABLE);
        finish(&fixture);
        if (!failed) break;
      }
    }
  }
}

TEST(limits_of_components_and_groups_hold) {
#ifdef ECS_TINY
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component component = 0;
  define_many(world, ECS_GROUP_LIMIT - 1, "w", ECS_STORE_SPARSE);
  uint64_t before = digest(world);
  assert_int_equal(
      try_define(world, "x", "w", ECS_STORE_SPARSE, false, &component),
      ECS_E_LIMIT);
  assert_true(digest(world) == before);
  define_many(world, ECS_COMPONENT_LIMIT - ECS_GROUP_LIMIT + 1, "w",
              ECS_STORE_TABLE);
  before = digest(world);
  assert_int_equal(
      try_define(world, "x", "w", ECS_STORE_TABLE, false, &component),
      ECS_E_LIMIT);
  assert_true(digest(world) == before);
  assert_int_equal(world->components.count, ECS_COMPONENT_LIMIT + 1);
  assert_sound(world);
  finish(&fixture);
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_store_that_cannot_be_made_leaves_nothing),
      cmocka_unit_test(a_component_is_found_by_its_name),
      cmocka_unit_test(many_components_are_found_by_their_names),
      cmocka_unit_test(a_definition_that_failed_leaves_no_trace),
      cmocka_unit_test(limits_of_components_and_groups_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
