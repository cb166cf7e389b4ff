/* bench_changed.c: queries that pass over what has not changed.
 *
 * Entities have a place and a copy of it, of two f32 each. Inside the timer: a
 * place is set in one of a hundred blocks of 1,024 rows, and a walk makes the
 * copies anew.
 *
 * - changed: the baseline walks over all entities, the other side over blocks that
 *   have changed. Both are walks of a cursor in the library.
 * - stamps: a walk that writes every place. The baseline's world has no query that
 *   asks for changes of it; the other world has one, so blocks are stamped.
 * - set: one place is set. The same two worlds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "scene.h"

#define BLOCK 1024u
#define SHARE 100u /* one block of so many is written */

typedef struct Copies {
  ecs_World *world;
  ecs_Component parts[2]; /* the place and its copy */
  ecs_Query *query, *writer, *watcher;
  ecs_Entity *entities;
  uint32_t size, turn;
} Copies;

static ecs_Query *ask(const Copies *copies) {
  const ecs_Term terms[] = {{copies->parts[0], ECS_READ},
                            {copies->parts[1], ECS_WRITE}};
  ecs_Query *query = NULL;
  MUST(ecs_query_create(copies->world, terms, 2, &query));
  return query;
}

static void init(Copies *copies, uint32_t size, ecs_Storage storage,
                 bool changed) {
  *copies = (Copies){.world = scene_world(), .size = size};
  copies->parts[0] = scene_component(copies->world, "Place", 2, storage);
  copies->parts[1] = scene_component(copies->world, "Copy", 2, ECS_STORE_TABLE);
  copies->entities = scene_allocate(size, sizeof(ecs_Entity));
  scene_spawn(copies->world, copies->parts, 2, size, copies->entities);
  copies->query = ask(copies);
  copies->writer = scene_query(copies->world, copies->parts, 1, ECS_WRITE);
  if (!changed) return;
  MUST(ecs_query_ask_changes(copies->query, 0));
}

static void deinit(Copies *copies) {
  ecs_world_destroy(copies->world);
  free(copies->entities);
}

/* Sets a place in one of SHARE blocks. */
static void set_places(Copies *copies) {
  uint32_t first = copies->turn % SHARE * BLOCK + copies->turn % BLOCK;
  for (uint32_t k = first; k < copies->size; k += SHARE * BLOCK) {
    const float place[2] = {(float)copies->turn, (float)k};
    MUST(ecs_set(copies->world, copies->entities[k], copies->parts[0], place,
                 UINT64_MAX));
  }
  copies->turn++;
}

static void walk(ecs_Query *query) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    const float *x = batch.columns[0], *y = batch.columns[1];
    float *to_x = batch.columns[2], *to_y = batch.columns[3];
    for (uint32_t i = 0; i < batch.count; i++) {
      to_x[i] = x[i] * 2;
      to_y[i] = y[i] + 1;
    }
  }
  MUST(ecs_cursor_end(&cursor));
  ecs_query_mark_seen(query);
}

static void run_copies(void *state, uint32_t iterations) {
  Copies *copies = state;
  for (uint32_t i = 0; i < iterations; i++) {
    set_places(copies);
    walk(copies->query);
  }
}

static void run_writer(void *state, uint32_t iterations) {
  const Copies *copies = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    ecs_Cursor cursor;
    ecs_Batch batch;
    MUST(ecs_query_begin(copies->writer, ECS_BATCH_WHOLE, &cursor));
    while (ecs_cursor_next(&cursor, &batch)) {
      float *x = batch.columns[0];
      for (uint32_t i = 0; i < batch.count; i++) x[i] += 1;
    }
    MUST(ecs_cursor_end(&cursor));
  }
}

static void run_sets(void *state, uint32_t iterations) {
  Copies *copies = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t k = 0; k < copies->size; k++) {
      const float place[2] = {(float)copies->turn, (float)k};
      MUST(ecs_set(copies->world, copies->entities[k], copies->parts[0], place,
                   UINT64_MAX));
    }
  copies->turn++;
}

static uint64_t check(void *state) {
  return ecs_world_state_hash(((const Copies *)state)->world);
}

static void bench(const char *name, uint32_t size, ecs_Storage storage,
                  void (*run)(void *, uint32_t), uint32_t operations,
                  double aim) {
  Copies plain, changed;
  if (!measure_wanted(name)) return;
  init(&plain, size, storage, false);
  init(&changed, size, storage, true);
  walk(plain.query);
  walk(changed.query);
  measure_row(&(MeasureRow){.name = name,
                            .order = "in order",
                            .memory = "warm",
                            .size = size,
                            .operations = operations,
                            .hand = {&plain, NULL, run, check},
                            .ours = {&changed, NULL, run, check},
                            .aim_ratio = aim});
  deinit(&plain);
  deinit(&changed);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "changed rows, and all");
  uint32_t million = measure_size(SCENE_1M), some = measure_size(SCENE_64K);
  bench("changed, 1 % of the blocks", million, ECS_STORE_TABLE, run_copies,
        million, 0.03);
  bench("changed, 1 % of the blocks, sparse", million, ECS_STORE_SPARSE,
        run_copies, million, 0);
  bench("changed, stamps of a walk", million, ECS_STORE_TABLE, run_writer,
        million, 0);
  bench("changed, set", some, ECS_STORE_TABLE, run_sets, some, 0);
  measure_close();
  return 0;
}
