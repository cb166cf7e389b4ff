/* error.c: raises errors that blame a line of a script.
 *
 *      script.lua:7   world:progress(dt)     blamed
 *      scripts/ecs    core.frame(...)        skipped: its chunk lies in the
 *                                            folder chunk_folder
 *      C              bind_error
 */
#include "object/error.h"

#include <stdarg.h>
#include <string.h>

#include "api/for_bindings.h"

/* Does it stand between folders and files? On Windows both may, in one name:
 * "./scripts/ecs\backend.lua". */
static bool is_separator(char c) { return c == '/' || c == *LUA_DIRSEP; }

const char *bind_inside(const char *source, const char *folder) {
  size_t length = folder ? strlen(folder) : 0;
  if (!folder || strncmp(source, folder, length) != 0) return NULL;
  if (source[length] == '\0') return source + length;
  return is_separator(source[length]) ? source + length + 1 : NULL;
}

/* Pushes the position to blame: where the running function was called or, if
 * scripts/ecs called it, where scripts/ecs was called. */
static void push_position(lua_State *L) {
  lua_Debug info;
  int level = 1;
  bind_push_shared(L);
  lua_getfield(L, -1, "chunk_folder");
  const char *folder = lua_tostring(L, -1);
  while (lua_getstack(L, level, &info) && lua_getinfo(L, "S", &info) &&
         (bind_inside(info.source, folder) || (level > 1 && *info.what == 'C')))
    level++;
  luaL_where(L, level);
  lua_insert(L, -3);
  lua_pop(L, 2);
  ECS_ASSERT(lua_type(L, -1) == LUA_TSTRING);
}

int bind_raise(lua_State *L) {
  push_position(L);
  lua_insert(L, -2);
  lua_concat(L, 2);
  return lua_error(L);
}

int bind_error(lua_State *L, const char *format, ...) {
  va_list arguments;
  push_position(L);
  lua_pushliteral(L, "ecs: ");
  va_start(arguments, format);
  lua_pushvfstring(L, format, arguments);
  va_end(arguments);
  lua_concat(L, 3);
  return lua_error(L);
}

int bind_fail(lua_State *L) {
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

int bind_refuse_self(lua_State *L, int index, const char *self) {
  const char *name = lua_tostring(L, lua_upvalueindex(2));
  return bind_error(L,
                    "%s is called with ':', as in %s:%s(...); in place of "
                    "the %s it got: %s",
                    name, self, name, self, bind_kind_name(L, index));
}

uint32_t bind_length(lua_State *L, int index, const char *call) {
  size_t length = (size_t)lua_rawlen(L, index);
  if (length > LIST_LIMIT)
    bind_error(L, "%s takes a list of at most %d entries", call,
               (int)LIST_LIMIT);
  return (uint32_t)length;
}

int bind_refuse_nil(lua_State *L, int entry, const char *call) {
  return bind_error(L, "%s: entry %d is nil: is its variable defined?", call,
                    entry);
}

void bind_push_table(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  if (!lua_istable(L, -1)) bind_error(L, "the table of %s is gone", name);
}

/* never_blame(f): f is a function of a file that lies in scripts/ecs
 * itself, not in one of its folders. Files in that folder and below it are
 * never blamed from now on. Only the first call has an effect, so no script can
 * change it. */
static int never_blame(lua_State *L) {
  lua_Debug info;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_getinfo(L, ">S", &info);
  if (*info.what == 'C') return 0;
  size_t length = strlen(info.source);
  while (length > 0 && !is_separator(info.source[length])) length--;
  bind_push_shared(L);
  lua_getfield(L, -1, "chunk_folder");
  if (lua_isnil(L, -1)) {
    lua_pushlstring(L, info.source, length > 0 ? length : strlen(info.source));
    lua_setfield(L, -3, "chunk_folder");
  }
  return 0;
}

void bind_open_error(lua_State *L) {
  static const luaL_Reg functions[] = {{"never_blame", never_blame},
                                       {NULL, NULL}};
  bind_add(L, functions);
}
