/* same_code.c: tells functions apart by their code, for scripts/ecs.
 *
 *      line_of(f)           the line where f begins; nothing for one in C
 *      same_code(list, f)   the entry of the list whose code is f's, or nothing
 *
 * Closures made by one piece of a program are different functions with the same
 * code. What may be kept for the code need not be made for each of them; but
 * the proof that two codes are the same has to be complete: it is the dump,
 * byte for byte, compared while it is written, so that a look makes no garbage.
 * Lines and names are part of it: LuaJIT's lua_dump cannot leave them out, and
 * what is one code must not depend on the VM.
 *
 * An entry is a table; its code, as string.dump gives it, is at [1].
 */
#include "object/same_code.h"

#include <string.h>

#if LUA_VERSION_NUM >= 503
#define dump_function(L, writer, data) lua_dump(L, writer, data, 0)
#else
#define dump_function(L, writer, data) lua_dump(L, writer, data)
#endif

typedef struct Comparison {
  const char *code;
  size_t length, at;
} Comparison;

/* A lua_Writer: stops the dump where it differs. */
static int compare(lua_State *L, const void *piece, size_t bytes, void *data) {
  Comparison *with = (Comparison *)data;
  (void)L;
  if (bytes > with->length - with->at ||
      memcmp(with->code + with->at, piece, bytes) != 0)
    return 1;
  with->at += bytes;
  return 0;
}

static bool is_dumped(lua_State *L, int index) {
  return lua_isfunction(L, index) && !lua_iscfunction(L, index);
}

/* same_code(list, f) */
static int same_code(lua_State *L) {
  lua_settop(L, 2);
  if (!lua_istable(L, 1) || !is_dumped(L, 2)) return 0;
  for (int k = 1; compat_rawgeti(L, 1, k) == LUA_TTABLE; k++) {
    Comparison with = {NULL, 0, 0};
    lua_rawgeti(L, 3, 1);
    if (lua_type(L, 4) == LUA_TSTRING)
      with.code = lua_tolstring(L, 4, &with.length);
    lua_pushvalue(L, 2);
    if (with.code && dump_function(L, compare, &with) == 0 &&
        with.at == with.length) {
      lua_settop(L, 3);
      return 1;
    }
    lua_settop(L, 2);
  }
  return 0;
}

/* line_of(f): where it begins; nothing for a function in C. */
static int line_of(lua_State *L) {
  lua_Debug about;
  lua_settop(L, 1);
  if (!is_dumped(L, 1)) return 0;
  lua_getinfo(L, ">S", &about);
  compat_push_whole(L, about.linedefined);
  return 1;
}

static const luaL_Reg functions[] = {
    {"line_of", line_of}, {"same_code", same_code}, {NULL, NULL}};

void bind_open_same_code(lua_State *L) { bind_add(L, functions); }
