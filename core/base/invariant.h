/* invariant.h: asserts for our own bugs.
 *
 * ECS_ASSERT states what must hold if the core is correct. It does not check
 * the arguments of users: core/api does, and returns a status. In a normal
 * build an assert costs nothing. With ECS_CHECKED, an assert that fails stops
 * the process.
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

/* Marks a static function that only asserts call, so that compilers do not warn
 * of it in a normal build. */
#define ECS_ASSERT_ONLY __attribute__((unused))

#define ECS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define ECS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* A path kept out of line so that the path beside it need not save registers:
 * one that is rarely taken, and one that is a way of its own. */
#define ECS_COLD __attribute__((noinline))
#define ECS_APART __attribute__((noinline))

#endif
