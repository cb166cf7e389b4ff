/* bench_profiles.c: does the number of components and systems that a program
 * has cost those that it uses?
 *
 * The workloads of pvigier's series on an entity component system, in its
 * profiles: A is 32 components and 16 systems, AA 128 and 32, AAA 512 and 64.
 * Systems are queries, each for another component. Entities have 1, 2 or 3
 * components of two f32. A time is per entity.
 *
 * - create: an ecs_spawn with values for each, in a new world.
 * - iterate: all fields of the components += 1, batch by batch.
 * - create and destroy: the same number is created and destroyed one by one;
 *   memory is warm.
 *
 * By hand: rows pushed to one array for each field. Beside a map: an ordered
 * map for each component, as in that series' comparison.
 *
 * - physics: the example whose cache misses the series counts, position +=
 *   velocity * dt, two f32 each, as a native kernel. With --count under
 *   callgrind --cache-sim=yes its misses can be counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/loops.h"
#include "baseline/ordered_map.h"
#include "scene.h"

#define MOST_COMPONENTS 512u
#define MOST_PARTS 3u
#define TIME_STEP 0.00001f

typedef struct Profile {
  const char *name;
  uint32_t components, systems;
} Profile;

static const Profile profiles[] = {
    {"A", 32, 16}, {"AA", 128, 32}, {"AAA", 512, 64}};

/* Both sides of a row. */
typedef struct Population {
  const Profile *profile;
  uint32_t size, parts; /* parts: components of an entity */
  ecs_World *world;
  ecs_Component components[MOST_COMPONENTS];
  ecs_Query *query; /* over the parts */
  ecs_KernelBinding *physics;
  ecs_Entity *entities;
  HandStore store;
  uint32_t *ids; /* in the store */
  OrderedMap maps[MOST_PARTS];
  bool maps_are_full;
} Population;

/* Ours -------------------------------------------------------------------- */

/* Grows a block by a copy, always. Where realloc finds room behind it instead
 * depends on what was freed before, so counts would differ by that. */
static void *resize_by_copy(void *user, void *block, size_t old_bytes,
                            size_t new_bytes) {
  (void)user;
  void *copy = new_bytes == 0 ? NULL : malloc(new_bytes);
  if (new_bytes != 0 && copy == NULL) return NULL;
  if (copy != NULL && block != NULL)
    memcpy(copy, block, old_bytes < new_bytes ? old_bytes : new_bytes);
  free(block);
  return copy;
}

static ecs_World *new_world(void) {
  const ecs_WorldDescription counted = {.memory = {resize_by_copy, NULL}};
  ecs_World *world = NULL;
  MUST(ecs_world_create(measure_counts() ? &counted : NULL, &world));
  return world;
}

static void make_world(Population *population) {
  const Profile *profile = population->profile;
  ecs_World *world = population->world = new_world();
  scene_components(world, "Component", profile->components,
                   population->components);
  population->query =
      scene_query(world, population->components, population->parts, ECS_WRITE);
  for (uint32_t k = 0; k < profile->systems; k++)
    scene_query(world, &population->components[k], 1, ECS_WRITE);
}

static void fresh_world(void *state) {
  Population *population = state;
  ecs_world_destroy(population->world);
  make_world(population);
}

static void create(Population *population) {
  float values[2 * MOST_PARTS];
  const void *images[MOST_PARTS] = {&values[0], &values[2], &values[4]};
  for (uint32_t i = 0; i < population->size; i++) {
    scene_values(values, 2 * MOST_PARTS, i);
    MUST(ecs_spawn(population->world, population->components, population->parts,
                   images, &population->entities[i]));
  }
}

static void create_run(void *state, uint32_t iterations) {
  (void)iterations; /* 1, because there is a preparation */
  create(state);
}

static void iterate_run(void *state, uint32_t iterations) {
  Population *population = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    ecs_Cursor cursor;
    ecs_Batch batch;
    MUST(ecs_query_begin(population->query, ECS_BATCH_WHOLE, &cursor));
    while (ecs_cursor_next(&cursor, &batch))
      for (uint32_t k = 0; k < batch.column_count; k++)
        hand_advance(batch.columns[k], 1, batch.count);
    MUST(ecs_cursor_end(&cursor));
  }
}

static void destroy_run(void *state, uint32_t iterations) {
  Population *population = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    create(population);
    for (uint32_t i = 0; i < population->size; i++)
      MUST(ecs_destroy(population->world, population->entities[i]));
  }
}

static void move_rows(const ecs_KernelCall *call) {
  for (uint32_t k = 0; k < call->block_count; k++) {
    const ecs_KernelBlock *block = &call->blocks[k];
    hand_move(block->columns[0], block->columns[1], block->columns[2],
              block->columns[3], (float)call->dt, block->count);
  }
}

static void bind_physics(Population *population) {
  static const ecs_KernelColumn columns[] = {
      {"Component0", "f0", ECS_F32, ECS_WRITE},
      {"Component0", "f1", ECS_F32, ECS_WRITE},
      {"Component1", "f0", ECS_F32, ECS_READ},
      {"Component1", "f1", ECS_F32, ECS_READ}};
  static const ecs_Kernel kernel = {"physics", move_rows, columns, 4,
                                    0,         NULL,      NULL};
  MUST(ecs_kernel_bind(population->query, &kernel, &population->physics, NULL));
}

static void physics_run(void *state, uint32_t iterations) {
  Population *population = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    const ecs_KernelCall call = {.dt = (double)TIME_STEP};
    MUST(ecs_kernel_run(population->physics, &call));
  }
}

static uint64_t world_check(void *state) {
  return scene_hash(((Population *)state)->query);
}

/* By hand ----------------------------------------------------------------- */

static void fresh_store(void *state) {
  Population *population = state;
  hand_store_deinit(&population->store);
}

static void push(Population *population) {
  float values[2 * MOST_PARTS];
  for (uint32_t i = 0; i < population->size; i++) {
    scene_values(values, 2 * MOST_PARTS, i);
    population->ids[i] =
        hand_store_push(&population->store, values, 2 * population->parts);
  }
}

static void push_run(void *state, uint32_t iterations) {
  (void)iterations;
  push(state);
}

static void hand_iterate_run(void *state, uint32_t iterations) {
  HandStore *store = &((Population *)state)->store;
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t k = 0; k < store->column_count; k++)
      hand_advance(store->columns[k], 1, store->count);
}

static void pop_run(void *state, uint32_t iterations) {
  Population *population = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    push(population);
    for (uint32_t i = 0; i < population->size; i++)
      hand_store_remove(&population->store, population->ids[i],
                        2 * population->parts);
  }
}

static void hand_physics_run(void *state, uint32_t iterations) {
  HandStore *store = &((Population *)state)->store;
  for (uint32_t turn = 0; turn < iterations; turn++)
    hand_move(store->columns[0], store->columns[1], store->columns[2],
              store->columns[3], TIME_STEP, store->count);
}

static uint64_t store_check(void *state) {
  return hand_store_hash(&((Population *)state)->store);
}

/* Maps -------------------------------------------------------------------- */

static void fill_maps(Population *population) {
  float values[2 * MOST_PARTS];
  for (uint32_t i = 0; i < population->size; i++) {
    scene_values(values, 2 * MOST_PARTS, i);
    for (uint32_t k = 0; k < population->parts; k++)
      ordered_map_add(&population->maps[k], i, &values[2 * k]);
  }
  population->maps_are_full = true;
}

static void empty_maps(void *state) {
  Population *population = state;
  for (uint32_t i = 0; i < population->size && population->maps_are_full; i++)
    for (uint32_t k = 0; k < population->parts; k++)
      ordered_map_remove(&population->maps[k], i);
  population->maps_are_full = false;
}

static void map_create_run(void *state, uint32_t iterations) {
  (void)iterations;
  fill_maps(state);
}

static void map_iterate_run(void *state, uint32_t iterations) {
  Population *population = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t i = 0; i < population->size; i++)
      for (uint32_t k = 0; k < population->parts; k++) {
        OrderedNode *node = ordered_map_get(&population->maps[k], i);
        node->values[0] += 1;
        node->values[1] += 1;
      }
}

static void map_destroy_run(void *state, uint32_t iterations) {
  for (uint32_t turn = 0; turn < iterations; turn++) {
    fill_maps(state);
    empty_maps(state);
  }
}

static uint64_t map_check(void *state) {
  Population *population = state;
  uint64_t hash = 0;
  for (uint32_t i = 0; i < population->size && population->maps_are_full; i++) {
    const float *columns[2 * MOST_PARTS];
    for (uint32_t k = 0; k < population->parts; k++) {
      OrderedNode *node = ordered_map_get(&population->maps[k], i);
      columns[2 * k] = &node->values[0];
      columns[2 * k + 1] = &node->values[1];
    }
    hash += measure_hash(columns, 2 * population->parts, 1);
  }
  return hash;
}

/* Rows -------------------------------------------------------------------- */

typedef enum Work { CREATE, ITERATE, DESTROY, PHYSICS } Work;

static const char *const works[] = {"create", "iterate", "create and destroy",
                                    "physics"};
static const MeasureSide our_sides[] = {
    {NULL, fresh_world, create_run, world_check},
    {NULL, NULL, iterate_run, world_check},
    {NULL, NULL, destroy_run, world_check},
    {NULL, NULL, physics_run, world_check}};
static const MeasureSide hand_sides[] = {
    {NULL, fresh_store, push_run, store_check},
    {NULL, NULL, hand_iterate_run, store_check},
    {NULL, NULL, pop_run, store_check},
    {NULL, NULL, hand_physics_run, store_check}};
static const MeasureSide map_sides[] = {
    {NULL, empty_maps, map_create_run, map_check},
    {NULL, NULL, map_iterate_run, map_check},
    {NULL, NULL, map_destroy_run, map_check}};

static void population_init(Population *population, const Profile *profile,
                            uint32_t size, uint32_t parts) {
  *population = (Population){
      .profile = profile, .size = measure_size(size), .parts = parts};
  population->entities =
      scene_allocate(population->size, sizeof *population->entities);
  population->ids = scene_allocate(population->size, sizeof *population->ids);
  hand_store_init(&population->store, 2 * parts);
  make_world(population);
}

static void population_deinit(Population *population) {
  ecs_world_destroy(population->world);
  hand_store_deinit(&population->store);
  empty_maps(population);
  free(population->entities);
  free(population->ids);
}

static void bench(Work work, const Profile *profile, uint32_t parts,
                  uint32_t size, bool beside_map) {
  char name[64];
  Population population;
  snprintf(name, sizeof name, "%s, %u in %s%s", works[work], parts,
           profile->name, beside_map ? ", map" : "");
  if (!measure_wanted(name)) return;
  population_init(&population, profile, size, parts);
  if (work == ITERATE || work == PHYSICS) {
    create(&population);
    push(&population);
    if (beside_map) fill_maps(&population);
  }
  if (work == PHYSICS) bind_physics(&population);
  MeasureSide hand = beside_map ? map_sides[work] : hand_sides[work];
  MeasureSide ours = our_sides[work];
  hand.state = ours.state = &population;
  measure_row(&(MeasureRow){.name = name,
                            .order = "in order",
                            .memory = work == CREATE ? "new" : "warm",
                            .size = size,
                            .most = size >= 100000 ? 11 : 0,
                            .operations = population.size,
                            .hand = hand,
                            .ours = ours});
  population_deinit(&population);
}

static void bench_profile(const Profile *profile) {
  static const uint32_t sizes[] = {100, 10000, 100000, 1000000};
  for (Work work = CREATE; work <= DESTROY; work++)
    for (uint32_t parts = 1; parts <= MOST_PARTS; parts++)
      for (uint32_t s = 0; s < 4; s++) {
        bench(work, profile, parts, sizes[s], false);
        if (profile == profiles && sizes[s] <= 100000)
          bench(work, profile, parts, sizes[s], true);
      }
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "profiles");
  for (uint32_t k = 0; k < 3; k++) bench_profile(&profiles[k]);
  bench(PHYSICS, &profiles[2], 2, 10000, false);
  bench(PHYSICS, &profiles[2], 2, 100000, false);
  measure_close();
  return 0;
}
