/* program_order.h: moves what may stop a run to the front. */
#ifndef ECS_PROGRAM_ORDER_H
#define ECS_PROGRAM_ORDER_H

#include "program/program_ir.h"

/* Makes the exit of a verified program come as early as it can: behind nothing
 * but the values that say which rows take it. Values are numbered anew. What is
 * behind an exit is computed for the rows that are left, and may be computed in
 * the column that it is stored to (program_facts.h). Changes that may stop the
 * run, and what asks grids, come before all stores. Does nothing to a program
 * that cannot stop.
 * Returns ECS_OK or ECS_E_MEMORY; then nothing has changed.
 * Cost: linear in the code. */
ECS_INTERNAL ecs_Status program_order(ecs_Program *program);

#endif
