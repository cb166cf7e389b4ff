/* id.h: what an entity handle is made of.
 *
 *     51                28 27                 0
 *    +--------------------+--------------------+
 *    |     generation     |       index        |
 *    +--------------------+--------------------+
 *
 * Index 0 is never issued, so no handle is 0. A handle is never reused: when an
 * index comes back, its generation is one higher.
 */
#ifndef ECS_ID_H
#define ECS_ID_H

#include "base/config.h"
#include "ecs.h"

#define ECS_INDEX_BITS 28u
#define ECS_HANDLE_BITS 52u /* and generation */
#define ECS_INDEX_MASK ((1u << ECS_INDEX_BITS) - 1u)

/* The index of a handle: its low 28 bits. */
static inline uint32_t id_index(ecs_Entity entity) {
  return (uint32_t)entity & ECS_INDEX_MASK;
}

/* The generation of a handle: the bits above the index. */
static inline uint32_t id_generation(ecs_Entity entity) {
  return (uint32_t)(entity >> ECS_INDEX_BITS);
}

/* The handle of an index and a generation. */
static inline ecs_Entity id_make(uint32_t index, uint32_t generation) {
  return (ecs_Entity)generation << ECS_INDEX_BITS | index;
}

/* Is the number in the range of handles? The entity need not be alive. */
static inline bool id_is_handle(double number) {
  return number >= 0 && number < 4503599627370496.0 &&
         number == (double)(uint64_t)number;
}

#endif
