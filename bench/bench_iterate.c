/* bench_iterate.c: what it costs to loop over entities with a native kernel.
 *
 * Inside the timer: one ecs_kernel_run per system and iteration, against the
 * same loop called on arrays. All components are in the main group, so every
 * plan is full. Specifications:
 *
 * - move: pos += vel * dt, two f32 each, one table.
 * - one field of eight: adds to one f32 of a component with eight.
 * - three systems: a += b*dt, b += c*dt, c -= a*dt. The combinations {a,b}
 *   {b,c} {a,c} {a,b,c} have a quarter of the entities each, so each system
 *   runs on a half. The hand-written side has four sets of arrays, one per
 *   combination, so that no system has to search. Times are for all three
 *   systems, per entity of the world.
 * - 26 tables: 26 entities with one f32 and one of 26 tags each; a time is that
 *   of one call for all of them. Once with a kernel that stores under a mask
 *   (it may load past the end, because columns are padded with zeros), and once
 *   with a plain loop. */
#include <stdio.h>
#include <stdlib.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#include "baseline/loops.h"
#include "scene.h"

#define TIME_STEP 0.00001f
#define TABLES 26u

/* Move -------------------------------------------------------------------- */

static void move_rows(const ecs_KernelCall *call) {
  for (uint32_t k = 0; k < call->block_count; k++) {
    const ecs_KernelBlock *block = &call->blocks[k];
    hand_move(block->columns[0], block->columns[1], block->columns[2],
              block->columns[3], (float)call->dt, block->count);
  }
}

static const ecs_KernelColumn move_columns[] = {
    {"Position", "f0", ECS_F32, ECS_WRITE},
    {"Position", "f1", ECS_F32, ECS_WRITE},
    {"Velocity", "f0", ECS_F32, ECS_READ},
    {"Velocity", "f1", ECS_F32, ECS_READ}};
static const ecs_Kernel move_kernel = {"move", move_rows, move_columns, 4,
                                       0,      NULL,      NULL};

/* A world with up to three systems, and the queries that read it back. */
typedef struct Iteration {
  ecs_World *world;
  ecs_KernelBinding *systems[3];
  float steps[3]; /* dt, by system */
  uint32_t system_count;
  ecs_Query *readers[4];
  uint32_t reader_count;
} Iteration;

static void iteration_run(void *state, uint32_t iterations) {
  Iteration *iteration = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < iteration->system_count; k++) {
      ecs_KernelCall call = {.dt = (double)iteration->steps[k]};
      MUST(ecs_kernel_run(iteration->systems[k], &call));
    }
  }
}

static uint64_t iteration_check(void *state) {
  Iteration *iteration = state;
  uint64_t hash = 0;
  for (uint32_t k = 0; k < iteration->reader_count; k++) {
    hash += scene_hash(iteration->readers[k]);
  }
  return hash;
}

static void add_system(Iteration *iteration, const ecs_Term *terms,
                       uint32_t count, const ecs_Kernel *kernel, float step) {
  ecs_Query *query = NULL;
  uint32_t k = iteration->system_count++;
  MUST(ecs_query_create(iteration->world, terms, count, &query));
  MUST(ecs_kernel_bind(query, kernel, &iteration->systems[k], NULL));
  iteration->steps[k] = step;
}

static void move_by_hand(void *state, uint32_t iterations) {
  HandStore *store = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    hand_move(store->columns[0], store->columns[1], store->columns[2],
              store->columns[3], TIME_STEP, store->count);
  }
}

static uint64_t hand_store_check(void *state) { return hand_store_hash(state); }

static void bench_move(uint32_t size) {
  static const char name[] = "move: pos += vel * dt";
  if (!measure_wanted(name)) return;
  Iteration iteration = {.world = scene_world()};
  ecs_Component both[2] = {
      scene_component(iteration.world, "Position", 2, ECS_STORE_TABLE),
      scene_component(iteration.world, "Velocity", 2, ECS_STORE_TABLE)};
  scene_spawn(iteration.world, both, 2, size, NULL);
  ecs_Term terms[] = {{both[0], ECS_WRITE}, {both[1], ECS_READ}};
  add_system(&iteration, terms, 2, &move_kernel, TIME_STEP);
  iteration.readers[iteration.reader_count++] =
      scene_query(iteration.world, both, 2, ECS_READ);
  HandStore store;
  hand_store_init(&store, 4);
  scene_push(&store, size);
  measure_row(&(MeasureRow){
      .name = name,
      .order = "in order",
      .memory = "warm",
      .size = size,
      .operations = size,
      .aim_ratio = size == SCENE_1K ? 0 : 1.05,
      .hand = {&store, NULL, move_by_hand, hand_store_check},
      .ours = {&iteration, NULL, iteration_run, iteration_check}});
  hand_store_deinit(&store);
  ecs_world_destroy(iteration.world);
}

/* One field of eight ------------------------------------------------------ */

static void advance_rows(const ecs_KernelCall *call) {
  for (uint32_t k = 0; k < call->block_count; k++) {
    const ecs_KernelBlock *block = &call->blocks[k];
    hand_advance(block->columns[0], (float)call->dt, block->count);
  }
}

static const ecs_KernelColumn advance_columns[] = {
    {"Data", "f0", ECS_F32, ECS_WRITE}};
static const ecs_Kernel advance_kernel = {
    "advance", advance_rows, advance_columns, 1, 0, NULL, NULL};

static void advance_by_hand(void *state, uint32_t iterations) {
  HandStore *store = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    hand_advance(store->columns[0], 1, store->count);
  }
}

static void bench_field(uint32_t size) {
  static const char name[] = "one field of eight";
  if (!measure_wanted(name)) return;
  Iteration iteration = {.world = scene_world()};
  ecs_Component data =
      scene_component(iteration.world, "Data", 8, ECS_STORE_TABLE);
  scene_spawn(iteration.world, &data, 1, size, NULL);
  add_system(&iteration, &(ecs_Term){data, ECS_WRITE}, 1, &advance_kernel, 1);
  iteration.readers[iteration.reader_count++] =
      scene_query(iteration.world, &data, 1, ECS_READ);
  HandStore store;
  hand_store_init(&store, 8);
  scene_push(&store, size);
  measure_row(&(MeasureRow){
      .name = name,
      .order = "in order",
      .memory = "warm",
      .size = size,
      .operations = size,
      .aim_ratio = size == SCENE_1K ? 0 : 1.05,
      .hand = {&store, NULL, advance_by_hand, hand_store_check},
      .ours = {&iteration, NULL, iteration_run, iteration_check}});
  hand_store_deinit(&store);
  ecs_world_destroy(iteration.world);
}

/* Three overlapping systems ----------------------------------------------- */

static void accumulate_rows(const ecs_KernelCall *call) {
  for (uint32_t k = 0; k < call->block_count; k++) {
    const ecs_KernelBlock *block = &call->blocks[k];
    hand_accumulate(block->columns[0], block->columns[1], (float)call->dt,
                    block->count);
  }
}

static const ecs_KernelColumn overlap_columns[3][2] = {
    {{"A", "f0", ECS_F32, ECS_WRITE}, {"B", "f0", ECS_F32, ECS_READ}},
    {{"B", "f0", ECS_F32, ECS_WRITE}, {"C", "f0", ECS_F32, ECS_READ}},
    {{"C", "f0", ECS_F32, ECS_WRITE}, {"A", "f0", ECS_F32, ECS_READ}}};
static const ecs_Kernel overlap_kernels[3] = {
    {"ab", accumulate_rows, overlap_columns[0], 2, 0, NULL, NULL},
    {"bc", accumulate_rows, overlap_columns[1], 2, 0, NULL, NULL},
    {"ca", accumulate_rows, overlap_columns[2], 2, 0, NULL, NULL}};
static const float overlap_steps[3] = {TIME_STEP, TIME_STEP, -TIME_STEP};

/* The components a, b, c of each combination, as bits. The three systems write
 * a, b, c, and read the component after it. */
static const uint32_t overlap_masks[4] = {3, 6, 5, 7};

/* The column of a component in a combination's arrays. */
static uint32_t overlap_column(uint32_t mask, uint32_t component) {
  return (uint32_t)__builtin_popcount(mask & ((1u << component) - 1));
}

static void overlap_by_hand(void *state, uint32_t iterations) {
  HandStore *stores = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < 3; k++) {
      uint32_t other = (k + 1) % 3;
      uint32_t pair = 1u << k | 1u << other;
      for (uint32_t c = 0; c < 4; c++) {
        uint32_t mask = overlap_masks[c];
        if ((mask & pair) != pair) continue;
        hand_accumulate(stores[c].columns[overlap_column(mask, k)],
                        stores[c].columns[overlap_column(mask, other)],
                        overlap_steps[k], stores[c].count);
      }
    }
  }
}

static uint64_t overlap_check(void *state) {
  HandStore *stores = state;
  uint64_t hash = 0;
  for (uint32_t c = 0; c < 4; c++) hash += hand_store_hash(&stores[c]);
  return hash;
}

/* Entity i has combination i % 4, so that spawning alternates between tables as
 * it does in a game. Each reader matches one combination. */
static void overlap_world(Iteration *iteration, uint32_t size) {
  ecs_World *world = iteration->world = scene_world();
  static const char *const names[] = {"A", "B", "C"};
  ecs_Component all[3];
  for (uint32_t k = 0; k < 3; k++) {
    all[k] = scene_component(world, names[k], 1, ECS_STORE_TABLE);
  }
  for (uint32_t k = 0; k < 3; k++) {
    ecs_Term terms[] = {{all[k], ECS_WRITE}, {all[(k + 1) % 3], ECS_READ}};
    add_system(iteration, terms, 2, &overlap_kernels[k], overlap_steps[k]);
  }
  ecs_Bundle bundles[4];
  for (uint32_t c = 0; c < 4; c++) {
    ecs_Term terms[3];
    ecs_Component some[3];
    uint32_t count = 0;
    for (uint32_t k = 0; k < 3; k++) {
      bool has = (overlap_masks[c] >> k & 1) != 0;
      terms[k] = (ecs_Term){all[k], has ? ECS_READ : ECS_WITHOUT};
      if (has) some[count++] = all[k];
    }
    MUST(ecs_bundle(world, some, count, &bundles[c]));
    MUST(ecs_query_create(world, terms, 3, &iteration->readers[c]));
  }
  iteration->reader_count = 4;
  for (uint32_t i = 0; i < size; i++) {
    float values[3];
    scene_values(values, 3, i);
    const void *images[3] = {&values[0], &values[1], &values[2]};
    ecs_Entity entity;
    MUST(ecs_spawn_bundle(world, bundles[i % 4], images, &entity));
  }
}

static void bench_overlap(uint32_t size) {
  static const char name[] = "three systems on 50 % each";
  if (!measure_wanted(name)) return;
  Iteration iteration = {.world = NULL};
  overlap_world(&iteration, size);
  HandStore stores[4];
  for (uint32_t c = 0; c < 4; c++) {
    hand_store_init(&stores[c], (uint32_t)__builtin_popcount(overlap_masks[c]));
    hand_store_reserve(&stores[c], size / 4);
  }
  for (uint32_t i = 0; i < size; i++) {
    float values[3];
    scene_values(values, 3, i);
    hand_store_push(&stores[i % 4], values, stores[i % 4].column_count);
  }
  measure_row(&(MeasureRow){
      .name = name,
      .order = "in order",
      .memory = "warm",
      .size = size,
      .operations = size,
      .aim_ratio = size == SCENE_1K ? 0 : 1.1,
      .hand = {stores, NULL, overlap_by_hand, overlap_check},
      .ours = {&iteration, NULL, iteration_run, iteration_check}});
  for (uint32_t c = 0; c < 4; c++) hand_store_deinit(&stores[c]);
  ecs_world_destroy(iteration.world);
}

/* 26 tables of one row ---------------------------------------------------- */

/* Most blocks are one vector, so the loop tests at its end, and the mask is
 * computed from the count without a branch. One row is handled as a single
 * float: a vector load of memory in which one lane was stored a moment ago
 * waits for that store, and about one process in eight stayed in this state, at
 * 110 ns instead of 44. */
#if defined(__AVX512F__) && defined(__BMI2__)
static inline void advance_masked(float *value, float step, uint32_t count) {
  const __m512 steps = _mm512_set1_ps(step);
  if (count == 1) {
    *value += step;
    return;
  }
  for (;;) {
    __mmask16 mask = _cvtu32_mask16(_bzhi_u32(0xffff, count));
    __m512 sum = _mm512_add_ps(_mm512_loadu_ps(value), steps);
    _mm512_mask_storeu_ps(value, mask, sum);
    if (count <= 16) return;
    value += 16;
    count -= 16;
  }
}
#elif defined(__AVX2__)
static inline void advance_masked(float *value, float step, uint32_t count) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (uint32_t i = 0; i < count; i += 8) {
    __m256i left = _mm256_set1_epi32((int)(count - i));
    __m256i mask = _mm256_cmpgt_epi32(left, lanes);
    __m256 sum =
        _mm256_add_ps(_mm256_loadu_ps(value + i), _mm256_set1_ps(step));
    _mm256_maskstore_ps(value + i, mask, sum);
  }
}
#else
static inline void advance_masked(float *value, float step, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) value[i] += step;
}
#endif

/* A vector store may alias anything, so the fields of the call are read
 * once. */
static void advance_rows_masked(const ecs_KernelCall *call) {
  const ecs_KernelBlock *block = call->blocks;
  const ecs_KernelBlock *end = block + call->block_count;
  float step = (float)call->dt;
  for (; block < end; block++) {
    advance_masked(block->columns[0], step, block->count);
  }
}

static const ecs_Kernel masked_kernel = {
    "masked", advance_rows_masked, advance_columns, 1, 0, NULL, NULL};

static void bench_tables(const char *name, const ecs_Kernel *kernel,
                         double aim) {
  if (!measure_wanted(name)) return;
  Iteration iteration = {.world = scene_world()};
  ecs_Component pair[2] = {
      scene_component(iteration.world, "Data", 1, ECS_STORE_TABLE), 0};
  for (uint32_t k = 0; k < TABLES; k++) {
    char tag[8];
    snprintf(tag, sizeof tag, "Tag%u", k);
    pair[1] = scene_component(iteration.world, tag, 0, ECS_STORE_TABLE);
    float value = (float)(int32_t)k;
    const void *images[2] = {&value, NULL};
    ecs_Entity entity;
    MUST(ecs_spawn(iteration.world, pair, 2, images, &entity));
  }
  add_system(&iteration, &(ecs_Term){pair[0], ECS_WRITE}, 1, kernel, 1);
  iteration.readers[iteration.reader_count++] =
      scene_query(iteration.world, pair, 1, ECS_READ);
  HandStore store;
  hand_store_init(&store, 1);
  scene_push(&store, TABLES);
  measure_row(&(MeasureRow){
      .name = name,
      .order = "in order",
      .memory = "warm",
      .size = TABLES,
      .operations = 1,
      .aim_nanoseconds = aim,
      .hand = {&store, NULL, advance_by_hand, hand_store_check},
      .ours = {&iteration, NULL, iteration_run, iteration_check}});
  hand_store_deinit(&store);
  ecs_world_destroy(iteration.world);
}

int main(int argument_count, char **arguments) {
  static const uint32_t sizes[] = {SCENE_1K, SCENE_64K, SCENE_1M};
  measure_open(argument_count, arguments, "iterate");
  for (uint32_t k = 0; k < 3; k++) bench_move(sizes[k]);
  for (uint32_t k = 0; k < 3; k++) bench_field(sizes[k]);
  for (uint32_t k = 0; k < 3; k++) bench_overlap(sizes[k]);
  bench_tables("26 tables of one row, masked kernel", &masked_kernel, 45);
  bench_tables("26 tables of one row, plain loop", &advance_kernel, 0);
  measure_close();
  return 0;
}
