/* vm_pass.h: programs that go over tables together; see program_pass.h. */
#ifndef ECS_VM_PASS_H
#define ECS_VM_PASS_H

#include "program/program_pass.h"
#include "program/vm.h"

/* Why a program cannot be in a pass; NULL: it can. */
ECS_INTERNAL const char *pass_hindrance(const ecs_Program *program);

/* As ecs_pass_meets. */
ECS_INTERNAL bool pass_meets(const ecs_Program *one, const ecs_Program *other);

/* Is it expected to pay to run `count` programs together, of which none begins
 * but the first, by how many rows they ran over last? */
ECS_INTERNAL bool pass_pays(const PassProgram *programs, uint32_t count);

/* Runs those of them that are not left out table by table. Nothing contests them.
 * False: that cannot be, and nothing was run. */
ECS_INTERNAL bool pass_run_together(const PassProgram *programs,
                                    uint32_t count);

#endif
