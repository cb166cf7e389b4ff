/* program_writer.h: random valid kernel programs for a rig's query, as text.
 *
 * Every operation, type and shape of operands occurs. What a planner could get
 * wrong occurs often: products that are added, stores of a value loaded from
 * the same column, masks, values used late, columns stored twice, changes of new
 * entities. A part of the programs is about fields of integers, near the limits
 * of all their types.
 */
#ifndef PROGRAM_WRITER_H
#define PROGRAM_WRITER_H

#include "program_rig.h"

#define WRITER_ROOM 65536u
#define WRITER_HIDDEN VALUE_TYPE_COUNT

typedef struct Writer {
  Random random;
  char text[WRITER_ROOM];
  size_t length;
  uint32_t code;                 /* instructions so far */
  uint32_t most;                 /* instructions at most */
  bool whole;                    /* it is about fields of integers */
  uint8_t types[ECS_CODE_LIMIT]; /* of values; WRITER_HIDDEN: inside a cycle
                                    that has ended */
  uint32_t values;
  /* Per value: it depends on an entity that the row spawns. */
  bool is_late[ECS_CODE_LIMIT];
  bool late;                           /* so does an operand chosen since */
  uint32_t spawned[8], spawn_masks[8]; /* values; NO_VALUE: no mask */
  uint32_t spawned_count;
  ecs_KernelColumn columns[ECS_DECLARATION_LIMIT];
  bool stored[ECS_DECLARATION_LIMIT];
  uint32_t column_count;
  uint8_t uniforms[8]; /* UniformKind */
  uint32_t uniform_count;
  uint8_t reductions[4]; /* Operation */
  uint32_t reduction_count;
  uint8_t arrays[4]; /* UniformKind */
  bool placed[4];    /* is it one of the world? */
  ecs_Scalar scalars[4];
  uint32_t array_count;
  uint32_t grids[3]; /* dimensions */
  uint32_t grid_count;
  uint32_t nears[8]; /* values */
  uint32_t near_count;
  uint32_t places[8]; /* values of nth and nearest, and their grids */
  uint32_t place_grids[8];
  uint32_t place_count;
  uint8_t near_grids[ECS_CODE_LIMIT];   /* per value: of a near, its grid */
  uint64_t operations[OPERATION_COUNT]; /* number written, in all programs */
} Writer;

/* Writes the program of a seed. It replaces the text of the last one. */
void writer_write(Writer *writer, uint64_t seed);

#endif
