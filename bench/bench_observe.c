/* bench_observe.c: what observers add to the cost of changes.
 *
 * 4,096 entities beside a component of two f32 get another such component, have
 * it set, and lose it. The baseline is the same without observers. Notices are
 * taken behind each change. */
#include <stdio.h>
#include <stdlib.h>

#include "scene.h"

#define SIZE 4096u

/* What is observed. */
typedef enum Observed {
  OBSERVED_NOTHING,
  OBSERVED_OTHER, /* a component that is not changed */
  OBSERVED_ADD,
  OBSERVED_ALL /* adding, removing and setting */
} Observed;

typedef struct Watched {
  ecs_World *world;
  ecs_Component beside, other, changed;
  ecs_Query *query;
  ecs_Entity *entities;
  uint64_t notices;
} Watched;

static void observe(const Watched *watched, ecs_Occasion occasion,
                    ecs_Component component) {
  ecs_Observer observer;
  MUST(ecs_observe(watched->world, occasion, component, &observer));
}

static void watched_init(Watched *watched, ecs_Storage storage,
                         Observed observed) {
  *watched = (Watched){.world = scene_world()};
  watched->beside =
      scene_component(watched->world, "Beside", 2, ECS_STORE_TABLE);
  watched->other = scene_component(watched->world, "Other", 2, ECS_STORE_TABLE);
  watched->changed = scene_component(watched->world, "Changed", 2, storage);
  watched->query = scene_query(watched->world, &watched->beside, 1, ECS_WITH);
  watched->entities = scene_allocate(SIZE, sizeof(ecs_Entity));
  scene_spawn(watched->world, &watched->beside, 1, SIZE, watched->entities);
  if (observed == OBSERVED_OTHER)
    for (int k = ECS_ON_ADD; k <= ECS_ON_SET; k++)
      observe(watched, (ecs_Occasion)k, watched->other);
  if (observed == OBSERVED_ADD) observe(watched, ECS_ON_ADD, watched->changed);
  if (observed == OBSERVED_ALL)
    for (int k = ECS_ON_ADD; k <= ECS_ON_SET; k++)
      observe(watched, (ecs_Occasion)k, watched->changed);
}

static void watched_deinit(Watched *watched) {
  ecs_world_destroy(watched->world);
  free(watched->entities);
}

static void take(Watched *watched) {
  ecs_Notice notice;
  if (*ecs_world_notices(watched->world) == 0) return;
  ecs_notices_begin(watched->world);
  while (ecs_notice_next(watched->world, &notice)) watched->notices++;
}

static void run(void *state, uint32_t iterations) {
  Watched *watched = state;
  const float image[] = {1, 2};
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t i = 0; i < SIZE; i++) {
      ecs_Entity entity = watched->entities[i];
      MUST(ecs_add(watched->world, entity, watched->changed, image));
      take(watched);
      MUST(ecs_set(watched->world, entity, watched->changed, image, 3));
      take(watched);
      MUST(ecs_remove(watched->world, entity, watched->changed));
      take(watched);
    }
}

static uint64_t check(void *state) {
  const Watched *watched = state;
  return measure_mix(ecs_world_state_hash(watched->world),
                     scene_count(watched->query));
}

static void bench(const char *what, ecs_Storage storage, Observed observed) {
  Watched plain, watched;
  char name[64];
  snprintf(name, sizeof name, "observe, %s, %s", what,
           storage == ECS_STORE_TABLE ? "tables" : "sparse");
  if (!measure_wanted(name)) return;
  watched_init(&plain, storage, OBSERVED_NOTHING);
  watched_init(&watched, storage, observed);
  measure_row(&(MeasureRow){.name = name,
                            .order = "in order",
                            .memory = "warm",
                            .size = SIZE,
                            .operations = 3 * SIZE,
                            .hand = {&plain, NULL, run, check},
                            .ours = {&watched, NULL, run, check}});
  watched_deinit(&plain);
  watched_deinit(&watched);
}

int main(int argument_count, char **arguments) {
  static const ecs_Storage storages[] = {ECS_STORE_TABLE, ECS_STORE_SPARSE};
  measure_open(argument_count, arguments, "changes that are observed");
  for (uint32_t k = 0; k < 2; k++) {
    bench("nothing is observed", storages[k], OBSERVED_NOTHING);
    bench("another is observed", storages[k], OBSERVED_OTHER);
    bench("adding is observed", storages[k], OBSERVED_ADD);
    bench("all is observed", storages[k], OBSERVED_ALL);
  }
  measure_close();
  return 0;
}
