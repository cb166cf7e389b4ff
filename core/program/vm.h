/* vm.h: runs kernel programs, block by block.
 *
 * To kernel_binding.h a program is a kernel like any native one: it is given tables, or
 * gathered blocks, and cuts them into blocks of as many rows as its plan says
 * (vm_plan.h). For each block every step of the plan runs once.
 *
 * Entities that are looked up are seen as they were before the run: what the
 * program adds, removes and destroys is listed in the order of rows and
 * recorded when all rows are done. Only "alive" sees whom rows before have
 * destroyed, as it does in a script's loop: a program that asks and destroys is
 * run in blocks of one row.
 *
 * Sums do not depend on how rows are cut (reduction.h). Rows are numbered in
 * the order of the walk; where one adds more than once, it does in the order of
 * the program.
 */
#ifndef ECS_VM_H
#define ECS_VM_H

#include "world/world.h"
#include "program/vm_plan.h"

/* Plans a program that is parsed and verified, binds it to its query and makes
 * it the query's. ECS_E_MEMORY; ECS_E_KERNEL and a mistake when a column does
 * not fit the query. Until it succeeds the program is the caller's. */
ECS_INTERNAL ecs_Status program_bind(ecs_Program *program,
                                     const Mistake *mistake);

/* Frees a program that was bound. */
ECS_INTERNAL void program_destroy(ecs_Program *program);

/* Nothing contests its components. */
ECS_INTERNAL ecs_Status program_run(ecs_Program *program,
                                    const ecs_ProgramCall *call);

/* The first component that the program looks up and an open cursor writes; 0:
 * none. */
ECS_INTERNAL ecs_Component program_contested(const ecs_Program *program);

#endif
