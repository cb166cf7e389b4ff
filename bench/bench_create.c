/* bench_create.c: creating entities with values, of components of two f32 each.
 *
 * Inside the timer: 64k entities of an existing bundle. The hand-written side
 * pushes the same values to one array per field, and maintains ids and the
 * array that maps an id to its row.
 *
 * - one by one: ecs_spawn_bundle with one image per component.
 * - in bulk: one ecs_spawn_many; its columns are filled through the cursor.
 * - warm: the same world after ecs_world_clear; the arrays set to count 0.
 *   Clearing is not timed.
 * - cold: a new world and new arrays for every repetition. The C library is
 *   told to take blocks of 64 KB and more from the system, and has returned all
 *   that it held. So their pages are fresh, and page faults and growth are
 *   inside the timer. In bulk the number is known: the arrays have their final
 *   size at once.
 * - resv: cold, but with ecs_reserve first, untimed; the arrays are reserved
 *   too. The library zeroes what it reserves, so its pages have been touched
 *   before the timer starts and those of the arrays have not. The ratio
 *   therefore flatters the library. */
#include <stdlib.h>

#include "baseline/loops.h"
#include "scene.h"

#define COMPONENTS 5u
#define SIZE SCENE_64K

typedef enum Memory { WARM, COLD, RESERVED } Memory;

/* Both sides; each row of the table uses a fresh object. */
typedef struct Creation {
  ecs_World *world;
  ecs_Component components[COMPONENTS];
  ecs_Bundle bundle;
  uint32_t component_count;
  Memory memory;
  HandStore store;
} Creation;

/* Preparation ------------------------------------------------------------- */

static void make_world(Creation *creation) {
  creation->world = scene_world();
  scene_components(creation->world, "Component", creation->component_count,
                   creation->components);
  MUST(ecs_bundle(creation->world, creation->components,
                  creation->component_count, &creation->bundle));
}

static void prepare_world(void *state) {
  Creation *creation = state;
  if (creation->memory == WARM && creation->world != NULL) {
    MUST(ecs_world_clear(creation->world));
    return;
  }
  ecs_world_destroy(creation->world);
  scene_cool();
  make_world(creation);
  if (creation->memory == RESERVED) {
    MUST(ecs_reserve(creation->world, creation->bundle, SIZE));
  }
}

static void prepare_store(void *state) {
  Creation *creation = state;
  if (creation->memory == WARM) {
    hand_store_clear(&creation->store);
    return;
  }
  hand_store_deinit(&creation->store);
  scene_cool();
  if (creation->memory == RESERVED) hand_store_reserve(&creation->store, SIZE);
}

static void creation_init(Creation *creation, uint32_t component_count,
                          Memory memory) {
  *creation = (Creation){.component_count = component_count, .memory = memory};
  hand_store_init(&creation->store, component_count * 2);
}

static void creation_deinit(Creation *creation) {
  ecs_world_destroy(creation->world);
  hand_store_deinit(&creation->store);
}

/* Work -------------------------------------------------------------------- */

/* Callers pass the number of components as a constant, so that the compiler
 * unrolls both sides alike. */
static inline void spawn_each(Creation *creation, uint32_t component_count) {
  ecs_Entity entity;
  float values[COMPONENTS * 2];
  const void *images[COMPONENTS];
  for (uint32_t k = 0; k < component_count; k++) images[k] = &values[k * 2];
  for (uint32_t i = 0; i < SIZE; i++) {
    scene_values(values, component_count * 2, i);
    MUST(ecs_spawn_bundle(creation->world, creation->bundle, images, &entity));
  }
}

static inline void push_each(Creation *creation, uint32_t component_count) {
  float values[COMPONENTS * 2];
  for (uint32_t i = 0; i < SIZE; i++) {
    scene_values(values, component_count * 2, i);
    hand_store_push(&creation->store, values, component_count * 2);
  }
}

static void spawn_one_by_one(void *state, uint32_t iterations) {
  Creation *creation = state;
  (void)iterations; /* always 1, as the side has a prepare function */
  if (creation->component_count == 2) {
    spawn_each(creation, 2);
  } else {
    spawn_each(creation, 5);
  }
}

static void push_one_by_one(void *state, uint32_t iterations) {
  Creation *creation = state;
  (void)iterations;
  if (creation->component_count == 2) {
    push_each(creation, 2);
  } else {
    push_each(creation, 5);
  }
}

static void spawn_in_bulk(void *state, uint32_t iterations) {
  Creation *creation = state;
  (void)iterations;
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint32_t done = 0;
  MUST(ecs_spawn_many(creation->world, creation->bundle, SIZE, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    for (uint32_t k = 0; k < batch.column_count; k++) {
      hand_fill(batch.columns[k], (float)(int32_t)(done + k * SCENE_FIELD_STEP),
                1, batch.count);
    }
    done += batch.count;
  }
  MUST(ecs_cursor_end(&cursor));
}

static void push_in_bulk(void *state, uint32_t iterations) {
  (void)iterations;
  scene_push(&((Creation *)state)->store, SIZE);
}

/* The query is made outside of the timer. It is destroyed here, because the
 * world is soon replaced, or makes the same query again. */
static uint64_t world_check(void *state) {
  Creation *creation = state;
  ecs_Query *query = scene_query(creation->world, creation->components,
                                 creation->component_count, ECS_READ);
  uint64_t hash = scene_hash(query);
  MUST(ecs_query_destroy(query));
  return hash;
}

static uint64_t hand_store_check(void *state) {
  return hand_store_hash(&((Creation *)state)->store);
}

/* Rows -------------------------------------------------------------------- */

/* aim 0: no aim. */
static void bench_creation(const char *name, uint32_t component_count,
                           Memory memory, bool bulk, double aim) {
  static const char *const memories[] = {"warm", "cold", "resv"};
  if (!measure_wanted(name)) return;
  Creation hand, ours;
  creation_init(&hand, component_count, memory);
  creation_init(&ours, component_count, memory);
  measure_row(&(MeasureRow){
      .name = name,
      .order = "in order",
      .memory = memories[memory],
      .size = SIZE,
      .operations = SIZE,
      .aim_nanoseconds = aim,
      .hand = {&hand, prepare_store, bulk ? push_in_bulk : push_one_by_one,
               hand_store_check},
      .ours = {&ours, prepare_world, bulk ? spawn_in_bulk : spawn_one_by_one,
               world_check}});
  creation_deinit(&hand);
  creation_deinit(&ours);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "create");
  bench_creation("create 2 components, one by one", 2, WARM, false, 25);
  bench_creation("create 2 components, one by one", 2, COLD, false, 35);
  bench_creation("create 2 components, one by one", 2, RESERVED, false, 0);
  bench_creation("create 5 components, one by one", 5, WARM, false, 0);
  bench_creation("create 5 components, one by one", 5, COLD, false, 0);
  bench_creation("create 5 components, one by one", 5, RESERVED, false, 0);
  bench_creation("create 2 components, in bulk", 2, WARM, true, 5);
  bench_creation("create 2 components, in bulk", 2, COLD, true, 15);
  bench_creation("create 2 components, in bulk", 2, RESERVED, true, 0);
  bench_creation("create 5 components, in bulk", 5, WARM, true, 0);
  bench_creation("create 5 components, in bulk", 5, COLD, true, 0);
  bench_creation("create 5 components, in bulk", 5, RESERVED, true, 0);
  measure_close();
  return 0;
}
