/* api_link.c: the border for links: which entities link to which. */
#define ECS_DEFINES_API /* ecs.h */

#include "base/misuse.h"
#include "world/deferred_change.h"

/* The index of a link, in *index. */
static ecs_Status find_index(const ecs_World *world, ecs_Component component,
                             uint32_t field, const LinkIndex **index) {
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  *index = link_set_find(&world->links, &world->store, component, field);
  return *index == NULL ? ECS_E_FIELD : ECS_OK;
}

ecs_Status ecs_links(const ecs_World *world, ecs_Entity target,
                     ecs_Component component, uint32_t field,
                     ecs_Entity *sources, uint32_t capacity, uint32_t *count) {
  ECS_MUST_LIVE(WORLD, world);
  ECS_MISUSE_IF(count == NULL, "count is NULL");
  const LinkIndex *index = NULL;
  ecs_Status status = find_index(world, component, field, &index);
  if (status != ECS_OK) return status;
  if (!world_alive(world, target)) return ECS_E_DEAD;
  *count = link_count(index, target);
  if (sources == NULL || *count == 0) return ECS_OK;
  uint32_t next = link_node(index, id_index(target))->first;
  for (uint32_t i = 0; i < capacity && next != 0; i++) {
    const LinkNode *node = link_node(index, next);
    sources[i] = node->entity;
    next = node->next;
  }
  return ECS_OK;
}

ecs_Status ecs_link_target(const ecs_World *world, ecs_Entity source,
                           ecs_Component component, uint32_t field,
                           ecs_Entity *target) {
  ECS_MUST_LIVE(WORLD, world);
  ECS_MISUSE_IF(target == NULL, "target is NULL");
  const LinkIndex *index = NULL;
  ecs_Status status = find_index(world, component, field, &index);
  if (status != ECS_OK) return status;
  if (!world_alive(world, source)) return ECS_E_DEAD;
  *target = link_target(index, source);
  return ECS_OK;
}

bool ecs_refused_link(const ecs_World *world, ecs_Entity *source,
                      ecs_Entity *target) {
  ECS_MUST_LIVE(WORLD, world);
  if (world->links.refused[1] == 0) return false;
  if (source != NULL) *source = world->links.refused[0];
  if (target != NULL) *target = world->links.refused[1];
  return true;
}
