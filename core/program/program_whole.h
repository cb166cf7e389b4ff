/* program_whole.h: the same program with whole numbers in 32 bits.
 *
 * A field of i32 loads as f64, which takes twice the room and a conversion at
 * each load and store. Where ranges (program_ranges.h) show that values are
 * whole numbers of 32 bits, they are computed as such: as VALUE_WHOLE, or, from
 * fields of u32, as VALUE_NATURAL. No text names these types.
 *
 *      v0 = load f64 c0                v0 = load whole c0       the column itself
 *      v1 = constant f64 1             v1 = constant whole 1
 *      v2 = sub f64 v0 v1
 *      v3 = quantize i32 f64 v2        v2 = sub whole v0 v1     up to its limits
 *      v4 = mul f64 v3 v9              v3 = convert f64 v2
 *                                      v4 = mul f64 v3 v7
 *      store c0 v3                     store c0 v2
 *
 * Every bit is the same. Two things of an f64 are lost, and allowed only where
 * nothing shows them: the sign of zero, and how far a number is beyond 32 bits,
 * which then ends at their limits. A field of integers shows neither.
 *
 * Values that depend on each other form a group, which is whole if that is
 * cheaper: each value that is used in both ways costs a conversion. Carries of
 * cycles, and programs without columns of integers, stay as they are.
 */
#ifndef ECS_PROGRAM_WHOLE_H
#define ECS_PROGRAM_WHOLE_H

#include "program/program_facts.h"

/* The largest number that whole remainders are of. */
#define WHOLE_DIVISOR 0x1p30

/* Sets program->whole of a verified program that is not planned yet, or leaves
 * it NULL. The program owns it; whole_free frees it. ECS_E_MEMORY: it is NULL.
 * Cost: linear in the code. */
ECS_INTERNAL ecs_Status whole_find(ecs_Program *program);

/* Frees program->whole, if there is one, and sets it to NULL. */
ECS_INTERNAL void whole_free(ecs_Program *program);

#endif
