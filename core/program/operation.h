/* operation.h: the operations of kernel programs, and the types of values.
 *
 * An operation has a name, which stands in the text of a program, and a shape,
 * which says what its operands are. Both come from the two lists below. To add
 * an operation, add it there, give it a loop (vm_loops.c) or a case in
 * vm_block.c, and describe it in docs/programs.md.
 */
#ifndef ECS_OPERATION_H
#define ECS_OPERATION_H

#include "base/scalar.h"

/* The most components that a program spawns an entity with. */
#define PART_LIMIT 64u

/* The types that texts name come first. */
typedef enum ValueType {
  VALUE_F32,
  VALUE_F64,
  VALUE_BOOL,
  VALUE_ENTITY,
  VALUE_TYPE_COUNT,
  VALUE_WHOLE = VALUE_TYPE_COUNT, /* an int32_t; see program_whole.h */
  VALUE_NATURAL                   /* a uint32_t, likewise */
} ValueType;

/* What follows an operation's name in the text. T is f32 or f64, v a value, c a
 * column, u a uniform, a an array, g a grid, r a reduction; -> is the type of the
 * result.
 *
 *   UNARY     T v          -> T         LOGIC     v v      bool -> bool
 *   BINARY    T v v        -> T         NEGATION  v        bool -> bool
 *   COMPARE   T v v        -> bool      SELECT    T v v v  bool, T, T -> T
 *   EQUAL and SELECT take any type for T. Effects have no result; their last
 *   operand is an optional mask, a bool. A cycle is the code from a repeat to its
 *   again; the instructions that make it have no result either, but for carries.
 *
 * The order counts: up to SHAPE_CONVERT, loop_of has the loop of an operation;
 * up to SHAPE_CONSTANT, a result follows from the operands alone; and from
 * SHAPE_UNIFORM to SHAPE_INSIDE, from them and from what the caller passes.
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
  SHAPE_QUANTIZE,  /* scalar T v: what a field reads after v was stored */
  SHAPE_CONSTANT,  /* type literal */
  SHAPE_LOAD,      /* type c */
  SHAPE_ELEMENT,   /* type c c v, an f64 from 1: a column of these; 0: none */
  SHAPE_PRESENT,   /* c -> bool: is the optional column there? */
  SHAPE_SELF,      /* nothing -> the row's entity */
  SHAPE_UNIFORM,   /* type u */
  SHAPE_INDEX,     /* a v v [v], f64s from 1 -> f64: a key; 0: outside */
  SHAPE_AT,        /* type a v, an f64: the element at this key; 0: none */
  SHAPE_INSIDE,    /* a v, an f64 -> bool: is there an element? */
  SHAPE_ALIVE,     /* v, an entity -> bool */
  SHAPE_HAS,       /* v, an entity, "Component" -> bool */
  SHAPE_GET,       /* type v "Component" "field": 0 if has is false */
  SHAPE_RANDOM,    /* v, an f64: draws made so far -> f64 in [0, 1) */
  SHAPE_NEAR,      /* g x y [z] radius, f64s -> f64: how many rows */
  SHAPE_NEAREST,   /* g x y [z] radius v, an entity -> f64: a place */
  SHAPE_ANY,       /* likewise -> bool */
  SHAPE_NTH,       /* v of a near, v, an f64 from 0 on -> f64: a place */
  SHAPE_FOUND,     /* g v, a place -> the entity there */
  SHAPE_FOUND_GET, /* type g v, a place, "Component" "field" */
  SHAPE_CARRY,     /* type v: v in the first turn, then as NEXT says */
  SHAPE_SPAWN,     /* [mask] -> the new entity; takes parts and gives */
  SHAPE_STORE,     /* c v [mask]: converts as a script's store does */
  SHAPE_SCATTER,   /* c c v v [mask]: a key as above, and what is stored */
  SHAPE_PUT,       /* a v v [mask]: a key, an f64, and what is stored */
  SHAPE_STRUCTURE, /* "Component" [mask] */
  SHAPE_DESTROY,   /* [mask] */
  SHAPE_PART,      /* "Component": of the spawn that follows */
  SHAPE_GIVE,      /* "Component" "field" v: for the change that follows */
  SHAPE_OTHER,     /* v, an entity, "Component" [mask]: takes gives */
  SHAPE_DESTROY_OTHER, /* v, an entity, [mask] */
  SHAPE_REDUCE,        /* r v [mask], v f64 */
  SHAPE_EXIT,   /* v, a bool: the run stops before a row in which it holds */
  SHAPE_REPEAT, /* [mask]: opens a cycle, for the rows of the mask */
  SHAPE_WHILE,  /* v, a bool: rows where it is false leave the cycle */
  SHAPE_NEXT,   /* v v: what the carry is in the next turn */
  SHAPE_AGAIN   /* [v]: closes a cycle; rows where v is false leave it */
} OperationShape;

/* The operations with a result come first, then the effects. X takes the name
 * of the enumerator, the name in the text, and the shape. */
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
  X(BITS_AND, "band", BINARY) X(BITS_OR, "bor", BINARY)                      \
  X(BITS_XOR, "bxor", BINARY)                                                \
  X(LESS, "lt", COMPARE) X(LESS_EQUAL, "le", COMPARE) X(EQUAL, "eq", EQUAL)  \
  X(AND, "and", LOGIC) X(OR, "or", LOGIC) X(NOT, "not", NEGATION)            \
  X(SELECT, "select", SELECT) X(CONVERT, "convert", CONVERT)                 \
  X(QUANTIZE, "quantize", QUANTIZE) X(CONSTANT, "constant", CONSTANT)        \
  X(LOAD, "load", LOAD) X(ELEMENT, "element", ELEMENT)                       \
  X(PRESENT, "present", PRESENT) X(SELF, "self", SELF)                       \
  X(UNIFORM, "uniform", UNIFORM) X(INDEX, "index", INDEX) X(AT, "at", AT)    \
  X(INSIDE, "inside", INSIDE) X(ALIVE, "alive", ALIVE)                       \
  X(HAS, "has", HAS) X(GET, "get", GET) X(RANDOM, "random", RANDOM)          \
  X(NEAR, "near", NEAR) X(NEAR_COUNT, "near_count", NEAR)                    \
  X(NEAREST, "nearest", NEAREST) X(NEAR_ANY, "near_any", ANY)                \
  X(NTH, "nth", NTH) X(FOUND, "found", FOUND)                                \
  X(FOUND_GET, "found_get", FOUND_GET)                                       \
  X(CARRY, "carry", CARRY) X(SPAWN, "spawn", SPAWN)

#define ECS_EFFECT_OPERATIONS(X)                                             \
  X(STORE, "store", STORE) X(SCATTER, "scatter", SCATTER)                    \
  X(PUT, "put", PUT) X(DESTROY, "destroy", DESTROY)                          \
  X(ADD, "add", STRUCTURE) X(REMOVE, "remove", STRUCTURE)                    \
  X(PART, "part", PART) X(GIVE, "give", GIVE) X(ADD_TO, "add_to", OTHER)     \
  X(SET_OF, "set_of", OTHER) X(REMOVE_FROM, "remove_from", OTHER)            \
  X(DESTROY_OTHER, "destroy_other", DESTROY_OTHER)                           \
  X(SUM, "sum", REDUCE) X(LEAST, "min", REDUCE) X(GREATEST, "max", REDUCE)   \
  X(TOTAL, "total", REDUCE) X(LOWEST, "lowest", REDUCE)                      \
  X(HIGHEST, "highest", REDUCE)                                              \
  X(EXIT, "exit", EXIT) X(REPEAT, "repeat", REPEAT)                          \
  X(WHILE, "while", WHILE) X(NEXT, "next", NEXT) X(AGAIN, "again", AGAIN)
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

/* Does a reduction of this kind take the numbers in the order of rows, from the
 * value on that the caller gives it? */
static inline bool operation_is_ordered(uint8_t operation) {
  return operation >= OPERATION_TOTAL && operation <= OPERATION_HIGHEST;
}

typedef struct OperationInfo {
  const char *name; /* in the text of programs */
  OperationShape shape;
} OperationInfo;

/* By Operation. */
ECS_INTERNAL extern const OperationInfo operation_infos[OPERATION_COUNT];

/* Both are for operations with a result: how many values an operation of this
 * shape takes, and whether its text names a type. */
ECS_INTERNAL uint32_t shape_operand_count(OperationShape shape);
ECS_INTERNAL bool shape_is_typed(OperationShape shape);

/* "f32", "f64", "bool" or "entity". */
ECS_INTERNAL const char *value_type_name(ValueType type);

/* Can a field of this scalar type be read as a value of that type? */
ECS_INTERNAL bool scalar_loads_as(ecs_Scalar scalar, ValueType type);

/* Can a value of that type be stored in a field of this scalar type? */
ECS_INTERNAL bool scalar_stores_as(ecs_Scalar scalar, ValueType type);

#endif
