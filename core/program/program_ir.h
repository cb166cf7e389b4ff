/* program_ir.h: the kernel program: straight-line code over the rows of a query.
 *
 * A program says what happens to one row, for every row alike. There are no
 * jumps: whoever makes a program has turned branches into selects and masks.
 * Each value is defined once, by the instruction that computes it:
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
 * This is the text that program_parse.h reads and program_print.h writes. Every
 * program enters as text and is verified before it runs: operands are defined,
 * types are right, columns are written only where the query writes. Then no
 * program reads or writes outside its columns, whoever made it.
 *
 * Loads read what the row held before the program; stores happen at its end,
 * as far as anyone can tell: a load behind a store of its column is refused.
 * Rows do not see each other.
 *
 * Numbers are f32 or f64; every operation rounds to its type and none is
 * contracted. What the operations mean is what Lua 5.4 means with every number
 * a float; an f32 operation other than + - * / negation, abs, sqrt, floor,
 * ceil, min and max is the f64 one of the widened operands, rounded once.
 */
#ifndef ECS_PROGRAM_IR_H
#define ECS_PROGRAM_IR_H

#include "kernel/kernel_binding.h"
#include "program/operation.h"

#define NO_VALUE UINT32_MAX

typedef struct Instruction {
  uint8_t operation;
  uint8_t type;         /* ValueType of the operation, and of the result of
                             those whose result is not a bool */
  uint8_t scalar;       /* SHAPE_QUANTIZE: ecs_Scalar */
  uint32_t result;      /* NO_VALUE: an effect */
  uint32_t operands[3]; /* values; NO_VALUE where there is none. An optional
                             mask is the last of an effect's. */
  uint32_t index;       /* of a column, uniform, reduction or component */
  uint32_t field;       /* SHAPE_GET */
  uint32_t line;        /* of the text, for messages */
  double constant;      /* a bool: 0 or 1; an entity: 0 */
} Instruction;

typedef enum UniformKind {
  UNIFORM_NUMBER,
  UNIFORM_BOOL,
  UNIFORM_ENTITY
} UniformKind;

typedef struct ProgramPlan ProgramPlan; /* vm.h */

struct ecs_Program {
  ecs_Query *query;
  ecs_Program *next;         /* of the same query */
  ecs_KernelColumn *columns; /* names point into schemas */
  uint8_t *uniforms;         /* UniformKind */
  uint8_t *reductions;       /* Operation: SUM, LEAST or GREATEST */
  Instruction *code;
  uint8_t *types; /* ValueType by value */
  uint32_t column_count, column_capacity;
  uint32_t uniform_count, uniform_capacity;
  uint32_t reduction_count, reduction_capacity;
  uint32_t code_count, code_capacity;
  uint32_t value_count, value_capacity;
  bool changes_structure;    /* destroys, adds or removes */
  bool destroys, asks_alive; /* both: rows see who was destroyed before */
  ecs_Kernel kernel;         /* how kernel_binding.h sees it */
  ecs_KernelBinding *binding;
  ProgramPlan *plan; /* owned; vm.h */
};

/* What is wrong with a program, for people. */
typedef struct Mistake {
  char *text; /* capacity bytes, or NULL */
  size_t capacity;
} Mistake;

/* Writes "line 3: " and the rest into the mistake; line 0: no line. */
ECS_INTERNAL void mistake_write(const Mistake *mistake, uint32_t line,
                                const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Frees what a program holds, but for its plan and itself. */
ECS_INTERNAL void program_deinit(ecs_Program *program);

/* Is it a program that can run? ECS_E_PROGRAM and a mistake otherwise. What the
 * parser guarantees is not looked at: that indices of columns, uniforms,
 * reductions, components and fields exist. */
ECS_INTERNAL ecs_Status program_verify(const ecs_Program *program,
                                       const Mistake *mistake);

/* The type of an instruction's result; of an effect, the type it was given. */
ECS_INTERNAL ValueType instruction_result(const Instruction *ins);

/* What its operation takes. */
static inline OperationShape instruction_shape(const Instruction *ins) {
  return operation_infos[ins->operation].shape;
}

/* Does it add, remove or destroy? */
static inline bool instruction_is_change(const Instruction *ins) {
  return instruction_shape(ins) == SHAPE_STRUCTURE ||
         instruction_shape(ins) == SHAPE_DESTROY;
}

#endif
