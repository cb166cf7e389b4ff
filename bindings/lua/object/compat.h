/* compat.h: one spelling of the C API for Lua 5.1 to 5.4 and LuaJIT.
 *
 * The rest of the binding is written once, in the words of Lua 5.3; what the
 * older ones lack is put here. Two notions are our own:
 *
 *      a private table   one table that belongs to a userdata: its environment
 *                        in Lua 5.1, its user value later
 *      a whole number    an integer of 5.3 and later, a number before
 *
 * LuaJIT has the names of Lua 5.1 and some of 5.2.
 */
#ifndef ECS_LUA_COMPAT_H
#define ECS_LUA_COMPAT_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#if LUA_VERSION_NUM < 502

#define lua_rawlen(L, index) lua_objlen(L, index)

/* Takes the table from the top of the stack. */
static inline void compat_set_private(lua_State *L, int index) {
  lua_setfenv(L, index);
}
static inline void compat_push_private(lua_State *L, int index) {
  lua_getfenv(L, index);
}
static inline int compat_absolute(lua_State *L, int index) {
  bool fixed = index > 0 || index <= LUA_REGISTRYINDEX;
  return fixed ? index : lua_gettop(L) + index + 1;
}
/* Calls a function protected, making it as well. */
static inline int compat_call(lua_State *L, lua_CFunction function) {
  return lua_cpcall(L, function, NULL);
}

#else

static inline void compat_set_private(lua_State *L, int index) {
  lua_setuservalue(L, index);
}
/* Only the debug library can have put something else there. */
static inline void compat_push_private(lua_State *L, int index) {
  lua_getuservalue(L, index);
  if (!lua_istable(L, -1)) luaL_error(L, "ecs: a private table is gone");
}
static inline int compat_absolute(lua_State *L, int index) {
  return lua_absindex(L, index);
}
static inline int compat_call(lua_State *L, lua_CFunction function) {
  lua_pushcfunction(L, function);
  return lua_pcall(L, 0, 0, 0);
}

#endif

/* A number without a fraction reads as an integer where Lua has integers, so
 * that it prints and serves as a key in the same way everywhere. */
static inline void compat_push_integer(lua_State *L, int64_t number) {
#if LUA_VERSION_NUM >= 503
  lua_pushinteger(L, (lua_Integer)number);
#else
  lua_pushnumber(L, (lua_Number)number);
#endif
}
static inline void compat_push_whole(lua_State *L, double number) {
  compat_push_integer(L, (int64_t)number);
}

/* The type of table[key], which is pushed. */
static inline int compat_rawgeti(lua_State *L, int table, int key) {
#if LUA_VERSION_NUM >= 503
  return lua_rawgeti(L, table, key);
#else
  lua_rawgeti(L, table, key);
  return lua_type(L, -1);
#endif
}

/* Is the collector running, as far as can be known? */
static inline bool compat_collects(lua_State *L) {
#ifdef LUA_GCISRUNNING
  return lua_gc(L, LUA_GCISRUNNING, 0) != 0;
#else
  (void)L;
  return true;
#endif
}

#endif
