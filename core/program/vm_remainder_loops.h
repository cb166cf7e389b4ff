/* vm_remainder_loops.h: the loops of mod and fmod.
 *
 * A block first runs through a vectorised loop (math/remainder.h), which leaves
 * no finite number where it cannot answer. The C library then answers in these
 * rows one by one; an infinite or NaN result of its own is only computed twice.
 *
 * Only vm_loops.c includes this header.
 */
#ifndef ECS_VM_REMAINDER_LOOPS_H
#define ECS_VM_REMAINDER_LOOPS_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/remainder.h"
#include "program/vm_loop_macros.h"

/* Lua's %: the remainder of fmod, moved to the sign of the divisor. */
static inline double modulo(double a, double b) {
  return remainder_to_modulo(fmod(a, b), b);
}

static inline double modulo_near(double a, double b) {
  return remainder_to_modulo(remainder_near(a, b), b);
}

static inline double modulo_near_single(double a, double b) {
  return remainder_to_modulo(remainder_near_single(a, b), b);
}

LOOP2(near_modulo_f32, float, float, float,
      modulo_near_single((double)x, (double)y))
LOOP2(near_modulo_f64, double, double, double, modulo_near(x, y))
LOOP2(near_remainder_f32, float, float, float,
      remainder_near_single((double)x, (double)y))
LOOP2(near_remainder_f64, double, double, double, remainder_near(x, y))

/* Is a number infinite or NaN? */
#define ANY_ENDLESS(name, type, size)                     \
  CLONES static bool name(const type *from, uint32_t n) { \
    uint32_t any = 0;                                     \
    for (uint32_t i = 0; i < n; i++)                      \
      any |= size(from[i]) < (type)INFINITY ? 0u : 1u;    \
    return any != 0;                                      \
  }
ANY_ENDLESS(any_endless_f32, float, fabsf)
ANY_ENDLESS(any_endless_f64, double, fabs)

/* Rows that are computed at a time. */
#define REMAINDER_ROWS 512u

/* Results that would overwrite operands are first kept aside, as the C library
 * may still need the operands. */
#define REMAINDER_LOOP(name, near, any_endless, type, size, exact)           \
  static void name##_some(type *to, const type *a, const type *b,            \
                          uint32_t n) {                                      \
    type aside[REMAINDER_ROWS];                                              \
    type *result = to == a || to == b ? aside : to;                          \
    near(result, a, b, NULL, n);                                             \
    if (any_endless(result, n))                                              \
      for (uint32_t i = 0; i < n; i++)                                       \
        if (!(size(result[i]) < (type)INFINITY))                             \
          result[i] = (type)exact((double)a[i], (double)b[i]);               \
    if (result == aside) memcpy(to, aside, n * sizeof *to);                  \
  }                                                                          \
  static void name(void *out, const void *a, const void *b, const void *c,   \
                   uint32_t n) {                                             \
    UNUSED(c);                                                               \
    for (uint32_t i = 0; i < n; i += REMAINDER_ROWS)                         \
      name##_some((type *)out + i, (const type *)a + i, (const type *)b + i, \
                  n - i < REMAINDER_ROWS ? n - i : REMAINDER_ROWS);          \
  }
REMAINDER_LOOP(modulo_f32, near_modulo_f32, any_endless_f32, float, fabsf,
               modulo)
REMAINDER_LOOP(modulo_f64, near_modulo_f64, any_endless_f64, double, fabs,
               modulo)
REMAINDER_LOOP(remainder_f32, near_remainder_f32, any_endless_f32, float, fabsf,
               fmod)
REMAINDER_LOOP(remainder_f64, near_remainder_f64, any_endless_f64, double, fabs,
               fmod)

#endif
