/* parts.c: the parts of a spawn, resolved in a world. */
#include "world/parts.h"

static void make_room(lua_State *L, SpawnParts *parts, int count) {
  parts->given = parts->given_room;
  parts->components = parts->component_room;
  parts->images = parts->image_room;
  parts->fields_used = 0;
  if (count <= PARTS_ON_STACK) return;
  size_t n = (size_t)count;
  parts->given = (Given *)lua_newuserdata(L, n * sizeof(Given));
  parts->components =
      (ecs_Component *)lua_newuserdata(L, n * sizeof(ecs_Component));
  parts->images = (const void **)lua_newuserdata(L, n * sizeof(void *));
}

/* Memory for the image of a part that has a table. */
static void *image_memory(lua_State *L, SpawnParts *parts,
                          const Definition *definition) {
  uint32_t needed = (definition->image_bytes + 7) / 8;
  if (needed > FIELDS_ON_STACK - parts->fields_used) {
    luaL_checkstack(L, 8, "too many parts");
    return lua_newuserdata(L, needed * sizeof(uint64_t));
  }
  void *memory = parts->fields_room + parts->fields_used;
  parts->fields_used += needed;
  return memory;
}

/* Raises for what is no part. A row behind a component alone was meant to give
 * the component's fields. */
static void refuse_part(lua_State *L, int index, const char *call,
                        const Given *before) {
  if (before && !before->image) bind_refuse_view(L, index, before->definition);
  bind_given_check(L, index, call);
}

static void refuse_twice(lua_State *L, const SpawnParts *parts, uint32_t k,
                         const char *call) {
  for (uint32_t before = 0; before < k; before++)
    if (parts->given[before].definition == parts->given[k].definition)
      bind_error(L, "%s names %s twice", call,
                 parts->given[k].definition->name);
}

/* Reads the table of fields at index for the part before it, a component alone.
 */
static const void *read_fields(lua_State *L, int index, SpawnParts *parts,
                               Given *given) {
  void *image = image_memory(L, parts, given->definition);
  given->fields = bind_fields_read(L, index, given->definition, image);
  given->image = image;
  return image;
}

void bind_parts_read(lua_State *L, LuaWorld *world, int world_index, int first,
                     int count, const char *call, SpawnParts *parts) {
  uint32_t k = 0;
  ModuleState *state = world->state;
  ECS_ASSERT(count >= 0 && lua_gettop(L) == first + count - 1);
  make_room(L, parts, count);
  for (int index = first; index < first + count; index++) {
    Given *given = &parts->given[k];
    const void *address = lua_touserdata(L, index);
    if (address && *recent_definition(state, address) == address) {
      *given = (Given){(const Definition *)address, NULL, ~UINT64_C(0)};
    } else if (k > 0 && !given[-1].image && lua_istable(L, index)) {
      parts->images[k - 1] = read_fields(L, index, parts, given - 1);
      continue;
    } else if (!bind_given_find_in(L, state, index, given)) {
      refuse_part(L, index, call, k > 0 ? given - 1 : NULL);
    }
    refuse_twice(L, parts, k, call);
    parts->images[k++] = given->image;
  }
  parts->count = k;
  /* After all parts were checked, so that a wrong one leaves the world as it
   * was. */
  for (k = 0; k < parts->count; k++)
    parts->components[k] = bind_component_ensure(L, world, world_index,
                                                 parts->given[k].definition);
}
