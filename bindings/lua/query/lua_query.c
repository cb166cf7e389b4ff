/* lua_query.c: queries as userdata.
 *
 * The native world owns the native query. The finalizer destroys the native
 * query only while the world is live; a closed world has destroyed it already.
 *
 * A borrowed world outlives the queries that Lua made in it. The world's table
 * `queries`, with weak keys, lists them until the world is detached.
 *
 * Private table: world, label; owner, of a system's query; what walks and loops
 * reuse: views (batch_loop.c), each and idle (row_loop.c), code_each and
 * code_rows (row_view.c); and known, the functions that query_each.lua has
 * seen.
 */
#include "query/lua_query.h"

#include <string.h>

#include "api/for_bindings.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/report.h"

static void check_live(lua_State *L, const LuaQuery *query) {
  if (!query->world || !query->world->native)
    bind_error(L, "the world of this query is closed");
  if (!query->native) bind_error(L, "this query was never made");
}

LuaQuery *bind_query_check(lua_State *L, int index) {
  LuaQuery *query = (LuaQuery *)bind_find(L, index, KIND_QUERY);
  if (!query) bind_refuse_self(L, index, "query");
  check_live(L, query);
  ECS_ASSERT(query->world->state == bind_state(L));
  return query;
}

ecs_Query *bind_query_native(lua_State *L, const LuaQuery *query) {
  check_live(L, query);
  if (query->waits)
    bind_error(L,
               "no system has this query: changed means since its system last "
               "ran, as in world:system { query = ... }");
  return query->native;
}

void bind_query_push_world(lua_State *L, int index) {
  compat_push_private(L, index);
  lua_getfield(L, -1, "world");
  lua_replace(L, -2);
}

void bind_query_ensure(lua_State *L, const LuaQuery *query, int index) {
  LuaWorld *world = query->world;
  if (world->known == world->state->definition_count) return;
  bind_query_push_world(L, index);
  bind_components_ensure(L, world, -1);
  lua_pop(L, 1);
}

void bind_push_terms(lua_State *L, const LuaTerm *terms, uint32_t count) {
  lua_createtable(L, 2 * (int)count, 0);
  int sequence = lua_gettop(L);
  bind_push_shared(L);
  bind_push_table(L, "definitions");
  for (uint32_t t = 0; t < count; t++) {
    ECS_ASSERT(terms[t].access < ECS_ACCESS_COUNT);
    lua_rawgeti(L, -1, (int)terms[t].definition->index);
    lua_rawseti(L, sequence, 2 * (int)t + 1);
    lua_pushstring(L, access_name(terms[t].access));
    lua_rawseti(L, sequence, 2 * (int)t + 2);
  }
  lua_settop(L, sequence);
}

ecs_Access bind_access_check(lua_State *L, int index) {
  size_t bytes;
  const char *name = luaL_checklstring(L, index, &bytes);
  ecs_Access access = access_named(name, bytes);
  if (access == ECS_ACCESS_COUNT)
    bind_error(L, "there is no access '%s'", name);
  return access;
}

/* access_kinds(): the table of base/access.h, by ecs_Access: a list of { name,
 * list, columns ... } with booleans. */
static int access_list(lua_State *L) {
  static const char *const flags[] = {"list", "columns", "optional", "writes",
                                      "own",  "there",   "asks"};
  lua_createtable(L, ECS_ACCESS_COUNT, 0);
  for (int access = 0; access < ECS_ACCESS_COUNT; access++) {
    lua_newtable(L);
    lua_pushstring(L, access_name((ecs_Access)access));
    lua_setfield(L, -2, "name");
    for (int k = 0; k < (int)(sizeof flags / sizeof *flags); k++) {
      lua_pushboolean(L, access_is((ecs_Access)access, 1 << k));
      lua_setfield(L, -2, flags[k]);
    }
    lua_rawseti(L, -2, access + 1);
  }
  return 1;
}

/* Pushes a query with terms and without a native query. world and label are
 * stack indices. */
static LuaQuery *push_query(lua_State *L, const LuaTerm *terms, uint32_t count,
                            int world, int label) {
  LuaQuery *query = (LuaQuery *)bind_new(
      L, KIND_QUERY, sizeof *query + count * sizeof(LuaTerm));
  query->term_count = count;
  query->label = lua_tostring(L, label);
  query->owner = query;
  query->users = 1;
  for (uint32_t t = 0; t < count; t++) query->terms[t] = terms[t];
  compat_push_private(L, -1);
  lua_pushvalue(L, world);
  lua_setfield(L, -2, "world");
  lua_pushvalue(L, label);
  lua_setfield(L, -2, "label");
  lua_newtable(L);
  lua_setfield(L, -2, "views");
  lua_newtable(L);
  lua_setfield(L, -2, "loops");
  lua_newtable(L);
  lua_setfield(L, -2, "tellers");
  lua_newtable(L);
  lua_setfield(L, -2, "kept_views");
  lua_pop(L, 1);
  return query;
}

/* Adds the query on top of the stack to the list of its borrowed world. */
static void add_to_list(lua_State *L, int world_index) {
  int query = lua_gettop(L);
  compat_push_private(L, world_index);
  lua_getfield(L, -1, "queries");
  if (!lua_istable(L, -1)) {
    lua_createtable(L, 0, 4);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_setfield(L, query + 1, "queries");
  }
  lua_pushvalue(L, query);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_settop(L, query);
}

void bind_query_use(LuaQuery *query) { query->owner->users++; }

void bind_query_unuse(LuaQuery *query, ecs_Query *native) {
  LuaQuery *owner = query->owner;
  const LuaWorld *world = owner->world;
  ECS_ASSERT(owner->users > 0);
  if (--owner->users == 0 && world && world->native) ecs_query_destroy(native);
}

/* The query does not use its native query any more. */
static void release(LuaQuery *query) {
  ecs_Query *native = query->native;
  query->native = NULL;
  if (native) bind_query_unuse(query, native);
}

void bind_queries_end(lua_State *L, LuaWorld *world, int index) {
  int top = lua_gettop(L);
  compat_push_private(L, index);
  lua_getfield(L, -1, "queries");
  if (lua_istable(L, -1))
    for (lua_pushnil(L); lua_next(L, top + 2); lua_pop(L, 1)) {
      LuaQuery *query = (LuaQuery *)bind_find(L, top + 3, KIND_QUERY);
      if (!query || query->world != world) continue;
      ECS_ASSERT(query->depth == 0); /* nothing is open */
      release(query);
    }
  lua_settop(L, top);
}

LuaQuery *bind_query_new(lua_State *L, LuaWorld *world, const LuaTerm *terms,
                         uint32_t count) {
  LuaQuery *query = push_query(L, terms, count, 1, 3);
  for (uint32_t t = 0; t < count; t++)
    if (!bind_needs_try(L, world, terms[t].definition)) return NULL;
  for (uint32_t t = 0; t < count; t++)
    if (!bind_component_try(L, world, 1, terms[t].definition)) return NULL;
  query->world = world;
  if (world->borrowed) add_to_list(L, 1);
  ecs_Term *native_terms =
      (ecs_Term *)lua_newuserdata(L, (count + 1u) * sizeof *native_terms);
  for (uint32_t t = 0; t < count; t++) {
    native_terms[t].component = bind_component_find(world, terms[t].definition);
    native_terms[t].access = terms[t].access;
    ECS_ASSERT(native_terms[t].component != 0);
  }
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   ecs_query_create(bind_native(L, world), native_terms, count,
                                    &query->native));
  lua_pop(L, 1);
  if (status == ECS_OK) return query;
  bind_push_status(L, world, status, query->label);
  return NULL;
}

void bind_query_share(lua_State *L, LuaQuery *query) {
  LuaQuery *owner = query->owner;
  bind_query_push_world(L, 1);
  LuaQuery *shared = push_query(L, query->terms, query->term_count, 3, 2);
  compat_push_private(L, -1);
  lua_pushvalue(L, 1); /* keeps the owner alive, too */
  lua_setfield(L, -2, "owner");
  lua_pop(L, 1);
  shared->world = query->world;
  shared->owner = owner;
  if (query->world->borrowed) add_to_list(L, 3);
  check_live(L, query);
  shared->native = query->native;
  shared->changes = query->changes;
  owner->users++;
}

static uint32_t term_of(const LuaQuery *query, const Definition *definition) {
  uint32_t term = 0;
  while (term < query->term_count &&
         query->terms[term].definition != definition)
    term++;
  return term;
}

ecs_Status bind_query_ask_changes(lua_State *L, LuaQuery *query,
                                  const Definition *definition) {
  check_live(L, query);
  query->changes = query->waits = true;
  return ecs_query_ask_changes(query->native, term_of(query, definition));
}

ecs_Status bind_query_sort(lua_State *L, LuaQuery *query, LuaOrder order) {
  check_live(L, query);
  query->order = order;
  return ecs_query_sort(query->native, term_of(query, order.definition),
                        order.field, order.down);
}

static int query_gc(lua_State *L) {
  LuaQuery *query = (LuaQuery *)bind_find(L, 1, KIND_QUERY);
  if (query && query->depth == 0) release(query);
  return 0;
}

static int query_tostring(lua_State *L) {
  LuaQuery *query = (LuaQuery *)bind_find(L, 1, KIND_QUERY);
  if (!query) return bind_error(L, "this is not a query");
  lua_pushfstring(L, "ecs.Query (%s)", query->label);
  return 1;
}

static int query_count(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  uint64_t count = 0;
  ecs_Status status;
  BIND_WITH_RELIEF(L, query->world, status,
                   ecs_query_count(bind_query_native(L, query), &count));
  bind_check_status(L, query->world, status, "count");
  compat_push_whole(L, (double)count);
  return 1;
}

static int query_explain(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  size_t bytes = ecs_query_explain(bind_query_native(L, query), NULL, 0) + 1;
  char *text = (char *)lua_newuserdata(L, bytes);
  text[0] = 0;
  size_t length = ecs_query_explain(bind_query_native(L, query), text, bytes);
  if (length >= bytes) length = bytes - 1; /* a finalizer changed it */
  while (length > 0 && text[length - 1] == '\n') length--;
  lua_pushlstring(L, text, length);
  return 1;
}

/* count_runs(query, n): n more runs of systems, for world:optimize. */
static int count_runs(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  ecs_Status status;
  BIND_WITH_RELIEF(L, query->world, status,
                   ecs_query_count_runs(bind_query_native(L, query),
                                        (uint64_t)lua_tonumber(L, 2)));
  return bind_check_status(L, query->world, status, "optimize");
}

/* asks_changes(query): does the query ask for changes? */
static int asks_changes(lua_State *L) {
  lua_pushboolean(L, bind_query_check(L, 1)->changes);
  return 1;
}

/* asks_order(query): does the query ask for an order? */
static int asks_order(lua_State *L) {
  lua_pushboolean(L, bind_query_check(L, 1)->order.definition != NULL);
  return 1;
}

/* query_taken(query, taken): a system has the query now, or has it no more. */
static int query_taken(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1)->owner;
  query->waits = query->changes && !lua_toboolean(L, 2);
  return 0;
}

/* mark_seen(query): what the last walk began with counts as seen. */
static int mark_seen(lua_State *L) {
  const LuaQuery *query = (const LuaQuery *)bind_find(L, 1, KIND_QUERY);
  if (query && bind_query_is_live(query)) ecs_query_mark_seen(query->native);
  return 0;
}

/* query_world(query): the world of the query. */
static int query_world(lua_State *L) {
  bind_query_check(L, 1);
  bind_query_push_world(L, 1);
  return 1;
}

/* query_terms(query): a new sequence { definition, access, ... }. */
static int query_terms(lua_State *L) {
  const LuaQuery *query = bind_query_check(L, 1);
  bind_push_terms(L, query->terms, query->term_count);
  return 1;
}

/* row_count(query): how many entities match; 0 where that cannot be said. */
static int row_count(lua_State *L) {
  const LuaQuery *query = (const LuaQuery *)bind_find(L, 1, KIND_QUERY);
  uint64_t count = 0;
  if (query && bind_query_is_live(query) &&
      ecs_query_count(query->native, &count) != ECS_OK)
    count = 0;
  compat_push_whole(L, (double)count);
  return 1;
}

/* is_idle(query): is it certain that nothing matches now? Costs a fraction of a
 * walk without rows. */
static int is_idle(lua_State *L) {
  const LuaQuery *query = (const LuaQuery *)bind_find(L, 1, KIND_QUERY);
  uint64_t count = 1;
  if (query && bind_query_is_live(query) &&
      ecs_query_count(query->native, &count) != ECS_OK)
    count = 1;
  lua_pushboolean(L, count == 0);
  return 1;
}

static const luaL_Reg functions[] = {{"is_idle", is_idle},
                                     {"row_count", row_count},
                                     {"count_runs", count_runs},
                                     {"query_terms", query_terms},
                                     {"query_world", query_world},
                                     {"asks_changes", asks_changes},
                                     {"asks_order", asks_order},
                                     {"query_taken", query_taken},
                                     {"mark_seen", mark_seen},
                                     {"access_kinds", access_list},
                                     {NULL, NULL}};
static const luaL_Reg methods[] = {
    {"count", query_count}, {"explain", query_explain}, {NULL, NULL}};
static const luaL_Reg metamethods[] = {
    {"__gc", query_gc}, {"__tostring", query_tostring}, {NULL, NULL}};

void bind_open_lua_query(lua_State *L) {
  bind_add(L, functions);
  bind_push_methods(L, KIND_QUERY);
  bind_add(L, methods);
  bind_push_metatable(L, KIND_QUERY);
  bind_add(L, metamethods);
  lua_pop(L, 2);
}
