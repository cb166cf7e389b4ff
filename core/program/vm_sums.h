/* vm_sums.h: adds what rows contribute to the reductions of a program.
 *
 * A step of a reduction adds the numbers of one register, of all rows of a
 * block or of those with a bool:
 *
 *      sum r0 v4 v2       row  0   1   2   3  ...
 *                         v4   5   3   8   1        all reductions take rows in
 *                         v2   1   0   1   1        the order of the walk
 *                         r0  +5      +8  +1
 *
 * sum, min and max have lanes, and rows go to them by their number in the run
 * (reduction.h). Several steps that add to one of these give each lane one row
 * of each step in turn. total, lowest and highest are **ordered**: of a row,
 * all steps add before the next row does, to the number that the caller began
 * with. So no result depends on how rows are cut into blocks.
 */
#ifndef ECS_VM_SUMS_H
#define ECS_VM_SUMS_H

#include "math/reduction.h"
#include "program/vm_plan.h"

/* Rows of a block that has been computed. */
typedef struct SumRows {
  void *const *bases; /* of the plan */
  Reduction *sums;    /* one per reduction of the program */
  uint64_t number;    /* of the first row, in the run */
  uint32_t count;
} SumRows;

/* Begins the reductions of a run: those in order with the numbers that the
 * caller gives, of which a NaN loses its payload, and the others empty. */
ECS_INTERNAL void sums_begin(const ecs_Program *program, Reduction *sums,
                             const double *starts);

/* Adds the rows, from the first to the last, in steps that may add to the same
 * reductions. Cost: linear in rows and steps; one step, or up to eight that are
 * not ordered, in vectors where a whole number of lanes is left. */
ECS_INTERNAL void sums_add(const SumRows *rows, const Step *steps,
                           uint32_t count);

/* The kind of a reduction, which is not ordered. */
ECS_INTERNAL ReductionKind sums_kind(const ecs_Program *program,
                                     uint32_t reduction);

/* Writes the results of a run. After a failure only those are written that the
 * caller began: they are of the rows that were stored. */
ECS_INTERNAL void sums_end(const ecs_Program *program, Reduction *sums,
                           bool failed, double *results);

#endif
