/* vm_arrays.c: looks elements of arrays up, for a block of rows. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", \
                     "no-math-errno")
#endif

#include "program/vm_arrays.h"

#include <math.h>

#include "base/id.h"
#include "program/vm_loops.h"
#include "program/vm_loop_macros.h"
#include "world/array_set.h"

/* A loop over keys. key is the key of a row if there is an element, and then
 * found is true; otherwise it is the first key. place is its index. */
#define LOOK_LOOP(name, R, T, expression)                                      \
  CLONES static void name(R *to, const double *keys, const T *elements,        \
                          const uint8_t *present, int32_t first, int32_t last, \
                          uint32_t n) {                                        \
    const double low = first, high = last;                                     \
    UNUSED(elements);                                                          \
    UNUSED(present);                                                           \
    ELEMENTWISE for (uint32_t i = 0; i < n; i++) {                             \
      const double x = keys[i];                                                \
      const int32_t key = (int32_t)(x >= low && x <= high ? x : low);          \
      const bool found = (double)key == x;                                     \
      const uint32_t place = (uint32_t)key - (uint32_t)first;                  \
      to[i] = (R)(expression);                                                 \
    }                                                                          \
  }

/* An element that is read whether it is found or not, so that loops gather. It
 * belongs to the caller: a NaN loses its payload. */
static inline double pick(bool found, double element) {
  const double plain = element != element ? (double)NAN : element;
  return found ? plain : 0.0;
}

/* The handle that an element is; null where it is none (id_is_handle). Below
 * 2^52, the last bits of 2^52 + x are the whole number x. */
static inline uint64_t handle(bool found, double x) {
  const double sum = x + 0x1p52;
  const bool whole = found & (x >= 0.0) & (x < 0x1p52) & (sum - 0x1p52 == x);
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  return whole ? bits & ((UINT64_C(1) << 52) - 1) : 0;
}

LOOK_LOOP(look_f32, float, double, pick(found, elements[place]))
LOOK_LOOP(look_f64, double, double, pick(found, elements[place]))
LOOK_LOOP(look_bool, Truth, double, (elements[place] != 0.0) & found)
LOOK_LOOP(look_entity, uint64_t, double, handle(found, elements[place]))
LOOK_LOOP(look_key, Truth, double, ((void)place, found))
LOOK_LOOP(look_present, Truth, double, (present[place] != 0) & found)

/* Elements of each type, as either. What lies in memory is canonical, unless a C
 * program has stored another NaN. */
#define LOOK_TYPE(name, T)                                                     \
  LOOK_LOOP(look_##name##_f32, float, T, pick(found, (double)elements[place])) \
  LOOK_LOOP(look_##name##_f64, double, T, pick(found, (double)elements[place]))
LOOK_TYPE(of_f32, float)
LOOK_TYPE(of_i8, int8_t)
LOOK_TYPE(of_u8, uint8_t)
LOOK_TYPE(of_i16, int16_t)
LOOK_TYPE(of_u16, uint16_t)
LOOK_TYPE(of_i32, int32_t)
LOOK_TYPE(of_u32, uint32_t)
LOOK_LOOP(look_of_bool, Truth, uint8_t, (elements[place] != 0) & found)

#define LOOK_CASE(scalar, name, T)                                    \
  case scalar:                                                        \
    if (type == VALUE_F32)                                            \
      look_##name##f32(out, keys, (const T *)from, NULL, 1, last, n); \
    else                                                              \
      look_##name##f64(out, keys, (const T *)from, NULL, 1, last, n); \
    break;

/* The same for an array of the world. */
static void look_in_place(const ecs_Array *array, ValueType type, bool inside,
                          void *out, const double *keys, uint32_t n) {
  const void *from = array->view.elements;
  int32_t last = (int32_t)array_count(array);
  if (inside) {
    look_key(out, keys, NULL, NULL, 1, last, n);
    return;
  }
  switch (array->type) {
    LOOK_CASE(ECS_F64, , double)
    LOOK_CASE(ECS_F32, of_f32_, float)
    LOOK_CASE(ECS_I8, of_i8_, int8_t)
    LOOK_CASE(ECS_U8, of_u8_, uint8_t)
    LOOK_CASE(ECS_I16, of_i16_, int16_t)
    LOOK_CASE(ECS_U16, of_u16_, uint16_t)
    LOOK_CASE(ECS_I32, of_i32_, int32_t)
    LOOK_CASE(ECS_U32, of_u32_, uint32_t)
    default: look_of_bool(out, keys, from, NULL, 1, last, n); break;
  }
}

static void look_inside(const ecs_ProgramArray *array, int32_t last, Truth *out,
                        const double *keys, uint32_t n) {
  if (array->present == NULL)
    look_key(out, keys, NULL, NULL, array->first, last, n);
  else
    look_present(out, keys, NULL, array->present, array->first, last, n);
}

void array_look(const Instruction *ins, const ecs_ProgramArray *array,
                void *out, const double *keys, uint32_t n) {
  const double *from = array->elements;
  int32_t first = array->first;
  int32_t last = (int32_t)((int64_t)first + array->count - 1);
  ValueType type = instruction_result(ins);
  bool inside = instruction_shape(ins) == SHAPE_INSIDE;
  if (array->array != NULL) {
    look_in_place(array->array, type, inside, out, keys, n);
    return;
  }
  ECS_ASSERT(array->count <= ECS_ARRAY_LIMIT);
  if (array->count == 0) {
    memset(out, 0, (size_t)n * value_bytes(type));
  } else if (inside) {
    look_inside(array, last, out, keys, n);
  } else {
    switch (type) {
      case VALUE_F32: look_f32(out, keys, from, NULL, first, last, n); break;
      case VALUE_F64: look_f64(out, keys, from, NULL, first, last, n); break;
      case VALUE_BOOL: look_bool(out, keys, from, NULL, first, last, n); break;
      default: look_entity(out, keys, from, NULL, first, last, n); break;
    }
  }
}

/* The key at indices, from those in keys and one more; size: of the last. Keys
 * are below 2^30, as elements are, so doubles compute them exactly. */
CLONES static void index_keys(double *to, const double *keys, const double *x,
                              double most, double size, uint32_t n) {
  ELEMENTWISE for (uint32_t i = 0; i < n; i++) {
    const double a = keys[i], b = x[i];
    const double one = a >= 1.0 && a <= most ? a : 0.5; /* 0.5 is not whole */
    const double two = b >= 1.0 && b <= size ? b : 0.5;
    const double whole = (double)(int32_t)one, last = (double)(int32_t)two;
    const double key = whole == one ? (one - 1.0) * size + two : 0.0;
    to[i] = last == two ? key : 0.0;
  }
}

void array_index(const ecs_ProgramArray *array, double *out, const double *x,
                 const double *y, const double *z, uint32_t n) {
  const uint32_t *sizes = array->array->view.sizes;
  double rows = (double)sizes[0], columns = (double)sizes[1];
  index_keys(out, x, y, rows, columns, n);
  if (z != NULL) index_keys(out, out, z, rows * columns, (double)sizes[2], n);
}

/* Is what is given what the program declares? */
static bool is_declared(const ecs_Program *program, uint32_t k,
                        const ecs_Array *array) {
  ecs_Scalar scalar = array_scalar(program, k);
  if (scalar == ECS_SCALAR_COUNT) return array == NULL;
  return array != NULL && array->type == scalar &&
         array->memory == &program->query->store->memory;
}

ecs_Status arrays_check(const ecs_Program *program,
                        const ecs_ProgramCall *call) {
  for (uint32_t k = 0; k < call->array_count; k++) {
    const ecs_ProgramArray *array = &call->arrays[k];
    if (!is_declared(program, k, array->array)) return ECS_E_ARGUMENT;
    if (array->array != NULL) continue;
    if (array->count > ECS_ARRAY_LIMIT) return ECS_E_LIMIT;
    if (array->count > 0 &&
        (array->elements == NULL ||
         (int64_t)array->first + array->count - 1 > INT32_MAX))
      return ECS_E_ARGUMENT;
  }
  return ECS_OK;
}
