/* link_check.h: may an entity be linked to another?
 *
 * Asked when a link is made or recorded. A target is alive, recorded spawns and
 * destructions counted; and where the link is a tree, the source is not among
 * the target's ancestors, recorded links counted.
 */
#ifndef ECS_LINK_CHECK_H
#define ECS_LINK_CHECK_H

#include "world/recorded.h"

/* What an entity will link to when the recording is applied, deaths by rules
 * not counted; 0: nothing. Cost: the entity's commands. */
ECS_INTERNAL ecs_Entity link_check_target(const ecs_World *world,
                                          const LinkIndex *index,
                                          ecs_Entity source);

/* Checks the links among the named fields of an image. ECS_E_LINK: a target is
 * not alive. ECS_E_CIRCLE: a target descends from the source, or is the source;
 * world->links.refused names both. Cost: for a tree, the target's ancestors. */
ECS_INTERNAL ecs_Status link_check(ecs_World *world, ecs_Entity source,
                                   const Component *component,
                                   const void *image, uint64_t fields);

/* Makes room in the indices for links that have been checked. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status link_make_room(ecs_World *world, ecs_Entity source,
                                       const Component *component,
                                       const void *image, uint64_t fields);

/* Checks the same, and makes room for these links in the indices. ECS_E_LINK,
 * ECS_E_CIRCLE, ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status link_reserve(ecs_World *world, ecs_Entity source,
                                     const Component *component,
                                     const void *image, uint64_t fields);

/* The same for one link, whose target has been read; 0: none. */
ECS_INTERNAL ecs_Status link_reserve_one(ecs_World *world, LinkIndex *index,
                                         ecs_Entity source, ecs_Entity target);

/* Changes the indices as the named fields of an image say, where nothing is
 * recorded. Room must be reserved. Cost: constant for each link. */
ECS_INTERNAL void link_make(LinkSet *links, ecs_Entity source,
                            const Component *component, const void *image,
                            uint64_t fields);

/* Is a link among the named fields of an image, and not nil? */
ECS_INTERNAL bool link_is_made(const LinkSet *links, const Component *component,
                               const void *image, uint64_t fields);

/* Is a link among the fields, be it nil or not? */
static inline bool link_is_named(const LinkSet *links,
                                 const Component *component, uint64_t fields) {
  const LinkIndex *indices = links_of(links, component);
  for (uint32_t i = 0; i < component->link_count; i++)
    if ((fields >> indices[i].field & 1u) != 0) return true;
  return false;
}

/* Does any entity link by a field of the component? */
static inline bool links_exist(const LinkSet *links,
                               const Component *component) {
  const LinkIndex *indices = links_of(links, component);
  for (uint32_t i = 0; i < component->link_count; i++)
    if (indices[i].links > 0) return true;
  return false;
}

/* Checks the links among the values of a spawn, as ecs_spawn takes them.
 * ECS_E_LINK. */
ECS_INTERNAL ecs_Status link_check_spawn(ecs_World *world, const Bundle *bundle,
                                         const void *const *values);

#endif
