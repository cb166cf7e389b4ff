/* vm_plan.h: how the block VM runs a program.
 *
 * A plan gives every value of a program a place, and every instruction that
 * needs one a step with a loop. Blocks are small enough for all registers to
 * stay in the first-level cache:
 *
 *      bases   | registers ... | columns of the block ... | single values ... |
 *      step    loop(bases[out], bases[a], bases[b], bases[c], rows)
 *
 * - A value that is the same for every row (a constant, a uniform, or what is
 *   computed or looked up from these alone) is a single value, computed once
 *   per run. If a loop needs it as an array, it is spread over a register before
 *   the first block.
 * - A value loaded from a column of its own type is the column itself, unless
 *   the column is overwritten before the value's last use.
 * - A value stored without a mask into a column of its own type is computed in
 *   the column, unless the column's old values are used later.
 * - A product that is used once, by a sum or difference, is computed with it in
 *   one loop. Both are rounded: nothing is contracted.
 * - A carry has a register as long as its cycle runs, and longer if it is used
 *   behind it. So has what is used in the cycle and made outside.
 * - The entities of one value are located once for each component that is
 *   looked up of them (vm_look.h). Their places are kept in a register until the
 *   last such look-up.
 * - Every other value gets a register, which is reused after the value's last
 *   use.
 */
#ifndef ECS_VM_PLAN_H
#define ECS_VM_PLAN_H

#include "program/program_ir.h"
#include "program/vm_loops.h"

/* Is given keys of an array by program_visit. */
typedef void (*ProgramVisit)(void *user, uint32_t array, const double *keys,
                             uint32_t count);

/* One loop to run, for each block or once per run. */
typedef struct Step {
  Loop loop;              /* NULL: vm_block.c runs the instruction itself */
  const Instruction *ins; /* borrowed from the program; NULL: a spread */
  uint32_t out; /* place: an index of bases; 0 if there is no result */
  uint32_t operands[OPERANDS]; /* places; any place where the instruction has
                                  none */
} Step;

/* A place that a region or slices read or write, and the bytes of its
 * elements. */
typedef struct RegionCopy {
  uint32_t place;
  uint32_t bytes;
} RegionCopy;

/* Steps that only rows with a bool of this truth need; see vm_regions.h. */
typedef struct PlanRegion {
  uint32_t first, end; /* of the plan's steps */
  uint32_t mask;       /* place of the bool */
  uint32_t truth;      /* 1 or 0 */
  uint32_t steps;      /* the first of its own steps, in regions->steps */
  uint32_t inputs, input_count;   /* in regions->copies; the first is gathered
                                     to place base_count, and so on */
  uint32_t outputs, output_count; /* in regions->copies */
  bool draws;                     /* it needs entities */
} PlanRegion;

typedef struct PlanRegions {
  PlanRegion *list; /* by their first step, the outer one before the inner */
  uint32_t count;
  RegionCopy *copies;
  Step *steps;
  uint64_t *registers;          /* what inputs are gathered to */
  uint16_t rows[LOOP_ROWS + 1]; /* of the region that runs */
  ecs_Entity entities[LOOP_ROWS];
  size_t bytes; /* of the allocation that starts here */
} PlanRegions;

/* The most inputs of a region. */
#define REGION_INPUTS 16u
/* A cycle of the program: steps, and the state of the one that runs. */
typedef struct PlanCycle {
  uint32_t first;  /* step to go on with in the next turn */
  uint32_t after;  /* step behind the cycle */
  uint32_t active; /* place: which rows are still in it */
  uint32_t outer;  /* the number of the cycle around it; NO_VALUE: none */
  uint32_t rows;   /* of the block, where the cycle began */
  bool whole;      /* all of these are active */
#ifdef ECS_CHECKED
  bool again; /* scratch of plan_check_invariants: it went back once */
#endif
} PlanCycle;

struct ProgramPlan {
  uint32_t register_count; /* places of registers come first; at least one */
  uint32_t base_count;     /* then places of columns, then of single values */
  uint32_t step_count;     /* run for each block, in order */
  uint32_t once_count;     /* run before the first block: single values */
  uint32_t spread_count;   /* run after those: single values into registers */
  uint32_t sum_count;      /* run after a block's steps, row by row */
  uint32_t put_count;      /* the same, but for arrays (vm_puts.h) */
  uint32_t split;          /* steps from here on are run slice by slice, where
                              the program sees what it puts; step_count: none */
  uint32_t seen_count;     /* of these, those that read such elements */
  uint32_t moving_count;
  uint32_t change_count; /* run after the sums, row by row; or, where changes
                              come first, before step change_step */
  uint32_t change_step;
  uint32_t visit_count; /* run instead of all these in a visit */
  uint32_t cycle_count; /* of the program */
  uint32_t block_rows;  /* most rows of a block */
  bool looks_once; /* a single value is looked up, so it may change with the
                          world */
  Step *steps;
  Step *once;
  Step *spread;
  Step *sums;    /* reductions that several instructions add to */
  Step *puts;    /* directly behind the sums */
  Step *changes; /* changes of structure */
  Step *visits;  /* of steps, those that keys follow from, and those that look
                    at arrays with keys that may be known */
  uint32_t *visit_follows; /* per visit: how many of the first arrays must be
                              filled for it to be run */
  uint32_t *keys_follow; /* per array: how many of the first must be filled for
                              its keys to be known; NO_VALUE: they are not, or
                              the run does not look at every key that the text
                              looks at */
  Step *seen;            /* copies of those steps */
  RegionCopy *moving;    /* what moves from slice to slice */
  uint32_t *watched;     /* per seen step, then per put: a number of the array,
                            from 1; 0: it is not both read and put in by the
                            present run */
  uint32_t *marks;       /* of elements that the slice puts, and behind them the
                            stamp that marks them */
  bool *masks_are_known; /* per put: its mask is known before the split */
  bool *shared;          /* per put: other puts of the run have its array */
  bool keys_are_known;   /* all keys of seen steps and puts are, too */
  bool slices;           /* blocks may be run in slices */
  PlanRegions *regions;  /* owned; NULL: there are none */
  PlanCycle *cycles;     /* in the order in which they begin */
  void **bases;          /* per place: its first element; of an absent column
                         NULL. Behind them there is room for REGION_INPUTS */
  double *single;        /* per value: room for a single value */
  size_t block_bytes; /* size of the allocation that holds the plan, its arrays
                         and its registers */
#ifdef ECS_CHECKED
  uint32_t *held; /* by place: scratch of plan_check_invariants */
#endif
};

/* A step of has or get has the place of what look_locate finds as its second
 * operand, and as its third, too, if it runs look_locate itself. */
static inline uint32_t step_places(const Step *look) {
  return look->operands[1];
}

static inline bool step_locates(const Step *look) {
  return look->operands[2] == look->operands[1];
}

/* Steps of a cycle's frame have a form of their own:
 *
 *      repeat    out: active rows; operands: the mask, nothing, the cycle
 *      while, again    out: active rows; operands: the bool
 *      next      out: the carry; operands: active rows, the value, and the value
 *                once more where the two registers may be exchanged
 *
 * A step of a carry copies: what it starts with, or, before the first next, the
 * carry to where a later next or again finds it. */
static inline bool step_exchanges(const Step *next) {
  return next->operands[1] == next->operands[2];
}

/* The place of a column, by its number in the program. */
static inline uint32_t plan_column(const ProgramPlan *plan, uint32_t column) {
  return plan->register_count + column;
}

/* How many steps and puts are run slice by slice. */
static inline uint32_t plan_late(const ProgramPlan *plan) {
  return plan->split == plan->step_count
             ? 0
             : plan->step_count - plan->split + plan->put_count;
}

/* Allocates a plan with the counts of sizes and room for all they count. The
 * steps are zero; registers and single values have their bases. The caller owns
 * the plan. NULL: there is no memory. */
ECS_INTERNAL ProgramPlan *plan_create(const ecs_Program *program,
                                      const ProgramPlan *sizes);

/* Adds a place to those that move from slice to slice, unless it is one. */
ECS_INTERNAL void plan_add_moving(ProgramPlan *plan, uint32_t place,
                                  uint32_t bytes);

/* Frees the program's plan, if it has one, and sets it to NULL. */
ECS_INTERNAL void plan_destroy(ecs_Program *program);

/* A copy of a complete plan, with registers and single values of its own, which
 * another thread may run; steps and instructions are the same. The caller owns
 * it, and frees it by plan_free_copy. NULL: there is no memory. */
ECS_INTERNAL ProgramPlan *plan_copy(const ecs_Program *program,
                                    const ProgramPlan *plan);
ECS_INTERNAL void plan_free_copy(const ecs_Program *program, ProgramPlan *copy);

#ifdef ECS_CHECKED
/* Is the program's plan sound? Follows its steps through two blocks and notes
 * which value each place holds. False if a step reads a place that does not
 * hold its operand, writes where it must not, or has a loop of the wrong form;
 * or if an effect of the program has no step, or two. Cost: linear in the code,
 * plus the effects that stand before the values used. */
ECS_INTERNAL bool plan_check_invariants(const ecs_Program *program);
#endif

#endif
