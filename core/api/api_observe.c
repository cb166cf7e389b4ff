/* api_observe.c: the border for observers and their notices. */
#define ECS_DEFINES_API /* ecs.h */

#include "base/access.h"
#include "base/misuse.h"
#include "query/query.h"
#include "world/world.h"

/* An observer, of a world in which a death may then be more. */
static ecs_Status add_observer(ecs_World *world, ecs_Occasion occasion,
                               const ecs_Term *terms, uint32_t count,
                               ecs_Observer *observer) {
  ecs_Status status = observer_set_add(&world->observers, &world->store,
                                       occasion, terms, count, observer);
  world->heeds_deaths = world_heeds_deaths(world);
  return status;
}

ecs_Status ecs_observe(ecs_World *world, ecs_Occasion occasion,
                       ecs_Component component, ecs_Observer *observer) {
  ECS_MUST_LIVE(WORLD, world);
  ecs_Term term = {component, ECS_WRITE};
  uint32_t terms = occasion != ECS_ON_DESTROY;
  if (observer == NULL || (uint32_t)occasion >= ECS_OCCASION_COUNT ||
      occasion == ECS_ON_ENTER || occasion == ECS_ON_LEAVE)
    return ECS_E_ARGUMENT;
  if (terms == 0 && component != 0) return ECS_E_ARGUMENT;
  if (terms > 0 && !world_has_component(world, component))
    return ECS_E_COMPONENT;
  if (occasion == ECS_ON_SET &&
      world->store.components.all[component].field_count == 0)
    return ECS_E_COMPONENT;
  return add_observer(world, occasion, &term, terms, observer);
}

ecs_Status ecs_observe_query(ecs_Query *query, ecs_Occasion occasion,
                             ecs_Observer *observer) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_World *world = world_of(query);
  ecs_Term terms[ECS_TERM_LIMIT];
  if (observer == NULL) return ECS_E_ARGUMENT;
  if (occasion != ECS_ON_ENTER && occasion != ECS_ON_LEAVE)
    return ECS_E_ARGUMENT;
  if (query->picked != NULL && query->picked->changed_count > 0)
    return ECS_E_ARGUMENT;
  for (uint32_t i = 0; i < query->term_count; i++)
    if (!access_is_own(query->terms[i].access)) return ECS_E_ARGUMENT;
  for (uint32_t i = 0; i < query->term_count; i++)
    terms[i] = (ecs_Term){query->terms[i].component, query->terms[i].access};
  return add_observer(world, occasion, terms, query->term_count, observer);
}

void ecs_unobserve(ecs_World *world, ecs_Observer observer) {
  ECS_MUST_LIVE(WORLD, world);
  observer_set_remove(&world->observers, &world->store, observer);
  world->heeds_deaths = world_heeds_deaths(world);
}

uint32_t ecs_notices_begin(ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  observer_set_begin(&world->observers);
  return world->observers.round_end;
}

bool ecs_notice_next(ecs_World *world, ecs_Notice *notice) {
  ECS_MUST_LIVE(WORLD, world);
  ECS_MISUSE_IF(notice == NULL, "notice is NULL");
  return observer_set_next(&world->observers, &world->store, notice);
}

void ecs_notices_drop(ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  observer_set_drop(&world->observers);
}

const uint32_t *ecs_world_notices(const ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  return &world->observers.waiting;
}
