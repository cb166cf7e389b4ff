/* vm_elements.c: elements of columns that a key numbers, for a block of rows. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", \
                     "no-math-errno")
#endif

#include "program/vm_elements.h"

#include <math.h>

#include "program/vm_loop_macros.h"

/* Some columns, and a key for each row. */
typedef struct KeyedColumns {
  void *const *columns;
  double count;
  const double *keys;
  uint32_t rows;
} KeyedColumns;

static KeyedColumns keyed_columns(const ProgramPlan *plan, const Step *step,
                                  uint32_t rows) {
  return (KeyedColumns){&plan->bases[plan_column(plan, step->ins->index)],
                        (double)instruction_columns(step->ins),
                        plan->bases[step->operands[0]], rows};
}

/* Reading ----------------------------------------------------------------- */

/* Columns of one table are as far apart as each other. Returns how many elements
 * of so many bytes; 0: they are not, or too far to be numbered in 32 bits. */
static int32_t stride_of(const KeyedColumns *keyed, size_t bytes) {
  uint32_t count = (uint32_t)keyed->count;
  intptr_t first = (intptr_t)keyed->columns[0];
  if (count == 1) return 1;
  intptr_t stride = (intptr_t)keyed->columns[1] - first;
  for (uint32_t k = 2; k < count; k++)
    if ((intptr_t)keyed->columns[k] - first != (intptr_t)k * stride) return 0;
  stride /= (intptr_t)bytes;
  bool near = stride > -0x1000000 && stride < 0x1000000;
  return near && keyed->rows < 0x40000000 ? (int32_t)stride : 0;
}

/* An element is read whether the key numbers one or not; where columns are
 * equally far apart, loops gather. */
#define READ_LOOP(name, R, V, T)                                              \
  CLONES static void name##_table(R *to, const double *keys, const T *first,  \
                                  int32_t stride, double count, uint32_t n) { \
    ELEMENTWISE for (uint32_t i = 0; i < n; i++) {                            \
      const double x = keys[i];                                               \
      const int32_t key = (int32_t)(x >= 1.0 && x <= count ? x : 1.0);        \
      const T element = first[(key - 1) * stride + (int32_t)i];               \
      to[i] = (double)key == x ? (R)(V)element : (R)0;                        \
    }                                                                         \
  }                                                                           \
  static void name##_columns(R *to, const KeyedColumns *keyed) {              \
    void *const *columns = keyed->columns;                                    \
    const double *keys = keyed->keys, count = keyed->count;                   \
    for (uint32_t i = 0; i < keyed->rows; i++) {                              \
      const double x = keys[i];                                               \
      const int32_t key = (int32_t)(x >= 1.0 && x <= count ? x : 1.0);        \
      const T element = ((const T *)columns[key - 1])[i];                     \
      to[i] = (double)key == x ? (R)(V)element : (R)0;                        \
    }                                                                         \
  }                                                                           \
  static void name(R *to, const KeyedColumns *keyed) {                        \
    int32_t stride = stride_of(keyed, sizeof(T));                             \
    if (stride == 0)                                                          \
      name##_columns(to, keyed);                                              \
    else                                                                      \
      name##_table(to, keyed->keys, keyed->columns[0], stride, keyed->count,  \
                   keyed->rows);                                              \
  }

#define READ_NUMBER(name, T)         \
  READ_LOOP(name##_f32, float, T, T) \
  READ_LOOP(name##_f64, double, T, T)
READ_NUMBER(read_f32, float)
READ_NUMBER(read_f64, double)
READ_NUMBER(read_i8, int8_t)
READ_NUMBER(read_u8, uint8_t)
READ_NUMBER(read_i16, int16_t)
READ_NUMBER(read_u16, uint16_t)
READ_NUMBER(read_i32, int32_t)
/* By way of a double: the compiler's own way to f32 has a fused operation. */
READ_LOOP(read_u32_f32, float, double, uint32_t)
READ_LOOP(read_u32_f64, double, double, uint32_t)
READ_LOOP(read_bool, Truth, uint8_t, uint8_t)

#define READ_CASE(scalar, name) \
  case scalar:                  \
    if (type == VALUE_F32)      \
      name##_f32(out, &keyed);  \
    else                        \
      name##_f64(out, &keyed);  \
    break;

void elements_read(const ecs_Program *program, const ProgramPlan *plan,
                   const Step *step, uint32_t rows) {
  const KeyedColumns keyed = keyed_columns(plan, step, rows);
  ValueType type = (ValueType)step->ins->type;
  void *out = plan->bases[step->out];
  if (keyed.columns[0] == NULL) {
    memset(out, 0, (size_t)rows * value_bytes(type));
    return;
  }
  switch (program->columns[step->ins->index].type) {
    READ_CASE(ECS_F32, read_f32)
    READ_CASE(ECS_F64, read_f64)
    READ_CASE(ECS_I8, read_i8)
    READ_CASE(ECS_U8, read_u8)
    READ_CASE(ECS_I16, read_i16)
    READ_CASE(ECS_U16, read_u16)
    READ_CASE(ECS_I32, read_i32)
    READ_CASE(ECS_U32, read_u32)
    default: read_bool(out, &keyed); break;
  }
}

/* Storing ----------------------------------------------------------------- */

/* A loop over rows; value is the number of row i. */
#define STORE_LOOP(name, T, V, expression)                                \
  static void name(const KeyedColumns *keyed, const V *values,            \
                   const Truth *mask) {                                   \
    void *const *columns = keyed->columns;                                \
    const double *keys = keyed->keys, count = keyed->count;               \
    for (uint32_t i = 0; i < keyed->rows; i++) {                          \
      const double x = keys[i];                                           \
      if ((mask != NULL && mask[i] == 0) || !(x >= 1.0) || !(x <= count)) \
        continue;                                                         \
      const int32_t key = (int32_t)x;                                     \
      const V value = values[i];                                          \
      if ((double)key == x) ((T *)columns[key - 1])[i] = (T)(expression); \
    }                                                                     \
  }

#define STORE_WHOLE(name, T, least, greatest)              \
  STORE_LOOP(name##_f32, T, float,                         \
             whole_within((double)value, least, greatest)) \
  STORE_LOOP(name##_f64, T, double, whole_within(value, least, greatest))
STORE_WHOLE(store_i8, int8_t, -0x1p7, 0x1p7 - 1)
STORE_WHOLE(store_u8, uint8_t, 0, 0x1p8 - 1)
STORE_WHOLE(store_i16, int16_t, -0x1p15, 0x1p15 - 1)
STORE_WHOLE(store_u16, uint16_t, 0, 0x1p16 - 1)
STORE_WHOLE(store_i32, int32_t, -0x1p31, 0x1p31 - 1)
STORE_WHOLE(store_u32, uint32_t, 0, 0x1p32 - 1)
STORE_LOOP(store_f32_f32, float, float, value)
STORE_LOOP(store_f32_f64, float, double, value)
STORE_LOOP(store_f64_f32, double, float, value)
STORE_LOOP(store_f64_f64, double, double, value)
STORE_LOOP(store_bool, uint8_t, Truth, value != 0)

#define STORE_CASE(scalar, name)        \
  case scalar:                          \
    if (type == VALUE_F32)              \
      name##_f32(&keyed, values, mask); \
    else                                \
      name##_f64(&keyed, values, mask); \
    break;

void elements_store(const ecs_Program *program, const ProgramPlan *plan,
                    const Step *step, uint32_t rows) {
  const KeyedColumns keyed = keyed_columns(plan, step, rows);
  ValueType type = (ValueType)step->ins->type;
  const void *values = plan->bases[step->operands[1]];
  const Truth *mask = step->ins->operands[2] == NO_VALUE
                          ? NULL
                          : plan->bases[step->operands[2]];
  if (keyed.columns[0] == NULL) return;
  switch (program->columns[step->ins->index].type) {
    STORE_CASE(ECS_F32, store_f32)
    STORE_CASE(ECS_F64, store_f64)
    STORE_CASE(ECS_I8, store_i8)
    STORE_CASE(ECS_U8, store_u8)
    STORE_CASE(ECS_I16, store_i16)
    STORE_CASE(ECS_U16, store_u16)
    STORE_CASE(ECS_I32, store_i32)
    STORE_CASE(ECS_U32, store_u32)
    default: store_bool(&keyed, values, mask); break;
  }
}
