/* world_queries.c: one query for the same terms of a world.
 *
 *      world:query { Position, with = { Enemy } }
 *        find_query   reads the table; the query is one of the last 256:
 *                     nothing is allocated
 *        query        takes the sequence that scripts/ecs/query.lua has
 *                     checked; finds an older query, or makes one
 *
 *      world --private table--> [WORLD_RECENT]  slot -> query
 *                               [WORLD_ASKED]   key -> query, with weak values
 *
 * The same terms in the same order are the same query; those of `with`, and
 * those of `without`, are in the order in which their components were defined,
 * however a script lists them. So the order of rows follows from the terms
 * alone, not from the first caller. The last 256 queries that a world was asked
 * for are kept (recent_queries.h), so what a query costs does not depend on the
 * collector; an older one lives as long as something refers to it.
 *
 * A system has a query of its own (system_query), which shares the native one:
 * what its walks keep, and how messages call it, belong to the system.
 */
#include "query/world_queries.h"

#include <string.h>

#include "api/for_bindings.h"
#include "query/lua_query.h"
#include "world/components.h"
#include "world/report.h"

#define WORLD_RECENT 1
#define WORLD_ASKED 2

/* A query of more terms is not found by find_query. */
#define FOUND_TERMS 64u

/* Terms ------------------------------------------------------------------- */

static uint32_t hash_terms(const LuaTerm *terms, uint32_t count) {
  uint32_t hash = count;
  for (uint32_t t = 0; t < count; t++) {
    uint32_t term = terms[t].definition->index * (uint32_t)ECS_ACCESS_COUNT +
                    (uint32_t)terms[t].access;
    hash = (hash ^ term) * 0x9e3779b1u;
    hash ^= hash >> 15;
  }
  return hash;
}

static bool same_terms(const LuaQuery *query, const LuaTerm *terms,
                       uint32_t count) {
  if (query->term_count != count) return false;
  for (uint32_t t = 0; t < count; t++)
    if (query->terms[t].definition != terms[t].definition ||
        query->terms[t].access != terms[t].access)
      return false;
  return true;
}

/* Sorts the last terms, those that filter, by access and by the order in which
 * their components were defined. The others stay where they are. */
static void sort_filters(LuaTerm *terms, uint32_t count) {
  for (uint32_t t = 1; t < count; t++) {
    LuaTerm term = terms[t];
    if (term.access < ECS_WITH) continue;
    uint32_t at = t;
    for (;
         at > 0 && (terms[at - 1].access > term.access ||
                    (terms[at - 1].access == term.access &&
                     terms[at - 1].definition->index > term.definition->index));
         at--)
      terms[at] = terms[at - 1];
    terms[at] = term;
  }
}

/* Reads the sequence { definition, "write", ... } at index into new memory,
 * which is left on the stack. */
static LuaTerm *read_terms(lua_State *L, int index, uint32_t *count) {
  luaL_checktype(L, index, LUA_TTABLE);
  *count = bind_length(L, index, "query") / 2;
  LuaTerm *terms = (LuaTerm *)lua_newuserdata(L, (*count + 1u) * sizeof *terms);
  for (uint32_t t = 0; t < *count; t++) {
    lua_rawgeti(L, index, 2 * (int)t + 1);
    lua_rawgeti(L, index, 2 * (int)t + 2);
    terms[t].definition = bind_definition_check(L, lua_gettop(L) - 1, "query");
    terms[t].access = bind_access_check(L, -1);
    lua_pop(L, 2);
  }
  sort_filters(terms, *count);
  return terms;
}

/* sort_terms(terms): a new sequence in the order of the query's terms. */
static int sort_terms(lua_State *L) {
  uint32_t count;
  const LuaTerm *terms = read_terms(L, 1, &count);
  bind_push_terms(L, terms, count);
  return 1;
}

/* Finding ----------------------------------------------------------------- */

/* Terms that are being read from a script's table. */
typedef struct Reading {
  uint32_t count;
  bool all; /* all = true: every entity */
  LuaTerm terms[FOUND_TERMS];
} Reading;

/* Reads an entry of a list; false for anything but a component. */
static bool read_entry(lua_State *L, Reading *reading, ecs_Access access) {
  const void *address = lua_touserdata(L, -1);
  if (!address || reading->count == FOUND_TERMS) return false;
  if (*recent_definition(bind_state(L), address) != address &&
      !bind_find(L, -1, KIND_DEFINITION))
    return false;
  reading->terms[reading->count].definition = (const Definition *)address;
  reading->terms[reading->count++].access = access;
  return true;
}

/* Reads the list at index; false where it is empty, or no plain list. */
static bool read_list(lua_State *L, Reading *reading, int index,
                      ecs_Access access) {
  double expected = 1;
  lua_pushnil(L);
  for (; lua_next(L, index); expected++) {
    if (lua_type(L, -2) != LUA_TNUMBER || lua_tonumber(L, -2) != expected ||
        !read_entry(L, reading, access))
      return false;
    lua_pop(L, 1);
  }
  return expected > 1;
}

/* The access that a named list of a query stands for; ECS_WRITE: none. */
static ecs_Access list_access(const char *name) {
  if (strcmp(name, "read") == 0) return ECS_READ;
  if (strcmp(name, "with") == 0) return ECS_WITH;
  if (strcmp(name, "without") == 0) return ECS_WITHOUT;
  return strcmp(name, "optional") == 0 ? ECS_OPTIONAL : ECS_WRITE;
}

/* Reads the table at index 2, whose lists go to the stack from index 3 on.
 * False where it is not certain to be right. */
static bool read_query(lua_State *L, Reading *reading) {
  double expected = 1;
  lua_settop(L, 2 + ECS_ACCESS_COUNT);
  lua_pushnil(L);
  while (lua_next(L, 2)) {
    if (lua_type(L, -2) == LUA_TNUMBER) {
      if (lua_tonumber(L, -2) != expected++ ||
          !read_entry(L, reading, ECS_WRITE))
        return false;
      lua_pop(L, 1);
      continue;
    }
    if (lua_type(L, -2) != LUA_TSTRING) return false;
    const char *name = lua_tostring(L, -2);
    ecs_Access access = list_access(name);
    if (access != ECS_WRITE && lua_istable(L, -1)) {
      lua_replace(L, 2 + (int)access);
      continue;
    }
    if (strcmp(name, "all") != 0 || !lua_isboolean(L, -1) ||
        !lua_toboolean(L, -1))
      return false;
    reading->all = true;
    lua_pop(L, 1);
  }
  for (int access = ECS_READ; access < ECS_ACCESS_COUNT; access++)
    if (lua_istable(L, 2 + access) &&
        !read_list(L, reading, 2 + access, (ecs_Access)access))
      return false;
  return true;
}

/* Does the table say what must or must not be there, or else that everything is
 * asked for? */
static bool is_sound(const Reading *reading) {
  bool filters = false;
  for (uint32_t t = 0; t < reading->count; t++)
    filters |= reading->terms[t].access != ECS_OPTIONAL;
  return filters != reading->all;
}

/* Pushes the query of these terms, if the world was asked for it lately. The
 * world is at index 1. Neither allocates nor raises. */
static bool push_recent(lua_State *L, LuaWorld *world, const LuaTerm *terms,
                        uint32_t count, uint32_t hash) {
  uint16_t slot = recent_first(&world->recent, hash);
  if (!slot) return false;
  compat_push_private(L, 1);
  lua_rawgeti(L, -1, WORLD_RECENT);
  if (!lua_istable(L, -1)) return false;
  for (; slot; slot = recent_next(&world->recent, slot)) {
    lua_rawgeti(L, -1, (int)slot);
    const LuaQuery *query = (const LuaQuery *)bind_find(L, -1, KIND_QUERY);
    if (query && query->world == world && bind_query_is_live(query) &&
        same_terms(query, terms, count)) {
      recent_touch(&world->recent, slot);
      return true;
    }
    lua_pop(L, 1);
  }
  return false;
}

/* find_query(world, table): the query that a script's table describes, if the
 * world was asked for it lately; nothing in every other case, mistakes among
 * them. */
static int find_query(lua_State *L) {
  Reading reading;
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  if (!world || !world->native || !lua_istable(L, 2)) return 0;
  if (!lua_checkstack(L, 16)) return 0;
  reading.count = 0;
  reading.all = false;
  if (!read_query(L, &reading) || !is_sound(&reading)) return 0;
  sort_filters(reading.terms, reading.count);
  uint32_t hash = hash_terms(reading.terms, reading.count);
  return push_recent(L, world, reading.terms, reading.count, hash) ? 1 : 0;
}

/* Making ------------------------------------------------------------------ */

/* Pushes a table of the private table of the world at index 1, made where there
 * is none. mode: of a weak table; NULL: not weak. */
static void push_table_of_world(lua_State *L, int slot, const char *mode) {
  compat_push_private(L, 1);
  lua_rawgeti(L, -1, slot);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    if (mode) {
      lua_createtable(L, 0, 1);
      lua_pushstring(L, mode);
      lua_setfield(L, -2, "__mode");
      lua_setmetatable(L, -2);
    }
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, slot);
  }
  lua_remove(L, -2);
}

/* Pushes the terms as a key: their bytes, which no script sees. */
static void push_key(lua_State *L, const LuaTerm *terms, uint32_t count) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (uint32_t t = 0; t < count; t++) {
    uint32_t term = terms[t].definition->index * (uint32_t)ECS_ACCESS_COUNT +
                    (uint32_t)terms[t].access;
    luaL_addlstring(&buffer, (const char *)&term, sizeof term);
  }
  luaL_pushresult(&buffer);
}

/* Pushes the query of this key that something still refers to; false: there is
 * none. key and asked are stack indices. */
static bool push_asked(lua_State *L, const LuaWorld *world, int asked,
                       int key) {
  lua_pushvalue(L, key);
  lua_rawget(L, asked);
  const LuaQuery *query = (const LuaQuery *)bind_find(L, -1, KIND_QUERY);
  if (query && query->world == world && bind_query_is_live(query)) return true;
  lua_pop(L, 1);
  return false;
}

/* Makes the query on top of the stack the one that was asked for last, and
 * keeps it. */
static void keep_recent(lua_State *L, LuaWorld *world, const LuaTerm *terms,
                        uint32_t count) {
  int query = lua_gettop(L);
  uint32_t hash = hash_terms(terms, count);
  push_table_of_world(L, WORLD_RECENT, NULL);
  uint16_t slot = recent_take(&world->recent, hash);
  lua_pushvalue(L, query);
  lua_rawseti(L, -2, (int)slot);
  lua_settop(L, query);
}

/* query(world, terms, label): the query of these terms; or nil and a message.
 * label is for a new one. */
static int query_ensure(lua_State *L) {
  uint32_t count;
  LuaWorld *world = bind_world_check(L, 1);
  if (lua_type(L, 3) != LUA_TSTRING) return luaL_argerror(L, 3, "no label");
  lua_settop(L, 3);
  const LuaTerm *terms = read_terms(L, 2, &count);
  push_key(L, terms, count);
  int key = lua_gettop(L);
  push_table_of_world(L, WORLD_ASKED, "v");
  int asked = key + 1;
  uint32_t hash = hash_terms(terms, count);
  if (push_recent(L, world, terms, count, hash)) return 1;
  if (!push_asked(L, world, asked, key)) {
    if (!bind_query_new(L, world, terms, count)) return bind_fail(L);
    /* A finalizer may have asked for the same meanwhile. */
    if (!push_asked(L, world, asked, key)) {
      lua_pushvalue(L, key);
      lua_pushvalue(L, -2);
      lua_rawset(L, asked);
    }
  }
  keep_recent(L, world, terms, count);
  return 1;
}

/* system_query(query, label): a query for a system, over the same native one.
 */
static int system_query(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  if (lua_type(L, 2) != LUA_TSTRING) return luaL_argerror(L, 2, "no label");
  lua_settop(L, 2);
  bind_query_share(L, query);
  return 1;
}

void bind_open_world_queries(lua_State *L) {
  static const luaL_Reg functions[] = {{"find_query", find_query},
                                       {"query", query_ensure},
                                       {"system_query", system_query},
                                       {"sort_terms", sort_terms},
                                       {NULL, NULL}};
  bind_add(L, functions);
}
