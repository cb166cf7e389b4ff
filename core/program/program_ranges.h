/* program_ranges.h: which values of a program are whole numbers, and how large.
 *
 *      v0 = load f64 c0          c0 is an i32: -2147483648 .. 2147483647
 *      v1 = constant f64 1       1 .. 1
 *      v2 = sub f64 v0 v1        -2147483649 .. 2147483646
 *      v3 = quantize i32 f64 v2  needs no truncation and no look for NaN
 *      store c0 v3               needs no clamp
 *
 * Ranges follow from the code alone, never from the numbers in columns. A range
 * is only known where all its numbers are exact in the value's type, so sums
 * and products of whole numbers are whole.
 */
#ifndef ECS_PROGRAM_RANGES_H
#define ECS_PROGRAM_RANGES_H

#include "program/program_ir.h"

/* Every number of the value is whole and in least .. greatest; -0 may be one of
 * them where 0 is. Nothing is known if least is greater than greatest. */
typedef struct WholeRange {
  double least;
  double greatest;
} WholeRange;

static inline bool range_is_known(WholeRange range) {
  return range.least <= range.greatest;
}

/* Fills in the range of every value of a verified program. There is room for
 * all of them. Cost: linear in the code. */
ECS_INTERNAL void ranges_find(const ecs_Program *program, WholeRange *ranges);

/* Does a field of this type hold every number of the range as it is? False if
 * nothing is known, and for types other than integers. */
ECS_INTERNAL bool range_fits(WholeRange range, ecs_Scalar scalar);

#endif
