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

typedef enum ValueType {
  VALUE_F32,
  VALUE_F64,
  VALUE_BOOL,
  VALUE_ENTITY,
  VALUE_TYPE_COUNT
} ValueType;

/* What follows an operation's name, and what its operands are. T: f32 or f64.
 *
 *   UNARY     T v          -> T         LOGIC     v v      bool -> bool
 *   BINARY    T v v        -> T         NEGATION  v        bool -> bool
 *   COMPARE   T v v        -> bool      SELECT    T v v v  bool, T, T -> T
 *   (EQUAL and SELECT take any type)    MASKED    [v]      an effect
 */
typedef enum OperationShape {
  SHAPE_UNARY,
  SHAPE_BINARY,
  SHAPE_COMPARE,
  SHAPE_EQUAL,
  SHAPE_LOGIC,
  SHAPE_NEGATION,
  SHAPE_SELECT,
  SHAPE_CONVERT,   /* T v of the other number type */
  SHAPE_QUANTIZE,  /* scalar T v: as a field would read after a store of v */
  SHAPE_CONSTANT,  /* type literal */
  SHAPE_LOAD,      /* type c */
  SHAPE_PRESENT,   /* c: is the optional column there? */
  SHAPE_SELF,      /* the row's entity */
  SHAPE_UNIFORM,   /* type u */
  SHAPE_ALIVE,     /* entity -> bool */
  SHAPE_HAS,       /* entity "Component" -> bool */
  SHAPE_GET,       /* type entity "Component" "field"; 0 where has is false */
  SHAPE_RANDOM,    /* f64, draws before this one -> f64 in [0, 1) */
  SHAPE_STORE,     /* c v [mask]: converts, as a store from a script does */
  SHAPE_STRUCTURE, /* "Component" [mask] */
  SHAPE_DESTROY,   /* [mask] */
  SHAPE_REDUCE     /* r v [mask], v f64 */
} OperationShape;

/* Values first: they have a result. */
/* clang-format off */
#define ECS_VALUE_OPERATIONS(X)                                              \
  X(NEGATE, "neg", UNARY) X(ABSOLUTE, "abs", UNARY)                          \
  X(FLOOR, "floor", UNARY) X(CEIL, "ceil", UNARY) X(ROOT, "sqrt", UNARY)     \
  X(SIN, "sin", UNARY) X(COS, "cos", UNARY) X(TAN, "tan", UNARY)             \
  X(ASIN, "asin", UNARY) X(ACOS, "acos", UNARY) X(ATAN, "atan", UNARY)       \
  X(EXP, "exp", UNARY) X(LOG, "log", UNARY)                                  \
  X(OWN_SIN, "xsin", UNARY) X(OWN_COS, "xcos", UNARY)                        \
  X(OWN_EXP, "xexp", UNARY) X(OWN_LOG, "xlog", UNARY)                        \
  X(PLUS, "add", BINARY) X(MINUS, "sub", BINARY) X(TIMES, "mul", BINARY)     \
  X(DIVIDE, "div", BINARY) X(MINIMUM, "min", BINARY)                         \
  X(MAXIMUM, "max", BINARY) X(FLOOR_DIVIDE, "floordiv", BINARY)              \
  X(MODULO, "mod", BINARY) X(REMAINDER, "fmod", BINARY)                      \
  X(POWER, "pow", BINARY) X(ATAN2, "atan2", BINARY)                          \
  X(OWN_POWER, "xpow", BINARY) X(OWN_ATAN2, "xatan2", BINARY)                \
  X(LESS, "lt", COMPARE) X(LESS_EQUAL, "le", COMPARE) X(EQUAL, "eq", EQUAL)  \
  X(AND, "and", LOGIC) X(OR, "or", LOGIC) X(NOT, "not", NEGATION)            \
  X(SELECT, "select", SELECT) X(CONVERT, "convert", CONVERT)                 \
  X(QUANTIZE, "quantize", QUANTIZE) X(CONSTANT, "constant", CONSTANT)        \
  X(LOAD, "load", LOAD) X(PRESENT, "present", PRESENT) X(SELF, "self", SELF) \
  X(UNIFORM, "uniform", UNIFORM) X(ALIVE, "alive", ALIVE)                    \
  X(HAS, "has", HAS) X(GET, "get", GET) X(RANDOM, "random", RANDOM)

#define ECS_EFFECT_OPERATIONS(X)                                             \
  X(STORE, "store", STORE) X(DESTROY, "destroy", DESTROY)                    \
  X(ADD, "add", STRUCTURE) X(REMOVE, "remove", STRUCTURE)                    \
  X(SUM, "sum", REDUCE) X(LEAST, "min", REDUCE) X(GREATEST, "max", REDUCE)
/* clang-format on */

/* clang-format off */
typedef enum Operation {
#define OPERATION(name, text, shape) OPERATION_##name,
  ECS_VALUE_OPERATIONS(OPERATION)
  ECS_EFFECT_OPERATIONS(OPERATION)
#undef OPERATION
  OPERATION_COUNT
} Operation;
/* clang-format on */

#define OPERATION_FIRST_EFFECT OPERATION_STORE

typedef struct OperationInfo {
  const char *name;
  OperationShape shape;
} OperationInfo;
ECS_INTERNAL extern const OperationInfo operation_infos[OPERATION_COUNT];

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

ECS_INTERNAL const char *value_type_name(ValueType type);

/* The type an operation gives. */
ECS_INTERNAL ValueType operation_result(const Instruction *instruction);

/* May a column of this scalar type be loaded as that? */
ECS_INTERNAL bool scalar_loads_as(ecs_Scalar scalar, ValueType type);

#endif
