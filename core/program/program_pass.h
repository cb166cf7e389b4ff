/* program_pass.h: several programs that run one after the other, in one call.
 *
 * What a pass leaves is what its programs leave if each is run by itself, in
 * their order. Where they go over the same tables, rows are run through all of
 * them while they are in the nearest caches:
 *
 *      table 1, rows    1 to 1024:  program 1, program 2, program 3
 *               rows 1025 to 2048:  program 1, program 2, program 3
 *      table 2 ...
 *
 * Bindings use this header through for_bindings.h.
 */
#ifndef ECS_PROGRAM_PASS_H
#define ECS_PROGRAM_PASS_H

#include "base/config.h"
#include "ecs.h"

/* The most programs of a pass. */
#define PASS_PROGRAMS 64u

/* A program of a pass. The caller sets all of it. */
typedef struct PassProgram {
  ecs_Program *program;
  ecs_ProgramCall call; /* as for ecs_program_run, with a stop, in which the
                           row is what the last run has left there; 0 at
                           first */
  bool left_out;        /* it is not to run this time */
  bool begins;          /* ecs_pass_meets names a program before it, since the
                           last one that begins: rows go through those first */
} PassProgram;

/* Why a program cannot be in a pass, as in "a pass ends there: it changes
 * structure"; NULL: it can. */
ECS_API const char *ecs_pass_hindrance(const ecs_Program *program);

/* Does one of two programs look up through entities what the other writes, so
 * that rows must not go through one of them before all have gone through the
 * other? Cost: linear in the code of both. */
ECS_API bool ecs_pass_meets(const ecs_Program *one, const ecs_Program *other);

/* Runs the programs of a pass, all of one world and without hindrance. Returns
 * as ecs_program_run of each does, one after the other; where one fails, those
 * behind it do not run, and *failed is its index. Cost: that of their runs. */
ECS_API ecs_Status ecs_pass_run(PassProgram *programs, uint32_t count,
                                uint32_t *failed);

#endif
