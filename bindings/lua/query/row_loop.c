/* row_loop.c: runs functions over rows: query:each, each systems, query:rows.
 *
 *      q:each  compiled by scripts/ecs or, where it cannot be compiled:
 *      each    begin --> lua_pcall(runner) ----------------------> end
 *                          next batch -> f(p, v, ..., e) per row
 *
 *      rows    copy the entities;  step --> locate --> e, p, v     (nothing is
 *                                    ^                    |         open)
 *                                    +---- loop body -----+
 *
 * A walk of each is one protected call, so anything inside may raise. A loop of
 * rows keeps nothing open: if it is left early it becomes garbage; at its end
 * it returns to its query, and the query's next loop reuses it.
 */
#include "query/row_loop.h"

#include "api/for_bindings.h"
#include "object/number.h"
#include "query/block_loop.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/report.h"
#include "world/totals.h"
#include "world/traceback.h"

/* each ------------------------------------------------------------------- */

static int run(lua_State *L);

/* Gives the RowLoop on top of the stack a runner, unless scripts/ecs has made
 * one. */
static void set_runner(lua_State *L, const RowLoop *rows) {
  if (rows->accelerated) return;
  compat_push_private(L, -1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, run, 1);
  lua_rawseti(L, -2, ROWS_RUNNER);
  lua_pop(L, 1);
}

/* Pushes the RowLoop for one more walk of the query at index 1: a walk inside
 * another one of the same query needs its own. */
static RowLoop *walk_rows(lua_State *L, LuaQuery *query) {
  bind_push_kept(L, 1, "each");
  lua_rawgeti(L, -1, (int)query->depth + 1);
  RowLoop *rows = (RowLoop *)bind_find(L, -1, KIND_ROWS);
  if (!rows || rows->running) {
    lua_pop(L, 1);
    rows = bind_rows_new(L, 1, query, false);
    set_runner(L, rows);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (int)query->depth + 1);
  }
  lua_remove(L, -2);
  return rows;
}

bool bind_rows_take(RowLoop *rows) {
  ECS_ASSERT(rows->running && rows->world->innermost == &rows->walk);
  return ecs_cursor_next(&rows->cursor, &rows->batch);
}

void bind_rows_point(RowLoop *rows, uint32_t first, uint32_t count) {
  ECS_ASSERT(count > 0 && first + count <= rows->batch.count);
  rows->entities = rows->run.entities = rows->batch.entities + first;
  rows->count = count;
  rows->at = 0;
  for (uint32_t k = 0; k < rows->column_count; k++)
    rows->elements[k] = rows->batch.columns[k];
  if (first == 0) return;
  for (uint32_t t = 0; t < rows->term_count; t++) {
    const RowTerm *term = &rows->terms[t];
    for (uint32_t f = 0; f < term->definition->field_count; f++) {
      char *column = (char *)rows->elements[term->first + f];
      size_t bytes = ecs_scalar_bytes(term->definition->fields[f].type);
      if (column) rows->elements[term->first + f] = column + first * bytes;
    }
  }
}

/* Takes the next rows; false when there are none. rows is at index 1. */
static bool next_rows(lua_State *L, RowLoop *rows) {
  rows->row = -1;
  rows->run.before += rows->count;
  rows->count = 0;
  if (!rows->running) return false;
  if (rows->call->next) return rows->call->next(L, rows);
  if (!bind_rows_take(rows)) return false;
  bind_rows_point(rows, 0, rows->batch.count);
  return true;
}

/* each_next(rows): takes the next rows and returns their number; 0: there are
 * none. For the accelerator, which loops over rows itself. */
static int each_next(lua_State *L) {
  RowLoop *rows = bind_rows_check(L, 1);
  bool more = rows->accelerated && !rows->is_rows && next_rows(L, rows);
  compat_push_whole(L, more ? rows->count : 0);
  return 1;
}

/* run(rows, f, ...): calls f for every row of every batch. */
static int run(lua_State *L) {
  RowLoop *rows = bind_rows_check(L, 1);
  int top = lua_gettop(L), terms = (int)rows->term_count, views = top + 1;
  luaL_checkstack(L, top + 2 * terms + 16, NULL);
  compat_push_private(L, 1);
  while (rows->block.active && next_rows(L, rows))
    bind_blocks_run(L, rows, top);
  while (next_rows(L, rows)) {
    uint32_t count = rows->count;
    lua_settop(L, views);
    for (int t = 0; t < terms; t++) bind_rows_push(L, rows, views, (uint32_t)t);
    for (uint32_t i = rows->at; i < count; i++) {
      rows->row = (int32_t)i;
      lua_pushvalue(L, 2);
      for (int t = 1; t <= terms; t++) lua_pushvalue(L, views + t);
      for (int k = 3; k <= top; k++) lua_pushvalue(L, k);
      bind_push_entity(L, rows->entities[i]);
      lua_call(L, terms + top - 1, 0);
    }
  }
  return 0;
}

static void begin_run(lua_State *L, RowLoop *rows, EachCall *call) {
  rows->walk.run = call->system ? &rows->run : NULL;
  rows->run.system = call->system;
  rows->run.key = call->key;
  if (call->system) rows->run.number = ++bind_state(L)->runs;
  rows->call = call;
  rows->walks++;
  rows->run.before = 0;
  rows->run.drawn = UINT64_MAX;
  rows->run.blocks = rows->block.active;
  rows->run.row = rows->block.active ? &rows->block.row : &rows->row;
}

/* From an open cursor to its end. The runner and its arguments are on top of
 * the stack; base is the index of the first table of blocks, if there are,
 * and tracer that of the message handler. Nothing here allocates, until the walk
 * has ended. */
static Outcome walk(lua_State *L, RowLoop *rows, int arguments, int base,
                    int tracer) {
  EachCall *call = rows->call;
  uint64_t number = rows->run.number;
  bool blocks = rows->block.active;
  ECS_ASSERT(!rows->running);
  bind_world_enter(&rows->walk);
  if (blocks) bind_blocks_begin(L, rows, base);
  rows->running = true;
  rows->query->depth++;
  int failed = lua_pcall(L, arguments, 0, tracer);
  ECS_ASSERT(rows->query->depth > 0);
  rows->query->depth--;
  if (blocks) bind_blocks_end(L, rows, base);
  bind_rows_over(rows);
  call->idle = rows->run.before == 0;
  call->drew = call->drew || rows->run.drawn != UINT64_MAX;
  Outcome outcome =
      bind_walk_end(L, &rows->walk, &rows->cursor,
                    failed ? OUTCOME_THROWN : OUTCOME_DONE, rows->walk.label);
  if (outcome == OUTCOME_DONE && call->system)
    bind_totals_end(rows->world, call->system, number);
  return outcome;
}

/* Pushes the runner of a walk by the RowLoop at rows_index, to be called with
 * the RowLoop, the function at index 2 and extras more arguments. The
 * accelerator may compile code for this, so it comes before the walk. */
static void push_runner(lua_State *L, const RowLoop *rows, int rows_index,
                        int extras, const EachCall *call) {
  compat_push_private(L, rows_index);
  lua_rawgeti(L, -1, ROWS_RUNNER);
  lua_remove(L, -2);
  if (!rows->accelerated) return;
  lua_pushvalue(L, 2);
  compat_push_whole(L, extras);
  if (call->again)
    lua_pushvalue(L, call->source);
  else
    lua_pushboolean(L, false);
  lua_call(L, 3, 1);
}

/* At this depth of walks no function is compiled any more. The compiler needs a
 * part of the C stack that Lua allows, and the core's limit of open walks has
 * to be reached first. */
#define COMPILED_DEPTH 32u

static bool is_deep(const LuaWorld *world) {
  uint32_t depth = 0;
  for (const OpenWalk *walk = world->innermost; walk; walk = walk->outer)
    depth++;
  return depth >= COMPILED_DEPTH;
}

static void keep_source(lua_State *L, int rows_index, int source) {
  compat_push_private(L, rows_index);
  lua_pushvalue(L, source);
  lua_rawseti(L, -2, ROWS_SOURCE);
  lua_pop(L, 1);
}

/* One attempt to walk with the arguments first to top, which stay in place.
 * *status: of beginning; any but ECS_OK: nothing has begun. ECS_E_OPEN, too,
 * where a finalizer has walked by the same RowLoop while it was made ready. */
static Outcome try_walk(lua_State *L, LuaQuery *query, int first, int top,
                        EachCall *call, ecs_Status *status) {
  int extras = top - first + 1;
  bind_query_ensure(L, query, 1);
  RowLoop *rows = walk_rows(L, query);
  uint64_t walks = rows->walks;
  int rows_index = lua_gettop(L);
  if (call->next) keep_source(L, rows_index, call->source);
  bind_push_tracer(L);
  rows->block.active = !call->next && !is_deep(query->world) &&
                       bind_blocks_find(L, rows, first, top);
  int loop = lua_gettop(L) + !rows->block.active, given = 1;
  if (rows->block.active) given = bind_blocks_ready(L, rows);
  if (call->again) rows->advance = call->again; /* the runner reads it once */
  push_runner(L, rows, rows_index, extras, call);
  lua_pushvalue(L, rows_index);
  if (!rows->block.active) lua_pushvalue(L, 2);
  for (int k = 0; rows->block.active && k < given; k++)
    lua_pushvalue(L, loop + k);
  for (int k = first; k <= top; k++) lua_pushvalue(L, k);
  ecs_Query *native = bind_query_native(L, query);
  *status = rows->walks == walks
                ? ecs_query_begin(native, ECS_BATCH_COALESCED, &rows->cursor)
                : ECS_E_OPEN;
  if (*status != ECS_OK) return OUTCOME_MISUSE;
  begin_run(L, rows, call);
  return walk(L, rows, 1 + given + extras, loop + 1, rows_index + 1);
}

/* Finalizers that run in a collection may walk the same query by the same
 * RowLoop, so all that was made ready is made anew after it. */
Outcome bind_rows_walk(lua_State *L, LuaQuery *query, int first,
                       EachCall *call) {
  int top = lua_gettop(L), rounds = 0;
  ecs_Status status = ECS_OK;
  if (top - first + 1 > (int)ROWS_LIMIT)
    bind_error(L, "each hands on at most %d extra arguments", (int)ROWS_LIMIT);
  luaL_checkstack(L, top + 16, NULL);
  for (;;) {
    Outcome outcome = try_walk(L, query, first, top, call, &status);
    if (status == ECS_OK) return outcome;
    if (status != ECS_E_OPEN &&
        (status != ECS_E_MEMORY ||
         !bind_collect_for_relief(L, query->world->state, &rounds)))
      break;
    bind_query_native(L, query); /* raises where the world was closed */
    lua_settop(L, top);
  }
  bind_push_status(L, query->world, status, query->label);
  return OUTCOME_MISUSE;
}

/* Lets scripts/ecs run function 2 compiled, with arguments 3 to top, and says
 * in *done whether it did. The function of scripts/ecs is called as each(query,
 * known, f, count, ...) and returns true: done; nil: f cannot be compiled; or
 * false, an error, and whether the script raised it. It is not called if the
 * query's table `known` has false for f. Leaves the stack as it was, apart from
 * an error's text. */
static Outcome run_compiled(lua_State *L, bool *done) {
  int top = lua_gettop(L);
  luaL_checkstack(L, top + 16, NULL);
  bind_push_kept(L, 1, "known");
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  bool known = lua_isboolean(L, -1);
  lua_pop(L, 1);
  if (!known) {
    bind_push_shared(L);
    lua_getfield(L, -1, "each");
    lua_replace(L, -2);
    known = !lua_isfunction(L, -1);
  }
  if (known) {
    lua_settop(L, top);
    return OUTCOME_DONE;
  }
  lua_pushvalue(L, 1);
  lua_pushvalue(L, top + 1);
  lua_pushvalue(L, 2);
  compat_push_whole(L, top - 2);
  for (int k = 3; k <= top; k++) lua_pushvalue(L, k);
  lua_call(L, top + 2, 3);
  bool failed = lua_isboolean(L, -3) && !lua_toboolean(L, -3);
  bool thrown = lua_toboolean(L, -1);
  *done = lua_toboolean(L, -3);
  lua_pop(L, 1);
  if (failed) return thrown ? OUTCOME_THROWN : OUTCOME_MISUSE;
  lua_settop(L, top);
  return OUTCOME_DONE;
}

/* query:each(f, ...) */
static int query_each(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  bool done = false;
  bind_callback_check(L, 2, "each");
  if (!is_deep(query->world)) {
    Outcome outcome = run_compiled(L, &done);
    if (outcome != OUTCOME_DONE)
      return bind_walk_raise(L, query->world, outcome);
  }
  if (done) return 0;
  EachCall call = {.system = NULL};
  return bind_walk_raise(L, query->world, bind_rows_walk(L, query, 3, &call));
}

/* run_each(query, f, name, runs, ...): a system's run. Returns true, whether it
 * is idle, and whether a row has drawn a number; or false, whether the script
 * raised the error, the error, and whether a row has drawn. */
static int run_each(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  bind_callback_check(L, 2, "each");
  EachCall call = {.system = luaL_checkstring(L, 3)};
  call.key =
      ecs_random_key(query->world->seed, call.system, bind_whole_check(L, 4));
  Outcome outcome = bind_rows_walk(L, query, 5, &call);
  int results = bind_walk_results(L, query->world, outcome, call.idle);
  lua_pushboolean(L, call.drew);
  return results + 1;
}

/* rows ------------------------------------------------------------------- */

/* Ends the loop of the RowLoop at index 1 and returns it to its query. */
static void finish(lua_State *L, RowLoop *rows) {
  if (!rows->running) return;
  bind_rows_over(rows);
  compat_push_private(L, 1);
  lua_rawgeti(L, -1, ROWS_QUERY);
  compat_push_private(L, -1);
  lua_getfield(L, -1, "idle");
  if (lua_istable(L, -1)) {
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, (int)lua_rawlen(L, -2) + 1);
  }
}

/* Goes on to the next entity; false when there is none. Raises if the loop
 * cannot go on. */
static bool advance(lua_State *L, RowLoop *rows) {
  int found = bind_rows_advance(rows);
  if (found >= 0) return found > 0;
  bind_query_native(L, rows->query);
  bind_refuse_status(L, rows->world, (ecs_Status)-found, rows->query->label);
  return false;
}

/* The iterator of a loop, with the RowLoop as second upvalue and its views
 * behind it: the next entity and its row views; nil at the end. */
static int step(lua_State *L) {
  RowLoop *rows = (RowLoop *)lua_touserdata(L, lua_upvalueindex(2));
  if (!advance(L, rows)) {
    lua_settop(L, 0);
    lua_pushvalue(L, lua_upvalueindex(2));
    finish(L, rows);
    lua_pushnil(L);
    return 1;
  }
  int terms = (int)rows->term_count;
  if (terms > 8) luaL_checkstack(L, terms + 4, NULL);
  bind_push_entity(L, rows_entity(rows));
  for (int t = 0; t < terms; t++) {
    if (bind_rows_has(L, rows, (uint32_t)t))
      lua_pushvalue(L, lua_upvalueindex(3 + t));
    else
      lua_pushnil(L);
  }
  return 1 + terms;
}

/* Gives the RowLoop on top of the stack its iterator. */
static void set_step(lua_State *L, const RowLoop *rows) {
  int index = lua_gettop(L), terms = (int)rows->term_count;
  luaL_checkstack(L, terms + 8, NULL);
  compat_push_private(L, index);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, index);
  for (int t = 0; t < terms; t++) lua_rawgeti(L, index + 1, ROWS_VIEWS + t);
  lua_pushcclosure(L, step, 2 + terms);
  lua_rawseti(L, index + 1, ROWS_RUNNER);
  lua_settop(L, index);
}

/* Pushes a RowLoop that is not in use: one that came to its end, or a new one.
 */
static RowLoop *idle_rows(lua_State *L, LuaQuery *query) {
  bind_push_kept(L, 1, "idle");
  int idle = lua_gettop(L), count = (int)lua_rawlen(L, idle);
  lua_rawgeti(L, idle, count);
  RowLoop *rows = (RowLoop *)bind_find(L, -1, KIND_ROWS);
  if (rows && !rows->running) {
    lua_pushnil(L);
    lua_rawseti(L, idle, count);
  } else {
    lua_pop(L, 1);
    rows = bind_rows_new(L, 1, query, true);
    if (!rows->accelerated) set_step(L, rows);
  }
  lua_remove(L, idle);
  ECS_ASSERT(!rows->running && rows->is_rows);
  return rows;
}

/* Copies the matching entities into the buffer of the RowLoop at rows_index.
 * The buffer grows until they fit: a finalizer may spawn some meanwhile. */
static void copy_entities(lua_State *L, RowLoop *rows, int rows_index) {
  uint64_t count = 0;
  for (;;) {
    ecs_Status status;
    BIND_WITH_RELIEF(L, rows->world, status,
                     ecs_query_entities(bind_query_native(L, rows->query),
                                        (ecs_Entity *)(uintptr_t)rows->entities,
                                        rows->capacity, &count));
    bind_check_status(L, rows->world, status, rows->query->label);
    if (count <= rows->capacity) break;
    uint64_t room = count + count / 4 + 16;
    compat_push_private(L, rows_index);
    ecs_Entity *buffer =
        (ecs_Entity *)lua_newuserdata(L, (size_t)room * sizeof *buffer);
    lua_rawseti(L, -2, ROWS_BUFFER);
    lua_pop(L, 1);
    rows->entities = buffer;
    rows->capacity = (uint32_t)room;
  }
  ECS_ASSERT(count <= rows->capacity);
  rows->count = (uint32_t)count;
}

/* rows_done(rows): the loop of the accelerator has come to its end. */
static int rows_done(lua_State *L) {
  RowLoop *rows = bind_rows_check(L, 1);
  if (rows->is_rows) finish(L, rows);
  return 0;
}

/* query:rows() */
static int query_rows(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  lua_settop(L, 1);
  RowLoop *rows = idle_rows(L, query);
  copy_entities(L, rows, 2);
  rows->running = true;
  compat_push_private(L, 2);
  lua_rawgeti(L, -1, ROWS_RUNNER);
  return 1;
}

static const luaL_Reg functions[] = {{"each_next", each_next},
                                     {"run_each", run_each},
                                     {"rows_done", rows_done},
                                     {NULL, NULL}};

void bind_open_row_loop(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"each", query_each}, {"rows", query_rows}, {NULL, NULL}};
  bind_open_block_loop(L);
  bind_add(L, functions);
  bind_push_methods(L, KIND_QUERY);
  bind_add(L, methods);
  lua_pop(L, 1);
}
