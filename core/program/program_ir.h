/* program_ir.h: kernel programs: straight-line code over a query's rows.
 *
 * A program says what happens to one row, and every row is treated alike. It
 * has no jumps: branches have been turned into selects and masks. Each value is
 * defined once, by the instruction that computes it:
 *
 *      column c0 "Position" "x" f32 write
 *      column c1 "Velocity" "x" f32 read
 *      uniform u0 number
 *      v0 = load f32 c0
 *      v1 = load f32 c1
 *      v2 = uniform f32 u0
 *      v3 = mul f32 v1 v2
 *      v4 = add f32 v0 v3
 *      store c0 v4
 *
 * program_parse.h reads this text and program_print.h writes it. Every program
 * enters as text and is verified before it runs: operands are defined, types
 * are right, and columns are written only where the query writes. So no program
 * reads or writes outside its columns, wherever its text comes from.
 *
 * Columns that are declared one after the other, of one component and type, are
 * read and stored in by number, too:
 *
 *      v5 = element f32 c2 c11 v4      c2 where v4 is 1, c3 where it is 2 ...
 *      scatter c2 c11 v4 v6            stores v6 there
 *
 * A load reads what the row held before the program. Stores take effect at the
 * end of the program: a load that follows a store to its column is refused, so
 * the difference cannot be seen. Rows do not see each other. An exit comes
 * before all other effects: those of its row, and of the rows behind it, do not
 * happen in this run.
 *
 * Arrays of the world are what rows do see of each other: an element reads as
 * the rows before have put it, but not this row. So what a row puts takes effect
 * at its end, too.
 *
 * The only way back is a **cycle**, the code from a repeat to its again. Rows go
 * through it in turns, until each has left it; a row that has left waits for the
 * others. What one turn leaves to the next is a carry, of which a cycle has any
 * number, directly behind its repeat. They alone can be used behind the cycle:
 *
 *      repeat v9                   rows where v9 is false stay out
 *      v10 = carry f32 v4          v4 in the first turn
 *      v11 = lt f32 v10 v5
 *      while v11                   rows where it is false leave
 *      v12 = add f32 v10 v6
 *      next v10 v12                v12 in the next turn, and behind the cycle
 *      again
 *
 * Cycles may be nested. All effects but an exit come behind the last cycle, so a
 * block of rows can be begun anew (vm.h says when).
 *
 * Numbers are f32 or f64. Every operation rounds to its type, and no two are
 * contracted into one. Operations mean what they mean in Lua 5.4 if every
 * number is a float. In f32, + - * / negation, abs, sqrt, floor, ceil, min and
 * max work on f32; every other operation widens its operands to f64, computes,
 * and rounds once.
 */
#ifndef ECS_PROGRAM_IR_H
#define ECS_PROGRAM_IR_H

#include "kernel/kernel_binding.h"
#include "program/operation.h"
#include "program/program_part.h"

/* No value, instruction or column: never a valid number of one. */
#define NO_VALUE UINT32_MAX

/* The most operands of an instruction; and none of them. */
#define OPERANDS 5u
#define NO_OPERANDS \
  { NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE }

typedef struct Instruction {
  uint8_t operation;
  uint8_t type;    /* ValueType that the text names, or VALUE_F64; of a put
                           or scatter that of the value; that of the result is
                           instruction_result */
  uint8_t scalar;  /* ecs_Scalar, of SHAPE_QUANTIZE only */
  uint32_t result; /* the value it defines; NO_VALUE: it is an effect */
  uint32_t operands[OPERANDS]; /* values, then NO_VALUE; the optional mask of
                                  an effect comes last */
  uint32_t index;              /* of a column, uniform, array, reduction or
                           component */
  uint32_t field;  /* index into the component's fields, of SHAPE_GET and
                      SHAPE_FOUND_GET; of a near the number of its list, which
                      is also that of an nth of it; of SHAPE_ELEMENT and
                      SHAPE_SCATTER the last column */
  uint32_t grid;   /* that it asks */
  uint32_t line;   /* of the text, from 1, for messages */
  double constant; /* of SHAPE_CONSTANT; a bool is 0 or 1, an entity 0 */
} Instruction;

typedef enum UniformKind {
  UNIFORM_NUMBER,
  UNIFORM_BOOL,
  UNIFORM_ENTITY
} UniformKind;

/* Added to the kind of a uniform that is the same in all parts of a run. */
#define UNIFORM_FIXED 4u

/* How a program runs; complete in vm_plan.h. */
typedef struct ProgramPlan ProgramPlan;

/* The changes that a program makes; complete in vm_changes.c. */
typedef struct ProgramChanges ProgramChanges;

/* Rows of grids that are near; complete in vm_near.h. */
typedef struct ProgramNear ProgramNear;

/* Rows computed behind an exit; complete in vm_ahead.h. */
typedef struct ProgramAhead ProgramAhead;

/* Plans for several threads; complete in vm_parallel.c. */
typedef struct ProgramParallel ProgramParallel;

/* May a program run over rows that its query does not name? See vm_sifting.h.
 * Costs are in units of 0.05 ns. */
typedef struct ProgramSifting {
  uint64_t stored;       /* bit k: it stores into column k */
  uint32_t stored_count; /* of these */
  uint32_t cost;         /* of computing a row */
  uint64_t version;      /* of the group, when it was last asked if it pays */
  bool possible;
} ProgramSifting;

/* Of all runs so far that read an array in which they have put. */
typedef struct ProgramMeetings {
  uint64_t rows;
  uint64_t slices; /* of several rows (vm_puts.h) */
  uint64_t alone;  /* rows that were run one by one */
} ProgramMeetings;

struct ecs_Program {
  ecs_Query *query;          /* borrowed; it destroys its programs */
  ecs_Program *next;         /* program of the same query; NULL: the last */
  ecs_KernelColumn *columns; /* owned; their names belong to schemas */
  uint8_t *uniforms;         /* UniformKind of each, UNIFORM_FIXED added; owned
                              */
  uint8_t *reductions;       /* OPERATION_SUM to OPERATION_HIGHEST; owned */
  uint8_t *arrays;           /* UniformKind of each one's elements, and an
                                ecs_Scalar, see array_scalar; owned */
  uint8_t *grids;            /* dimensions of each; owned */
  Instruction *code;         /* owned */
  uint8_t *types;            /* ValueType of each value; owned */
  uint32_t column_count, column_capacity;
  uint32_t uniform_count, uniform_capacity;
  uint32_t reduction_count, reduction_capacity;
  uint32_t array_count, array_capacity;
  uint32_t grid_count, grid_capacity;
  uint32_t near_count; /* of OPERATION_NEAR, each of which has a list */
  uint32_t code_count, code_capacity;
  uint32_t value_count, value_capacity; /* of types */
  uint32_t cycle_count;                 /* number of OPERATION_REPEAT */
  bool changes_structure;               /* it adds, removes or destroys */
  bool changes_first; /* its changes are made before anything is stored: they
                         may stop the run, or end a block (vm_changes.h) */
  bool shows_sets;    /* it looks up a component that it sets in others */
  bool destroys;      /* it has OPERATION_DESTROY */
  bool asks_alive;    /* it has OPERATION_ALIVE */
  bool sees_puts;     /* it reads an array that it may store in: one of the
                         same type */
  uint32_t puts;      /* of which types the arrays are that it stores in, see
                         array_bit */
  bool exits;         /* it has OPERATION_EXIT */
  bool exits_by_row;  /* which rows take it follows from their
                                           columns, uniforms and arrays: no
                                           look-ups */
  bool
      exits_locally; /* and these uniforms are fixed, and there are no arrays */
  const ProgramPart *primed;  /* the registers hold the uniforms of
                                 this part; NULL: of none */
  ecs_Kernel kernel;          /* the program as kernel_binding.h sees it */
  ecs_KernelBinding *binding; /* owned; NULL until program_bind */
  ProgramPlan *plan;          /* owned; NULL until program_plan */
  ecs_Program *whole;         /* the program as it is planned, with whole
                                 numbers in 32 bits (program_whole.h): code and
                                 types are its own, all else is borrowed;
                                 owned; NULL: it is planned as it is */
  ecs_Program *assumed[2];    /* the program where none of its optional columns
                                 is there, and where all are, planned
                                 (program_presence.h); owned; NULL: it runs as
                                 it is */
  ProgramChanges *changes;    /* owned; NULL unless changes_first */
  ProgramNear *near;          /* owned; NULL: it has no OPERATION_NEAR */
  ProgramAhead *ahead;        /* owned; NULL: it computes nothing ahead */
  ProgramSifting sifting;     /* set by program_bind */
  const char *alone;          /* why it runs on one thread, a constant; NULL: it
                                 may run on several */
  ProgramParallel *parallel;  /* owned; NULL: it has run on one thread only */
  ProgramMeetings meetings;   /* of all its runs */
};

/* A message that says what is wrong with a program. */
typedef struct Mistake {
  char *text;      /* room for the message, borrowed; NULL: none is wanted */
  size_t capacity; /* bytes of text, the final 0 included */
} Mistake;

/* Writes "line 3: " and the formatted rest into the mistake, cut to its
 * capacity. Line 0 leaves the prefix out. Control bytes become '?', because the
 * message may quote the program. */
ECS_INTERNAL void mistake_write(const Mistake *mistake, uint32_t line,
                                const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Frees the arrays of a program, not the program itself. Its plan must be
 * destroyed before. */
ECS_INTERNAL void program_deinit(ecs_Program *program);

/* Checks that a parsed program can run. Returns ECS_OK, or ECS_E_PROGRAM with
 * the mistake written. Does not check what the parser guarantees: that every
 * column, uniform, reduction, component and field that is named exists. Cost:
 * linear in the code, quadratic in the columns. */
ECS_INTERNAL ecs_Status program_verify(const ecs_Program *program,
                                       const Mistake *mistake);

/* The type of an instruction's result; for an effect, its own type. */
ECS_INTERNAL ValueType instruction_result(const Instruction *ins);

/* The program whose values, instructions and types those of the plan are. */
static inline const ecs_Program *program_planned(const ecs_Program *program) {
  return program->whole != NULL ? program->whole : program;
}

static inline UniformKind uniform_kind(const ecs_Program *program,
                                       uint32_t uniform) {
  return (UniformKind)(program->uniforms[uniform] & ~UNIFORM_FIXED);
}

/* What the elements of an array are; and as which type they lie in an array of
 * the world, ECS_SCALAR_COUNT where they are given to each run. */
static inline UniformKind array_kind(const ecs_Program *program,
                                     uint32_t array) {
  return (UniformKind)(program->arrays[array] & 3u);
}
static inline ecs_Scalar array_scalar(const ecs_Program *program,
                                      uint32_t array) {
  uint32_t scalar = program->arrays[array] >> 2;
  return scalar == 0 ? ECS_SCALAR_COUNT : (ecs_Scalar)(scalar - 1);
}

/* The bit of puts for the type of an array; 0: it is not one of the world. */
static inline uint32_t array_bit(const ecs_Program *program, uint32_t array) {
  uint32_t scalar = program->arrays[array] >> 2;
  return scalar == 0 ? 0 : 1u << (scalar - 1);
}

/* Can a row see what an earlier row changes: that an entity is destroyed, or a
 * value that was set? Then a block ends with the first row that changes
 * anything. */
static inline bool program_goes_row_by_row(const ecs_Program *program) {
  return (program->destroys && program->asks_alive) || program->shows_sets;
}

/* What the operation of an instruction takes. */
static inline OperationShape instruction_shape(const Instruction *ins) {
  return operation_infos[ins->operation].shape;
}

/* Does it read elements that the program may store: are two arrays of a type
 * one? Each run knows. */
static inline bool instruction_sees_puts(const ecs_Program *program,
                                         const Instruction *ins) {
  return instruction_shape(ins) == SHAPE_AT &&
         (program->puts & array_bit(program, ins->index)) != 0;
}

/* The columns that it reads or stores in are those from index on; how many? */
static inline uint32_t instruction_columns(const Instruction *ins) {
  switch (instruction_shape(ins)) {
    case SHAPE_LOAD:
    case SHAPE_PRESENT:
    case SHAPE_STORE: return 1;
    case SHAPE_ELEMENT:
    case SHAPE_SCATTER: return ins->field - ins->index + 1;
    default: return 0;
  }
}

/* Is a column one that it reads the elements of, or that it stores in? */
static inline bool instruction_reads(const Instruction *ins, uint32_t column) {
  OperationShape shape = instruction_shape(ins);
  return (shape == SHAPE_LOAD || shape == SHAPE_ELEMENT) &&
         column - ins->index < instruction_columns(ins);
}
static inline bool instruction_stores(const Instruction *ins, uint32_t column) {
  OperationShape shape = instruction_shape(ins);
  return (shape == SHAPE_STORE || shape == SHAPE_SCATTER) &&
         column - ins->index < instruction_columns(ins);
}

/* Does it make a cycle: is it a repeat, while, next or again? */
static inline bool instruction_is_turn(const Instruction *ins) {
  return instruction_shape(ins) >= SHAPE_REPEAT &&
         instruction_shape(ins) <= SHAPE_AGAIN;
}

/* Does it ask a grid, or read what was found there? */
static inline bool instruction_is_near(const Instruction *ins) {
  return instruction_shape(ins) >= SHAPE_NEAR &&
         instruction_shape(ins) <= SHAPE_FOUND_GET;
}

/* Is it has or get, which need the row of another entity? */
static inline bool instruction_is_look(const Instruction *ins) {
  return instruction_shape(ins) == SHAPE_HAS ||
         instruction_shape(ins) == SHAPE_GET;
}

/* Is it a change that may stop the run, or an argument of one? */
static inline bool instruction_may_stop(const Instruction *ins) {
  OperationShape shape = instruction_shape(ins);
  return shape == SHAPE_SPAWN ||
         (shape >= SHAPE_PART && shape <= SHAPE_DESTROY_OTHER);
}

/* Does it change structure or set values of others, or is it an argument? */
static inline bool instruction_is_change(const Instruction *ins) {
  return instruction_shape(ins) == SHAPE_STRUCTURE ||
         instruction_shape(ins) == SHAPE_DESTROY || instruction_may_stop(ins);
}

#endif
