/* object.c: the module's state, and how its objects are made and recognised.
 *
 * One ModuleState per Lua state hangs in the registry and is the first upvalue
 * of every function of the module. Opening the module a second time finds it
 * again, so definitions and worlds that were made before a script reloaded the
 * module go on working.
 *
 *      registry[&state_key] = ModuleState --private table--> metatables,
 *                                                            definitions ...
 *
 * A userdata is one of ours when three things agree: the address of its
 * metatable, its length, and a magic number mixed with its own address. With
 * the debug library a script can forge the first, but not the other two.
 *
 * A value may also be a struct of LuaJIT's FFI. A function of scripts/ecs knows
 * its type: see find_struct.
 */
#include "object/object.h"

#include <string.h>

#include "api/for_bindings.h"

/* Its address is the key in the registry. */
static const char state_key = 0;

#define STATE_MAGIC UINT64_C(0x3c6ef372fe94f82b)

static const char *const kind_names[KIND_COUNT] = {
    "ecs.Component", "ecs.Value", "ecs.World",    "ecs.Query",   "ecs.Kernel",
    "ecs.Library",   "ecs.View",  "ecs.Rows",     "ecs.Program", "ecs.Total",
    "ecs.Copy",      "ecs.Links", "ecs.Observer", "ecs.Prefab",  "ecs.Grid",
    "ecs.Snapshot",  "ecs.Array", "ecs.ArrayRow", "ecs.Pass"};

/* Tables of the state ------------------------------------------------------ */

void bind_push_shared(lua_State *L) {
  compat_push_private(L, lua_upvalueindex(1));
}

void bind_push_metatable(lua_State *L, ObjectKind kind) {
  bind_push_shared(L);
  lua_rawgeti(L, -1, (int)kind + 1);
  lua_remove(L, -2);
}

void bind_push_methods(lua_State *L, ObjectKind kind) {
  bind_push_metatable(L, kind);
  lua_getfield(L, -1, "methods");
  lua_remove(L, -2);
}

void bind_add(lua_State *L, const luaL_Reg *functions) {
  ECS_ASSERT(lua_istable(L, -1));
  for (; functions->name; functions++) {
    lua_getfield(L, -1, functions->name);
    bool present = lua_isfunction(L, -1);
    lua_pop(L, 1);
    if (present) continue;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushstring(L, functions->name);
    lua_pushcclosure(L, functions->func, 2);
    lua_setfield(L, -2, functions->name);
  }
  ECS_ASSERT(lua_istable(L, -1));
}

/* Objects ------------------------------------------------------------------ */

void *bind_new(lua_State *L, ObjectKind kind, size_t bytes) {
  ECS_ASSERT(kind < KIND_COUNT && bytes >= sizeof(Header));
  Header *header = (Header *)lua_newuserdata(L, bytes);
  memset(header, 0, bytes);
  header->bytes = bytes;
  lua_newtable(L);
  compat_set_private(L, -2);
  /* The magic comes last: without it a finalizer ignores the object. */
  bind_push_metatable(L, kind);
  lua_setmetatable(L, -2);
  header->magic = bind_magic(kind, header);
  ECS_ASSERT(bind_find(L, -1, kind) == header);
  return header;
}

void *bind_new_plain(lua_State *L, ObjectKind kind, int metatable,
                     size_t bytes) {
  Header *header = (Header *)compat_new_plain(L, bytes);
  header->type = NULL;
  header->bytes = bytes;
  header->magic = bind_magic(kind, header);
  lua_pushvalue(L, metatable);
  lua_setmetatable(L, -2);
  ECS_ASSERT(bind_find(L, -1, kind) == header);
  return header;
}

void bind_keep(lua_State *L, int index, int slot) {
  compat_push_private(L, -1);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, slot);
  lua_pop(L, 1);
}

int bind_struct_words(lua_State *L, const ModuleState *state, int index) {
  if (!state->has_structs || lua_type(L, index) != COMPAT_TCDATA) return 0;
  luaL_checkstack(L, 4, "a value");
  index = compat_absolute(L, index);
  bind_push_shared(L);
  lua_rawgeti(L, -1, STRUCT_WORDS);
  lua_pushvalue(L, index);
  lua_call(L, 1, 1);
  int words = (int)lua_tointeger(L, -1);
  lua_pop(L, 2);
  return words;
}

/* The value at index, as a struct of LuaJIT's FFI. Elsewhere no script can
 * have one. LuaJIT's C API tells nothing of a struct but its address, and other
 * C data may be shorter than a header: so scripts/ecs says first that the type
 * is one of its own. */
static void *find_struct(lua_State *L, const ModuleState *state, int index) {
  if (bind_struct_words(L, state, index) == 0) return NULL;
  const Header *header = (const Header *)lua_topointer(L, index);
  /* Without its magic it was never finished. */
  return bind_is(header, KIND_VALUE) ? (void *)(uintptr_t)header : NULL;
}

void *bind_find_in(lua_State *L, const ModuleState *state, int index,
                   ObjectKind kind) {
  Header *header = (Header *)lua_touserdata(L, index);
  if (!header) return kind == KIND_VALUE ? find_struct(L, state, index) : NULL;
  if (!lua_getmetatable(L, index)) return NULL;
  const void *metatable = lua_topointer(L, -1);
  lua_pop(L, 1);
  if (metatable != state->metatables[kind]) return NULL;
  size_t bytes = lua_rawlen(L, index); /* 0 for a light userdata */
  if (bytes < sizeof(Header) || header->bytes != bytes) return NULL;
  return bind_is(header, kind) ? header : NULL;
}

void *bind_find(lua_State *L, int index, ObjectKind kind) {
  return bind_find_in(L, bind_state(L), index, kind);
}

const char *bind_kind_name(lua_State *L, int index) {
  for (int kind = 0; kind < KIND_COUNT; kind++)
    if (bind_find(L, index, (ObjectKind)kind)) return kind_names[kind];
  return luaL_typename(L, index);
}

const char *bind_type_name(lua_State *L, int index) {
  bool is_struct = lua_type(L, index) == COMPAT_TCDATA;
  return is_struct && bind_find(L, index, KIND_VALUE) ? "userdata"
                                                      : luaL_typename(L, index);
}

ObjectKind bind_kind_named(const char *name) {
  int kind = 0;
  while (kind < KIND_COUNT && strcmp(name, kind_names[kind]) != 0) kind++;
  return (ObjectKind)kind;
}

/* The state ---------------------------------------------------------------- */

static void create_metatable(lua_State *L, ModuleState *state, int kind) {
  lua_createtable(L, 0, 8);
  state->metatables[kind] = lua_topointer(L, -1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "methods");
  lua_setfield(L, -2, "__index"); /* unless a kind has a function there */
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushstring(L, kind_names[kind]);
  lua_setfield(L, -2, "__name");
  lua_rawseti(L, -2, kind + 1);
}

/* In the table on top of the stack: the tables of held.h. */
static void create_held(lua_State *L) {
  lua_newtable(L);
  lua_pushliteral(L, "");
  lua_rawseti(L, -2, 0);
  lua_rawseti(L, -2, HELD_OBJECTS);
  for (int slot = HELD_REFERRERS; slot <= HELD_PAUSES; slot++) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawseti(L, -2, slot);
  }
  lua_pushboolean(L, 0);
  lua_rawseti(L, -2, HELD_MEMORY);
}

static void create_state(lua_State *L) {
  static const char *const tables[] = {
      "definitions", "prefabs", "libraries", "worlds", "hosts", "block_tables"};
  ModuleState *state = (ModuleState *)lua_newuserdata(L, sizeof *state);
  memset(state, 0, sizeof *state);
  state->header.magic = STATE_MAGIC;
  state->collect_at = COLLECT_BYTES;
  state->held_due = HELD_FIRST;
  lua_newtable(L);
  create_held(L);
  for (int kind = 0; kind < KIND_COUNT; kind++)
    create_metatable(L, state, kind);
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
    lua_newtable(L);
    lua_setfield(L, -2, tables[k]);
  }
  compat_set_private(L, -2);
}

ModuleState *bind_push_state(lua_State *L) {
  lua_pushlightuserdata(L, (void *)(uintptr_t)&state_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  ModuleState *state = (ModuleState *)lua_touserdata(L, -1);
  if (state && lua_rawlen(L, -1) == sizeof *state &&
      state->header.magic == STATE_MAGIC)
    return state;
  lua_pop(L, 1);
  lua_pushnil(L);
  return NULL;
}

void bind_ensure_state(lua_State *L) {
  if (bind_push_state(L)) return;
  lua_pop(L, 1);
  create_state(L);
  lua_pushlightuserdata(L, (void *)(uintptr_t)&state_key);
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

void bind_push_kept(lua_State *L, int index, const char *name) {
  compat_push_private(L, index);
  lua_getfield(L, -1, name);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, name);
  }
  lua_remove(L, -2);
}
