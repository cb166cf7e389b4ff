/* layout_problem.h: what a layout is chosen for.
 *
 * A layout says which components are stored together. What it costs depends on
 * which entities there are, what systems ask for, and what changes:
 *
 *      components   A B C D ...         columns, changes in a frame
 *      kinds        {A B} 700  {A} 20   so many entities have just these
 *      queries      write A, with C     runs in a frame
 *
 * Kinds come from up to LAYOUT_SAMPLE entities, one of each stretch of indices,
 * drawn by a hash: entities that were spawned in turns would all be of one kind
 * at equal distances. Their order does not depend on how they are stored, so a
 * world in another layout gives the same problem. Counts of
 * changes and runs are per LAYOUT_FRAMES frames, where a frame is a run of the
 * query that ran most often; so halving all counts changes nothing.
 */
#ifndef ECS_LAYOUT_PROBLEM_H
#define ECS_LAYOUT_PROBLEM_H

#include "layout/component_set.h"
#include "query/query_use.h"

#define LAYOUT_SAMPLE 16384u
#define LAYOUT_FRAMES 256u

typedef struct LayoutComponent {
  ecs_Component id;
  uint32_t columns;  /* its fields */
  uint32_t bytes;    /* of a row */
  uint64_t changes;  /* in LAYOUT_FRAMES frames */
  uint64_t entities; /* that have it */
} LayoutComponent;

typedef struct LayoutKind {
  ComponentSet components; /* exactly these */
  uint64_t entities;
} LayoutKind;

typedef struct LayoutQuery {
  ComponentSet required; /* written, read or with */
  ComponentSet excluded;
  ComponentSet optional;
  ComponentSet offered; /* one of these must be there, or more */
  ComponentSet named;   /* all of them */
  ComponentSet copied;  /* with columns in batches */
  ComponentSet written;
  uint64_t runs;    /* in LAYOUT_FRAMES frames */
  uint64_t matches; /* entities */
} LayoutQuery;

typedef struct LayoutProblem {
  Store *store;
  LayoutComponent components[LAYOUT_COMPONENTS];
  uint32_t component_count;
  LayoutKind *kinds; /* owned */
  uint32_t kind_count;
  uint32_t kind_capacity;
  LayoutQuery *queries; /* owned */
  uint32_t query_count;
  uint32_t query_capacity;
  uint64_t entities; /* alive */
  uint64_t indices;  /* issued */
} LayoutProblem;

/* Collects the problem. Of more than LAYOUT_COMPONENTS components, the ones that
 * systems ask for or that change come first. ECS_E_MEMORY: it owns nothing.
 * Cost: a look-up for each entity of the sample and group. */
ECS_INTERNAL ecs_Status layout_problem_init(LayoutProblem *problem,
                                            Store *store);

/* Frees what it owns. */
ECS_INTERNAL void layout_problem_deinit(LayoutProblem *problem);

/* The position of a component; LAYOUT_COMPONENTS: it is not looked at. Cost: a
 * binary search. */
ECS_INTERNAL uint32_t layout_problem_find(const LayoutProblem *problem,
                                          ecs_Component id);

#endif
