/* bench_memory.c: how many bytes an entity takes. Nothing here is timed.
 *
 * The bytes are those that the world holds from its allocator, definitions and
 * unused rows included, divided by the number of entities (from
 * ecs_world_statistics).
 *
 * - 2 and 5 components of two f32: the values alone are 16 and 40 bytes. Once
 *   spawned one by one, so that capacity is what doubling leaves, and once
 *   spawned in bulk.
 * - resident: what the process holds of memory more than before the world was
 *   made (from /proc/self/statm), which also shows what growth has left behind.
 *   These rows come first, in a process that has freed next to nothing yet.
 * - 10,000 entities, each with another random combination of 40 tags: each tag
 *   with probability one half. For tables, entities are spawned with all their
 *   tags at once; for bits and sparse sets, without tags, which are then added
 *   one by one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scene.h"

#define MANY 1000000u
#define COMBINATIONS 10000u
#define TAGS 40u
#define COMPONENTS 5u

static double bytes_per_entity(const ecs_World *world, uint32_t expected) {
  ecs_Statistics statistics;
  ecs_world_statistics(world, &statistics);
  if (statistics.entities != expected) {
    measure_fail("memory", "the number of entities is wrong");
  }
  return (double)statistics.bytes / expected;
}

/* The bytes of the process that are in memory; 0: the system does not say. */
static double resident_bytes(void) {
  unsigned long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%lu %lu", &total, &resident) != 2) resident = 0;
  fclose(file);
  return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* Components -------------------------------------------------------------- */

static void spawn_singly(ecs_World *world, const ecs_Component *components,
                         uint32_t component_count, uint32_t count) {
  ecs_Bundle bundle = 0;
  ecs_Entity entity;
  float values[COMPONENTS * 2];
  const void *images[COMPONENTS];
  for (uint32_t k = 0; k < component_count; k++) images[k] = &values[k * 2];
  MUST(ecs_bundle(world, components, component_count, &bundle));
  for (uint32_t i = 0; i < count; i++) {
    scene_values(values, component_count * 2, i);
    MUST(ecs_spawn_bundle(world, bundle, images, &entity));
  }
}

/* Compares the values with those of the hand-written store. */
static void check_values(ecs_World *world, const ecs_Component *components,
                         uint32_t component_count, uint32_t count) {
  HandStore store;
  hand_store_init(&store, component_count * 2);
  scene_push(&store, count);
  ecs_Query *query = scene_query(world, components, component_count, ECS_READ);
  if (scene_hash(query) != hand_store_hash(&store)) {
    measure_fail("memory", "the values are wrong");
  }
  hand_store_deinit(&store);
}

static void bench_components(uint32_t component_count, bool bulk,
                             uint32_t count, double aim) {
  char name[64];
  snprintf(name, sizeof name, "memory, %u components of two f32",
           component_count);
  if (!measure_wanted(name)) return;
  ecs_World *world = scene_world();
  ecs_Component components[COMPONENTS];
  scene_components(world, "Component", component_count, components);
  if (bulk) {
    scene_spawn(world, components, component_count, count, NULL);
  } else {
    spawn_singly(world, components, component_count, count);
  }
  measure_value(name, bulk ? "in bulk" : "one by one", count,
                "bytes per entity", bytes_per_entity(world, count), aim);
  check_values(world, components, component_count, count);
  ecs_world_destroy(world);
}

static void bench_resident(uint32_t count, double aim) {
  static const char name[] = "memory, 5 components, resident";
  if (!measure_wanted(name)) return;
  double before = resident_bytes();
  if (before <= 0) return;
  ecs_World *world = scene_world();
  ecs_Component components[COMPONENTS];
  scene_components(world, "Component", COMPONENTS, components);
  spawn_singly(world, components, COMPONENTS, count);
  double bytes = resident_bytes() - before;
  measure_value(name, "one by one", count, "bytes per entity", bytes / count,
                aim);
  check_values(world, components, COMPONENTS, count);
  ecs_world_destroy(world);
}

/* Combinations ------------------------------------------------------------ */

/* The combinations are distinct: 40 random bits collide with a chance of 1 in
 * 20,000, the seed is fixed, and the number of tables is checked where there
 * are tables. */
static uint64_t combination(uint64_t *seed) {
  return measure_random(seed) & (((uint64_t)1 << TAGS) - 1);
}

static void spawn_combination(ecs_World *world, const ecs_Component *tags,
                              uint64_t mask, bool at_once) {
  ecs_Component some[TAGS];
  uint32_t count = 0;
  for (uint32_t k = 0; k < TAGS; k++) {
    if (mask >> k & 1) some[count++] = tags[k];
  }
  ecs_Entity entity;
  MUST(ecs_spawn(world, some, at_once ? count : 0, NULL, &entity));
  for (uint32_t k = 0; k < count && !at_once; k++) {
    MUST(ecs_add(world, entity, some[k], NULL));
  }
}

/* Counts every tag by a query, and compares with the masks. */
static void check_tags(ecs_World *world, const ecs_Component *tags) {
  for (uint32_t k = 0; k < TAGS; k++) {
    uint64_t seed = 1, expected = 0;
    for (uint32_t i = 0; i < COMBINATIONS; i++) {
      expected += combination(&seed) >> k & 1;
    }
    if (scene_count(scene_query(world, &tags[k], 1, ECS_WITH)) != expected) {
      measure_fail("combinations", "a tag's count is wrong");
    }
  }
}

static void bench_combinations(ecs_Storage storage, const char *how,
                               double aim) {
  static const char name[] = "10,000 combinations of 40 tags";
  if (!measure_wanted(name)) return;
  ecs_World *world = scene_world();
  ecs_Component tags[TAGS];
  for (uint32_t k = 0; k < TAGS; k++) {
    char tag[16];
    snprintf(tag, sizeof tag, "Tag%u", k);
    tags[k] = scene_component(world, tag, 0, storage);
  }
  uint64_t seed = 1;
  for (uint32_t i = 0; i < COMBINATIONS; i++) {
    spawn_combination(world, tags, combination(&seed),
                      storage == ECS_STORE_TABLE);
  }
  ecs_Statistics statistics;
  ecs_world_statistics(world, &statistics);
  if (storage == ECS_STORE_TABLE && statistics.tables < COMBINATIONS) {
    measure_fail("combinations", "there are fewer tables than combinations");
  }
  measure_value(name, how, COMBINATIONS, "bytes per entity",
                bytes_per_entity(world, COMBINATIONS), aim);
  check_tags(world, tags);
  ecs_world_destroy(world);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "memory");
  bench_resident(SCENE_64K, 62);
  bench_resident(MANY, 62);
  for (uint32_t bulk = 0; bulk < 2; bulk++) {
    bench_components(2, bulk != 0, MANY, 36);
    bench_components(5, bulk != 0, MANY, 60);
  }
  bench_components(2, false, SCENE_1M, 0);
  bench_components(5, false, SCENE_1M, 0);
  bench_combinations(ECS_STORE_TABLE, "as tables", 600);
  bench_combinations(ECS_STORE_SPARSE, "as sparse sets", 0);
  bench_combinations(ECS_STORE_BITS, "as bits", 100);
  measure_close();
  return 0;
}
