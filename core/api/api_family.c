/* api_family.c: the border for families: entities that are spawned together. */
#define ECS_DEFINES_API /* ecs.h */

#include "base/misuse.h"
#include "world/family.h"

/* Is the component among those that the caller named for a bundle? */
static bool is_given(const Bundle *bundle, ecs_Component component) {
  for (uint32_t i = 0; i < bundle->given_count; i++)
    if (bundle->items[i].component == component) return true;
  return false;
}

static ecs_Status check_member(const ecs_World *world, const ecs_Family *family,
                               uint32_t member) {
  const ecs_Member *checked = &family->members[member];
  if (!change_has_bundle(&world->store, checked->bundle)) return ECS_E_ARGUMENT;
  if (member == 0) return ECS_OK;
  if (checked->parent >= member) return ECS_E_ARGUMENT;
  return is_given(change_bundle(&world->store, checked->bundle), family->link)
             ? ECS_OK
             : ECS_E_COMPONENT;
}

/* Checks what a family links by, if anything. */
static ecs_Status check_link(const ecs_World *world, const ecs_Family *family) {
  if (family->member_count == 1) return ECS_OK;
  if (!world_has_component(world, family->link)) return ECS_E_COMPONENT;
  return link_set_find(&world->links, &world->store, family->link,
                       family->field) == NULL
             ? ECS_E_FIELD
             : ECS_OK;
}

static ecs_Status check_family(ecs_World *world, const ecs_Family *family,
                               uint64_t count) {
  if (family == NULL || family->members == NULL) return ECS_E_ARGUMENT;
  if (family->member_count - 1u >= ECS_MEMBER_LIMIT) return ECS_E_ARGUMENT;
  bool given = family->first != 0;
  if (given && (count != 1 || id_index(family->first) == 0 ||
                family->first >> ECS_HANDLE_BITS != 0))
    return ECS_E_ARGUMENT;
  ecs_Status status = check_link(world, family);
  for (uint32_t m = 0; status == ECS_OK && m < family->member_count; m++)
    status = check_member(world, family, m);
  if (status != ECS_OK) return status;
  return count >= ECS_INDEX_LIMIT ||
                 count * family->member_count >= ECS_INDEX_LIMIT
             ? memory_refuse(&world->store.memory, ECS_INDEX_LIMIT - 1u,
                             "entities", "a world")
             : ECS_OK;
}

ecs_Status ecs_spawn_family(ecs_World *world, const ecs_Family *family,
                            uint64_t count, ecs_Entity *entities) {
  ECS_MUST_LIVE(WORLD, world);
  ecs_Status status = check_family(world, family, count);
  if (status != ECS_OK) return status;
  return world_spawn_family(world, family, (uint32_t)count, entities);
}

ecs_Status ecs_spawn_children(ecs_World *world, const ecs_Family *family,
                              const ecs_Entity *parents, uint64_t count) {
  ECS_MUST_LIVE(WORLD, world);
  ecs_Status status = check_family(world, family, count);
  if (status != ECS_OK) return status;
  if (parents == NULL || family->first != 0) return ECS_E_ARGUMENT;
  return world_spawn_children(world, family, (uint32_t)count, parents);
}

ecs_Status ecs_reserve_family(ecs_World *world, const ecs_Family *family,
                              uint64_t count) {
  ECS_MUST_LIVE(WORLD, world);
  ecs_Status status = check_family(world, family, count);
  if (status != ECS_OK) return status;
  return world->depth > 0
             ? ECS_E_OPEN
             : world_reserve_family(world, family, (uint32_t)count);
}
