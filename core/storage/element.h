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

/* An f32 anywhere in memory. */
typedef float __attribute__((may_alias, aligned(1))) LooseF32;

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

/* Copies a value of a type from anywhere into a column of that type. */
static inline void element_store(void *to, const void *from, ecs_Scalar type) {
  if (ECS_LIKELY(type == ECS_F32)) {
    element_store_f32(to, from);
  } else {
    element_copy(to, from, (uint32_t)__builtin_ctz(scalar_bytes(type)));
    scalar_canonicalize(type, to);
  }
}

#endif
