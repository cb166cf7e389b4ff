/* parts.c: the parts of a spawn, resolved in a world. */
#include "world/parts.h"

void bind_parts_read(lua_State *L, LuaWorld *world, int world_index, int first,
                     int count, const char *call, SpawnParts *parts) {
  ECS_ASSERT(count >= 0 && lua_gettop(L) == first + count - 1);
  parts->count = (uint32_t)count;
  parts->given = parts->given_room;
  parts->components = parts->component_room;
  parts->images = parts->image_room;
  if (count > PARTS_ON_STACK) {
    size_t n = (size_t)count;
    parts->given = (Given *)lua_newuserdata(L, n * sizeof(Given));
    parts->components =
        (ecs_Component *)lua_newuserdata(L, n * sizeof(ecs_Component));
    parts->images = (const void **)lua_newuserdata(L, n * sizeof(void *));
  }
  for (int k = 0; k < count; k++) {
    Given given = bind_given_at(L, world->state, first + k, call);
    for (int before = 0; before < k; before++)
      if (parts->given[before].definition == given.definition)
        bind_error(L, "%s names %s twice", call, given.definition->name);
    parts->given[k] = given;
    parts->images[k] = given.value ? given.value->image : NULL;
  }
  /* After all parts were checked, so that a wrong one leaves the world as it
   * was. */
  for (int k = 0; k < count; k++)
    parts->components[k] = bind_component_ensure(L, world, world_index,
                                                 parts->given[k].definition);
}
