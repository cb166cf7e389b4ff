/* program_print.h: writes a kernel program as text.
 *
 * Parsing the text gives the same program. Numbers are hexadecimal, so that no
 * bit is lost and no locale matters.
 */
#ifndef ECS_PROGRAM_PRINT_H
#define ECS_PROGRAM_PRINT_H

#include "program/program_ir.h"

/* Writes the text of a program, cut to capacity bytes with its final 0. Returns
 * the length of the whole text, without the 0; text may be NULL if capacity is
 * 0. Cost: linear in the program. */
ECS_INTERNAL size_t program_print(const ecs_Program *program, char *text,
                                  size_t capacity);

#endif
