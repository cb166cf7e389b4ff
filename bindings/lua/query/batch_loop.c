/* batch_loop.c: runs a function over batches: query:batch and batch systems.
 *
 *      begin --> next --> show --> lua_pcall(callback) --> hide --+--> end
 *                  ^                                              |
 *                  +----------------------------------------------+
 *                                       an error: hide, discard, raise
 *
 * Between begin and end nothing here allocates from Lua or raises; room on the
 * stack is made before. Whatever goes wrong is kept as an outcome and becomes
 * an error after the walk has ended.
 *
 * lua_pcall, not lua_pcallk: a callback that yields gets an error, as it must,
 * because the walk lies on the C stack.
 */
#include "query/batch_loop.h"

#include "api/for_bindings.h"
#include "query/column_copy.h"
#include "query/lua_query.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/report.h"
#include "world/traceback.h"

void bind_batch_loop_ready(lua_State *L, BatchLoop *loop) {
  loop->slots = lua_gettop(L) + 1;
  bind_view_push_slots(L, -1);
  ECS_ASSERT(bind_find(L, loop->slots - 1, KIND_VIEW) == loop->view);
  bind_push_tracer(L);
  loop->tracer = lua_gettop(L);
  luaL_checkstack(L, loop->extra_count + 16 + COPY_BLOCK, NULL);
}

/* Prepares the batch in the view. A message stays on the stack. */
static Outcome prepare_batch(lua_State *L, const BatchLoop *loop,
                             BatchPrepare prepare, void *data) {
  ecs_Status status = prepare(&loop->view->batch, data);
  if (status == ECS_OK) return OUTCOME_DONE;
  bind_push_status(L, loop->view->walk.world, status, loop->call);
  return OUTCOME_MISUSE;
}

/* Calls back once for the batch in the view. A callback's error stays on the
 * stack. */
static Outcome show(lua_State *L, const BatchLoop *loop, Misuse *misuse) {
  View *view = loop->view;
  view->showing = true;
  lua_pushvalue(L, loop->callback);
  lua_pushvalue(L, loop->slots);
  if (view->keeps) lua_pushvalue(L, loop->slots + VIEW_SLOTS);
  for (int k = 0; k < loop->extra_count; k++)
    lua_pushvalue(L, loop->first_extra + k);
  int failed =
      lua_pcall(L, 1 + loop->extra_count + view->keeps, 0, loop->tracer);
  *misuse = bind_view_hide(L, view, loop->slots, !failed);
  if (failed) return OUTCOME_THROWN;
  return misuse->row ? OUTCOME_MISUSE : OUTCOME_DONE;
}

Outcome bind_batch_loop(lua_State *L, BatchLoop *loop, BatchPrepare prepare,
                        void *data) {
  View *view = loop->view;
  Outcome outcome = OUTCOME_DONE;
  Misuse misuse = {0, 0, false};
  ECS_ASSERT(!view->busy && !view->showing);
  bind_world_enter(&view->walk);
  view->busy = true;
  view->ordinal = 0;
  loop->idle = true;
  while (outcome == OUTCOME_DONE &&
         ecs_cursor_next(&view->cursor, &view->batch)) {
    if (prepare) outcome = prepare_batch(L, loop, prepare, data);
    if (outcome == OUTCOME_DONE && loop->callback)
      outcome = show(L, loop, &misuse);
    loop->idle = false;
    loop->rows += view->batch.count;
    view->ordinal++;
  }
  ECS_ASSERT(!view->showing);
  view->busy = false;
  outcome = bind_walk_end(L, &view->walk, &view->cursor, outcome, loop->call);
  if (outcome == OUTCOME_MISUSE && misuse.row)
    bind_push_misuse(L, view, misuse);
  return outcome;
}

/* A query is worth a look at the source of its function when its last walk had
 * this many rows. */
#define WORTH_ROWS 256u

/* Walks that are nested deeper keep nothing. */
#define KEEPING_DEPTH 2u

/* Pushes the function that does what function 2 does and says what it stores,
 * for a view that keeps (scripts/ecs/kept_batches.lua); false, and nothing is
 * pushed: there is none. */
static bool push_teller(lua_State *L) {
  int top = lua_gettop(L);
  bind_push_shared(L);
  lua_getfield(L, -1, "batches");
  if (!lua_isfunction(L, -1)) {
    lua_settop(L, top);
    return false;
  }
  compat_push_private(L, 1);
  bind_push_table(L, "tellers");
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushvalue(L, top + 2);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, -3);
    lua_pushvalue(L, 2);
    lua_call(L, 3, 1);
  }
  bool found = lua_isfunction(L, -1);
  if (found) lua_replace(L, top + 1);
  lua_settop(L, top + found);
  return found;
}

/* Pushes the view for one more walk of the query at index 1: a walk inside
 * another walk of the same query needs a view of its own. */
static View *push_view(lua_State *L, LuaQuery *query, bool keeps) {
  compat_push_private(L, 1);
  bind_push_table(L, keeps ? "kept_views" : "views");
  lua_rawgeti(L, -1, (int)query->depth + 1);
  View *view = (View *)bind_find(L, -1, KIND_VIEW);
  if (view && !view->busy) return view;
  lua_pop(L, 1);
  ViewPlan plan = {query->world, query->label, query->terms, query->term_count,
                   keeps};
  view = bind_view_new(L, 1, &plan);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, (int)query->depth + 1);
  return view;
}

/* Walks query 1 with function 2, handing on arguments 3 to top. */
static Outcome walk(lua_State *L, LuaQuery *query, bool *idle) {
  BatchLoop loop = {NULL,         0,     2, 3, lua_gettop(L) - 2,
                    query->label, false, 0, 0};
  bind_query_ensure(L, query, 1);
  bool keeps = query->batch_rows >= WORTH_ROWS &&
               query->depth < KEEPING_DEPTH && push_teller(L);
  if (keeps) loop.callback = lua_gettop(L);
  loop.view = push_view(L, query, keeps);
  bind_batch_loop_ready(L, &loop);
  ecs_Status status;
  BIND_WITH_RELIEF(L, query->world, status,
                   ecs_query_begin(bind_query_native(L, query),
                                   ECS_BATCH_COALESCED, &loop.view->cursor));
  if (status != ECS_OK) {
    bind_push_status(L, query->world, status, query->label);
    return OUTCOME_MISUSE;
  }
  query->depth++;
  Outcome outcome = bind_batch_loop(L, &loop, NULL, NULL);
  ECS_ASSERT(query->depth > 0);
  query->depth--;
  query->batch_rows = loop.rows;
  *idle = loop.idle;
  return outcome;
}

/* query:batch(f, ...) */
static int query_batch(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  bind_callback_check(L, 2, "batch");
  bool idle = false;
  return bind_walk_raise(L, query->world, walk(L, query, &idle));
}

/* run_batch(query, f, ...): a system's run. */
static int run_batch(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  bind_callback_check(L, 2, "batch");
  bool idle = false;
  Outcome outcome = walk(L, query, &idle);
  return bind_walk_results(L, query->world, outcome, idle);
}

void bind_open_batch_loop(lua_State *L) {
  static const luaL_Reg functions[] = {{"run_batch", run_batch}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"batch", query_batch}, {NULL, NULL}};
  bind_add(L, functions);
  bind_push_methods(L, KIND_QUERY);
  bind_add(L, methods);
  lua_pop(L, 1);
}
