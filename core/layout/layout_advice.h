/* layout_advice.h: what would be better stored otherwise, and why. */
#ifndef ECS_LAYOUT_ADVICE_H
#define ECS_LAYOUT_ADVICE_H

#include "layout/layout_search.h"

typedef struct LayoutAdvice {
  LayoutProblem problem;
  LayoutModel model;
  Layout now;
  Layout better; /* the same where nothing is to be gained */
} LayoutAdvice;

/* Looks at a world. ECS_E_MEMORY: it owns nothing. */
ECS_INTERNAL ecs_Status layout_advice_init(LayoutAdvice *advice, Store *store);
ECS_INTERNAL void layout_advice_deinit(LayoutAdvice *advice);

/* Writes at most `capacity` entries, by component: what moves from `now` to
 * `better`. Returns how many there are. */
ECS_INTERNAL uint32_t layout_advice_moves(LayoutAdvice *advice,
                                          ecs_Advice *entries,
                                          uint32_t capacity);

/* The same for components that would better not be components of their own. */
ECS_INTERNAL uint32_t layout_advice_merges(const LayoutAdvice *advice,
                                           ecs_Advice *entries,
                                           uint32_t capacity);

#endif
