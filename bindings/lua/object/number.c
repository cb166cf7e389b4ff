/* number.c: single numbers and elements of columns, from Lua to C and back. */
#include "object/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/for_bindings.h"
#include "object/held.h"

/* "" is number 0 in a field of strings. */
static bool read_held(lua_State *L, int index, ecs_Scalar type, void *element) {
  uint32_t number = 0;
  if (type == ECS_STRING && lua_type(L, index) != LUA_TSTRING) return false;
  if (lua_isnone(L, index)) return false;
  if (type != ECS_STRING || lua_rawlen(L, index) > 0)
    number = bind_held_number(L, index);
  memcpy(element, &number, sizeof number);
  return true;
}

bool bind_read_element(lua_State *L, int index, ecs_Scalar type,
                       void *element) {
  int kind = lua_type(L, index);
  double number = 0;
  ECS_ASSERT((unsigned)type < ECS_SCALAR_COUNT);
  if (scalar_is_held(type)) return read_held(L, index, type, element);
  if (type == ECS_BOOL) {
    if (kind != LUA_TBOOLEAN) return false;
    number = lua_toboolean(L, index);
  } else if (kind == LUA_TNUMBER) {
    number = lua_tonumber(L, index);
  } else if (type != ECS_ENTITY || kind != LUA_TNIL) {
    return false;
  }
  return ecs_scalar_store(type, element, number) == ECS_OK;
}

void bind_push_entity(lua_State *L, ecs_Entity entity) {
  compat_push_whole(L, (double)entity);
}

void bind_push_number(lua_State *L, ecs_Scalar type, double number) {
  ECS_ASSERT((unsigned)type < ECS_SCALAR_COUNT);
  switch (type) {
    case ECS_F32:
    case ECS_F64: lua_pushnumber(L, number); break;
    case ECS_BOOL: lua_pushboolean(L, number != 0); break;
    case ECS_STRING:
    case ECS_ANY_VALUE: bind_held_push(L, type, (uint32_t)number); break;
    case ECS_ENTITY:
      if (number == 0)
        lua_pushnil(L);
      else
        compat_push_whole(L, number);
      break;
    default: compat_push_whole(L, number); break;
  }
}

void bind_push_element(lua_State *L, ecs_Scalar type, const void *element) {
  bind_push_number(L, type, ecs_scalar_load(type, element));
}

void bind_write_number(char *text, size_t bytes, double number) {
  if (number != number)
    snprintf(text, bytes, "nan");
  else if (number == floor(number) && fabs(number) <= 9007199254740992.0)
    snprintf(text, bytes, "%.0f", number);
  else
    snprintf(text, bytes, "%.14g", number);
}

void bind_push_entity_text(lua_State *L, double handle) {
  char text[96];
  if (handle > 0 && handle < 4503599627370496.0 && handle == floor(handle)) {
    uint64_t bits = (uint64_t)handle;
    snprintf(text, sizeof text, "entity %.0f (index %u, generation %u)", handle,
             (unsigned)(bits & 0xfffffffu), (unsigned)(bits >> 28));
  } else {
    bind_write_number(text, sizeof text, handle);
    lua_pushfstring(L, "entity %s", text);
    return;
  }
  lua_pushstring(L, text);
}

uint64_t bind_whole_check(lua_State *L, int index) {
  double number = luaL_checknumber(L, index);
  if (!(number >= 0 && number < 9007199254740992.0))
    luaL_argerror(L, index, "not a whole number");
  return (uint64_t)number;
}
