/* outside.c: whether what a program reads outside of its rows is as it was.
 *
 * scripts/ecs/compile/captures.lua reads variables, globals and fields of
 * tables, whatever they may be. Behind each row that leaves its program
 * (exit_loop.c) the same has to be asked again, and mostly nothing has changed.
 * This answers that case: same or not certain.
 */
#include "program/outside.h"

#include <string.h>

/* Pushes what a reader reads: its root, and its keys from number first to last
 * of the list at index, one in the other. False: that is not certain. */
static bool push_read(lua_State *L, int list, int first, int last) {
  for (int k = first; k <= last; k++) {
    if (!lua_istable(L, -1)) return false;
    lua_rawgeti(L, list, k);
    lua_rawget(L, -2);
    if (lua_isnil(L, -1) && lua_getmetatable(L, -2)) return false;
    lua_remove(L, -2);
  }
  return true;
}

/* Are the two values on top of the stack the same? Numbers bit by bit. */
static bool are_same(lua_State *L) {
  if (lua_type(L, -1) != LUA_TNUMBER || lua_type(L, -2) != LUA_TNUMBER)
    return lua_rawequal(L, -1, -2);
  double one = lua_tonumber(L, -1), other = lua_tonumber(L, -2);
  return memcmp(&one, &other, sizeof one) == 0;
}

/* Reads one value and compares it. The list at index has, from at on: the
 * function, or false for the one at index `function`; the number of its upvalue;
 * how many keys follow; the keys; and the value. */
static bool is_same(lua_State *L, int list, int at, int keys, int function) {
  lua_rawgeti(L, list, at);
  if (!lua_toboolean(L, -1)) lua_pushvalue(L, function);
  lua_rawgeti(L, list, at + 1);
  int upvalue = (int)lua_tonumber(L, -1);
  lua_pop(L, 1);
  if (!lua_isfunction(L, -1) || !lua_getupvalue(L, -1, upvalue)) return false;
  if (!push_read(L, list, at + 3, at + 2 + keys)) return false;
  lua_rawgeti(L, list, at + 3 + keys);
  return are_same(L);
}

bool bind_outside_same(lua_State *L, int list, int function) {
  int top = lua_gettop(L), count = (int)lua_rawlen(L, list), at = 1;
  bool same = true;
  while (same && at < count) {
    lua_rawgeti(L, list, at + 2);
    int keys = (int)lua_tonumber(L, -1);
    same = is_same(L, list, at, keys, function);
    lua_settop(L, top);
    at += 4 + keys;
  }
  return same;
}
