/* missing_names.c: errors for names that our objects lack, and for stores.
 *
 *      world:spwan()        no such method: the message lists the methods
 *      ipairs(query)        a query is no list: the message says how to loop
 *      Position.x = 1       a component is not an entity's value of it
 *      value.x              a value only says what to store
 *      world.score = 1      scripts cannot store in our objects
 *
 * Without them, Lua's messages would name a nil or a userdata, or there would
 * be no error at all: a missing name reads as nil, and a loop over nothing ends
 * at once.
 *
 * The tables of methods get a metatable for names that they lack, so looking up
 * a method costs no more than before.
 */
#include "missing_names.h"

#include <stdio.h>
#include <string.h>

#include "component/definition.h"

/* Methods --------------------------------------------------------------- */

#define NAMES_LIMIT 64

/* Fills names with the keys of the table at index, sorted, without keys that
 * begin with _; returns how many there are. The strings are borrowed from the
 * table, which must not change while they are used. */
static int sort_names(lua_State *L, int index, const char **names) {
  int count = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const char *name =
        lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "_";
    if (*name == '_' || count == NAMES_LIMIT) continue;
    int slot = count++;
    for (; slot > 0 && strcmp(names[slot - 1], name) > 0; slot--)
      names[slot] = names[slot - 1];
    names[slot] = name;
  }
  return count;
}

/* Pushes "add, alive, clear". */
static void push_names(lua_State *L, int index) {
  const char *names[NAMES_LIMIT];
  char text[1024] = "";
  size_t length = 0;
  int count = sort_names(L, index, names);
  for (int k = 0; k < count && length < sizeof text; k++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                               k > 0 ? ", " : "", names[k]);
  lua_pushstring(L, text);
}

/* Pushes a key as messages show it. */
static void push_key(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TSTRING)
    lua_pushfstring(L, "'%s'", lua_tostring(L, index));
  else
    bind_push_description(L, index);
}

/* __index of the table of methods at index 1. The second upvalue names their
 * kind: "world", "query" or "total". */
static int refuse_method(lua_State *L) {
  const char *self = lua_tostring(L, lua_upvalueindex(2));
  if (!self || !lua_istable(L, 1)) return bind_error(L, "the methods are gone");
  if (strcmp(self, "query") == 0 && lua_type(L, 2) == LUA_TNUMBER)
    return bind_error(L,
                      "a query is no list: loop over it with query:rows(), "
                      "query:each(f) or query:batch(f)");
  push_names(L, 1);
  push_key(L, 2);
  return bind_error(L, "a %s has no method %s (there are %s)", self,
                    lua_tostring(L, -1), lua_tostring(L, -2));
}

/* Stores and misuse ------------------------------------------------------ */

/* __newindex of worlds, queries and totals. */
static int refuse_store(lua_State *L) {
  lua_settop(L, 2);
  push_key(L, 2);
  return bind_error(L,
                    "nothing can be stored in an object of ecs: keep %s in "
                    "a variable or a table of your own",
                    lua_tostring(L, -1));
}

/* Position.x = 1 */
static int definition_newindex(lua_State *L) {
  const Definition *definition = bind_definition_check(L, 1, "an assignment");
  return bind_error(L,
                    "%s is a component, not an entity's value: write one "
                    "with world:set(e, %s { ... })",
                    definition->name, definition->name);
}

/* The name of the component of the value at index 1. */
static const char *name_of_value(lua_State *L) {
  const Value *value = (const Value *)bind_find(L, 1, KIND_VALUE);
  if (!value) bind_error(L, "this is not a value");
  return value->definition->name;
}

static int value_index(lua_State *L) {
  const char *name = name_of_value(L);
  return bind_error(L,
                    "a value of %s cannot be read: it says what to store; "
                    "what an entity has, world:get(e, %s) gives",
                    name, name);
}

static int value_newindex(lua_State *L) {
  const char *name = name_of_value(L);
  return bind_error(L,
                    "a value of %s cannot be changed: make another, as in "
                    "%s { ... }",
                    name, name);
}

/* for e, p in query do */
static int query_call(lua_State *L) {
  return bind_error(L,
                    "a query is no function: loop over it with "
                    "query:rows(), query:each(f) or query:batch(f)");
}

static int query_length(lua_State *L) {
  return bind_error(L,
                    "a query has no length: query:count() says how many "
                    "entities match");
}

static int query_pairs(lua_State *L) {
  return bind_error(L,
                    "a query is no table: loop over it with query:rows(), "
                    "query:each(f) or query:batch(f)");
}

/* Opening ---------------------------------------------------------------- */

/* Makes missing methods of a kind raise. */
static void guard_methods(lua_State *L, ObjectKind kind, const char *self) {
  bind_push_methods(L, kind);
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushstring(L, self);
  lua_pushcclosure(L, refuse_method, 2);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

static void add_to_kind(lua_State *L, ObjectKind kind,
                        const luaL_Reg *functions) {
  bind_push_metatable(L, kind);
  bind_add(L, functions);
  lua_pop(L, 1);
}

void bind_open_missing_names(lua_State *L) {
  static const luaL_Reg closed[] = {{"__newindex", refuse_store}, {NULL, NULL}};
  static const luaL_Reg definition[] = {{"__newindex", definition_newindex},
                                        {NULL, NULL}};
  static const luaL_Reg value[] = {
      {"__index", value_index}, {"__newindex", value_newindex}, {NULL, NULL}};
  static const luaL_Reg query[] = {{"__call", query_call},
                                   {"__len", query_length},
                                   {"__pairs", query_pairs},
                                   {NULL, NULL}};
  guard_methods(L, KIND_WORLD, "world");
  guard_methods(L, KIND_QUERY, "query");
  guard_methods(L, KIND_TOTAL, "total");
  guard_methods(L, KIND_OBSERVER, "handle of world:on");
  guard_methods(L, KIND_GRID, "grid");
  guard_methods(L, KIND_SNAPSHOT, "snapshot");
  add_to_kind(L, KIND_WORLD, closed);
  add_to_kind(L, KIND_QUERY, closed);
  add_to_kind(L, KIND_TOTAL, closed);
  add_to_kind(L, KIND_OBSERVER, closed);
  add_to_kind(L, KIND_GRID, closed);
  add_to_kind(L, KIND_SNAPSHOT, closed);
  add_to_kind(L, KIND_DEFINITION, definition);
  add_to_kind(L, KIND_VALUE, value);
  add_to_kind(L, KIND_QUERY, query);
}
