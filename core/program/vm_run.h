/* vm_run.h: one run of a program, as the files that run it share it.
 *
 *      vm.c            runs over all rows, over parts, and visits
 *      vm_shared.c     the rows of a run, on several threads
 *      vm_block.c      the steps of a block
 *      vm_listed.c     the changes of structure that its rows ask for
 */
#ifndef ECS_VM_RUN_H
#define ECS_VM_RUN_H

#include "program/vm_ahead.h"
#include "program/vm_sums.h"
#include "world/world.h"

/* A change of structure, listed until every row has run, then recorded. */
typedef struct RecordedChange {
  ecs_Entity entity;
  const Instruction *ins; /* borrowed from the program */
} RecordedChange;

/* One run of a program. */
typedef struct Run {
  ecs_Program *program;        /* borrowed */
  const ProgramPlan *plan;     /* of the present block */
  const ecs_ProgramCall *call; /* borrowed */
  const ecs_Entity *entities;  /* one per row, borrowed; NULL: not needed */
  Reduction *sums;             /* one per reduction, owned */
  RecordedChange *changes;     /* not recorded yet, owned */
  bool *kept;                  /* see program_run; NULL: nothing is kept */
  uint32_t change_count;
  uint32_t change_capacity;
  uint32_t rows;        /* of the present block */
  uint32_t threads;     /* that it may have */
  uint32_t worker;      /* whose plans it uses; 0: the caller's */
  uint64_t rows_before; /* of all earlier blocks, those left out among them */
  uint64_t left_out; /* rows at the beginning that are still to be left out */
  uint64_t stopped;  /* so many rows, from row rows_before on, take the exit */
  bool counts;       /* count all that take it, as long as the uniforms stay */
  uint32_t most;     /* rows of a block, at present */
  uint32_t largest;  /* at any time */
  bool sees;         /* it puts in an array that it reads: blocks are run in
                        slices, where the plan can; otherwise they are one row */
  uint8_t begun;     /* bit Presence: single values of its plan are computed */
  uint32_t alone;    /* so many of the next rows are blocks of their own */
  bool all_alone;    /* none of these goes with others again */
  bool long_turns;   /* a block may make as many turns as a row */
  void *const *late; /* bases of the operands of sums and changes */
  ProgramAhead *ahead; /* NULL: nothing is computed behind an exit */
  ecs_Status status;   /* of listing and recording changes, and of asking grids;
                          or ECS_E_TURNS */
  const uint32_t *active; /* rows of the block that are in the innermost cycle;
                             NULL: all */
  bool crowded;           /* its rows are near more than a block has room for */
  ProgramVisit visit;     /* NULL: it is no visit */
  uint32_t filled;        /* in a visit, so many of the first arrays are */
  void *user;             /* of visit */
} Run;

static inline Store *run_store(const Run *run) {
  return run->program->query->store;
}

#endif
