/* vm_regions.h: parts of a plan that few rows need.
 *
 * Both sides of a branch are computed for all rows, and selected afterwards. A
 * **region** is a run of steps of which only rows with some bool, or without
 * it, need the results:
 *
 *      v7 = lt f32 v1 v2           \
 *      v8 = xsin f32 v4             | region: rows where v7 is true
 *      v9 = mul f32 v8 v5          /
 *      v10 = select f32 v7 v9 v6
 *
 * Where few rows of a block have it, what the region reads is gathered for
 * these, its steps run over so many rows, and its results are scattered; where
 * none has it, nothing runs. In all other rows the results are then anything:
 * nothing reads them there. Values do not depend on which way is taken.
 *
 * Regions nest. Of those that begin at a step the outer one comes first.
 */
#ifndef ECS_VM_REGIONS_H
#define ECS_VM_REGIONS_H

#include "program/program_facts.h"
#include "program/vm_plan.h"

/* Finds the regions of a plan that is complete; the plan owns them. ECS_E_MEMORY.
 * Cost: steps times places. */
ECS_INTERNAL ecs_Status regions_find(const ProgramFacts *facts,
                                     ProgramPlan *plan);

/* Lists the rows of a block that need a region, in the plan's regions, and
 * gathers what it reads for them. Returns how many there are; UINT32_MAX: so
 * many that all rows are computed. entities: those of the block, or NULL. */
ECS_INTERNAL uint32_t region_enter(const ProgramPlan *plan,
                                   const PlanRegion *region,
                                   const ecs_Entity *entities, uint32_t rows);

/* Scatters what its steps have computed for the n rows. */
ECS_INTERNAL void region_leave(const ProgramPlan *plan,
                               const PlanRegion *region, uint32_t n);

#endif
