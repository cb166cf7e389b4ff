/* bench_commit.c: recorded changes applied after each system, or once a frame.
 *
 * 65,536 entities. In a frame, eight systems go over all of them; each records
 * changes of one entity in `every`: a tag of its own comes or goes. The baseline
 * applies them behind each system, the other side behind the last one. Both end
 * with the same entities. In C a system's recording is a deferral around its
 * cursor; scripts say flush = "system" or "frame". */
#include <stdio.h>
#include <stdlib.h>

#include "scene.h"

#define SIZE SCENE_64K
#define SYSTEMS 8u

typedef struct Commit {
  ecs_World *world;
  ecs_Component values[2], tags[SYSTEMS];
  ecs_Query *query;
  uint32_t every, turn;
} Commit;

static void commit_init(Commit *commit, uint32_t every, ecs_Storage storage) {
  *commit = (Commit){.world = scene_world(), .every = every};
  scene_components(commit->world, "Value", 2, commit->values);
  for (uint32_t i = 0; i < SYSTEMS; i++) {
    char name[16];
    snprintf(name, sizeof name, "Tag%u", i);
    commit->tags[i] = scene_component(commit->world, name, 0, storage);
  }
  ecs_Entity *entities = scene_allocate(SIZE, sizeof *entities);
  scene_spawn(commit->world, commit->values, 2, SIZE, entities);
  commit->query = scene_query(commit->world, commit->values, 2, ECS_WRITE);
  free(entities);
}

/* The changes do not depend on the order of rows. */
static void change(Commit *commit, ecs_Entity entity, ecs_Component tag) {
  uint32_t number = (uint32_t)entity & 0xfffffffu;
  if ((number + commit->turn) % commit->every != tag % commit->every) return;
  if (ecs_has(commit->world, entity, tag))
    MUST(ecs_remove(commit->world, entity, tag));
  else
    MUST(ecs_add(commit->world, entity, tag, NULL));
}

static void run_system(Commit *commit, uint32_t system) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(commit->query, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    float *value = batch.columns[0];
    for (uint32_t i = 0; i < batch.count; i++) value[i] += 1;
    for (uint32_t i = 0; i < batch.count; i++)
      change(commit, batch.entities[i], commit->tags[system]);
  }
  MUST(ecs_cursor_end(&cursor));
}

/* Applied behind each system: the cursor's end is the outermost one. */
static void run_systems(void *state, uint32_t iterations) {
  Commit *commit = state;
  for (uint32_t turn = 0; turn < iterations; turn++, commit->turn++)
    for (uint32_t i = 0; i < SYSTEMS; i++) run_system(commit, i);
}

/* Applied once a frame. */
static void run_frames(void *state, uint32_t iterations) {
  Commit *commit = state;
  for (uint32_t turn = 0; turn < iterations; turn++, commit->turn++) {
    MUST(ecs_defer_begin(commit->world));
    for (uint32_t i = 0; i < SYSTEMS; i++) run_system(commit, i);
    MUST(ecs_defer_end(commit->world));
  }
}

static uint64_t check(void *state) {
  const Commit *commit = state;
  return ecs_world_state_hash(commit->world);
}

/* Times are per recorded change, systems included. */
static void bench(const char *name, uint32_t every, ecs_Storage storage) {
  Commit system, frame;
  if (!measure_wanted(name)) return;
  commit_init(&system, every, storage);
  commit_init(&frame, every, storage);
  measure_row(&(MeasureRow){.name = name,
                            .order = "in order",
                            .memory = "warm",
                            .size = SIZE,
                            .operations = SYSTEMS * (SIZE / every),
                            .hand = {&system, NULL, run_systems, check},
                            .ours = {&frame, NULL, run_frames, check}});
  ecs_world_destroy(system.world);
  ecs_world_destroy(frame.world);
}

int main(int argument_count, char **arguments) {
  static const uint32_t every[] = {8, 64, 1024};
  measure_open(argument_count, arguments, "commit per frame, per system");
  for (uint32_t i = 0; i < 3; i++) {
    char name[64];
    snprintf(name, sizeof name, "frame, 1 of %u, table", every[i]);
    bench(name, every[i], ECS_STORE_TABLE);
    snprintf(name, sizeof name, "frame, 1 of %u, sparse", every[i]);
    bench(name, every[i], ECS_STORE_SPARSE);
    snprintf(name, sizeof name, "frame, 1 of %u, bits", every[i]);
    bench(name, every[i], ECS_STORE_BITS);
  }
  measure_close();
  return 0;
}
