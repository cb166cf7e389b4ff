/* program_print.h: writes a kernel program as text.
 *
 * What is written is read again as the same program; numbers are hexadecimal,
 * so that no bit is lost.
 */
#ifndef ECS_PROGRAM_PRINT_H
#define ECS_PROGRAM_PRINT_H

#include "program/program_ir.h"

/* Writes at most capacity bytes, the final 0 included; returns the length it
 * wants, the 0 not counted. */
ECS_INTERNAL size_t program_print(const ecs_Program *program, char *text,
                                  size_t capacity);

#endif
