/* bench_sorted.c: walks in the order of a field.
 *
 * Entities have a place of two f32, in random order. Inside the timer: one place
 * (or every one) is written, and a walk sums up the places in the order of x.
 *
 * - The baseline keeps an array of keys and row numbers, sorts it by qsort after
 *   each write, and reads the rows through it.
 * - kept: nothing is written, so neither side sorts.
 */
#include <stdlib.h>
#include <string.h>

#include "scene.h"

typedef struct HandRow {
  float key;
  uint32_t row;
} HandRow;

typedef struct Sorted {
  ecs_World *world;
  ecs_Component place;
  ecs_Query *query, *writer;
  HandRow *rows;
  float *x, *y;
  uint32_t size;
  bool writes, made;
  uint64_t sum;
} Sorted;

static float key_of(uint32_t k, uint32_t size) {
  return (float)(int32_t)((uint64_t)k * 7919u % size);
}

/* x[i] of every row, also of the world's. */
static void init(Sorted *sorted, uint32_t size, bool writes) {
  *sorted = (Sorted){.world = scene_world(), .size = size, .writes = writes};
  sorted->place = scene_component(sorted->world, "Place", 2, ECS_STORE_TABLE);
  scene_spawn(sorted->world, &sorted->place, 1, size, NULL);
  sorted->rows = scene_allocate(size, sizeof(HandRow));
  sorted->x = scene_allocate(size, sizeof(float));
  sorted->y = scene_allocate(size, sizeof(float));
  sorted->query = scene_query(sorted->world, &sorted->place, 1, ECS_READ);
  sorted->writer = scene_query(sorted->world, &sorted->place, 1, ECS_WRITE);
  MUST(ecs_query_sort(sorted->query, 0, 0, false));
}

static void deinit(Sorted *sorted) {
  ecs_world_destroy(sorted->world);
  free(sorted->rows);
  free(sorted->x);
  free(sorted->y);
}

static void fill(float *x, float *y, uint32_t size) {
  for (uint32_t k = 0; k < size; k++) {
    x[k] = key_of(k, size);
    y[k] = (float)(int32_t)(k % 1024u);
  }
}

/* An order-dependent sum of whole numbers. */
static uint64_t add(uint64_t sum, float x, float y) {
  return sum * 31u + (uint64_t)x + (uint64_t)y;
}

static int compare(const void *left, const void *right) {
  const HandRow *a = left, *b = right;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->row < b->row ? -1 : 1;
}

static void run_hand(void *state, uint32_t iterations) {
  Sorted *sorted = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    if (sorted->writes || !sorted->made) {
      fill(sorted->x, sorted->y, sorted->size);
      for (uint32_t k = 0; k < sorted->size; k++)
        sorted->rows[k] = (HandRow){sorted->x[k], k};
      qsort(sorted->rows, sorted->size, sizeof(HandRow), compare);
      sorted->made = true;
    }
    uint64_t sum = 0;
    for (uint32_t k = 0; k < sorted->size; k++) {
      uint32_t row = sorted->rows[k].row;
      sum = add(sum, sorted->x[row], sorted->y[row]);
    }
    sorted->sum = sum;
  }
}

static void write_all(const Sorted *sorted) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(sorted->writer, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch))
    fill(batch.columns[0], batch.columns[1], batch.count);
  MUST(ecs_cursor_end(&cursor));
}

static void run_ours(void *state, uint32_t iterations) {
  Sorted *sorted = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    ecs_Cursor cursor;
    ecs_Batch batch;
    uint64_t sum = 0;
    if (sorted->writes || !sorted->made) write_all(sorted);
    sorted->made = true;
    MUST(ecs_query_begin(sorted->query, ECS_BATCH_WHOLE, &cursor));
    while (ecs_cursor_next(&cursor, &batch)) {
      const float *x = batch.columns[0], *y = batch.columns[1];
      for (uint32_t i = 0; i < batch.count; i++) sum = add(sum, x[i], y[i]);
    }
    MUST(ecs_cursor_end(&cursor));
    sorted->sum = sum;
  }
}

static uint64_t check(void *state) { return ((const Sorted *)state)->sum; }

static void bench(const char *name, uint32_t size, bool writes, double aim) {
  Sorted hand, ours;
  if (!measure_wanted(name)) return;
  init(&hand, size, writes);
  init(&ours, size, writes);
  run_hand(&hand, 1);
  run_ours(&ours, 1);
  measure_row(&(MeasureRow){.name = name,
                            .order = "by x",
                            .memory = "warm",
                            .size = size,
                            .operations = size,
                            .hand = {&hand, NULL, run_hand, check},
                            .ours = {&ours, NULL, run_ours, check},
                            .aim_ratio = aim});
  deinit(&hand);
  deinit(&ours);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "rows in the order of a field");
  uint32_t some = measure_size(SCENE_64K);
  bench("sorted, every key written", some, true, 1);
  bench("sorted, kept", some, false, 2);
  measure_close();
  return 0;
}
