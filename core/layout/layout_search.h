/* layout_search.h: looks for a layout in which a frame costs less.
 *
 *      everything in the main group -----.
 *      everything apart, tags as bits ----+--> one component at a time goes to
 *      the world as it is ---------------'     where the model likes it best,
 *                                              until none wants to move
 *
 * Coordinate descent from three starts, because one start may be far from a good
 * layout with every step towards it uphill: one tag less does not make fewer of
 * 10,000 tables. Ties keep the lower place, so the result depends on the
 * problem alone.
 */
#ifndef ECS_LAYOUT_SEARCH_H
#define ECS_LAYOUT_SEARCH_H

#include "layout/layout_cost.h"

/* A layout must cost so much less than the present one, as a part of it, for
 * components to be moved. */
#define LAYOUT_LEAST_GAIN 32u

/* The best layout that is found; the present one where no other is better by
 * 1 / LAYOUT_LEAST_GAIN. Cost: some thousand times layout_cost. */
ECS_INTERNAL Layout layout_search(LayoutModel *model);

/* Names each group after its first member. */
ECS_INTERNAL void layout_normalize(const LayoutProblem *problem,
                                   Layout *layout);

#endif
