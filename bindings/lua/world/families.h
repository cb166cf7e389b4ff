/* families.h: prefabs with children, as a world spawns them.
 *
 *      prefab             members, with their parts
 *      families[prefab]   in the world's private table: a bundle for each child
 *      ecs_Family         members with bundles and images, for one call
 */
#ifndef ECS_LUA_FAMILIES_H
#define ECS_LUA_FAMILIES_H

#include "world/parts.h"

/* Up to this many members need no memory but the C stack. */
#define MEMBERS_ON_STACK 16

typedef struct SpawnFamily {
  ecs_Family family; /* for ecs_spawn_family */
  ecs_Member members_room[MEMBERS_ON_STACK];
} SpawnFamily;

/* Has the call a prefab with children? */
static inline bool parts_have_children(const SpawnParts *parts) {
  return parts->prefab && parts->prefab->member_count > 1;
}

/* Prepares the spawn of parts with children in the world at world_index. Raises
 * in the name of call. May leave values on the stack, which have to stay there
 * while the family is used. */
BIND_INTERNAL void bind_family_prepare(lua_State *L, LuaWorld *world,
                                       int world_index, const SpawnParts *parts,
                                       const char *call, SpawnFamily *spawn);

#endif
