/* api_list_test.c: ecs_destroy_many, ecs_add_many and ecs_remove_many.
 *
 * Each is compared with the single function called for one entity after the
 * other in a twin world: the hashes, which see the order of rows and the next
 * handles, must be the same.
 */
#include "api_scene.h"
#include "test_case.h"

#ifdef ECS_TINY
#define MANY 30u
#else
#define MANY 300u /* more than is looked ahead, and than a page of tables */
#endif

typedef struct Twins {
  Fixture one, other; /* changed one by one; changed by a list */
  ecs_Entity list[2 * MANY];
  uint32_t count;
} Twins;

/* Every second has A, every third Tag, every fifth S, every seventh T. */
static void fill(Fixture *fixture, ecs_Entity *entities) {
  const ecs_Component kinds[] = {fixture->a, fixture->tag, fixture->s,
                                 fixture->t};
  const uint32_t steps[] = {2, 3, 5, 7};
  for (uint32_t i = 0; i < MANY; i++) {
    ecs_Component components[4];
    uint32_t count = 0;
    for (uint32_t k = 0; k < 4; k++)
      if (i % steps[k] == 0) components[count++] = kinds[k];
    assert_int_equal(
        ecs_spawn(fixture->world, components, count, NULL, &entities[i]),
        ECS_OK);
  }
}

/* A list in no order, with dead entities, one that was never issued, and each
 * fourth entity twice. */
static void start_twins(Twins *twins) {
  ecs_Entity entities[MANY], same[MANY];
  start(&twins->one);
  start(&twins->other);
  fill(&twins->one, entities);
  fill(&twins->other, same);
  assert_memory_equal(entities, same, sizeof same);
  twins->count = 0;
  for (uint32_t i = 0; i < MANY; i++) {
    ecs_Entity entity = entities[i * 7 % MANY];
    twins->list[twins->count++] = entity;
    if (i % 4 == 0) twins->list[twins->count++] = entity;
    if (i % 50 == 0) twins->list[twins->count++] = twins->one.dead;
  }
  twins->list[twins->count++] = UINT64_MAX;
  twins->list[twins->count++] = 0;
}

static void finish_twins(Twins *twins) {
  assert_true(ecs_world_hash(twins->one.world) ==
              ecs_world_hash(twins->other.world));
  finish(&twins->one);
  finish(&twins->other);
}

typedef enum What { DESTROY, ADD, REMOVE } What;

static ecs_Status change_one(ecs_World *world, What what, ecs_Entity entity,
                             ecs_Component component, const void *image) {
  if (what == DESTROY) return ecs_destroy(world, entity);
  return what == ADD ? ecs_add(world, entity, component, image)
                     : ecs_remove(world, entity, component);
}

static ecs_Status change_list(Twins *twins, What what, ecs_Component component,
                              const void *image, uint32_t *found) {
  ecs_World *world = twins->other.world;
  if (what == DESTROY)
    return ecs_destroy_many(world, twins->list, twins->count, found);
  return what == ADD ? ecs_add_many(world, twins->list, twins->count, component,
                                    image, found)
                     : ecs_remove_many(world, twins->list, twins->count,
                                       component, found);
}

static void change_both(Twins *twins, What what, ecs_Component component,
                        const void *image) {
  uint32_t expected = 0, found = UINT32_MAX;
  for (uint32_t i = 0; i < twins->count; i++)
    expected += change_one(twins->one.world, what, twins->list[i], component,
                           image) == ECS_OK;
  assert_int_equal(change_list(twins, what, component, image, &found), ECS_OK);
  assert_int_equal(found, expected);
  assert_true(world_check_invariants(twins->other.world));
  assert_true(ecs_world_hash(twins->one.world) ==
              ecs_world_hash(twins->other.world));
}

/* Tests ------------------------------------------------------------------- */

TEST(a_list_is_changed_as_one_after_the_other) {
  for (uint32_t kind = 0; kind < 4; kind++) {
    for (uint32_t grouped = 0; grouped < 2; grouped++) {
      Twins twins;
      start_twins(&twins);
      const Fixture *f = &twins.one;
      const ecs_Component kinds[] = {f->a, f->tag, f->s, f->t};
      const ecs_Component together[] = {f->a, f->s, f->t};
      const A a = {4.5, 1};
      const uint16_t s = 9;
      const void *const images[] = {&a, NULL, &s, NULL};
      if (grouped == 1) {
        assert_int_equal(ecs_group(twins.one.world, together, 3), ECS_OK);
        assert_int_equal(ecs_group(twins.other.world, together, 3), ECS_OK);
      }
      change_both(&twins, ADD, kinds[kind], images[kind]);
      change_both(&twins, REMOVE, kinds[kind], NULL);
      change_both(&twins, ADD, kinds[kind], NULL);
      change_both(&twins, DESTROY, 0, NULL);
      finish_twins(&twins);
    }
  }
}

/* Applying puts rows in another order than the same calls made at once, but in
 * the same one for both. */
TEST(a_list_is_recorded_as_one_after_the_other) {
  for (What what = DESTROY; what <= REMOVE; what++) {
    Twins twins;
    uint32_t expected = 0, found = UINT32_MAX;
    const A a = {4.5, 1};
    start_twins(&twins);
    ecs_World *one = twins.one.world, *other = twins.other.world;
    ecs_Component component = twins.one.a;
    assert_int_equal(ecs_defer_begin(one), ECS_OK);
    assert_int_equal(ecs_defer_begin(other), ECS_OK);
    assert_int_equal(ecs_destroy(one, twins.list[3]), ECS_OK);
    assert_int_equal(ecs_destroy(other, twins.list[3]), ECS_OK);
    for (uint32_t i = 0; i < twins.count; i++)
      expected += change_one(one, what, twins.list[i], component, &a) == ECS_OK;
    assert_int_equal(change_list(&twins, what, component, &a, &found), ECS_OK);
    assert_int_equal(found, expected);
    assert_int_equal(statistics_of(&twins.one).dropped,
                     statistics_of(&twins.other).dropped);
    assert_int_equal(ecs_defer_end(one), ECS_OK);
    assert_int_equal(ecs_defer_end(other), ECS_OK);
    finish_twins(&twins);
  }
}

/* Statuses; and nothing is found where nothing was done. */
TEST(wrong_arguments_are_refused) {
  Fixture fixture;
  uint32_t found = 77;
  start(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Component none[] = {0, fixture.past, UINT32_MAX};
  for (uint32_t i = 0; i < 3; i++) {
    assert_refused(ecs_add_many(world, &fixture.e, 1, none[i], NULL, &found),
                   ECS_E_COMPONENT);
    assert_refused(ecs_remove_many(world, &fixture.e, 1, none[i], &found),
                   ECS_E_COMPONENT);
  }
  assert_refused(ecs_destroy_many(world, NULL, 1, &found), ECS_E_ARGUMENT);
  assert_refused(ecs_add_many(world, NULL, 1, fixture.a, NULL, &found),
                 ECS_E_ARGUMENT);
  assert_refused(ecs_remove_many(world, NULL, 1, fixture.a, &found),
                 ECS_E_ARGUMENT);
  assert_int_equal(found, 77);
  assert_refused(ecs_destroy_many(world, NULL, 0, NULL), ECS_OK);
  assert_refused(ecs_add_many(world, NULL, 0, fixture.a, NULL, &found), ECS_OK);
  assert_int_equal(found, 0);
  assert_refused(ecs_remove_many(world, &fixture.dead, 1, fixture.a, &found),
                 ECS_OK);
  assert_int_equal(found, 0);
  finish(&fixture);
}

/* One entity, listed again and again, needs room for one row. */
TEST(a_repeated_entity_needs_room_once) {
  Fixture fixture;
  ecs_Entity list[5 * MANY];
  uint32_t found = 0;
  start(&fixture);
  for (uint32_t i = 0; i < 5 * MANY; i++) list[i] = fixture.e;
  assert_int_equal(
      ecs_add_many(fixture.world, list, 5 * MANY, fixture.a, NULL, &found),
      ECS_OK);
  assert_int_equal(found, 5 * MANY);
  assert_true(statistics_of(&fixture).bytes < 64 * 1024);
  assert_int_equal(ecs_destroy_many(fixture.world, list, 5 * MANY, &found),
                   ECS_OK);
  assert_int_equal(found, 1);
  finish(&fixture);
}

/* More tables grow than the core lists one by one. */
TEST(many_tables_may_grow) {
  Twins twins;
  start_twins(&twins);
  Fixture *const both[] = {&twins.one, &twins.other};
#ifdef ECS_TINY
  enum { TAGS = 3 };
#else
  enum { TAGS = 5 };
#endif
  for (uint32_t w = 0; w < 2; w++) {
    char name[] = "Tag0";
    for (uint32_t k = 0; k < TAGS; k++) {
      name[3]++;
      ecs_Component tag =
          define_component(both[w]->world, name, NULL, 0, ECS_STORE_TABLE);
      for (uint32_t i = 0; i < twins.count; i++)
        if ((i >> k & 1u) != 0)
          (void)ecs_add(both[w]->world, twins.list[i], tag, NULL);
    }
  }
  change_both(&twins, REMOVE, twins.one.a, NULL);
  change_both(&twins, ADD, twins.one.a, NULL);
  finish_twins(&twins);
}

/* Rows are looked up before only where there may be too little room: so with
 * room for some of the list and no memory, nothing has changed; and where there
 * is room for all, no memory is asked for. */
TEST(a_list_is_changed_whole_or_not) {
  for (uint32_t storage = 0; storage < 3; storage++) {
    Fixture fixture;
    ecs_Entity list[MANY];
    start(&fixture);
    ecs_World *world = fixture.world;
    const ecs_Component added = storage == 0   ? fixture.a
                                : storage == 1 ? fixture.s
                                               : fixture.t;
    for (uint32_t i = 0; i < MANY; i++)
      assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &list[i]), ECS_OK);
    if (storage < 2)
      assert_int_equal(ecs_add(world, fixture.e, added, NULL), ECS_OK);
    failing_memory_arm(&fixture.failing, 1, FAIL_ONWARD);
    assert_refused(ecs_add_many(world, list, MANY, added, NULL, NULL),
                   ECS_E_MEMORY);
    assert_true(failing_memory_disarm(&fixture.failing) > 0);
    assert_int_equal(ecs_add_many(world, list, MANY, added, NULL, NULL),
                     ECS_OK);
    for (uint32_t turn = 0; turn < 2; turn++) {
      uint64_t requests = fixture.failing.requests;
      uint32_t found = 0;
      assert_int_equal(ecs_remove_many(world, list, MANY, added, &found),
                       ECS_OK);
      assert_int_equal(found, MANY);
      assert_int_equal(ecs_add_many(world, list, MANY, added, NULL, &found),
                       ECS_OK);
      assert_int_equal(found, MANY);
      assert_true(turn == 0 || fixture.failing.requests == requests);
    }
    finish(&fixture);
  }
}

/* As above, where what has less room is the table without the component. */
TEST(a_list_is_removed_whole_or_not) {
  Fixture fixture;
  ecs_Entity list[MANY];
  start(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Component both[] = {fixture.a, fixture.tag};
  ecs_Entity other;
  for (uint32_t i = 0; i < MANY; i++)
    assert_int_equal(ecs_spawn(world, both, 2, NULL, &list[i]), ECS_OK);
  assert_int_equal(ecs_spawn(world, both, 2, NULL, &other), ECS_OK);
  assert_int_equal(ecs_remove(world, other, fixture.tag), ECS_OK);
  failing_memory_arm(&fixture.failing, 1, FAIL_ONWARD);
  assert_refused(ecs_remove_many(world, list, MANY, fixture.tag, NULL),
                 ECS_E_MEMORY);
  assert_true(failing_memory_disarm(&fixture.failing) > 0);
  assert_int_equal(ecs_remove_many(world, list, MANY, fixture.tag, NULL),
                   ECS_OK);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_is_changed_as_one_after_the_other),
      cmocka_unit_test(a_list_is_recorded_as_one_after_the_other),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(a_repeated_entity_needs_room_once),
      cmocka_unit_test(many_tables_may_grow),
      cmocka_unit_test(a_list_is_changed_whole_or_not),
      cmocka_unit_test(a_list_is_removed_whole_or_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
