/* vm_near.h: asks grids, for all rows of a block.
 *
 *      v4 = near g0 v1 v2 v3      how many rows of the grid are near
 *      v6 = nth v4 v5             a place: where one of them is in the grid
 *      v7 = found_get f32 g0 v6 "Position" "x"
 *
 * Which rows a near finds is kept in a list of its own until it runs again:
 *
 *      row of the block   0     1  2        3
 *      starts             0     2  2        5     6
 *      list               7 9      3 4 8    7           places
 *
 * A place is a number: that of a row of the grid, or -1. Any number may be taken
 * for one, so all places are compared with the number of rows.
 */
#ifndef ECS_VM_NEAR_H
#define ECS_VM_NEAR_H

#include "program/vm_plan.h"
#include "query/grid_walk.h"

/* Of a near: the rows that the last block of it found. */
typedef struct NearList {
  uint32_t *rows; /* owned */
  uint32_t capacity;
  uint32_t starts[LOOP_ROWS + 1];
} NearList;

struct ProgramNear {
  uint32_t count;
  NearList lists[];
};

/* The rows that a step runs over. */
typedef struct NearBlock {
  const ProgramPlan *plan; /* that of the block */
  const ecs_ProgramCall *call;
  const uint32_t *active; /* bools: in which rows its result counts; NULL: in
                             all */
  uint32_t rows;
  uint32_t most; /* elements of a list, unless there is one row */
  bool crowded;  /* result: there are more; no row has any */
} NearBlock;

/* Gives a program what its nears need. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status near_prepare(ecs_Program *program);

/* Frees it; does nothing where there is none. */
ECS_INTERNAL void near_free(ecs_Program *program);

/* Do the grids of a call have the dimensions of those of the program, its world,
 * and each row of them what the program gets from there? Cost: operations that
 * get, times terms of the grid's query. */
ECS_INTERNAL bool near_fits(const ecs_Program *program,
                            const ecs_ProgramCall *call);

/* Runs a step that asks a grid, or reads what was found there. ECS_E_MEMORY: its
 * results are undefined. Cost: for each row that of ecs_grid_within and so on;
 * nothing is allocated where no more rows are near than before. */
ECS_INTERNAL ecs_Status near_run(const ecs_Program *program, NearBlock *block,
                                 const Step *step);

#endif
