/* held_marks_test.c: fields of type string and any in a world of the core: who
 * may have them, what hashes count, what is marked. */
#include <stdlib.h>
#include <string.h>

#include "test_case.h"
#include "failing_memory.h"
#include "state/held_marks.h"
#include "ecs.h"
#include "ecs_array.h"

static const ecs_Field fields[] = {
    {"label", ECS_STRING, 0}, {"x", ECS_F64, 0}, {"image", ECS_ANY_VALUE, 0}};
static const ecs_ComponentDescription sprite = {
    .name = "Sprite", .fields = fields, .field_count = 3};
static const ecs_ComponentDescription sparse = {.name = "Sparse",
                                                .fields = fields,
                                                .field_count = 1,
                                                .storage = ECS_STORE_SPARSE};

typedef struct Image {
  uint32_t label;
  double x;
  uint32_t image;
} Image;

typedef struct Scene {
  FailingMemory failing;
  ecs_World *world;
  HeldValues held;
  ecs_Component sprite, sparse;
} Scene;

/* Holds t1, t2 and so on; shift: from another number on. */
static void start(Scene *scene, uint32_t count, uint32_t shift) {
  static char texts[64][4];
  memset(scene, 0, sizeof *scene);
  ecs_WorldDescription description = {.memory =
                                          failing_memory_init(&scene->failing)};
  assert_int_equal(ecs_world_create(&description, &scene->world), ECS_OK);
  ecs_held_move(&scene->held, calloc(1, ecs_held_bytes(64)), 64);
  for (uint32_t k = 0; k < shift + count; k++) {
    HeldValue value;
    texts[k][0] = k < shift ? 'o' : 't';
    texts[k][1] = (char)('a' + (k < shift ? k : k - shift));
    ecs_held_string(&value, texts[k], 2);
    ecs_held_add(&scene->held, &value);
  }
  ecs_world_hold_values(scene->world, &scene->held);
  assert_int_equal(ecs_component(scene->world, &sprite, &scene->sprite),
                   ECS_OK);
  assert_int_equal(ecs_component(scene->world, &sparse, &scene->sparse),
                   ECS_OK);
}

static void finish(Scene *scene) {
  ecs_world_destroy(scene->world);
  assert_int_equal(scene->failing.bytes, 0);
  free(scene->held.all);
}

static ecs_Entity spawn(Scene *scene, uint32_t label, uint32_t image,
                        uint32_t other) {
  const ecs_Component components[] = {scene->sprite, scene->sparse};
  Image value = {label, 1, image};
  const void *images[] = {&value, &other};
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(scene->world, components, 2, images, &entity),
                   ECS_OK);
  return entity;
}

/* Marks; then are these the numbers that have marks? */
static bool marks(Scene *scene, const uint32_t *numbers, uint32_t count) {
  uint32_t marked = 0;
  ecs_held_unmark(&scene->held);
  assert_true(ecs_world_is_settled(scene->world));
  ecs_world_mark_held(scene->world, &scene->held);
  for (uint32_t k = 1; k < scene->held.count; k++)
    marked += scene->held.all[k].marked;
  for (uint32_t k = 0; k < count; k++)
    if (!scene->held.all[numbers[k]].marked) return false;
  return marked == count;
}

TEST(only_a_world_that_holds_values_has_such_fields) {
  Scene scene;
  ecs_WorldDescription description = {0};
  ecs_World *world;
  ecs_Component component;
  assert_int_equal(ecs_world_create(&description, &world), ECS_OK);
  assert_int_equal(ecs_component(world, &sprite, &component), ECS_E_ARGUMENT);
  ecs_Field wrong = {"label", ECS_STRING, 1};
  ecs_ComponentDescription other = {
      .name = "Other", .fields = &wrong, .field_count = 1};
  assert_int_equal(ecs_component(world, &other, &component), ECS_E_VALUE);
  ecs_ArrayDescription array = {
      .name = "a", .type = ECS_STRING, .dimensions = 1, .sizes = {1, 0, 0}};
  ecs_Array *made;
  assert_int_equal(ecs_array(world, &array, &made), ECS_E_ARGUMENT);
  ecs_world_destroy(world);
  start(&scene, 3, 0);
  finish(&scene);
}

TEST(hashes_count_what_is_held_and_not_its_number) {
  Scene one, other;
  start(&one, 3, 0);
  start(&other, 3, 5);
  spawn(&one, 1, 2, 3);
  spawn(&other, 6, 7, 8);
  assert_true(ecs_world_hash(one.world) == ecs_world_hash(other.world));
  assert_true(ecs_world_state_hash(one.world) ==
              ecs_world_state_hash(other.world));
  uint64_t hash = ecs_world_hash(one.world);
  ecs_Entity last = spawn(&one, 1, 2, 3);
  assert_true(ecs_world_hash(one.world) != hash);
  ecs_destroy(one.world, last);
  spawn(&one, 1, 999, 3); /* held for nothing: as nil */
  last = spawn(&other, 6, 0, 8);
  ecs_destroy(other.world, last);
  spawn(&other, 6, 0, 8);
  assert_true(ecs_world_state_hash(one.world) ==
              ecs_world_state_hash(other.world));
  finish(&one);
  finish(&other);
}

TEST(columns_and_snapshots_are_marked) {
  Scene scene;
  start(&scene, 20, 0);
  ecs_Snapshot *snapshot;
  ecs_Entity first = spawn(&scene, 1, 2, 3);
  spawn(&scene, 1, 4, 5);
  assert_true(marks(&scene, (uint32_t[]){1, 2, 3, 4, 5}, 5));
  assert_int_equal(ecs_snapshot_create(scene.world, &snapshot), ECS_OK);
  assert_true(marks(&scene, (uint32_t[]){1, 2, 3, 4, 5}, 5));
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  ecs_destroy(scene.world, first);
  assert_int_equal(ecs_world_clear(scene.world), ECS_OK);
  spawn(&scene, 7, 8, 9);
  assert_true(marks(&scene, (uint32_t[]){1, 2, 3, 4, 5, 7, 8, 9}, 8));
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  assert_true(marks(&scene, (uint32_t[]){7, 8, 9}, 3));
  finish(&scene);
}

TEST(an_open_world_is_not_settled) {
  Scene scene;
  start(&scene, 3, 0);
  assert_true(ecs_world_is_settled(scene.world));
  assert_int_equal(ecs_defer_begin(scene.world), ECS_OK);
  assert_false(ecs_world_is_settled(scene.world));
  assert_int_equal(ecs_defer_end(scene.world), ECS_OK);
  assert_true(ecs_world_is_settled(scene.world));
  finish(&scene);
}

/* Defining and spawning with each allocation failing once. */
TEST(every_allocation_may_fail) {
  bool injected = true;
  for (uint64_t nth = 1; injected; nth++) {
    Scene scene;
    start(&scene, 8, 0);
    failing_memory_arm(&scene.failing, nth, FAIL_ONCE);
    const ecs_Component components[] = {scene.sprite, scene.sparse};
    Image value = {1, 2, 3};
    uint32_t other = 4;
    const void *images[] = {&value, &other};
    ecs_Entity entity = 0;
    ecs_Snapshot *snapshot = NULL;
    ecs_Status status = ecs_spawn(scene.world, components, 2, images, &entity);
    if (status == ECS_OK) status = ecs_snapshot_create(scene.world, &snapshot);
    if (status == ECS_OK) status = ecs_snapshot_take(snapshot);
    injected = failing_memory_disarm(&scene.failing);
    if (!injected) assert_int_equal(status, ECS_OK);
    uint64_t hash = ecs_world_hash(scene.world);
    ecs_held_unmark(&scene.held);
    ecs_world_mark_held(scene.world, &scene.held);
    assert_int_equal(scene.held.all[3].marked, entity != 0);
    assert_true(ecs_world_hash(scene.world) == hash);
    finish(&scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_a_world_that_holds_values_has_such_fields),
      cmocka_unit_test(hashes_count_what_is_held_and_not_its_number),
      cmocka_unit_test(columns_and_snapshots_are_marked),
      cmocka_unit_test(an_open_world_is_not_settled),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
