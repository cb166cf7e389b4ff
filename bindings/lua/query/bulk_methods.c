/* bulk_methods.c: changes of every entity that matches a query.
 *
 *      query:add(Burning)   query:remove(Burning)   query:destroy()
 *      query:set(Position, { y = 0 })               query:first()
 *      query:set(Position, "y", 0)
 *
 * Inside callbacks the core records the changes by itself. As with single
 * entities, numbers are strict, and a call that raises changes nothing. A
 * component that the world lacks is defined first, except by remove, since no
 * entity can have it.
 */
#include "query/bulk_methods.h"

#include "object/number.h"
#include "query/lua_query.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/report.h"
#include "world/telling.h"

/* Raises for more than count arguments behind the query. */
static void refuse_more(lua_State *L, int count, const char *advice) {
  if (lua_gettop(L) > 1 + count) bind_error(L, "%s", advice);
}

/* The end of a change: raises for its status, or calls observers. */
static int end_change(lua_State *L, const LuaQuery *query, ecs_Status status,
                      const char *call) {
  bind_check_status(L, query->world, status, call);
  bind_tell(L, query->world);
  return 0;
}

/* The component of a definition in the query's world. */
static ecs_Component ensure(lua_State *L, const LuaQuery *query,
                            const Definition *definition) {
  bind_query_push_world(L, 1);
  ecs_Component component =
      bind_component_ensure(L, query->world, lua_gettop(L), definition);
  lua_pop(L, 1);
  return component;
}

static int query_add(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  uint64_t image[ECS_FIELD_LIMIT];
  Given given;
  int count = bind_given_read(L, bind_state(L), 2, "add", image, &given);
  refuse_more(L, count, "add takes one component: call it once for each");
  ecs_Component component = ensure(L, query, given.definition);
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, query->world, status,
      ecs_query_add_all(bind_query_native(L, query), component, given.image));
  return end_change(L, query, status, "add");
}

static int query_remove(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  const Definition *definition = bind_definition_check(L, 2, "remove");
  bind_refuse_name(L, definition, "remove");
  refuse_more(L, 1, "remove takes one component: call it once for each");
  ecs_Component component = bind_component_find(query->world, definition);
  if (!component) return 0;
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, query->world, status,
      ecs_query_remove_all(bind_query_native(L, query), component));
  return end_change(L, query, status, "remove");
}

/* query:replace(Construction, Active { since = now }) */
static int query_replace(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  const Definition *gone = bind_definition_check(L, 2, "replace");
  bind_refuse_name(L, gone, "replace");
  uint64_t image[ECS_FIELD_LIMIT];
  Given given;
  int count = bind_given_read(L, bind_state(L), 3, "replace", image, &given);
  refuse_more(L, 1 + count, "replace takes two components");
  if (gone == given.definition)
    bind_error(L, "replace: %s cannot be replaced by itself", gone->name);
  ecs_Component added = ensure(L, query, given.definition);
  ecs_Component removed = bind_component_find(query->world, gone);
  const void *values = given_image(given);
  uint64_t fields = given.image ? given.fields : 0;
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, query->world, status,
      removed ? ecs_query_replace_all(bind_query_native(L, query), removed,
                                      added, values, fields)
      : fields != 0
          ? ecs_query_set_all(bind_query_native(L, query), added, values,
                              fields)
          : ecs_query_add_all(bind_query_native(L, query), added, NULL));
  return end_change(L, query, status, "replace");
}

#define ONE_VALUE \
  "set of a query takes one value, as in query:set(Position { x = 3 })"

/* query:set(Position, "y", 0) */
static Given read_pairs(lua_State *L, uint64_t *image) {
  if (bind_find(L, 3, KIND_VALUE) || bind_find(L, 3, KIND_DEFINITION))
    refuse_more(L, 1, ONE_VALUE);
  const Definition *definition = bind_definition_check(L, 2, "set");
  void *to = bind_image_at(L, 2, definition, image);
  uint64_t fields = bind_pairs_read(L, 3, definition, to);
  return (Given){definition, to, fields};
}

static int query_set(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  uint64_t image[ECS_FIELD_LIMIT];
  Given given;
  if (lua_gettop(L) > 2 && !lua_istable(L, 3))
    given = read_pairs(L, image);
  else
    refuse_more(L, bind_given_read(L, bind_state(L), 2, "set", image, &given),
                ONE_VALUE);
  ecs_Component component = ensure(L, query, given.definition);
  ecs_Status status;
  BIND_WITH_RELIEF(L, query->world, status,
                   ecs_query_set_all(bind_query_native(L, query), component,
                                     given_image(given), given.fields));
  return end_change(L, query, status, "set");
}

static int query_destroy(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  refuse_more(L, 0,
              "destroy of a query takes nothing, since it destroys every "
              "entity that matches; for one there is world:destroy(e)");
  ecs_Status status;
  BIND_WITH_RELIEF(L, query->world, status,
                   ecs_query_destroy_all(bind_query_native(L, query)));
  return end_change(L, query, status, "destroy");
}

/* query:first(): the entity of the first row; nil when nothing matches. */
static int query_first(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  ecs_Entity entity = 0;
  ecs_Status status;
  BIND_WITH_RELIEF(L, query->world, status,
                   ecs_query_first(bind_query_native(L, query), &entity));
  bind_check_status(L, query->world, status, "first");
  if (entity)
    bind_push_entity(L, entity);
  else
    lua_pushnil(L);
  return 1;
}

/* destroy_in_order(query): false while the world is open, and nothing has
 * changed. */
static int destroy_in_order(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  ecs_Status status;
  BIND_WITH_RELIEF(L, query->world, status,
                   ecs_query_destroy_in_order(bind_query_native(L, query)));
  if (status != ECS_E_OPEN)
    bind_check_status(L, query->world, status, "destroy");
  bind_tell(L, query->world);
  lua_pushboolean(L, status == ECS_OK);
  return 1;
}

/* mark_all(query, tag): true; false where the tag is not stored as bits, or is
 * observed. */
static int mark_all(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  const Definition *definition = bind_definition_check(L, 2, "mark_all");
  ecs_Component tag = ensure(L, query, definition);
  ecs_Status status;
  BIND_WITH_RELIEF(L, query->world, status,
                   ecs_query_mark_all(bind_query_native(L, query), tag));
  if (status != ECS_E_COMPONENT)
    bind_check_status(L, query->world, status, "mark_all");
  lua_pushboolean(L, status == ECS_OK);
  return 1;
}

static const luaL_Reg functions[] = {{"destroy_in_order", destroy_in_order},
                                     {"mark_all", mark_all},
                                     {NULL, NULL}};

static const luaL_Reg methods[] = {{"add", query_add},
                                   {"remove", query_remove},
                                   {"set", query_set},
                                   {"replace", query_replace},
                                   {"destroy", query_destroy},
                                   {"first", query_first},
                                   {NULL, NULL}};

void bind_open_bulk_methods(lua_State *L) {
  bind_add(L, functions);
  bind_push_methods(L, KIND_QUERY);
  bind_add(L, methods);
  lua_pop(L, 1);
}
