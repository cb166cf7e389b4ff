/* vm_elements.h: elements of columns that a key numbers, for a block of rows.
 *
 *      v5 = element f32 c2 c11 v4      row i of column c2 + v4 - 1
 *      scatter c2 c11 v4 v6            stores there
 *
 * A key is a double. One that is no whole number from 1 to the number of columns
 * numbers none of them: then an element is 0, and nothing is stored. The cost of a
 * row does not depend on how many columns there are.
 */
#ifndef ECS_VM_ELEMENTS_H
#define ECS_VM_ELEMENTS_H

#include "program/vm_plan.h"

/* Runs a step of SHAPE_ELEMENT. Absent columns give 0. */
ECS_INTERNAL void elements_read(const ecs_Program *program,
                                const ProgramPlan *plan, const Step *step,
                                uint32_t rows);

/* Runs a step of SHAPE_SCATTER. Nothing is stored in absent columns. */
ECS_INTERNAL void elements_store(const ecs_Program *program,
                                 const ProgramPlan *plan, const Step *step,
                                 uint32_t rows);

#endif
