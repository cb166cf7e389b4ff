/* compat.h: one spelling of the C API for Lua 5.1 to 5.4 and LuaJIT.
 *
 * The library runs on Lua 5.4 and LuaJIT (standard.lua refuses others); with
 * the headers of the others the binding compiles. It is written against the C
 * API of Lua 5.3. Functions that older versions lack are defined here, and two
 * terms of our own:
 *
 *      private table   a table that belongs to a userdata: its environment in
 *                      Lua 5.1, its user value in later versions
 *      whole number    an integer in Lua 5.3 and later, a number before
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

/* Pops a table and makes it the private table of the userdata at index. */
static inline void compat_set_private(lua_State *L, int index) {
  lua_setfenv(L, index);
}
static inline void compat_push_private(lua_State *L, int index) {
  lua_getfenv(L, index);
}
/* Pushes a userdata that gets no private table. */
static inline void *compat_new_plain(lua_State *L, size_t bytes) {
  return lua_newuserdata(L, bytes);
}
static inline int compat_absolute(lua_State *L, int index) {
  bool fixed = index > 0 || index <= LUA_REGISTRYINDEX;
  return fixed ? index : lua_gettop(L) + index + 1;
}
/* Calls a C function without arguments or results, protected. Allocations for
 * the function itself are protected, too, in Lua 5.1 and LuaJIT. Returns the
 * status of lua_pcall; an error leaves its value on the stack. */
static inline int compat_call(lua_State *L, lua_CFunction function) {
  return lua_cpcall(L, function, NULL);
}

#else

static inline void compat_set_private(lua_State *L, int index) {
  lua_setuservalue(L, index);
}
/* Only the debug library can have replaced the table. */
static inline void compat_push_private(lua_State *L, int index) {
  lua_getuservalue(L, index);
  if (!lua_istable(L, -1)) luaL_error(L, "ecs: a private table is gone");
}
static inline void *compat_new_plain(lua_State *L, size_t bytes) {
#if LUA_VERSION_NUM >= 504
  return lua_newuserdatauv(L, bytes, 0);
#else
  return lua_newuserdata(L, bytes);
#endif
}
static inline int compat_absolute(lua_State *L, int index) {
  return lua_absindex(L, index);
}
static inline int compat_call(lua_State *L, lua_CFunction function) {
  lua_pushcfunction(L, function);
  return lua_pcall(L, 0, 0, 0);
}

#endif

/* The type of C data in LuaJIT, which its headers do not name. Other VMs have
 * no type of this number. */
#define COMPAT_TCDATA 10

/* Pushes a number without a fraction: an integer where Lua has integers, so
 * that it prints, and works as a key, in the same way on every VM. */
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

/* Pushes table[key] and returns its type. */
static inline int compat_rawgeti(lua_State *L, int table, int key) {
#if LUA_VERSION_NUM >= 503
  return lua_rawgeti(L, table, key);
#else
  lua_rawgeti(L, table, key);
  return lua_type(L, -1);
#endif
}

/* Is the collector running? Not where finalizers run: Lua 5.4 answers -1 there.
 * True where Lua has no way to ask. */
static inline bool compat_collects(lua_State *L) {
#ifdef LUA_GCISRUNNING
  return lua_gc(L, LUA_GCISRUNNING, 0) > 0;
#else
  (void)L;
  return true;
#endif
}

#endif
