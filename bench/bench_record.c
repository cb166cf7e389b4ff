/* bench_record.c: what recorded changes cost, beside the same changes at once.
 *
 * Specifications. 64k entities; changes are recorded in deferrals of 16,384
 * entities each, which are then applied. All values are given, memory is warm,
 * and a time is that of a pair for one entity:
 *
 * - spawn + destroy: entities of two components with two f32 each are spawned
 *   by a bundle, and all destroyed in the same order.
 * - spawn and adds + destroy: entities are spawned empty, get four components of
 *   two f32 one by one, and are destroyed.
 * - add + remove: a component of two f32 is added to every entity, which has
 *   two others, and then removed. */
#include <stdlib.h>

#include "scene.h"

#define SIZE SCENE_64K
#define TOGETHER 16384u
#define PARTS 4u

/* Changes made now or later. */
typedef struct Changes {
  ecs_World *world;
  bool later;
  ecs_Component components[PARTS];
  ecs_Component changing;
  ecs_Bundle bundle;
  ecs_Entity *entities;
  ecs_Query *reader;
  uint64_t most; /* matches half-way through the last run */
} Changes;

static void begin(const Changes *changes, uint32_t k) {
  if (changes->later && k % TOGETHER == 0)
    MUST(ecs_defer_begin(changes->world));
}

static void end(const Changes *changes, uint32_t k) {
  if (changes->later && k % TOGETHER == TOGETHER - 1)
    MUST(ecs_defer_end(changes->world));
}

static void destroy_all(const Changes *changes) {
  for (uint32_t k = 0; k < SIZE; k++) {
    begin(changes, k);
    MUST(ecs_destroy(changes->world, changes->entities[k]));
    end(changes, k);
  }
}

static void spawn_run(void *state, uint32_t iterations) {
  Changes *changes = state;
  float values[4];
  const void *images[2] = {&values[0], &values[2]};
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      begin(changes, k);
      scene_values(values, 4, k);
      MUST(ecs_spawn_bundle(changes->world, changes->bundle, images,
                            &changes->entities[k]));
      end(changes, k);
    }
    changes->most = scene_hash(changes->reader);
    destroy_all(changes);
  }
}

static void chain_run(void *state, uint32_t iterations) {
  Changes *changes = state;
  float values[2 * PARTS];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      begin(changes, k);
      scene_values(values, 2 * PARTS, k);
      MUST(ecs_spawn(changes->world, NULL, 0, NULL, &changes->entities[k]));
      for (uint32_t i = 0; i < PARTS; i++)
        MUST(ecs_add(changes->world, changes->entities[k],
                     changes->components[i], &values[2 * i]));
      end(changes, k);
    }
    changes->most = scene_hash(changes->reader);
    destroy_all(changes);
  }
}

static void toggle_run(void *state, uint32_t iterations) {
  Changes *changes = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      float image[2] = {(float)(int32_t)k, 1};
      begin(changes, k);
      MUST(ecs_add(changes->world, changes->entities[k], changes->changing,
                   image));
      end(changes, k);
    }
    changes->most = scene_hash(changes->reader);
    for (uint32_t k = 0; k < SIZE; k++) {
      begin(changes, k);
      MUST(ecs_remove(changes->world, changes->entities[k], changes->changing));
      end(changes, k);
    }
  }
}

/* What there was half-way, and what is left. */
static uint64_t changes_check(void *state) {
  const Changes *changes = state;
  return measure_mix(changes->most, scene_hash(changes->reader));
}

static void changes_init(Changes *changes, uint32_t parts, ecs_Storage storage,
                         bool toggles, bool later) {
  *changes = (Changes){.world = scene_world(), .later = later};
  ecs_World *world = changes->world;
  scene_components(world, "Part", parts, changes->components);
  changes->changing = scene_component(world, "Changing", 2, storage);
  changes->entities = scene_allocate(SIZE, sizeof *changes->entities);
  MUST(ecs_bundle(world, changes->components, parts, &changes->bundle));
  changes->reader =
      toggles ? scene_query(world, &changes->changing, 1, ECS_READ)
              : scene_query(world, changes->components, parts, ECS_READ);
  if (toggles)
    scene_spawn(world, changes->components, parts, SIZE, changes->entities);
}

static void changes_deinit(Changes *changes) {
  ecs_world_destroy(changes->world);
  free(changes->entities);
}

static void bench(const char *name, uint32_t parts, ecs_Storage storage,
                  void (*run)(void *, uint32_t), double aim) {
  if (!measure_wanted(name)) return;
  Changes now, later;
  changes_init(&now, parts, storage, run == toggle_run, false);
  changes_init(&later, parts, storage, run == toggle_run, true);
  measure_row(&(MeasureRow){.name = name,
                            .order = "in order",
                            .memory = "warm",
                            .size = SIZE,
                            .operations = SIZE,
                            .aim_ratio = aim,
                            .hand = {&now, NULL, run, changes_check},
                            .ours = {&later, NULL, run, changes_check}});
  changes_deinit(&now);
  changes_deinit(&later);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "record (hand: the same at once)");
  bench("spawn + destroy, 2 components", 2, ECS_STORE_TABLE, spawn_run, 1.1);
  bench("spawn and 4 adds + destroy", PARTS, ECS_STORE_TABLE, chain_run, 1.1);
  bench("add + remove, sparse", 2, ECS_STORE_SPARSE, toggle_run, 1.1);
  bench("add + remove, group with 2 others", 2, ECS_STORE_TABLE, toggle_run,
        1.1);
  measure_close();
  return 0;
}
