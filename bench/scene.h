/* scene.h: worlds for the benchmarks, in a few words each.
 *
 * What is written against the library here uses its public header alone. A call
 * that fails ends the program: a benchmark of a failed call measures nothing.
 *
 * Values are whole numbers that follow from an entity's number and the field,
 * so that the hand-written side can make the same ones:
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

/* Ends the program with the call's text unless it returned ECS_OK. The question
 * is asked in line, as a caller that is timed would. */
#define MUST(call) scene_must((call), #call)
void scene_refused(ecs_Status status, const char *call);
static inline void scene_must(ecs_Status status, const char *call) {
  if (__builtin_expect(status != ECS_OK, 0)) scene_refused(status, call);
}

/* Memory of the C library; ends the program where there is none. */
void *scene_allocate(size_t count, size_t element_bytes);

/* Tells the C library to take blocks of 64 KB and up straight from the system
 * and to give them back when freed, and gives back what it holds. After that a
 * new world's memory is fresh pages: cold. */
void scene_cool(void);

ecs_World *scene_world(void);

/* A component of field_count f32 fields named f0, f1 ...; none: a tag. */
ecs_Component scene_component(ecs_World *world, const char *name,
                              uint32_t field_count, ecs_Storage storage);

/* count components of two f32 each, named prefix0, prefix1 ... */
void scene_components(ecs_World *world, const char *prefix, uint32_t count,
                      ecs_Component *components);

/* A query that gives all count components the same access. */
ecs_Query *scene_query(ecs_World *world, const ecs_Component *components,
                       uint32_t count, ecs_Access access);

/* Hash of the f32 columns of every row that matches, as measure_hash. */
uint64_t scene_hash(ecs_Query *query);
uint64_t scene_count(ecs_Query *query);

/* Spawns count entities at once, with the values above by their order. */
void scene_spawn(ecs_World *world, const ecs_Component *components,
                 uint32_t component_count, uint32_t count,
                 ecs_Entity *entities);

/* Pushes the same rows to a hand-written store. */
void scene_push(HandStore *store, uint32_t count);

/* Fills values with those of an entity. */
static inline void scene_values(float *values, uint32_t count,
                                uint32_t entity) {
  for (uint32_t k = 0; k < count; k++) {
    values[k] = (float)(int32_t)(entity + k * SCENE_FIELD_STEP);
  }
}

/* Entities in the order in which a benchmark is to touch them. */
void scene_order(ecs_Entity *ordered, const ecs_Entity *entities,
                 uint32_t count, bool random);

#endif
