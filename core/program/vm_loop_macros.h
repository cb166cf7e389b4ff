/* vm_loop_macros.h: how the loops of kernel programs are written.
 *
 * An expression of the elements x and y makes a loop. Each macro below defines
 * a static function of type Loop (vm_loops.h), cloned for instruction sets:
 *
 *      LOOP2(plus_f32, float, float, float, x + y)
 *
 * Only files of this folder that have such loops include this header.
 */
#ifndef ECS_VM_LOOP_MACROS_H
#define ECS_VM_LOOP_MACROS_H

#include "base/clones.h"

#include <stdint.h>

/* Tells the compiler that no element depends on another. This holds even if out
 * is one of the operands. */
#if defined(__clang__)
#define ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ELEMENTWISE _Pragma("GCC ivdep")
#else
#define ELEMENTWISE
#endif

typedef uint32_t Truth; /* 0 or 1 */

#define UNUSED(x) (void)(x)

/* out[R] of a[A]: the expression of x */
#define LOOP1(name, R, A, expression)                              \
  CLONES static void name(void *out, const void *a, const void *b, \
                          const void *c, uint32_t n) {             \
    R *to = out;                                                   \
    const A *from = a;                                             \
    UNUSED(b);                                                     \
    UNUSED(c);                                                     \
    ELEMENTWISE for (uint32_t i = 0; i < n; i++) {                 \
      const A x = from[i];                                         \
      to[i] = (R)(expression);                                     \
    }                                                              \
  }

/* out[R] of a[A] and b[B]: the expression of x and y */
#define LOOP2(name, R, A, B, expression)                           \
  CLONES static void name(void *out, const void *a, const void *b, \
                          const void *c, uint32_t n) {             \
    R *to = out;                                                   \
    const A *first = a;                                            \
    const B *second = b;                                           \
    UNUSED(c);                                                     \
    ELEMENTWISE for (uint32_t i = 0; i < n; i++) {                 \
      const A x = first[i];                                        \
      const B y = second[i];                                       \
      to[i] = (R)(expression);                                     \
    }                                                              \
  }

/* The same with a single b. */
#define LOOP2_SECOND(name, R, A, expression)                       \
  CLONES static void name(void *out, const void *a, const void *b, \
                          const void *c, uint32_t n) {             \
    R *to = out;                                                   \
    const A *first = a;                                            \
    const A y = *(const A *)b;                                     \
    UNUSED(c);                                                     \
    ELEMENTWISE for (uint32_t i = 0; i < n; i++) {                 \
      const A x = first[i];                                        \
      to[i] = (R)(expression);                                     \
    }                                                              \
  }

/* The same with a single a. */
#define LOOP2_FIRST(name, R, A, expression)                        \
  CLONES static void name(void *out, const void *a, const void *b, \
                          const void *c, uint32_t n) {             \
    R *to = out;                                                   \
    const A x = *(const A *)a;                                     \
    const A *second = b;                                           \
    UNUSED(c);                                                     \
    ELEMENTWISE for (uint32_t i = 0; i < n; i++) {                 \
      const A y = second[i];                                       \
      to[i] = (R)(expression);                                     \
    }                                                              \
  }

/* The number that a store into a type of whole numbers keeps of x, once it is
 * truncated: at the limits of the type, NaN as 0. */
static inline double whole_within(double x, double least, double greatest) {
  if (x != x) return 0;
  return x < least ? least : x > greatest ? greatest : x;
}

/* A store of every row, and a store of the rows of a mask. */
#define STORE_LOOPS(name, T, A, expression)                                 \
  LOOP1(store_##name, T, A, expression)                                     \
  CLONES static void store_##name##_masked(                                 \
      void *out, const void *a, const void *b, const void *c, uint32_t n) { \
    T *to = out;                                                            \
    const A *from = a;                                                      \
    const Truth *mask = b;                                                  \
    UNUSED(c);                                                              \
    ELEMENTWISE for (uint32_t i = 0; i < n; i++) {                          \
      const A x = from[i];                                                  \
      const T old = to[i], fresh = (T)(expression);                         \
      to[i] = mask[i] ? fresh : old;                                        \
    }                                                                       \
  }

#endif
