/* vm.h: runs kernel programs, block by block.
 *
 * To kernel_binding.h, a program is a kernel like any native one. It is given
 * tables, or blocks gathered from them, and cuts these into blocks of at most
 * as many rows as its plan says (vm_plan.h). Every step of the plan runs once
 * for each block.
 *
 * Looking up an entity shows the world as it was before the run. Changes of
 * structure are listed in the order of rows, and recorded when all rows are
 * done. Only "alive" sees which entities earlier rows have destroyed, as it
 * does in a script's loop: a program that both asks and destroys is run in
 * blocks of one row.
 *
 * Sums do not depend on how rows are cut into blocks (reduction.h). Rows are
 * numbered in the order in which the query walks them. If one row adds to a
 * reduction more than once, it does so in the order of the program.
 */
#ifndef ECS_VM_H
#define ECS_VM_H

#include "world/world.h"
#include "program/program_part.h"
#include "program/vm_plan.h"

/* Plans a program that is parsed and verified, binds it to its query, and adds
 * it to the query's programs, which own it from then on.
 *
 * ECS_E_MEMORY; or ECS_E_KERNEL, with the mistake written, if a column does not
 * fit the query. On failure the program is still the caller's, without a plan
 * and a binding. */
ECS_INTERNAL ecs_Status program_bind(ecs_Program *program,
                                     const Mistake *mistake);

/* Removes a bound program from its query and frees it. */
ECS_INTERNAL void program_destroy(ecs_Program *program);

/* Runs a bound program over all rows of its query. The call has as many
 * uniforms and reductions as the program; on failure, only reductions in order
 * are written (vm_sums.h). The caller has checked that no open cursor contests a
 * column or a component that is looked up (claims_contested,
 * program_contested).
 *
 * ECS_E_MEMORY, or ECS_E_LIMIT for too many open levels or recorded changes. On
 * failure no change of structure is recorded. Unless kept is NULL, *kept is
 * false, and true where the run is done, reductions included, but ECS_E_MEMORY
 * hinders its changes: they are recorded, as deferral_close_kept has it. */
ECS_INTERNAL ecs_Status program_run(ecs_Program *program,
                                    const ecs_ProgramCall *call, bool *kept);

/* Runs a bound program over a part of a batch, as program_part.h says. The call
 * and the part are as there; the cursor is open. */
ECS_INTERNAL ecs_Status program_run_part(ecs_Program *program,
                                         const ecs_ProgramCall *call,
                                         ProgramPart *part);

/* Shows all keys at which a run of the call would look for elements of arrays
 * with known keys (program_visits), before any of them is looked at: some
 * rows at a time, in no special order, and some keys that it would not look at.
 * The call may have fewer arrays than the program: the first ones, which have
 * what the run will find; their keys are not shown. Nothing is stored or
 * recorded. visit must not use the world. Checked as for program_run;
 * ECS_E_MEMORY as there. */
ECS_INTERNAL ecs_Status program_visit(ecs_Program *program,
                                      const ecs_ProgramCall *call,
                                      ProgramVisit visit, void *user);

/* Do the keys of an array follow from rows, uniforms and elements of so many
 * arrays before it alone, whatever earlier rows do? And is there no look of the
 * text that the run leaves out, because nothing comes of it, at a key of its
 * own? Such a text may have been written for what the elements there are. */
ECS_INTERNAL bool program_visits(const ecs_Program *program, uint32_t array,
                                 uint32_t filled);

/* The first component that the program looks up and an open cursor writes. 0:
 * there is none. Cost: linear in the code. */
ECS_INTERNAL ecs_Component program_contested(const ecs_Program *program);

#endif
