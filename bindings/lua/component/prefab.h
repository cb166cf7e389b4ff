/* prefab.h: prefabs: what is spawned from one call, again and again.
 *
 *      local Orc = ecs.prefab("Orc", { base = Humanoid, Health { hp = 50 },
 *                                      children = { { Sword } } })
 *
 * A prefab belongs to the Lua state and is independent of any world. What it
 * has from its base is in it, so it never changes after it was made:
 *
 *      Prefab  header | members | parts | pointers to images | images
 *      members   0 the entity itself   1 its first child   2 a child of that ...
 *
 * A member stands before its children. Those have ecs.ChildOf as their last
 * part.
 */
#ifndef ECS_LUA_PREFAB_H
#define ECS_LUA_PREFAB_H

#include "component/definition.h"

typedef struct PrefabMember {
  uint32_t first; /* of its parts */
  uint32_t count;
  uint32_t parent; /* of the members; of the first one: 0 */
} PrefabMember;

typedef struct Prefab {
  Header header;
  const char *name;      /* borrowed from a string in the private table */
  uint32_t member_count; /* 1: it has no children */
  uint32_t part_count;   /* of all members */
  const PrefabMember *members;
  const Given *parts;        /* an image where a field is given; `fields` are
                                those that are given, none without an image */
  const void *const *images; /* of the parts, once more */
} Prefab;

/* The prefab at index; NULL when it is anything else. */
BIND_INTERNAL const Prefab *bind_prefab_find(lua_State *L, int index);

/* Raises because a table of fields stands behind a prefab. */
BIND_INTERNAL int bind_refuse_prefab_fields(lua_State *L, const Prefab *prefab,
                                            const char *call);

/* Stores in an image the given fields of another. */
BIND_INTERNAL void bind_override(const Definition *definition, void *image,
                                 const void *from, uint64_t fields);

/* The definition of ecs.ChildOf; NULL: there is none yet. */
BIND_INTERNAL const Definition *bind_child_of(lua_State *L);

/* Adds describe_prefab to the table on top of the stack, and the metamethods of
 * prefabs. */
BIND_INTERNAL void bind_open_prefab(lua_State *L);

#endif
