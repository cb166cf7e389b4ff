/* vm_puts.h: what rows put in arrays of the world.
 *
 * Puts come behind a block's steps, in the order of rows, and within a row in
 * that of the program. As long as the program reads no array that it puts in,
 * that is all. A program that does is ordered so that everything which does not
 * follow from such an element stands before the first of them (program_order.h),
 * and goes through a block in **slices**, each as long as no row of it sees what
 * another of its rows puts:
 *
 *      steps that see nothing     rows 0 1 2 3 4 5 6 7
 *      keys that are put                5 2 9 5 5 1 1 3
 *      keys that are read               5 2 9 5 5 1 1 3
 *      slices                          |-----|-|---|--->    steps that see, puts
 *
 * The bases of what these steps read and write move from slice to slice. Whether
 * arrays are the same one is known when a run begins; two of different types
 * never are. Where keys follow from elements themselves a slice is one row, and
 * where cycles or changes do, a block is.
 */
#ifndef ECS_VM_PUTS_H
#define ECS_VM_PUTS_H

#include "program/vm_plan.h"

/* Stores, for so many rows of a block, what the plan's puts say; bases are those
 * of their operands. A key that is not that of an element is passed over, and
 * numbers become those of the type as they do in columns. */
ECS_INTERNAL void puts_run(const ProgramPlan *plan, const ecs_ProgramCall *call,
                           void *const *bases, uint32_t rows);

/* Finds out which arrays of a call the plan both reads and puts in, and in which
 * several of its puts do, before any of them is run. Returns whether there are
 * any of the former. */
ECS_INTERNAL bool puts_watch(const ProgramPlan *plan,
                             const ecs_ProgramCall *call);

/* How many rows are in the next slice, of so many that are left, at least one.
 * Where bits of keys meet, also fewer than could be. */
ECS_INTERNAL uint32_t puts_slice(const ProgramPlan *plan, uint32_t rows);

/* Moves all that slices read and write by so many rows; back, if it is less than
 * 0. */
ECS_INTERNAL void puts_move(const ProgramPlan *plan, int32_t rows);

#endif
