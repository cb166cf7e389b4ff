/* api_list.c: the border for changes of a list of entities.
 *
 * While nothing is open, change/list_change.h changes the list. While a level
 * is open, each change is recorded as a single call would record it: all of
 * them or none. */
#define ECS_DEFINES_API /* ecs.h */

#include "base/misuse.h"
#include "change/list_change.h"
#include "world/deferral.h"
#include "world/deferred_change.h"

/* What is done with each entity of a list. */
typedef struct ListRequest {
  ecs_World *world;
  CommandKind kind;        /* COMMAND_ADD, _REMOVE or _DESTROY */
  ecs_Component component; /* 0: entities are destroyed */
  const void *image;       /* the component's; borrowed; NULL: defaults */
} ListRequest;

static ecs_Status record_one(const ListRequest *request, ecs_Entity entity) {
  ecs_World *world = request->world;
  if (request->kind == COMMAND_DESTROY) return deferred_destroy(world, entity);
  if (request->kind == COMMAND_REMOVE)
    return deferred_remove(world, entity, request->component);
  return deferred_add(world, entity, request->component, request->image);
}

/* Does the change concern observers, or links that exist, make any, or add what
 * a component needs? */
static bool is_recorded(const ListRequest *request) {
  const LinkSet *links = &request->world->links;
  const Component *component =
      &request->world->store.components.all[request->component];
  if (request->kind == COMMAND_DESTROY)
    return world_has_links(links) || request->world->observers.asks_deaths;
  if (component->observed) return true;
  if (request->kind == COMMAND_REMOVE) return links_exist(links, component);
  return component->need_count > 0 ||
         link_is_made(links, component, request->image, UINT64_MAX);
}

/* A dead entity is passed over. */
static ecs_Status record_list(const ListRequest *request,
                              const ecs_Entity *entities, uint32_t count,
                              uint32_t *found) {
  Level before = deferral_mark(request->world);
  uint32_t recorded = 0;
  ECS_ASSERT(request->world->depth > 0);
  for (uint32_t i = 0; i < count; i++) {
    ecs_Status status = record_one(request, entities[i]);
    recorded += status == ECS_OK;
    if (ECS_LIKELY(status == ECS_OK || status == ECS_E_DEAD)) continue;
    deferral_rewind(request->world, &before);
    return status;
  }
  *found = recorded;
  return ECS_OK;
}

/* Records the list where nothing is open, and applies it. */
static ecs_Status record_now(const ListRequest *request,
                             const ecs_Entity *entities, uint32_t count,
                             uint32_t *found) {
  ecs_Status status = deferral_open(request->world);
  if (status != ECS_OK) return status;
  status = record_list(request, entities, count, found);
  if (status == ECS_OK) return deferral_close(request->world);
  deferral_discard(request->world);
  return status;
}

static ecs_Status change_list(const ListRequest *request,
                              const ecs_Entity *entities, uint32_t count,
                              uint32_t *found) {
  Store *store = &request->world->store;
  if (request->world->depth > 0)
    return record_list(request, entities, count, found);
  if (is_recorded(request)) return record_now(request, entities, count, found);
  switch (request->kind) {
    case COMMAND_ADD:
      return list_add(store, entities, count, request->component,
                      request->image, found);
    case COMMAND_REMOVE:
      return list_remove(store, entities, count, request->component, found);
    default: list_destroy(store, entities, count, found); return ECS_OK;
  }
}

static ecs_Status answer(const ListRequest *request, const ecs_Entity *entities,
                         uint32_t count, uint32_t *found) {
  uint32_t unasked = 0;
  if (entities == NULL && count > 0) return ECS_E_ARGUMENT;
  return change_list(request, entities, count,
                     found != NULL ? found : &unasked);
}

ecs_Status ecs_destroy_many(ecs_World *world, const ecs_Entity *entities,
                            uint32_t count, uint32_t *found) {
  ECS_MUST_LIVE(WORLD, world);
  ListRequest request = {world, COMMAND_DESTROY, 0, NULL};
  return answer(&request, entities, count, found);
}

ecs_Status ecs_add_many(ecs_World *world, const ecs_Entity *entities,
                        uint32_t count, ecs_Component component,
                        const void *image, uint32_t *found) {
  ECS_MUST_LIVE(WORLD, world);
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  ListRequest request = {world, COMMAND_ADD, component, image};
  return answer(&request, entities, count, found);
}

ecs_Status ecs_remove_many(ecs_World *world, const ecs_Entity *entities,
                           uint32_t count, ecs_Component component,
                           uint32_t *found) {
  ECS_MUST_LIVE(WORLD, world);
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  ListRequest request = {world, COMMAND_REMOVE, component, NULL};
  return answer(&request, entities, count, found);
}
