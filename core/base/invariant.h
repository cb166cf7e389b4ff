/* invariant.h: asserts for our own bugs.
 *
 * ECS_ASSERT states what must hold if the core is right; it is no check of
 * what a caller hands in (that is the border's, world.h). In a normal build it
 * costs nothing; with ECS_CHECKED it stops the process.
 */
#ifndef ECS_INVARIANT_H
#define ECS_INVARIANT_H

#ifdef ECS_CHECKED
#include <stdio.h>
#include <stdlib.h>
#define ECS_ASSERT(condition)                                                \
  ((condition) ? (void)0                                                     \
               : (fprintf(stderr, "%s:%d: broken invariant: %s\n", __FILE__, \
                          __LINE__, #condition),                             \
                  abort()))
#else
#define ECS_ASSERT(condition) ((void)0)
#endif

#define ECS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define ECS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* A path that is rarely taken, kept out of line so that the one beside it needs
 * no registers saved. */
#define ECS_COLD __attribute__((noinline))

#endif
