/* bench_rows.c: rows of single entities in line (ecs_access.h), random order.
 *
 * Entities have a position and a velocity of two f32 each, and a health of one
 * i32. Inside the timer: every entity once, in a fixed random permutation. The
 * library checks the entity, the component and the claims. There are two
 * hand-written sides. In rows of the plain name, one array maps an id of four
 * bytes to a row, and nothing is checked. In rows that say "handles" it is what
 * such a program becomes when ids are reused: a handle of eight bytes has an
 * index and a generation, and the array has a generation and a row for each
 * index; the index and the generation are checked.
 *
 * - get: both fields of the position, added up as integers.
 * - get and set: one is added to both, in place.
 * - by image: the same by copies, ecs_rows_get and ecs_rows_set.
 * - by blocks: ecs_rows_read_block or ecs_rows_write_block.
 * - hp -= 1: the i32.
 */
#include <stdlib.h>
#include <string.h>

#include "../include/ecs_access.h"
#include "scene.h"

typedef struct HandSlot {
  uint32_t row, generation;
} HandSlot;

typedef struct Access {
  ecs_World *world;
  ecs_Component position, health;
  ecs_Rows rows, hp;
  ecs_Query *reader, *hp_reader;
  ecs_Entity *entities; /* in the order of the benchmark */
  uint32_t *order;      /* their numbers */
  int32_t *hand_hp;     /* by row of the store */
  uint64_t *handles;    /* of the store, in the order of the benchmark */
  HandSlot *slots;
  uint32_t size;
  uint64_t sum;
  HandStore store;
} Access;

/* The row of a handle: the index in the low half, the generation above. */
static inline uint32_t hand_row(const Access *access, uint64_t handle) {
  uint32_t index = (uint32_t)handle;
  if (index >= access->size) measure_fail("rows", "no such handle");
  HandSlot slot = access->slots[index];
  if (slot.generation != handle >> 32) measure_fail("rows", "a dead handle");
  return slot.row;
}

static inline uint64_t bits_of(const float *value) {
  uint32_t bits;
  memcpy(&bits, value, sizeof bits);
  return bits;
}

static uint64_t sum_check(void *state) { return ((Access *)state)->sum; }

static uint64_t world_check(void *state) {
  return scene_hash(((Access *)state)->reader);
}

static uint64_t store_check(void *state) {
  return hand_store_hash(&((Access *)state)->store);
}

/* Get --------------------------------------------------------------------- */

static void get_by_hand(void *state, uint32_t iterations) {
  Access *access = state;
  const float *x = access->store.columns[0], *y = access->store.columns[1];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < access->size; k++) {
      uint32_t row = access->store.rows[access->order[k]];
      sum += bits_of(&x[row]) ^ bits_of(&y[row]) << 32;
    }
    access->sum = sum;
  }
}

static void get_by_handle(void *state, uint32_t iterations) {
  Access *access = state;
  const float *x = access->store.columns[0], *y = access->store.columns[1];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < access->size; k++) {
      uint32_t row = hand_row(access, access->handles[k]);
      sum += bits_of(&x[row]) ^ bits_of(&y[row]) << 32;
    }
    access->sum = sum;
  }
}

static void get_blocks(void *state, uint32_t iterations) {
  Access *access = state;
  ecs_RowBlock block;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint64_t sum = 0;
    for (size_t k = 0; k < access->size; k += block.count) {
      MUST(ecs_rows_read_block(&access->rows, access->entities + k,
                               access->size - k, &block));
      const float *x = ECS_COLUMN(&block, const float, 0);
      const float *y = ECS_COLUMN(&block, const float, 1);
      for (size_t i = 0; i < block.count; i++)
        sum += bits_of(&x[block.index[i]]) ^ bits_of(&y[block.index[i]]) << 32;
    }
    access->sum = sum;
  }
}

static void get_rows(void *state, uint32_t iterations) {
  Access *access = state;
  ecs_Row row;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < access->size; k++) {
      MUST(ecs_rows_read(&access->rows, access->entities[k], &row));
      sum += bits_of(&ECS_ELEMENT(&row, const float, 0)) ^
             bits_of(&ECS_ELEMENT(&row, const float, 1)) << 32;
    }
    access->sum = sum;
  }
}

static void get_images(void *state, uint32_t iterations) {
  Access *access = state;
  float image[2];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < access->size; k++) {
      MUST(ecs_rows_get(&access->rows, access->entities[k], image));
      sum += bits_of(&image[0]) ^ bits_of(&image[1]) << 32;
    }
    access->sum = sum;
  }
}

/* Get and set ------------------------------------------------------------- */

static void update_by_hand(void *state, uint32_t iterations) {
  Access *access = state;
  float *x = access->store.columns[0], *y = access->store.columns[1];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      uint32_t row = access->store.rows[access->order[k]];
      x[row] += 1;
      y[row] += 1;
    }
  }
}

static void update_by_handle(void *state, uint32_t iterations) {
  Access *access = state;
  float *x = access->store.columns[0], *y = access->store.columns[1];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      uint32_t row = hand_row(access, access->handles[k]);
      x[row] += 1;
      y[row] += 1;
    }
  }
}

static void update_blocks(void *state, uint32_t iterations) {
  Access *access = state;
  ecs_RowBlock block;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (size_t k = 0; k < access->size; k += block.count) {
      MUST(ecs_rows_write_block(&access->rows, access->entities + k,
                                access->size - k, &block));
      float *x = ECS_COLUMN(&block, float, 0);
      float *y = ECS_COLUMN(&block, float, 1);
      for (size_t i = 0; i < block.count; i++) {
        x[block.index[i]] += 1;
        y[block.index[i]] += 1;
      }
    }
  }
}

static void update_rows(void *state, uint32_t iterations) {
  Access *access = state;
  ecs_Row row;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      MUST(ecs_rows_write(&access->rows, access->entities[k], &row));
      ECS_ELEMENT(&row, float, 0) += 1;
      ECS_ELEMENT(&row, float, 1) += 1;
    }
  }
}

static void update_images(void *state, uint32_t iterations) {
  Access *access = state;
  float image[2];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      MUST(ecs_rows_get(&access->rows, access->entities[k], image));
      image[0] += 1;
      image[1] += 1;
      MUST(ecs_rows_set(&access->rows, access->entities[k], image));
    }
  }
}

/* Hits -------------------------------------------------------------------- */

static void hit_by_hand(void *state, uint32_t iterations) {
  Access *access = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t k = 0; k < access->size; k++)
      access->hand_hp[access->store.rows[access->order[k]]] -= 1;
}

static void hit_by_handle(void *state, uint32_t iterations) {
  Access *access = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t k = 0; k < access->size; k++)
      access->hand_hp[hand_row(access, access->handles[k])] -= 1;
}

static void hit_blocks(void *state, uint32_t iterations) {
  Access *access = state;
  ecs_RowBlock block;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (size_t k = 0; k < access->size; k += block.count) {
      MUST(ecs_rows_write_block(&access->hp, access->entities + k,
                                access->size - k, &block));
      int32_t *points = ECS_COLUMN(&block, int32_t, 0);
      for (size_t i = 0; i < block.count; i++) points[block.index[i]] -= 1;
    }
  }
}

static void hit_rows(void *state, uint32_t iterations) {
  Access *access = state;
  ecs_Row row;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < access->size; k++) {
      MUST(ecs_rows_write(&access->hp, access->entities[k], &row));
      ECS_ELEMENT(&row, int32_t, 0) -= 1;
    }
  }
}

static uint64_t hand_hp_check(void *state) {
  Access *access = state;
  uint64_t sum = 0;
  for (uint32_t k = 0; k < access->size; k++)
    sum += (uint32_t)access->hand_hp[k];
  return sum;
}

static uint64_t hp_check(void *state) {
  Access *access = state;
  uint64_t sum = 0;
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(access->hp_reader, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch))
    for (uint32_t i = 0; i < batch.count; i++)
      sum += (uint32_t)((const int32_t *)batch.columns[0])[i];
  MUST(ecs_cursor_end(&cursor));
  return sum;
}

/* Rows of the table -------------------------------------------------------- */

static void access_init(Access *access, uint32_t size, ecs_Storage storage) {
  static const ecs_Field hp = {"hp", ECS_I32, 0};
  const ecs_ComponentDescription health = {
      .name = "Health", .fields = &hp, .field_count = 1, .storage = storage};
  *access = (Access){.world = scene_world(), .size = size};
  access->position = scene_component(access->world, "Position", 2, storage);
  ecs_Component both[2] = {
      access->position,
      scene_component(access->world, "Velocity", 2, ECS_STORE_TABLE)};
  MUST(ecs_component(access->world, &health, &access->health));
  access->reader = scene_query(access->world, &access->position, 1, ECS_READ);
  access->hp_reader = scene_query(access->world, &access->health, 1, ECS_READ);
  ecs_Entity *entities = scene_allocate(size, sizeof *entities);
  scene_spawn(access->world, both, 2, size, entities);
  for (uint32_t i = 0; i < size; i++)
    MUST(ecs_add(access->world, entities[i], access->health, NULL));
  access->order = scene_allocate(size, sizeof *access->order);
  access->entities = scene_allocate(size, sizeof *access->entities);
  access->hand_hp = scene_allocate(size, sizeof *access->hand_hp);
  memset(access->hand_hp, 0, size * sizeof *access->hand_hp);
  for (uint32_t i = 0; i < size; i++) access->order[i] = i;
  measure_shuffle(access->order, size, 1);
  for (uint32_t i = 0; i < size; i++)
    access->entities[i] = entities[access->order[i]];
  free(entities);
  access->handles = scene_allocate(size, sizeof *access->handles);
  access->slots = scene_allocate(size, sizeof *access->slots);
  for (uint32_t i = 0; i < size; i++) {
    access->handles[i] = access->order[i] | (uint64_t)(i % 3) << 32;
    access->slots[access->order[i]] = (HandSlot){access->order[i], i % 3};
  }
  hand_store_init(&access->store, 2);
  scene_push(&access->store, size);
  MUST(ecs_rows_open(access->world, access->position, &access->rows));
  MUST(ecs_rows_open(access->world, access->health, &access->hp));
}

static void access_deinit(Access *access) {
  ecs_world_destroy(access->world);
  hand_store_deinit(&access->store);
  free(access->entities);
  free(access->order);
  free(access->hand_hp);
  free(access->handles);
  free(access->slots);
}

typedef void Run(void *state, uint32_t iterations);
typedef uint64_t Check(void *state);

typedef struct Way {
  const char *name, *sparse_name;
  Run *by_hand, *run;
  Check *hand_check, *check;
  double aims[2]; /* 64k and 1M: multiples of the baseline; 0: none */
} Way;

static void bench_way(const Way *way, const char *name, uint32_t size,
                      ecs_Storage storage, double aim) {
  if (!measure_wanted(name)) return;
  Access hand, ours;
  access_init(&hand, size, storage);
  access_init(&ours, size, storage);
  measure_row(
      &(MeasureRow){.name = name,
                    .order = "random",
                    .memory = "warm",
                    .size = size,
                    .operations = size,
                    .aim_ratio = aim,
                    .hand = {&hand, NULL, way->by_hand, way->hand_check},
                    .ours = {&ours, NULL, way->run, way->check}});
  access_deinit(&hand);
  access_deinit(&ours);
}

int main(int argument_count, char **arguments) {
  static const Way ways[] = {
      {"rows, get",
       "rows, sparse get",
       get_by_hand,
       get_rows,
       sum_check,
       sum_check,
       {2.5, 2}},
      {"rows, get, handles",
       "rows, sparse get, handles",
       get_by_handle,
       get_rows,
       sum_check,
       sum_check,
       {2.5, 2}},
      {"rows, get by blocks",
       "rows, sparse get by blocks",
       get_by_hand,
       get_blocks,
       sum_check,
       sum_check,
       {2.5, 2}},
      {"rows, get by blocks, handles",
       NULL,
       get_by_handle,
       get_blocks,
       sum_check,
       sum_check,
       {2.5, 2}},
      {"rows, get by image",
       "rows, sparse get by image",
       get_by_hand,
       get_images,
       sum_check,
       sum_check,
       {0, 0}},
      {"rows, get and set",
       "rows, sparse get and set",
       update_by_hand,
       update_rows,
       store_check,
       world_check,
       {1.4, 2.2}},
      {"rows, get and set, handles",
       "rows, sparse get and set, handles",
       update_by_handle,
       update_rows,
       store_check,
       world_check,
       {1.4, 2.2}},
      {"rows, get and set by blocks",
       "rows, sparse get and set by blocks",
       update_by_hand,
       update_blocks,
       store_check,
       world_check,
       {1.4, 2.2}},
      {"rows, get and set by blocks, handles",
       NULL,
       update_by_handle,
       update_blocks,
       store_check,
       world_check,
       {1.4, 2.2}},
      {"rows, get and set by image",
       "rows, sparse get and set by image",
       update_by_hand,
       update_images,
       store_check,
       world_check,
       {0, 0}},
      {"rows, hp -= 1",
       "rows, sparse hp -= 1",
       hit_by_hand,
       hit_rows,
       hand_hp_check,
       hp_check,
       {0, 0}},
      {"rows, hp -= 1, handles",
       "rows, sparse hp -= 1, handles",
       hit_by_handle,
       hit_rows,
       hand_hp_check,
       hp_check,
       {0, 0}},
      {"rows, hp -= 1 by blocks",
       "rows, sparse hp -= 1 by blocks",
       hit_by_hand,
       hit_blocks,
       hand_hp_check,
       hp_check,
       {0, 0}},
      {"rows, hp -= 1 by blocks, handles",
       NULL,
       hit_by_handle,
       hit_blocks,
       hand_hp_check,
       hp_check,
       {0, 0}},
  };
  static const uint32_t sizes[] = {SCENE_64K, SCENE_1M};
  measure_open(argument_count, arguments, "rows in line");
  for (uint32_t s = 0; s < 2; s++) {
    for (uint32_t k = 0; k < sizeof ways / sizeof *ways; k++) {
      const Way *way = &ways[k];
      bench_way(way, way->name, sizes[s], ECS_STORE_TABLE, way->aims[s]);
      if (way->sparse_name != NULL)
        bench_way(way, way->sparse_name, sizes[s], ECS_STORE_SPARSE, 0);
    }
  }
  measure_close();
  return 0;
}
