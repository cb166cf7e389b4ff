/* grid_nearest.h: the row of a grid that is nearest to a point, or any near one.
 *
 * A search looks at the cells around the point that a small ball touches, and at
 * those of one twice as large until what it has found cannot be beaten:
 *
 *      +-----+-----+       low .. high   what was looked at
 *      |  * <|>  b |       *             the point; its distance to the nearest
 *      +-----+-----+                     side is the reach
 *
 * Whatever lies outside differs from the point by at least the reach in one
 * coordinate, and so does its rounded difference, since rounding keeps order. So
 * what is nearer than the reach is nearest of all.
 */
#ifndef ECS_GRID_NEAREST_H
#define ECS_GRID_NEAREST_H

#include "query/grid_walk.h"

/* See ecs_grid_nearest and ecs_grid_any. */
ECS_INTERNAL uint32_t grid_nearest(const ecs_Grid *grid, const double *point,
                                   double radius, ecs_Entity except,
                                   double *square);
ECS_INTERNAL bool grid_any(const ecs_Grid *grid, const double *point,
                           double radius, ecs_Entity except);

#endif
