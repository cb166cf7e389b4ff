/* batch_loop.c: runs a function over batches: query:batch, batch systems,
 * spawn_many.
 *
 *      begin --> next --> show --> lua_pcall(callback) --> hide --+--> end
 *                  ^                                              |
 *                  +----------------------------------------------+
 *                                       an error: hide, discard, raise
 *
 * Between begin and end nothing here allocates from Lua or raises; the stack is
 * made large enough before. What goes wrong is kept as an outcome and turned
 * into an error when the walk has ended.
 *
 * lua_pcall, not lua_pcallk: a callback that yields gets an error, as it must,
 * since the walk lies on the C stack.
 */
#include <string.h>

#include "base/config.h"
#include "query/batch_view.h"

/* What a walk leaves on the stack: nothing, a message that has yet to get its
 * position, or the callback's error as it was. */
typedef enum Outcome { OUTCOME_DONE, OUTCOME_MISUSE, OUTCOME_THROWN } Outcome;

/* A walk in progress: places on the stack of what it needs. */
typedef struct OpenWalk {
  View *view;
  int slots;    /* VIEW_SLOTS values */
  int callback; /* 0: none */
  int first_extra;
  int extra_count;
  const char *call; /* for messages */
  bool idle;        /* there was no batch */
} OpenWalk;

void bind_walk_enter(View *view) {
  view->outer = view->world->innermost;
  view->world->innermost = view;
  view->before = view->world->state->walk;
  view->world->state->walk = view;
  view->busy = 1;
}

bool bind_walk_leave(View *view) {
  view->world->innermost = view->outer;
  view->world->state->walk = view->before;
  view->busy = 0;
  return bind_world_settle(view->world);
}

/* Calls back once for the batch in the view; a callback's error stays on the
 * stack. */
static Outcome show(lua_State *L, OpenWalk *walk, Misuse *misuse) {
  View *view = walk->view;
  view->showing = 1;
  lua_pushvalue(L, walk->callback);
  lua_pushvalue(L, walk->slots);
  for (int k = 0; k < walk->extra_count; k++)
    lua_pushvalue(L, walk->first_extra + k);
  int failed = lua_pcall(L, 1 + walk->extra_count, 0, 0);
  *misuse = bind_view_hide(L, view, walk->slots, !failed);
  if (failed) return OUTCOME_THROWN;
  return misuse->row ? OUTCOME_MISUSE : OUTCOME_DONE;
}

/* After the last batch: ends the cursor, and pushes the message for what is no
 * error of the callback. */
static Outcome walk_end(lua_State *L, OpenWalk *walk, Outcome outcome,
                        Misuse misuse) {
  View *view = walk->view;
  ecs_Status status = ECS_OK;
  if (outcome == OUTCOME_DONE)
    status = ecs_cursor_end(&view->cursor);
  else
    ecs_cursor_discard(&view->cursor);
  bool closed = bind_walk_leave(view);
  if (outcome == OUTCOME_MISUSE)
    bind_push_misuse(L, view, misuse);
  else if (outcome == OUTCOME_DONE && status != ECS_OK)
    bind_push_status(L, view->world, status, walk->call);
  else if (outcome == OUTCOME_DONE && closed)
    lua_pushfstring(L, "ecs: the world was closed inside %s", view->label);
  else
    return outcome;
  return OUTCOME_MISUSE;
}

/* From an open cursor to its end. */
static Outcome walk_run(lua_State *L, OpenWalk *walk) {
  View *view = walk->view;
  Outcome outcome = OUTCOME_DONE;
  Misuse misuse = {0, 0, false};
  bind_walk_enter(view);
  walk->idle = true;
  while (outcome == OUTCOME_DONE &&
         ecs_cursor_next(&view->cursor, &view->batch)) {
    outcome = show(L, walk, &misuse);
    walk->idle = false;
  }
  return walk_end(L, walk, outcome, misuse);
}

static void reserve_stack(lua_State *L, const OpenWalk *walk) {
  luaL_checkstack(L, walk->extra_count + 16 + (int)VIEW_BLOCK, NULL);
}

/* query:batch ------------------------------------------------------------- */

/* Pushes the view for one more walk of this query, and its slots. */
static View *query_view(lua_State *L, LuaQuery *query) {
  compat_push_private(L, 1);
  bind_push_table(L, "views");
  lua_rawgeti(L, -1, (int)query->depth + 1);
  View *view = (View *)bind_find(L, -1, KIND_VIEW);
  if (!view || view->busy) {
    lua_pop(L, 1);
    ViewPlan plan = {query->world, query->label, query->terms,
                     query->term_count};
    view = bind_view_new(L, 1, &plan);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (int)query->depth + 1);
  }
  bind_view_push_slots(L, -1);
  return view;
}

/* Walks query 1 with function 2, handing on arguments 3 to top. idle: was there
 * nothing to walk over? */
static Outcome query_walk(lua_State *L, LuaQuery *query, bool *idle) {
  OpenWalk walk = {NULL, 0, 2, 3, lua_gettop(L) - 2, query->label, false};
  compat_push_private(L, 1);
  lua_getfield(L, -1, "world");
  bind_world_meet_all(L, query->world, -1);
  walk.view = query_view(L, query);
  walk.slots = lua_gettop(L) - VIEW_SLOTS + 1;
  reserve_stack(L, &walk);
  ecs_Status status = ecs_query_begin(bind_query_native(L, query),
                                      ECS_BATCH_COALESCED, &walk.view->cursor);
  if (status != ECS_OK) {
    bind_push_status(L, query->world, status, query->label);
    return OUTCOME_MISUSE;
  }
  query->depth++;
  Outcome outcome = walk_run(L, &walk);
  query->depth--;
  *idle = walk.idle;
  return outcome;
}

/* query:batch(f, ...) */
static int query_batch(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  bind_callback_check(L, 2, "batch");
  bool idle = false;
  switch (query_walk(L, query, &idle)) {
    case OUTCOME_MISUSE: return bind_raise(L);
    case OUTCOME_THROWN: return lua_error(L);
    default: return 0;
  }
}

/* run_batch(query, f, ...): true, and whether there were no rows; or false,
 * whether the error is the callback's own, and the error. For systems, which
 * say more about it. */
static int run_batch(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  bind_callback_check(L, 2, "batch");
  bool idle = false;
  Outcome outcome = query_walk(L, query, &idle);
  lua_pushboolean(L, outcome == OUTCOME_DONE);
  lua_pushboolean(L,
                  outcome == OUTCOME_DONE ? idle : outcome == OUTCOME_THROWN);
  if (outcome == OUTCOME_DONE) return 2;
  lua_pushvalue(L, -3);
  return 3;
}

/* world:spawn_many -------------------------------------------------------- */

/* Makes every element of a column what source has: what is there already is
 * copied behind itself, twice as much each time. */
static void fill_column(char *column, const void *source, size_t bytes,
                        size_t count) {
  size_t done = 1;
  if (count == 0) return;
  memcpy(column, source, bytes);
  for (; done < count - done; done *= 2)
    memcpy(column + done * bytes, column, done * bytes);
  memcpy(column + done * bytes, column, (count - done) * bytes);
}

/* Writes the fields that values give into the columns of new rows. */
static void fill_values(const Parts *parts, const ecs_Batch *batch) {
  uint32_t k = 0;
  for (uint32_t p = 0; p < parts->count; p++) {
    const Definition *definition = parts->parts[p].definition;
    const Value *value = parts->parts[p].value;
    for (uint32_t f = 0; f < definition->field_count; f++, k++) {
      if (!value || !(value->given >> f & 1)) continue;
      fill_column((char *)batch->columns[k],
                  (const char *)value->image + definition->offsets[f],
                  ecs_scalar_bytes(definition->fields[f].type), batch->count);
    }
  }
}

static bool gives_values(const Parts *parts) {
  for (uint32_t p = 0; p < parts->count; p++)
    if (parts->parts[p].value) return true;
  return false;
}

/* Less the index of nobody. */
#define MOST_ENTITIES ((int)ECS_INDEX_LIMIT - 1)

static double check_count(lua_State *L, int index) {
  double count =
      lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : -1;
  if (!(count >= 0 && count <= MOST_ENTITIES &&
        count == (double)(uint32_t)count))
    bind_error(L, "spawn_many takes how many: a whole number from 0 to %d",
               MOST_ENTITIES);
  return count;
}

static int refuse_parts(lua_State *L) {
  return bind_error(L,
                    "spawn_many takes a list of parts, as in "
                    "world:spawn_many(100, { Position, Enemy })");
}

/* Pushes the list of parts of argument 3 onto the stack; returns how many. */
static int unpack_parts(lua_State *L) {
  if (!lua_istable(L, 3)) refuse_parts(L);
  int count = (int)bind_length(L, 3, "spawn_many");
  luaL_checkstack(L, count + 16, "too many parts");
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, 3, k);
    if (lua_isnil(L, -1)) bind_refuse_nil(L, k, "spawn_many");
  }
  return count;
}

/* Pushes the view for a bundle's new rows, and its slots. */
static View *bundle_view(lua_State *L, LuaWorld *world, const Parts *parts,
                         ecs_Bundle bundle) {
  compat_push_private(L, 1);
  bind_push_table(L, "bundles");
  int bundles = lua_gettop(L);
  lua_rawgeti(L, bundles, (int)bundle);
  View *view = (View *)bind_find(L, -1, KIND_VIEW);
  if (!view || view->busy) {
    LuaTerm *terms =
        (LuaTerm *)lua_newuserdata(L, (parts->count + 1u) * sizeof *terms);
    for (uint32_t p = 0; p < parts->count; p++) {
      terms[p].definition = parts->parts[p].definition;
      terms[p].access = ECS_WRITE;
    }
    ViewPlan plan = {world, "spawn_many", terms, parts->count};
    view = bind_view_new(L, 1, &plan);
    lua_pushvalue(L, -1);
    lua_rawseti(L, bundles, (int)bundle);
  }
  bind_view_push_slots(L, -1);
  return view;
}

/* As walk_run, filling in values before the callback sees a batch. */
static Outcome spawn_run(lua_State *L, OpenWalk *walk, const Parts *parts) {
  View *view = walk->view;
  Outcome outcome = OUTCOME_DONE;
  Misuse misuse = {0, 0, false};
  bind_walk_enter(view);
  while (outcome == OUTCOME_DONE &&
         ecs_cursor_next(&view->cursor, &view->batch)) {
    fill_values(parts, &view->batch);
    if (walk->callback) outcome = show(L, walk, &misuse);
  }
  return walk_end(L, walk, outcome, misuse);
}

/* Says so when it is the number of entities that is past its limit. */
static int refuse(lua_State *L, const LuaWorld *world, ecs_Status status,
                  double count) {
  ecs_Statistics now;
  ecs_world_statistics(bind_native(L, world), &now);
  if (status == ECS_E_LIMIT &&
      (double)now.entities + (double)now.retired + count > MOST_ENTITIES)
    return bind_error(L,
                      "spawn_many: %d more would be too many: a world holds "
                      "at most %d entities",
                      (int)count, MOST_ENTITIES);
  bind_push_status(L, world, status, "spawn_many");
  return bind_raise(L);
}

/* world:spawn_many(n, { Position, Velocity { x = 1 } }, f) */
static int world_spawn_many(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  double count = check_count(L, 2);
  lua_settop(L, 4);
  bool called = !lua_isnil(L, 4);
  if (bind_find(L, 4, KIND_DEFINITION) || bind_find(L, 4, KIND_VALUE))
    refuse_parts(L);
  if (called) bind_callback_check(L, 4, "spawn_many");
  Parts parts;
  ecs_Bundle bundle;
  bind_parts_read(L, world, 1, 5, unpack_parts(L), "spawn_many", &parts);
  if (called) bind_world_meet_all(L, world, 1);
  ecs_Status status =
      ecs_bundle(bind_native(L, world), parts.components, parts.count, &bundle);
  if (status != ECS_OK) return refuse(L, world, status, count);
  bool walked = called || gives_values(&parts);
  OpenWalk walk = {NULL, 0, called ? 4 : 0, 0, 0, "spawn_many", false};
  if (walked) {
    walk.view = bundle_view(L, world, &parts, bundle);
    walk.slots = lua_gettop(L) - VIEW_SLOTS + 1;
    reserve_stack(L, &walk);
  }
  status = ecs_spawn_many(bind_native(L, world), bundle, (uint64_t)count,
                          walked ? &walk.view->cursor : NULL);
  if (status != ECS_OK) return refuse(L, world, status, count);
  if (!walked) return 0;
  switch (spawn_run(L, &walk, &parts)) {
    case OUTCOME_MISUSE: return bind_raise(L);
    case OUTCOME_THROWN: return lua_error(L);
    default: return 0;
  }
}

static const luaL_Reg functions[] = {{"run_batch", run_batch}, {NULL, NULL}};

void bind_open_walks(lua_State *L) {
  static const luaL_Reg query_methods[] = {{"batch", query_batch},
                                           {NULL, NULL}};
  static const luaL_Reg world_methods[] = {{"spawn_many", world_spawn_many},
                                           {NULL, NULL}};
  bind_add(L, functions);
  bind_push_methods(L, KIND_QUERY);
  bind_add(L, query_methods);
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, world_methods);
  lua_pop(L, 2);
}
