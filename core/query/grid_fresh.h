/* grid_fresh.h: is what a grid shows what a build would make now?
 *
 *      versions   of the groups: rows came, moved or went       always known
 *      stamps     of the columns: they were opened for writing  where watched
 *
 * Stamps are compared only when any was written since (StampClock.newest), so
 * while nothing changes a question costs a comparison for each group.
 */
#ifndef ECS_GRID_FRESH_H
#define ECS_GRID_FRESH_H

#include "query/grid.h"

/* The first component that a build would copy and an open cursor writes; 0:
 * none. */
ECS_INTERNAL ecs_Component grid_contested(const ecs_Grid *grid);

/* Of a grid that watches: makes sure that its tables have stamps. The query is
 * prepared. ECS_E_MEMORY: some may have none. */
ECS_INTERNAL ecs_Status grid_watch_tables(const ecs_Grid *grid);

/* What was just built is what the grid has seen. */
ECS_INTERNAL void grid_seen(ecs_Grid *grid);

/* Is what was built what would be built now? False where that is not known.
 * Cost: a load for each group; where something was stamped, for each block and
 * column. */
ECS_INTERNAL bool grid_is_fresh(ecs_Grid *grid);

#endif
