/* layout_cost.h: what a frame costs in a layout, by a model.
 *
 *      places   A main   B main   C 4   D 4   E 6   T bits
 *               one group of C and D; E alone, a sparse set
 *
 * The model follows the plans of queries (query/query.h) and the ways of changes
 * (change/entity_change.h), with the constants of layout_constants.h. What is
 * the same in every layout is left out, above all the work of systems. It
 * computes in integers, so every machine comes to the same numbers.
 */
#ifndef ECS_LAYOUT_COST_H
#define ECS_LAYOUT_COST_H

#include "layout/layout_constants.h"
#include "layout/layout_problem.h"

/* Where a component is stored. */
#define PLACE_MAIN 0u
#define PLACE_BITS 1u  /* of the main group */
#define PLACE_GROUP 2u /* and its number: another group */
#define PLACE_COUNT (PLACE_GROUP + LAYOUT_COMPONENTS)

typedef struct Layout {
  uint16_t places[LAYOUT_COMPONENTS]; /* by position in the problem */
} Layout;

/* How often each price is paid in LAYOUT_FRAMES frames. */
typedef struct LayoutCost {
  uint64_t counts[PRICE_COUNT];
} LayoutCost;

/* Tables that a group would have. */
typedef struct LayoutTable {
  ComponentSet components;
  uint64_t rows;
  uint32_t columns;
} LayoutTable;

typedef struct LayoutModel {
  const LayoutProblem *problem;
  ComponentSet members[PLACE_COUNT]; /* by place */
  uint32_t member_count[PLACE_COUNT];
  uint64_t changes[PLACE_COUNT]; /* of the members */
  uint64_t rows[PLACE_COUNT];
  bool marked[PLACE_COUNT]; /* a query keeps marks of the sparse set */
  LayoutTable *tables; /* of the main group; owned; a place for each kind */
  uint32_t table_count;
  uint32_t *hash; /* table plus one; owned */
  uint32_t hash_capacity;
} LayoutModel;

/* ECS_E_MEMORY: it owns nothing. The problem must outlive it. */
ECS_INTERNAL ecs_Status layout_model_init(LayoutModel *model,
                                          const LayoutProblem *problem);
ECS_INTERNAL void layout_model_deinit(LayoutModel *model);

/* The cost of a layout. Cost: each query in each table that the main group would
 * have, and each kind. */
ECS_INTERNAL LayoutCost layout_cost(LayoutModel *model, const Layout *layout);

/* What the prices from `first` to `last` come to, in picoseconds. */
static inline uint64_t layout_cost_part(const LayoutCost *cost,
                                        LayoutPrice first, LayoutPrice last) {
  uint64_t sum = 0;
  for (uint32_t i = first; i <= (uint32_t)last; i++)
    sum += cost->counts[i] * layout_prices[i];
  return sum;
}

static inline uint64_t layout_cost_total(const LayoutCost *cost) {
  return layout_cost_part(cost, 0, PRICE_COUNT - 1);
}

/* The layout of the world as it is. */
ECS_INTERNAL Layout layout_now(const LayoutProblem *problem);

#endif
