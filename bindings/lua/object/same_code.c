/* same_code.c: compares functions by their code.
 *
 *      line_of(f)           the line where f begins; nothing for a C function
 *      same_code(list, f)   the entry of the list with the code of f; nothing
 *                           when there is none
 *
 * Closures of the same source text are different functions with the same code,
 * and share what scripts/ecs compiles for them. Equality must be certain: the
 * dumps are compared byte for byte. The comparison runs while the dump of f is
 * written, so it makes no garbage. Lines and names belong to the dump: LuaJIT's
 * lua_dump cannot strip them, and the result must not depend on the VM.
 *
 * An entry is a table with the code, as string.dump returns it, at [1].
 */
#include "object/same_code.h"

#include <string.h>

#if LUA_VERSION_NUM >= 503
#define dump_function(L, writer, data) lua_dump(L, writer, data, 0)
#else
#define dump_function(L, writer, data) lua_dump(L, writer, data)
#endif

typedef struct Comparison {
  const char *code; /* borrowed from the entry; NULL: the entry has none */
  size_t length;    /* bytes of code */
  size_t offset;    /* bytes that are equal so far */
} Comparison;

/* A lua_Writer: compares a piece of the dump, and stops the dump where it
 * differs. */
static int compare(lua_State *L, const void *piece, size_t bytes, void *data) {
  Comparison *with = (Comparison *)data;
  (void)L;
  if (bytes > with->length - with->offset ||
      memcmp(with->code + with->offset, piece, bytes) != 0)
    return 1;
  with->offset += bytes;
  return 0;
}

static bool can_be_dumped(lua_State *L, int index) {
  return lua_isfunction(L, index) && !lua_iscfunction(L, index);
}

/* same_code(list, f) */
static int same_code(lua_State *L) {
  lua_settop(L, 2);
  if (!lua_istable(L, 1) || !can_be_dumped(L, 2)) return 0;
  for (int k = 1; compat_rawgeti(L, 1, k) == LUA_TTABLE; k++) {
    Comparison with = {NULL, 0, 0};
    lua_rawgeti(L, 3, 1);
    if (lua_type(L, 4) == LUA_TSTRING)
      with.code = lua_tolstring(L, 4, &with.length);
    lua_pushvalue(L, 2);
    if (with.code && dump_function(L, compare, &with) == 0 &&
        with.offset == with.length) {
      lua_settop(L, 3);
      return 1;
    }
    lua_settop(L, 2);
  }
  return 0;
}

/* line_of(f) */
static int line_of(lua_State *L) {
  lua_Debug about;
  lua_settop(L, 1);
  if (!can_be_dumped(L, 1)) return 0;
  lua_getinfo(L, ">S", &about);
  compat_push_whole(L, about.linedefined);
  return 1;
}

static const luaL_Reg functions[] = {
    {"line_of", line_of}, {"same_code", same_code}, {NULL, NULL}};

void bind_open_same_code(lua_State *L) { bind_add(L, functions); }
