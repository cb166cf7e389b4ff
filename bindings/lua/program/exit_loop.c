/* exit_loop.c: runs of programs that rows may leave.
 *
 *      batch  | part of the program   x   part      x x  part    |
 *                                     |             | |
 *                               f(p, v, ...)   f, f: plain Lua
 *
 * All is one walk over the rows, so claims, recorded changes and errors are
 * those of a walk by plain Lua. What a row did may have changed what the
 * program reads outside of its rows: it is read again before the next part.
 */
#include "program/exit_loop.h"

#include "object/number.h"
#include "program/lua_program.h"
#include "program/outside.h"
#include "query/row_loop.h"
#include "world/components.h"
#include "world/report.h"

/* The source of a walk, a list made by scripts/ecs: the system's name, or "" for
 * query:each, the program, the values of its uniforms, and two functions.
 * renew() is called behind rows that took an exit; it returns the program and
 * the values to go on with; nil: all other rows are plain Lua. It is false
 * where nothing outside can change. keep() is called before such rows, and in
 * the end, where the program changes numbers of the caller: they are in the
 * values then. Behind them: the list of bind_outside_same, or false, which
 * renew returns too; the function that is compiled; and the copies of the
 * program's arrays, which renew returns last. */
enum {
  SOURCE_NAME = 1,
  SOURCE_PROGRAM,
  SOURCE_VALUES,
  SOURCE_RENEW,
  SOURCE_KEEP,
  SOURCE_OUTSIDE,
  SOURCE_FUNCTION,
  SOURCE_COPIES
};

/* A run. It ends with its walk. The functions that take it find the source at
 * index loop->source, and leave the stack as it was. */
typedef struct ExitLoop {
  RowLoop *rows;
  Program *program;     /* NULL: the rest of the rows is plain Lua */
  ecs_ProgramCall call; /* of the program */
  ProgramPart part;
  uint32_t at; /* the next row of the batch */
  int source;
  uint32_t left;     /* so many from there on take the exit */
  bool renews;       /* something outside can change */
  bool due;          /* a row took the exit: read what is outside again */
  uint64_t before;   /* rows in earlier batches */
  uint64_t exits;    /* rows that took one */
  ecs_Status status; /* that a part failed with */
} ExitLoop;

/* Reductions -------------------------------------------------------------- */

/* Notes whether a row has drawn a number. */
static void note_drawn(const ExitLoop *loop) {
  const Program *program = loop->program;
  EachCall *call = loop->rows->call;
  if (!program->draws || call->drew) return;
  Reduction *drawn = &program->sums[program->drawn];
  reduction_fold(drawn, REDUCTION_GREATEST);
  call->drew = drawn->total > 0;
}

/* Takes the reductions from the tallies, as they are at this row of the run. */
static void take_sums(const ExitLoop *loop, uint64_t row) {
  const Program *program = loop->program;
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    Tally *tally = program->tallies[k];
    if (!tally) continue;
    bind_tally_reach(tally, program->totals[k]->kind, loop->rows->run.number,
                     row);
    program->sums[k] = tally->running;
  }
}

/* Gives them back, at this row. */
static void give_sums(const ExitLoop *loop, uint64_t row) {
  const Program *program = loop->program;
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    Tally *tally = program->tallies[k];
    if (!tally) continue;
    tally->running = program->sums[k];
    tally->block = row / REDUCTION_ROWS;
  }
}

/* Parts ------------------------------------------------------------------- */

/* Goes on with the program that the source has; as plain Lua where it was
 * dropped, which replaces the system. May raise. */
static void begin_program(lua_State *L, ExitLoop *loop) {
  int name = lua_gettop(L) + 1;
  lua_rawgeti(L, loop->source, SOURCE_NAME);
  lua_rawgeti(L, loop->source, SOURCE_PROGRAM);
  lua_rawgeti(L, loop->source, SOURCE_VALUES);
  lua_rawgeti(L, loop->source, SOURCE_COPIES);
  Program *program = bind_program_tallies(L, name + 1, name);
  loop->program = program;
  if (!program) {
    lua_settop(L, name - 1);
    return;
  }
  luaL_argcheck(L, program->query == loop->rows->query, 4,
                "has a program of another query");
  lua_pushvalue(L, name + 1); /* kept, whatever becomes of the source */
  lua_rawseti(L, loop->source - 1, ROWS_PROGRAM);
  bind_program_read(L, program, name + 2);
  bind_program_read_copies(L, program, name + 3);
  if (program->draws)
    reduction_begin(&program->sums[program->drawn], REDUCTION_GREATEST);
  loop->call = (ecs_ProgramCall){.uniforms = program->numbers,
                                 .uniform_count = program->uniform_count,
                                 .random_key = loop->rows->run.key,
                                 .stop = &program->stop,
                                 .arrays = program->arrays,
                                 .array_count = program->array_count,
                                 .grid_count = program->grid_count,
                                 .grids = program->natives};
  loop->part.batch = &loop->rows->batch;
  loop->part.reductions = program->sums;
  loop->part.changed = true;
  /* Of another program than the first, whose grids were built before. */
  for (uint32_t k = 0; k < program->grid_count && loop->status == ECS_OK; k++)
    if (!program->natives[k]) loop->status = bind_program_ready(program);
  lua_settop(L, name - 1);
}

/* Gives the caller its own numbers, as they are now. May raise. */
static void keep_own(lua_State *L, const ExitLoop *loop) {
  Program *program = loop->program;
  if (!program || program->own_count == 0) return;
  bind_program_take_own(program);
  lua_rawgeti(L, loop->source, SOURCE_VALUES);
  bind_program_write(L, program, lua_gettop(L));
  lua_pop(L, 1);
  lua_rawgeti(L, loop->source, SOURCE_KEEP);
  lua_call(L, 0, 0);
}

/* Stores the rows up to the next one that takes the exit, where they have been
 * computed; false: it does nothing. */
static inline bool go_on(ExitLoop *loop) {
  loop->part.before = loop->before;
  loop->part.first = loop->at;
  if (loop->program->reduction_count > 0 ||
      !ecs_program_go_on(loop->program->native, &loop->call, &loop->part))
    return false;
  loop->at = loop->part.end;
  loop->left = loop->part.taken;
  return true;
}

/* Runs the program from the next row on, to the last or to one that takes the
 * exit. */
static void run_part(ExitLoop *loop) {
  bool sums = loop->program->reduction_count > 0;
  if (sums) take_sums(loop, loop->before + loop->at);
  loop->status =
      ecs_program_run_part(loop->program->native, &loop->call, &loop->part);
  if (loop->status != ECS_OK) return;
  loop->at = loop->part.end;
  loop->left = loop->part.taken;
  if (!sums) return;
  give_sums(loop, loop->before + loop->at);
  note_drawn(loop);
}

/* Runs a part, unless the last one failed. Raises where it fails. */
static void run_checked_part(lua_State *L, ExitLoop *loop) {
  if (loop->status == ECS_OK && !go_on(loop)) run_part(loop);
  if (loop->status == ECS_OK) {
    if (loop->left > 0) keep_own(L, loop);
    return;
  }
  keep_own(L, loop);
  lua_rawgeti(L, loop->source, SOURCE_PROGRAM);
  bind_program_push_failure(L, lua_gettop(L), loop->status);
  lua_error(L);
}

/* Is everything outside certainly as it was? */
static bool is_unchanged(lua_State *L, const ExitLoop *loop) {
  int list = lua_gettop(L) + 1;
  lua_rawgeti(L, loop->source, SOURCE_OUTSIDE);
  lua_rawgeti(L, loop->source, SOURCE_FUNCTION);
  bool same = lua_istable(L, list) && bind_outside_same(L, list, list + 1);
  lua_settop(L, list - 1);
  return same;
}

/* Reads everything from outside again. */
static void renew(lua_State *L, ExitLoop *loop) {
  int made = lua_gettop(L) + 1;
  loop->due = false;
  if (is_unchanged(L, loop)) return;
  lua_rawgeti(L, loop->source, SOURCE_RENEW);
  lua_call(L, 0, 4);
  lua_rawseti(L, loop->source, SOURCE_COPIES);
  lua_rawseti(L, loop->source, SOURCE_OUTSIDE);
  Program *program = lua_isnil(L, made) ? NULL : bind_program_check(L, made);
  if (!program) {
    loop->program = NULL;
  } else if (program == loop->program) {
    loop->part.changed |= bind_program_read(L, loop->program, made + 1);
    lua_rawgeti(L, loop->source, SOURCE_COPIES);
    bind_program_read_copies(L, loop->program, lua_gettop(L));
    if (loop->program->array_count > 0) loop->part.changed = true;
  } else {
    lua_rawseti(L, loop->source, SOURCE_VALUES);
    lua_rawseti(L, loop->source, SOURCE_PROGRAM);
    begin_program(L, loop);
  }
  if (!loop->program || loop->part.changed) loop->left = 0;
  lua_settop(L, made - 1);
}

/* Rows -------------------------------------------------------------------- */

/* Gives out so many of the next rows of the batch, which all point at. */
static void give(ExitLoop *loop, uint32_t count) {
  RowLoop *rows = loop->rows;
  ECS_ASSERT(rows->entities == rows->batch.entities);
  rows->run.before = loop->before;
  rows->at = loop->at;
  loop->at += count;
  rows->count = loop->at;
}

/* Gives out the next rows of the batch that take the exit. */
static void give_rows(ExitLoop *loop) {
  uint32_t count = loop->left;
  if (loop->renews && loop->part.by_uniforms) count = 1;
  give(loop, count);
  loop->left -= count;
  loop->due = loop->renews && (loop->left == 0 || loop->part.by_uniforms);
  loop->exits += count;
}

/* Finds the next rows of the batch that take the exit; false: no more do. */
static bool find_taken(lua_State *L, ExitLoop *loop) {
  if (loop->left == 0 && loop->at < loop->rows->batch.count)
    run_checked_part(L, loop);
  return loop->left > 0;
}

/* Gives out the rest of the batch, if there is one. */
static bool give_rest(ExitLoop *loop) {
  uint32_t count = loop->rows->batch.count - loop->at;
  if (count == 0) return false;
  give(loop, count);
  return true;
}

/* As EachCall.next. A row may have removed the system, which drops its program:
 * the rest of the rows is plain Lua then. */
static bool next_rows(lua_State *L, ExitLoop *loop) {
  RowLoop *rows = loop->rows;
  if (loop->program && !loop->program->native) {
    loop->program = NULL;
    loop->left = 0;
  }
  if (loop->due && loop->program) renew(L, loop);
  for (;;) {
    if (loop->program ? find_taken(L, loop) : give_rest(loop)) break;
    loop->before += rows->batch.count;
    loop->at = 0;
    rows->run.before = loop->before;
    if (!bind_rows_take(rows)) {
      keep_own(L, loop);
      return false;
    }
    bind_rows_point(rows, 0, rows->batch.count);
  }
  if (loop->program) give_rows(loop);
  return true;
}

/* As EachCall.again: rows of the same batch, where nothing has to be read again,
 * and no number of the caller written. */
static int again(RowLoop *rows) {
  ExitLoop *loop = (ExitLoop *)rows->call->user;
  const Program *program = loop->program;
  if (rows->unchanged) loop->due = false;
  rows->unchanged = 0;
  if (!rows->running || !program || !program->native || loop->due ||
      program->own_count > 0 || loop->status != ECS_OK)
    return 0;
  if (loop->left == 0 && loop->at < rows->batch.count && !go_on(loop))
    run_part(loop);
  if (loop->left == 0 || loop->status != ECS_OK) return 0;
  give_rows(loop);
  return (int)rows->count;
}

static bool next(lua_State *L, RowLoop *rows) {
  ExitLoop *loop = (ExitLoop *)rows->call->user;
  if (loop->rows && again(rows) > 0) return true;
  int top = lua_gettop(L);
  luaL_checkstack(L, 16, NULL);
  compat_push_private(L, 1);
  lua_rawgeti(L, -1, ROWS_SOURCE);
  loop->source = lua_gettop(L);
  if (!loop->rows) {
    loop->rows = rows;
    rows->batch.count = 0;
    begin_program(L, loop);
  }
  bool found = next_rows(L, loop);
  lua_settop(L, top);
  return found;
}

/* Builds the grids of the program of the source at index 4, before its columns
 * are held. A failure is that of its first part, too. */
static void ready_grids(lua_State *L) {
  lua_rawgeti(L, 4, SOURCE_PROGRAM);
  Program *program = (Program *)bind_find(L, -1, KIND_PROGRAM);
  if (program && bind_query_is_live(program->query))
    (void)bind_program_ready(program);
  lua_pop(L, 1);
}

/* run_exits(query, f, runs, source, ...): a system's run, or one of query:each,
 * by a program, of which rows that take its exit are calls of f with the
 * arguments behind source.
 * Returns true, whether the system is idle, whether a row has drawn a number,
 * how many rows took the exit, and how many there were; or false, whether the
 * script raised the error, the error, and whether a row has drawn. */
static int run_exits(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  bind_callback_check(L, 2, "each");
  luaL_checktype(L, 4, LUA_TTABLE);
  lua_rawgeti(L, 4, SOURCE_NAME);
  lua_rawgeti(L, 4, SOURCE_RENEW);
  ExitLoop loop = {.renews = lua_toboolean(L, -1)};
  const char *name = luaL_checkstring(L, -2);
  EachCall call = {.system = name[0] != 0 ? name : NULL,
                   .next = next,
                   .again = again,
                   .user = &loop,
                   .source = 4};
  lua_pop(L, 2);
  if (call.system)
    call.key = ecs_random_key(query->world->seed, name, bind_whole_check(L, 3));
  ready_grids(L);
  Outcome outcome = bind_rows_walk(L, query, 5, &call);
  if (outcome == OUTCOME_THROWN && loop.status != ECS_OK)
    outcome = OUTCOME_MISUSE;
  int results = bind_walk_results(L, query->world, outcome, call.idle);
  lua_pushboolean(L, call.drew);
  if (outcome != OUTCOME_DONE) return results + 1;
  compat_push_whole(L, (double)loop.exits);
  compat_push_whole(L, (double)loop.before);
  return results + 3;
}

void bind_open_exit_loop(lua_State *L) {
  static const luaL_Reg functions[] = {{"run_exits", run_exits}, {NULL, NULL}};
  bind_add(L, functions);
}
