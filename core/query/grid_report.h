/* grid_report.h: what is in a grid, in numbers and for people. */
#ifndef ECS_GRID_REPORT_H
#define ECS_GRID_REPORT_H

#include "base/text.h"
#include "query/grid_order.h"

/* Counts a question for a radius, from which a cell is suggested. */
static inline void grid_ask(ecs_Grid *grid, double radius) {
  if (!(radius >= 0 && radius - radius == 0)) return;
  grid->asked += radius;
  grid->questions++;
}

/* Counts. The grid has an order. Cost: every row. */
ECS_INTERNAL void grid_count_cells(const ecs_Grid *grid,
                                   ecs_GridStatistics *statistics);

/* The same in words. */
ECS_INTERNAL void grid_say(const ecs_Grid *grid,
                           const ecs_GridStatistics *statistics, Text *out);

#endif
