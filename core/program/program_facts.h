/* program_facts.h: what is known of a program before it is planned.
 *
 * Facts are about values and columns, and follow from the code alone: which
 * values are needed, which are the same for every row, when each is used for
 * the last time, which products are computed with their sums, which are whole
 * numbers, and which values can be computed right in a column. The planner
 * turns facts into places and steps.
 *
 *      v0 = load f32 c0          last use: instruction 2
 *      v1 = uniform f32 u0       single
 *      v2 = mul f32 v0 v1        column: c0; its old values are not used later
 *      store c0 v2
 *
 * A value from outside of a cycle that is used in it is used until the cycle's
 * end: another turn may follow.
 *
 * Facts live in one block of memory while a plan is made. Every pass is linear
 * in the code, except the search for columns: stored columns times the code.
 */
#ifndef ECS_PROGRAM_FACTS_H
#define ECS_PROGRAM_FACTS_H

#include "program/program_cycles.h"
#include "program/program_ranges.h"

typedef struct ColumnFacts {
  uint32_t store;      /* the last instruction that stores the column;
                          NO_VALUE: there is none, or it has a mask */
  uint32_t stores;     /* number of instructions that store the column */
  uint32_t written_at; /* the first instruction that may change the column;
                          NO_VALUE: none */
} ColumnFacts;

/* Arrays have one element per value, unless they say otherwise. */
typedef struct ProgramFacts {
  const ecs_Program *program; /* borrowed */
  uint32_t *last_use;         /* last instruction that uses the value;
                                 code_count: kept until the block's end; 0: not
                                 used */
  uint32_t *definition;       /* instruction that defines the value */
  uint32_t *column;           /* column that the value is computed in;
                                 NO_VALUE: none */
  uint32_t *uses;             /* number of operands that are this value, in
                                 instructions that are needed */
  bool *is_single;            /* the value is the same for every row */
  bool *is_needed;            /* some effect depends on the value */
  bool *is_part;              /* the value is a product that is computed with
                                 its sum, in one step */
  uint32_t changes_at;        /* the last change, where changes come first: all
                                 of them are made there; 0: none */
  WholeRange *ranges;         /* the value's whole numbers, if they are known */
  bool *is_key;               /* a key of an array follows from the value, and
                                 can be shown */
  uint32_t *follows;          /* how many of the first arrays must be filled for
                                 the value to be known before a run: 0, none;
                                 NO_VALUE: it is not, since it follows from
                                 look-ups, grids or an entity that is spawned
                               */
  uint32_t *adders;           /* per reduction: instructions that add to it */
  ColumnFacts *columns;       /* per column */
  Cycle *cycles;              /* of the program */
  uint32_t *inside;           /* per instruction: the innermost cycle that it is
                                 inside; NO_VALUE: none; without cycles no
                                 array */
  size_t block_bytes;         /* size of the allocation behind all arrays, which
                                 starts at last_use */
} ProgramFacts;

/* Gathers the facts of a verified program. On ECS_E_MEMORY nothing is
 * allocated, and facts_deinit must not be called. */
ECS_INTERNAL ecs_Status facts_init(ProgramFacts *facts,
                                   const ecs_Program *program);

/* Frees what facts_init allocated. */
ECS_INTERNAL void facts_deinit(ProgramFacts *facts);

/* Does the instruction run after all other steps of a block, row by row? So do
 * puts, changes of structure, unless they come first, reductions that several
 * instructions add to, and all reductions behind an exit (vm_ahead.h) or where
 * blocks are run in slices (vm_puts.h). */
static inline bool facts_late(const ProgramFacts *facts,
                              const Instruction *ins) {
  return (instruction_is_change(ins) && !facts->program->changes_first) ||
         instruction_shape(ins) == SHAPE_PUT ||
         (instruction_shape(ins) == SHAPE_REDUCE &&
          (facts->adders[ins->index] > 1 || facts->program->exits ||
           facts->program->sees_puts));
}

/* Is the instruction an effect, or does one depend on it? The frame of a cycle
 * is needed, without carries, too: a cycle may be endless. */
static inline bool facts_needed(const ProgramFacts *facts,
                                const Instruction *ins) {
  if (ins->operation == OPERATION_NEXT)
    return facts->is_needed[ins->operands[0]];
  return ins->result == NO_VALUE || facts->is_needed[ins->result] ||
         ins->operation == OPERATION_SPAWN;
}

/* Does the instruction look at an array? */
static inline bool facts_looks(const Instruction *ins) {
  return instruction_shape(ins) == SHAPE_AT ||
         instruction_shape(ins) == SHAPE_INSIDE;
}

/* Is the instruction a look at an array whose key is known once the arrays
 * before it are filled? */
static inline bool facts_shows(const ProgramFacts *facts,
                               const Instruction *ins) {
  return facts_looks(ins) && facts->follows[ins->operands[0]] <= ins->index;
}

/* The innermost cycle that instruction i is inside; NO_VALUE: none. */
static inline uint32_t facts_cycle(const ProgramFacts *facts, uint32_t i) {
  return facts->program->cycle_count == 0 ? NO_VALUE : facts->inside[i];
}

/* Is the instruction a product that is computed with its sum? */
static inline bool facts_part(const ProgramFacts *facts,
                              const Instruction *ins) {
  return ins->result != NO_VALUE && facts->is_part[ins->result];
}

/* Is an array of values of this type, bit for bit, the column itself? Never for
 * an optional column, which may be absent. */
ECS_INTERNAL bool facts_direct(const ProgramFacts *facts, uint32_t column,
                               ValueType type);

#ifdef ECS_CHECKED
/* Do the facts agree with the code and with each other? Cost: linear in the
 * code. */
ECS_INTERNAL bool facts_check_invariants(const ProgramFacts *facts);
#endif

#endif
