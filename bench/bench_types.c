/* bench_types.c: changes of single entities, for fields of every type.
 *
 * bench_change.c and bench_create.c have components of f32 alone; here are the
 * others. Everything is on 64k entities, in order and in warm memory:
 *
 * - add + remove, sparse: the component is added to every entity, then removed
 *   from every entity. By hand: a sparse set.
 * - add + remove, in a table: the same beside a component of two f32, which
 *   moves along. By hand: two tables that entities move between.
 * - create, destroy: entities of this one component. By hand: a table, and a
 *   list of free ids.
 * - game entity: two components of two f32, one of an i32 and an entity, and
 *   one of a u8.
 * - no value: adding without an image, for defaults of zero.
 * - get, set 1024 at a time: by accessor, in random order. By hand: a map from
 *   id to row, and the columns. */
#include <stdio.h>
#include <stdlib.h>

#include "baseline/hand_rows.h"
#include "scene.h"

#define SIZE SCENE_64K

/* Shapes ------------------------------------------------------------------ */

#define PART_LIMIT 4u

/* The fields of one or more components, and the same for the hand-written side:
 * the image of a part begins where its first field does. */
typedef struct Shape {
  const char *name;
  HandLayout layout;
  uint8_t types[HAND_FIELD_LIMIT]; /* ecs_Scalar */
  uint32_t part_count;
  uint8_t first[PART_LIMIT + 1]; /* field of each part, and the end */
} Shape;

/* clang-format off */
static const Shape shape_f32 = {"f32", {1, {2}, {0}}, {ECS_F32}, 1, {0, 1}};
static const Shape shape_i32 = {"i32", {1, {2}, {0}}, {ECS_I32}, 1, {0, 1}};
static const Shape shape_bool = {"bool", {1, {0}, {0}}, {ECS_BOOL}, 1, {0, 1}};
static const Shape shape_entity =
  {"entity", {1, {3}, {0}}, {ECS_ENTITY}, 1, {0, 1}};
static const Shape shape_f64 = {"f64", {1, {3}, {0}}, {ECS_F64}, 1, {0, 1}};
static const Shape shape_mixed = {"{i32, entity}", {2, {2, 3}, {0, 8}},
  {ECS_I32, ECS_ENTITY}, 1, {0, 2}};
static const Shape shape_game = {"game entity",
  {7, {2, 2, 2, 2, 2, 3, 0}, {0, 4, 8, 12, 16, 24, 32}},
  {ECS_F32, ECS_F32, ECS_F32, ECS_F32, ECS_I32, ECS_ENTITY, ECS_U8},
  4, {0, 2, 4, 6, 7}};
static const HandLayout layout_position = {2, {2, 2}, {0, 4}};
/* clang-format on */

typedef struct Image {
  uint64_t words[8];
} Image;

/* The values of entity number k. */
HAND_INLINE void fill_image(const Shape *shape, Image *image, uint32_t k) {
#pragma GCC unroll 8
  for (uint32_t i = 0; i < shape->layout.count; i++) {
    char *to = (char *)image + shape->layout.offsets[i];
    uint32_t number = k + i * SCENE_FIELD_STEP;
    switch (shape->types[i]) {
      case ECS_F32: {
        float value = (float)(int32_t)number;
        memcpy(to, &value, sizeof value);
        break;
      }
      case ECS_F64: {
        double value = (double)(int32_t)number;
        memcpy(to, &value, sizeof value);
        break;
      }
      case ECS_I32: memcpy(to, &number, 4); break;
      case ECS_ENTITY: {
        uint64_t value = number;
        memcpy(to, &value, sizeof value);
        break;
      }
      default: *to = (char)(number & 1u); break;
    }
  }
}

static ecs_Component define(ecs_World *world, const Shape *shape, uint32_t part,
                            ecs_Storage storage) {
  static const char *const names[] = {"f0", "f1", "f2", "f3",
                                      "f4", "f5", "f6", "f7"};
  ecs_Field fields[HAND_FIELD_LIMIT];
  char name[16];
  uint32_t first = shape->first[part];
  uint32_t count = shape->first[part + 1] - first;
  for (uint32_t k = 0; k < count; k++) {
    fields[k] = (ecs_Field){.name = names[k],
                            .type = (ecs_Scalar)shape->types[first + k]};
  }
  snprintf(name, sizeof name, "Part%u", part);
  ecs_ComponentDescription description = {
      .name = name, .fields = fields, .field_count = count, .storage = storage};
  ecs_Component component = 0;
  MUST(ecs_component(world, &description, &component));
  return component;
}

/* The hash of the rows of a query, as hand_rows_hash. */
static uint64_t hash_of(ecs_Query *query, const HandLayout *layout) {
  uint64_t hash = 0;
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    HandRows rows = {.count = batch.count};
    for (uint32_t k = 0; k < layout->count; k++) {
      rows.columns[k] = batch.columns[k];
    }
    hash += hand_rows_hash(&rows, layout);
  }
  MUST(ecs_cursor_end(&cursor));
  return hash;
}

/* Add + remove ------------------------------------------------------------ */

/* Both sides. The hand-written one has a table for entities without and one for
 * those with the component; for a sparse set, the second one alone. */
typedef struct Toggle {
  const Shape *shape;
  ecs_World *world;
  ecs_Component changing;
  ecs_Query *with;
  ecs_Entity *entities; /* by number */
  uint64_t most;        /* entities with the component, half-way */
  HandRows bare, full;
  HandLayout wide; /* of full: the position behind the component's fields */
  uint32_t *rows;  /* by id */
} Toggle;

HAND_INLINE void toggle_world(Toggle *toggle, uint32_t iterations,
                              const Shape *shape, bool valued) {
  Image image;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      if (valued) fill_image(shape, &image, k);
      MUST(ecs_add(toggle->world, toggle->entities[k], toggle->changing,
                   valued ? &image : NULL));
    }
    toggle->most = scene_count(toggle->with);
    for (uint32_t k = 0; k < SIZE; k++) {
      MUST(ecs_remove(toggle->world, toggle->entities[k], toggle->changing));
    }
  }
}

HAND_INLINE void add_to_set(Toggle *toggle, const Shape *shape, bool valued) {
  static const Image zeros;
  for (uint32_t k = 0; k < SIZE; k++) {
    Image image;
    if (toggle->rows[k] != HAND_ABSENT) continue;
    if (toggle->full.count == toggle->full.capacity) break;
    if (valued) fill_image(shape, &image, k);
    toggle->rows[k] = hand_rows_push(&toggle->full, &shape->layout, k,
                                     valued ? &image : &zeros);
  }
}

HAND_INLINE void remove_from_set(Toggle *toggle, const Shape *shape) {
  for (uint32_t k = 0; k < SIZE; k++) {
    uint32_t row = toggle->rows[k];
    if (row == HAND_ABSENT) continue;
    hand_rows_remove(&toggle->full, &shape->layout, toggle->rows, row);
    toggle->rows[k] = HAND_ABSENT;
  }
}

HAND_INLINE void toggle_set(Toggle *toggle, uint32_t iterations,
                            const Shape *shape, bool valued) {
  for (uint32_t turn = 0; turn < iterations; turn++) {
    add_to_set(toggle, shape, valued);
    toggle->most = toggle->full.count;
    remove_from_set(toggle, shape);
  }
}

/* The place of the position in an image of both. */
#define POSITION_OFFSET 48u

/* A shape's fields, then the position's. */
HAND_INLINE HandLayout widened(const HandLayout *layout) {
  HandLayout wide = *layout;
  for (uint32_t k = 0; k < 2; k++) {
    wide.shifts[wide.count] = 2;
    wide.offsets[wide.count++] = (uint8_t)(POSITION_OFFSET + k * 4);
  }
  return wide;
}

HAND_INLINE void toggle_tables(Toggle *toggle, uint32_t iterations,
                               const Shape *shape) {
  const HandLayout wide = widened(&shape->layout);
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      Image image;
      uint32_t row = toggle->rows[k];
      if (toggle->full.count == toggle->full.capacity) break;
      hand_rows_load(&toggle->bare, &layout_position, row,
                     (char *)&image + POSITION_OFFSET);
      hand_rows_remove(&toggle->bare, &layout_position, toggle->rows, row);
      fill_image(shape, &image, k);
      toggle->rows[k] = hand_rows_push(&toggle->full, &wide, k, &image);
    }
    toggle->most = toggle->full.count;
    for (uint32_t k = 0; k < SIZE; k++) {
      Image image;
      uint32_t row = toggle->rows[k];
      if (toggle->bare.count == toggle->bare.capacity) break;
      hand_rows_load(&toggle->full, &wide, row, &image);
      hand_rows_remove(&toggle->full, &wide, toggle->rows, row);
      toggle->rows[k] = hand_rows_push(&toggle->bare, &layout_position, k,
                                       (char *)&image + POSITION_OFFSET);
    }
  }
}

/* A hash of the component's values after one more add to all. */
static uint64_t toggle_check(void *state) {
  Toggle *toggle = state;
  Image image;
  uint64_t hash = measure_mix(toggle->most, scene_count(toggle->with));
  for (uint32_t k = 0; k < SIZE; k++) {
    fill_image(toggle->shape, &image, k);
    MUST(ecs_add(toggle->world, toggle->entities[k], toggle->changing, &image));
  }
  hash = measure_mix(hash, hash_of(toggle->with, &toggle->shape->layout));
  for (uint32_t k = 0; k < SIZE; k++) {
    MUST(ecs_remove(toggle->world, toggle->entities[k], toggle->changing));
  }
  return hash;
}

/* The hash of the positions, too, where they move along. */
static uint64_t toggle_hand_check(void *state) {
  Toggle *toggle = state;
  uint64_t hash = measure_mix(toggle->most, toggle->full.count);
  HandRows rows;
  hand_rows_init(&rows, &toggle->shape->layout, SIZE);
  for (uint32_t k = 0; k < SIZE; k++) {
    Image image;
    fill_image(toggle->shape, &image, k);
    hand_rows_push(&rows, &toggle->shape->layout, k, &image);
  }
  hash = measure_mix(hash, hand_rows_hash(&rows, &toggle->shape->layout));
  hand_rows_deinit(&rows);
  return hash;
}

static void toggle_init(Toggle *toggle, const Shape *shape,
                        ecs_Storage storage) {
  *toggle = (Toggle){.shape = shape, .world = scene_world()};
  bool sparse = storage == ECS_STORE_SPARSE;
  ecs_Component position =
      scene_component(toggle->world, "Position", 2, ECS_STORE_TABLE);
  toggle->changing = define(toggle->world, shape, 0, storage);
  toggle->entities = scene_allocate(SIZE, sizeof *toggle->entities);
  scene_spawn(toggle->world, &position, 1, SIZE, toggle->entities);
  toggle->with = scene_query(toggle->world, &toggle->changing, 1, ECS_READ);
  toggle->rows = scene_allocate(SIZE, sizeof *toggle->rows);
  toggle->wide = sparse ? shape->layout : widened(&shape->layout);
  hand_rows_init(&toggle->bare, &layout_position, SIZE);
  hand_rows_init(&toggle->full, &toggle->wide, SIZE);
  for (uint32_t k = 0; k < SIZE; k++) {
    float values[2];
    scene_values(values, 2, k);
    toggle->rows[k] =
        sparse ? HAND_ABSENT
               : hand_rows_push(&toggle->bare, &layout_position, k, values);
  }
}

static void toggle_deinit(Toggle *toggle) {
  ecs_world_destroy(toggle->world);
  hand_rows_deinit(&toggle->bare);
  hand_rows_deinit(&toggle->full);
  free(toggle->entities);
  free(toggle->rows);
}

/* Create and destroy ------------------------------------------------------ */

typedef struct Creation {
  const Shape *shape;
  ecs_World *world;
  ecs_Component components[PART_LIMIT];
  ecs_Bundle bundle;
  ecs_Query *reader;
  ecs_Entity *entities;
  HandRows table;
  uint32_t *rows; /* by id */
  uint32_t *free_ids;
  uint32_t free_count, issued;
} Creation;

HAND_INLINE void part_images(const Shape *shape, const Image *image,
                             const void **images) {
#pragma GCC unroll 4
  for (uint32_t k = 0; k < shape->part_count; k++) {
    images[k] = (const char *)image + shape->layout.offsets[shape->first[k]];
  }
}

HAND_INLINE void create_in_world(Creation *creation, const Shape *shape) {
  Image image;
  const void *images[PART_LIMIT];
  part_images(shape, &image, images);
  for (uint32_t k = 0; k < SIZE; k++) {
    fill_image(shape, &image, k);
    MUST(ecs_spawn_bundle(creation->world, creation->bundle, images,
                          &creation->entities[k]));
  }
}

static void destroy_in_world(Creation *creation) {
  for (uint32_t k = 0; k < SIZE; k++) {
    MUST(ecs_destroy(creation->world, creation->entities[k]));
  }
}

HAND_INLINE void pairs_in_world(Creation *creation, const Shape *shape) {
  Image image;
  const void *images[PART_LIMIT];
  part_images(shape, &image, images);
  for (uint32_t k = 0; k < SIZE; k++) {
    ecs_Entity entity;
    fill_image(shape, &image, k);
    MUST(ecs_spawn_bundle(creation->world, creation->bundle, images, &entity));
    MUST(ecs_destroy(creation->world, entity));
  }
}

HAND_INLINE uint32_t create_one(Creation *creation, const Shape *shape,
                                const Image *image) {
  if (creation->table.count == creation->table.capacity) {
    measure_fail("create", "no room");
  }
  uint32_t id = creation->free_count > 0
                    ? creation->free_ids[--creation->free_count]
                    : creation->issued++;
  creation->rows[id] =
      hand_rows_push(&creation->table, &shape->layout, id, image);
  return id;
}

HAND_INLINE void destroy_one(Creation *creation, const Shape *shape,
                             uint32_t id) {
  hand_rows_remove(&creation->table, &shape->layout, creation->rows,
                   creation->rows[id]);
  creation->free_ids[creation->free_count++] = id;
}

HAND_INLINE void create_by_hand(Creation *creation, const Shape *shape) {
  for (uint32_t k = 0; k < SIZE; k++) {
    Image image;
    fill_image(shape, &image, k);
    creation->entities[k] = create_one(creation, shape, &image);
  }
}

HAND_INLINE void destroy_by_hand(Creation *creation, const Shape *shape) {
  for (uint32_t k = 0; k < SIZE; k++) {
    destroy_one(creation, shape, (uint32_t)creation->entities[k]);
  }
}

HAND_INLINE void pairs_by_hand(Creation *creation, const Shape *shape) {
  for (uint32_t k = 0; k < SIZE; k++) {
    Image image;
    fill_image(shape, &image, k);
    destroy_one(creation, shape, create_one(creation, shape, &image));
  }
}

static void clear_world(void *state) {
  MUST(ecs_world_clear(((Creation *)state)->world));
}

static void clear_hand(void *state) {
  Creation *creation = state;
  creation->table.count = creation->issued = creation->free_count = 0;
}

static uint64_t creation_check(void *state) {
  Creation *creation = state;
  return measure_mix(scene_count(creation->reader),
                     hash_of(creation->reader, &creation->shape->layout));
}

static uint64_t creation_hand_check(void *state) {
  Creation *creation = state;
  return measure_mix(
      creation->table.count,
      hand_rows_hash(&creation->table, &creation->shape->layout));
}

static void creation_init(Creation *creation, const Shape *shape) {
  *creation = (Creation){.shape = shape, .world = scene_world()};
  for (uint32_t k = 0; k < shape->part_count; k++) {
    creation->components[k] =
        define(creation->world, shape, k, ECS_STORE_TABLE);
  }
  MUST(ecs_bundle(creation->world, creation->components, shape->part_count,
                  &creation->bundle));
  creation->reader = scene_query(creation->world, creation->components,
                                 shape->part_count, ECS_READ);
  hand_rows_init(&creation->table, &shape->layout, SIZE * 2);
  creation->entities = scene_allocate(SIZE, sizeof *creation->entities);
  creation->rows = scene_allocate(SIZE * 2, sizeof *creation->rows);
  creation->free_ids = scene_allocate(SIZE * 2, sizeof *creation->free_ids);
}

static void creation_deinit(Creation *creation) {
  ecs_world_destroy(creation->world);
  hand_rows_deinit(&creation->table);
  free(creation->entities);
  free(creation->rows);
  free(creation->free_ids);
}

/* Many at a time ---------------------------------------------------------- */

#define PIECE 1024u

typedef struct Many {
  const Shape *shape;
  ecs_World *world;
  ecs_Accessor accessor;
  ecs_Query *reader;
  ecs_Entity *entities; /* in random order */
  uint32_t *order;      /* the same, as ids */
  uint32_t *rows;       /* by id */
  HandRows table;
  uint32_t turn; /* changes the written values */
  uint64_t sum;  /* of what was read last */
  uint64_t buffers[HAND_FIELD_LIMIT][PIECE];
} Many;

HAND_INLINE uint64_t element_bits(const char *element, uint32_t shift) {
  uint64_t bits = 0;
  hand_copy(&bits, element, shift);
  return bits;
}

HAND_INLINE void get_by_hand(Many *many, const Shape *shape) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < SIZE; k++) {
    uint32_t row = many->rows[many->order[k]];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < shape->layout.count; i++) {
      uint32_t shift = shape->layout.shifts[i];
      sum +=
          element_bits(many->table.columns[i] + ((uint64_t)row << shift), shift)
          << i;
    }
  }
  many->sum = sum;
}

HAND_INLINE void set_by_hand(Many *many, const Shape *shape) {
  Image image;
  for (uint32_t k = 0; k < SIZE; k++) {
    uint32_t row = many->rows[many->order[k]];
    fill_image(shape, &image, k ^ many->turn);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < shape->layout.count; i++) {
      uint32_t shift = shape->layout.shifts[i];
      hand_copy(many->table.columns[i] + ((uint64_t)row << shift),
                (const char *)&image + shape->layout.offsets[i], shift);
    }
  }
  many->turn++;
}

HAND_INLINE void get_many(Many *many, const Shape *shape) {
  void *columns[HAND_FIELD_LIMIT];
  uint64_t sum = 0;
  for (uint32_t i = 0; i < HAND_FIELD_LIMIT; i++) columns[i] = many->buffers[i];
  for (uint32_t k = 0; k < SIZE; k += PIECE) {
    MUST(ecs_accessor_get_many(&many->accessor, many->entities + k, PIECE,
                               columns, NULL));
#pragma GCC unroll 8
    for (uint32_t i = 0; i < shape->layout.count; i++) {
      uint32_t shift = shape->layout.shifts[i];
      const char *column = columns[i];
      for (uint32_t j = 0; j < PIECE; j++)
        sum += element_bits(column + ((uint64_t)j << shift), shift) << i;
    }
  }
  many->sum = sum;
}

HAND_INLINE void set_many(Many *many, const Shape *shape) {
  const void *columns[HAND_FIELD_LIMIT];
  Image image;
  for (uint32_t i = 0; i < HAND_FIELD_LIMIT; i++) columns[i] = many->buffers[i];
  for (uint32_t k = 0; k < SIZE; k += PIECE) {
    for (uint32_t j = 0; j < PIECE; j++) {
      fill_image(shape, &image, (k + j) ^ many->turn);
#pragma GCC unroll 8
      for (uint32_t i = 0; i < shape->layout.count; i++) {
        uint32_t shift = shape->layout.shifts[i];
        hand_copy((char *)many->buffers[i] + ((uint64_t)j << shift),
                  (const char *)&image + shape->layout.offsets[i], shift);
      }
    }
    MUST(ecs_accessor_set_many(&many->accessor, many->entities + k, PIECE,
                               columns, NULL));
  }
  many->turn++;
}

static uint64_t many_check(void *state) {
  Many *many = state;
  return measure_mix(many->sum, hash_of(many->reader, &many->shape->layout));
}

static uint64_t many_hand_check(void *state) {
  Many *many = state;
  return measure_mix(many->sum,
                     hand_rows_hash(&many->table, &many->shape->layout));
}

static void many_init(Many *many, const Shape *shape, ecs_Storage storage) {
  *many = (Many){.shape = shape, .world = scene_world()};
  ecs_Component component = define(many->world, shape, 0, storage);
  many->entities = scene_allocate(SIZE, sizeof *many->entities);
  many->order = scene_allocate(SIZE, sizeof *many->order);
  many->rows = scene_allocate(SIZE, sizeof *many->rows);
  hand_rows_init(&many->table, &shape->layout, SIZE);
  measure_shuffle(many->order, SIZE, 5);
  ecs_Entity *entities = scene_allocate(SIZE, sizeof *entities);
  for (uint32_t k = 0; k < SIZE; k++) {
    Image image;
    const void *images[] = {&image};
    fill_image(shape, &image, k);
    many->rows[k] = hand_rows_push(&many->table, &shape->layout, k, &image);
    MUST(ecs_spawn(many->world, &component, 1, images, &entities[k]));
  }
  for (uint32_t k = 0; k < SIZE; k++)
    many->entities[k] = entities[many->order[k]];
  free(entities);
  MUST(ecs_accessor(many->world, component, &many->accessor));
  many->reader = scene_query(many->world, &component, 1, ECS_READ);
}

static void many_deinit(Many *many) {
  ecs_world_destroy(many->world);
  hand_rows_deinit(&many->table);
  free(many->entities);
  free(many->order);
  free(many->rows);
}

/* The functions of each shape --------------------------------------------- */

typedef void Run(void *state, uint32_t iterations);
typedef void Prepare(void *state);

typedef struct Ways {
  const Shape *shape;
  Run *toggle, *toggle_bare, *toggle_set, *toggle_set_bare, *toggle_tables;
  Run *create, *create_hand, *destroy, *destroy_hand, *pairs, *pairs_hand;
  Prepare *refill, *refill_hand;
  Run *get, *get_hand, *set, *set_hand;
} Ways;

/* Repetitions of create and destroy are one iteration each: they have a
 * preparation. */
#define RUN(name, call)                                \
  static void name(void *state, uint32_t iterations) { \
    (void)iterations;                                  \
    call;                                              \
  }
#define REPEATED(name, call) \
  RUN(name, for (uint32_t turn = 0; turn < iterations; turn++) call)
#define WAYS(type)                                                           \
  RUN(type##_toggle, toggle_world(state, iterations, &shape_##type, true))   \
  RUN(type##_toggle_bare,                                                    \
      toggle_world(state, iterations, &shape_##type, false))                 \
  RUN(type##_toggle_set, toggle_set(state, iterations, &shape_##type, true)) \
  RUN(type##_toggle_set_bare,                                                \
      toggle_set(state, iterations, &shape_##type, false))                   \
  RUN(type##_toggle_tables, toggle_tables(state, iterations, &shape_##type)) \
  RUN(type##_create, create_in_world(state, &shape_##type))                  \
  RUN(type##_create_hand, create_by_hand(state, &shape_##type))              \
  RUN(type##_destroy, destroy_in_world(state))                               \
  RUN(type##_destroy_hand, destroy_by_hand(state, &shape_##type))            \
  REPEATED(type##_pairs, pairs_in_world(state, &shape_##type))               \
  REPEATED(type##_pairs_hand, pairs_by_hand(state, &shape_##type))           \
  REPEATED(type##_get, get_many(state, &shape_##type))                       \
  REPEATED(type##_get_hand, get_by_hand(state, &shape_##type))               \
  REPEATED(type##_set, set_many(state, &shape_##type))                       \
  REPEATED(type##_set_hand, set_by_hand(state, &shape_##type))               \
  static void type##_refill(void *state) {                                   \
    clear_world(state);                                                      \
    create_in_world(state, &shape_##type);                                   \
  }                                                                          \
  static void type##_refill_hand(void *state) {                              \
    clear_hand(state);                                                       \
    create_by_hand(state, &shape_##type);                                    \
  }                                                                          \
  static const Ways ways_##type = {&shape_##type,                            \
                                   type##_toggle,                            \
                                   type##_toggle_bare,                       \
                                   type##_toggle_set,                        \
                                   type##_toggle_set_bare,                   \
                                   type##_toggle_tables,                     \
                                   type##_create,                            \
                                   type##_create_hand,                       \
                                   type##_destroy,                           \
                                   type##_destroy_hand,                      \
                                   type##_pairs,                             \
                                   type##_pairs_hand,                        \
                                   type##_refill,                            \
                                   type##_refill_hand,                       \
                                   type##_get,                               \
                                   type##_get_hand,                          \
                                   type##_set,                               \
                                   type##_set_hand};

WAYS(f32)
WAYS(i32)
WAYS(bool)
WAYS(entity)
WAYS(f64)
WAYS(mixed)
WAYS(game)

/* Rows -------------------------------------------------------------------- */

static void bench_toggle(const Ways *ways, ecs_Storage storage, bool valued,
                         double aim) {
  char name[64];
  bool sparse = storage == ECS_STORE_SPARSE;
  snprintf(name, sizeof name, "add + remove, %s%s, %s",
           sparse ? "sparse" : "in a table", valued ? "" : ", no value",
           ways->shape->name);
  if (!measure_wanted(name)) return;
  Toggle hand, ours;
  toggle_init(&hand, ways->shape, storage);
  toggle_init(&ours, ways->shape, storage);
  Run *by_hand = !sparse  ? ways->toggle_tables
                 : valued ? ways->toggle_set
                          : ways->toggle_set_bare;
  measure_row(&(MeasureRow){
      .name = name,
      .order = "in order",
      .memory = "warm",
      .size = SIZE,
      .operations = SIZE,
      .aim_nanoseconds = aim,
      .hand = {&hand, NULL, by_hand, toggle_hand_check},
      .ours = {&ours, NULL, valued ? ways->toggle : ways->toggle_bare,
               toggle_check}});
  toggle_deinit(&hand);
  toggle_deinit(&ours);
}

typedef enum Kind { CREATE, DESTROY, PAIRS } Kind;

static void bench_creation(const Ways *ways, Kind kind, double aim) {
  static const char *const kinds[] = {"create", "destroy", "create + destroy"};
  char name[64];
  snprintf(name, sizeof name, "%s, %s", kinds[kind], ways->shape->name);
  if (!measure_wanted(name)) return;
  Creation hand, ours;
  creation_init(&hand, ways->shape);
  creation_init(&ours, ways->shape);
  MeasureRow row = {.name = name,
                    .order = "in order",
                    .memory = "warm",
                    .size = SIZE,
                    .operations = SIZE,
                    .aim_nanoseconds = aim,
                    .hand = {&hand, NULL, NULL, creation_hand_check},
                    .ours = {&ours, NULL, NULL, creation_check}};
  if (kind == CREATE) {
    row.hand.prepare = clear_hand, row.hand.run = ways->create_hand;
    row.ours.prepare = clear_world, row.ours.run = ways->create;
  } else if (kind == DESTROY) {
    row.hand.prepare = ways->refill_hand, row.hand.run = ways->destroy_hand;
    row.ours.prepare = ways->refill, row.ours.run = ways->destroy;
  } else {
    ways->refill(&ours);
    ways->refill_hand(&hand);
    row.hand.run = ways->pairs_hand, row.ours.run = ways->pairs;
  }
  measure_row(&row);
  creation_deinit(&hand);
  creation_deinit(&ours);
}

static void bench_many(const Ways *ways, bool sets, ecs_Storage storage) {
  static Many hand, ours;
  char name[64];
  snprintf(name, sizeof name, "%s 1024 at a time, %s%s", sets ? "set" : "get",
           storage == ECS_STORE_SPARSE ? "sparse, " : "", ways->shape->name);
  if (!measure_wanted(name)) return;
  many_init(&hand, ways->shape, storage);
  many_init(&ours, ways->shape, storage);
  measure_row(&(MeasureRow){
      .name = name,
      .order = "random",
      .memory = "warm",
      .size = SIZE,
      .operations = SIZE,
      .hand = {&hand, NULL, sets ? ways->set_hand : ways->get_hand,
               many_hand_check},
      .ours = {&ours, NULL, sets ? ways->set : ways->get, many_check}});
  many_deinit(&hand);
  many_deinit(&ours);
}

int main(int argument_count, char **arguments) {
  static const Ways *const types[] = {&ways_f32,    &ways_i32, &ways_bool,
                                      &ways_entity, &ways_f64, &ways_mixed};
  measure_open(argument_count, arguments, "types");
  for (uint32_t k = 0; k < 6; k++) {
    bench_toggle(types[k], ECS_STORE_SPARSE, true, k == 5 ? 18 : 0);
  }
  bench_toggle(&ways_f32, ECS_STORE_SPARSE, false, 0);
  bench_toggle(&ways_i32, ECS_STORE_SPARSE, false, 0);
  for (uint32_t k = 0; k < 6; k++) {
    bench_toggle(types[k], ECS_STORE_TABLE, true, 0);
  }
  bench_toggle(&ways_f32, ECS_STORE_TABLE, false, 0);
  for (uint32_t k = 0; k < 6; k++) bench_creation(types[k], CREATE, 0);
  for (uint32_t k = 0; k < 6; k++) bench_creation(types[k], DESTROY, 0);
  bench_creation(&ways_game, CREATE, 18);
  bench_creation(&ways_game, PAIRS, 31);
  for (uint32_t sets = 0; sets < 2; sets++) {
    for (uint32_t k = 0; k < 6; k++)
      bench_many(types[k], sets == 1, ECS_STORE_TABLE);
    bench_many(&ways_i32, sets == 1, ECS_STORE_SPARSE);
    bench_many(&ways_mixed, sets == 1, ECS_STORE_SPARSE);
  }
  measure_close();
  return 0;
}
