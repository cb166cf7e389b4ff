/* naive_world.h: every change of structure, against a naive world.
 *
 * The naive world is an array of entities, each with a flag and a seed per
 * component, and a stack of free handles. Random changes run on the store and
 * on the naive world; each is tried first with every allocation refused once,
 * after which nothing may have changed. After every step the whole store is
 * compared.
 *
 *      Naive *naive = naive_open(seed);
 *      define_many(&naive->fixture.world, ...);     at most KINDS_MOST
 *      for (uint32_t i = 0; i < STEPS; i++) naive_step(naive);
 *      naive_close(naive);
 */
#ifndef NAIVE_WORLD_H
#define NAIVE_WORLD_H

#include "world_fixture.h"

#define KINDS_MOST 17u

#ifdef ECS_TINY
#define STEPS 220u
#else
#define STEPS 160u
#endif

/* An entity that was issued once. */
typedef struct Life {
  ecs_Entity entity;
  bool alive;
  bool has[KINDS_MOST];
  uint32_t seeds[KINDS_MOST];
} Life;

typedef struct Naive {
  Fixture fixture;
  Life lives[4096];
  uint32_t count; /* of lives, ended ones included */
  uint32_t alive;
  ecs_Entity free[64]; /* handles to issue next, the last first */
  uint32_t free_count;
  uint32_t used; /* the next fresh index */
  uint32_t retired;
  uint32_t random;
  bool regroups; /* random changes include the layout */
} Naive;

/* How many of most seeds to try: half of them with ECS_TEST_SHORT in the
 * environment. */
uint32_t naive_seeds(uint32_t most);

/* Begins with an empty store; naive_close frees both. */
Naive *naive_open(uint32_t seed);
void naive_close(Naive *naive);

/* Makes one random change in both and compares them. */
void naive_step(Naive *naive);

#endif
