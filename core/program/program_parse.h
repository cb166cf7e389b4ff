/* program_parse.h: reads the text of a kernel program.
 *
 * A line is a declaration, an instruction, or nothing; from ; on it is a
 * comment. Declarations come first. Names stand in quotes, where \xHH is a byte
 * (so are quotes and backslashes written). Columns, uniforms, reductions and
 * values are numbered from 0 in the order of their definition.
 *
 *      line         declaration | instruction
 *      declaration  column cN "Component" "field" scalar write|read|optional
 *                   uniform uN number|bool|entity
 *                   reduction rN sum|min|max
 *      instruction  vN = operation ...       program_ir.h has the shapes
 *                   store cN vN [vN]
 *                   add|remove "Component" [vN]     destroy [vN]
 *                   sum|min|max rN vN [vN]
 */
#ifndef ECS_PROGRAM_PARSE_H
#define ECS_PROGRAM_PARSE_H

#include "program/program_ir.h"

/* Fills in a program that has its query and is zero otherwise. What is parsed
 * names only what exists, but may not fit together: program_verify. On failure
 * program_deinit is the caller's. ECS_E_PROGRAM, ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status program_parse(ecs_Program *program, const char *text,
                                      size_t length, const Mistake *mistake);

#endif
