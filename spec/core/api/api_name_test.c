/* api_name_test.c: ecs_set_name, ecs_name, ecs_find and ecs_name_tag. */
#include "api_scene.h"
#include "test_case.h"

TEST(an_entity_has_a_name_and_is_found_by_it) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Entity other = 0;
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &other), ECS_OK);
  assert_null(ecs_name(world, fixture.e));
  assert_int_equal(ecs_set_name(world, fixture.e, "gate"), ECS_OK);
  assert_string_equal(ecs_name(world, fixture.e), "gate");
  assert_true(ecs_find(world, "gate") == fixture.e);
  assert_int_equal(ecs_set_name(world, fixture.e, "gate"), ECS_OK);
  assert_refused(ecs_set_name(world, other, "gate"), ECS_E_NAME);
  assert_int_equal(ecs_set_name(world, fixture.e, "wall"), ECS_OK);
  assert_int_equal(ecs_set_name(world, other, "gate"), ECS_OK);
  assert_true(ecs_find(world, "gate") == other);
  assert_int_equal(ecs_set_name(world, fixture.e, NULL), ECS_OK);
  assert_null(ecs_name(world, fixture.e));
  assert_true(ecs_find(world, "wall") == 0);
  finish(&fixture);
}

TEST(bad_names_and_dead_entities_are_refused) {
  Fixture fixture;
  char longest[257];
  start(&fixture);
  ecs_World *world = fixture.world;
  memset(longest, 'x', 256);
  longest[256] = 0;
  assert_refused(ecs_set_name(world, fixture.e, ""), ECS_E_NAME);
  assert_refused(ecs_set_name(world, fixture.e, longest), ECS_E_NAME);
  longest[255] = 0;
  assert_int_equal(ecs_set_name(world, fixture.e, longest), ECS_OK);
  assert_true(ecs_find(world, longest) == fixture.e);
  assert_refused(ecs_set_name(world, fixture.dead, "a"), ECS_E_DEAD);
  assert_refused(ecs_set_name(world, fixture.dead, NULL), ECS_E_DEAD);
  assert_refused(ecs_set_name(world, 0, "a"), ECS_E_DEAD);
  assert_refused(ecs_set_name(world, UINT64_MAX, "a"), ECS_E_DEAD);
  assert_null(ecs_name(world, fixture.dead));
  assert_null(ecs_name(world, UINT64_MAX));
  assert_true(ecs_find(world, NULL) == 0);
  assert_true(ecs_find(world, "nobody") == 0);
  finish(&fixture);
}

TEST(a_name_is_free_when_its_entity_dies) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Entity next = 0;
  assert_int_equal(ecs_set_name(world, fixture.e, "gate"), ECS_OK);
  assert_int_equal(ecs_destroy(world, fixture.e), ECS_OK);
  assert_true(ecs_find(world, "gate") == 0);
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &next), ECS_OK);
  assert_null(ecs_name(world, next)); /* at the same index */
  assert_int_equal(ecs_set_name(world, next, "gate"), ECS_OK);
  assert_true(ecs_find(world, "gate") == next);
  assert_int_equal(ecs_world_clear(world), ECS_OK);
  assert_true(ecs_find(world, "gate") == 0);
  finish(&fixture);
}

TEST(names_change_at_once_while_changes_are_recorded) {
  for (uint32_t keep = 0; keep < 2; keep++) {
    Fixture fixture;
    start(&fixture);
    ecs_World *world = fixture.world;
    ecs_Entity born = 0;
    assert_int_equal(ecs_set_name(world, fixture.e, "gate"), ECS_OK);
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &born), ECS_OK);
    assert_int_equal(ecs_set_name(world, born, "born"), ECS_OK);
    assert_int_equal(ecs_destroy(world, fixture.e), ECS_OK);
    assert_true(ecs_find(world, "gate") == 0);
    assert_null(ecs_name(world, fixture.e));
    assert_true(ecs_find(world, "born") == born);
    if (keep)
      assert_int_equal(ecs_defer_end(world), ECS_OK);
    else
      ecs_defer_discard(world);
    assert_true(ecs_find(world, "gate") == (keep ? 0 : fixture.e));
    assert_true(ecs_find(world, "born") == (keep ? born : 0));
    finish(&fixture);
  }
}

/* Dead names are swept before more room is made for the living. */
TEST(names_of_the_dead_take_no_room_for_long) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  for (uint32_t i = 0; i < 1000; i++) {
    char name[16];
    ecs_Entity entity = 0;
    snprintf(name, sizeof name, "n%u", (unsigned)i);
    ecs_Status status = ecs_spawn(world, NULL, 0, NULL, &entity);
    if (status == ECS_E_LIMIT) break; /* generations are used up */
    assert_int_equal(status, ECS_OK);
    assert_int_equal(ecs_set_name(world, entity, name), ECS_OK);
    assert_true(ecs_find(world, name) == entity);
    assert_int_equal(ecs_destroy(world, entity), ECS_OK);
  }
  assert_true(world->names.capacity <= 64);
  finish(&fixture);
}

TEST(each_allocation_may_fail) {
  for (uint64_t nth = 1, injected = 1; injected > 0; nth++) {
    Fixture fixture;
    start(&fixture);
    ecs_World *world = fixture.world;
    uint64_t before = ecs_world_hash(world);
    failing_memory_arm(&fixture.failing, nth, FAIL_ONCE);
    ecs_Status status = ecs_set_name(world, fixture.e, "gate");
    injected = failing_memory_disarm(&fixture.failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    assert_int_equal(ecs_world_hash(world) == before, injected > 0);
    assert_true(ecs_find(world, "gate") == (injected > 0 ? 0 : fixture.e));
    finish(&fixture);
  }
}

/* The tag of names ---------------------------------------------------------- */

static ecs_Component define_tag(ecs_World *world) {
  return define_component(world, "Named", NULL, 0, ECS_STORE_SPARSE);
}

static void assert_named(const ecs_World *world, ecs_Entity entity,
                         ecs_Component tag, bool named) {
  assert_int_equal(ecs_has(world, entity, tag), named);
  assert_int_equal(ecs_name(world, entity) != NULL, named);
  assert_true(world_check_invariants(world));
}

TEST(a_tag_follows_names) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Entity next = 0, clone = 0;
  ecs_Component tag = define_tag(world);
  assert_int_equal(ecs_set_name(world, fixture.e, "gate"), ECS_OK);
  assert_false(ecs_has(world, fixture.e, tag));
  assert_int_equal(ecs_name_tag(world, tag), ECS_OK);
  assert_named(world, fixture.e, tag, true);
  assert_int_equal(ecs_set_name(world, fixture.e, "wall"), ECS_OK);
  assert_named(world, fixture.e, tag, true);
  assert_int_equal(ecs_clone(world, fixture.e, &clone), ECS_OK);
  assert_named(world, clone, tag, false);
  assert_int_equal(ecs_set_name(world, fixture.e, NULL), ECS_OK);
  assert_named(world, fixture.e, tag, false);
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &next), ECS_OK);
  assert_int_equal(ecs_set_name(world, next, "wall"), ECS_OK);
  assert_named(world, next, tag, true);
  finish(&fixture);
}

TEST(what_is_no_tag_is_refused) {
  static const ecs_Field x = {"x", ECS_F32, 0};
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Component tag = define_tag(world);
  ecs_Component other =
      define_component(world, "Other", NULL, 0, ECS_STORE_TABLE);
  ecs_Component fields =
      define_component(world, "Fields", &x, 1, ECS_STORE_TABLE);
  assert_refused(ecs_name_tag(world, 0), ECS_E_COMPONENT);
  assert_refused(ecs_name_tag(world, fields), ECS_E_ARGUMENT);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_refused(ecs_name_tag(world, tag), ECS_E_OPEN);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_int_equal(ecs_name_tag(world, tag), ECS_OK);
  assert_int_equal(ecs_name_tag(world, tag), ECS_OK);
  assert_refused(ecs_name_tag(world, other), ECS_E_ARGUMENT);
  finish(&fixture);
}

/* Names change at once, and the tag when the recording ends, however it does. */
TEST(the_tag_follows_when_the_recording_ends) {
  for (uint32_t keep = 0; keep < 2; keep++) {
    Fixture fixture;
    start(&fixture);
    ecs_World *world = fixture.world;
    ecs_Component tag = define_tag(world);
    ecs_Entity born = 0, old = 0, bare = 0;
    assert_int_equal(ecs_name_tag(world, tag), ECS_OK);
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &old), ECS_OK);
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &bare), ECS_OK);
    assert_int_equal(ecs_set_name(world, fixture.e, "gate"), ECS_OK);
    assert_int_equal(ecs_set_name(world, old, "wall"), ECS_OK);
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &born), ECS_OK);
    assert_int_equal(ecs_set_name(world, born, "born"), ECS_OK);
    assert_int_equal(ecs_set_name(world, old, NULL), ECS_OK);
    assert_int_equal(ecs_destroy(world, fixture.e), ECS_OK);
    assert_int_equal(ecs_set_name(world, bare, "gate"), ECS_OK);
    assert_true(ecs_has(world, old, tag) && !ecs_has(world, bare, tag));
    if (keep)
      assert_int_equal(ecs_defer_end(world), ECS_OK);
    else
      ecs_defer_discard(world);
    assert_named(world, born, tag, keep);
    assert_named(world, old, tag, false);
    assert_named(world, bare, tag, true);
    assert_named(world, fixture.e, tag, false); /* it lost its name, or died */
    assert_int_equal(ecs_alive(world, fixture.e), !keep);
    finish(&fixture);
  }
}

/* Names an entity, gives it another name, and takes it away. */
TEST(each_allocation_may_fail_for_the_tag) {
  static const char *const names[] = {"gate", "wall", NULL};
  for (uint64_t nth = 1, injected = 1; injected > 0; nth++) {
    Fixture fixture;
    start(&fixture);
    ecs_World *world = fixture.world;
    ecs_Component tag = define_tag(world);
    assert_int_equal(ecs_name_tag(world, tag), ECS_OK);
    injected = 0;
    for (uint32_t i = 0; i < 3; i++) {
      uint64_t before = ecs_world_hash(world);
      bool changes = names[i] != NULL || ecs_name(world, fixture.e) != NULL;
      failing_memory_arm(&fixture.failing, nth, FAIL_ONCE);
      ecs_Status status = ecs_set_name(world, fixture.e, names[i]);
      uint64_t failed = failing_memory_disarm(&fixture.failing);
      injected += failed;
      assert_int_equal(status, failed > 0 ? ECS_E_MEMORY : ECS_OK);
      assert_int_equal(ecs_world_hash(world) == before, failed > 0 || !changes);
      assert_int_equal(ecs_has(world, fixture.e, tag),
                       ecs_name(world, fixture.e) != NULL);
      assert_true(world_check_invariants(world));
    }
    finish(&fixture);
  }
}

/* As a recording ends, too: what fails leaves the tags for the next time. */
TEST(tags_that_found_no_memory_follow_later) {
  for (uint64_t nth = 1, injected = 1; injected > 0; nth++) {
    Fixture fixture;
    start(&fixture);
    ecs_World *world = fixture.world;
    ecs_Component tag = define_tag(world);
    assert_int_equal(ecs_name_tag(world, tag), ECS_OK);
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_set_name(world, fixture.e, "gate"), ECS_OK);
    failing_memory_arm(&fixture.failing, nth, FAIL_ONWARD);
    if (nth % 2 == 0)
      (void)ecs_defer_end(world);
    else
      ecs_defer_discard(world);
    injected = failing_memory_disarm(&fixture.failing);
    if (ecs_deferring(world)) assert_int_equal(ecs_defer_end(world), ECS_OK);
    assert_true(world_check_invariants(world));
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_defer_end(world), ECS_OK);
    assert_named(world, fixture.e, tag, true);
    finish(&fixture);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_entity_has_a_name_and_is_found_by_it),
      cmocka_unit_test(bad_names_and_dead_entities_are_refused),
      cmocka_unit_test(a_name_is_free_when_its_entity_dies),
      cmocka_unit_test(names_change_at_once_while_changes_are_recorded),
      cmocka_unit_test(names_of_the_dead_take_no_room_for_long),
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(a_tag_follows_names),
      cmocka_unit_test(what_is_no_tag_is_refused),
      cmocka_unit_test(the_tag_follows_when_the_recording_ends),
      cmocka_unit_test(each_allocation_may_fail_for_the_tag),
      cmocka_unit_test(tags_that_found_no_memory_follow_later),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
