/* observe.h: what changes mean for observers, found before they are applied.
 *
 * The changes of one entity are compared with what the entity is now: its
 * commands say which components it has in the end (net_effect.h moves its row
 * accordingly), and each observer whether that concerns it:
 *
 *      add, remove     the component is there afterwards, or before; not both
 *      set             it is there before and afterwards, and was set
 *      enter, leave    the terms of the query match afterwards, or before
 *      destroy         the entity has a row before, and none afterwards
 *
 * Room and images are made before anything is applied, so that telling cannot
 * fail. The order is that of command_flush.h, and thus does not depend on how
 * components are stored.
 */
#ifndef ECS_OBSERVE_H
#define ECS_OBSERVE_H

#include "world/recorded.h"

/* How far the notices reach. */
typedef struct ObserveMark {
  uint32_t notice_count;
  uint32_t word_count;
} ObserveMark;

static inline ObserveMark observe_mark(const ecs_World *world) {
  return (ObserveMark){world->observers.notice_count,
                       world->observers.word_count};
}

/* Takes back the notices behind a mark: what they are about was not applied.
 * Sets are listed as before, to be told of once more. */
ECS_INTERNAL void observe_take_back(ecs_World *world, ObserveMark mark);

/* Makes the notices of what is recorded, which is about to be applied. The
 * caller forgets the sets when it was. ECS_E_MEMORY, ECS_E_LIMIT: no notices are
 * left of it. Cost: a look at the shapes in use; where one concerns observers,
 * at each entity. */
ECS_INTERNAL ecs_Status observe_recording(ecs_World *world);

/* Does an observer ask what becomes of the entity, were it destroyed? Cost: a
 * look at each observer. */
ECS_INTERNAL bool observe_asks_death(const ecs_World *world, ecs_Entity entity);

/* How many observers are told of a spawn of a bundle. Cost: a look at each, if
 * its spawns are noticed. */
ECS_INTERNAL uint64_t observe_count_births(const ecs_World *world,
                                           const Bundle *bundle);

/* Makes room for the notices of count spawns of a bundle. ECS_E_MEMORY,
 * ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status observe_reserve_births(ecs_World *world,
                                               const Bundle *bundle,
                                               uint64_t count);

/* Makes the notices of entities that were just spawned. There is room. */
ECS_INTERNAL void observe_births(ecs_World *world, const ecs_Entity *entities,
                                 uint32_t count);

/* The same for the first count rows of a bundle's last spawn, which are filled in
 * while changes are recorded. What the recording takes from them again they never
 * had, until observe_close_births. There is room. */
ECS_INTERNAL void observe_open_births(ecs_World *world, const Bundle *bundle,
                                      uint32_t count);

/* Drops the notices of births that a recording has undone, which was applied. mark:
 * before its own notices. */
ECS_INTERNAL void observe_settle_births(ecs_World *world, ObserveMark mark);

/* The rows are filled in. */
static inline void observe_close_births(ecs_World *world) {
  world->observers.born = NULL;
  world->observers.born_notices = 0;
}

/* Makes the notices for the death of an entity that is about to be destroyed at
 * once. ECS_E_MEMORY, ECS_E_LIMIT: some may be made. */
ECS_INTERNAL ecs_Status observe_death(ecs_World *world, ecs_Entity entity);

/* Makes the notices for the death of every entity, in the order of indices.
 * ECS_E_MEMORY, ECS_E_LIMIT: there are none. */
ECS_INTERNAL ecs_Status observe_clear(ecs_World *world);

#endif
