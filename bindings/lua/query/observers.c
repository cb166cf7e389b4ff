/* observers.c: world:on, and the observers that it makes. */
#include "query/observers.h"

#include <string.h>

#include "object/plain_table.h"
#include "query/observer_calls.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/report.h"

/* The tables of observers -------------------------------------------------- */

/* Pushes the weak table of all worlds with observers. */
static void ensure_worlds(lua_State *L) {
  bind_push_shared(L);
  lua_getfield(L, -1, "observed");
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "observed");
  }
  lua_replace(L, -2);
}

/* Pushes the table of the observers of the world at index 1. */
static void ensure_observers(lua_State *L, LuaWorld *world) {
  compat_push_private(L, 1);
  lua_getfield(L, -1, "observers");
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, OBSERVED_WORLD);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "observers");
  }
  lua_replace(L, -2);
  ensure_worlds(L);
  lua_pushlightuserdata(L, world);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* Making observers --------------------------------------------------------- */

static const char *const occasions[] = {"add",   "remove", "set",
                                        "enter", "leave",  "destroy"};

static ecs_Occasion check_occasion(lua_State *L) {
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  for (int k = 0; k < ECS_OCCASION_COUNT; k++)
    if (strcmp(name, occasions[k]) == 0) return (ecs_Occasion)k;
  bind_push_description(L, 2);
  bind_error(L,
             "on takes 'add', 'remove', 'set', 'enter', 'leave' or 'destroy' "
             "first, not %s",
             lua_tostring(L, -1));
  return ECS_ON_ADD;
}

/* Pushes a query of the definition at index 3 alone. */
static LuaQuery *push_query(lua_State *L) {
  lua_getfield(L, 1, "query");
  lua_pushvalue(L, 1);
  lua_createtable(L, 1, 0);
  lua_pushvalue(L, 3);
  lua_rawseti(L, -2, 1);
  lua_call(L, 2, 1);
  return (LuaQuery *)bind_find(L, -1, KIND_QUERY);
}

/* The query at index 3, of the world. */
static LuaQuery *check_query(lua_State *L, const LuaWorld *world,
                             const char *occasion) {
  LuaQuery *query = (LuaQuery *)bind_find(L, 3, KIND_QUERY);
  if (!query) {
    bind_push_description(L, 3);
    bind_error(L, "on '%s' takes a query, not %s", occasion,
               lua_tostring(L, -1));
  } else if (query->world != world) {
    bind_error(L, "on: %s is of another world", query->label);
  } else {
    bind_query_ensure(L, query, 3);
  }
  return query;
}

/* Have rows a view of the term, or batches a column? */
static bool has_columns(LuaTerm term) {
  return access_has_own_columns(term.access) &&
         term.definition->field_count > 0;
}

/* Keeps the value on top of the stack, which is popped, for the observer at
 * index. */
static void keep(lua_State *L, int index, int slot) {
  compat_push_private(L, index);
  lua_insert(L, -2);
  lua_rawseti(L, -2, slot);
  lua_pop(L, 1);
}

/* Gives the observer at index the rows of a query at another index. */
static void keep_rows(lua_State *L, int index, LuaObserver *observer, int owner,
                      LuaQuery *query) {
  bool any = false;
  for (uint32_t t = 0; t < query->term_count; t++)
    any = any || has_columns(query->terms[t]);
  if (!any) return;
  observer->rows = observer->leaves ? bind_rows_gone(L, owner, query)
                                    : bind_rows_new(L, owner, query, true);
  observer->rows->at_once = true;
  keep(L, index, OBSERVER_ROWS);
}

/* Pushes a buffer for the terms that batches have: those with fields that are
 * always there. */
static BatchBuffer *push_buffer(lua_State *L, const LuaTerm *terms,
                                uint32_t count) {
  uint32_t columns = 0, images = 0, kept = 0;
  for (uint32_t t = 0; t < count; t++)
    if (has_columns(terms[t])) columns += terms[t].definition->field_count;
  size_t bytes = sizeof(BatchBuffer) + count * sizeof(BatchTerm) +
                 columns * (sizeof(void *) + BATCH_ROWS * sizeof(uint64_t));
  BatchBuffer *buffer = (BatchBuffer *)lua_newuserdata(L, bytes);
  memset(buffer, 0, sizeof *buffer);
  buffer->columns = (void **)(void *)(buffer + 1);
  uint64_t *values = (uint64_t *)(void *)(buffer->columns + columns);
  buffer->terms = (BatchTerm *)(void *)(values + (size_t)columns * BATCH_ROWS);
  for (uint32_t t = 0; t < count; t++) {
    if (!has_columns(terms[t])) continue;
    uint32_t image = images++;
    if (access_is_optional(terms[t].access)) continue;
    buffer->terms[kept++] =
        (BatchTerm){terms[t].definition, buffer->column_count, image};
    for (uint32_t f = 0; f < terms[t].definition->field_count; f++) {
      buffer->columns[buffer->column_count++] = values;
      values += BATCH_ROWS;
    }
  }
  buffer->term_count = kept;
  return buffer;
}

/* Gives the observer at index batches of some terms. */
static void keep_batches(lua_State *L, int index, LuaObserver *observer,
                         const LuaTerm *terms, uint32_t count) {
  BatchBuffer *buffer = push_buffer(L, terms, count);
  keep(L, index, OBSERVER_BUFFER);
  LuaTerm *read =
      (LuaTerm *)lua_newuserdata(L, (buffer->term_count + 1u) * sizeof *read);
  for (uint32_t t = 0; t < buffer->term_count; t++)
    read[t] = (LuaTerm){buffer->terms[t].definition, ECS_READ};
  ViewPlan plan = {observer->world, "the batch of an observer", read,
                   buffer->term_count, false};
  observer->view = bind_view_new(L, 1, &plan);
  observer->view->copies = true;
  keep(L, index, OBSERVER_VIEW);
  observer->buffer = buffer;
  lua_settop(L, index);
}

/* Are the options at index { batch = true }? Nothing else is one. */
static bool asks_for_batches(lua_State *L, int index) {
  static const char *const known[] = {"batch", NULL};
  static const PlainForm form = {known, false, false};
  bool batches = false;
  if (lua_isnoneornil(L, index)) return false;
  if (!lua_istable(L, index))
    bind_error(L, "on takes options, as in { batch = true }");
  bind_plain(L, index, &form, "on", "its table of options");
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING ||
        strcmp(lua_tostring(L, -2), "batch") != 0 || !lua_isboolean(L, -1))
      bind_error(L, "on knows one option, as in { batch = true }");
    batches = lua_toboolean(L, -1);
  }
  return batches;
}

/* Pushes the observer of the arguments, without the core's. */
static LuaObserver *push_observer(lua_State *L, LuaWorld *world,
                                  ecs_Occasion occasion, int function) {
  LuaObserver *observer =
      (LuaObserver *)bind_new(L, KIND_OBSERVER, sizeof *observer);
  int index = lua_gettop(L);
  observer->world = world;
  observer->leaves = occasion == ECS_ON_REMOVE || occasion == ECS_ON_LEAVE;
  lua_pushvalue(L, 1);
  keep(L, index, OBSERVER_WORLD);
  lua_pushvalue(L, function);
  keep(L, index, OBSERVER_FUNCTION);
  return observer;
}

/* Registers the observer on top of the stack, which the world keeps from now
 * on. Its name is above it, and is popped. */
static int enter(lua_State *L, LuaWorld *world, LuaObserver *observer,
                 ecs_Status status) {
  int index = lua_gettop(L) - 1;
  keep(L, index, OBSERVER_NAME);
  bind_check_status(L, world, status, "on");
  ensure_observers(L, world);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, (int)observer->id);
  lua_settop(L, index);
  return 1;
}

static bool goes_along(const LuaQuery *query) {
  for (uint32_t i = 0; i < query->term_count; i++)
    if (query->terms[i].access == ECS_ALONG) return true;
  return false;
}

static int observe_query(lua_State *L, LuaWorld *world, ecs_Occasion occasion) {
  LuaQuery *query = check_query(L, world, occasions[occasion]);
  bind_callback_check(L, 4, "on");
  bool batches = asks_for_batches(L, 5);
  if (query->changes) bind_error(L, "on: %s asks for changes", query->label);
  if (goes_along(query))
    bind_error(L, "on: %s goes along a tree", query->label);
  LuaObserver *observer = push_observer(L, world, occasion, 4);
  int index = lua_gettop(L);
  if (batches)
    keep_batches(L, index, observer, query->terms, query->term_count);
  else
    keep_rows(L, index, observer, 3, query);
  lua_pushfstring(L, "'%s' of %s", occasions[occasion], query->label);
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, world, status,
      ecs_observe_query(bind_query_native(L, query), occasion, &observer->id));
  return enter(L, world, observer, status);
}

static int observe_component(lua_State *L, LuaWorld *world,
                             ecs_Occasion occasion) {
  const Definition *definition = bind_definition_at(L, world->state, 3, "on");
  bind_callback_check(L, 4, "on");
  if (occasion == ECS_ON_SET && definition->field_count == 0)
    bind_error(L, "on: %s is a tag and is never set: observe 'add'",
               definition->name);
  bool batches = asks_for_batches(L, 5);
  ecs_Component component = bind_component_ensure(L, world, 1, definition);
  LuaObserver *observer = push_observer(L, world, occasion, 4);
  int index = lua_gettop(L);
  const LuaTerm term = {definition, ECS_READ};
  if (batches) {
    keep_batches(L, index, observer, &term, 1);
  } else if (definition->field_count > 0) {
    LuaQuery *query = push_query(L);
    keep_rows(L, index, observer, index + 1, query);
    lua_settop(L, index);
  }
  lua_pushfstring(L, "'%s' of %s", occasions[occasion], definition->name);
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, world, status,
      ecs_observe(bind_native(L, world), occasion, component, &observer->id));
  return enter(L, world, observer, status);
}

static int observe_deaths(lua_State *L, LuaWorld *world) {
  bind_callback_check(L, 3, "on");
  bool batches = asks_for_batches(L, 4);
  LuaObserver *observer = push_observer(L, world, ECS_ON_DESTROY, 3);
  if (batches) keep_batches(L, lua_gettop(L), observer, NULL, 0);
  lua_pushliteral(L, "'destroy'");
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, world, status,
      ecs_observe(bind_native(L, world), ECS_ON_DESTROY, 0, &observer->id));
  return enter(L, world, observer, status);
}

/* observe(world, "add", Position, f)   observe(world, "enter", query, f)
 * observe(world, "destroy", f): for world:on. */
static int observe(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Occasion occasion = check_occasion(L);
  int most = occasion == ECS_ON_DESTROY ? 4 : 5;
  if (lua_gettop(L) > most)
    bind_error(L, "on '%s' takes no more than %d arguments",
               occasions[occasion], most - 1);
  lua_settop(L, 5);
  world->tell = bind_observers_tell;
  if (occasion == ECS_ON_DESTROY) return observe_deaths(L, world);
  if (occasion == ECS_ON_ENTER || occasion == ECS_ON_LEAVE)
    return observe_query(L, world, occasion);
  return observe_component(L, world, occasion);
}

/* Ending ------------------------------------------------------------------- */

static void end(LuaObserver *observer) {
  if (observer->id && observer->world->native)
    ecs_unobserve(observer->world->native, observer->id);
  observer->id = 0;
}

/* observer:off(). Harmless when it is off. */
static int observer_off(lua_State *L) {
  LuaObserver *observer = (LuaObserver *)bind_find(L, 1, KIND_OBSERVER);
  if (!observer) return bind_refuse_self(L, 1, "observer");
  ecs_Observer id = observer->id;
  end(observer);
  bind_observers_push(L, observer->world);
  if (id == 0 || !lua_istable(L, -1)) return 0;
  lua_pushnil(L);
  lua_rawseti(L, -2, (int)id);
  return 0;
}

static int observer_gc(lua_State *L) {
  LuaObserver *observer = (LuaObserver *)bind_find(L, 1, KIND_OBSERVER);
  if (observer) end(observer);
  return 0;
}

static int observer_tostring(lua_State *L) {
  if (!bind_find(L, 1, KIND_OBSERVER))
    return bind_error(L, "this is not an observer");
  compat_push_private(L, 1);
  lua_rawgeti(L, -1, OBSERVER_NAME);
  lua_pushfstring(L, "ecs.Observer (%s)", lua_tostring(L, -1));
  return 1;
}

void bind_observers_end(lua_State *L, LuaWorld *world, int index) {
  compat_push_private(L, index);
  lua_getfield(L, -1, "observers");
  if (lua_istable(L, -1))
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
      LuaObserver *observer = (LuaObserver *)bind_find(L, -1, KIND_OBSERVER);
      if (observer && observer->world == world) end(observer);
    }
  lua_pop(L, 2);
}

void bind_open_observers(lua_State *L) {
  static const luaL_Reg functions[] = {{"observe", observe}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"off", observer_off}, {NULL, NULL}};
  static const luaL_Reg metamethods[] = {
      {"__gc", observer_gc}, {"__tostring", observer_tostring}, {NULL, NULL}};
  bind_add(L, functions);
  bind_push_methods(L, KIND_OBSERVER);
  bind_add(L, methods);
  bind_push_metatable(L, KIND_OBSERVER);
  bind_add(L, metamethods);
  lua_pop(L, 2);
}
