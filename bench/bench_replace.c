/* bench_replace.c: one component for another, in one move and in two.
 *
 * 65,536 entities have a tag, one of two states, beside components of two f32
 * each. Every entity goes to the other state and back. The baseline is the
 * library's own: ecs_remove and ecs_add. */
#include <stdio.h>
#include <stdlib.h>

#include "scene.h"

#define SIZE SCENE_64K
#define MOST_OTHERS 10u

typedef struct Works {
  ecs_World *world;
  ecs_Component others[MOST_OTHERS], built, active;
  ecs_Query *query; /* of all that is built */
  ecs_Entity *ordered;
} Works;

static void works_init(Works *works, uint32_t others, ecs_Storage storage,
                       bool random) {
  *works = (Works){.world = scene_world()};
  scene_components(works->world, "Other", others, works->others);
  works->built = scene_component(works->world, "Built", 0, storage);
  works->active = scene_component(works->world, "Active", 0, storage);
  works->query = scene_query(works->world, &works->built, 1, ECS_WITH);
  ecs_Entity *entities = scene_allocate(SIZE, sizeof *entities);
  works->ordered = scene_allocate(SIZE, sizeof *entities);
  scene_spawn(works->world, works->others, others, SIZE, entities);
  scene_order(works->ordered, entities, SIZE, random);
  for (uint32_t i = 0; i < SIZE; i++)
    MUST(ecs_add(works->world, entities[i], works->built, NULL));
  free(entities);
}

static void works_deinit(Works *works) {
  ecs_world_destroy(works->world);
  free(works->ordered);
}

static void in_two(Works *works, ecs_Component from, ecs_Component to) {
  for (uint32_t i = 0; i < SIZE; i++) {
    MUST(ecs_remove(works->world, works->ordered[i], from));
    MUST(ecs_add(works->world, works->ordered[i], to, NULL));
  }
}

static void in_one(Works *works, ecs_Component from, ecs_Component to) {
  for (uint32_t i = 0; i < SIZE; i++)
    MUST(ecs_replace(works->world, works->ordered[i], from, to, NULL, 0));
}

static void run_two(void *state, uint32_t iterations) {
  Works *works = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    in_two(works, works->built, works->active);
    in_two(works, works->active, works->built);
  }
}

static void run_one(void *state, uint32_t iterations) {
  Works *works = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    in_one(works, works->built, works->active);
    in_one(works, works->active, works->built);
  }
}

static uint64_t check(void *state) {
  const Works *works = state;
  return measure_mix(ecs_world_state_hash(works->world),
                     scene_count(works->query));
}

static void bench(const char *name, uint32_t others, ecs_Storage storage,
                  bool random) {
  Works one, two;
  if (!measure_wanted(name)) return;
  works_init(&one, others, storage, random);
  works_init(&two, others, storage, random);
  measure_row(&(MeasureRow){.name = name,
                            .order = random ? "random" : "in order",
                            .memory = "warm",
                            .size = SIZE,
                            .operations = 2 * SIZE,
                            .hand = {&two, NULL, run_two, check},
                            .ours = {&one, NULL, run_one, check}});
  works_deinit(&one);
  works_deinit(&two);
}

int main(int argument_count, char **arguments) {
  static const uint32_t others[] = {1, 5, 10};
  measure_open(argument_count, arguments, "one component for another");
  for (uint32_t random = 0; random < 2; random++) {
    for (uint32_t k = 0; k < 3; k++) {
      char name[64];
      snprintf(name, sizeof name, "replace, group with %u others", others[k]);
      bench(name, others[k], ECS_STORE_TABLE, random != 0);
    }
    bench("replace, sparse tags", 2, ECS_STORE_SPARSE, random != 0);
    bench("replace, tags as bits", 2, ECS_STORE_BITS, random != 0);
  }
  measure_close();
  return 0;
}
