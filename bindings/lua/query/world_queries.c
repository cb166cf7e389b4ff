/* world_queries.c: one query for the same terms of a world.
 *
 *      world:query { Position, with = { Enemy } }
 *        world_query   reads the table; the query is one of the last 256:
 *                      nothing is allocated
 *        query_ensure  takes the sequence that scripts/ecs/query.lua has
 *                      checked; finds an older query, or makes one
 *
 *      world --private table--> [WORLD_RECENT + slot]  query
 *                               [WORLD_ASKED]  key -> query, with weak values
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
#include "world/collect.h"
#include "world/components.h"
#include "world/report.h"

/* In the private table of a world. */
#define WORLD_ASKED 1
#define WORLD_RECENT 1 /* and the number of a slot, from 1 */

/* A query of more terms is not found by world_query. */
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

static bool same_order(LuaOrder left, LuaOrder right) {
  return left.definition == right.definition && left.field == right.field &&
         left.down == right.down;
}

static bool same_terms(const LuaQuery *query, const LuaTerm *terms,
                       uint32_t count, LuaOrder order) {
  if (query->term_count != count || !same_order(query->order, order))
    return false;
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
    if (access_has_columns(term.access)) continue;
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
  ModuleState *state;
  uint32_t count;
  uint32_t filters; /* terms of with, without and any */
  bool demands;     /* something must or must not be there */
  bool all;         /* all = true: every entity */
  LuaTerm terms[FOUND_TERMS];
} Reading;

/* Reads the entry on top of the stack; false for anything but a component. */
static bool read_entry(lua_State *L, Reading *reading, ecs_Access access) {
  const void *address = lua_touserdata(L, -1);
  if (!address || reading->count == FOUND_TERMS) return false;
  if (!is_recent(L, reading->state, -1, address) &&
      !bind_find(L, -1, KIND_DEFINITION))
    return false;
  if (address != reading->state->named)
    *recent_definition(reading->state, address) = address;
  reading->terms[reading->count].definition = (const Definition *)address;
  reading->terms[reading->count++].access = access;
  return true;
}

/* Is the key under the top of the stack this number? */
static inline bool is_index(lua_State *L, uint32_t expected) {
#if LUA_VERSION_NUM >= 503
  return lua_isinteger(L, -2) && lua_tointeger(L, -2) == (lua_Integer)expected;
#else
  return lua_type(L, -2) == LUA_TNUMBER && lua_tonumber(L, -2) == expected;
#endif
}

/* Reads the list at index; false where it is empty, or no plain list: one with
 * a metatable is read by scripts/ecs. */
static bool read_list(lua_State *L, Reading *reading, int index,
                      ecs_Access access) {
  uint32_t entries = 0;
  if (lua_getmetatable(L, index)) return false;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (!is_index(L, ++entries) || !read_entry(L, reading, access))
      return false;
    lua_pop(L, 1);
  }
  if (access_asks(access)) reading->demands = true;
  if (!access_has_columns(access)) reading->filters += entries;
  return entries > 0;
}

/* Reads the table of `up` at its index: { ChildOf, read = { Global } }. False
 * for anything else. The link is the last term. */
static bool read_up(lua_State *L, Reading *reading) {
  const int index = 2 + (int)ECS_UP, list = 2 + (int)ECS_ALONG;
  uint32_t links = 0;
  Reading link;
  if (lua_getmetatable(L, index)) return false;
  link.state = reading->state;
  link.count = 0;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (is_index(L, 1)) {
      if (!read_entry(L, &link, ECS_ALONG)) return false;
      links++;
      lua_pop(L, 1);
    } else if (lua_type(L, -2) == LUA_TSTRING && lua_istable(L, -1) &&
               strcmp(lua_tostring(L, -2), "read") == 0) {
      lua_replace(L, list);
    } else {
      return false;
    }
  }
  if (links == 0 || reading->count == FOUND_TERMS) return false;
  if (lua_istable(L, list) && !read_list(L, reading, list, ECS_UP))
    return false;
  if (reading->count == FOUND_TERMS) return false;
  reading->terms[reading->count++] = link.terms[0];
  return true;
}

/* Is there a list of this name in a query, or the table of `up`? */
static inline bool is_list(ecs_Access access) {
  return access < ECS_ACCESS_COUNT &&
         (access == ECS_UP || access_is(access, ACCESS_LIST));
}

/* Takes the value on top of the stack, which stands under a name: a list goes
 * to the index of its access, and into the set of lists. False for anything
 * else but all = true. */
static bool take_named(lua_State *L, Reading *reading, uint32_t *lists) {
  size_t length;
  if (lua_type(L, -2) != LUA_TSTRING) return false;
  const char *name = lua_tolstring(L, -2, &length);
  ecs_Access access = access_named(name, length);
  if (is_list(access) && lua_istable(L, -1)) {
    *lists |= 1u << access;
    lua_replace(L, 2 + (int)access);
    return true;
  }
  if (length != 3 || memcmp(name, "all", 3) != 0 || !lua_isboolean(L, -1) ||
      !lua_toboolean(L, -1))
    return false;
  reading->all = true;
  lua_pop(L, 1);
  return true;
}

/* Reads the table at index 2; its lists go to the stack from index 3 on.
 * False where it is not certain to be right: where it says what must or must
 * not be there, or else that everything is asked for. */
static bool read_query(lua_State *L, Reading *reading) {
  uint32_t lists = 0;
  lua_settop(L, 2 + ECS_ACCESS_COUNT);
  if (lua_getmetatable(L, 2)) return false;
  lua_pushnil(L);
  while (lua_next(L, 2)) {
    if (is_index(L, reading->count + 1)) {
      if (!read_entry(L, reading, ECS_WRITE)) return false;
      lua_pop(L, 1);
    } else if (!take_named(L, reading, &lists)) {
      return false;
    }
  }
  reading->demands = reading->count > 0;
  for (int access = ECS_READ; lists >> access != 0; access++)
    if (lists >> access & 1u && access != ECS_UP &&
        !read_list(L, reading, 2 + access, (ecs_Access)access))
      return false;
  if (lists >> ECS_UP & 1u && !read_up(L, reading)) return false;
  if (reading->filters > 1) sort_filters(reading->terms, reading->count);
  return reading->demands != reading->all;
}

/* The query on top of the stack, which is from a private table of ours: its
 * metatable is not compared. NULL: it is none. */
static const LuaQuery *query_at_top(lua_State *L) {
  const LuaQuery *query = (const LuaQuery *)lua_touserdata(L, -1);
  bool found = query && lua_rawlen(L, -1) >= sizeof *query &&
               query->header.magic == bind_magic(KIND_QUERY, query);
  return found ? query : NULL;
}

/* Pushes the query of these terms and returns its slot, if the world was asked
 * for it lately; 0: it was not. The world is at index 1. Neither allocates nor
 * raises. */
static uint16_t push_recent(lua_State *L, LuaWorld *world, const LuaTerm *terms,
                            uint32_t count, LuaOrder order, uint32_t hash) {
  uint16_t slot = recent_first(&world->recent, hash);
  if (!slot) return 0;
  compat_push_private(L, 1);
  for (; slot; slot = recent_next(&world->recent, slot)) {
    lua_rawgeti(L, -1, WORLD_RECENT + (int)slot);
    const LuaQuery *query = query_at_top(L);
    if (query && query->world == world && bind_query_is_live(query) &&
        same_terms(query, terms, count, order)) {
      recent_touch(&world->recent, slot);
      return slot;
    }
    lua_pop(L, 1);
  }
  return 0;
}

/* Pushes the query that the table at index 2 describes, as push_recent; 0 for
 * mistakes, too. */
static uint16_t find(lua_State *L, LuaWorld *world) {
  Reading reading;
  reading.state = world->state;
  reading.count = reading.filters = 0;
  reading.all = false;
  if (!lua_istable(L, 2) || !read_query(L, &reading)) return 0;
  uint32_t hash = hash_terms(reading.terms, reading.count);
  return push_recent(L, world, reading.terms, reading.count,
                     (LuaOrder){NULL, 0, false}, hash);
}

/* world:query(table): the query that a script's table describes. Here only if
 * the world was asked for it lately; everything else, mistakes among it, is for
 * make(world, table) of scripts/ecs. */
static int world_query(lua_State *L) {
  lua_settop(L, 2);
  LuaWorld *world = bind_world_check(L, 1);
  if (find(L, world)) return 1;
  lua_settop(L, 2);
  bind_push_shared(L);
  lua_getfield(L, -1, "query");
  if (!lua_isfunction(L, -1)) return bind_error(L, "scripts/ecs is not loaded");
  lua_replace(L, 3);
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

/* For LuaJIT's FFI --------------------------------------------------------- */

/* For scripts/ecs/ffi/queries_ffi.lua, which remembers slots and stamps.
 *   touch  makes a query the one that was asked for last, if its slot still has
 *          this stamp and both it and its world can be used */
typedef struct QueryCalls {
  int32_t (*touch)(LuaWorld *, const LuaQuery *, uint32_t, double);
} QueryCalls;

static int32_t touch(LuaWorld *world, const LuaQuery *query, uint32_t slot,
                     double stamp) {
  return world->native && bind_query_is_live(query) &&
         recent_touch_stamped(&world->recent, slot, stamp);
}

/* query_calls(): a userdata with these functions, its size, and the method
 * world:query. Returns nothing after the first call, so the method is wrapped
 * once. */
static int query_calls(lua_State *L) {
  static const QueryCalls calls = {touch};
  bind_push_shared(L);
  lua_getfield(L, -1, "queries_accelerated");
  if (lua_toboolean(L, -1)) return 0;
  lua_pushboolean(L, 1);
  lua_setfield(L, -3, "queries_accelerated");
  memcpy(lua_newuserdata(L, sizeof calls), &calls, sizeof calls);
  compat_push_whole(L, (double)sizeof calls);
  bind_push_methods(L, KIND_WORLD);
  lua_getfield(L, -1, "query");
  lua_remove(L, -2);
  return 3;
}

/* recent_query(world, table): the query that the table describes, its slot and
 * its stamp, if the world was asked for it lately; nothing in every other case,
 * mistakes among them. */
static int recent_query(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  lua_settop(L, 2);
  if (!world || !world->native) return 0;
  world->state = bind_state(L);
  uint16_t slot = find(L, world);
  if (!slot) return 0;
  compat_push_whole(L, slot);
  compat_push_whole(L, world->recent.stamps[slot]);
  return 3;
}

/* Making ------------------------------------------------------------------ */

/* Pushes the table of queries by key of the world at index 1, made where there
 * is none. */
static void push_asked_table(lua_State *L) {
  compat_push_private(L, 1);
  lua_rawgeti(L, -1, WORLD_ASKED);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, WORLD_ASKED);
  }
  lua_remove(L, -2);
}

/* Pushes the terms and the order as a key: their bytes, which no script sees. */
static void push_key(lua_State *L, const LuaTerm *terms, uint32_t count,
                     LuaOrder order) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (uint32_t t = 0; t < count; t++) {
    uint32_t term = terms[t].definition->index * (uint32_t)ECS_ACCESS_COUNT +
                    (uint32_t)terms[t].access;
    luaL_addlstring(&buffer, (const char *)&term, sizeof term);
  }
  if (order.definition) {
    uint32_t words[] = {order.definition->index, order.field, order.down};
    luaL_addlstring(&buffer, (const char *)words, sizeof words);
    luaL_addchar(&buffer, 's'); /* no terms have such a length */
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
  compat_push_private(L, 1);
  uint16_t slot = recent_take(&world->recent, hash);
  lua_pushvalue(L, query);
  lua_rawseti(L, -2, WORLD_RECENT + (int)slot);
  lua_settop(L, query);
}

/* Reads the order { component, number of the field, down } at index; any other
 * value: none. */
static LuaOrder read_order(lua_State *L, int index) {
  LuaOrder order = {NULL, 0, false};
  if (!lua_istable(L, index)) return order;
  lua_rawgeti(L, index, 1);
  lua_rawgeti(L, index, 2);
  lua_rawgeti(L, index, 3);
  order.definition = bind_definition_check(L, lua_gettop(L) - 2, "query");
  order.field = (uint32_t)lua_tonumber(L, -2) - 1;
  order.down = lua_toboolean(L, -1);
  lua_pop(L, 3);
  return order;
}

/* Has a new query ask for changes of the components in the sequence at index. */
static ecs_Status ask_changes(lua_State *L, LuaQuery *query, int index) {
  uint32_t asked = bind_length(L, index, "query");
  ecs_Status status = ECS_OK;
  for (uint32_t t = 1; status == ECS_OK && t <= asked; t++) {
    lua_rawgeti(L, index, (int)t);
    const Definition *definition =
        bind_definition_check(L, lua_gettop(L), "query");
    BIND_WITH_RELIEF(L, query->world, status,
                     bind_query_ask_changes(L, query, definition));
    lua_pop(L, 1);
  }
  return status;
}

/* Pushes a new query, with what the values at index 4 and 5 ask for. Pushes a
 * message instead and returns false when the core refuses. */
static bool new_query(lua_State *L, LuaWorld *world, const LuaTerm *terms,
                      uint32_t count, LuaOrder order) {
  ecs_Status status = ECS_OK;
  LuaQuery *query = bind_query_new(L, world, terms, count);
  if (!query) return false;
  if (lua_istable(L, 4)) status = ask_changes(L, query, 4);
  if (status == ECS_OK && order.definition)
    BIND_WITH_RELIEF(L, world, status, bind_query_sort(L, query, order));
  if (status == ECS_OK) return true;
  bind_push_status(L, world, status, query->label);
  return false;
}

/* Forgets the queries that the world at index was asked for lately, and what
 * query:each has compiled for those that live. */
static void forget_queries(lua_State *L, LuaWorld *world, int index) {
  double stamp = world->recent.stamp;
  int top = lua_gettop(L);
  memset(&world->recent, 0, sizeof world->recent);
  world->recent.stamp = stamp;
  compat_push_private(L, index);
  for (int slot = 1; slot <= (int)RECENT_QUERIES; slot++) {
    lua_pushnil(L);
    lua_rawseti(L, top + 1, WORLD_RECENT + slot);
  }
  lua_rawgeti(L, top + 1, WORLD_ASKED);
  if (lua_istable(L, -1)) {
    for (lua_pushnil(L); lua_next(L, top + 2); lua_pop(L, 1)) {
      const LuaQuery *query = (const LuaQuery *)bind_find(L, -1, KIND_QUERY);
      if (!query || query->depth > 0) continue; /* runs what it has compiled */
      compat_push_private(L, -1);
      lua_pushnil(L);
      lua_setfield(L, -2, "known");
      lua_pop(L, 1);
    }
  }
  lua_settop(L, top);
}

/* drop_caches(): makes what is only a cache garbage; see world/collect.h. */
static int drop_caches(lua_State *L) {
  luaL_checkstack(L, 10, NULL);
  lua_settop(L, 0);
  bind_push_worlds(L);
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    LuaWorld *world = (LuaWorld *)bind_find(L, -1, KIND_WORLD);
    if (world && world->native) forget_queries(L, world, lua_gettop(L));
  }
  return 0;
}

/* query(world, terms, label, changed, order): the query of these terms; or nil
 * and a message. label is for a new one. A query that asks for changes is always
 * a new one: it belongs to one system. */
static int query_ensure(lua_State *L) {
  uint32_t count;
  LuaWorld *world = bind_world_check(L, 1);
  if (lua_type(L, 3) != LUA_TSTRING) return luaL_argerror(L, 3, "no label");
  lua_settop(L, 5);
  const LuaTerm *terms = read_terms(L, 2, &count);
  LuaOrder order = read_order(L, 5);
  if (lua_istable(L, 4))
    return new_query(L, world, terms, count, order) ? 1 : bind_fail(L);
  push_key(L, terms, count, order);
  int key = lua_gettop(L);
  push_asked_table(L);
  int asked = key + 1;
  uint32_t hash = hash_terms(terms, count);
  if (push_recent(L, world, terms, count, order, hash)) return 1;
  if (!push_asked(L, world, asked, key)) {
    if (!new_query(L, world, terms, count, order)) return bind_fail(L);
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
  static const luaL_Reg functions[] = {
      {"query", query_ensure},        {"system_query", system_query},
      {"sort_terms", sort_terms},     {"query_calls", query_calls},
      {"recent_query", recent_query}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"query", world_query}, {NULL, NULL}};
  static const luaL_Reg shared[] = {{"drop_caches", drop_caches}, {NULL, NULL}};
  bind_add(L, functions);
  bind_push_shared(L);
  bind_add(L, shared);
  lua_pop(L, 1);
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, methods);
  lua_pop(L, 1);
}
