/* vm_whole_loops.h: loops over whole numbers of 32 bits.
 *
 *      loop(out, a, b, c, n):  out[i] = a[i] + b[i]  for i < n, of int32_t
 *
 * An instruction of VALUE_WHOLE or VALUE_NATURAL (program_whole.h) has one of
 * these. Operands and results are arrays of int32_t, or of uint32_t for a bool and
 * for VALUE_NATURAL, as vm_loops.h says; a column of i32 or u32 is such an array
 * itself. Every loop may be given any numbers,
 * and is compiled for several instruction sets, which all give the same bits.
 */
#ifndef ECS_VM_WHOLE_LOOPS_H
#define ECS_VM_WHOLE_LOOPS_H

#include "program/program_ir.h"
#include "program/vm_loops.h"

/* Each of the following returns a loop in constant time. */

/* The loop of an instruction of a shape up to SHAPE_SELECT, of these types or any
 * other (loop_of). NULL: there is none in this form. A remainder of these types is
 * by a number from 1 to 2^30. A sum or difference with a
 * scalar type ends at its limits: of VALUE_NATURAL that is u32, of VALUE_WHOLE
 * any other integer. */
ECS_INTERNAL Loop whole_formed(const Instruction *ins, LoopForm form);

/* From a column of an integer type: u32 is VALUE_NATURAL, the signed ones are
 * VALUE_WHOLE, and u8 and u16 are either. */
ECS_INTERNAL Loop whole_load(ecs_Scalar scalar);

/* To a column of a number type, as a script stores. b is the mask, if masked:
 * rows with 0 keep their old element. fits: an integer column holds all the
 * numbers. */
ECS_INTERNAL Loop whole_store(ecs_Scalar scalar, ValueType type, bool masked,
                              bool fits);

/* What a column of an integer type makes of them, up to the limits of their
 * type. */
ECS_INTERNAL Loop whole_quantize(ecs_Scalar scalar, ValueType type);

/* From these types to a number type, or back. Numbers that are no whole ones of
 * 32 bits become anything. */
ECS_INTERNAL Loop whole_convert(ValueType to, ValueType from);

#endif
