/* scalar.h: the types that a field can have, and how numbers are stored in one.
 *
 * A number is stored in one of two ways. Strict storing refuses a number that
 * the type cannot hold. Converting truncates towards zero and saturates, and
 * makes a NaN 0 in an integer. Both store a NaN in a float as the one quiet
 * NaN: a column never holds a NaN with a payload.
 */
#ifndef ECS_SCALAR_H
#define ECS_SCALAR_H

#include "base/config.h"
#include "base/invariant.h"
#include "ecs.h"

/* name, bytes, lowest, highest (as doubles; of floats their infinities) */
/* clang-format off */
#define ECS_SCALAR_LIST(X)                              \
  X(ECS_F32, "f32", 4, -HUGE_VAL, HUGE_VAL)             \
  X(ECS_F64, "f64", 8, -HUGE_VAL, HUGE_VAL)             \
  X(ECS_I8, "i8", 1, -128.0, 127.0)                     \
  X(ECS_U8, "u8", 1, 0.0, 255.0)                        \
  X(ECS_I16, "i16", 2, -32768.0, 32767.0)               \
  X(ECS_U16, "u16", 2, 0.0, 65535.0)                    \
  X(ECS_I32, "i32", 4, -2147483648.0, 2147483647.0)     \
  X(ECS_U32, "u32", 4, 0.0, 4294967295.0)               \
  X(ECS_BOOL, "bool", 1, 0.0, 1.0)                      \
  X(ECS_ENTITY, "entity", 8, 0.0, 4503599627370495.0)   \
  X(ECS_STRING, "string", 4, 0.0, 4294967295.0)         \
  X(ECS_ANY_VALUE, "any", 4, 0.0, 4294967295.0)
/* clang-format on */

/* The one NaN that columns hold. */
#define SCALAR_QUIET_F32 0x7fc00000u
#define SCALAR_QUIET_F64 UINT64_C(0x7ff8000000000000)

/* A handle has no bit at this position or above. */
#define SCALAR_ENTITY_BITS 52u

/* Bytes of one element: 1, 2, 4 or 8. The type must be one of the list. */
static inline uint32_t scalar_bytes(ecs_Scalar type) {
  static const uint8_t bytes[ECS_SCALAR_COUNT] = {4, 8, 1, 1, 2, 2,
                                                  4, 4, 1, 8, 4, 4};
  ECS_ASSERT((unsigned)type < (unsigned)ECS_SCALAR_COUNT);
  return bytes[type];
}

/* True: a field of this type has numbers of values that scripts hold; see
 * storage/held_values.h. */
static inline bool scalar_is_held(ecs_Scalar type) {
  return type == ECS_STRING || type == ECS_ANY_VALUE;
}

/* The type that programs have a field as: strings are the numbers that they are
 * held under. */
static inline ecs_Scalar scalar_plain(ecs_Scalar type) {
  return type == ECS_STRING ? ECS_U32 : type;
}

/* True: f32 or f64. */
static inline bool scalar_is_float(ecs_Scalar type) {
  return type == ECS_F32 || type == ECS_F64;
}

/* Makes one element canonical, as every column holds it: a NaN without payload,
 * a bool of 0 or 1, an entity of at most 52 bits (otherwise null). */
ECS_INTERNAL void scalar_canonicalize(ecs_Scalar type, void *element);

/* Makes count elements canonical and returns how many of them it changed.
 * Exported for bindings; not part of the interface that ecs.h promises. */
ECS_API uint32_t ecs_scalar_canonicalize_many(ecs_Scalar type, void *elements,
                                              uint32_t count);

#endif
