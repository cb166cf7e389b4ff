/* failure_fixture.h: the prepared world of failure_test.c.
 *
 *      hero     Position
 *      plain    nothing
 *      crowd    Position Health   every second Sparse, every third Bits
 *
 * Three queries, two kernels and an accessor are made on it, so that a failure
 * can leave something stale behind. Equal crowds make equal worlds.
 */
#ifndef FAILURE_FIXTURE_H
#define FAILURE_FIXTURE_H

#include "failing_memory.h"

#ifdef ECS_TINY
#define CROWD 30u /* of some 47 entities at most */
#define MANY 6u
#else
#define CROWD 64u
#define MANY 100u
#endif

typedef struct Fixture {
  FailingMemory memory;
  ecs_World *world;
  ecs_Component position, health, wide, sparse, tag, sparse_tag, bits;
  ecs_Bundle known;        /* position, health: what the crowd has */
  ecs_Bundle unknown;      /* a combination that no entity has */
  ecs_Entity hero;         /* has a position */
  ecs_Entity plain;        /* has nothing */
  ecs_Entity crowd[CROWD]; /* every second is sparse, every third has bits */
  uint32_t crowd_count;
  ecs_Entity freed; /* of some scenarios: to be issued after another one */
  ecs_Component ties[ECS_LINK_RULE_COUNT]; /* of scenarios with links */
  ecs_Entity root;                         /* that others link to */
  ecs_Query *full, *partial, *tags;
  ecs_KernelBinding *full_binding, *partial_binding;
  ecs_Accessor accessor; /* of position */
  ecs_Program *program;  /* of scenarios that run one */
  ecs_Cursor cursor;     /* of scenarios that leave one open */
} Fixture;

typedef struct Position {
  float x, y;
} Position;

typedef struct Wide {
  double a;
  int16_t b;
  uint8_t c;
} Wide;

/* Fails the test for any other status than ECS_OK. */
void must(ecs_Status status);

/* Adds 1 to Position.x. */
extern const ecs_Kernel failure_kernel;

/* A world with that many in its crowd, at most CROWD. */
void fixture_make(Fixture *fixture, uint32_t crowd);

/* Destroys the world, which must give back every block. */
void fixture_end(Fixture *fixture);

#endif
