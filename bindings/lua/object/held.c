/* held.c: the values of fields of type string and any, as the Lua state keeps
 * them.
 *
 * A number is given in two steps, between which nothing allocates: the value is
 * put into the table of Lua, which may fail, and then the number is taken.
 */
#include "object/held.h"

#include <string.h>

#include "api/for_bindings.h"
#include "object/error.h"

/* Pushes a table of the state's private table. */
static void push_slot(lua_State *L, int slot) {
  bind_push_shared(L);
  lua_rawgeti(L, -1, slot);
  lua_remove(L, -2);
}

/* Makes room for more. A finalizer may have made some meanwhile. */
static void grow(lua_State *L, ModuleState *state) {
  uint32_t capacity = state->held.capacity ? state->held.capacity * 2 : 64;
  if (state->held.capacity >= UINT32_C(1) << 30)
    bind_error(L, "too many values are held in fields of type string and any");
  size_t bytes = ecs_held_bytes(capacity);
  void *memory = lua_newuserdata(L, bytes);
  memset(memory, 0, bytes);
  if (capacity > state->held.capacity) {
    bind_push_shared(L);
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, HELD_MEMORY);
    lua_pop(L, 1);
    ecs_held_move(&state->held, memory, capacity);
  }
  lua_pop(L, 1);
}

/* Is a table or userdata an object of ecs? What copies a column has no name. */
static bool is_ours(lua_State *L, int index) {
  bool named = false;
  if (luaL_getmetafield(L, index, "__ecs")) {
    lua_pop(L, 1);
    return true;
  }
  if (luaL_getmetafield(L, index, "__name")) {
    named = lua_type(L, -1) == LUA_TSTRING &&
            strncmp(lua_tostring(L, -1), "ecs.", 4) == 0;
    lua_pop(L, 1);
  }
  return named;
}

/* The kind of a value that is found by its address. Objects of ecs are userdata,
 * tables or C data, as it suits a VM: they count as one kind. On LuaJIT all C data
 * do, since their types cannot be told apart here. */
static const char *kind_of(lua_State *L, int index, int type) {
  bool may_be_ours = type == LUA_TTABLE || type == LUA_TUSERDATA;
  return type == COMPAT_TCDATA || (may_be_ours && is_ours(L, index))
             ? "ecs"
             : luaL_typename(L, index);
}

/* Describes the value at index, which is not nil. */
static void describe(lua_State *L, int index, HeldValue *value) {
  int type = lua_type(L, index);
  size_t bytes;
  const char *text;
  switch (type) {
    case LUA_TBOOLEAN:
      ecs_held_boolean(value, lua_toboolean(L, index) != 0);
      break;
    case LUA_TNUMBER:
#if LUA_VERSION_NUM >= 503
      if (lua_isinteger(L, index)) {
        ecs_held_integer(value, (int64_t)lua_tointeger(L, index));
        break;
      }
#endif
      ecs_held_number(value, (double)lua_tonumber(L, index));
      break;
    case LUA_TSTRING:
      text = lua_tolstring(L, index, &bytes);
      ecs_held_string(value, text, bytes);
      break;
    default:
      ecs_held_other(value, kind_of(L, index, type), type,
                     lua_topointer(L, index));
      break;
  }
}

uint32_t bind_held_number(lua_State *L, int index) {
  ModuleState *state = bind_state(L);
  HeldValue value;
  if (lua_isnil(L, index)) return 0;
  luaL_checkstack(L, 8, "a value of a field");
  index = compat_absolute(L, index);
  describe(L, index, &value);
  uint32_t number = ecs_held_find(&state->held, &value);
  if (number != 0) return number;
  if (bind_held_is_due(state) && state->let_go) state->let_go(L, state);
  while (!ecs_held_has_room(&state->held)) grow(L, state);
  number = ecs_held_find(&state->held, &value);
  if (number != 0) return number;
  push_slot(L, HELD_OBJECTS);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, (int)ecs_held_next(&state->held));
  lua_pop(L, 1);
  return ecs_held_add(&state->held, &value);
}

uint64_t bind_held_content(lua_State *L, int index) {
  HeldValue value;
  if (lua_isnil(L, index)) return 0;
  describe(L, index, &value);
  return value.content;
}

void bind_held_push(lua_State *L, ecs_Scalar type, uint32_t number) {
  if (held_get(&bind_state(L)->held, number)) {
    push_slot(L, HELD_OBJECTS);
    lua_rawgeti(L, -1, (int)number);
    lua_remove(L, -2);
    if (type != ECS_STRING || lua_type(L, -1) == LUA_TSTRING) return;
    lua_pop(L, 1);
  }
  if (type != ECS_STRING) {
    lua_pushnil(L);
    return;
  }
  push_slot(L, HELD_OBJECTS);
  lua_rawgeti(L, -1, 0); /* "" */
  lua_remove(L, -2);
}

void bind_held_list(lua_State *L) {
  push_slot(L, HELD_REFERRERS);
  lua_pushvalue(L, -2);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

void bind_held_pause(lua_State *L) {
  (void)lua_newuserdata(L, 1);
  push_slot(L, HELD_PAUSES);
  lua_pushvalue(L, -2);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

void bind_held_resume(lua_State *L, int index) {
  lua_pushvalue(L, index);
  push_slot(L, HELD_PAUSES);
  lua_insert(L, -2);
  lua_pushnil(L);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

bool bind_held_is_paused(lua_State *L) {
  push_slot(L, HELD_PAUSES);
  lua_pushnil(L);
  bool is_paused = lua_next(L, -2) != 0;
  lua_pop(L, is_paused ? 3 : 1);
  return is_paused;
}

void bind_held_pin(lua_State *L, uint32_t number) {
  ModuleState *state = bind_state(L);
  if (held_get(&state->held, number)) state->held.all[number].pinned = true;
}
