/* bench_list.c: changes of a list of entities, in random order.
 *
 * Entities have a position and a velocity of two f32 each.
 *
 * - destroy: all but the last 1024 of the list, one by one and by one call; the
 *   hand-written side removes rows by their ids. Every repetition begins with
 *   fresh entities, which are made outside of the timer.
 * - add + remove: a component is added to every entity and removed again, which
 *   is two operations. It has two f32, or what the row's name says. Here the
 *   baseline is the same by the single functions, so the ratio says what the
 *   list gains. "grown": the table or set that entities go to has no room yet.
 */
#include <stdio.h>
#include <stdlib.h>

#include "scene.h"

#define KEPT 1024u

typedef struct List {
  ecs_World *world;
  ecs_Component components[2]; /* that all have */
  ecs_Component other;         /* to be added and removed */
  ecs_Query *query;
  ecs_Entity *entities; /* by number */
  ecs_Entity *order;
  uint32_t *numbers; /* the same order, for the hand-written store */
  uint32_t size;
  HandStore store;
} List;

/* The component to be added and removed. */
typedef struct Other {
  const char *name; /* behind that of the row */
  ecs_Scalar type;
  uint32_t field_count;
  ecs_Storage storage;
} Other;

static const Other pair = {"", ECS_F32, 2, ECS_STORE_TABLE};

static void list_init(List *list, uint32_t size, const Other *other) {
  static const char *const names[] = {"a", "b"};
  ecs_Field fields[2];
  for (uint32_t k = 0; k < other->field_count; k++)
    fields[k] = (ecs_Field){.name = names[k], .type = other->type};
  const ecs_ComponentDescription description = {
      .name = "Other",
      .fields = other->field_count > 0 ? fields : NULL,
      .field_count = other->field_count,
      .storage = other->storage};
  *list = (List){.world = scene_world(), .size = size};
  scene_components(list->world, "Component", 2, list->components);
  MUST(ecs_component(list->world, &description, &list->other));
  list->query = scene_query(list->world, list->components, 2, ECS_READ);
  list->entities = scene_allocate(size, sizeof *list->entities);
  list->order = scene_allocate(size, sizeof *list->order);
  list->numbers = scene_allocate(size, sizeof *list->numbers);
  hand_store_init(&list->store, 4);
}

static void list_deinit(List *list) {
  ecs_world_destroy(list->world);
  hand_store_deinit(&list->store);
  free(list->entities);
  free(list->order);
  free(list->numbers);
}

/* Destroying -------------------------------------------------------------- */

static void refill_world(void *state) {
  List *list = state;
  MUST(ecs_world_clear(list->world));
  scene_spawn(list->world, list->components, 2, list->size, list->entities);
  for (uint32_t i = 0; i < list->size; i++) list->numbers[i] = i;
  measure_shuffle(list->numbers, list->size, 1);
  for (uint32_t i = 0; i < list->size; i++)
    list->order[i] = list->entities[list->numbers[i]];
}

static void refill_store(void *state) {
  List *list = state;
  hand_store_clear(&list->store);
  scene_push(&list->store, list->size);
  for (uint32_t i = 0; i < list->size; i++) list->numbers[i] = i;
  measure_shuffle(list->numbers, list->size, 1);
}

static void destroy_by_hand(void *state, uint32_t iterations) {
  List *list = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t i = 0; i + KEPT < list->size; i++)
      hand_store_remove(&list->store, list->numbers[i], 4);
}

static void destroy_singly(void *state, uint32_t iterations) {
  List *list = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t i = 0; i + KEPT < list->size; i++)
      MUST(ecs_destroy(list->world, list->order[i]));
}

static void destroy_list(void *state, uint32_t iterations) {
  List *list = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    MUST(ecs_destroy_many(list->world, list->order, list->size - KEPT, NULL));
}

static uint64_t world_check(void *state) {
  return scene_hash(((List *)state)->query);
}

static uint64_t store_check(void *state) {
  return hand_store_hash(&((List *)state)->store);
}

static void bench_destroy(const char *name,
                          void (*run)(void *state, uint32_t iterations),
                          uint32_t size, double aim) {
  if (!measure_wanted(name)) return;
  List list;
  list_init(&list, size, &pair);
  refill_world(&list);
  refill_store(&list);
  measure_row(
      &(MeasureRow){.name = name,
                    .order = "random",
                    .memory = "warm",
                    .size = size,
                    .operations = size - KEPT,
                    .aim_nanoseconds = aim,
                    .hand = {&list, refill_store, destroy_by_hand, store_check},
                    .ours = {&list, refill_world, run, world_check}});
  list_deinit(&list);
}

/* Adding and removing ----------------------------------------------------- */

static void toggle_singly(void *state, uint32_t iterations) {
  List *list = state;
  static const uint64_t image[2];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t i = 0; i < list->size; i++)
      MUST(ecs_add(list->world, list->order[i], list->other, image));
    for (uint32_t i = 0; i < list->size; i++)
      MUST(ecs_remove(list->world, list->order[i], list->other));
  }
}

static void toggle_list(void *state, uint32_t iterations) {
  List *list = state;
  static const uint64_t image[2];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    MUST(ecs_add_many(list->world, list->order, list->size, list->other, image,
                      NULL));
    MUST(ecs_remove_many(list->world, list->order, list->size, list->other,
                         NULL));
  }
}

static void grow_world(void *state) {
  List *list = state;
  refill_world(list);
  MUST(ecs_world_trim(list->world));
}

static void bench_toggle(const Other *other, bool grown, uint32_t size) {
  char name[64];
  snprintf(name, sizeof name, "add + remove%s, by list%s", other->name,
           grown ? ", grown" : "");
  if (!measure_wanted(name)) return;
  List one, many;
  list_init(&one, size, other);
  list_init(&many, size, other);
  refill_world(&one);
  refill_world(&many);
  measure_row(&(MeasureRow){
      .name = name,
      .order = "random",
      .memory = grown ? "cold" : "warm",
      .size = size,
      .operations = 2 * (uint64_t)size,
      .aim_ratio = 1,
      .hand = {&one, grown ? grow_world : NULL, toggle_singly, world_check},
      .ours = {&many, grown ? grow_world : NULL, toggle_list, world_check}});
  list_deinit(&one);
  list_deinit(&many);
}

int main(int argument_count, char **arguments) {
  static const uint32_t sizes[] = {SCENE_64K, SCENE_1M};
  static const Other others[] = {
      {"", ECS_F32, 2, ECS_STORE_TABLE},
      {", sparse", ECS_F32, 2, ECS_STORE_SPARSE},
      {" i32", ECS_I32, 1, ECS_STORE_TABLE},
      {" bool", ECS_BOOL, 1, ECS_STORE_TABLE},
      {" entity", ECS_ENTITY, 1, ECS_STORE_TABLE},
      {" f64", ECS_F64, 1, ECS_STORE_TABLE},
      {" tag", ECS_F32, 0, ECS_STORE_TABLE},
      {" i32, sparse", ECS_I32, 1, ECS_STORE_SPARSE},
      {" bool, sparse", ECS_BOOL, 1, ECS_STORE_SPARSE},
      {" entity, sparse", ECS_ENTITY, 1, ECS_STORE_SPARSE},
      {" f64, sparse", ECS_F64, 1, ECS_STORE_SPARSE},
      {" tag, sparse", ECS_F32, 0, ECS_STORE_SPARSE},
      {" tag, bits", ECS_F32, 0, ECS_STORE_BITS}};
  measure_open(argument_count, arguments, "lists");
  for (uint32_t i = 0; i < 2; i++) {
    bench_destroy("destroy, one by one", destroy_singly, sizes[i], 0);
    bench_destroy("destroy, by list", destroy_list, sizes[i],
                  sizes[i] == SCENE_1M ? 40 : 0);
    uint32_t few = sizes[i] == SCENE_1M ? 2 : sizeof others / sizeof *others;
    for (uint32_t k = 0; k < few; k++)
      bench_toggle(&others[k], false, sizes[i]);
    for (uint32_t k = 0; k < 2; k++) bench_toggle(&others[k], true, sizes[i]);
  }
  measure_close();
  return 0;
}
