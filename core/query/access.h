/* access.h: what the access of a term says of its columns.
 *
 *                write   read   optional   up    with, without, any, along
 *      columns     x       x       x        x
 *      optional                    x        x
 *      writes      x               x
 *      own         x       x       x              x, but for along
 */
#ifndef ECS_QUERY_ACCESS_H
#define ECS_QUERY_ACCESS_H

#include <stdbool.h>

#include "ecs.h"

/* Have terms with this access columns in a batch? */
static inline bool access_has_columns(ecs_Access access) {
  return access <= ECS_UP;
}

/* May columns with this access be absent? */
static inline bool access_is_optional(ecs_Access access) {
  return access == ECS_OPTIONAL || access == ECS_UP;
}

/* May columns with this access be written? */
static inline bool access_writes(ecs_Access access) {
  return access == ECS_WRITE || access == ECS_OPTIONAL;
}

/* Is a term with this access about the row's own entity? */
static inline bool access_is_own(ecs_Access access) {
  return access != ECS_UP && access != ECS_ALONG;
}

#endif
