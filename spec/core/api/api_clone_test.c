/* api_clone_test.c: ecs_clone. */
#include "api_scene.h"
#include "test_case.h"

typedef struct Family {
  Fixture fixture;
  ecs_Component child_of;
  ecs_Entity children[3]; /* of e, of e, of the first of them */
} Family;

static ecs_Entity spawn_child(const Family *family, ecs_Entity parent) {
  const ecs_Component parts[] = {family->child_of, family->fixture.s};
  const uint16_t s = 5;
  const void *const values[] = {&parent, &s};
  ecs_Entity child = 0;
  assert_int_equal(ecs_spawn(family->fixture.world, parts, 2, values, &child),
                   ECS_OK);
  return child;
}

static void start_family(Family *family) {
  static const ecs_Field field = {"parent", ECS_ENTITY, 0};
  static const ecs_Link link = {0, ECS_LINK_DESTROY, true};
  const ecs_ComponentDescription description = {.name = "ChildOf",
                                                .fields = &field,
                                                .field_count = 1,
                                                .links = &link,
                                                .link_count = 1};
  Fixture *fixture = &family->fixture;
  const A a = {4, 1};
  start(fixture);
  assert_int_equal(
      ecs_component(fixture->world, &description, &family->child_of), ECS_OK);
  assert_int_equal(ecs_add(fixture->world, fixture->e, fixture->a, &a), ECS_OK);
  assert_int_equal(ecs_add(fixture->world, fixture->e, fixture->t, NULL),
                   ECS_OK);
  family->children[0] = spawn_child(family, fixture->e);
  family->children[1] = spawn_child(family, fixture->e);
  family->children[2] = spawn_child(family, family->children[0]);
}

static uint32_t count_children(const Family *family, ecs_Entity entity,
                               ecs_Entity *first) {
  uint32_t count = 0;
  assert_int_equal(ecs_links(family->fixture.world, entity, family->child_of, 0,
                             first, 1, &count),
                   ECS_OK);
  return count;
}

static void check_family(const Family *family, ecs_Entity clone) {
  const Fixture *fixture = &family->fixture;
  ecs_Entity child = 0, below = 0;
  A a = {0, 0};
  uint16_t s = 0;
  assert_int_equal(ecs_get(fixture->world, clone, fixture->a, &a), ECS_OK);
  assert_true(a.x == 4 && a.flag == 1);
  assert_true(ecs_has(fixture->world, clone, fixture->t));
  assert_int_equal(count_children(family, clone, &child), 2);
  assert_int_equal(ecs_get(fixture->world, child, fixture->s, &s), ECS_OK);
  assert_int_equal(s, 5);
  assert_int_equal(count_children(family, child, &below), 1);
  assert_int_equal(count_children(family, fixture->e, &child), 2);
}

/* Refuses to clone, and changes nothing but which handles come next. */
static void check_refused(const Family *family, ecs_Entity entity,
                          ecs_Status expected) {
  ecs_World *world = family->fixture.world;
  ecs_Entity clone = 7;
  uint64_t before = ecs_world_state_hash(world);
  assert_int_equal(ecs_clone(world, entity, &clone), expected);
  assert_true(ecs_world_state_hash(world) == before);
  assert_true(clone == 7);
}

TEST(statuses_are_as_documented) {
  Family family;
  start_family(&family);
  Fixture *fixture = &family.fixture;
  ecs_Query *query = NULL;
  ecs_Cursor cursor;
  const ecs_Term term = {fixture->s, ECS_WRITE};
  check_refused(&family, fixture->dead, ECS_E_DEAD);
  check_refused(&family, 0, ECS_E_DEAD);
  assert_int_equal(ecs_clone(fixture->world, fixture->e, NULL), ECS_E_ARGUMENT);
  assert_int_equal(ecs_query_create(fixture->world, &term, 1, &query), ECS_OK);
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  check_refused(&family, fixture->e, ECS_E_ACCESS);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  /* Its parent dies when changes are applied. */
  assert_int_equal(ecs_defer_begin(fixture->world), ECS_OK);
  assert_int_equal(ecs_destroy(fixture->world, fixture->e), ECS_OK);
  check_refused(&family, family.children[1], ECS_E_LINK);
  ecs_defer_discard(fixture->world);
  finish(fixture);
}

/* Each allocation fails once, at once and recorded: all is cloned, or nothing.
 */
TEST(each_allocation_may_fail) {
  for (uint32_t recorded = 0; recorded < 2; recorded++) {
    for (uint64_t nth = 1, injected = 1; injected > 0; nth++) {
      Family family;
      start_family(&family);
      ecs_World *world = family.fixture.world;
      ecs_Entity clone = 0;
      uint64_t before = ecs_world_state_hash(world);
      failing_memory_arm(&family.fixture.failing, nth, FAIL_ONCE);
      if (recorded) assert_int_equal(ecs_defer_begin(world), ECS_OK);
      ecs_Status status = ecs_clone(world, family.fixture.e, &clone);
      ecs_Status ended = recorded ? ecs_defer_end(world) : ECS_OK;
      injected = failing_memory_disarm(&family.fixture.failing);
      if (status == ECS_OK) status = ended;
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      if (status == ECS_OK)
        check_family(&family, clone);
      else if (!recorded)
        assert_true(ecs_world_state_hash(world) == before);
      finish(&family.fixture);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statuses_are_as_documented),
      cmocka_unit_test(each_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
