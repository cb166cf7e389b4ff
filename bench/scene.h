/* scene.h: worlds for the benchmarks, in one call each.
 *
 * The code here uses the public header of the library alone. A call that fails
 * ends the program: a benchmark of a failed call measures nothing.
 *
 * Values are whole numbers computed from the number of an entity and the field,
 * so that the hand-written side can compute the same values:
 *
 *      field k of entity i  =  i + k * SCENE_FIELD_STEP
 */
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include "../include/ecs.h"
#include "baseline/hand_store.h"
#include "measure.h"

#define SCENE_FIELD_STEP 3u

#define SCENE_1K 1024u
#define SCENE_64K 65536u
#define SCENE_1M 1048576u

/* Ends the program with the text of the call unless it returned ECS_OK. The
 * test is inline, as in a user's program. */
#define MUST(call) scene_must((call), #call)
void scene_refused(ecs_Status status, const char *call);
static inline void scene_must(ecs_Status status, const char *call) {
  if (__builtin_expect(status != ECS_OK, 0)) scene_refused(status, call);
}

/* Allocates from the C library; ends the program when memory runs out. The
 * caller frees the block. */
void *scene_allocate(size_t count, size_t element_bytes);

/* Tells the C library to take blocks of 64 KB and more directly from the system
 * and to return them when they are freed, and returns the memory it holds.
 * After that the memory of a new world is fresh pages: cold. */
void scene_cool(void);

ecs_World *scene_world(void);

/* Defines a component with field_count f32 fields named f0, f1 ...; 0: a
 * tag. */
ecs_Component scene_component(ecs_World *world, const char *name,
                              uint32_t field_count, ecs_Storage storage);

/* Defines count components of two f32 each, named prefix0, prefix1 ... */
void scene_components(ecs_World *world, const char *prefix, uint32_t count,
                      ecs_Component *components);

/* Makes a query with the same access to all count components. */
ecs_Query *scene_query(ecs_World *world, const ecs_Component *components,
                       uint32_t count, ecs_Access access);

/* The hash of the f32 columns of every row that matches, as measure_hash. */
uint64_t scene_hash(ecs_Query *query);
uint64_t scene_count(ecs_Query *query);

/* Spawns count entities at once, with the values above; their numbers are their
 * order. */
void scene_spawn(ecs_World *world, const ecs_Component *components,
                 uint32_t component_count, uint32_t count,
                 ecs_Entity *entities);

/* Pushes the same rows to a hand-written store. */
void scene_push(HandStore *store, uint32_t count);

/* Writes the values of an entity, given by its number. */
static inline void scene_values(float *values, uint32_t count,
                                uint32_t entity) {
  for (uint32_t k = 0; k < count; k++) {
    values[k] = (float)(int32_t)(entity + k * SCENE_FIELD_STEP);
  }
}

/* Copies entities in the order in which a benchmark accesses them. */
void scene_order(ecs_Entity *ordered, const ecs_Entity *entities,
                 uint32_t count, bool random);

#endif
