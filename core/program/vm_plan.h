/* vm_plan.h: how the block VM runs a program.
 *
 * A plan gives every value of a program a place and every instruction that is
 * left a loop. Blocks are small enough that all registers stay in the first
 * cache:
 *
 *      bases   | registers ... | columns of the block ... | single values ... |
 *      step    loop(bases[out], bases[a], bases[b], bases[c], rows)
 *
 * - A value that is the same for every row (constants, uniforms, and what is
 *   computed from them alone) is a single value, computed once per run. Where
 *   a loop wants an array, it is spread into a register of its own first.
 * - A value loaded from a column of its own type is that column, unless the
 *   column is overwritten while the value is still wanted.
 * - A value stored whole into a column of its own type is computed right there,
 *   unless the column's old values are wanted later.
 * - A product that is wanted once, by a sum or difference, is computed with it
 *   in one loop. Both are rounded: nothing is contracted.
 * - All others get registers, which are used again when their value has been
 *   used for the last time.
 */
#ifndef ECS_VM_PLAN_H
#define ECS_VM_PLAN_H

#include "program/program_ir.h"
#include "program/vm_loops.h"

/* One thing to do for each block, or once per run. */
typedef struct Step {
  Loop loop; /* NULL: what the instruction says, in vm.c */
  const Instruction *ins;
  uint32_t out; /* these four are places: indices of bases */
  uint32_t operands[3];
} Step;

struct ProgramPlan {
  uint32_t register_count; /* the first places; then columns, then values */
  uint32_t base_count;
  uint32_t step_count;   /* for each block */
  uint32_t once_count;   /* before the first block */
  uint32_t spread_count; /* then: steps that spread single values */
  uint32_t sum_count;    /* when a block's steps are done: reductions */
  uint32_t change_count; /* then: changes of structure */
  uint32_t block_rows;   /* at most, of a block */
  Step *steps;
  Step *once;
  Step *spread;
  Step *sums; /* of reductions that several instructions add to */
  Step *changes;
  void **bases;
  double *single;     /* by value: room for those that are the same for
                              every row */
  size_t block_bytes; /* of the one allocation that holds it all */
#ifdef ECS_CHECKED
  uint32_t *held; /* by place: scratch of plan_check_invariants */
#endif
};

/* The place of column c. */
static inline uint32_t plan_column(const ProgramPlan *plan, uint32_t column) {
  return plan->register_count + column;
}

/* A plan with the counts of the sizes and room for as many steps, registers and
 * single values; the steps are zero. NULL: there is no memory. */
ECS_INTERNAL ProgramPlan *plan_create(const ecs_Program *program,
                                      const ProgramPlan *sizes);

/* Frees the program's plan, where it has one. */
ECS_INTERNAL void plan_destroy(ecs_Program *program);

#ifdef ECS_CHECKED
/* Is the program's plan sound? Follows its steps through two blocks, noting
 * which value each place holds, and returns false if a step reads a place that
 * does not hold the operand of its instruction, writes where it must not, or
 * has a loop of the wrong form, or if an effect of the program is not planned.
 * Cost: linear in the code, but for values that are defined behind many
 * effects. */
ECS_INTERNAL bool plan_check_invariants(const ecs_Program *program);
#endif

#endif
