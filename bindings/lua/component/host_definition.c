/* host_definition.c: the definition for a component that a host defined.
 *
 * It keeps the order of fields that the host's world has, so that images and
 * columns are the same on both sides.
 */
#include "component/host_definition.h"

#include <string.h>

#include "api/for_bindings.h"
#include "component/new_definition.h"
#include "object/name.h"

/* Could a script have given all these names? */
static bool has_plain_names(const ecs_World *native, ecs_Component component) {
  const char *name = ecs_component_name(native, component);
  if (!bind_name_is_valid(name, strlen(name)) || bind_name_is_reserved(name))
    return false;
  uint32_t count = ecs_component_field_count(native, component);
  for (uint32_t f = 0; f < count; f++) {
    ecs_FieldInfo info;
    if (ecs_component_field(native, component, f, &info) != ECS_OK ||
        !bind_name_is_valid(info.name, strlen(info.name)))
      return false;
  }
  return true;
}

static ecs_Field field_of(const ecs_World *native, ecs_Component component,
                          uint32_t field) {
  ecs_FieldInfo info = {.name = "", .type = ECS_F32};
  (void)ecs_component_field(native, component, field, &info);
  return (ecs_Field){info.name, info.type, info.default_value};
}

static bool agrees_on_link(const Definition *definition,
                           const ecs_World *native, ecs_Component component,
                           uint32_t field) {
  ecs_FieldInfo info = {.is_link = false};
  (void)ecs_component_field(native, component, field, &info);
  const ecs_Link *link = bind_definition_link_of(definition, field);
  if (!link || !info.is_link) return !link && !info.is_link;
  return link->rule == info.rule && link->tree == info.tree;
}

/* Is the component the same, order of fields included? */
static bool agrees(const Definition *definition, const ecs_World *native,
                   ecs_Component component) {
  if (definition->storage != ecs_component_storage(native, component) ||
      definition->field_count != ecs_component_field_count(native, component))
    return false;
  for (uint32_t f = 0; f < definition->field_count; f++) {
    ecs_Field field = field_of(native, component, f);
    if (!bind_field_equals(&definition->fields[f], &field) ||
        !agrees_on_link(definition, native, component, f))
      return false;
  }
  return true;
}

/* Pushes a new definition that equals the component. name is the stack index of
 * the component's name. */
static Definition *copy(lua_State *L, int name, const ecs_World *native,
                        ecs_Component component) {
  uint32_t count = ecs_component_field_count(native, component);
  Definition *definition = bind_definition_begin(L, name, count);
  for (uint32_t f = 0; f < count; f++) {
    ecs_Field field = field_of(native, component, f);
    lua_pushstring(L, field.name);
    field.name = lua_tostring(L, -1);
    definition->fields[f] = field;
    ecs_FieldInfo info = {.is_link = false};
    (void)ecs_component_field(native, component, f, &info);
    if (info.is_link) bind_definition_link(definition, f, info.rule, info.tree);
    lua_rawseti(L, -2, (int)f + 1);
  }
  definition->storage = ecs_component_storage(native, component);
  bind_definition_finish(L, definition);
  return definition;
}

HostDefinition bind_definition_for(lua_State *L, const ecs_World *native,
                                   ecs_Component component, bool create) {
  HostDefinition result = {NULL, false};
  if (!has_plain_names(native, component)) return result;
  int top = lua_gettop(L);
  lua_pushstring(L, ecs_component_name(native, component));
  Definition *known = bind_definition_find(L, top + 1);
  if (known && agrees(known, native, component)) {
    result.definition = known;
  } else if (known) {
    result.conflict = true;
  } else if (create) {
    Definition *definition = copy(L, top + 1, native, component);
    bind_definition_add(L, definition);
    result.definition = definition;
  }
  ECS_ASSERT(!result.definition || result.definition->index > 0);
  ECS_ASSERT(!result.definition ||
             agrees(result.definition, native, component));
  lua_settop(L, top);
  return result;
}
