/* vm_planner.h: makes the plan of a program from its facts. */
#ifndef ECS_VM_PLANNER_H
#define ECS_VM_PLANNER_H

#include "program/vm_plan.h"

/* Plans a verified program, which owns the plan from then on (plan_destroy).
 * ECS_E_MEMORY: the program has no plan. Cost: linear in the code, but for
 * finding registers and stores: code times registers, code times columns. */
ECS_INTERNAL ecs_Status program_plan(ecs_Program *program);

#endif
