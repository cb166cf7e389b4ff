/* value_parts.c: what a value is made of, for messages and for scripts/ecs. */
#include "component/value_parts.h"

#include <stdio.h>

#include "api/for_bindings.h"
#include "object/held.h"
#include "object/number.h"

/* A string in quotes; another value as messages have it. */
static void add_held(lua_State *L, luaL_Buffer *buffer, ecs_Scalar type,
                     uint32_t number) {
  bind_held_push(L, type, number);
  if (lua_type(L, -1) == LUA_TSTRING)
    lua_pushfstring(L, "\"%s\"", lua_tostring(L, -1));
  else
    bind_push_description(L, lua_gettop(L));
  lua_remove(L, -2);
  luaL_addvalue(buffer);
}

/* "Position { x = 1 }" */
static int value_tostring(lua_State *L) {
  const Value *value = (Value *)bind_find(L, 1, KIND_VALUE);
  if (!value) return bind_error(L, "this is not a value");
  const Definition *definition = value->definition;
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addstring(&buffer, definition->name);
  const char *before = " { ";
  for (uint32_t f = 0; f < definition->field_count; f++) {
    if (!(value->given >> f & 1)) continue;
    const ecs_Field *field = &definition->fields[f];
    char text[64];
    double number = ecs_scalar_load(
        field->type, (const char *)value->image + definition->offsets[f]);
    bind_write_number(text, sizeof text, number);
    if (field->type == ECS_BOOL)
      snprintf(text, sizeof text, number != 0 ? "true" : "false");
    luaL_addstring(&buffer, before);
    luaL_addstring(&buffer, field->name);
    luaL_addstring(&buffer, " = ");
    if (scalar_is_held(field->type))
      add_held(L, &buffer, field->type, (uint32_t)number);
    else
      luaL_addstring(&buffer, text);
    before = ", ";
  }
  luaL_addstring(&buffer, before[0] == ',' ? " }" : " {}");
  luaL_pushresult(&buffer);
  return 1;
}

void bind_fields_push(lua_State *L, const Definition *definition,
                      const void *image, uint64_t fields) {
  int next = 1;
  lua_newtable(L);
  for (uint32_t f = 0; f < definition->field_count; f++) {
    if (!(fields >> f & 1)) continue;
    const ecs_Field *field = &definition->fields[f];
    lua_pushstring(L, field->name);
    lua_rawseti(L, -2, next++);
    lua_pushnumber(L, ecs_scalar_load(field->type, (const char *)image +
                                                       definition->offsets[f]));
    lua_rawseti(L, -2, next++);
  }
}

/* value_parts(value): its definition and the list of the fields that are given,
 * as bind_fields_push has them. */
static int value_parts(lua_State *L) {
  const Value *value = (const Value *)bind_find(L, 1, KIND_VALUE);
  if (!value) return luaL_argerror(L, 1, "no value");
  lua_settop(L, 1); /* keeps the value */
  bind_definition_push(L, value->definition);
  bind_fields_push(L, value->definition, value->image, value->given);
  return 2;
}

/* definition_of(part): the definition of a value, or the part itself where it is
 * a definition; nothing for everything else. */
static int definition_of(lua_State *L) {
  lua_settop(L, 1);
  const Value *value = (const Value *)bind_find(L, 1, KIND_VALUE);
  if (value) {
    bind_definition_push(L, value->definition);
    return 1;
  }
  return bind_find(L, 1, KIND_DEFINITION) ? 1 : 0;
}

/* description(value): it as error messages show it. */
static int description(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  bind_push_description(L, 1);
  return 1;
}

void bind_open_value_parts(lua_State *L) {
  static const luaL_Reg functions[] = {{"definition_of", definition_of},
                                       {"description", description},
                                       {"value_parts", value_parts},
                                       {NULL, NULL}};
  static const luaL_Reg metamethods[] = {{"__tostring", value_tostring},
                                         {NULL, NULL}};
  bind_add(L, functions);
  bind_push_metatable(L, KIND_VALUE);
  bind_add(L, metamethods);
  lua_pop(L, 1);
}
