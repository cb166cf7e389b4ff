/* link_step.h: changes of the indices of links that can be taken back.
 *
 * A change is noted with what the source linked to and which source stood behind
 * it. Taken back in the opposite order, every list is as it was.
 */
#ifndef ECS_LINK_STEP_H
#define ECS_LINK_STEP_H

#include "world/world.h"

/* Is there room for one more element in an array of LinkWork? array: its name;
 * counted: that of its count and capacity. False: out of memory. */
#define LINK_HAS_ROOM(world, array, counted)               \
  memory_grow(&(world)->store.memory,                      \
              (void **)(void *)&(world)->links.work.array, \
              &(world)->links.work.counted##_capacity,     \
              (world)->links.work.counted##_count, 1,      \
              sizeof *(world)->links.work.array)

/* Links an entity to a living one, or to nothing (0), and notes what was.
 * ECS_E_MEMORY: nothing has changed. Cost: constant. */
ECS_INTERNAL ecs_Status link_step(ecs_World *world, LinkIndex *index,
                                  ecs_Entity source, ecs_Entity target);

/* Takes all steps back. */
ECS_INTERNAL void link_take_back(ecs_World *world);

#endif
