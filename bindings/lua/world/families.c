/* families.c: prefabs with children, as a world spawns them. */
#include "world/families.h"

#include "api/for_bindings.h"
#include "world/collect.h"
#include "world/report.h"

/* The bundle of one member of a prefab. */
static ecs_Bundle bundle_of(lua_State *L, LuaWorld *world, int world_index,
                            const Prefab *prefab, uint32_t member,
                            const char *call) {
  const PrefabMember *parts = &prefab->members[member];
  ecs_Bundle bundle = 0;
  luaL_checkstack(L, 4, "a prefab");
  ecs_Component *components = (ecs_Component *)lua_newuserdata(
      L, (parts->count + 1u) * sizeof(ecs_Component));
  for (uint32_t k = 0; k < parts->count; k++)
    components[k] = bind_component_ensure(
        L, world, world_index, prefab->parts[parts->first + k].definition);
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, world, status,
      ecs_bundle(bind_native(L, world), components, parts->count, &bundle));
  bind_check_status(L, world, status, call);
  lua_pop(L, 1);
  return bundle;
}

/* Pushes the bundles of a prefab's members, made at the first call. They live as
 * long as the world, and so does the prefab, by its name. */
static const ecs_Bundle *push_bundles(lua_State *L, LuaWorld *world,
                                      int world_index, const Prefab *prefab,
                                      const char *call) {
  luaL_checkstack(L, 8, "a prefab");
  compat_push_private(L, world_index);
  bind_push_table(L, "families");
  lua_replace(L, -2);
  lua_pushlightuserdata(L, (void *)(uintptr_t)prefab);
  lua_rawget(L, -2);
  size_t bytes = prefab->member_count * sizeof(ecs_Bundle);
  if (lua_touserdata(L, -1) && lua_rawlen(L, -1) == bytes)
    return (const ecs_Bundle *)lua_touserdata(L, -1);
  lua_pop(L, 1);
  for (uint32_t p = 0; p < prefab->part_count; p++)
    bind_needs_check(L, world, prefab->parts[p].definition);
  ecs_Bundle *bundles = (ecs_Bundle *)lua_newuserdata(L, bytes);
  for (uint32_t m = 0; m < prefab->member_count; m++)
    bundles[m] = bundle_of(L, world, world_index, prefab, m, call);
  lua_pushlightuserdata(L, (void *)(uintptr_t)prefab);
  lua_pushvalue(L, -2);
  lua_rawset(L, -4);
  return bundles;
}

/* The bundle of the first member: of the prefab alone, or of a call that has
 * other parts, too. */
static ecs_Bundle first_bundle(lua_State *L, const LuaWorld *world,
                               const SpawnParts *parts, ecs_Bundle plain,
                               const char *call) {
  ecs_Bundle bundle = plain;
  if (parts->plain) return plain;
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   ecs_bundle(bind_native(L, world), parts->components,
                              parts->count, &bundle));
  bind_check_status(L, world, status, call);
  return bundle;
}

void bind_family_prepare(lua_State *L, LuaWorld *world, int world_index,
                         const SpawnParts *parts, const char *call,
                         SpawnFamily *spawn) {
  const Prefab *prefab = parts->prefab;
  uint32_t count = prefab->member_count;
  const Definition *child_of = bind_child_of(L);
  ECS_ASSERT(child_of); /* or there would be no prefab */
  const ecs_Bundle *bundles = push_bundles(L, world, world_index, prefab, call);
  ecs_Member *members = spawn->members_room;
  if (count > MEMBERS_ON_STACK)
    members = (ecs_Member *)lua_newuserdata(L, count * sizeof *members);
  members[0] = (ecs_Member){first_bundle(L, world, parts, bundles[0], call),
                            parts->images, 0};
  for (uint32_t m = 1; m < count; m++)
    members[m] =
        (ecs_Member){bundles[m], prefab->images + prefab->members[m].first,
                     prefab->members[m].parent};
  spawn->family = (ecs_Family){
      .members = members,
      .member_count = count,
      .link = bind_component_ensure(L, world, world_index, child_of),
      .field = bind_field_find(child_of, "parent")};
}
