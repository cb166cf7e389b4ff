/* misuse.h: names what a host does wrong, in the checked build.
 *
 * ecs.h asks its callers for pointers to living objects and answers a wrong
 * number by a status. In a release build a pointer to a world that is gone is
 * not checked, because that would cost every call. With ECS_CHECKED, each
 * public function asks first:
 *
 *      ecs_get(world, ...)
 *        ECS_MUST_LIVE(WORLD, world)    is it in the list of the living?
 *        ECS_MISUSE_IF(image == NULL, "...")      what has no status
 *
 * and writes the function and the mistake to stderr before it stops the
 * process, as ECS_ASSERT does:
 *
 *      ecs: misuse: ecs_get: the world is none, or is gone
 *
 * The list of the living is the one thing here that belongs to no world: a
 * world that is gone cannot be asked whether it is. It exists in the checked
 * build alone, and a lock guards it, as worlds may live in several threads. An
 * object passes if its address was used again for an object of its kind.
 *
 * Cost: nothing in a release build; otherwise a look-up in a hash table.
 */
#ifndef ECS_MISUSE_H
#define ECS_MISUSE_H

#include "base/config.h"
#include "ecs.h"

/* What the list holds, and its names in messages. */
typedef enum LivingKind {
  LIVING_WORLD = 1,
  LIVING_QUERY,
  LIVING_BINDING,
  LIVING_PROGRAM,
  LIVING_GRID,
  LIVING_SNAPSHOT,
  LIVING_SAVED
} LivingKind;

#ifdef ECS_CHECKED

/* Enters an object into the list, or takes it out. Its address must not, or
 * must, be in the list. */
ECS_INTERNAL void living_enter(LivingKind kind, const void *object);
ECS_INTERNAL void living_leave(LivingKind kind, const void *object);

/* True: the object is in the list. Any pointer may be asked for. */
ECS_INTERNAL bool living_has(LivingKind kind, const void *object);

/* Begins or ends a time in which nothing may call into an object: a kernel runs
 * over its rows. what: the reason; NULL: none any more. A string constant. */
ECS_INTERNAL void living_lock(LivingKind kind, const void *object,
                              const char *what);

/* Stops the process unless the object is in the list and not locked. */
ECS_INTERNAL void misuse_unless_alive(LivingKind kind, const void *object,
                                      const char *function);

/* Writes what was done wrong in a function, and stops the process. */
ECS_INTERNAL _Noreturn void misuse_report(const char *function,
                                          const char *what);

#define LIVING_ENTER(kind, object) living_enter(LIVING_##kind, object)
#define LIVING_LEAVE(kind, object) living_leave(LIVING_##kind, object)
#define LIVING_LOCK(kind, object, what) living_lock(LIVING_##kind, object, what)
#define ECS_MUST_LIVE(kind, object) \
  misuse_unless_alive(LIVING_##kind, object, __func__)
#define ECS_MISUSE_IF(condition, what) \
  ((condition) ? misuse_report(__func__, what) : (void)0)

#else

#define LIVING_ENTER(kind, object) ((void)0)
#define LIVING_LEAVE(kind, object) ((void)0)
#define LIVING_LOCK(kind, object, what) ((void)0)
#define ECS_MUST_LIVE(kind, object) ((void)0)
#define ECS_MISUSE_IF(condition, what) ((void)0)

#endif
#endif
