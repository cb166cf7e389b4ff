/* vm_block.h: runs the steps of a plan over the rows of a block.
 *
 *      once        single values: constants, uniforms, look-ups with them
 *      steps       each for all rows; a region's for the rows that need it; those
 *                  of a cycle as often as rows stay in it (vm_turns.h)
 *      slices      steps that see what rows put in arrays, for as many rows as
 *                  do not meet (vm_puts.h)
 *      at the end  sums, what is put, changes of structure
 *
 * A block may end early, at a row that takes the exit.
 */
#ifndef ECS_VM_BLOCK_H
#define ECS_VM_BLOCK_H

#include "kernel/kernel_binding.h"
#include "program/program_presence.h"
#include "program/vm_run.h"

/* The fewest rows that are computed ahead. */
#define BLOCK_LEAST_REACH 16u

/* Is a block run by another plan if other columns are there? A visit is not. */
static inline bool block_has_plans(const Run *run) {
  return run->program->assumed[0] != NULL && run->visit == NULL;
}

/* Finds out whether the run puts in arrays that it reads, and how many rows a
 * block may have. */
ECS_INTERNAL void block_see_puts(Run *run);

/* Computes single values, and spreads some of them over registers. */
ECS_INTERNAL void block_once(const Run *run);

/* Has blocks of such columns run by their own plan, if they have one. */
ECS_INTERNAL void block_use_plan(Run *run, Presence presence);

/* Runs the next rows of a block of the query from a row on: as many as the run
 * has at once. run->rows: how many have run; run->stopped: rows behind them that
 * take the exit; run->status: as there. */
ECS_INTERNAL void block_run(Run *run, const ecs_KernelBlock *block,
                            uint32_t first_row);

/* Does, for the block's rows, what comes behind its steps. changed: changes of
 * structure were made before. */
ECS_INTERNAL void block_end_rows(Run *run, bool changed);

/* Computes fewer rows ahead where a block of so many ended early, and more again
 * where none did. */
ECS_INTERNAL void block_adapt_reach(Run *run, uint32_t asked);

#endif
