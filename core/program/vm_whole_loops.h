/* vm_whole_loops.h: loops over whole numbers of 32 bits.
 *
 *      loop(out, a, b, c, n):  out[i] = a[i] + b[i]  for i < n, of int32_t
 *
 * An instruction of VALUE_WHOLE (program_whole.h) has one of these. Operands and
 * results are arrays of int32_t, or of uint32_t for a bool, as vm_loops.h says;
 * a column of i32 is such an array itself. Every loop may be given any numbers,
 * and is compiled for several instruction sets, which all give the same bits.
 */
#ifndef ECS_VM_WHOLE_LOOPS_H
#define ECS_VM_WHOLE_LOOPS_H

#include "program/program_ir.h"
#include "program/vm_loops.h"

/* Each of the following returns a loop in constant time. */

/* The loop of an instruction of a shape up to SHAPE_SELECT, of VALUE_WHOLE or
 * any other type (loop_of). NULL: there is none in this form. A sum, difference or negation of
 * VALUE_WHOLE with a scalar type, which is an integer other than u32, ends at
 * the limits of that type. */
ECS_INTERNAL Loop whole_formed(const Instruction *ins, LoopForm form);

/* From a column of an integer type other than u32. */
ECS_INTERNAL Loop whole_load(ecs_Scalar scalar);

/* To a column of a number type, as a script stores. b is the mask, if masked:
 * rows with 0 keep their old element. fits: an integer column holds all the
 * numbers. */
ECS_INTERNAL Loop whole_store(ecs_Scalar scalar, bool masked, bool fits);

/* What a column of an integer type makes of them, of u32 up to INT32_MAX. */
ECS_INTERNAL Loop whole_quantize(ecs_Scalar scalar);

/* From VALUE_WHOLE to a number type, or back. Numbers that are no whole ones of
 * 32 bits become anything. */
ECS_INTERNAL Loop whole_convert(ValueType to, ValueType from);

#endif
