/* program_facts.h: what is known of a program before it is planned.
 *
 * Facts are about values and columns, and follow from the code alone: what is
 * needed at all, what is the same for every row, when a value is used for the
 * last time, which products go with their sums, which columns a value may be
 * computed in. The plan makes places and steps of them.
 *
 *      v0 = load f32 c0          last use: 2
 *      v1 = uniform f32 u0       single
 *      v2 = mul f32 v0 v1        home: c0, whose old values are done with
 *      store c0 v2
 *
 * They live in one block of memory while a plan is made. Every pass is linear
 * in the code but the one for homes: columns stored to, times the code.
 */
#ifndef ECS_PROGRAM_FACTS_H
#define ECS_PROGRAM_FACTS_H

#include "program/program_ir.h"

/* Of a column. */
typedef struct ColumnFacts {
  uint32_t store;      /* the only instruction that stores it, unmasked */
  uint32_t stores;     /* how many store it at all */
  uint32_t written_at; /* the first instruction that may change it */
} ColumnFacts;

typedef struct ProgramFacts {
  const ecs_Program *program; /* borrowed */
  uint32_t *last_use;         /* by value: an instruction; 0: none */
  uint32_t *definition;       /* by value: the instruction that defines it */
  uint32_t *column;           /* by value: the column that it is computed in;
                             NO_VALUE: none */
  uint32_t *uses;             /* by value: of instructions that are needed */
  bool *is_single;            /* by value: the same for every row */
  bool *is_needed;            /* by value: some effect depends on it */
  bool *is_part;              /* by value: a product computed with its sum */
  uint32_t *adders;           /* by reduction: instructions that add to it */
  ColumnFacts *columns;
  size_t block_bytes; /* of the one allocation that holds it all */
} ProgramFacts;

/* Gathers the facts of a verified program. ECS_E_MEMORY: there are none, and
 * nothing is to be deinitialised. */
ECS_INTERNAL ecs_Status facts_init(ProgramFacts *facts,
                                   const ecs_Program *program);
ECS_INTERNAL void facts_deinit(ProgramFacts *facts);

/* Does it run when all other steps of a block have run, row by row? */
static inline bool facts_late(const ProgramFacts *facts,
                              const Instruction *ins) {
  return instruction_is_change(ins) ||
         (instruction_shape(ins) == SHAPE_REDUCE &&
          facts->adders[ins->index] > 1);
}

/* Does an effect depend on it, or is it one? */
static inline bool facts_needed(const ProgramFacts *facts,
                                const Instruction *ins) {
  return ins->result == NO_VALUE || facts->is_needed[ins->result];
}

/* Is it a product that is computed with its sum? */
static inline bool facts_part(const ProgramFacts *facts,
                              const Instruction *ins) {
  return ins->result != NO_VALUE && facts->is_part[ins->result];
}

/* Are the values of a column, as this type, the column as it lies there? */
ECS_INTERNAL bool facts_direct(const ProgramFacts *facts, uint32_t column,
                               ValueType type);

#ifdef ECS_CHECKED
/* Do the facts agree with the code and with each other? Cost: linear in the
 * code. */
ECS_INTERNAL bool facts_check_invariants(const ProgramFacts *facts);
#endif

#endif
