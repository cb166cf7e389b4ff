/* entity_change_test.c: changes of one entity, for every storage and layout,
 * compared with a naive world (naive_world.h).
 */
#include "naive_world.h"
#include "test_case.h"

/* Random changes ---------------------------------------------------------- */

/* Five components, a tag, eight bits and two sparse sets. */
TEST(mixed_storage_agrees_with_the_naive_world) {
  const char *letters[] = {"wwd", "b", "fff", "h", "bhwd"};
  for (uint32_t seed = 1; seed <= naive_seeds(6); seed++) {
    Naive *naive = naive_open(seed);
    Store *world = &naive->fixture.world;
    for (uint32_t i = 0; i < 5; i++)
      define_many(world, 1, letters[i], ECS_STORE_TABLE);
    define_many(world, 8, "", ECS_STORE_BITS);
    define_many(world, 1, "fw", ECS_STORE_SPARSE);
    define_many(world, 1, "", ECS_STORE_SPARSE);
    define_many(world, 1, "", ECS_STORE_TABLE);
    for (uint32_t i = 0; i < STEPS; i++) naive_step(naive);
    naive_close(naive);
  }
}

/* More bits than a column of them holds: two columns. */
TEST(many_bits_agree_with_the_naive_world) {
  for (uint32_t seed = 1; seed <= naive_seeds(6); seed++) {
    Naive *naive = naive_open(seed);
    Store *world = &naive->fixture.world;
    define_many(world, 2, "bw", ECS_STORE_TABLE);
    define_many(world, 11, "", ECS_STORE_BITS);
    naive->regroups = seed % 2 == 0;
    for (uint32_t i = 0; i < STEPS; i++) naive_step(naive);
    naive_close(naive);
  }
}

TEST(changing_layouts_agree_with_the_naive_world) {
  for (uint32_t seed = 1; seed <= naive_seeds(8); seed++) {
    Naive *naive = naive_open(seed);
    Store *world = &naive->fixture.world;
    naive->regroups = true;
    define_many(world, 3, "wwd", ECS_STORE_TABLE);
    define_many(world, 2, "", ECS_STORE_BITS);
    define_many(world, 2, "bh", ECS_STORE_SPARSE);
    define_many(world, 1, "", ECS_STORE_SPARSE);
    define_many(world, 2, "f", ECS_STORE_TABLE);
    define_many(world, 1, "", ECS_STORE_TABLE);
    for (uint32_t i = 0; i < STEPS; i++) naive_step(naive);
    naive_close(naive);
  }
}

/* Without a value ---------------------------------------------------------- */

/* The first add finds out what the later ones remember; each stores the
 * defaults, whatever types and storage, and whatever else its table has. */
TEST(adding_without_a_value_stores_defaults) {
  static const char *const letters[] = {"f", "w", "ff", "d", "bwhd"};
  for (uint32_t kind = 0; kind < 20; kind++) {
    Fixture fixture;
    start(&fixture);
    Store *world = &fixture.world;
    ecs_Component id = 0;
    ecs_Component beside =
        define(world, "b", kind / 10 == 0 ? "f" : "bd", ECS_STORE_TABLE);
    ecs_Storage storage =
        kind / 5 % 2 == 0 ? ECS_STORE_TABLE : ECS_STORE_SPARSE;
    assert_int_equal(
        try_define(world, "c", letters[kind % 5], storage, true, &id), ECS_OK);
    const Component *component = &world->components.all[id];
    for (uint32_t i = 0; i < 6; i++) {
      ecs_Entity entity = spawn(world, &beside, 1);
      RowRef place;
      Image image;
      assert_int_equal(store_add(world, entity, id, NULL), ECS_OK);
      assert_int_equal(store_locate(world, entity, id, &place), ECS_OK);
      table_load(place.table, place.row, component->bit, component->schema,
                 &image);
      assert_memory_equal(&image, component->schema->default_image,
                          scalar_bytes(component->schema->fields[0].type));
      assert_sound(world);
      if (i % 2 == 0) assert_int_equal(store_remove(world, entity, id), ECS_OK);
    }
    finish(&fixture);
  }
}

/* Many components --------------------------------------------------------- */

#ifndef ECS_TINY
/* Masks of nine words do not fit the stack buffer of eight. Every change of a
 * row is tested: a spawn, a first component of a group, an edge. */
TEST(hundreds_of_components_work_like_few) {
  for (uint64_t n = 1; n < 40; n++) {
    Fixture fixture;
    start(&fixture);
    Store *world = &fixture.world;
    define_many(world, 600, "b", ECS_STORE_TABLE);
    ecs_Component all[600];
    for (uint32_t i = 0; i < 600; i++) all[i] = i + 1;
    assert_int_equal(store_regroup(world, all, 599, REGROUP_TO_GROUP), ECS_OK);
    ecs_Component ends[] = {1, 65, 577, 599, 600};
    ecs_Entity entity = spawn(world, ends, 4), other = spawn(world, NULL, 0);
    uint64_t before = digest(world);
    failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
    ecs_Status status = add(world, other, 598, 9);
    bool failed = failing_memory_disarm(&fixture.failing) > 0;
    assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_OK);
    assert_int_equal(digest(world) == before, failed);
    assert_int_equal(add(world, other, 598, 9), ECS_OK);
    assert_component(world, other, 598, 9);
    assert_int_equal(add(world, entity, 512, 5), ECS_OK);
    assert_int_equal(store_remove(world, entity, 577), ECS_OK);
    assert_component(world, entity, 512, 5);
    assert_false(has(world, entity, 577));
    assert_int_equal(store_remove(world, other, 598), ECS_OK);
    assert_sound(world);
    finish(&fixture);
    if (!failed) return;
  }
  fail();
}

/* An entity enters the group with a component in the second word of masks:
 * nothing of the first word is added, and this component remains when the
 * others are removed. */
TEST(the_second_word_of_masks_is_looked_at) {
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  define_many(world, 100, "w", ECS_STORE_TABLE);
  ecs_Component all[100];
  for (uint32_t i = 0; i < 100; i++) all[i] = i + 1;
  assert_int_equal(store_regroup(world, all, 100, REGROUP_TO_GROUP), ECS_OK);
  for (ecs_Component late = 65; late <= 100; late++) {
    ecs_Component early = late - 64;
    ecs_Entity entity = spawn(world, NULL, 0);
    assert_int_equal(add(world, entity, late, 3), ECS_OK);
    for (ecs_Component i = 1; i <= 100; i++)
      assert_int_equal(has(world, entity, i), i == late);
    assert_int_equal(add(world, entity, early, 4), ECS_OK);
    assert_int_equal(store_remove(world, entity, early), ECS_OK);
    assert_false(has(world, entity, early));
    assert_component(world, entity, late, 3);
    assert_int_equal(store_remove(world, entity, late), ECS_OK);
    assert_sound(world);
  }
  finish(&fixture);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mixed_storage_agrees_with_the_naive_world),
      cmocka_unit_test(many_bits_agree_with_the_naive_world),
      cmocka_unit_test(changing_layouts_agree_with_the_naive_world),
      cmocka_unit_test(adding_without_a_value_stores_defaults),
#ifndef ECS_TINY
      cmocka_unit_test(hundreds_of_components_work_like_few),
      cmocka_unit_test(the_second_word_of_masks_is_looked_at),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
