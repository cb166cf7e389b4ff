/* vm_row_steps.c: runs the steps of a plan row by row. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", \
                     "no-math-errno")
#endif

#include "program/vm_row_steps.h"

#include <math.h>

#include "program/vm_arrays.h"
#include "world/array_set.h"

/* Codes -------------------------------------------------------------------- */

/* Operations with cases of their own, in f32 and f64, and an expression of the
 * operands x and y. They are those of vm_loops.c. */
#define ROW_ARITHMETIC(X) \
  X(PLUS, x + y)          \
  X(MINUS, x - y)         \
  X(TIMES, x *y)          \
  X(DIVIDE, x / y) X(MINIMUM, y < x ? y : x) X(MAXIMUM, x < y ? y : x)
#define ROW_COMPARISONS(X) X(LESS, x < y) X(LESS_EQUAL, x <= y) X(EQUAL, x == y)

enum RowCode {
#define CODE(name, expression) ROW_##name##_F32, ROW_##name##_F64,
  ROW_ARITHMETIC(CODE) ROW_COMPARISONS(CODE)
#undef CODE
      ROW_AND,
  ROW_OR,
  ROW_NOT,
  ROW_SELECT_WORD, /* elements of 4 bytes */
  ROW_SELECT_TWIN, /* of 8 */
  ROW_QUANTIZE,    /* f64, as an integer field */
  ROW_COPY,        /* an f64 into a column of f64 */
  ROW_LOOP,        /* the step's loop, over one row */
  ROW_INDEX,
  ROW_LOOK, /* at and inside */
  ROW_AT,   /* f64 of an array of the world */
  ROW_EXIT,
  ROW_PUT,
  ROW_NONE /* it cannot be run here */
};

/* Is it the loop of its operation, in any form? A step that computes a product,
 * too, has another. */
static bool is_own_loop(const Step *step) {
  const Instruction *ins = step->ins;
  if (ins->type > VALUE_ENTITY) return false;
  for (uint32_t form = 0; form < FORM_COUNT; form++)
    if (step->loop == loop_of((Operation)ins->operation, (ValueType)ins->type,
                              (LoopForm)form))
      return true;
  return false;
}

static uint32_t code_of_operation(const Instruction *ins) {
  ValueType type = (ValueType)ins->type;
  bool number = type <= VALUE_F64, wide = type == VALUE_F64;
  switch (ins->operation) {
#define CASE(name, expression) \
  case OPERATION_##name:       \
    return !number ? ROW_LOOP : wide ? ROW_##name##_F64 : ROW_##name##_F32;
    ROW_ARITHMETIC(CASE)
    ROW_COMPARISONS(CASE)
#undef CASE
    case OPERATION_AND: return ROW_AND;
    case OPERATION_OR: return ROW_OR;
    case OPERATION_NOT: return ROW_NOT;
    case OPERATION_SELECT:
      return value_bytes(type) == 4 ? ROW_SELECT_WORD : ROW_SELECT_TWIN;
    default: return ROW_LOOP;
  }
}

static bool is_integer(ecs_Scalar scalar) {
  return scalar >= ECS_I8 && scalar <= ECS_U32;
}

static uint32_t code_with_loop(const Step *step) {
  const Instruction *ins = step->ins;
  if (ins->operation == OPERATION_QUANTIZE)
    return ins->type == VALUE_F64 && is_integer((ecs_Scalar)ins->scalar)
               ? ROW_QUANTIZE
               : ROW_LOOP;
  if (ins->operation == OPERATION_STORE)
    return step->loop == loop_store(ECS_F64, VALUE_F64, false, KNOWN_NOTHING)
               ? ROW_COPY
               : ROW_LOOP;
  return instruction_shape(ins) < SHAPE_CONVERT && is_own_loop(step)
             ? code_of_operation(ins)
             : ROW_LOOP;
}

static uint32_t code_of(const Step *step, const ecs_ProgramCall *call) {
  const Instruction *ins = step->ins;
  if (step->loop != NULL) return code_with_loop(step);
  switch (instruction_shape(ins)) {
    case SHAPE_INDEX: return ROW_INDEX;
    case SHAPE_INSIDE: return ROW_LOOK;
    case SHAPE_AT:
      return ins->type == VALUE_F64 && call->arrays[ins->index].array != NULL
                 ? ROW_AT
                 : ROW_LOOK;
    case SHAPE_EXIT: return ROW_EXIT;
    case SHAPE_PUT: return ROW_PUT;
    default: return ROW_NONE;
  }
}

/* Finding ------------------------------------------------------------------ */

/* The bytes from row to row at a place. */
static uint32_t bytes_at(const ProgramPlan *plan, uint32_t place) {
  for (uint32_t k = 0; k < plan->moving_count; k++)
    if (plan->moving[k].place == place) return plan->moving[k].bytes;
  return 0;
}

static bool has_array(const Instruction *ins) {
  OperationShape shape = instruction_shape(ins);
  return shape == SHAPE_INDEX || shape == SHAPE_AT || shape == SHAPE_INSIDE ||
         shape == SHAPE_PUT;
}

/* False: it cannot be run row by row, or a column is absent. */
static bool find_step(RowStep *row, const ProgramPlan *plan,
                      const ecs_ProgramCall *call, const Step *step) {
  *row = (RowStep){
      .code = code_of(step, call), .loop = step->loop, .ins = step->ins};
  if (row->code == ROW_NONE) return false;
  row->out = plan->bases[step->out];
  row->bytes[0] = bytes_at(plan, step->out);
  for (uint32_t k = 0; k < OPERANDS; k++) {
    bool none = step->loop == NULL && step->ins->operands[k] == NO_VALUE;
    row->operands[k] = none ? NULL : plan->bases[step->operands[k]];
    row->bytes[1 + k] = none ? 0 : bytes_at(plan, step->operands[k]);
  }
  if (has_array(step->ins)) {
    row->array = &call->arrays[step->ins->index];
    if (row->array->array != NULL)
      row->last = (double)array_count(row->array->array);
  }
  return step->loop == NULL || (row->out != NULL && row->operands[0] != NULL);
}

void row_steps_find(RowSteps *steps, const ProgramPlan *plan,
                    const ecs_ProgramCall *call) {
  uint32_t own = plan->step_count - plan->split;
  steps->count = 0;
  if (own + plan->put_count > ROW_STEP_LIMIT) return;
  for (uint32_t k = 0; k < own + plan->put_count; k++) {
    const Step *step =
        k < own ? &plan->steps[plan->split + k] : &plan->puts[k - own];
    if (!find_step(&steps->list[k], plan, call, step)) return;
  }
  steps->count = own + plan->put_count;
}

/* Elements ----------------------------------------------------------------- */

/* Reads element k of an array as its elements are looked at (vm_arrays.h). */
static inline double read_element(const ecs_Array *array, uint32_t k) {
  const void *elements = array->view.elements;
  double x;
  switch (array->type) {
    case ECS_F32: x = (double)((const float *)elements)[k]; break;
    case ECS_F64: x = ((const double *)elements)[k]; break;
    case ECS_I8: return (double)((const int8_t *)elements)[k];
    case ECS_U8: return (double)((const uint8_t *)elements)[k];
    case ECS_I16: return (double)((const int16_t *)elements)[k];
    case ECS_U16: return (double)((const uint16_t *)elements)[k];
    case ECS_I32: return (double)((const int32_t *)elements)[k];
    default: return (double)((const uint32_t *)elements)[k];
  }
  return x != x ? (double)NAN : x;
}

/* A number within limits, towards zero; NaN is 0. */
static inline int64_t whole_within(double x, double least, double greatest) {
  if (x != x) return 0;
  return (int64_t)(x < least ? least : x > greatest ? greatest : x);
}

static inline int64_t whole_of(ecs_Scalar scalar, double x) {
  switch (scalar) {
    case ECS_I8: return whole_within(x, -0x1p7, 0x1p7 - 1);
    case ECS_U8: return whole_within(x, 0, 0x1p8 - 1);
    case ECS_I16: return whole_within(x, -0x1p15, 0x1p15 - 1);
    case ECS_U16: return whole_within(x, 0, 0x1p16 - 1);
    case ECS_I32: return whole_within(x, -0x1p31, 0x1p31 - 1);
    default: return whole_within(x, 0, 0x1p32 - 1);
  }
}

/* Stores a number, as puts_run does. */
static inline void write_element(const ecs_Array *array, uint32_t k, double x) {
  void *elements = array->view.elements;
  ecs_Scalar scalar = array->type;
  switch (scalar) {
    case ECS_F32:
      ((float *)elements)[k] = x != x ? (float)NAN : (float)x;
      break;
    case ECS_F64: ((double *)elements)[k] = x != x ? (double)NAN : x; break;
    case ECS_I8:
    case ECS_U8: ((uint8_t *)elements)[k] = (uint8_t)whole_of(scalar, x); break;
    case ECS_I16:
    case ECS_U16:
      ((uint16_t *)elements)[k] = (uint16_t)whole_of(scalar, x);
      break;
    default: ((uint32_t *)elements)[k] = (uint32_t)whole_of(scalar, x); break;
  }
}

/* The number of the element of a key, from 1; 0: there is none. */
static inline uint32_t element_of(const RowStep *step, double key) {
  if (!(key >= 1.0) || !(key <= step->last)) return 0;
  uint32_t k = (uint32_t)key;
  return (double)k == key ? k : 0;
}

/* Rows --------------------------------------------------------------------- */

static inline const char *operand(const RowStep *step, uint32_t k, uint32_t i) {
  return step->operands[k] + (size_t)i * step->bytes[1 + k];
}

static inline char *result(const RowStep *step, uint32_t i) {
  return step->out + (size_t)i * step->bytes[0];
}

static inline double f64_of(const RowStep *step, uint32_t k, uint32_t i) {
  return *(const double *)(const void *)operand(step, k, i);
}

static inline float f32_of(const RowStep *step, uint32_t k, uint32_t i) {
  return *(const float *)(const void *)operand(step, k, i);
}

static inline uint32_t word_of(const RowStep *step, uint32_t k, uint32_t i) {
  return *(const uint32_t *)(const void *)operand(step, k, i);
}

static void put_one(const RowStep *step, uint32_t i) {
  const ecs_Array *array = step->array->array;
  uint32_t k = element_of(step, f64_of(step, 0, i));
  if (k == 0 || (step->operands[2] != NULL && word_of(step, 2, i) == 0)) return;
  if (array->type == ECS_BOOL)
    ((uint8_t *)array->view.elements)[k - 1] = word_of(step, 1, i) != 0;
  else
    write_element(array, k - 1,
                  step->ins->type == VALUE_F32 ? (double)f32_of(step, 1, i)
                                               : f64_of(step, 1, i));
}

static inline void at_one(const RowStep *step, uint32_t i) {
  uint32_t k = element_of(step, f64_of(step, 0, i));
  *(double *)(void *)result(step, i) =
      k == 0 ? 0.0 : read_element(step->array->array, k - 1);
}

static void index_one(const RowStep *step, uint32_t i) {
  const void *z = step->operands[2] == NULL ? NULL : operand(step, 2, i);
  array_index(step->array, (void *)result(step, i),
              (const void *)operand(step, 0, i),
              (const void *)operand(step, 1, i), z, 1);
}

static void loop_one(const RowStep *step, uint32_t i) {
  const void *b = step->operands[1] == NULL ? NULL : operand(step, 1, i);
  const void *c = step->operands[2] == NULL ? NULL : operand(step, 2, i);
  step->loop(result(step, i), operand(step, 0, i), b, c, 1);
}

static inline void select_one(const RowStep *step, uint32_t i, size_t bytes) {
  memcpy(result(step, i), operand(step, word_of(step, 0, i) ? 1 : 2, i), bytes);
}

#define WORD_RESULT *(uint32_t *)(void *)result(step, i)
#define TWIN_RESULT *(double *)(void *)result(step, i)

/* The case of an operation on elements of a type: TYPE of x and y, RESULT of
 * the expression. */
#define CASE_OF(name, TYPE, load, RESULT, expression)          \
  case name: {                                                 \
    const TYPE x = load(step, 0, i), y = load(step, 1, i);     \
    *(RESULT *)(void *)result(step, i) = (RESULT)(expression); \
    break;                                                     \
  }
#define ARITHMETIC_CASE(name, expression)                     \
  CASE_OF(ROW_##name##_F32, float, f32_of, float, expression) \
  CASE_OF(ROW_##name##_F64, double, f64_of, double, expression)
#define COMPARISON_CASE(name, expression)                        \
  CASE_OF(ROW_##name##_F32, float, f32_of, uint32_t, expression) \
  CASE_OF(ROW_##name##_F64, double, f64_of, uint32_t, expression)

/* Runs one row. False: it takes a side exit. */
static inline bool run_row(const RowSteps *steps, uint32_t i) {
  const RowStep *end = steps->list + steps->count;
  for (const RowStep *step = steps->list; step != end; step++) {
    switch (step->code) {
      ROW_ARITHMETIC(ARITHMETIC_CASE)
      ROW_COMPARISONS(COMPARISON_CASE)
      case ROW_AND:
        WORD_RESULT = word_of(step, 0, i) & word_of(step, 1, i);
        break;
      case ROW_OR:
        WORD_RESULT = word_of(step, 0, i) | word_of(step, 1, i);
        break;
      case ROW_NOT: WORD_RESULT = word_of(step, 0, i) ^ 1u; break;
      case ROW_SELECT_WORD: select_one(step, i, 4); break;
      case ROW_SELECT_TWIN: select_one(step, i, 8); break;
      case ROW_QUANTIZE:
        TWIN_RESULT =
            (double)whole_of((ecs_Scalar)step->ins->scalar, f64_of(step, 0, i));
        break;
      case ROW_COPY: TWIN_RESULT = f64_of(step, 0, i); break;
      case ROW_LOOP: loop_one(step, i); break;
      case ROW_INDEX: index_one(step, i); break;
      case ROW_LOOK:
        array_look(step->ins, step->array, result(step, i),
                   (const void *)operand(step, 0, i), 1);
        break;
      case ROW_AT: at_one(step, i); break;
      case ROW_EXIT:
        if (word_of(step, 0, i) != 0) return false;
        break;
      default: put_one(step, i); break;
    }
  }
  return true;
}

uint32_t row_steps_run(const RowSteps *steps, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++)
    if (!run_row(steps, i)) return i;
  return end;
}
