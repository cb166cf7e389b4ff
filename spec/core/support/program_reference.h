/* program_reference.h: what a kernel program means, one row and one operation
 * at a time.
 *
 * The slow twin of the block VM. It uses a program's code and the public
 * interface of the library, but no plan, registers or loops. Numbers are
 * computed as doubles, and rounded to f32 after every operation of that type.
 * (For + - * / and square roots this gives the correctly rounded f32, because a
 * double has more than twice the digits.)
 */
#ifndef PROGRAM_REFERENCE_H
#define PROGRAM_REFERENCE_H

#include "program/program_ir.h"

/* A change, in the order of rows. Those of a program with changes that come first
 * are made in the twin world at once, the others are only listed. */
typedef struct ReferenceChange {
  ecs_Entity entity; /* of OPERATION_SPAWN: the new one */
  const Instruction *ins;
} ReferenceChange;

typedef struct ReferenceTerm {
  uint32_t reduction;
  uint32_t row;
  double value;
} ReferenceTerm;

/* A run, from its first row to its last. */
typedef struct Reference {
  const ecs_Program *program;
  const ecs_World *world;   /* where entities are looked up */
  ecs_World *twin;          /* its equal, with an open deferral */
  ecs_Component claimed[3]; /* no row may set these; set by the caller */
  const ecs_ProgramCall *call;
  uint32_t rows; /* so far, those that were left out among them */
  uint32_t
      endless; /* line of the cycle that row `rows` does not leave; 0: none;
                       no row behind it is run */
  ecs_Entity endless_entity;
  bool stopped;    /* row `rows` takes the exit, and so do more, one behind */
  uint64_t taken;  /* the other: so many in all */
  bool taken_ends; /* a row behind them does not */
  double *starts;  /* what the call has as reductions, before the run */
  ReferenceTerm *terms; /* what is added to reductions, row by row */
  uint32_t term_count, term_room;
  ReferenceChange *changes;
  uint32_t change_count, change_room;
  uint32_t changes_before; /* number of changes of earlier rows */
  bool cannot_change;      /* it stopped because the row cannot be changed */
  ecs_Status status; /* of making changes; nothing is run after a failure */
  uint64_t made[OPERATION_COUNT]; /* changes of each kind */
  uint64_t puts;                  /* elements stored, in copies that the call
                                     has of arrays of the world */
} Reference;

/* The twin is where entities are looked up, and where programs with changes that
 * come first make them. */
void reference_begin(Reference *reference, const ecs_Program *program,
                     ecs_World *twin, const ecs_ProgramCall *call);
void reference_end(Reference *reference);

/* Runs one row. columns[k] is the row's element of column k; NULL: it is
 * absent. Stores reach it when the row is done. */
void reference_row(Reference *reference, ecs_Entity entity,
                   void *const *columns);

/* The value of reduction r over all rows so far. */
double reference_reduction(const Reference *reference, uint32_t r);

/* Single operations, rounded to their type, and what a field reads after a
 * store. */
double reference_unary(Operation operation, ValueType type, double x);
double reference_binary(Operation operation, ValueType type, double a,
                        double b);
double reference_stored(ecs_Scalar scalar, double number);

#endif
