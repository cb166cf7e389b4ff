/* mixed_world.h: worlds drawn from a seed, for which a layout is to be chosen.
 *
 * MIXED_ENTITIES entities have some of MIXED_COMPONENTS components, data of one
 * to four f32 and tags, each in a part of the entities of its own. Systems are
 * native kernels over one to four of them, which add what they read to what they
 * write; a few ask that a tag be there or absent. Before each frame entities
 * drawn at random lose one of the components that come and go, and as many
 * others gain it.
 *
 * The same seed gives the same world, and values do not depend on its layout.
 */
#ifndef BENCH_MIXED_WORLD_H
#define BENCH_MIXED_WORLD_H

#include "scene.h"

#define MIXED_WORLDS 12u
#define MIXED_ENTITIES 65536u
#define MIXED_COMPONENTS 12u
#define MIXED_DATA 7u /* the first ones; the others are tags */
#define MIXED_SYSTEMS 12u
#define MIXED_TERMS 4u
#define MIXED_COLUMNS (4u * MIXED_TERMS)

typedef struct MixedPart {
  ecs_Component id;
  uint32_t fields;
  uint32_t *there; /* numbers of the entities that have it, then the others */
  uint32_t count;  /* that have it */
  uint32_t pairs;  /* changes before each frame: so many lose it and gain it */
} MixedPart;

/* A kernel with what it borrows. */
typedef struct MixedKernel {
  ecs_Term terms[MIXED_TERMS];
  ecs_KernelColumn columns[MIXED_COLUMNS];
  char names[MIXED_COLUMNS][2][16];
  uint32_t term_count, column_count, written;
  ecs_Kernel description;
} MixedKernel;

typedef struct MixedSystem {
  MixedKernel kernel;
  ecs_Query *query;
  ecs_KernelBinding *binding;
  uint32_t shape; /* columns, and from bit 8 on those that are written */
} MixedSystem;

typedef struct MixedWorld {
  ecs_World *world;
  ecs_Entity *entities;
  MixedPart parts[MIXED_COMPONENTS];
  MixedSystem systems[MIXED_SYSTEMS];
  uint64_t seed; /* of the changes */
} MixedWorld;

/* World number 0 to MIXED_WORLDS - 1. Of the first half, 1 to 30 % of the entities
 * lose or gain a component that comes and goes before each frame, of the others
 * 0.05 to 1.5 %. */
MixedWorld *mixed_create(uint32_t number);
void mixed_destroy(MixedWorld *mixed);

/* Changes and systems of so many frames, which the systems' runs count. */
void mixed_run(MixedWorld *mixed, uint32_t frames);

/* The least time of a frame of `frames`, in nanoseconds. */
double mixed_time(MixedWorld *mixed, uint32_t frames);

#endif
