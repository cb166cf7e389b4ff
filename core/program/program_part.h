/* program_part.h: a run of a program in parts, along an open cursor.
 *
 * A program with an exit stops before a row that takes it. A caller that does
 * something else in such rows walks the query itself, and runs the program over
 * the rows between them:
 *
 *      cursor   | batch 1               | batch 2      |
 *               | part    x part  x x   | part     x   |    x: taken by the
 *                                                            caller
 *
 * The cursor's claims hold for all parts, and changes of structure are recorded
 * until it ends. Bindings use this header through for_bindings.h.
 */
#ifndef ECS_PROGRAM_PART_H
#define ECS_PROGRAM_PART_H

#include "base/config.h"
#include "ecs.h"
#include "math/reduction.h"

/* Where a run in parts is. The caller sets everything down to changed. */
typedef struct ProgramPart {
  const ecs_Batch *batch; /* of the open cursor, over the program's query */
  uint64_t before;        /* rows in the batches before this one */
  uint32_t first;         /* row of the batch to begin with, up to its count */
  Reduction *reductions;  /* one per declared reduction, begun by the caller;
                             NULL: there are none */
  bool changed; /* the uniforms or arrays may be others than those of the last
                   part, or this is the first; set to false by each part */

  uint32_t end;     /* result: every row before it was run */
  uint32_t taken;   /* result: so many rows from end on take the exit; 0: none,
                       and end is the batch's count */
  bool by_uniforms; /* result: those behind the first take it only if the
                       uniforms and arrays stay as they are */
  uint32_t reach;   /* rows to compute ahead; kept from part to part; 0 at
                       first */
} ProgramPart;

/* Runs a program over the rows of a batch from part->first on, to the last or
 * to the one before a row that takes the exit. call->reductions and first are
 * not used; stop, unless NULL, is written after
 * ECS_E_TURNS. The caller folds the reductions when it leaves a thousand rows
 * (REDUCTION_ROWS) or the last one itself.
 *
 * ECS_E_ARGUMENT, ECS_E_ACCESS, ECS_E_MEMORY, ECS_E_LIMIT or ECS_E_TURNS as
 * ecs_program_run; the caller then discards the cursor. Cost: per row and
 * operation; rows behind one that takes the exit are computed in part, up to as
 * many as the last parts had. */
ECS_API ecs_Status ecs_program_run_part(ecs_Program *program,
                                        const ecs_ProgramCall *call,
                                        ProgramPart *part);

/* As ecs_program_run_part, where its last call has computed the rows up to the
 * next one that takes the exit, so that only columns are left to be stored, with
 * the same call and part. False: it did nothing. */
ECS_API bool ecs_program_go_on(ecs_Program *program,
                               const ecs_ProgramCall *call, ProgramPart *part);

#endif
