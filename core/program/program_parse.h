/* program_parse.h: reads the text of a kernel program.
 *
 * A line is a declaration, an instruction, or empty; a comment goes from ; to
 * the end of its line. Declarations come before all instructions. Names stand
 * in quotes; in a name \xHH is a byte, and quotes and backslashes are written
 * in this way. Columns, uniforms, reductions and values are each numbered from
 * 0 in the order of their definition.
 *
 *      line         declaration | instruction
 *      declaration  column cN "Component" "field" scalar write|read|optional|up
 *                   uniform uN number|bool|entity
 *                   reduction rN sum|min|max|total|lowest|highest
 *      instruction  vN = operation ...       operation.h has the shapes
 *                   store cN vN [vN]
 *                   add|remove "Component" [vN]     destroy [vN]
 *                   sum|min|max rN vN [vN]          exit vN
 *                   repeat [vN]   while vN   next vN vN   again [vN]
 */
#ifndef ECS_PROGRAM_PARSE_H
#define ECS_PROGRAM_PARSE_H

#include "program/program_ir.h"

/* Reads the text into a program, which has its query and is zero otherwise.
 * What the program names then exists; whether it fits together is for
 * program_verify to say.
 *
 * Returns ECS_OK; ECS_E_PROGRAM or ECS_E_LIMIT with the mistake written; or
 * ECS_E_MEMORY. On failure, too, the caller calls program_deinit. Cost: linear
 * in the text. */
ECS_INTERNAL ecs_Status program_parse(ecs_Program *program, const char *text,
                                      size_t length, const Mistake *mistake);

#endif
