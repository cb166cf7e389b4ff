/* program_cycles.h: where the cycles of a kernel program are.
 *
 *      repeat vN              outside: the mask is used once
 *      vN = carry T vN        outside: so is the value that a carry starts with
 *      ...                    inside; first
 *      next vN vN             inside
 *      again vN               inside
 *
 * A cycle is the code from a repeat to its again. The repeat and its carries
 * count as outside, in the cycle around it, if there is one: a carry can be used
 * behind its cycle, and what is inside cannot.
 */
#ifndef ECS_PROGRAM_CYCLES_H
#define ECS_PROGRAM_CYCLES_H

#include "program/program_ir.h"

/* Instructions are given by their numbers. */
typedef struct Cycle {
  uint32_t repeat;
  uint32_t first; /* behind the carries */
  uint32_t again;
  uint32_t outer; /* the number of the cycle around it; NO_VALUE: none */
} Cycle;

/* Finds the cycles of a verified program. cycles gets one element for each, in
 * the order of their repeats; inside, for each instruction, the number of the
 * innermost cycle that it is inside; NO_VALUE: it is in none. Cost: linear in
 * the code. */
ECS_INTERNAL void cycles_find(const ecs_Program *program, Cycle *cycles,
                              uint32_t *inside);

#endif
