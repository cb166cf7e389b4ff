/* program_reference.h: what a kernel program means, one row and one operation
 * at a time.
 *
 * The slow twin of the block VM: it knows a program's code and the public
 * interface of the library, and nothing of plans, registers and loops. Numbers
 * are computed as doubles, which are rounded to f32 after every operation of
 * that type. (For + - * / and square roots that is the correctly rounded f32:
 * a double has more than twice its digits.)
 */
#ifndef PROGRAM_REFERENCE_H
#define PROGRAM_REFERENCE_H

#include "program/program_ir.h"

typedef struct ReferenceChange {
  ecs_Entity entity;
  const Instruction *at;
} ReferenceChange;

typedef struct ReferenceTerm {
  uint32_t reduction;
  uint32_t row;
  double value;
} ReferenceTerm;

/* A run, from its first row to its last. */
typedef struct Reference {
  const ecs_Program *program;
  const ecs_World *world; /* where entities are looked up */
  const ecs_ProgramCall *call;
  uint32_t rows;
  ReferenceTerm *terms; /* what is summed, row by row */
  uint32_t term_count, term_room;
  ReferenceChange *changes;
  uint32_t change_count, change_room;
  uint32_t changes_before; /* those of rows before the present one */
} Reference;

void reference_begin(Reference *reference, const ecs_Program *program,
                     const ecs_World *world, const ecs_ProgramCall *call);
void reference_end(Reference *reference);

/* Runs one row. columns[k] is its element of column k, or NULL; what is stored
 * goes there at the end of the row. */
void reference_row(Reference *reference, ecs_Entity entity,
                   void *const *columns);

/* Reduction r of all rows so far. */
double reference_reduction(const Reference *reference, uint32_t r);

/* Single operations: rounded to their type; as a field reads after a store. */
double reference_unary(Operation operation, ValueType type, double x);
double reference_binary(Operation operation, ValueType type, double a,
                        double b);
double reference_stored(ecs_Scalar scalar, double number);

#endif
