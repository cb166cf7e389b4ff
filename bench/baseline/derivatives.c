/* derivatives.c: positions and their derivatives, written by hand. */
#include "derivatives.h"

#include <stdlib.h>
#include <string.h>

#include "../measure.h"
#include "loops.h"

static void *resized(void *block, size_t count, size_t element_bytes) {
  block = realloc(block, count * element_bytes);
  if (block == NULL) measure_fail("derivatives", "no memory");
  return block;
}

static uint32_t doubled(uint32_t capacity) {
  return capacity == 0 ? 16 : capacity * 2;
}

/* Classes ----------------------------------------------------------------- */

void hand_classes_init(HandClasses *entities) {
  memset(entities, 0, sizeof *entities);
}

void hand_classes_deinit(HandClasses *entities) {
  for (uint32_t k = 0; k < DERIVATIVE_LIMIT; k++) {
    for (uint32_t d = 0; d <= k; d++) free(entities->classes[k].columns[d]);
    free(entities->classes[k].ids);
  }
  free(entities->places);
  hand_classes_init(entities);
}

static void grow_class(HandClass *class, uint32_t k) {
  class->capacity = doubled(class->capacity);
  for (uint32_t d = 0; d <= k; d++)
    class->columns[d] =
        resized(class->columns[d], class->capacity, sizeof(float));
  class->ids = resized(class->ids, class->capacity, sizeof *class->ids);
}

static void push(HandClasses *entities, uint32_t k) {
  HandClass *class = &entities->classes[k];
  if (class->count == class->capacity) grow_class(class, k);
  if (entities->count == entities->capacity) {
    entities->capacity = doubled(entities->capacity);
    entities->places =
        resized(entities->places, entities->capacity, sizeof *entities->places);
  }
  uint32_t id = entities->count++, row = class->count++;
  for (uint32_t d = 0; d <= k; d++)
    class->columns[d][row] = derivative_value(row, d);
  class->ids[row] = id;
  entities->places[id] = k << 28 | row;
}

void hand_classes_push(HandClasses *entities, const uint8_t *classes,
                       uint32_t count) {
  for (uint32_t i = 0; i < count; i++) push(entities, classes[i]);
}

uint64_t hand_classes_hash(const HandClasses *entities) {
  uint64_t hash = 0;
  for (uint32_t k = 0; k < DERIVATIVE_LIMIT; k++) {
    const HandClass *class = &entities->classes[k];
    hash += measure_hash((const float *const *)class->columns, 1, class->count);
  }
  return hash;
}

/* Columns ----------------------------------------------------------------- */

/* All columns are one block, which the first one owns. Each starts on a line of
 * 64 bytes, and there is a line between them. */
static void place_columns(HandColumns *columns, const uint32_t *sizes) {
  size_t starts[DERIVATIVE_LIMIT], room = 0;
  for (uint32_t d = 0; d < columns->classes; d++) {
    for (uint32_t k = d; k < columns->classes; k++)
      columns->counts[d] += sizes[k];
    starts[d] = room;
    room += (columns->counts[d] + 15u) / 16u * 16u + 16u;
  }
  float *block = aligned_alloc(64, room * sizeof *block);
  if (block == NULL) measure_fail("derivatives", "no memory");
  for (uint32_t d = 0; d < columns->classes; d++)
    columns->columns[d] = block + starts[d];
}

void hand_columns_init(HandColumns *columns, const uint8_t *classes,
                       uint32_t count) {
  uint32_t sizes[DERIVATIVE_LIMIT] = {0};
  memset(columns, 0, sizeof *columns);
  for (uint32_t i = 0; i < count; i++) {
    sizes[classes[i]]++;
    if (classes[i] >= columns->classes) columns->classes = classes[i] + 1u;
  }
  place_columns(columns, sizes);
  for (uint32_t d = 0; d < columns->classes; d++) {
    float *value = columns->columns[d];
    for (uint32_t k = columns->classes; k-- > d;)
      for (uint32_t row = 0; row < sizes[k]; row++)
        *value++ = derivative_value(row, d);
  }
}

void hand_columns_deinit(HandColumns *columns) { free(columns->columns[0]); }

void hand_columns_tick(HandColumns *columns, float dt) {
  for (uint32_t d = 1; d < columns->classes; d++)
    hand_accumulate(columns->columns[d - 1], columns->columns[d], dt,
                    columns->counts[d]);
}

uint64_t hand_columns_hash(const HandColumns *columns) {
  return measure_hash((const float *const *)columns->columns, 1,
                      columns->counts[0]);
}

/* Objects ----------------------------------------------------------------- */

/* One update for each class, with a constant number of turns. */
#define UPDATE(k)                                                \
  static void update_##k(HandObject *object, float dt) {         \
    for (int d = 0; d < k; d++)                                  \
      object->derivatives[d] += object->derivatives[d + 1] * dt; \
  }
UPDATE(0)
UPDATE(1)
UPDATE(2)
UPDATE(3)
UPDATE(4)
UPDATE(5)
UPDATE(6)
UPDATE(7)
UPDATE(8)
UPDATE(9)
UPDATE(10)
UPDATE(11)
UPDATE(12)

static void (*const updates[DERIVATIVE_LIMIT])(HandObject *, float) = {
    update_0, update_1, update_2, update_3,  update_4,  update_5, update_6,
    update_7, update_8, update_9, update_10, update_11, update_12};

void hand_objects_init(HandObjects *objects) {
  memset(objects, 0, sizeof *objects);
}

void hand_objects_deinit(HandObjects *objects) {
  for (uint32_t i = 0; i < objects->count; i++) free(objects->objects[i]);
  free(objects->objects);
  hand_objects_init(objects);
}

static HandObject *new_object(uint32_t k, uint32_t number) {
  HandObject *object =
      resized(NULL, 1, sizeof *object + (k + 1) * sizeof(float));
  object->update = updates[k];
  for (uint32_t d = 0; d <= k; d++)
    object->derivatives[d] = derivative_value(number, d);
  return object;
}

void hand_objects_push(HandObjects *objects, const uint8_t *classes,
                       uint32_t count) {
  uint32_t numbers[DERIVATIVE_LIMIT] = {0};
  for (uint32_t i = 0; i < count; i++) {
    if (objects->count == objects->capacity) {
      objects->capacity = doubled(objects->capacity);
      objects->objects = resized(objects->objects, objects->capacity,
                                 sizeof *objects->objects);
    }
    uint32_t k = classes[i];
    objects->objects[objects->count++] = new_object(k, numbers[k]++);
  }
}

void hand_objects_sort(HandObjects *objects, const uint8_t *classes) {
  HandObject **sorted = resized(NULL, objects->count, sizeof *sorted);
  uint32_t done = 0;
  for (uint32_t k = 0; k < DERIVATIVE_LIMIT; k++)
    for (uint32_t i = 0; i < objects->count; i++)
      if (classes[i] == k) sorted[done++] = objects->objects[i];
  free(objects->objects);
  objects->objects = sorted;
  objects->capacity = objects->count;
}

void hand_objects_shuffle(HandObjects *objects) {
  uint64_t seed = 3;
  for (uint32_t k = objects->count; k > 1; k--) {
    uint32_t other = (uint32_t)(measure_random(&seed) % k);
    HandObject *object = objects->objects[k - 1];
    objects->objects[k - 1] = objects->objects[other];
    objects->objects[other] = object;
  }
}

void hand_objects_tick(HandObjects *objects, float dt) {
  for (uint32_t i = 0; i < objects->count; i++)
    objects->objects[i]->update(objects->objects[i], dt);
}

uint64_t hand_objects_hash(const HandObjects *objects) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < objects->count; i++) {
    const float *position = objects->objects[i]->derivatives;
    hash += measure_hash(&position, 1, 1);
  }
  return hash;
}
