/* vm_ahead.h: rows that a run in parts has computed behind an exit.
 *
 * A block of which rows take the exit is computed once, whole. What it stores
 * goes to copies of the columns, and is taken from there in slices, one for each
 * part, up to the next row that takes the exit:
 *
 *      row      0 1 2 3 4 5 6 7 8 9        x: takes the exit
 *      exit           x       x
 *      copy     a b c . e f g . i j
 *      part 1   a b c                      then row 3 is the caller's
 *      part 2           e f g              then row 7
 *      part 3                   i j
 *
 * Sums, puts and changes of structure are made for each slice, from registers
 * that are kept until the block's end.
 *
 * What was computed stays right as long as what it was computed from does. Rows
 * do not see each other, and nothing but the program and the caller's row writes
 * the columns: the open cursor claims them (claims.h). The caller says when
 * uniforms or arrays have changed; then the rest of the block is dropped, and
 * computed anew. Programs that look at other entities or ask grids, that see what
 * they put in arrays, that make changes first or that have cycles compute
 * nothing ahead.
 */
#ifndef ECS_VM_AHEAD_H
#define ECS_VM_AHEAD_H

#include "program/vm_plan.h"

/* A column that the program writes. */
typedef struct AheadColumn {
  uint32_t column; /* of the program */
  uint32_t bytes;  /* of an element */
  bool keeps;      /* some rows may keep their old element */
  char *live;      /* the column, from the block's first row on; NULL: absent */
  char *copy;      /* LOOP_ROWS elements */
#ifdef ECS_CHECKED
  char *before; /* what the column held, LOOP_ROWS elements */
#endif
} AheadColumn;

struct ProgramAhead {
  uint64_t first;      /* number, in the run, of the row that the block began
                          with */
  uint64_t random_key; /* of the call */
  const ecs_Entity *entities; /* of the block; NULL: not needed */
  uint32_t rows;              /* of the block; 0: nothing is computed ahead */
  uint32_t done;              /* so many of them are behind us */
  uint32_t exit_count;
  uint32_t next; /* the first of exits that is not behind us */
  uint32_t column_count;
  uint32_t exits[LOOP_ROWS + 1]; /* rows that take the exit, in order */
  AheadColumn *columns;
  void **bases; /* as the plan's, for operands of sums and changes: of the first
                   row of the slice */
  size_t bytes; /* of the allocation that starts here */
};

/* Gives a planned program what it needs to compute ahead, if it may. The program
 * owns it. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status ahead_prepare(ecs_Program *program);

/* Frees it; does nothing where there is none. */
ECS_INTERNAL void ahead_free(ecs_Program *program);

/* Begins with a block of so many rows, of which some take the exit, when its
 * columns are not written yet: from here on, all steps of the block run over all
 * rows, and write to copies. first: the number of the block's first row in the
 * run. The columns and entities stay where they are until all rows are stored
 * or dropped. Cost: linear in the rows, and in the bytes of some columns. */
ECS_INTERNAL void ahead_begin(const ecs_Program *program, const uint32_t *taken,
                              const ecs_Entity *entities, uint32_t rows,
                              uint64_t first, uint64_t random_key);

/* Drops what was computed ahead. Returns whether any rows were. */
ECS_INTERNAL bool ahead_drop(ProgramAhead *ahead);

/* Has the row of this number been computed ahead, for a run with this key? */
static inline bool ahead_holds(const ProgramAhead *ahead, uint64_t number,
                               uint64_t random_key) {
  return number - ahead->first < ahead->rows &&
         number - ahead->first >= ahead->done &&
         ahead->random_key == random_key;
}

/* Does a row from this number on, which is computed ahead, take the exit? */
static inline bool ahead_exits(const ProgramAhead *ahead, uint64_t number) {
  return ahead->exits[ahead->exit_count - 1] >= number - ahead->first;
}

/* Stores the columns of a slice, from the row of this number on, and has its
 * bases made. Returns how many rows it has; *taken becomes how many rows behind
 * it take the exit. Cost: linear in the bytes. */
ECS_INTERNAL uint32_t ahead_store(const ecs_Program *program, uint64_t number,
                                  uint32_t *taken);

/* Runs a part, as program_run_part, of which everything up to a row that takes
 * the exit is computed, and only columns are to be stored. False: it does
 * nothing. Cost: linear in the bytes; a few nanoseconds for a slice. */
ECS_INTERNAL bool ahead_run_part(const ecs_Program *program,
                                 const ecs_ProgramCall *call,
                                 ProgramPart *part);

#endif
