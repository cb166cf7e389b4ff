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
#include "query/row_view.h"
#include "query/walk_end.h"
#include "world/components.h"
#include "world/report.h"
#include "world/totals.h"
#include "world/traceback.h"

/* Pushes a table of the private table of the query at index 1, made if there is
 * none. */
static void push_kept(lua_State *L, const char *name) {
  compat_push_private(L, 1);
  lua_getfield(L, -1, name);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, name);
  }
  lua_remove(L, -2);
}

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
  push_kept(L, "each");
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

/* Takes the next batch that has rows of the part; false when there is none. */
static bool take_batch(RowLoop *rows) {
  while (rows->part.count > 0 && ecs_cursor_next(&rows->cursor, &rows->batch)) {
    if (rows->batch.count > rows->part.first) return true;
    rows->part.first -= rows->batch.count;
    rows->run.before += rows->batch.count;
  }
  return false;
}

/* Makes the batch begin with the part. */
static void cut_beginning(RowLoop *rows) {
  uint32_t passed = (uint32_t)rows->part.first;
  rows->part.first = 0;
  rows->run.before += passed;
  rows->count -= passed;
  rows->entities += passed;
  rows->run.entities = rows->entities;
  for (uint32_t t = 0; t < rows->term_count; t++) {
    const RowTerm *term = &rows->terms[t];
    for (uint32_t f = 0; f < term->definition->field_count; f++) {
      char *column = (char *)rows->elements[term->first + f];
      size_t bytes = ecs_scalar_bytes(term->definition->fields[f].type);
      if (column) rows->elements[term->first + f] = column + passed * bytes;
    }
  }
}

/* Makes the batch end with the part. */
static void cut_end(RowLoop *rows) {
  if (rows->part.count == ALL_ROWS) return;
  if (rows->count > rows->part.count) rows->count = (uint32_t)rows->part.count;
  rows->part.count -= rows->count;
}

/* Takes the next batch; false when there is none. */
static bool next_batch(RowLoop *rows) {
  rows->row = -1;
  rows->run.before += rows->count;
  rows->count = 0;
  if (!rows->running || !take_batch(rows)) return false;
  rows->entities = rows->run.entities = rows->batch.entities;
  rows->count = rows->batch.count;
  ECS_ASSERT(rows->count > 0 && rows->world->innermost == &rows->walk);
  for (uint32_t k = 0; k < rows->column_count; k++)
    rows->elements[k] = rows->batch.columns[k];
  if (rows->part.first > 0) cut_beginning(rows);
  cut_end(rows);
  return true;
}

/* each_next(rows): takes the next batch and returns its number of rows; 0:
 * there is none. For the accelerator, which loops over rows itself. */
static int each_next(lua_State *L) {
  RowLoop *rows = bind_rows_check(L, 1);
  bool more = rows->accelerated && !rows->is_rows && next_batch(rows);
  compat_push_whole(L, more ? rows->count : 0);
  return 1;
}

/* run(rows, f, ...): calls f for every row of every batch. */
static int run(lua_State *L) {
  RowLoop *rows = bind_rows_check(L, 1);
  int top = lua_gettop(L), terms = (int)rows->term_count, views = top + 1;
  luaL_checkstack(L, top + 2 * terms + 16, NULL);
  compat_push_private(L, 1);
  while (rows->block.active && next_batch(rows)) bind_blocks_run(L, rows, top);
  while (next_batch(rows)) {
    uint32_t count = rows->count;
    lua_settop(L, views);
    for (int t = 0; t < terms; t++) bind_rows_push(L, rows, views, (uint32_t)t);
    for (uint32_t i = 0; i < count; i++) {
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

/* What a walk of each is for: a run of a system, or query:each. */
typedef struct EachCall {
  const char *system; /* stays on the stack of Lua; NULL: query:each */
  uint64_t key;       /* of the run's random numbers */
  RowPart part;       /* of the query's rows */
  uint64_t number;    /* of the run that this is a part of; 0: of a new one;
                         result: the number that it has */
  bool idle;          /* result: there were no rows */
  bool drew;          /* result: a row has drawn a number */
} EachCall;

static void begin_run(lua_State *L, RowLoop *rows, EachCall *call) {
  rows->walk.run = call->system ? &rows->run : NULL;
  rows->run.system = call->system;
  rows->run.key = call->key;
  if (call->system && call->number == 0) call->number = ++bind_state(L)->runs;
  rows->run.number = call->number;
  rows->part = call->part;
  rows->run.before = 0;
  rows->run.drawn = UINT64_MAX;
  rows->run.blocks = rows->block.active;
  rows->run.row = rows->block.active ? &rows->block.row : &rows->row;
}

/* From an open cursor to its end. The runner and its arguments are on top of
 * the stack; base is the index of the first table of blocks, if there are,
 * and tracer that of the message handler. Nothing here allocates. */
static Outcome walk(lua_State *L, RowLoop *rows, int arguments, int base,
                    int tracer) {
  const SystemRun *run = &rows->run;
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
  Outcome outcome =
      bind_walk_end(L, &rows->walk, &rows->cursor,
                    failed ? OUTCOME_THROWN : OUTCOME_DONE, rows->walk.label);
  if (outcome == OUTCOME_DONE && run->system && !rows->part.is_part)
    bind_totals_end(rows->world, run->system, run->number);
  return outcome;
}

/* Pushes the runner of the RowLoop at rows_index, to be called with the
 * RowLoop, the function at index 2 and extras more arguments. The accelerator
 * may compile code for this, so it comes before the walk. */
static void push_runner(lua_State *L, const RowLoop *rows, int rows_index,
                        int extras) {
  compat_push_private(L, rows_index);
  lua_rawgeti(L, -1, ROWS_RUNNER);
  lua_remove(L, -2);
  if (!rows->accelerated) return;
  lua_pushvalue(L, 2);
  compat_push_whole(L, extras);
  lua_call(L, 2, 1);
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

/* For fewer rows a block costs more than it saves. */
#define FEW_ROWS 4u

/* Walks query 1 with function 2, handing on arguments first to top. */
static Outcome query_walk(lua_State *L, LuaQuery *query, int first,
                          EachCall *call) {
  int top = lua_gettop(L), extras = top - first + 1;
  if (extras > (int)ROWS_LIMIT)
    bind_error(L, "each hands on at most %d extra arguments", (int)ROWS_LIMIT);
  luaL_checkstack(L, top + 16, NULL);
  bind_query_ensure(L, query, 1);
  RowLoop *rows = walk_rows(L, query);
  int rows_index = lua_gettop(L);
  bind_push_tracer(L);
  rows->block.active = call->part.count >= FEW_ROWS && !is_deep(query->world) &&
                       bind_blocks_find(L, rows, first, top);
  int loop = lua_gettop(L) + !rows->block.active, given = 1;
  if (rows->block.active) given = bind_blocks_ready(L, rows);
  push_runner(L, rows, rows_index, extras);
  begin_run(L, rows, call);
  lua_pushvalue(L, rows_index);
  if (!rows->block.active) lua_pushvalue(L, 2);
  for (int k = 0; rows->block.active && k < given; k++)
    lua_pushvalue(L, loop + k);
  for (int k = first; k <= top; k++) lua_pushvalue(L, k);
  ecs_Status status = ecs_query_begin(bind_query_native(L, query),
                                      ECS_BATCH_COALESCED, &rows->cursor);
  if (status == ECS_OK) {
    Outcome outcome =
        walk(L, rows, 1 + given + extras, loop + 1, rows_index + 1);
    call->idle = rows->run.before == 0;
    call->drew = rows->run.drawn != UINT64_MAX;
    return outcome;
  }
  bind_push_status(L, query->world, status, query->label);
  return OUTCOME_MISUSE;
}

/* Lets scripts/ecs run function 2 compiled, with arguments 3 to top, and says
 * in *done whether it did. The function of scripts/ecs is called as each(query,
 * known, f, count, ...) and returns true: done; nil: f cannot be compiled; or
 * false and an error. It is not called if the query's table `known` has false for f.
 * Leaves the stack as it was, apart from an error's text. */
static Outcome run_compiled(lua_State *L, bool *done) {
  int top = lua_gettop(L);
  luaL_checkstack(L, top + 16, NULL);
  push_kept(L, "known");
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
  lua_call(L, top + 2, 2);
  bool failed = lua_isboolean(L, -2) && !lua_toboolean(L, -2);
  *done = lua_toboolean(L, -2);
  if (failed) return OUTCOME_MISUSE;
  lua_settop(L, top);
  return OUTCOME_DONE;
}

/* query:each(f, ...) */
static int query_each(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  bool done = false;
  bind_callback_check(L, 2, "each");
  if (!is_deep(query->world) && run_compiled(L, &done) != OUTCOME_DONE)
    return bind_raise(L);
  if (done) return 0;
  EachCall call = {.part = {0, ALL_ROWS, false}};
  return bind_walk_raise(L, query_walk(L, query, 3, &call));
}

/* run_each(query, f, name, runs, ...): a system's run. Returns true, whether it
 * is idle, and whether a row has drawn a number; or false, whether the script
 * raised the error, the error, and whether a row has drawn. */
static int run_each(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  bind_callback_check(L, 2, "each");
  EachCall call = {.system = luaL_checkstring(L, 3),
                   .part = {0, ALL_ROWS, false}};
  call.key =
      ecs_random_key(query->world->seed, call.system, bind_whole_check(L, 4));
  Outcome outcome = query_walk(L, query, 5, &call);
  int results = bind_walk_results(L, outcome, call.idle);
  lua_pushboolean(L, call.drew);
  return results + 1;
}

/* run_part(query, f, name, runs, number, first, count, ...): a part of a
 * system's run: count rows from row first on, from 0. number: of the run; 0:
 * this is its first part. Behind the last one comes end_parts. Returns true, the
 * number of the run, and whether a row has drawn a number; or as run_each. */
static int run_part(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  bind_callback_check(L, 2, "each");
  EachCall call = {
      .system = luaL_checkstring(L, 3),
      .number = bind_whole_check(L, 5),
      .part = {bind_whole_check(L, 6), bind_whole_check(L, 7), true}};
  call.key =
      ecs_random_key(query->world->seed, call.system, bind_whole_check(L, 4));
  Outcome outcome = query_walk(L, query, 8, &call);
  int results = bind_walk_results(L, outcome, false);
  if (outcome == OUTCOME_DONE) {
    lua_pop(L, 1);
    compat_push_whole(L, (double)call.number);
  }
  lua_pushboolean(L, call.drew);
  return results + 1;
}

/* end_parts(query, name, number): ends the totals of a run of parts. */
static int end_parts(lua_State *L) {
  const LuaQuery *query = bind_query_check(L, 1);
  bind_totals_end(query->world, luaL_checkstring(L, 2), bind_whole_check(L, 3));
  return 0;
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
  push_kept(L, "idle");
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
    ecs_Query *native = bind_query_native(L, rows->query);
    ecs_Status status =
        ecs_query_entities(native, (ecs_Entity *)(uintptr_t)rows->entities,
                           rows->capacity, &count);
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

static const luaL_Reg functions[] = {
    {"each_next", each_next}, {"run_each", run_each},   {"run_part", run_part},
    {"end_parts", end_parts}, {"rows_done", rows_done}, {NULL, NULL}};

void bind_open_row_loop(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"each", query_each}, {"rows", query_rows}, {NULL, NULL}};
  bind_open_block_loop(L);
  bind_add(L, functions);
  bind_push_methods(L, KIND_QUERY);
  bind_add(L, methods);
  lua_pop(L, 1);
}
