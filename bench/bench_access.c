/* bench_access.c: reading and writing one entity at a time, in random order.
 *
 * Entities have a position and a velocity of two f32 each. Inside the timer:
 * two fields of every entity once, in a fixed random permutation. They are
 * added up as integers, so that no chain of floating-point additions limits the
 * speed. Every access of the library checks the handle and the component; the
 * hand-written side maps an id to a row through one array and checks nothing.
 *
 * - by component: ecs_get, ecs_set; with all fields, and by a mask that names
 *   exactly all of them.
 * - by accessor: prepared once for the component.
 * - batched: 1024 entities per call into arrays. */
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#define PIECE 1024u

/* Both sides; order[k] is the number of an entity, entities[k] the handle of
 * this entity. */
typedef struct Access {
  ecs_World *world;
  ecs_Component position;
  ecs_Accessor accessor;
  ecs_Query *reader;
  ecs_Entity *entities;
  uint32_t *order;
  uint32_t size;
  uint32_t turn; /* changes the written values from run to run */
  uint64_t sum;  /* of the values that the last iteration read */
  HandStore store;
} Access;

static inline uint64_t bits_of(const float *value) {
  uint32_t bits;
  memcpy(&bits, value, sizeof bits);
  return bits;
}

static uint64_t sum_check(void *state) { return ((Access *)state)->sum; }

/* Get --------------------------------------------------------------------- */

static void get_by_hand(void *state, uint32_t iterations) {
  Access *access = state;
  const float *x = access->store.columns[0];
  const float *y = access->store.columns[1];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < access->size; k++) {
      uint32_t row = access->store.rows[access->order[k]];
      sum += bits_of(&x[row]) ^ bits_of(&y[row]) << 32;
    }
    access->sum = sum;
  }
}

static void get_by_component(void *state, uint32_t iterations) {
  Access *access = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < access->size; k++) {
      float image[2];
      MUST(
          ecs_get(access->world, access->entities[k], access->position, image));
      sum += bits_of(&image[0]) ^ bits_of(&image[1]) << 32;
    }
    access->sum = sum;
  }
}

static void get_by_accessor(void *state, uint32_t iterations) {
  Access *access = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < access->size; k++) {
      float image[2];
      MUST(ecs_accessor_get(&access->accessor, access->entities[k], image));
      sum += bits_of(&image[0]) ^ bits_of(&image[1]) << 32;
    }
    access->sum = sum;
  }
}

static void get_batched(void *state, uint32_t iterations) {
  Access *access = state;
  float x[PIECE], y[PIECE];
  void *columns[2] = {x, y};
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < access->size; k += PIECE) {
      MUST(ecs_accessor_get_many(&access->accessor, access->entities + k, PIECE,
                                 columns, NULL));
      for (uint32_t i = 0; i < PIECE; i++) {
        sum += bits_of(&x[i]) ^ bits_of(&y[i]) << 32;
      }
    }
    access->sum = sum;
  }
}

/* Set --------------------------------------------------------------------- */

/* The values that iteration number `turn` writes to the k-th entity of the
 * order. */
static inline void new_values(float *values, uint32_t turn, uint32_t k) {
  values[0] = (float)(int32_t)(turn + k);
  values[1] = (float)(int32_t)(turn ^ k);
}

static void set_by_hand(void *state, uint32_t iterations) {
  Access *access = state;
  float *x = access->store.columns[0];
  float *y = access->store.columns[1];
  for (uint32_t turn = 0; turn < iterations; turn++, access->turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      float image[2];
      new_values(image, access->turn, k);
      uint32_t row = access->store.rows[access->order[k]];
      x[row] = image[0];
      y[row] = image[1];
    }
  }
}

static void set_by_component(void *state, uint32_t iterations) {
  Access *access = state;
  for (uint32_t turn = 0; turn < iterations; turn++, access->turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      float image[2];
      new_values(image, access->turn, k);
      MUST(ecs_set(access->world, access->entities[k], access->position, image,
                   ~(uint64_t)0));
    }
  }
}

static void set_by_mask(void *state, uint32_t iterations) {
  Access *access = state;
  for (uint32_t turn = 0; turn < iterations; turn++, access->turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      float image[2];
      new_values(image, access->turn, k);
      MUST(ecs_set(access->world, access->entities[k], access->position, image,
                   3));
    }
  }
}

static void set_by_accessor(void *state, uint32_t iterations) {
  Access *access = state;
  for (uint32_t turn = 0; turn < iterations; turn++, access->turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      float image[2];
      new_values(image, access->turn, k);
      MUST(ecs_accessor_set(&access->accessor, access->entities[k], image));
    }
  }
}

static void set_batched(void *state, uint32_t iterations) {
  Access *access = state;
  float x[PIECE], y[PIECE];
  const void *columns[2] = {x, y};
  for (uint32_t turn = 0; turn < iterations; turn++, access->turn++) {
    for (uint32_t k = 0; k < access->size; k += PIECE) {
      for (uint32_t i = 0; i < PIECE; i++) {
        float image[2];
        new_values(image, access->turn, k + i);
        x[i] = image[0];
        y[i] = image[1];
      }
      MUST(ecs_accessor_set_many(&access->accessor, access->entities + k, PIECE,
                                 columns, NULL));
    }
  }
}

/* Get and set ------------------------------------------------------------- */

/* Adds one to both values. */
static void update_by_hand(void *state, uint32_t iterations) {
  Access *access = state;
  float *x = access->store.columns[0];
  float *y = access->store.columns[1];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      uint32_t row = access->store.rows[access->order[k]];
      x[row] += 1;
      y[row] += 1;
    }
  }
}

static void update_by_component(void *state, uint32_t iterations) {
  Access *access = state;
  ecs_World *world = access->world;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      float image[2];
      MUST(ecs_get(world, access->entities[k], access->position, image));
      image[0] += 1;
      image[1] += 1;
      MUST(ecs_set(world, access->entities[k], access->position, image,
                   ~(uint64_t)0));
    }
  }
}

static void update_by_accessor(void *state, uint32_t iterations) {
  Access *access = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      float image[2];
      MUST(ecs_accessor_get(&access->accessor, access->entities[k], image));
      image[0] += 1;
      image[1] += 1;
      MUST(ecs_accessor_set(&access->accessor, access->entities[k], image));
    }
  }
}

static uint64_t world_check(void *state) {
  return scene_hash(((Access *)state)->reader);
}

static uint64_t hand_store_check(void *state) {
  return hand_store_hash(&((Access *)state)->store);
}

/* Rows -------------------------------------------------------------------- */

static void access_init(Access *access, uint32_t size, ecs_Storage storage) {
  *access = (Access){.world = scene_world(), .size = size};
  ecs_Component both[2] = {
      scene_component(access->world, "Position", 2, storage),
      scene_component(access->world, "Velocity", 2, ECS_STORE_TABLE)};
  access->position = both[0];
  ecs_Entity *entities = scene_allocate(size, sizeof *entities);
  scene_spawn(access->world, both, 2, size, entities);
  hand_store_init(&access->store, 4);
  scene_push(&access->store, size);
  access->order = scene_allocate(size, sizeof *access->order);
  access->entities = scene_allocate(size, sizeof *access->entities);
  measure_shuffle(access->order, size, 5);
  for (uint32_t k = 0; k < size; k++) {
    access->entities[k] = entities[access->order[k]];
  }
  free(entities);
  MUST(ecs_accessor(access->world, access->position, &access->accessor));
  access->reader = scene_query(access->world, both, 2, ECS_READ);
}

static void access_deinit(Access *access) {
  ecs_world_destroy(access->world);
  hand_store_deinit(&access->store);
  free(access->order);
  free(access->entities);
}

/* A way to access fields, and the hand-written loop to compare with. */
typedef struct Way {
  const char *name;
  void (*run)(void *state, uint32_t iterations);
  void (*by_hand)(void *state, uint32_t iterations);
  double aim;
} Way;

static void bench_way(const Way *way, uint32_t size, ecs_Storage storage) {
  if (!measure_wanted(way->name)) return;
  /* Each side has a world of its own, because sets count their iterations. */
  Access hand, ours;
  access_init(&hand, size, storage);
  access_init(&ours, size, storage);
  bool aimed = size == SCENE_64K && storage == ECS_STORE_TABLE;
  bool sets = way->by_hand != get_by_hand;
  measure_row(&(MeasureRow){
      .name = way->name,
      .order = "random",
      .memory = "warm",
      .size = size,
      .operations = size,
      .aim_nanoseconds = aimed ? way->aim : 0,
      .hand = {&hand, NULL, way->by_hand, sets ? hand_store_check : sum_check},
      .ours = {&ours, NULL, way->run, sets ? world_check : sum_check}});
  access_deinit(&hand);
  access_deinit(&ours);
}

int main(int argument_count, char **arguments) {
  static const Way ways[] = {
      {"get two fields by component", get_by_component, get_by_hand, 8},
      {"get two fields by accessor", get_by_accessor, get_by_hand, 5},
      {"get two fields, 1024 at a time", get_batched, get_by_hand, 2.5},
      {"set two fields by component", set_by_component, set_by_hand, 0},
      {"set two fields by mask", set_by_mask, set_by_hand, 0},
      {"set two fields by accessor", set_by_accessor, set_by_hand, 0},
      {"set two fields, 1024 at a time", set_batched, set_by_hand, 0},
      {"get and set by component", update_by_component, update_by_hand, 0},
      {"get and set by accessor", update_by_accessor, update_by_hand, 0}};
  static const Way sparse_ways[] = {
      {"get, sparse, by component", get_by_component, get_by_hand, 0},
      {"get, sparse, by accessor", get_by_accessor, get_by_hand, 0},
      {"get, sparse, 1024 at a time", get_batched, get_by_hand, 0},
      {"set, sparse, by component", set_by_component, set_by_hand, 0},
      {"set, sparse, by accessor", set_by_accessor, set_by_hand, 0},
      {"get and set, sparse, by component", update_by_component, update_by_hand,
       0},
      {"get and set, sparse, by accessor", update_by_accessor, update_by_hand,
       0}};
  const uint32_t way_count = sizeof ways / sizeof *ways;
  const uint32_t sparse_count = sizeof sparse_ways / sizeof *sparse_ways;
  measure_open(argument_count, arguments, "access");
  for (uint32_t k = 0; k < way_count; k++) {
    bench_way(&ways[k], SCENE_64K, ECS_STORE_TABLE);
  }
  for (uint32_t k = 0; k < sparse_count; k++) {
    bench_way(&sparse_ways[k], SCENE_64K, ECS_STORE_SPARSE);
  }
  for (uint32_t k = 0; k < way_count; k++) {
    bench_way(&ways[k], SCENE_1M, ECS_STORE_TABLE);
  }
  measure_close();
  return 0;
}
