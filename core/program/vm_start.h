/* vm_start.h: begins and ends a run of a program over all rows. */
#ifndef ECS_VM_START_H
#define ECS_VM_START_H

#include "program/vm_run.h"

/* So many sums of a run need no memory of their own. */
#define FEW_SUMS 4u

/* Room for the sums of a run. */
typedef struct RunSums {
  Reduction few[FEW_SUMS];
} RunSums;

/* Begins a run: its totals, and the single values. run_end must follow, and the
 * room must last until then. The call is as program_run has it. False: there is
 * no memory, and nothing was begun. */
ECS_INTERNAL bool run_begin(Run *run, ecs_Program *program,
                            const ecs_ProgramCall *call, RunSums *room);

/* Ends it: writes the totals, and where it has stopped. done: all rows up to there
 * were run. */
ECS_INTERNAL void run_end(Run *run, bool done);

#endif
