/* store_check_test.c: the check of invariants detects planted faults. */
#include "world_fixture.h"
#include "test_case.h"

/* The check detects a planted fault, and passes once the fault is removed. */
#define ASSERT_SEEN(place, wrong)                \
  do {                                           \
    __typeof__(place) right = (place);           \
    (place) = (wrong);                           \
    assert_false(store_check_invariants(world)); \
    (place) = right;                             \
    assert_true(store_check_invariants(world));  \
  } while (0)

/* Two entities in a table and a sparse set, for faults to be planted in. */
TEST(the_store_check_sees_what_does_not_agree) {
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component components[] = {define(world, "a", "w", ECS_STORE_TABLE),
                                define(world, "b", "w", ECS_STORE_SPARSE)};
  ecs_Entity first = spawn(world, components, 2);
  spawn(world, components, 2);
  Group *sparse = world->groups.all[1];
  Table *table = world->groups.main->tables[1];
  Slot *slot = entity_index_slot(&world->index, id_index(first));
  assert_true(store_check_invariants(world));
  ASSERT_SEEN(slot->row_bits, 1u);
  ASSERT_SEEN(slot->table_bits, slot->table_bits & SLOT_TABLE_MASK);
  ASSERT_SEEN(*locator_narrow_entry(&sparse->locator, 1), 1u);
  ASSERT_SEEN(*locator_narrow_entry(&sparse->locator, 1), LOCATOR_NONE);
  ASSERT_SEEN(sparse->id, 2u);
  ASSERT_SEEN(table->id, 0u);
  ASSERT_SEEN(table->mask.count, 0);
  ASSERT_SEEN(table->count, 1u + table->capacity);
  ASSERT_SEEN(table->entities[0], table->entities[1]);
  ASSERT_SEEN(((uint32_t *)(void *)table->fields[0])[3], 1u);
  ASSERT_SEEN(world->index.alive_count, 1u);
  finish(&fixture);
}

/* The same entity in a second row, of its table and of another one. */
TEST(the_check_sees_an_entity_in_two_rows) {
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component component = define(world, "a", "w", ECS_STORE_TABLE);
  spawn(world, &component, 1);
  spawn(world, &component, 1);
  spawn(world, NULL, 0);
  Table *table = world->groups.main->tables[1],
        *other = world->groups.main->tables[0];
  ASSERT_SEEN(table->entities[1], table->entities[0]);
  ASSERT_SEEN(table->entities[0], table->entities[1]);
  ASSERT_SEEN(table->entities[0], other->entities[0]);
  ASSERT_SEEN(other->entities[0], table->entities[0]);
  finish(&fixture);
}

TEST(the_check_sees_rows_without_components) {
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component bits[2] = {define(world, "a", "", ECS_STORE_BITS),
                           define(world, "b", "", ECS_STORE_BITS)};
  assert_int_equal(store_regroup(world, bits, 2, REGROUP_TO_GROUP), ECS_OK);
  spawn(world, bits, 1);
  Table *table = world->groups.all[1]->tables[0];
  assert_true(store_check_invariants(world));
  table_write_bit(table, 0, 0, false);
  assert_false(store_check_invariants(world));
  table_write_bit(table, 0, 1, true);
  assert_true(store_check_invariants(world));
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_store_check_sees_what_does_not_agree),
      cmocka_unit_test(the_check_sees_an_entity_in_two_rows),
      cmocka_unit_test(the_check_sees_rows_without_components),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
