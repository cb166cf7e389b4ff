/* varkor_side.h: where the six programs of bench_varkor.c run, and what they are
 * in bulk.
 */
#ifndef BENCH_VARKOR_SIDE_H
#define BENCH_VARKOR_SIDE_H

#include "baseline/sparse_space.h"
#include "scene.h"

#define PARTS 4u
#define RELATIONSHIP PARTS /* the number of that component in a world */
#define MOST_FIELDS 6u
#define CHILDREN 10u
#define GRANDCHILDREN 20u
#define FAMILY (1 + CHILDREN * (1 + GRANDCHILDREN)) /* entities */

static const uint32_t field_counts[PARTS] = {6, 4, 4, 4};

typedef enum Program {
  CREATE,
  ADD,
  ADD_WRITE_DELETE,
  DISTRIBUTED,
  RELATIONSHIPS,
  RANDOM,
  PROGRAMS
} Program;

/* A side. entities has room for those of a round. */
typedef struct Side {
  SparseSpace space;
  ecs_World *world;
  ecs_Component parts[PARTS + 1];
  ecs_Bundle all, pairs[PARTS]; /* of all parts; of k and second_of(k) */
  ecs_Bundle children[PARTS];   /* of part k and the link */
  ecs_Query *queries[PARTS];
  ecs_Query *everything;
  uint64_t *entities;
  uint32_t count; /* of them */
  uint32_t size, rounds;
  uint64_t later; /* allocations when the first round had ended */
  uint64_t calls; /* allocations of the world so far */
  bool keeps;     /* the last round does not delete */
  Program program;
} Side;

/* The second part of the pair of entity number k; the first is k % PARTS. */
static inline uint32_t second_of(uint32_t k) { return (k + PARTS - 1) % PARTS; }

/* Does a round end with deleting its entities? */
static inline bool deletes(const Side *side, uint32_t round) {
  return !side->keeps || round + 1 < side->rounds;
}

/* Makes the space by hand: empty, with the components defined. */
void side_make_space(Side *side);

/* Makes the world, likewise, which counts its allocations. */
void side_make_world(Side *side);

/* Runs the side's program in the world as a user of the library would who
 * changes many entities alike. */
void side_run_in_bulk(Side *side);

/* Runs Relationship with a call of ecs_spawn_family for each root. */
void side_run_families(Side *side);

#endif
