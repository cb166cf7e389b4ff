/* access.h: the kinds of terms of a query: one table of what holds for each.
 *
 *                write   read   optional   up    with   without   any   along
 *      name        x       x       x        x      x       x       x      x
 *      list                x       x               x       x       x
 *      columns     x       x       x        x
 *      optional                    x        x
 *      writes      x               x
 *      own         x       x       x               x       x       x
 *      there       x       x                       x
 *      asks        x       x                       x       x       x
 *
 * list: a query in Lua has a list of this name. columns: batches have columns.
 * optional: these may be absent. writes: they may be written. own: the term is
 * about the row's own entity. there: a row has the component. asks: whether an
 * entity matches depends on the term.
 *
 * A new kind begins here. core.accesses of the binding gives the table to
 * scripts/ecs.
 */
#ifndef ECS_BASE_ACCESS_H
#define ECS_BASE_ACCESS_H

#include <stdbool.h>
#include <string.h>

#include "ecs.h"

enum {
  ACCESS_LIST = 1 << 0,
  ACCESS_COLUMNS = 1 << 1,
  ACCESS_OPTIONAL = 1 << 2,
  ACCESS_WRITES = 1 << 3,
  ACCESS_OWN = 1 << 4,
  ACCESS_THERE = 1 << 5,
  ACCESS_ASKS = 1 << 6
};

typedef struct AccessKind {
  const char *name;
  uint8_t flags;
} AccessKind;

/* By ecs_Access. */
static const AccessKind access_kinds[ECS_ACCESS_COUNT] = {
    [ECS_WRITE] = {"write", ACCESS_COLUMNS | ACCESS_WRITES | ACCESS_OWN |
                                ACCESS_THERE | ACCESS_ASKS},
    [ECS_READ] = {"read", ACCESS_LIST | ACCESS_COLUMNS | ACCESS_OWN |
                              ACCESS_THERE | ACCESS_ASKS},
    [ECS_OPTIONAL] = {"optional", ACCESS_LIST | ACCESS_COLUMNS |
                                      ACCESS_OPTIONAL | ACCESS_WRITES |
                                      ACCESS_OWN},
    [ECS_UP] = {"up", ACCESS_COLUMNS | ACCESS_OPTIONAL},
    [ECS_WITH] = {"with",
                  ACCESS_LIST | ACCESS_OWN | ACCESS_THERE | ACCESS_ASKS},
    [ECS_WITHOUT] = {"without", ACCESS_LIST | ACCESS_OWN | ACCESS_ASKS},
    [ECS_ANY] = {"any", ACCESS_LIST | ACCESS_OWN | ACCESS_ASKS},
    [ECS_ALONG] = {"along", 0},
};

static inline const char *access_name(ecs_Access access) {
  return access_kinds[access].name;
}

/* Do all of these flags hold for the access? */
static inline bool access_is(ecs_Access access, int flags) {
  return (access_kinds[access].flags & flags) == flags;
}

/* Have terms with this access columns in a batch? */
static inline bool access_has_columns(ecs_Access access) {
  return access_is(access, ACCESS_COLUMNS);
}

/* May columns with this access be absent? */
static inline bool access_is_optional(ecs_Access access) {
  return access_is(access, ACCESS_OPTIONAL);
}

/* May columns with this access be written? */
static inline bool access_writes(ecs_Access access) {
  return access_is(access, ACCESS_WRITES);
}

/* Is a term with this access about the row's own entity? */
static inline bool access_is_own(ecs_Access access) {
  return access_is(access, ACCESS_OWN);
}

/* Have batches columns of the row's own entity for it? */
static inline bool access_has_own_columns(ecs_Access access) {
  return access_is(access, ACCESS_COLUMNS | ACCESS_OWN);
}

/* Does a row have the component of such a term? */
static inline bool access_is_there(ecs_Access access) {
  return access_is(access, ACCESS_THERE);
}

/* Does it depend on such a term whether an entity matches? */
static inline bool access_asks(ecs_Access access) {
  return access_is(access, ACCESS_ASKS);
}

/* The access of a name of so many bytes; ECS_ACCESS_COUNT: there is none. */
static inline ecs_Access access_named(const char *name, size_t bytes) {
  int access = 0;
  while (access < ECS_ACCESS_COUNT &&
         (strlen(access_kinds[access].name) != bytes ||
          memcmp(access_kinds[access].name, name, bytes) != 0))
    access++;
  return (ecs_Access)access;
}

#endif
