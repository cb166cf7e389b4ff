/* vm_changes.h: changes of structure with values, and of any entity, by kernel
 * programs.
 *
 * A change takes the parts and gives on the lines before it:
 *
 *      part "Position"          \
 *      give "Position" "x" v3    |  one ProgramChange
 *      part "Enemy"              |
 *      v9 = spawn v4            /
 *
 * The changes of a block are made row by row, each row as a whole: first it is
 * checked that none can fail, then all are recorded, in the order of the
 * program. A row of which one would fail (an entity that is dead, a number that
 * a field cannot hold, a component that a cursor reads) is not changed, and the
 * run stops before it, as before a row that takes an exit.
 */
#ifndef ECS_VM_CHANGES_H
#define ECS_VM_CHANGES_H

#include "program/vm_plan.h"

/* Makes the changes of a planned program ready to run. ECS_E_MEMORY; or
 * ECS_E_LIMIT, with the mistake written: too many bundles. */
ECS_INTERNAL ecs_Status changes_prepare(ecs_Program *program,
                                        const Mistake *mistake);

/* Frees them; does nothing where they were not made. */
ECS_INTERNAL void changes_free(ecs_Program *program);

/* Records the changes of the first rows of the block that the plan's registers
 * hold; entities are theirs. A level of deferral is open. Returns how many rows
 * are done: fewer than all where a row cannot be changed, and *stops is set; or
 * where a row was changed and others may see it. *status is set where recording
 * failed; the caller drops everything then. */
ECS_INTERNAL uint32_t changes_run(const ecs_Program *program,
                                  const ecs_Entity *entities, uint32_t rows,
                                  bool *stops, ecs_Status *status);

#endif
