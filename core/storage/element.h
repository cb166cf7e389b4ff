/* element.h: one element of a column, whatever its type.
 *
 * Columns are moved as cells: integers of the element's size, which may alias
 * any type. Values that come from outside are made canonical on their way in,
 * so that no NaN with a payload enters a column.
 */
#ifndef ECS_ELEMENT_H
#define ECS_ELEMENT_H

#include <string.h>

#include "base/invariant.h"
#include "base/scalar.h"

typedef uint64_t __attribute__((may_alias)) Cell8;
typedef uint32_t __attribute__((may_alias)) Cell4;
typedef uint16_t __attribute__((may_alias)) Cell2;
typedef uint8_t Cell1;

/* An f32, and an f64, anywhere in memory. */
typedef float __attribute__((may_alias, aligned(1))) LooseF32;
typedef double __attribute__((may_alias, aligned(1))) LooseF64;

/* Copies an element of 1 << shift bytes. */
static inline void element_copy(void *to, const void *from, uint32_t shift) {
  if (ECS_LIKELY(shift == 2))
    memcpy(to, from, 4);
  else if (shift == 3)
    memcpy(to, from, 8);
  else if (shift == 0)
    memcpy(to, from, 1);
  else
    memcpy(to, from, 2);
}

/* Copies an f32 from anywhere into a column of f32. A NaN is the one value that
 * differs from itself. */
static inline void element_store_f32(void *to, const void *from) {
  float value = *(const LooseF32 *)from;
  if (ECS_UNLIKELY(value != value))
    *(Cell4 *)to = SCALAR_QUIET_F32;
  else
    *(LooseF32 *)to = value;
}

/* As element_store_f32, for an f64. */
static inline void element_store_f64(void *to, const void *from) {
  double value = *(const LooseF64 *)from;
  if (ECS_UNLIKELY(value != value))
    *(Cell8 *)to = SCALAR_QUIET_F64;
  else
    *(LooseF64 *)to = value;
}

/* As element_store_f32, for an entity: a handle that is too long becomes
 * null. */
static inline void element_store_entity(void *to, const void *from) {
  uint64_t handle;
  memcpy(&handle, from, 8);
  *(Cell8 *)to = ECS_LIKELY(handle >> SCALAR_ENTITY_BITS == 0) ? handle : 0;
}

/* Copies a value of a type from anywhere into a column of that type; what is
 * written is canonical (scalar.h). */
static inline void element_store(void *to, const void *from, ecs_Scalar type) {
  switch (type) {
    case ECS_F32: element_store_f32(to, from); break;
    case ECS_I32:
    case ECS_U32:
    case ECS_STRING:
    case ECS_ANY_VALUE: memcpy(to, from, 4); break;
    case ECS_F64: element_store_f64(to, from); break;
    case ECS_ENTITY: element_store_entity(to, from); break;
    case ECS_I16:
    case ECS_U16: memcpy(to, from, 2); break;
    case ECS_BOOL: *(Cell1 *)to = *(const Cell1 *)from != 0; break;
    default: memcpy(to, from, 1); break;
  }
}

#endif
