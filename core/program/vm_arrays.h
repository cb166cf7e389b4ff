/* vm_arrays.h: looks elements of arrays up, for a block of rows.
 *
 *      v1 = at f64 a0 v0          elements[key - first]
 *      v2 = inside a0 v0          is there such an element?
 *      v3 = index a0 v4 v5        the key of the element at two indices, or 0
 *
 * A key is a double. One that is no whole number, NaN, or outside of the array
 * has no element; -0 is 0. Keys are compared as doubles and subtracted as
 * integers, so no rounding makes one key another. Elements are doubles; those of an
 * array of the world have its type. Every look-up is in bounds:
 * where there is no element, the first is read and left out.
 */
#ifndef ECS_VM_ARRAYS_H
#define ECS_VM_ARRAYS_H

#include "program/program_ir.h"

/* Runs an instruction of SHAPE_AT or SHAPE_INSIDE over n rows: keys are their
 * doubles, out has room for their results. An array of the world is read where
 * it is now. */
ECS_INTERNAL void array_look(const Instruction *ins,
                             const ecs_ProgramArray *array, void *out,
                             const double *keys, uint32_t n);

/* Runs an instruction of SHAPE_INDEX over n rows: the keys of the elements at
 * these indices, each of them doubles; z is NULL where there are two. */
ECS_INTERNAL void array_index(const ecs_ProgramArray *array, double *out,
                              const double *x, const double *y, const double *z,
                              uint32_t n);

/* Can all arrays of a call, which may have fewer than the program, be looked at?
 * ECS_E_LIMIT: one has too many elements; ECS_E_ARGUMENT: one has none where it
 * should, keys beyond those of an int32_t, or is not the array of the world that
 * is declared. */
ECS_INTERNAL ecs_Status arrays_check(const ecs_Program *program,
                                     const ecs_ProgramCall *call);

#endif
