/* module.c: opens ecs.core, for `require` and for hosts.
 *
 *      require "ecs.core" --> luaopen_ecs_core --> open_module: each module's
 *                                 ^                functions and methods
 *      ecs_lua_open --preload-----+
 *
 * The functions with which scripts/ecs installs methods and lends functions to
 * the state are here, too.
 */
#define ECS_DEFINES_LUA_API /* ecs_lua.h */

#include <string.h>

#include "api/for_bindings.h"
#include "component/definition.h"
#include "component/new_prefab.h"
#include "component/prefab.h"
#include "component/value_parts.h"
#include "ecs_lua.h"
#include "host.h"
#include "missing_names.h"
#include "object/error.h"
#include "object/lua_math.h"
#include "object/name.h"
#include "object/plain_table.h"
#include "object/read_file.h"
#include "object/same_code.h"
#include "object/system.h"
#include "object/tokens.h"
#include "program/lua_kernel.h"
#include "program/exit_loop.h"
#include "program/lua_pass.h"
#include "program/lua_program.h"
#include "program/table_copy.h"
#include "query/batch_loop.h"
#include "query/batch_view.h"
#include "query/bulk_methods.h"
#include "query/grid_loop.h"
#include "query/lua_grid.h"
#include "query/lua_pack.h"
#include "query/lua_query.h"
#include "query/observers.h"
#include "query/row_loop.h"
#include "query/row_random.h"
#include "query/row_view.h"
#include "query/spawn_many.h"
#include "query/world_close.h"
#include "query/world_queries.h"
#include "world/array_element.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/entity_methods.h"
#include "world/link_methods.h"
#include "world/lua_array.h"
#include "world/field_calls.h"
#include "world/frames.h"
#include "world/value_save.h"
#include "world/held_sweep.h"
#include "world/lua_world.h"
#include "world/prepared.h"
#include "world/script_hash.h"
#include "world/spawner.h"
#include "world/telling.h"
#include "object/save_file.h"
#include "world/lua_save.h"
#include "world/lua_snapshot.h"
#include "world/totals.h"
#include "world/threads.h"
#include "world/traceback.h"
#include "world/value_calls.h"
#include "world/advice.h"
#include "world/world_methods.h"

/* For scripts/ecs --------------------------------------------------------- */

/* install("ecs.World", { name = function ... }): methods written in Lua. */
static int install(lua_State *L) {
  ObjectKind kind = bind_kind_named(luaL_checkstring(L, 1));
  if (kind == KIND_COUNT) return luaL_argerror(L, 1, "no such kind");
  luaL_checktype(L, 2, LUA_TTABLE);
  if (kind != KIND_WORLD && kind != KIND_QUERY && kind != KIND_GRID)
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

/* known(name): a table with weak keys of this name, in which scripts/ecs notes
 * what it has made: one for all copies of the scripts that are loaded. */
static int known(lua_State *L) {
  const char *name = lua_pushfstring(L, "known %s", luaL_checkstring(L, 1));
  bind_push_shared(L);
  lua_getfield(L, -1, name);
  if (lua_istable(L, -1)) return 1;
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_setfield(L, -4, name);
  return 1;
}

/* The function of "columns" is handed over once, to the builder of views, and
 * is not accepted when there is a builder. */
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

/* share(name, function): lends a function of scripts/ecs to the module:
 *
 *      "build"      makes what scripts see of a batch, see batch_view.c
 *      "rows"       makes what scripts see of a row, see row_view.c; false
 *                   instead of a function: the module does it
 *      "query"      makes a query of a table, see world_queries.c
 *      "each"       runs query:each compiled, see row_loop.c
 *      "blocks"     makes loops over blocks of rows, see block_loop.c; or false
 *      "batches"    tells what functions of batches store, see batch_loop.c; or
 *                   false
 *      "columns"    is kept for the builder of views
 *
 * Only the first of each name is accepted, so that no script can replace one
 * later; returns whether this one was. share("build") and share("rows") return
 * whether there is one. share("columns") returns the function and removes it.
 */
static int share(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  bool columns = strcmp(name, "columns") == 0;
  bool blocks = strcmp(name, "blocks") == 0 || strcmp(name, "batches") == 0;
  bool rows = strcmp(name, "rows") == 0;
  if (!columns && !rows && !blocks && strcmp(name, "build") != 0 &&
      strcmp(name, "each") != 0 && strcmp(name, "query") != 0)
    return luaL_argerror(L, 1, "no such name");
  lua_settop(L, 2);
  if (!lua_isnil(L, 2) && !((rows || blocks) && lua_isboolean(L, 2)))
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

/* kind(value): the kind of any value, as errors show it: "ecs.World", "number".
 */
static int kind(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushstring(L, bind_kind_name(L, 1));
  return 1;
}

/* Opening ----------------------------------------------------------------- */

/* An address in this library, to find the library by. */
static const char anchor = 0;

/* Runs with the state as upvalue and returns the module. */
static int open_module(lua_State *L) {
  static const luaL_Reg functions[] = {{"install", install},
                                       {"share", share},
                                       {"kind", kind},
                                       {"known", known},
                                       {NULL, NULL}};
  static void (*const modules[])(lua_State *) = {
      bind_open_error,          bind_open_name,
      bind_open_plain_table,    bind_open_read_file,
      bind_open_tokens,         bind_open_same_code,
      bind_open_lua_math,       bind_open_definition,
      bind_open_prefab,         bind_open_new_prefab,
      bind_open_value_parts,    bind_open_lua_world,
      bind_open_held_sweep,     bind_open_components,
      bind_open_world_methods,  bind_open_advice,
      bind_open_entity_methods, bind_open_link_methods,
      bind_open_field_calls,    bind_open_value_calls,
      bind_open_prepared,       bind_open_spawner,
      bind_open_threads,        bind_open_lua_pack,
      bind_open_frames,         bind_open_totals,
      bind_open_lua_snapshot,   bind_open_value_save,
      bind_open_lua_save,       bind_open_save_file,
      bind_open_traceback,      bind_open_script_hash,
      bind_open_lua_query,      bind_open_world_queries,
      bind_open_world_close,    bind_open_batch_view,
      bind_open_batch_loop,     bind_open_spawn_many,
      bind_open_row_view,       bind_open_row_loop,
      bind_open_bulk_methods,   bind_open_row_random,
      bind_open_lua_kernel,     bind_open_lua_program,
      bind_open_lua_pass,       bind_open_exit_loop,
      bind_open_table_copy,     bind_open_host,
      bind_open_telling,        bind_open_collect,
      bind_open_observers,      bind_open_lua_grid,
      bind_open_grid_loop,      bind_open_lua_array,
      bind_open_array_element,  bind_open_missing_names,
  };
  /* When a state closes, LuaJIT unloads modules before it has run all
   * finalizers. */
  system_keep_loaded(&anchor);
  lua_newtable(L);
  bind_add(L, functions);
  for (size_t k = 0; k < sizeof modules / sizeof *modules; k++) {
    modules[k](L);
    ECS_ASSERT(lua_gettop(L) == 1); /* the module */
  }
  lua_pushliteral(L, ECS_VERSION);
  lua_setfield(L, -2, "version");
  /* Looked for in the file, too, where another Lua cannot load it
   * (standard.lua). LuaJIT has the C API of Lua 5.1. */
  lua_pushliteral(L, "ecs.core for " LUA_VERSION);
  lua_setfield(L, -2, "built_for");
  return 1;
}

ECS_LUA_API int luaopen_ecs_core(lua_State *L);
ECS_LUA_API int luaopen_ecs_core(lua_State *L) {
  bind_ensure_state(L);
  lua_pushcclosure(L, open_module, 1);
  lua_call(L, 0, 1);
  return 1;
}

/* Pushes package[field], which must be a table. */
static void push_package(lua_State *L, const char *field) {
  lua_getglobal(L, "package");
  if (lua_istable(L, -1)) lua_getfield(L, -1, field);
  if (!lua_istable(L, -1))
    luaL_error(L,
               "ecs: this state has no package library: call luaL_openlibs "
               "before ecs_lua_open");
  lua_remove(L, -2);
}

/* Raises when another ecs.core is loaded: the two would not recognise each
 * other's worlds. */
static void refuse_another(lua_State *L) {
  push_package(L, "loaded");
  lua_getfield(L, -1, "ecs.core");
  bool loaded = lua_toboolean(L, -1);
  bool ours = bind_push_state(L) != NULL;
  if (loaded && !ours)
    luaL_error(L,
               "ecs: this state has loaded another ecs.core: call "
               "ecs_lua_open before scripts run");
  lua_pop(L, 3);
}

static int open_here(lua_State *L) {
  refuse_another(L);
  push_package(L, "preload");
  lua_pushcfunction(L, luaopen_ecs_core);
  lua_setfield(L, -2, "ecs.core");
  lua_getglobal(L, "require");
  lua_pushliteral(L, "ecs");
  lua_call(L, 1, 0);
  return 0;
}

int ecs_lua_open(lua_State *L) { return compat_call(L, open_here); }
