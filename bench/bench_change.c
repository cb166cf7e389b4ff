/* bench_change.c: what changes of structure cost, on 64k entities.
 *
 * Specifications. All values are given, memory is warm, and a time is that of a
 * pair of changes:
 *
 * - add + remove: the component is added to every entity, then removed from
 *   every entity, in the same order. Half-way the matches are counted, once, so
 *   that an add that does nothing is detected. Components have two f32; the
 *   other components stay where they are, or move along when they are in the
 *   same group.
 * - create + destroy: an entity of two components is created and destroyed at
 *   once, beside 64k others.
 * - destroy + create: one of the 64k is destroyed, and an entity with the same
 *   values is created in its place, in random order. */
#include <stdio.h>
#include <stdlib.h>

#include "scene.h"

#define SIZE SCENE_64K
#define OTHERS_LIMIT 10u

/* Add + remove ------------------------------------------------------------ */

typedef struct Toggle {
  ecs_World *world;
  ecs_Component changing;
  ecs_Component others[OTHERS_LIMIT];
  uint32_t other_count;
  bool is_tag;
  ecs_Query *reader;  /* over the other components */
  ecs_Query *changed; /* over the changing component */
  uint64_t most;      /* matches half-way through the last run */
  ecs_Entity *ordered;
} Toggle;

static void toggle_run(void *state, uint32_t iterations) {
  Toggle *toggle = state;
  ecs_World *world = toggle->world;
  ecs_Component changing = toggle->changing;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      float image[2] = {(float)(int32_t)k, 1};
      MUST(ecs_add(world, toggle->ordered[k], changing,
                   toggle->is_tag ? NULL : image));
    }
    toggle->most = scene_count(toggle->changed);
    for (uint32_t k = 0; k < SIZE; k++) {
      MUST(ecs_remove(world, toggle->ordered[k], changing));
    }
  }
}

/* A hash of the world after the last run, and of the values of one more add. */
static uint64_t toggle_check(void *state) {
  Toggle *toggle = state;
  uint64_t hash = measure_mix(scene_hash(toggle->reader), toggle->most);
  hash = measure_mix(hash, scene_count(toggle->changed));
  if (toggle->is_tag) return hash;
  for (uint32_t k = 0; k < SIZE; k++) {
    float image[2] = {(float)(int32_t)k, 1};
    MUST(ecs_add(toggle->world, toggle->ordered[k], toggle->changing, image));
  }
  hash = measure_mix(hash, scene_hash(toggle->changed));
  for (uint32_t k = 0; k < SIZE; k++) {
    MUST(ecs_remove(toggle->world, toggle->ordered[k], toggle->changing));
  }
  return measure_mix(hash, scene_count(toggle->changed));
}

/* The same hash, computed from the specification alone. */
static uint64_t toggle_expected(uint32_t other_count, bool is_tag) {
  HandStore store;
  hand_store_init(&store, other_count * 2);
  scene_push(&store, SIZE);
  uint64_t hash = measure_mix(hand_store_hash(&store), SIZE);
  hash = measure_mix(hash, 0);
  hand_store_deinit(&store);
  if (is_tag) return hash;
  hand_store_init(&store, 2);
  for (uint32_t k = 0; k < SIZE; k++) {
    float values[2] = {(float)(int32_t)k, 1};
    hand_store_push(&store, values, 2);
  }
  hash = measure_mix(hash, hand_store_hash(&store));
  hand_store_deinit(&store);
  return measure_mix(hash, 0);
}

static void toggle_init(Toggle *toggle, uint32_t other_count,
                        ecs_Storage storage, bool is_tag, bool random) {
  *toggle = (Toggle){
      .world = scene_world(), .other_count = other_count, .is_tag = is_tag};
  scene_components(toggle->world, "Other", other_count, toggle->others);
  toggle->changing =
      scene_component(toggle->world, "Changing", is_tag ? 0 : 2, storage);
  ecs_Entity *entities = scene_allocate(SIZE, sizeof *entities);
  scene_spawn(toggle->world, toggle->others, other_count, SIZE, entities);
  toggle->ordered = scene_allocate(SIZE, sizeof *toggle->ordered);
  scene_order(toggle->ordered, entities, SIZE, random);
  free(entities);
  toggle->reader =
      scene_query(toggle->world, toggle->others, other_count, ECS_READ);
  toggle->changed = scene_query(toggle->world, &toggle->changing, 1, ECS_READ);
}

static void bench_toggle(const char *name, uint32_t other_count,
                         ecs_Storage storage, bool is_tag, bool random,
                         double aim) {
  if (!measure_wanted(name)) return;
  Toggle toggle;
  toggle_init(&toggle, other_count, storage, is_tag, random);
  measure_row(&(MeasureRow){.name = name,
                            .order = random ? "random" : "in order",
                            .memory = "warm",
                            .size = SIZE,
                            .operations = SIZE,
                            .aim_nanoseconds = aim,
                            .expected = toggle_expected(other_count, is_tag),
                            .ours = {&toggle, NULL, toggle_run, toggle_check}});
  ecs_world_destroy(toggle.world);
  free(toggle.ordered);
}

/* Create + destroy -------------------------------------------------------- */

typedef struct Churn {
  ecs_World *world;
  ecs_Component components[2];
  ecs_Bundle bundle;
  ecs_Query *reader;
  ecs_Entity *entities;   /* by number */
  ecs_Entity first, last; /* made by the last run */
  uint32_t *ids;          /* by number, of the hand-written store */
  uint32_t *order;
  HandStore store;
} Churn;

static void pairs_run(void *state, uint32_t iterations) {
  Churn *churn = state;
  float values[4];
  const void *images[2] = {&values[0], &values[2]};
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      scene_values(values, 4, k);
      MUST(ecs_spawn_bundle(churn->world, churn->bundle, images, &churn->last));
      if (k == 0) churn->first = churn->last;
      MUST(ecs_destroy(churn->world, churn->last));
    }
  }
}

static void pairs_by_hand(void *state, uint32_t iterations) {
  Churn *churn = state;
  float values[4];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      scene_values(values, 4, k);
      hand_store_remove(&churn->store,
                        hand_store_push(&churn->store, values, 4), 4);
    }
  }
}

static void replace_run(void *state, uint32_t iterations) {
  Churn *churn = state;
  float values[4];
  const void *images[2] = {&values[0], &values[2]};
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      uint32_t number = churn->order[k];
      scene_values(values, 4, number);
      churn->first = churn->entities[number];
      MUST(ecs_destroy(churn->world, churn->first));
      MUST(ecs_spawn_bundle(churn->world, churn->bundle, images,
                            &churn->entities[number]));
      churn->last = churn->entities[number];
    }
  }
}

static void replace_by_hand(void *state, uint32_t iterations) {
  Churn *churn = state;
  float values[4];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      uint32_t number = churn->order[k];
      scene_values(values, 4, number);
      hand_store_remove(&churn->store, churn->ids[number], 4);
      churn->ids[number] = hand_store_push(&churn->store, values, 4);
    }
  }
}

/* Were entities really created? Handles are never issued twice. */
static uint64_t churn_check(void *state) {
  Churn *churn = state;
  if (churn->first == churn->last) {
    measure_fail("churn", "no new handle was issued");
  }
  if (ecs_alive(churn->world, churn->first)) {
    measure_fail("churn", "a destroyed entity lives");
  }
  return scene_hash(churn->reader);
}

static uint64_t churn_hand_check(void *state) {
  return hand_store_hash(&((Churn *)state)->store);
}

static void churn_init(Churn *churn) {
  *churn = (Churn){.world = scene_world()};
  scene_components(churn->world, "Component", 2, churn->components);
  MUST(ecs_bundle(churn->world, churn->components, 2, &churn->bundle));
  churn->entities = scene_allocate(SIZE, sizeof *churn->entities);
  churn->ids = scene_allocate(SIZE, sizeof *churn->ids);
  churn->order = scene_allocate(SIZE, sizeof *churn->order);
  measure_shuffle(churn->order, SIZE, 3);
  scene_spawn(churn->world, churn->components, 2, SIZE, churn->entities);
  churn->reader = scene_query(churn->world, churn->components, 2, ECS_READ);
  hand_store_init(&churn->store, 4);
  scene_push(&churn->store, SIZE);
  for (uint32_t k = 0; k < SIZE; k++) churn->ids[k] = churn->store.ids[k];
}

static void bench_churn(const char *name, bool replace, double aim) {
  if (!measure_wanted(name)) return;
  Churn churn;
  churn_init(&churn);
  measure_row(&(MeasureRow){
      .name = name,
      .order = replace ? "random" : "in order",
      .memory = "warm",
      .size = SIZE,
      .operations = SIZE,
      .aim_nanoseconds = aim,
      .hand = {&churn, NULL, replace ? replace_by_hand : pairs_by_hand,
               churn_hand_check},
      .ours = {&churn, NULL, replace ? replace_run : pairs_run, churn_check}});
  ecs_world_destroy(churn.world);
  hand_store_deinit(&churn.store);
  free(churn.entities);
  free(churn.ids);
  free(churn.order);
}

int main(int argument_count, char **arguments) {
  static const uint32_t others[] = {1, 5, 10};
  static const double aims[] = {28, 50, 80};
  measure_open(argument_count, arguments, "change");
  for (uint32_t random = 0; random < 2; random++) {
    double aim = random ? 25 : 12;
    bench_toggle("add + remove, sparse tag", 2, ECS_STORE_SPARSE, true,
                 random != 0, aim);
    bench_toggle("add + remove, sparse component", 2, ECS_STORE_SPARSE, false,
                 random != 0, aim);
    bench_toggle("add + remove, tag as bits", 2, ECS_STORE_BITS, true,
                 random != 0, 0);
  }
  for (uint32_t random = 0; random < 2; random++) {
    for (uint32_t k = 0; k < 3; k++) {
      char name[64];
      snprintf(name, sizeof name, "add + remove, group with %u others",
               others[k]);
      bench_toggle(name, others[k], ECS_STORE_TABLE, false, random != 0,
                   random ? 0 : aims[k]);
    }
  }
  bench_churn("create + destroy, 2 components", false, 18);
  bench_churn("destroy + create, 2 components", true, 0);
  measure_close();
  return 0;
}
