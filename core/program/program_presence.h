/* program_presence.h: the same program for blocks whose optional columns are
 * known to be there, or not to be.
 *
 * A block has an optional column for all its rows or for none. So whether it is
 * there is no question for each row, and one side of a branch on it is dead:
 *
 *                              all there           none there
 *      v0 = present c1
 *      v1 = load f32 c1        v1 = load f32 c1
 *      v2 = load f32 c2        v2 = load f32 c2    v2 = load f32 c2
 *      v3 = add f32 v1 v2      v3 = add f32 v1 v2
 *      v4 = select f32 v0 v3 v2
 *      store c0 v4             store c0 v3         store c0 v2
 *
 * Where all are there, they are columns like others, which need not be copied.
 * Blocks that have some of them run the program as it is. Every bit is the same.
 */
#ifndef ECS_PROGRAM_PRESENCE_H
#define ECS_PROGRAM_PRESENCE_H

#include "program/program_ir.h"

/* Is it worth it to make both? Not where a run may end before its last row, or
 * rows take turns: such programs keep state in their one plan. */
ECS_INTERNAL bool presence_matters(const ecs_Program *program);

/* The program where all of its optional columns are there, or none. It is
 * neither bound nor planned, and the caller owns it. NULL: there is no memory.
 * Cost: linear in the code. */
ECS_INTERNAL ecs_Program *presence_assume(const ecs_Program *program,
                                          bool there);

/* Frees such a program. Its plan must be destroyed before. */
ECS_INTERNAL void presence_free(ecs_Program *made);

/* Which of a block's optional columns are there? */
typedef enum Presence { NONE_THERE, ALL_THERE, SOME_THERE } Presence;
ECS_INTERNAL Presence presence_of(const ecs_Program *program,
                                  const ecs_KernelBlock *block);

#endif
