/* derivatives.h: entities with a position and the first of its derivatives, as
 * a user would write them by hand, in three ways.
 *
 * An entity of class k has derivatives 0 (the position) to k. A tick adds to
 * each derivative the next one times dt, lowest first.
 *
 * - HandClasses: one structure of arrays for each class, to which entities are
 *   pushed in any order of classes. It knows where each entity is.
 * - HandColumns: one array for each derivative, entities of higher classes
 *   first, so that the entities that have a derivative are its first rows:
 *
 *        d0  | k=2 | k=2 | k=1 | k=0 |
 *        d1  | k=2 | k=2 | k=1 |
 *        d2  | k=2 | k=2 |
 *
 * - HandObjects: an array of pointers to objects on the heap, each with the
 *   address of the update of its class.
 *
 * Values of derivative d of entity number j of its class: j % 1024 + d. All
 * functions end the program when memory runs out. */
#ifndef BENCH_DERIVATIVES_H
#define BENCH_DERIVATIVES_H

#include <stdbool.h>
#include <stdint.h>

#define DERIVATIVE_LIMIT 13u /* classes 0 to 12 */

static inline float derivative_value(uint32_t number, uint32_t derivative) {
  return (float)(int32_t)((number & 1023u) + derivative);
}

typedef struct HandClass {
  float *columns[DERIVATIVE_LIMIT];
  uint64_t *ids;
  uint32_t count, capacity;
} HandClass;

typedef struct HandClasses {
  HandClass classes[DERIVATIVE_LIMIT];
  uint32_t *places; /* by id: its class and row */
  uint32_t count, capacity;
} HandClasses;

void hand_classes_init(HandClasses *entities);
void hand_classes_deinit(HandClasses *entities);
/* Pushes an entity of each class listed, in this order; arrays grow. */
void hand_classes_push(HandClasses *entities, const uint8_t *classes,
                       uint32_t count);
/* A hash of the positions, as measure_hash. */
uint64_t hand_classes_hash(const HandClasses *entities);

typedef struct HandColumns {
  float *columns[DERIVATIVE_LIMIT];
  uint32_t counts[DERIVATIVE_LIMIT]; /* rows of each column */
  uint32_t classes;
} HandColumns;

/* Makes the columns of the entities whose classes are listed. */
void hand_columns_init(HandColumns *columns, const uint8_t *classes,
                       uint32_t count);
void hand_columns_deinit(HandColumns *columns);
void hand_columns_tick(HandColumns *columns, float dt);
uint64_t hand_columns_hash(const HandColumns *columns);

/* An object; its derivatives follow. */
typedef struct HandObject {
  void (*update)(struct HandObject *object, float dt);
  float derivatives[];
} HandObject;

typedef struct HandObjects {
  HandObject **objects;
  uint32_t count, capacity;
} HandObjects;

void hand_objects_init(HandObjects *objects);
void hand_objects_deinit(HandObjects *objects);
/* Allocates an object of each class listed, in this order. */
void hand_objects_push(HandObjects *objects, const uint8_t *classes,
                       uint32_t count);
/* Sorts the pointers by class; classes lists those of all objects. */
void hand_objects_sort(HandObjects *objects, const uint8_t *classes);
/* Puts the pointers into random order. */
void hand_objects_shuffle(HandObjects *objects);
void hand_objects_tick(HandObjects *objects, float dt);
uint64_t hand_objects_hash(const HandObjects *objects);

#endif
