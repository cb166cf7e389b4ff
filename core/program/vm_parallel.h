/* vm_parallel.h: what it takes to run a program on several threads.
 *
 * Rows do not see each other, so threads may take them in any order: units by
 * their numbers in the run, whatever tables they lie in. Each thread has plans
 * of its own: registers, single values, and the state of regions. The totals of
 * each 1024 rows are kept apart and joined in the order of rows (reduction.h).
 * So the bits are those of one thread.
 *
 * Some programs do more than compute rows from rows, and run on one thread:
 * those that change structure, store in arrays, stop at an exit, ask a grid, have
 * cycles, or add to numbers outside in the order of rows.
 */
#ifndef ECS_VM_PARALLEL_H
#define ECS_VM_PARALLEL_H

#include "program/program_presence.h"
#include "program/vm_sums.h"

/* The most reductions of a program that runs on several threads. */
#define PARALLEL_SUMS 8u

/* Why the program runs on one thread, as in "it runs on one thread, because it
 * changes structure"; NULL: it may run on several. Cost: linear in the code. */
ECS_INTERNAL const char *parallel_hindrance(const ecs_Program *program);

/* With how many of so many threads it pays to run so many rows; for these, there
 * are plans afterwards. 1: with one, also where there is no memory for plans. */
ECS_INTERNAL uint32_t parallel_threads(ecs_Program *program, uint64_t rows,
                                       uint32_t threads);

/* The plan of a worker for columns of which so many are there. */
ECS_INTERNAL const ProgramPlan *parallel_plan(const ecs_Program *program,
                                              uint32_t worker,
                                              Presence presence);

/* Rows of a unit: a multiple of ECS_SHARED_ROWS, with reductions of 1024, so that
 * a run has at most 16 units. */
ECS_INTERNAL uint64_t parallel_unit_rows(const ecs_Program *program,
                                         uint64_t rows);

/* Adds the totals of 1024 rows each, those of `parts` in the order of rows, to
 * the reductions of a run, of which nothing was added before. */
ECS_INTERNAL void parallel_join(const ecs_Program *program, const double *parts,
                                uint64_t count, Reduction *sums);

/* Frees the plans of threads. */
ECS_INTERNAL void parallel_free(ecs_Program *program);

#endif
