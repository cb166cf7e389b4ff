/* vm_planner.h: makes the plan of a program from its facts. */
#ifndef ECS_VM_PLANNER_H
#define ECS_VM_PLANNER_H

#include "program/vm_plan.h"

/* Makes the plan of a verified program, where it gains, of the same program with
 * whole numbers (program_whole.h), and those for optional columns that are there
 * or are not (program_presence.h). The program owns them; program_unplan frees
 * them. On ECS_E_MEMORY the program has no plan. Cost: the code times its
 * registers, its columns and its look-ups. */
ECS_INTERNAL ecs_Status program_plan(ecs_Program *program);

/* Frees what program_plan made. */
ECS_INTERNAL void program_unplan(ecs_Program *program);

#endif
