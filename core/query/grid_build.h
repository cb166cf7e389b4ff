/* grid_build.h: copies the rows of a query to the places of their cells.
 *
 *      pass 1   position -> cell -> bucket    ranks[row in the query's order]
 *               count rows of each bucket     starts
 *      pass 2   its place behind those before ranks, again
 *               every array to these places   | entities | lines | x | y | ...
 *
 * A row without a finite position goes to one more bucket, behind all others and
 * not counted.
 */
#ifndef ECS_GRID_BUILD_H
#define ECS_GRID_BUILD_H

#include "query/grid.h"

/* Copies the rows that match. Nothing contests them. ECS_E_MEMORY: the grid
 * shows what it did, though its arrays may have moved. Cost: two passes over
 * positions, one over columns. */
ECS_INTERNAL ecs_Status grid_build(ecs_Grid *grid);

/* Checked builds: is every row in the bucket of its position, and does each
 * bucket begin behind the last? Cost: every row. */
ECS_INTERNAL bool grid_check_invariants(const ecs_Grid *grid);

#endif
