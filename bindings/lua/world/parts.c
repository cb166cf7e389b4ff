/* parts.c: the parts of a spawn, resolved in a world. */
#include "world/parts.h"

#include <string.h>

static void make_room(lua_State *L, SpawnParts *parts, int count) {
  parts->given = parts->given_room;
  parts->components = parts->component_room;
  parts->images = parts->image_room;
  parts->fields_used = 0;
  parts->capacity = PARTS_ON_STACK;
  parts->prefab = NULL;
  parts->plain = false;
  if (count <= PARTS_ON_STACK) return;
  parts->capacity = (uint32_t)count;
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
  if (definition->held) {
    luaL_checkstack(L, 8, "too many parts");
    return bind_value_new(L, definition)->image;
  }
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

/* Prefabs ------------------------------------------------------------------ */

static void take_prefab(lua_State *L, SpawnParts *parts, const Prefab *prefab,
                        const char *call) {
  if (parts->prefab == prefab)
    bind_error(L, "%s names %s twice", call, prefab->name);
  if (parts->prefab)
    bind_error(L, "%s takes one prefab, not %s and %s", call,
               parts->prefab->name, prefab->name);
  parts->prefab = prefab;
}

/* Makes room for all parts of a prefab behind the first count ones. */
static void make_more_room(lua_State *L, SpawnParts *parts, uint32_t count) {
  uint32_t all = count + parts->prefab->members[0].count;
  const Given *given = parts->given;
  const void **images = parts->images;
  if (all <= parts->capacity) return;
  luaL_checkstack(L, 8, "too many parts");
  parts->given = (Given *)lua_newuserdata(L, all * sizeof(Given));
  parts->components =
      (ecs_Component *)lua_newuserdata(L, all * sizeof(ecs_Component));
  parts->images = (const void **)lua_newuserdata(L, all * sizeof(void *));
  memcpy(parts->given, given, count * sizeof(Given));
  memcpy((void *)parts->images, (const void *)images, count * sizeof(void *));
  parts->capacity = all;
}

/* Gives a part the fields of a prefab's part that it does not give itself. */
static void fill_from(lua_State *L, SpawnParts *parts, uint32_t k,
                      const Given *from) {
  Given *given = &parts->given[k];
  if (!from->image) return;
  if (!given->image) {
    *given = *from;
  } else {
    void *image = image_memory(L, parts, given->definition);
    memcpy(image, from->image, given->definition->image_bytes);
    bind_override(given->definition, image, given->image, given->fields);
    given->image = image;
    given->fields |= from->fields;
  }
  parts->images[k] = given->image;
}

/* Appends the parts of the prefab to the count that the call has named, or
 * fills those in. Returns how many there are then. */
static uint32_t append_prefab(lua_State *L, SpawnParts *parts, uint32_t count) {
  const Prefab *prefab = parts->prefab;
  uint32_t all = count;
  make_more_room(L, parts, count);
  parts->plain = count == 0;
  for (uint32_t p = 0; p < prefab->members[0].count; p++) {
    const Given *from = &prefab->parts[p];
    uint32_t k = 0;
    while (k < count && parts->given[k].definition != from->definition) k++;
    if (k < count) {
      fill_from(L, parts, k, from);
      continue;
    }
    parts->given[all] = *from;
    parts->images[all++] = from->image;
  }
  return all;
}

/* Reading ------------------------------------------------------------------ */

/* Reads what is neither a component nor a value nor a table of fields: it is the
 * prefab, or raises. */
static void read_prefab(lua_State *L, SpawnParts *parts, int index, uint32_t k,
                        const char *call) {
  const Prefab *prefab = bind_prefab_find(L, index);
  if (!prefab) {
    const Prefab *last = bind_prefab_find(L, index - 1);
    if (last && lua_istable(L, index)) bind_refuse_prefab_fields(L, last, call);
    refuse_part(L, index, call, k > 0 ? &parts->given[k - 1] : NULL);
  }
  take_prefab(L, parts, prefab, call);
}

/* Raises where something that a part needs, or one of a child of the prefab,
 * has no definition. */
static void check_needs(lua_State *L, const LuaWorld *world,
                        const SpawnParts *parts) {
  for (uint32_t k = 0; k < parts->count; k++)
    bind_needs_check(L, world, parts->given[k].definition);
  for (uint32_t p = 0; parts->prefab && p < parts->prefab->part_count; p++)
    bind_needs_check(L, world, parts->prefab->parts[p].definition);
}

bool bind_parts_find(lua_State *L, const LuaWorld *world, int first, int count,
                     const char *call, SpawnParts *parts) {
  uint32_t k = 0;
  ModuleState *state = world->state;
  ECS_ASSERT(count >= 0 && lua_gettop(L) == first + count - 1);
  make_room(L, parts, count);
  for (int index = first; index < first + count; index++) {
    Given *given = &parts->given[k];
    const void *address = lua_touserdata(L, index);
    if (is_recent(L, state, index, address)) {
      *given = (Given){(const Definition *)address, NULL, ~UINT64_C(0)};
    } else if (k > 0 && !given[-1].image && lua_istable(L, index) &&
               !(parts->prefab && bind_prefab_find(L, index - 1))) {
      parts->images[k - 1] = read_fields(L, index, parts, given - 1);
      continue;
    } else if (!bind_given_find_in(L, state, index, given)) {
      read_prefab(L, parts, index, k, call);
      continue;
    }
    refuse_twice(L, parts, k, call);
    parts->images[k++] = given->image;
  }
  parts->count = parts->prefab ? append_prefab(L, parts, k) : k;
  bool found = true;
  for (k = 0; k < parts->count; k++) {
    parts->components[k] =
        bind_component_find(world, parts->given[k].definition);
    if (!parts->components[k]) found = false;
  }
  if (!found) check_needs(L, world, parts);
  return found;
}

void bind_parts_define(lua_State *L, LuaWorld *world, int world_index,
                       SpawnParts *parts) {
  for (uint32_t k = 0; k < parts->count; k++)
    parts->components[k] = bind_component_ensure(L, world, world_index,
                                                 parts->given[k].definition);
}

void bind_parts_read(lua_State *L, LuaWorld *world, int world_index, int first,
                     int count, const char *call, SpawnParts *parts) {
  /* After all parts were checked, so that a wrong one leaves the world as it
   * was. */
  if (!bind_parts_find(L, world, first, count, call, parts))
    bind_parts_define(L, world, world_index, parts);
}
