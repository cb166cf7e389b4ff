/* lua_query.h: queries as userdata. */
#ifndef ECS_LUA_LUA_QUERY_H
#define ECS_LUA_LUA_QUERY_H

#include "world/lua_world.h"

/* The order that a query asks for. */
typedef struct LuaOrder {
  const Definition *definition; /* NULL: none */
  uint32_t field;
  bool down;
} LuaOrder;

/* The queries of systems share the native query of another one, their owner:
 *
 *      query of system 'a' --owner--> query { Position } --native--> ecs_Query
 *      query of system 'b' --owner--^                     (users: 3)
 *
 * All have its address, and the last one to be collected destroys it. */
typedef struct LuaQuery {
  Header header;
  LuaWorld *world;
  ecs_Query *native;      /* owned by the native world; NULL: destroyed */
  struct LuaQuery *owner; /* kept alive by the private table; itself, unless it
                             is of a system */
  uint32_t users;    /* of an owner: queries that have its native query, itself
                     among them */
  const char *label; /* "query { Position }" or "system 'move'"; borrowed from
                        a string in the private table */
  uint32_t depth;    /* walks of this query that are open */
  LuaOrder order;
  bool changes;        /* it asks for changes */
  bool waits;          /* and no system has it: there is nothing to walk over */
  uint64_t batch_rows; /* rows of its last walk by batches */
  uint32_t term_count;
  LuaTerm terms[];
} LuaQuery;

/* The query at index, of a live world. Raises on anything else. */
BIND_INTERNAL LuaQuery *bind_query_check(lua_State *L, int index);

/* The native query, for a call of the core that follows at once. Raises when
 * its world has been closed, and for a query that asks for changes while no
 * system has it. */
BIND_INTERNAL ecs_Query *bind_query_native(lua_State *L, const LuaQuery *query);

/* Can the query be used? For callers that must not raise. */
static inline bool bind_query_is_live(const LuaQuery *query) {
  return query->world && query->world->native && query->native;
}

/* Pushes the query's world. index is the stack index of the query. */
BIND_INTERNAL void bind_query_push_world(lua_State *L, int index);

/* Before a walk of the query at index: defines the components of definitions
 * that its world has none for. Costs a comparison when there are none. */
BIND_INTERNAL void bind_query_ensure(lua_State *L, const LuaQuery *query,
                                     int index);

/* The access that the string at index names. Raises on anything else. */
BIND_INTERNAL ecs_Access bind_access_check(lua_State *L, int index);

/* Pushes a new query of the world at index 1, with the label at index 3. Pushes
 * a message instead and returns NULL when the core refuses. */
BIND_INTERNAL LuaQuery *bind_query_new(lua_State *L, LuaWorld *world,
                                       const LuaTerm *terms, uint32_t count);

/* Has a new query ask for changes of the term of a definition, or for an order.
 * Both return as the core does, and raise where the world was closed. */
BIND_INTERNAL ecs_Status bind_query_ask_changes(lua_State *L, LuaQuery *query,
                                                const Definition *definition);
BIND_INTERNAL ecs_Status bind_query_sort(lua_State *L, LuaQuery *query,
                                         LuaOrder order);

/* Pushes a query with the terms and the native query of the one at index 1, and
 * the label at index 2. */
BIND_INTERNAL void bind_query_share(lua_State *L, LuaQuery *query);

/* One user more of the native query, or one less: the last one destroys it, if
 * its world is there. Neither allocates nor raises. */
BIND_INTERNAL void bind_query_use(LuaQuery *query);
BIND_INTERNAL void bind_query_unuse(LuaQuery *query, ecs_Query *native);

/* Pushes a new sequence { definition, "write", definition, "read", ... }. */
BIND_INTERNAL void bind_push_terms(lua_State *L, const LuaTerm *terms,
                                   uint32_t count);

/* Destroys the native queries that this state made in a borrowed world, in
 * which nothing is open. index is the stack index of the world. */
BIND_INTERNAL void bind_queries_end(lua_State *L, LuaWorld *world, int index);

/* Adds is_idle, query_terms and query_world to the table on top of the stack,
 * count and explain to the methods of queries, and metamethods. */
BIND_INTERNAL void bind_open_lua_query(lua_State *L);

#endif
