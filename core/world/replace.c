/* replace.c: an entity loses a component and gets another, now or recorded.
 *
 *      both in tables of one group      one move (change/replacement.h)
 *      the first goes without fail      the second is added, the first removed
 *      otherwise                        recorded, and applied at once: all or
 *                                       nothing
 */
#include "world/replace.h"

#include "change/replacement.h"

ecs_Status check_replacement(const ecs_World *world, ecs_Component gone,
                             ecs_Component added, const void *image,
                             uint64_t *fields) {
  if (!world_has_component(world, gone) || !world_has_component(world, added) ||
      gone == added)
    return ECS_E_COMPONENT;
  uint32_t count = world->store.components.all[added].field_count;
  *fields &= count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
  return image == NULL && *fields != 0 ? ECS_E_ARGUMENT : ECS_OK;
}

ecs_Status deferred_replace(ecs_World *world, ecs_Entity entity,
                            ecs_Component gone, ecs_Component added,
                            const void *image, uint64_t fields) {
  if (recorded_destroyed(world, entity)) { /* one change is dropped */
    world->dropped++;
    return ECS_OK;
  }
  Level before = deferral_mark(world);
  ecs_Status status = deferred_remove(world, entity, gone);
  if (status == ECS_OK)
    status = fields == 0 ? deferred_add(world, entity, added, NULL)
                         : deferred_set(world, entity, added, image, fields);
  if (status != ECS_OK) deferral_rewind(world, &before);
  return status;
}

/* What happens where the entity lacks the first component, or has it no more. */
static ecs_Status add_or_set(ecs_World *world, ecs_Entity entity,
                             ecs_Component added, const void *image,
                             uint64_t fields) {
  if (fields == 0) return world_add(world, entity, added, NULL);
  return world_set(world, entity, added, image, fields);
}

/* Records both changes, and applies them. */
static ecs_Status replace_recorded(ecs_World *world, ecs_Entity entity,
                                   ecs_Component gone, ecs_Component added,
                                   const void *image, uint64_t fields) {
  ecs_Status status = deferral_open(world);
  if (status != ECS_OK) return status;
  status = deferred_replace(world, entity, gone, added, image, fields);
  if (status == ECS_OK) return deferral_close(world);
  deferral_discard(world);
  return status;
}

/* Both are in tables of one group. */
static ecs_Status replace_in_tables(ecs_World *world, ecs_Entity entity,
                                    ecs_Component gone, ecs_Component added,
                                    const void *image, uint64_t fields) {
  const Component *second = &world->store.components.all[added];
  ComponentImage whole;
  if (fields != 0) world_complete_image(second->schema, image, fields, &whole);
  const void *all = fields == 0 ? NULL : &whole;
  if (store_replace_again(&world->store, entity, gone, added, all))
    return ECS_OK;
  if (!world_has(world, entity, gone))
    return add_or_set(world, entity, added, image, fields);
  if (world_has(world, entity, added)) {
    ecs_Status status = world_remove(world, entity, gone);
    return status != ECS_OK ? status
                            : add_or_set(world, entity, added, image, fields);
  }
  return store_replace(&world->store, entity, gone, added, all);
}

/* The first is removed without fail, if it is there. */
static ecs_Status replace_in_two(ecs_World *world, ecs_Entity entity,
                                 ecs_Component gone, ecs_Component added,
                                 const void *image, uint64_t fields) {
  ecs_Status status = add_or_set(world, entity, added, image, fields);
  if (status != ECS_OK) return status;
  status = world_remove(world, entity, gone);
  ECS_ASSERT(status == ECS_OK);
  return status;
}

ecs_Status world_replace(ecs_World *world, ecs_Entity entity,
                         ecs_Component gone, ecs_Component added,
                         const void *image, uint64_t fields) {
  const Component *first = &world->store.components.all[gone];
  const Component *second = &world->store.components.all[added];
  if (world->depth > 0)
    return deferred_replace(world, entity, gone, added, image, fields);
  bool recorded = first->observed || second->observed ||
                  second->observed_sets || second->need_count > 0 ||
                  links_exist(&world->links, first) ||
                  link_is_made(&world->links, second, image, fields) ||
                  (links_exist(&world->links, second) &&
                   link_is_named(&world->links, second, fields));
  if (ECS_UNLIKELY(recorded))
    return replace_recorded(world, entity, gone, added, image, fields);
  if (is_one_move(first, second))
    return replace_in_tables(world, entity, gone, added, image, fields);
  return (is_surely_removed(first) ? replace_in_two : replace_recorded)(
      world, entity, gone, added, image, fields);
}
