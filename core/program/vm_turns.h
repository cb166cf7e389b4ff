/* vm_turns.h: runs the cycles of a program.
 *
 * All rows of a block go through a cycle together, as often as the last of them
 * needs it. A register of bools says which rows are still in: its **active**
 * rows. The others are computed as well, without effect, because a next leaves
 * their carries as they are:
 *
 *      repeat    active = the mask, of rows that are active in the outer cycle
 *      while v   active = active and v; if none is left, go behind the cycle
 *      next c v  c = select active v c
 *      again v   the same as while; then go back
 *
 * Where all rows are active, as in most turns of most cycles, a next exchanges
 * the registers of v and c instead, unless v is used once more. Where the last
 * rows of a block have left, the steps in the cycle pass them over.
 *
 * A cycle ends after ECS_TURN_LIMIT turns, so that no script hangs: those that
 * one row makes in all its cycles. Rows together cannot count that, and a block
 * that has made ECS_JOINT_TURNS is begun anew, row by row (vm_block.c): nothing
 * has been stored. So the limit depends on the row alone. Where the first row
 * makes as many and ends, blocks may make ECS_TURN_LIMIT.
 */
#ifndef ECS_VM_TURNS_H
#define ECS_VM_TURNS_H

#include "program/vm_plan.h"

typedef struct Turns {
  uint32_t made;  /* of the block, in all cycles */
  uint32_t cycle; /* the innermost one; NO_VALUE: none */
} Turns;

/* Runs step k, one of a cycle's frame, over so many rows; *rows becomes as many
 * as the next step runs over. Returns the step to go on with. Cost: linear in
 * the rows; of a next with exchanged registers, constant. */
ECS_INTERNAL uint32_t turns_step(Turns *turns, const ProgramPlan *plan,
                                 uint32_t k, uint32_t *rows);

/* The loop that copies values of a type: from a to out. */
ECS_INTERNAL Loop turns_copy(ValueType type);

#endif
