/* bench_list.c: changes of a list of entities, in random order.
 *
 * Entities have a position and a velocity of two f32 each.
 *
 * - destroy: all but the last 1024 of the list, one by one and by one call; the
 *   hand-written side removes rows by their ids. Every repetition begins with
 *   fresh entities, which are made outside of the timer.
 * - add + remove: a component of two f32 is added to every entity and removed
 *   again, which is two operations. Here the baseline is the same by the single
 *   functions, so the ratio says what the list gains.
 */
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

static void list_init(List *list, uint32_t size, ecs_Storage storage) {
  *list = (List){.world = scene_world(), .size = size};
  scene_components(list->world, "Component", 2, list->components);
  list->other = scene_component(list->world, "Other", 2, storage);
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
  list_init(&list, size, ECS_STORE_TABLE);
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
  const float image[] = {1, 2};
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t i = 0; i < list->size; i++)
      MUST(ecs_add(list->world, list->order[i], list->other, image));
    for (uint32_t i = 0; i < list->size; i++)
      MUST(ecs_remove(list->world, list->order[i], list->other));
  }
}

static void toggle_list(void *state, uint32_t iterations) {
  List *list = state;
  const float image[] = {1, 2};
  for (uint32_t turn = 0; turn < iterations; turn++) {
    MUST(ecs_add_many(list->world, list->order, list->size, list->other, image,
                      NULL));
    MUST(ecs_remove_many(list->world, list->order, list->size, list->other,
                         NULL));
  }
}

static void bench_toggle(const char *name, ecs_Storage storage, uint32_t size) {
  if (!measure_wanted(name)) return;
  List one, other;
  list_init(&one, size, storage);
  list_init(&other, size, storage);
  refill_world(&one);
  refill_world(&other);
  measure_row(&(MeasureRow){.name = name,
                            .order = "random",
                            .memory = "warm",
                            .size = size,
                            .operations = 2 * (uint64_t)size,
                            .hand = {&one, NULL, toggle_singly, world_check},
                            .ours = {&other, NULL, toggle_list, world_check}});
  list_deinit(&one);
  list_deinit(&other);
}

int main(int argument_count, char **arguments) {
  static const uint32_t sizes[] = {SCENE_64K, SCENE_1M};
  measure_open(argument_count, arguments, "lists");
  for (uint32_t i = 0; i < 2; i++) {
    bench_destroy("destroy, one by one", destroy_singly, sizes[i], 0);
    bench_destroy("destroy, by list", destroy_list, sizes[i],
                  sizes[i] == SCENE_1M ? 40 : 0);
    bench_toggle("add + remove, by list", ECS_STORE_TABLE, sizes[i]);
    bench_toggle("add + remove, sparse, by list", ECS_STORE_SPARSE, sizes[i]);
  }
  measure_close();
  return 0;
}
