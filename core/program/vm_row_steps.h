/* vm_row_steps.h: runs the steps of a plan row by row.
 *
 *      block VM     for each step: for each row      a call of a loop each
 *      row steps    for each row: for each step      a case of a switch each
 *
 * A loop over one row costs ten times what the row does. Where rows see what the
 * rows before them have put, and most slices would be one row (vm_puts.h), the
 * steps of slices and the puts run here instead. Both give the same bits: the
 * operations that are common in such functions have a case, and any other that
 * has a loop is run by its loop.
 */
#ifndef ECS_VM_ROW_STEPS_H
#define ECS_VM_ROW_STEPS_H

#include "program/vm_plan.h"

/* The most steps and puts that are run row by row. */
#define ROW_STEP_LIMIT 32u

/* A step or a put with the addresses of its elements in the first row of the
 * block, and the bytes from row to row: 0 for a single value. */
typedef struct RowStep {
  uint32_t code; /* of vm_row_steps.c */
  uint32_t bytes[1 + OPERANDS];
  char *out;
  const char *operands[OPERANDS]; /* NULL: there is none */
  Loop loop;
  const Instruction *ins;
  const ecs_ProgramArray *array; /* that an instruction names; NULL: none */
  double last;                   /* key of the last element of one */
} RowStep;

typedef struct RowSteps {
  RowStep list[ROW_STEP_LIMIT];
  uint32_t count; /* 0: the plan's cannot be run row by row */
} RowSteps;

/* Finds the steps from the plan's split on, and the puts behind them, for the
 * block that the plan's bases are of. */
ECS_INTERNAL void row_steps_find(RowSteps *steps, const ProgramPlan *plan,
                                 const ecs_ProgramCall *call);

/* Runs rows from first up to end of the block, whole rows one after the other.
 * Returns the row that takes a side exit, of which nothing is put; end: none
 * does. */
ECS_INTERNAL uint32_t row_steps_run(const RowSteps *steps, uint32_t first,
                                    uint32_t end);

#endif
