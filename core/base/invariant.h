/* invariant.h: asserts for our own bugs.
 *
 * ECS_ASSERT states what must hold if the core is right. Arguments of callers
 * are not its business: the border checks them (world.h). In a normal build an
 * assert costs nothing; with ECS_CHECKED a broken one stops the process.
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

/* A path that is rarely taken, kept out of line so that the path beside it need
 * not save registers. */
#define ECS_COLD __attribute__((noinline))

#endif
