/* bench_snapshot.c: copies of the state, beside a memcpy of what is copied.
 *
 * Entities have five fields of four bytes. The baseline copies as many bytes from
 * arrays to other arrays, or back:
 *
 * - values: columns alone; entities and tables are as they were the last time.
 * - structure: in each iteration an entity is destroyed and another one spawned,
 *   so that entities and slots are copied, too, 8 bytes each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#define FIELDS 5u
#define WORDS (FIELDS + 4u) /* of four bytes, with entity and slot */

typedef struct Copies {
  ecs_World *world;
  ecs_Component part;
  ecs_Snapshot *snapshot;
  ecs_Entity *entities;
  uint32_t size, turn;
  uint32_t words; /* that the baseline copies of each entity */
  char *columns[2][WORDS];
} Copies;

static void init(Copies *copies, uint32_t size, bool structure) {
  *copies = (Copies){.world = scene_world(), .size = size};
  copies->words = structure ? WORDS : FIELDS;
  copies->part =
      scene_component(copies->world, "Body", FIELDS, ECS_STORE_TABLE);
  copies->entities = scene_allocate(size, sizeof(ecs_Entity));
  scene_spawn(copies->world, &copies->part, 1, size, copies->entities);
  MUST(ecs_snapshot_create(copies->world, &copies->snapshot));
  MUST(ecs_snapshot_take(copies->snapshot));
  for (uint32_t i = 0; i < 2 * WORDS; i++) {
    char *column = scene_allocate(size, 4);
    memset(column, 1, (size_t)size * 4);
    copies->columns[i / WORDS][i % WORDS] = column;
  }
}

static void deinit(Copies *copies) {
  ecs_world_destroy(copies->world);
  for (uint32_t i = 0; i < 2 * WORDS; i++)
    free(copies->columns[i / WORDS][i % WORDS]);
  free(copies->entities);
}

/* What both sides do, too: a value changes, and the structure if it is asked
 * for. */
static void change(Copies *copies, ecs_Entity *spawned) {
  const float body[FIELDS] = {(float)copies->turn++};
  MUST(ecs_set(copies->world, copies->entities[1], copies->part, body, 1));
  if (copies->words == FIELDS) return;
  MUST(ecs_destroy(copies->world, copies->entities[0]));
  MUST(ecs_spawn(copies->world, &copies->part, 1, NULL, spawned));
}

static void copy_by_hand(void *state, uint32_t iterations) {
  Copies *copies = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    change(copies, &copies->entities[0]);
    for (uint32_t i = 0; i < copies->words; i++)
      memcpy(copies->columns[1][i], copies->columns[0][i],
             (size_t)copies->size * 4);
  }
}

static void take(void *state, uint32_t iterations) {
  Copies *copies = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    change(copies, &copies->entities[0]);
    MUST(ecs_snapshot_take(copies->snapshot));
  }
}

static void restore(void *state, uint32_t iterations) {
  Copies *copies = state;
  ecs_Entity spawned = 0;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    change(copies, &spawned);
    MUST(ecs_snapshot_restore(copies->snapshot));
  }
}

/* Every entity is there. */
static uint64_t check(void *state) {
  ecs_Statistics statistics;
  ecs_world_statistics(((const Copies *)state)->world, &statistics);
  return statistics.entities;
}

static void bench(const char *name, uint32_t size, bool structure,
                  void (*run)(void *, uint32_t), double aim) {
  Copies hand, ours;
  if (!measure_wanted(name)) return;
  init(&hand, size, structure);
  init(&ours, size, structure);
  measure_row(&(MeasureRow){.name = name,
                            .order = "in order",
                            .memory = "warm",
                            .size = size,
                            .operations = size,
                            .hand = {&hand, NULL, copy_by_hand, check},
                            .ours = {&ours, NULL, run, check},
                            .aim_ratio = aim});
  deinit(&hand);
  deinit(&ours);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "a memcpy of what is copied");
  uint32_t size = measure_size(100000);
  bench("snapshot, taken, values", size, false, take, 1.2);
  bench("snapshot, taken, structure", size, true, take, 1.4);
  bench("snapshot, restored, values", size, false, restore, 1.2);
  bench("snapshot, restored, structure", size, true, restore, 1.4);
  measure_close();
  return 0;
}
