/* prefab.c: the objects that ecs.prefab returns. */
#include "component/prefab.h"

#include <string.h>

#include "api/for_bindings.h"
#include "component/value_parts.h"
#include "component/new_definition.h"

const Prefab *bind_prefab_find(lua_State *L, int index) {
  return (const Prefab *)bind_find(L, index, KIND_PREFAB);
}

int bind_refuse_prefab_fields(lua_State *L, const Prefab *prefab,
                              const char *call) {
  return bind_error(L,
                    "%s: %s is a prefab and takes no fields: give them by "
                    "their component, as in Health { hp = 50 }",
                    call, prefab->name);
}

void bind_override(const Definition *definition, void *image, const void *from,
                   uint64_t fields) {
  for (uint32_t f = 0; f < definition->field_count; f++)
    if (fields >> f & 1)
      memcpy((char *)image + definition->offsets[f],
             (const char *)from + definition->offsets[f],
             ecs_scalar_bytes(definition->fields[f].type));
}

const Definition *bind_child_of(lua_State *L) {
  ModuleState *state = bind_state(L);
  if (!state->child_of) {
    lua_pushliteral(L, "ChildOf");
    state->child_of = bind_definition_find(L, lua_gettop(L));
    lua_pop(L, 2);
  }
  return (const Definition *)state->child_of;
}

/* Metamethods -------------------------------------------------------------- */

static const Prefab *check_prefab(lua_State *L) {
  const Prefab *prefab = bind_prefab_find(L, 1);
  if (!prefab) bind_error(L, "this is not a prefab");
  return prefab;
}

/* Orc.name; every other key raises. */
static int prefab_index(lua_State *L) {
  const Prefab *prefab = check_prefab(L);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(key, "name") != 0)
    return bind_error(L,
                      "%s is a prefab, of which only the name can be read: "
                      "world:spawn(%s) makes an entity",
                      prefab->name, prefab->name);
  lua_pushstring(L, prefab->name);
  return 1;
}

static int prefab_newindex(lua_State *L) {
  const Prefab *prefab = check_prefab(L);
  return bind_error(L,
                    "%s is a prefab and cannot be changed: make another with "
                    "base = %s",
                    prefab->name, prefab->name);
}

/* Orc { ... } */
static int prefab_call(lua_State *L) {
  return bind_refuse_prefab_fields(L, check_prefab(L), "a value");
}

static int prefab_tostring(lua_State *L) {
  lua_pushstring(L, check_prefab(L)->name);
  return 1;
}

/* For the compiler --------------------------------------------------------- */

/* describe_prefab(value): a list of the parts of a prefab, each { component,
 * fields that are given, as bind_fields_push has them }, and whether it has
 * children; nothing if the value is no prefab. */
static int describe_prefab(lua_State *L) {
  const Prefab *prefab = bind_prefab_find(L, 1);
  if (!prefab) return 0;
  lua_createtable(L, (int)prefab->members[0].count, 0);
  for (uint32_t p = 0; p < prefab->members[0].count; p++) {
    const Given *part = &prefab->parts[p];
    lua_createtable(L, 2, 0);
    bind_definition_push(L, part->definition);
    lua_rawseti(L, -2, 1);
    bind_fields_push(L, part->definition, part->image, part->fields);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, (int)p + 1);
  }
  lua_pushboolean(L, prefab->member_count > 1);
  return 2;
}

void bind_open_prefab(lua_State *L) {
  static const luaL_Reg functions[] = {{"describe_prefab", describe_prefab},
                                       {NULL, NULL}};
  static const luaL_Reg metamethods[] = {{"__index", prefab_index},
                                         {"__newindex", prefab_newindex},
                                         {"__call", prefab_call},
                                         {"__tostring", prefab_tostring},
                                         {NULL, NULL}};
  bind_add(L, functions);
  bind_push_metatable(L, KIND_PREFAB);
  bind_add(L, metamethods);
  lua_pop(L, 1);
}
