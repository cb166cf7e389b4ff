/* scalar.c: numbers into fields and out of them, for every scalar type.
 *
 *      number --- strict ------> status, or the element's bytes
 *             --- converting --> the element's bytes, always
 *      bytes  --- canonical ---> bytes a column may hold
 *
 * A float is rounded to nearest, ties to even, either way. Only converting
 * accepts a finite number that is too large for an f32; it becomes an infinity,
 * as it does in any C program and in compiled kernels.
 *
 * Elements are read and written with memcpy: the image of a caller need not be
 * aligned, and a column of floats is read as integers here.
 *
 * Invariant: scalar_canonicalize changes nothing that these functions store.
 */
#define ECS_DEFINES_API /* ecs.h */

#include "base/scalar.h"

#include <math.h>
#include <string.h>

#include "base/id.h"
#include "base/misuse.h"

/* Without its sign, a pattern above these is a NaN. */
#define INFINITY_F32 UINT32_C(0x7f800000)
#define INFINITY_F64 UINT64_C(0x7ff0000000000000)
#define WITHOUT_SIGN_F32 UINT32_C(0x7fffffff)
#define WITHOUT_SIGN_F64 UINT64_C(0x7fffffffffffffff)

typedef struct Kind {
  const char *name;
  uint32_t bytes;
  double lowest;
  double highest;
} Kind;

static const Kind kinds[ECS_SCALAR_COUNT] = {
#define KIND(type, name, bytes, lowest, highest) \
  [type] = {name, bytes, lowest, highest},
    ECS_SCALAR_LIST(KIND)
#undef KIND
};

/* Is it a type of this build? Bindings pass any integer. */
static bool is_known(ecs_Scalar type) {
  return (unsigned)type < (unsigned)ECS_SCALAR_COUNT;
}

static uint32_t quiet_f32(uint32_t bits) {
  return (bits & WITHOUT_SIGN_F32) > INFINITY_F32 ? SCALAR_QUIET_F32 : bits;
}

static uint64_t quiet_f64(uint64_t bits) {
  return (bits & WITHOUT_SIGN_F64) > INFINITY_F64 ? SCALAR_QUIET_F64 : bits;
}

static uint8_t zero_or_one(uint8_t byte) { return byte != 0; }

static uint64_t handle_or_null(uint64_t bits) {
  return bits >> SCALAR_ENTITY_BITS == 0 ? bits : 0;
}

/* Storing ----------------------------------------------------------------- */

static void write_f32(void *place, double value) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  bits = quiet_f32(bits);
  memcpy(place, &bits, sizeof bits);
}

static void write_f64(void *place, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = quiet_f64(bits);
  memcpy(place, &bits, sizeof bits);
}

/* Stores a number that is in the range of the type: an integer, bool or entity.
 * The low bytes of two's complement are the element whatever its sign. They
 * pass through a variable of its width, so that byte order does not matter. */
static void write_integer(ecs_Scalar type, void *place, int64_t number) {
  uint8_t byte = (uint8_t)number;
  uint16_t half = (uint16_t)number;
  uint32_t word = (uint32_t)number;
  switch (scalar_bytes(type)) {
    case 1: memcpy(place, &byte, sizeof byte); break;
    case 2: memcpy(place, &half, sizeof half); break;
    case 4: memcpy(place, &word, sizeof word); break;
    default: memcpy(place, &number, sizeof number); break;
  }
}

/* Stores any number as an f32 or f64. */
static void write_float(ecs_Scalar type, void *place, double value) {
  if (type == ECS_F32)
    write_f32(place, value);
  else
    write_f64(place, value);
}

/* Is it finite here but not as an f32? The largest numbers that round down to
 * the highest f32 still fit. */
static bool is_too_large(ecs_Scalar type, double value) {
  return type == ECS_F32 && isfinite(value) && isinf((float)value);
}

ecs_Status ecs_scalar_store(ecs_Scalar type, void *place, double value) {
  ECS_MISUSE_IF(place == NULL, "place is NULL");
  if (!is_known(type)) return ECS_E_ARGUMENT;
  if (scalar_is_float(type)) {
    if (is_too_large(type, value)) return ECS_E_VALUE;
    write_float(type, place, value);
    return ECS_OK;
  }
  /* Written so that a NaN is out of range; in range, the cast is defined. */
  const Kind *kind = &kinds[type];
  if (!(value >= kind->lowest && value <= kind->highest)) return ECS_E_VALUE;
  int64_t number = (int64_t)value;
  if ((double)number != value) return ECS_E_VALUE;
  write_integer(type, place, number);
  return ECS_OK;
}

/* The integer of the type that is nearest to the value, between it and 0. */
static int64_t saturated(ecs_Scalar type, double value) {
  const Kind *kind = &kinds[type];
  if (isnan(value)) return 0;
  if (value <= kind->lowest) return (int64_t)kind->lowest;
  if (value >= kind->highest) return (int64_t)kind->highest;
  return (int64_t)value;
}

void ecs_scalar_convert(ecs_Scalar type, void *place, double value) {
  ECS_MISUSE_IF(place == NULL, "place is NULL");
  if (!is_known(type)) return;
  if (scalar_is_float(type))
    write_float(type, place, value);
  else if (type == ECS_BOOL)
    write_integer(type, place, value != 0);
  else if (type == ECS_ENTITY)
    write_integer(type, place, id_is_handle(value) ? (int64_t)value : 0);
  else
    write_integer(type, place, saturated(type, value));
}

/* Loading ----------------------------------------------------------------- */

double ecs_scalar_load(ecs_Scalar type, const void *place) {
  ECS_MISUSE_IF(place == NULL, "place is NULL");
  switch (type) {
#define LOAD(scalar, c_type)                 \
  case scalar: {                             \
    c_type element;                          \
    memcpy(&element, place, sizeof element); \
    return (double)element;                  \
  }
    LOAD(ECS_F32, float)
    LOAD(ECS_F64, double)
    LOAD(ECS_I8, int8_t)
    LOAD(ECS_U8, uint8_t)
    LOAD(ECS_I16, int16_t)
    LOAD(ECS_U16, uint16_t)
    LOAD(ECS_I32, int32_t)
    LOAD(ECS_U32, uint32_t)
    LOAD(ECS_BOOL, uint8_t)
    LOAD(ECS_ENTITY, uint64_t)
    LOAD(ECS_STRING, uint32_t)
    LOAD(ECS_ANY_VALUE, uint32_t)
#undef LOAD
    case ECS_SCALAR_COUNT: break;
  }
  return 0;
}

uint32_t ecs_scalar_bytes(ecs_Scalar type) {
  return is_known(type) ? kinds[type].bytes : 0;
}

const char *ecs_scalar_name(ecs_Scalar type) {
  return is_known(type) ? kinds[type].name : "unknown";
}

/* Canonical form ---------------------------------------------------------- */

/* Is there a NaN? Nearly always there is none, and then nothing is stored. One
 * comparison tests two elements, one of either half (an odd one in the middle
 * is in both). The flag has the elements' type so that the compiler makes
 * vector code of the loop. */
#define HAS_NAN(name, c_type)                                          \
  static bool name(const void *elements, uint32_t count) {             \
    size_t half = (size_t)count - count / 2;                           \
    const unsigned char *low = elements;                               \
    const unsigned char *high = low + (count - half) * sizeof(c_type); \
    c_type found = 0;                                                  \
    for (size_t k = 0; k < half; k++) {                                \
      c_type one, other;                                               \
      memcpy(&one, low + k * sizeof one, sizeof one);                  \
      memcpy(&other, high + k * sizeof other, sizeof other);           \
      found = isunordered(one, other) ? 1 : found;                     \
    }                                                                  \
    return found != 0;                                                 \
  }
HAS_NAN(has_nan_f32, float)
HAS_NAN(has_nan_f64, double)
#undef HAS_NAN

/* Each loop stores every element, changed or not: without a branch the compiler
 * makes vector code of it. */
#define CANONICALIZE(name, c_type, canonical)              \
  static uint32_t name(void *elements, uint32_t count) {   \
    unsigned char *place = elements;                       \
    uint32_t changed = 0;                                  \
    for (size_t k = 0; k < count; k++) {                   \
      c_type bits;                                         \
      memcpy(&bits, place + k * sizeof bits, sizeof bits); \
      c_type kept = canonical(bits);                       \
      changed += kept != bits;                             \
      memcpy(place + k * sizeof bits, &kept, sizeof kept); \
    }                                                      \
    return changed;                                        \
  }
CANONICALIZE(canonicalize_f32s, uint32_t, quiet_f32)
CANONICALIZE(canonicalize_f64s, uint64_t, quiet_f64)
CANONICALIZE(canonicalize_bools, uint8_t, zero_or_one)
CANONICALIZE(canonicalize_entities, uint64_t, handle_or_null)
#undef CANONICALIZE

void scalar_canonicalize(ecs_Scalar type, void *element) {
  (void)ecs_scalar_canonicalize_many(type, element, 1);
}

uint32_t ecs_scalar_canonicalize_many(ecs_Scalar type, void *elements,
                                      uint32_t count) {
  switch (type) {
    case ECS_F32:
      return has_nan_f32(elements, count) ? canonicalize_f32s(elements, count)
                                          : 0;
    case ECS_F64:
      return has_nan_f64(elements, count) ? canonicalize_f64s(elements, count)
                                          : 0;
    case ECS_BOOL: return canonicalize_bools(elements, count);
    case ECS_ENTITY: return canonicalize_entities(elements, count);
    default: return 0; /* every pattern of an integer is canonical */
  }
}
