/* bench_derivatives.c: positions with a chain of derivatives.
 *
 * The workload of a paper on component groups: an entity has a position and its
 * first k derivatives, k uniform in 0 to N; a tick runs N systems, of which
 * number k does d(k-1) += d(k) * dt for all entities that have d(k). One f32
 * each, N = 4, 8, 12. A time is per entity of the world.
 *
 * Ticks (native: a kernel per system; compiled: a kernel program per system):
 *
 * - beside columns: one array for each derivative, sorted by hand, so that each
 *   system is one loop.
 * - beside pointers: an array of pointers to objects on the heap, each with the
 *   address of its update, in the order of creation, sorted by class, and in
 *   random order.
 *
 * Set-up, on fresh memory, beside a loop by hand that pushes entities to one
 * structure of arrays for each class; classes come in random order:
 *
 * - in bulk: one ecs_spawn_many for each class.
 * - by bundles: one ecs_spawn_bundle for each entity.
 * - one by one: an empty spawn and k + 1 adds.
 * - recorded: the same in one deferral, or in deferrals of 16,384 entities;
 *   also beside the same adds at once, in time and in the most bytes held.
 *
 * Break-even: so many ticks repay what set-up costs more than that of pointers
 * in the order of creation; from the least times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/derivatives.h"
#include "baseline/loops.h"
#include "scene.h"

#define TIME_STEP 0.00001f
#define TOGETHER 16384u

typedef enum SetUp {
  IN_BULK,
  BY_BUNDLES,
  ONE_BY_ONE,
  RECORDED_AT_ONCE,
  RECORDED_IN_FLUSHES,
  SET_UPS
} SetUp;

typedef struct Chain {
  uint8_t *classes;    /* of each entity */
  uint32_t size, last; /* last: N */
  SetUp set_up;
  ecs_World *world;
  ecs_Component components[DERIVATIVE_LIMIT];
  ecs_Bundle bundles[DERIVATIVE_LIMIT]; /* by class */
  ecs_KernelBinding *kernels[DERIVATIVE_LIMIT];
  ecs_Program *programs[DERIVATIVE_LIMIT];
  ecs_Query *reader; /* of positions */
  HandClasses hand;
  HandColumns columns;
  HandObjects objects;
} Chain;

static const char *const names[DERIVATIVE_LIMIT] = {
    "D0", "D1", "D2", "D3",  "D4",  "D5", "D6",
    "D7", "D8", "D9", "D10", "D11", "D12"};

/* Set-up ------------------------------------------------------------------ */

static void fill_batch(const ecs_Batch *batch, uint32_t done) {
  for (uint32_t d = 0; d < batch->column_count; d++)
    for (uint32_t row = 0; row < batch->count; row++)
      ((float *)batch->columns[d])[row] = derivative_value(done + row, d);
}

static void spawn_class(Chain *chain, uint32_t k, uint32_t count) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint32_t done = 0;
  MUST(ecs_spawn_many(chain->world, chain->bundles[k], count, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    fill_batch(&batch, done);
    done += batch.count;
  }
  MUST(ecs_cursor_end(&cursor));
}

static void spawn_in_bulk(Chain *chain) {
  uint32_t counts[DERIVATIVE_LIMIT] = {0};
  for (uint32_t i = 0; i < chain->size; i++) counts[chain->classes[i]]++;
  for (uint32_t k = 0; k <= chain->last; k++) spawn_class(chain, k, counts[k]);
}

static void spawn_by_bundles(Chain *chain) {
  uint32_t numbers[DERIVATIVE_LIMIT] = {0};
  float values[DERIVATIVE_LIMIT];
  const void *images[DERIVATIVE_LIMIT];
  for (uint32_t d = 0; d < DERIVATIVE_LIMIT; d++) images[d] = &values[d];
  for (uint32_t i = 0; i < chain->size; i++) {
    uint32_t k = chain->classes[i], number = numbers[k]++;
    ecs_Entity entity;
    for (uint32_t d = 0; d <= k; d++) values[d] = derivative_value(number, d);
    MUST(ecs_spawn_bundle(chain->world, chain->bundles[k], images, &entity));
  }
}

static void spawn_chain(Chain *chain, uint32_t k, uint32_t number) {
  ecs_Entity entity;
  MUST(ecs_spawn(chain->world, NULL, 0, NULL, &entity));
  for (uint32_t d = 0; d <= k; d++) {
    float value = derivative_value(number, d);
    MUST(ecs_add(chain->world, entity, chain->components[d], &value));
  }
}

/* together: entities in a deferral; 0: none is deferred. */
static void spawn_by_adds(Chain *chain, uint32_t together) {
  uint32_t numbers[DERIVATIVE_LIMIT] = {0};
  for (uint32_t i = 0; i < chain->size; i++) {
    if (together > 0 && i % together == 0) MUST(ecs_defer_begin(chain->world));
    uint32_t k = chain->classes[i];
    spawn_chain(chain, k, numbers[k]++);
    if (together > 0 && (i % together == together - 1 || i == chain->size - 1))
      MUST(ecs_defer_end(chain->world));
  }
}

static void set_up(void *state, uint32_t iterations) {
  Chain *chain = state;
  (void)iterations;
  switch (chain->set_up) {
    case IN_BULK: spawn_in_bulk(chain); break;
    case BY_BUNDLES: spawn_by_bundles(chain); break;
    case ONE_BY_ONE: spawn_by_adds(chain, 0); break;
    case RECORDED_AT_ONCE: spawn_by_adds(chain, chain->size); break;
    default: spawn_by_adds(chain, TOGETHER); break;
  }
}

static void make_world(Chain *chain) {
  chain->world = scene_world();
  for (uint32_t d = 0; d <= chain->last; d++) {
    chain->components[d] =
        scene_component(chain->world, names[d], 1, ECS_STORE_TABLE);
    MUST(
        ecs_bundle(chain->world, chain->components, d + 1, &chain->bundles[d]));
  }
  chain->reader = scene_query(chain->world, chain->components, 1, ECS_READ);
}

static void fresh_world(void *state) {
  Chain *chain = state;
  ecs_world_destroy(chain->world);
  scene_cool();
  make_world(chain);
}

static void fresh_hand(void *state) {
  Chain *chain = state;
  hand_classes_deinit(&chain->hand);
  scene_cool();
}

static void push_by_hand(void *state, uint32_t iterations) {
  Chain *chain = state;
  (void)iterations;
  hand_classes_push(&chain->hand, chain->classes, chain->size);
}

static uint64_t world_check(void *state) {
  return scene_hash(((Chain *)state)->reader);
}

static uint64_t hand_check(void *state) {
  return hand_classes_hash(&((Chain *)state)->hand);
}

static void chain_init(Chain *chain, uint32_t last, uint32_t size) {
  uint64_t seed = 5;
  *chain = (Chain){.size = measure_size(size), .last = last};
  chain->classes = scene_allocate(chain->size, 1);
  for (uint32_t i = 0; i < chain->size; i++)
    chain->classes[i] = (uint8_t)(measure_random(&seed) % (last + 1));
}

static void chain_deinit(Chain *chain) {
  ecs_world_destroy(chain->world);
  hand_classes_deinit(&chain->hand);
  hand_columns_deinit(&chain->columns);
  hand_objects_deinit(&chain->objects);
  free(chain->classes);
}

/* Ticks ------------------------------------------------------------------- */

static void accumulate_rows(const ecs_KernelCall *call) {
  for (uint32_t k = 0; k < call->block_count; k++) {
    const ecs_KernelBlock *block = &call->blocks[k];
    hand_accumulate(block->columns[0], block->columns[1], (float)call->dt,
                    block->count);
  }
}

static void make_kernel(Chain *chain, ecs_Query *query, uint32_t d) {
  static ecs_KernelColumn columns[DERIVATIVE_LIMIT][2];
  static ecs_Kernel kernels[DERIVATIVE_LIMIT];
  columns[d][0] = (ecs_KernelColumn){names[d - 1], "f0", ECS_F32, ECS_WRITE};
  columns[d][1] = (ecs_KernelColumn){names[d], "f0", ECS_F32, ECS_READ};
  kernels[d] =
      (ecs_Kernel){"accumulate", accumulate_rows, columns[d], 2, 0, NULL, NULL};
  MUST(ecs_kernel_bind(query, &kernels[d], &chain->kernels[d], NULL));
}

static void make_program(Chain *chain, ecs_Query *query, uint32_t d) {
  char text[400], message[200] = "";
  int length = snprintf(text, sizeof text,
                        "column c0 \"%s\" \"f0\" f32 write\n"
                        "column c1 \"%s\" \"f0\" f32 read\n"
                        "uniform u0 number\n"
                        "v0 = load f32 c0\nv1 = load f32 c1\n"
                        "v2 = uniform f32 u0\nv3 = mul f32 v1 v2\n"
                        "v4 = add f32 v0 v3\nstore c0 v4\n",
                        names[d - 1], names[d]);
  if (ecs_program_create(query, text, (size_t)length, &chain->programs[d],
                         message, sizeof message) != ECS_OK)
    measure_fail("program", message);
}

static void make_systems(Chain *chain) {
  for (uint32_t d = 1; d <= chain->last; d++) {
    ecs_Query *query = NULL;
    const ecs_Term terms[] = {{chain->components[d - 1], ECS_WRITE},
                              {chain->components[d], ECS_READ}};
    MUST(ecs_query_create(chain->world, terms, 2, &query));
    make_kernel(chain, query, d);
    make_program(chain, query, d);
  }
}

static void tick_native(void *state, uint32_t iterations) {
  Chain *chain = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t d = 1; d <= chain->last; d++) {
      ecs_KernelCall call = {.dt = (double)TIME_STEP};
      MUST(ecs_kernel_run(chain->kernels[d], &call));
    }
}

static void tick_compiled(void *state, uint32_t iterations) {
  Chain *chain = state;
  const double dt = (double)TIME_STEP;
  const ecs_ProgramCall call = {.uniforms = &dt, .uniform_count = 1};
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t d = 1; d <= chain->last; d++)
      MUST(ecs_program_run(chain->programs[d], &call));
}

static void tick_columns(void *state, uint32_t iterations) {
  for (uint32_t turn = 0; turn < iterations; turn++)
    hand_columns_tick(&((Chain *)state)->columns, TIME_STEP);
}

static void tick_objects(void *state, uint32_t iterations) {
  for (uint32_t turn = 0; turn < iterations; turn++)
    hand_objects_tick(&((Chain *)state)->objects, TIME_STEP);
}

static uint64_t columns_check(void *state) {
  return hand_columns_hash(&((Chain *)state)->columns);
}

static uint64_t objects_check(void *state) {
  return hand_objects_hash(&((Chain *)state)->objects);
}

/* Rows -------------------------------------------------------------------- */

/* What break-even is computed from, least times in ns per entity; 0: not
 * measured. */
typedef struct Found {
  double tick, objects_tick;
  double set_ups[SET_UPS];
} Found;

/* Aims are for the longest chain and a million entities. */
static bool is_aimed(uint32_t last, uint32_t size) {
  return last == 12 && size == 1000000;
}

/* The memory bound sizes are slow, and vary less. */
static uint32_t repetitions(uint32_t size) {
  return size > 1000000 ? 3 : size == 1000000 ? 7 : 0;
}

static void tick_row(Chain *chain, const char *text, uint32_t size,
                     MeasureSide hand, MeasureSide ours, double aim) {
  char name[80];
  snprintf(name, sizeof name, "N=%u %s", chain->last, text);
  measure_row(&(MeasureRow){.name = name,
                            .order = "by class",
                            .memory = "warm",
                            .size = size,
                            .most = repetitions(size),
                            .operations = chain->size,
                            .aim_ratio = aim,
                            .hand = hand,
                            .ours = ours});
}

static bool name_wanted(uint32_t last, const char *text) {
  char name[80];
  snprintf(name, sizeof name, "N=%u %s", last, text);
  return measure_wanted(name);
}

static void bench_columns(uint32_t last, uint32_t size, Found *found) {
  static const char *const texts[] = {"tick, native", "tick, compiled"};
  void (*const ticks[])(void *, uint32_t) = {tick_native, tick_compiled};
  for (uint32_t k = 0; k < 2; k++) {
    Chain chain;
    if (!name_wanted(last, texts[k])) continue;
    chain_init(&chain, last, size);
    hand_columns_init(&chain.columns, chain.classes, chain.size);
    make_world(&chain);
    set_up(&chain, 1);
    make_systems(&chain);
    tick_row(&chain, texts[k], size,
             (MeasureSide){&chain, NULL, tick_columns, columns_check},
             (MeasureSide){&chain, NULL, ticks[k], world_check},
             is_aimed(last, size) ? 1.05 : 0);
    if (k == 0) found->tick = measure_least().ours;
    chain_deinit(&chain);
  }
}

static void bench_objects(uint32_t last, uint32_t size, Found *found) {
  static const char *const texts[] = {"tick, pointers as created",
                                      "tick, pointers sorted",
                                      "tick, pointers shuffled"};
  for (uint32_t k = 0; k < 3; k++) {
    Chain chain;
    if (!name_wanted(last, texts[k])) continue;
    chain_init(&chain, last, size);
    hand_objects_push(&chain.objects, chain.classes, chain.size);
    if (k == 1) hand_objects_sort(&chain.objects, chain.classes);
    if (k == 2) hand_objects_shuffle(&chain.objects);
    make_world(&chain);
    set_up(&chain, 1);
    make_systems(&chain);
    tick_row(&chain, texts[k], size,
             (MeasureSide){&chain, NULL, tick_objects, objects_check},
             (MeasureSide){&chain, NULL, tick_native, world_check}, 0);
    if (k == 0) found->objects_tick = measure_least().hand;
    chain_deinit(&chain);
  }
}

static const char *const set_up_texts[SET_UPS] = {
    "set-up in bulk", "set-up by bundles", "set-up one by one",
    "set-up recorded at once", "set-up recorded in flushes"};

/* The most bytes that the recorded set-up held, beside those of the world that
 * the same adds make at once. */
static void peak_row(const Chain *chain, uint32_t size) {
  char name[80];
  ecs_Statistics recorded, made;
  Chain other;
  snprintf(name, sizeof name, "N=%u %s, peak", chain->last,
           set_up_texts[chain->set_up]);
  ecs_world_statistics(chain->world, &recorded);
  chain_init(&other, chain->last, size);
  other.set_up = ONE_BY_ONE;
  make_world(&other);
  set_up(&other, 1);
  ecs_world_statistics(other.world, &made);
  measure_value(name, "of the world's bytes", size, "x",
                (double)recorded.peak_bytes / (double)made.bytes,
                is_aimed(chain->last, size) ? 2.5 : 0);
  chain_deinit(&other);
}

static void recorded_row(const Found *found, uint32_t last, uint32_t size,
                         SetUp how) {
  char name[80];
  if (found->set_ups[how] <= 0 || found->set_ups[ONE_BY_ONE] <= 0) return;
  snprintf(name, sizeof name, "N=%u %s", last, set_up_texts[how]);
  measure_value(name, "of the same at once", size, "x",
                found->set_ups[how] / found->set_ups[ONE_BY_ONE],
                is_aimed(last, size) ? 1.1 : 0);
}

static void bench_set_up(uint32_t last, uint32_t size, SetUp how,
                         Found *found) {
  static const double aims[SET_UPS] = {0.5, 1.3, 2.5, 2.5, 1.6};
  char name[80];
  Chain chain;
  snprintf(name, sizeof name, "N=%u %s", last, set_up_texts[how]);
  if (!measure_wanted(name)) return;
  if (how == RECORDED_AT_ONCE && size > 1000000) return; /* takes gigabytes */
  chain_init(&chain, last, size);
  chain.set_up = how;
  measure_row(
      &(MeasureRow){.name = name,
                    .order = "random",
                    .memory = "cold",
                    .size = size,
                    .most = size >= 1000000 ? repetitions(size) : 11,
                    .operations = chain.size,
                    .aim_ratio = is_aimed(last, size) ? aims[how] : 0,
                    .hand = {&chain, fresh_hand, push_by_hand, hand_check},
                    .ours = {&chain, fresh_world, set_up, world_check}});
  found->set_ups[how] = measure_least().ours;
  if (how >= RECORDED_AT_ONCE && last == 12) {
    recorded_row(found, last, size, how);
    peak_row(&chain, size);
  }
  chain_deinit(&chain);
}

/* The least time of the set-up of pointers, in ns per entity. */
static double objects_set_up(uint32_t last, uint32_t size) {
  double least = HUGE_VAL;
  Chain chain;
  chain_init(&chain, last, size);
  for (uint32_t turn = 0; turn < 5; turn++) {
    hand_objects_deinit(&chain.objects);
    scene_cool();
    double start = measure_clock();
    hand_objects_push(&chain.objects, chain.classes, chain.size);
    double time = (measure_clock() - start) / chain.size;
    if (time < least) least = time;
  }
  chain_deinit(&chain);
  return least;
}

static void bench_break_even(uint32_t last, uint32_t size, const Found *found) {
  char name[80];
  double objects = objects_set_up(last, size);
  snprintf(name, sizeof name, "N=%u set-up of pointers, by hand", last);
  measure_value(name, "cold", size, "ns", objects, 0);
  for (SetUp how = IN_BULK; how < SET_UPS; how++) {
    double gain = found->objects_tick - found->tick;
    if (found->set_ups[how] <= 0 || gain <= 0) continue;
    double ticks = (found->set_ups[how] - objects) / gain;
    snprintf(name, sizeof name, "N=%u break-even", last);
    measure_value(name, set_up_texts[how], size, "ticks", ticks > 0 ? ticks : 0,
                  is_aimed(last, size) ? 16 : 0);
  }
}

int main(int argument_count, char **arguments) {
  static const uint32_t lasts[] = {4, 8, 12};
  static const uint32_t sizes[] = {10000, 100000, 1000000, 5000000};
  measure_open(argument_count, arguments, "derivatives");
  for (uint32_t n = 0; n < 3; n++)
    for (uint32_t s = 0; s < 4; s++) {
      Found found = {0};
      if (measure_counts() && sizes[s] > 100000) continue;
      bench_columns(lasts[n], sizes[s], &found);
      bench_objects(lasts[n], sizes[s], &found);
      for (SetUp how = IN_BULK; how < SET_UPS; how++)
        bench_set_up(lasts[n], sizes[s], how, &found);
      if (found.tick > 0 && found.objects_tick > 0)
        bench_break_even(lasts[n], sizes[s], &found);
    }
  measure_close();
  return 0;
}
