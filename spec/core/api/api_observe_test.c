/* api_observe_test.c: observers and their notices; random programs are in
 * observe_test.c. */
#include "observe_fixture.h"
#include "test_case.h"

/* One world ---------------------------------------------------------------- */

typedef struct Scene {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component kinds[KINDS];
  Log log;
} Scene;

static void open_scene(Scene *scene) {
  scene->world = open_world(&scene->failing);
  define_kinds(scene->world, 0, scene->kinds);
}

static void close_scene(Scene *scene) {
  assert_true(world_check_invariants(scene->world));
  close_world(scene->world, &scene->failing);
}

static ecs_Observer observe(const Scene *scene, ecs_Occasion occasion,
                            uint32_t kind) {
  ecs_Observer observer = 0;
  ecs_Component component = occasion == ECS_ON_DESTROY ? 0 : scene->kinds[kind];
  assert_int_equal(ecs_observe(scene->world, occasion, component, &observer),
                   ECS_OK);
  return observer;
}

static ecs_Entity spawn(const Scene *scene, uint32_t count) {
  ecs_Entity entity = 0;
  const Image image = {3, 4};
  const void *const values[] = {&image, &image, NULL};
  assert_int_equal(
      ecs_spawn(scene->world, scene->kinds, count, values, &entity), ECS_OK);
  return entity;
}

TEST(a_change_is_told_at_once) {
  Scene scene;
  open_scene(&scene);
  ecs_Observer added = observe(&scene, ECS_ON_ADD, 0);
  ecs_Observer removed = observe(&scene, ECS_ON_REMOVE, 0);
  ecs_Entity e = spawn(&scene, 0);
  const Image image = {1, 2};
  assert_int_equal(ecs_add(scene.world, e, scene.kinds[1], NULL), ECS_OK);
  read_notices(scene.world, &scene.log);
  assert_int_equal(scene.log.count, 0);
  assert_int_equal(ecs_add(scene.world, e, scene.kinds[0], &image), ECS_OK);
  assert_int_equal(*ecs_world_notices(scene.world), 1);
  assert_int_equal(ecs_remove(scene.world, e, scene.kinds[0]), ECS_OK);
  read_notices(scene.world, &scene.log);
  assert_int_equal(scene.log.count, 2);
  assert_notice(&scene.log, 0, added, e);
  assert_int_equal(scene.log.notices[0].image_count, 0);
  assert_notice(&scene.log, 1, removed, e);
  assert_int_equal(scene.log.notices[1].image_count, 1);
  assert_int_equal(scene.log.images[1].x, 1);
  assert_true(scene.log.images[1].y == 2);
  close_scene(&scene);
}

TEST(last_values_are_shown_after_a_trim) {
  Scene scene;
  open_scene(&scene);
  ecs_Observer removed = observe(&scene, ECS_ON_REMOVE, 0);
  ecs_Entity e = spawn(&scene, 1);
  assert_int_equal(ecs_world_trim(scene.world), ECS_OK);
  assert_int_equal(ecs_remove(scene.world, e, scene.kinds[0]), ECS_OK);
  read_notices(scene.world, &scene.log);
  assert_notice(&scene.log, 0, removed, e);
  assert_int_equal(scene.log.images[0].x, 3);
  close_scene(&scene);
}

TEST(a_death_is_told_behind_the_parts) {
  Scene scene;
  open_scene(&scene);
  ecs_Observer died = observe(&scene, ECS_ON_DESTROY, 0);
  ecs_Observer second = observe(&scene, ECS_ON_REMOVE, 1);
  ecs_Observer first = observe(&scene, ECS_ON_REMOVE, 0);
  ecs_Entity e = spawn(&scene, 2), bare = spawn(&scene, 0);
  assert_int_equal(ecs_destroy(scene.world, e), ECS_OK);
  assert_int_equal(ecs_destroy(scene.world, bare), ECS_OK);
  read_notices(scene.world, &scene.log);
  assert_int_equal(scene.log.count, 4);
  assert_notice(&scene.log, 0, second, e);
  assert_notice(&scene.log, 1, first, e);
  assert_int_equal(scene.log.images[1].x, 3);
  assert_notice(&scene.log, 2, died, e);
  assert_notice(&scene.log, 3, died, bare);
  close_scene(&scene);
}

TEST(only_the_net_change_of_a_recording_is_told) {
  Scene scene;
  open_scene(&scene);
  ecs_Entity both = spawn(&scene, 0), gone = spawn(&scene, 1);
  ecs_Observer removed = observe(&scene, ECS_ON_REMOVE, 0);
  observe(&scene, ECS_ON_ADD, 0);
  const Image image = {9, 0};
  assert_int_equal(ecs_defer_begin(scene.world), ECS_OK);
  assert_int_equal(ecs_add(scene.world, both, scene.kinds[0], NULL), ECS_OK);
  assert_int_equal(ecs_remove(scene.world, both, scene.kinds[0]), ECS_OK);
  assert_int_equal(ecs_destroy(scene.world, spawn(&scene, 1)), ECS_OK);
  assert_int_equal(ecs_add(scene.world, gone, scene.kinds[1], NULL), ECS_OK);
  assert_int_equal(ecs_set(scene.world, gone, scene.kinds[0], &image, 1),
                   ECS_OK);
  assert_int_equal(ecs_remove(scene.world, gone, scene.kinds[0]), ECS_OK);
  assert_int_equal(*ecs_world_notices(scene.world), 0);
  assert_int_equal(ecs_defer_end(scene.world), ECS_OK);
  read_notices(scene.world, &scene.log);
  assert_int_equal(scene.log.count, 1);
  assert_notice(&scene.log, 0, removed, gone);
  assert_int_equal(scene.log.images[0].x, 9); /* the set before it counts */
  assert_true(scene.log.images[0].y == 4);
  close_scene(&scene);
}

TEST(a_set_is_told_where_the_component_was) {
  Scene scene;
  open_scene(&scene);
  ecs_Observer set = observe(&scene, ECS_ON_SET, 0);
  ecs_Observer added = observe(&scene, ECS_ON_ADD, 0);
  ecs_Entity e = spawn(&scene, 0);
  const Image image = {1, 1};
  for (uint32_t i = 0; i < 2; i++)
    assert_int_equal(ecs_set(scene.world, e, scene.kinds[0], &image, 3),
                     ECS_OK);
  assert_int_equal(ecs_set_field(scene.world, e, scene.kinds[0], 1, 5), ECS_OK);
  ecs_Accessor accessor;
  assert_int_equal(ecs_accessor(scene.world, scene.kinds[0], &accessor),
                   ECS_OK);
  assert_int_equal(ecs_accessor_set(&accessor, e, &image), ECS_OK);
  read_notices(scene.world, &scene.log);
  assert_int_equal(scene.log.count, 3);
  assert_notice(&scene.log, 0, added, e);
  assert_notice(&scene.log, 1, set, e);
  assert_notice(&scene.log, 2, set, e);
  close_scene(&scene);
}

TEST(sets_while_the_world_is_open_are_told_at_its_end) {
  Scene scene;
  open_scene(&scene);
  ecs_Observer set = observe(&scene, ECS_ON_SET, 0);
  ecs_Entity e = spawn(&scene, 1), other = spawn(&scene, 1);
  const Image image = {1, 1};
  Image found;
  assert_int_equal(ecs_defer_begin(scene.world), ECS_OK);
  assert_int_equal(ecs_set(scene.world, other, scene.kinds[0], &image, 3),
                   ECS_OK);
  assert_int_equal(ecs_set(scene.world, other, scene.kinds[0], &image, 3),
                   ECS_OK);
  assert_int_equal(ecs_get(scene.world, other, scene.kinds[0], &found), ECS_OK);
  assert_int_equal(found.x, 1); /* it does not wait for that */
  assert_int_equal(ecs_defer_begin(scene.world), ECS_OK);
  assert_int_equal(ecs_set(scene.world, e, scene.kinds[0], &image, 3), ECS_OK);
  ecs_defer_discard(scene.world);
  assert_int_equal(ecs_set(scene.world, e, scene.kinds[0], &image, 1), ECS_OK);
  assert_int_equal(*ecs_world_notices(scene.world), 0);
  assert_int_equal(ecs_defer_end(scene.world), ECS_OK);
  read_notices(scene.world, &scene.log);
  assert_int_equal(scene.log.count, 2);
  assert_notice(&scene.log, 0, set, other);
  assert_notice(&scene.log, 1, set, e);
  close_scene(&scene);
}

TEST(a_query_tells_who_enters_and_who_leaves) {
  Scene scene;
  open_scene(&scene);
  const ecs_Term terms[] = {{scene.kinds[0], ECS_READ},
                            {scene.kinds[1], ECS_OPTIONAL},
                            {scene.kinds[2], ECS_WITHOUT}};
  ecs_Query *query = make_query(scene.world, terms, 3);
  ecs_Observer enter = 0, leave = 0;
  assert_int_equal(ecs_observe_query(query, ECS_ON_ENTER, &enter), ECS_OK);
  assert_int_equal(ecs_observe_query(query, ECS_ON_LEAVE, &leave), ECS_OK);
  assert_int_equal(ecs_query_destroy(query), ECS_OK);
  ecs_Entity e = spawn(&scene, 1);
  assert_int_equal(ecs_add(scene.world, e, scene.kinds[1], NULL), ECS_OK);
  assert_int_equal(ecs_add(scene.world, e, scene.kinds[2], NULL), ECS_OK);
  assert_int_equal(ecs_remove(scene.world, e, scene.kinds[1]), ECS_OK);
  assert_int_equal(ecs_remove(scene.world, e, scene.kinds[2]), ECS_OK);
  assert_int_equal(ecs_destroy(scene.world, e), ECS_OK);
  ecs_Notice notice;
  assert_int_equal(ecs_notices_begin(scene.world), 4);
  assert_true(ecs_notice_next(scene.world, &notice));
  assert_int_equal(notice.observer, enter);
  assert_true(ecs_notice_next(scene.world, &notice));
  assert_int_equal(notice.observer, leave);
  assert_int_equal(notice.image_count, 2);
  assert_int_equal(((const Image *)notice.images[0])->x, 3);
  assert_int_equal(((const Image *)notice.images[1])->x, 7);
  assert_true(ecs_notice_next(scene.world, &notice));
  assert_int_equal(notice.observer, enter);
  assert_true(ecs_notice_next(scene.world, &notice));
  assert_int_equal(notice.observer, leave);
  assert_null(notice.images[1]);
  assert_false(ecs_notice_next(scene.world, &notice));
  close_scene(&scene);
}

TEST(a_query_without_terms_tells_of_every_entity) {
  Scene scene;
  open_scene(&scene);
  ecs_Query *query = make_query(scene.world, NULL, 0);
  ecs_Observer enter = 0;
  ecs_Bundle bundle = 0;
  assert_int_equal(ecs_bundle(scene.world, scene.kinds, 1, &bundle), ECS_OK);
  assert_int_equal(ecs_observe_query(query, ECS_ON_ENTER, &enter), ECS_OK);
  spawn(&scene, 0);
  assert_int_equal(ecs_spawn_many(scene.world, bundle, 3, NULL), ECS_OK);
  read_notices(scene.world, &scene.log);
  assert_int_equal(scene.log.count, 4);
  close_scene(&scene);
}

TEST(many_spawned_and_cleared_are_told_in_order) {
  Scene scene;
  open_scene(&scene);
  ecs_Observer added = observe(&scene, ECS_ON_ADD, 0);
  ecs_Observer removed = observe(&scene, ECS_ON_REMOVE, 0);
  ecs_Observer died = observe(&scene, ECS_ON_DESTROY, 0);
  ecs_Bundle bundle = 0;
  ecs_Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(ecs_bundle(scene.world, scene.kinds, 2, &bundle), ECS_OK);
  assert_int_equal(ecs_spawn_many(scene.world, bundle, 3, &cursor), ECS_OK);
  assert_true(ecs_cursor_next(&cursor, &batch));
  for (uint32_t i = 0; i < 3; i++) ((uint32_t *)batch.columns[0])[i] = i;
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  read_notices(scene.world, &scene.log);
  assert_int_equal(scene.log.count, 3);
  for (uint32_t i = 0; i < 3; i++) assert_notice(&scene.log, i, added, i + 1);
  assert_int_equal(ecs_world_clear(scene.world), ECS_OK);
  read_notices(scene.world, &scene.log);
  assert_int_equal(scene.log.count, 6);
  for (uint32_t i = 0; i < 3; i++) {
    assert_notice(&scene.log, 2 * i, removed, i + 1);
    assert_int_equal(scene.log.images[2 * i].x, i);
    assert_notice(&scene.log, 2 * i + 1, died, i + 1);
  }
  close_scene(&scene);
}

TEST(what_is_unobserved_is_told_no_more) {
  Scene scene;
  open_scene(&scene);
  ecs_Observer first = observe(&scene, ECS_ON_ADD, 0);
  ecs_Observer second = observe(&scene, ECS_ON_ADD, 0);
  spawn(&scene, 1);
  ecs_unobserve(scene.world, first);
  ecs_unobserve(scene.world, first);
  read_notices(scene.world, &scene.log);
  assert_int_equal(scene.log.count, 1);
  assert_int_equal(scene.log.notices[0].observer, second);
  ecs_unobserve(scene.world, second);
  spawn(&scene, 1);
  assert_int_equal(*ecs_world_notices(scene.world), 0);
  assert_false(scene.world->store.components.all[scene.kinds[0]].noticed);
  close_scene(&scene);
}

TEST(what_happens_in_a_round_waits_for_the_next) {
  Scene scene;
  open_scene(&scene);
  observe(&scene, ECS_ON_ADD, 0);
  ecs_Notice notice;
  spawn(&scene, 1);
  assert_int_equal(ecs_notices_begin(scene.world), 1);
  ecs_Entity later = spawn(&scene, 1);
  assert_int_equal(*ecs_world_notices(scene.world), 1);
  assert_true(ecs_notice_next(scene.world, &notice));
  assert_false(ecs_notice_next(scene.world, &notice));
  assert_int_equal(ecs_notices_begin(scene.world), 1);
  assert_true(ecs_notice_next(scene.world, &notice));
  assert_int_equal(notice.entity, later);
  spawn(&scene, 1);
  ecs_notices_drop(scene.world);
  assert_int_equal(ecs_notices_begin(scene.world), 0);
  close_scene(&scene);
}

TEST(wrong_arguments_are_refused) {
  Scene scene;
  open_scene(&scene);
  ecs_Observer observer = 0;
  ecs_World *world = scene.world;
  ecs_Query *query = make_query(world, NULL, 0);
  ecs_Component a = scene.kinds[0];
  assert_int_equal(ecs_observe(world, ECS_ON_ADD, 99, &observer),
                   ECS_E_COMPONENT);
  assert_int_equal(ecs_observe(world, ECS_ON_SET, scene.kinds[2], &observer),
                   ECS_E_COMPONENT);
  assert_int_equal(ecs_observe(world, ECS_ON_DESTROY, a, &observer),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_observe(world, ECS_ON_ENTER, a, &observer),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_observe(world, ECS_OCCASION_COUNT, a, &observer),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_observe(world, ECS_ON_ADD, a, NULL), ECS_E_ARGUMENT);
  assert_int_equal(ecs_observe_query(query, ECS_ON_ADD, &observer),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_observe_query(query, ECS_ON_LEAVE, NULL),
                   ECS_E_ARGUMENT);
  assert_int_equal(observer, 0);
  close_scene(&scene);
}

#ifdef ECS_TINY
TEST(the_limits_are_kept) {
  Scene scene;
  open_scene(&scene);
  ecs_Observer observer = 0;
  for (uint32_t i = 0; i < ECS_OBSERVER_LIMIT; i++)
    observe(&scene, ECS_ON_ADD, 0);
  assert_int_equal(
      ecs_observe(scene.world, ECS_ON_ADD, scene.kinds[0], &observer),
      ECS_E_LIMIT);
  for (uint32_t i = 0; i < ECS_NOTICE_LIMIT / ECS_OBSERVER_LIMIT; i++)
    spawn(&scene, 1);
  uint64_t hash = ecs_world_hash(scene.world);
  ecs_Entity entity = 0;
  ecs_Bundle bundle = 0;
  assert_int_equal(ecs_bundle(scene.world, scene.kinds, 1, &bundle), ECS_OK);
  assert_int_equal(ecs_spawn(scene.world, scene.kinds, 1, NULL, &entity),
                   ECS_E_LIMIT);
  assert_int_equal(ecs_spawn_many(scene.world, bundle, 1, NULL), ECS_E_LIMIT);
  assert_int_equal(*ecs_world_notices(scene.world), ECS_NOTICE_LIMIT);
  assert_int_equal(ecs_world_hash(scene.world), hash);
  read_notices(scene.world, &scene.log);
  assert_int_equal(scene.log.count, ECS_NOTICE_LIMIT);
  spawn(&scene, 1);
  close_scene(&scene);
}
#endif

/* Failures ----------------------------------------------------------------- */

/* Prepares what all_at_once changes: changes of each kind, and a link. */
static ecs_Entity prepare(Scene *scene, ecs_Entity *linked) {
  static const ecs_Field target = {"target", ECS_ENTITY, 0};
  static const ecs_Link link = {0, ECS_LINK_DESTROY, false};
  open_scene(scene);
  const ecs_ComponentDescription description = {.name = "Follows",
                                                .fields = &target,
                                                .field_count = 1,
                                                .links = &link,
                                                .link_count = 1};
  ecs_Component follows = 0;
  assert_int_equal(ecs_component(scene->world, &description, &follows), ECS_OK);
  ecs_Entity e = spawn(scene, 3);
  const void *const values[] = {&e};
  assert_int_equal(ecs_spawn(scene->world, &follows, 1, values, linked),
                   ECS_OK);
  assert_int_equal(ecs_add(scene->world, *linked, scene->kinds[0], NULL),
                   ECS_OK);
  for (uint32_t occasion = 0; occasion < ECS_ON_ENTER; occasion++)
    observe(scene, (ecs_Occasion)occasion, 0);
  observe(scene, ECS_ON_DESTROY, 0);
  return e;
}

static ecs_Status all_at_once(const Scene *scene, ecs_Entity e) {
  const Image image = {1, 1};
  ecs_World *world = scene->world;
  ecs_Status status = ecs_defer_begin(world);
  if (status != ECS_OK) return status;
  status = ecs_spawn(world, scene->kinds, 2, NULL, NULL);
  if (status == ECS_OK) status = ecs_set(world, e, scene->kinds[0], &image, 1);
  if (status == ECS_OK) status = ecs_destroy(world, e);
  if (status == ECS_OK) return ecs_defer_end(world);
  ecs_defer_discard(world);
  return status;
}

TEST(a_failure_leaves_no_notice) {
  for (uint32_t mode = 0; mode < 2; mode++)
    for (uint64_t n = 1;; n++) {
      Scene scene;
      ecs_Entity linked = 0, e = prepare(&scene, &linked);
      uint64_t hash = ecs_world_state_hash(scene.world);
      failing_memory_arm(&scene.failing, n, (FailingMode)mode);
      ecs_Status status = all_at_once(&scene, e);
      bool failed = failing_memory_disarm(&scene.failing) > 0;
      read_notices(scene.world, &scene.log);
      if (status == ECS_OK) {
        assert_int_equal(scene.log.count, 5);
        assert_notice(&scene.log, 1, 2, e);
        assert_int_equal(scene.log.images[1].x, 1);
        assert_notice(&scene.log, 2, 4, e);
        assert_notice(&scene.log, 3, 2, linked);
        assert_notice(&scene.log, 4, 4, linked);
      } else {
        assert_int_equal(status, ECS_E_MEMORY);
        assert_int_equal(scene.log.count, 0);
        assert_true(ecs_alive(scene.world, e));
        assert_true(ecs_alive(scene.world, linked));
      }
      if (status != ECS_OK && n == 1)
        assert_int_equal(ecs_world_state_hash(scene.world), hash);
      close_scene(&scene);
      if (!failed) break;
    }
}

TEST(a_failing_registration_changes_nothing) {
  for (uint64_t n = 1;; n++) {
    Scene scene;
    open_scene(&scene);
    ecs_Observer observer = 0;
    failing_memory_arm(&scene.failing, n, FAIL_ONCE);
    ecs_Status status =
        ecs_observe(scene.world, ECS_ON_ADD, scene.kinds[0], &observer);
    bool failed = failing_memory_disarm(&scene.failing) > 0;
    spawn(&scene, 1);
    assert_int_equal(*ecs_world_notices(scene.world), status == ECS_OK);
    close_scene(&scene);
    if (!failed) break;
  }
}

TEST(a_failing_clear_tells_nothing) {
  for (uint64_t n = 1;; n++) {
    Scene scene;
    ecs_Entity linked = 0, e = prepare(&scene, &linked);
    failing_memory_arm(&scene.failing, n, FAIL_ONCE);
    ecs_Status status = ecs_world_clear(scene.world);
    bool failed = failing_memory_disarm(&scene.failing) > 0;
    assert_int_equal(ecs_alive(scene.world, e), status != ECS_OK);
    assert_int_equal(*ecs_world_notices(scene.world), status == ECS_OK ? 4 : 0);
    close_scene(&scene);
    if (!failed) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_change_is_told_at_once),
      cmocka_unit_test(last_values_are_shown_after_a_trim),
      cmocka_unit_test(a_death_is_told_behind_the_parts),
      cmocka_unit_test(only_the_net_change_of_a_recording_is_told),
      cmocka_unit_test(a_set_is_told_where_the_component_was),
      cmocka_unit_test(sets_while_the_world_is_open_are_told_at_its_end),
      cmocka_unit_test(a_query_tells_who_enters_and_who_leaves),
      cmocka_unit_test(a_query_without_terms_tells_of_every_entity),
      cmocka_unit_test(many_spawned_and_cleared_are_told_in_order),
      cmocka_unit_test(what_is_unobserved_is_told_no_more),
      cmocka_unit_test(what_happens_in_a_round_waits_for_the_next),
      cmocka_unit_test(wrong_arguments_are_refused),
#ifdef ECS_TINY
      cmocka_unit_test(the_limits_are_kept),
#endif
      cmocka_unit_test(a_failure_leaves_no_notice),
      cmocka_unit_test(a_failing_registration_changes_nothing),
      cmocka_unit_test(a_failing_clear_tells_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
