/* module.c: opens ecs.core, and knows our userdata from all others.
 *
 * One State per Lua state hangs in the registry and is the first upvalue of
 * every function here. Opening the module a second time finds it again, so
 * definitions and worlds made before a script reloaded the module go on
 * working.
 *
 *      registry[&state_key] = State --private table--> metatables, definitions
 *
 * A userdata is ours when three things agree: the address of its metatable, its
 * length, and a magic number mixed with its own address. A script that has
 * the debug library can forge the first and nothing else.
 */
#define _GNU_SOURCE /* dladdr */

#if !defined(_WIN32)
#include <dlfcn.h>
#endif
#include <stdarg.h>
#include <string.h>

#include "object/object.h"
#include "world/lua_world.h"

/* Its address is the registry's key. */
static const char state_key = 0;

#define STATE_MAGIC UINT64_C(0x3c6ef372fe94f82b)

static const char *const kind_names[KIND_COUNT] = {
    "ecs.Component", "ecs.Value", "ecs.World", "ecs.Query",   "ecs.Kernel",
    "ecs.Library",   "ecs.View",  "ecs.Rows",  "ecs.Program", "ecs.Total"};

static uint64_t magic_of(Kind kind, const void *address) {
  uint64_t odd = UINT64_C(0x9e3779b97f4a7c15) * ((uint64_t)kind + 1u);
  return odd ^ (uint64_t)(uintptr_t)address;
}

void bind_push_shared(lua_State *L) {
  compat_push_private(L, lua_upvalueindex(1));
}

void bind_push_metatable(lua_State *L, Kind kind) {
  bind_push_shared(L);
  lua_rawgeti(L, -1, (int)kind + 1);
  lua_remove(L, -2);
}

void bind_push_methods(lua_State *L, Kind kind) {
  bind_push_metatable(L, kind);
  lua_getfield(L, -1, "__index");
  lua_remove(L, -2);
}

void *bind_new(lua_State *L, Kind kind, size_t bytes) {
  Header *header = (Header *)lua_newuserdata(L, bytes);
  memset(header, 0, bytes);
  header->bytes = bytes;
  if (kind != KIND_VALUE) {
    lua_newtable(L);
    compat_set_private(L, -2);
  }
  /* The magic comes last: until then its finalizer takes it for nothing. */
  bind_push_metatable(L, kind);
  lua_setmetatable(L, -2);
  header->magic = magic_of(kind, header);
  return header;
}

void bind_keep(lua_State *L, int index, int slot) {
  compat_push_private(L, -1);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, slot);
  lua_pop(L, 1);
}

void *bind_find_in(lua_State *L, const State *state, int index, Kind kind) {
  Header *header = (Header *)lua_touserdata(L, index);
  if (!header || !lua_getmetatable(L, index)) return NULL;
  const void *metatable = lua_topointer(L, -1);
  lua_pop(L, 1);
  if (metatable != state->metatables[kind]) return NULL;
  size_t bytes = lua_rawlen(L, index); /* 0 for a light userdata */
  if (bytes < sizeof(Header) || header->bytes != bytes) return NULL;
  return header->magic == magic_of(kind, header) ? header : NULL;
}

void *bind_find(lua_State *L, int index, Kind kind) {
  return bind_find_in(L, bind_state(L), index, kind);
}

/* Is this the source of a file of scripts/ecs? It begins as home says. */
static bool is_ours(const char *source, const char *home) {
  return home && strncmp(source, home, strlen(home)) == 0;
}

/* Pushes the line to blame: where the running function was called from; when
 * that is in scripts/ecs, where that was called from. */
static void push_line(lua_State *L) {
  lua_Debug about;
  int level = 1;
  bind_push_shared(L);
  lua_getfield(L, -1, "home");
  const char *home = lua_tostring(L, -1);
  while (lua_getstack(L, level, &about) && lua_getinfo(L, "S", &about) &&
         (is_ours(about.source, home) || (level > 1 && *about.what == 'C')))
    level++;
  luaL_where(L, level);
  lua_insert(L, -3);
  lua_pop(L, 2);
}

/* never_blame(f): f is of a file that lies in scripts/ecs itself, not in a
 * folder of it. Files of that folder, and of those in it, are never blamed. The
 * first call counts. */
static int home(lua_State *L) {
  lua_Debug about;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_getinfo(L, ">S", &about);
  if (*about.what == 'C') return 0;
  const char *name = strrchr(about.source, '/');
  size_t length =
      name ? (size_t)(name - about.source) + 1 : strlen(about.source);
  bind_push_shared(L);
  lua_getfield(L, -1, "home");
  if (lua_isnil(L, -1)) {
    lua_pushlstring(L, about.source, length);
    lua_setfield(L, -3, "home");
  }
  return 0;
}

int bind_raise(lua_State *L) {
  push_line(L);
  lua_insert(L, -2);
  lua_concat(L, 2);
  return lua_error(L);
}

int bind_error(lua_State *L, const char *format, ...) {
  va_list arguments;
  push_line(L);
  lua_pushliteral(L, "ecs: ");
  va_start(arguments, format);
  lua_pushvfstring(L, format, arguments);
  va_end(arguments);
  lua_concat(L, 3);
  return lua_error(L);
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

void bind_add(lua_State *L, const luaL_Reg *functions) {
  for (; functions->name; functions++) {
    lua_getfield(L, -1, functions->name);
    bool there = lua_isfunction(L, -1);
    lua_pop(L, 1);
    if (there) continue;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushstring(L, functions->name);
    lua_pushcclosure(L, functions->func, 2);
    lua_setfield(L, -2, functions->name);
  }
}

/* The kind of the value at index, as errors call it: "ecs.World", "number". */
static const char *name_kind(lua_State *L, int index) {
  for (int kind = 0; kind < KIND_COUNT; kind++)
    if (bind_find(L, index, (Kind)kind)) return kind_names[kind];
  return luaL_typename(L, index);
}

int bind_refuse_self(lua_State *L, int index, const char *self) {
  const char *name = lua_tostring(L, lua_upvalueindex(2));
  return bind_error(L,
                    "%s is called with ':', as in %s:%s(...); in place of "
                    "the %s it got: %s",
                    name, self, name, self, name_kind(L, index));
}

static Kind kind_named(lua_State *L, int index) {
  const char *name = luaL_checkstring(L, index);
  for (int kind = 0; kind < KIND_COUNT; kind++)
    if (strcmp(name, kind_names[kind]) == 0) return (Kind)kind;
  luaL_argerror(L, index, "no such kind");
  return KIND_COUNT;
}

/* install("ecs.World", { name = function ... }): methods written in Lua. */
static int install(lua_State *L) {
  Kind kind = kind_named(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  if (kind != KIND_WORLD && kind != KIND_QUERY)
    return luaL_argerror(L, 1, "takes no methods");
  lua_settop(L, 2);
  bind_push_methods(L, kind);
  if (!lua_istable(L, 3)) return bind_error(L, "the methods are gone");
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
    if (!lua_isfunction(L, -1)) continue;
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, 3);
  }
  return 0;
}

/* Columns are wanted once, by the builder of views, and not at all when there
 * is one. */
static int share_columns(lua_State *L, bool built) {
  bool give = lua_isnil(L, 2);
  lua_getfield(L, 3, "columns");
  if (give) {
    lua_pushnil(L);
    lua_setfield(L, 3, "columns");
    return 1;
  }
  bool wanted = !built && lua_isnil(L, -1);
  if (wanted) {
    lua_pushvalue(L, 2);
    lua_setfield(L, 3, "columns");
  }
  lua_pushboolean(L, wanted);
  return 1;
}

/* share(name, function): what scripts/ecs lends to this module: "build", which
 * makes what scripts see of a view, "rows", which makes what they see of a row
 * (false: this module does), "each", which runs query:each compiled where it
 * can (see row_loop.c), and "columns", which waits here for the builder.
 * Only the first of each is taken, so that no script can replace them later;
 * true when this one was.
 * share("build"), share("rows"): is there one?
 * share("columns"): the function, which is then gone from here. */
static int share(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  bool columns = strcmp(name, "columns") == 0;
  bool rows = strcmp(name, "rows") == 0;
  if (!columns && !rows && strcmp(name, "build") != 0 &&
      strcmp(name, "each") != 0)
    return luaL_argerror(L, 1, "no such name");
  lua_settop(L, 2);
  if (!lua_isnil(L, 2) && !(rows && lua_isboolean(L, 2)))
    luaL_checktype(L, 2, LUA_TFUNCTION);
  bind_push_shared(L);
  lua_getfield(L, 3, columns ? "build" : name);
  bool built = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (columns) return share_columns(L, built);
  bool wanted = !built && !lua_isnil(L, 2);
  if (wanted) {
    lua_pushvalue(L, 2);
    lua_setfield(L, 3, name);
  }
  lua_pushboolean(L, lua_isnil(L, 2) ? built : wanted);
  return 1;
}

/* The kind of any value, as errors call it: "ecs.World", "number". */
static int kind(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushstring(L, name_kind(L, 1));
  return 1;
}

static const luaL_Reg functions[] = {{"install", install},
                                     {"share", share},
                                     {"never_blame", home},
                                     {"kind", kind},
                                     {NULL, NULL}};

static void create_metatable(lua_State *L, State *state, int kind_index) {
  lua_createtable(L, 0, 8);
  state->metatables[kind_index] = lua_topointer(L, -1);
  lua_newtable(L);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushstring(L, kind_names[kind_index]);
  lua_setfield(L, -2, "__name");
  lua_rawseti(L, -2, kind_index + 1);
}

static void create_state(lua_State *L) {
  State *state = (State *)lua_newuserdata(L, sizeof *state);
  memset(state, 0, sizeof *state);
  state->header.magic = STATE_MAGIC;
  lua_newtable(L);
  for (int k = 0; k < KIND_COUNT; k++) create_metatable(L, state, k);
  lua_newtable(L);
  lua_setfield(L, -2, "definitions");
  lua_newtable(L);
  lua_setfield(L, -2, "libraries");
  lua_newtable(L);
  lua_setfield(L, -2, "worlds");
  lua_newtable(L);
  lua_setfield(L, -2, "hosts");
  compat_set_private(L, -2);
}

State *bind_push_state(lua_State *L) {
  lua_pushlightuserdata(L, (void *)(uintptr_t)&state_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  State *state = (State *)lua_touserdata(L, -1);
  if (state && lua_rawlen(L, -1) == sizeof *state &&
      state->header.magic == STATE_MAGIC)
    return state;
  lua_pop(L, 1);
  lua_pushnil(L);
  return NULL;
}

/* Pushes the state's userdata, made now if this is the first time. */
static void ensure_state(lua_State *L) {
  if (bind_push_state(L)) return;
  lua_pop(L, 1);
  create_state(L);
  lua_pushlightuserdata(L, (void *)(uintptr_t)&state_key);
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

/* When a state closes, LuaJIT unloads modules before it runs the finalizers of
 * what was made in the last moment. So this one stays. */
static void stay_loaded(void) {
#ifdef RTLD_NODELETE
  Dl_info about;
  if (dladdr(&state_key, &about) && about.dli_fname)
    (void)dlopen(about.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
#endif
}

/* Runs with the state as upvalue and returns the module. */
static int open_module(lua_State *L) {
  stay_loaded();
  lua_newtable(L);
  bind_add(L, functions);
  bind_open_definitions(L);
  bind_open_worlds(L);
  bind_open_entities(L);
  bind_open_access(L);
  bind_open_queries(L);
  bind_open_bulk(L);
  bind_open_views(L);
  bind_open_walks(L);
  bind_open_rows(L);
  bind_open_each(L);
  bind_open_kernels(L);
  bind_open_mathematics(L);
  bind_open_frames(L);
  bind_open_hosts(L);
  bind_open_programs(L);
  bind_open_totals(L);
  bind_open_draws(L);
  bind_open_codes(L);
  bind_open_files(L);
  bind_open_strays(L);
  lua_pushliteral(L, ECS_VERSION);
  lua_setfield(L, -2, "version");
  return 1;
}

ECS_API int luaopen_ecs_core(lua_State *L);
ECS_API int luaopen_ecs_core(lua_State *L) {
  ensure_state(L);
  lua_pushcclosure(L, open_module, 1);
  lua_call(L, 0, 1);
  return 1;
}
