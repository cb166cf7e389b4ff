/* api_grid.h: what other files of core/api need of grids. */
#ifndef ECS_API_GRID_H
#define ECS_API_GRID_H

#include "base/config.h"
#include "ecs_grid.h"

/* Frees all grids of a query. */
ECS_INTERNAL void api_grids_free(ecs_Query *query);

#endif
