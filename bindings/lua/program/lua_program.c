/* lua_program.c: kernel programs, as scripts/ecs compiles them.
 *
 *      program(world, query, text, totals, loops, grids) --> Program
 *      run_program(program, values, name, runs, copies)
 *
 * values are the uniforms, copies the arrays (table_copy.c).
 *
 * The reductions of a run become the system's values in these totals. `true` in
 * place of a total stands for the most numbers that a row has drawn. `false`
 * stands for a number of the caller: it is read from values, behind the
 * uniforms, and the run puts the result there. A run that fails puts there the
 * result of the rows that it stored.
 *
 * A program belongs to its query and is destroyed with it, so the Program keeps
 * the query alive. A Program has no finalizer; drop_program destroys one that
 * is not needed any more. All functions return messages to scripts/ecs.
 */
#include "program/lua_program.h"

#include <string.h>

#include "api/kept_end.h"
#include "object/held.h"
#include "object/number.h"
#include "program/table_wanted.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/lua_array.h"
#include "world/recording.h"
#include "world/report.h"
#include "world/telling.h"

/* Where the private table has the list of loops. */
static int loops_slot(const Program *program) {
  return (int)program->reduction_count + 3;
}

/* Stores the totals of the list at index 3 in the program on top of the stack.
 */
static void keep_totals(lua_State *L, Program *program) {
  luaL_checktype(L, 3, LUA_TTABLE);
  compat_push_private(L, -1);
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    lua_rawgeti(L, 3, (int)k + 1);
    Total *total = (Total *)bind_find(L, -1, KIND_TOTAL);
    bool draws = lua_isboolean(L, -1) && lua_toboolean(L, -1);
    bool own = lua_isboolean(L, -1) && !draws;
    if (!draws && !own && (!total || total->world != program->query->world))
      luaL_argerror(L, 3, "lacks a total");
    program->totals[k] = total;
    program->own_count += own;
    if (draws) program->drawn = k;
    program->draws = program->draws || draws;
    lua_rawseti(L, -2, (int)k + 2);
  }
  lua_pop(L, 1);
}

static int grids_slot(const Program *program) {
  return loops_slot(program) + 1;
}

/* Stores the grids of the list at index 5 in the program on top of the stack. */
static void keep_grids(lua_State *L, Program *program) {
  if (program->grid_count == 0) return;
  luaL_checktype(L, 5, LUA_TTABLE);
  compat_push_private(L, -1);
  lua_newtable(L);
  for (uint32_t k = 0; k < program->grid_count; k++) {
    lua_rawgeti(L, 5, (int)k + 1);
    program->grids[k] = (LuaGrid *)bind_find(L, -1, KIND_GRID);
    if (!program->grids[k] || program->grids[k]->world != program->query->world)
      luaL_argerror(L, 5, "lacks a grid");
    lua_rawseti(L, -2, (int)k + 1);
  }
  lua_rawseti(L, -2, grids_slot(program));
  lua_pop(L, 1);
}

/* wrap(query, native, totals, loops, grids): a Program for a new native program.
 */
static int wrap(lua_State *L) {
  LuaQuery *query = (LuaQuery *)bind_find(L, 1, KIND_QUERY);
  ecs_Program *native = (ecs_Program *)lua_touserdata(L, 2);
  ecs_ProgramInfo info;
  ecs_program_info(native, &info);
  /* A finalizer may close the world where memory is allocated. */
  bool changes = ecs_program_changes(native);
  size_t bytes = sizeof(Program) +
                 (info.uniforms + (size_t)info.reductions) * sizeof(double) +
                 info.reductions *
                     (sizeof(Reduction) + sizeof(Total *) + sizeof(Tally *)) +
                 info.arrays * sizeof(ecs_ProgramArray) +
                 info.grids * (sizeof(LuaGrid *) + sizeof(ecs_Grid *));
  Program *program = (Program *)bind_new(L, KIND_PROGRAM, bytes);
  bind_keep(L, 1, 1);
  program->query = query;
  program->native = native;
  program->exits = info.exits;
  program->changes = changes;
  program->uniform_count = info.uniforms;
  program->reduction_count = info.reductions;
  program->sums =
      (Reduction *)(void *)(program->numbers + info.uniforms + info.reductions);
  program->totals = (Total **)(void *)(program->sums + info.reductions);
  program->tallies = (Tally **)(void *)(program->totals + info.reductions);
  program->array_count = info.arrays;
  program->arrays =
      (ecs_ProgramArray *)(void *)(program->tallies + info.reductions);
  program->grid_count = info.grids;
  program->grids = (LuaGrid **)(void *)(program->arrays + info.arrays);
  program->natives = (ecs_Grid **)(void *)(program->grids + info.grids);
  ECS_ASSERT((char *)(program->natives + info.grids) <=
             (char *)program + bytes);
  keep_totals(L, program);
  keep_grids(L, program);
  compat_push_private(L, -1);
  lua_pushvalue(L, 4);
  lua_rawseti(L, -2, loops_slot(program));
  lua_pop(L, 1);
  return 1;
}

/* program(world, query, text, totals, loops, grids): a Program; or nil, a
 * message, and true if the text is not at fault. loops: line of the text with a
 * repeat -> the place of the script's loop, as messages show it. grids: in the
 * order of the text; nil: it has none. */
static int program_create(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  LuaQuery *query = bind_query_check(L, 2);
  size_t length;
  const char *text = luaL_checklstring(L, 3, &length);
  char message[512];
  ecs_Program *native = NULL;
  lua_settop(L, 6);
  luaL_checktype(L, 4, LUA_TTABLE);
  luaL_checktype(L, 5, LUA_TTABLE);
  luaL_argcheck(L, query->world == world, 2, "of another world");
  bind_components_ensure(L, world, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, wrap, 1);
  lua_pushvalue(L, 2);
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   ecs_program_create(bind_query_native(L, query), text, length,
                                      &native, message, sizeof message));
  if (status == ECS_E_PROGRAM || (status == ECS_E_LIMIT && message[0])) {
    lua_pushfstring(L, "ecs: %s: %s", query->label, message);
    return bind_fail(L);
  } else if (status != ECS_OK) {
    bind_push_status(L, world, status, query->label);
    bind_fail(L);
    lua_pushboolean(L, 1);
    return 3;
  }
  lua_pushlightuserdata(L, native);
  lua_pushvalue(L, 4);
  lua_pushvalue(L, 5);
  lua_pushvalue(L, 6);
  if (lua_pcall(L, 5, 1, 0) == 0) return 1;
  if (bind_query_is_live(query)) ecs_program_destroy(native);
  return lua_error(L);
}

Program *bind_program_check(lua_State *L, int index) {
  Program *program = (Program *)bind_find(L, index, KIND_PROGRAM);
  if (!program) luaL_argerror(L, index, "not a program");
  if (!bind_query_is_live(program->query))
    bind_error(L, "the world of this program is closed");
  return program->native ? program : NULL;
}

/* Is reduction k one of the caller's own numbers? */
static bool is_own(const Program *program, uint32_t k) {
  return !program->totals[k] && !(program->draws && program->drawn == k);
}

/* Element k of the list at index, from 0. */
static double read_value(lua_State *L, int index, uint32_t k) {
  lua_rawgeti(L, index, (int)k + 1);
  if (lua_type(L, -1) != LUA_TNUMBER)
    luaL_argerror(L, index, "lacks a uniform");
  double number = (double)lua_tonumber(L, -1);
  lua_pop(L, 1);
  return number;
}

/* Reads the caller's own numbers, which are behind the uniforms. */
static void read_own(lua_State *L, Program *program, int index) {
  uint32_t next = program->uniform_count;
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    if (!is_own(program, k)) continue;
    double number = read_value(L, index, next++);
    program->numbers[program->uniform_count + k] = number;
    reduction_begin(&program->sums[k], REDUCTION_GREATEST);
    program->sums[k].total = number;
  }
}

bool bind_program_read(lua_State *L, Program *program, int index) {
  bool changed = false;
  luaL_checktype(L, index, LUA_TTABLE);
  for (uint32_t k = 0; k < program->uniform_count; k++) {
    double number = read_value(L, index, k);
    changed |= memcmp(&program->numbers[k], &number, sizeof number) != 0;
    program->numbers[k] = number;
  }
  if (program->own_count > 0) read_own(L, program, index);
  return changed;
}

void bind_program_write(lua_State *L, const Program *program, int index) {
  uint32_t count = program->uniform_count, next = count;
  for (uint32_t k = 0; program->own_count && k < program->reduction_count; k++)
    if (is_own(program, k)) {
      lua_pushnumber(L, (lua_Number)program->numbers[count + k]);
      lua_rawseti(L, index, (int)++next);
    }
}

void bind_program_take_own(Program *program) {
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    if (!is_own(program, k)) continue;
    /* Of one that takes its numbers in order, the lanes are empty. */
    reduction_fold(&program->sums[k], REDUCTION_GREATEST);
    program->numbers[program->uniform_count + k] = program->sums[k].total;
  }
}

/* Reads array k of a program, which is on top of the stack: a copy, or an array of
 * the program's world, which is open. False: it is neither. */
static bool read_array(lua_State *L, const Program *program, uint32_t k) {
  const LuaArray *array = bind_array_find(L, -1);
  if (!array) return bind_table_copy(L, -1, &program->arrays[k]);
  if (array->world != program->query->world || !array->view.elements)
    return false;
  program->arrays[k] = (ecs_ProgramArray){.array = array->native};
  return true;
}

void bind_program_read_copies(lua_State *L, Program *program, int index) {
  if (program->array_count == 0) return;
  luaL_checktype(L, index, LUA_TTABLE);
  for (uint32_t k = 0; k < program->array_count; k++) {
    lua_rawgeti(L, index, (int)k + 1);
    if (!read_array(L, program, k)) luaL_argerror(L, index, "lacks an array");
    lua_pop(L, 1);
  }
}

/* Ensures a tally of this system in each total of the program at index. */
static void ensure_tallies(lua_State *L, const Program *program, int index,
                           const char *name) {
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    if (!program->totals[k]) continue;
    compat_push_private(L, index);
    lua_rawgeti(L, -1, (int)k + 2);
    bind_tally_ensure(L, program->totals[k], lua_gettop(L), name);
    lua_pop(L, 2);
  }
}

/* Is there a tally of this system in a total that the program does not have? */
static bool adds_elsewhere(const Program *program, const char *name) {
  const Total *total = program->query->world->totals;
  for (; total; total = total->next) {
    bool own = false;
    for (uint32_t k = 0; k < program->reduction_count && !own; k++)
      own = program->totals[k] == total;
    if (!own && bind_tally_find(total, name)) return true;
  }
  return false;
}

/* Are the tallies those of this system? Strings are compared by address: the
 * one of the last run is kept. */
static bool has_tallies(const Program *program, const char *name) {
  return program->name == name &&
         program->tally_count == program->query->world->tally_count;
}

Program *bind_program_tallies(lua_State *L, int index, int name_index) {
  Program *program = bind_program_check(L, index);
  const char *name = luaL_checkstring(L, name_index);
  if (!program || has_tallies(program, name)) return program;
  program->name = NULL;
  ensure_tallies(L, program, index, name);
  compat_push_private(L, index);
  lua_pushvalue(L, name_index);
  lua_rawseti(L, -2, (int)program->reduction_count + 2);
  lua_pop(L, 1);
  /* A finalizer may have closed the world, or replaced the system. */
  program = bind_program_check(L, index);
  if (!program) return NULL;
  for (uint32_t k = 0; k < program->reduction_count; k++)
    program->tallies[k] =
        program->totals[k] ? bind_tally_find(program->totals[k], name) : NULL;
  program->alone = !adds_elsewhere(program, name);
  program->tally_count = program->query->world->tally_count;
  program->name = name;
  return program;
}

/* Makes the reductions the values of the system's tallies. */
static void end_totals(const Program *program, const char *name) {
  const double *reductions = program->numbers + program->uniform_count;
  if (!program->alone) bind_totals_end(program->query->world, name, 0);
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    Tally *tally = program->tallies[k];
    if (!tally) continue;
    ECS_ASSERT(strcmp(tally->system, name) == 0);
    ECS_ASSERT(program->totals[k]->world == program->query->world);
    tally->run = 0;
    tally->value = reductions[k];
  }
}

/* Do all reductions have the values of a run without rows? */
static bool added_nothing(const Program *program) {
  const double *reductions = program->numbers + program->uniform_count;
  for (uint32_t k = 0; k < program->reduction_count; k++)
    if (program->totals[k] &&
        reductions[k] != reduction_start(program->totals[k]->kind))
      return false;
  return true;
}

/* Has any row drawn a number in the last run? */
static bool has_drawn(const Program *program) {
  const double *reductions = program->numbers + program->uniform_count;
  return program->draws && reductions[program->drawn] > 0;
}

/* Would another run change nothing? If the last run destroyed its rows, the
 * next run resets what they added to the totals. */
static bool is_idle(const Program *program) {
  ecs_Entity first = 0;
  if (!program->changes && program->stop.row > 0) return false;
  return added_nothing(program) && bind_query_is_live(program->query) &&
         ecs_query_first(program->query->native, &first) == ECS_OK &&
         first == 0;
}

bool bind_program_is_known(const Program *program) {
  return bind_query_is_live(program->query) && program->native &&
         program->name && has_tallies(program, program->name);
}

RunEnd bind_program_end(const Program *program) {
  end_totals(program, program->name);
  return (RunEnd){.idle = is_idle(program), .drawn = has_drawn(program)};
}

ecs_Status bind_program_ready(Program *program) {
  for (uint32_t k = 0; k < program->grid_count; k++) {
    LuaGrid *grid = program->grids[k];
    ecs_Status status =
        grid->life.native ? bind_grid_ready(grid) : ECS_E_ARGUMENT;
    if (status != ECS_OK) return status;
    program->natives[k] = grid->life.native;
  }
  return ECS_OK;
}

void bind_program_call(Program *program, uint64_t runs, ecs_ProgramCall *call) {
  memset(call, 0, sizeof *call);
  if (program->draws)
    call->random_key =
        ecs_random_key(program->query->world->seed, program->name, runs);
  call->uniforms = program->numbers;
  call->uniform_count = program->uniform_count;
  call->reductions = program->numbers + program->uniform_count;
  call->reduction_count = program->reduction_count;
  call->arrays = program->arrays;
  call->array_count = program->array_count;
  call->stop = &program->stop;
  call->grids = program->natives;
  call->grid_count = program->grid_count;
}

/* Runs a program without exits with the uniforms that are in its numbers. runs:
 * how often the phase of the system has run, for random numbers. *kept: it has
 * run, but its changes wait for memory (api/kept_end.h); NULL: they do not.
 * Allocates nothing of Lua. */
static ecs_Status run_native(Program *program, uint64_t runs, bool *kept) {
  ecs_ProgramCall call;
  bind_program_call(program, runs, &call);
  ecs_Status status = bind_program_ready(program);
  if (status != ECS_OK) return status;
  return kept ? ecs_program_run_kept(program->native, &call, kept)
              : ecs_program_run(program->native, &call);
}

/* Applies the changes that a run has kept. Finalizers run, which may close the
 * query. */
static ecs_Status apply_kept(lua_State *L, LuaWorld *world) {
  world->deferrals++;
  ecs_Status status = bind_apply_kept(L, world);
  bind_world_end_pending(world);
  return status;
}

/* The place of the loop that does not end, of the program at index. */
static void push_loop(lua_State *L, int index, const Program *program) {
  compat_push_private(L, index);
  lua_rawgeti(L, -1, loops_slot(program));
  lua_rawgeti(L, -1, (int)program->stop.line);
  if (!lua_isstring(L, -1)) {
    lua_pop(L, 1);
    lua_pushliteral(L, "?");
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

void bind_program_push_failure(lua_State *L, int index, ecs_Status status) {
  const Program *program = (const Program *)bind_find(L, index, KIND_PROGRAM);
  const char *label = program->query->label;
  if (status != ECS_E_TURNS) {
    bind_push_status(L, program->query->world, status, label);
    return;
  }
  push_loop(L, index, program);
  bind_push_entity_text(L, (double)program->stop.endless);
  lua_pushfstring(L,
                  "ecs: %s: the loop at %s does not end for %s: it makes more "
                  "than 16777216 turns, the limit of compiled functions",
                  label, lua_tostring(L, -2), lua_tostring(L, -1));
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* nil and a message, of the program at index 1. */
static int fail(lua_State *L, ecs_Status status) {
  bind_program_push_failure(L, 1, status);
  return bind_fail(L);
}

/* run_program(program, values, name, runs, copies): true, whether the system is
 * idle, and whether a row has drawn a number; or nil and a message. runs: how
 * often the system's phase has run, for random numbers. The program has no
 * exits. false where it was dropped: then the system was replaced meanwhile. */
static int run_program(lua_State *L) {
  uint64_t runs = bind_whole_check(L, 4);
  Program *program = bind_program_tallies(L, 1, 3);
  if (!program) {
    lua_pushboolean(L, 0);
    return 1;
  }
  luaL_argcheck(L, !program->exits, 1, "has exits");
  /* From here on nothing allocates. */
  bind_program_read(L, program, 2);
  bind_program_read_copies(L, program, 5);
  bool kept = false;
  ecs_Status status = run_native(program, runs, &kept);
  bind_program_write(L, program, 2);
  bool drawn = has_drawn(program);
  if (kept) status = apply_kept(L, program->query->world);
  if (status != ECS_OK) return fail(L, status);
  end_totals(program, program->name);
  bool idle = is_idle(program);
  bind_tell(L, program->query->world);
  lua_pushboolean(L, 1);
  lua_pushboolean(L, idle);
  lua_pushboolean(L, drawn);
  return 3;
}

/* The program at index 7, with the uniforms at index 8. */
static ecs_Program *wanted_program(lua_State *L, ecs_ProgramCall *call,
                                   uint32_t filled) {
  Program *program = (Program *)bind_find(L, 7, KIND_PROGRAM);
  if (!program || !program->native || !bind_query_is_live(program->query) ||
      filled >= program->array_count)
    return NULL;
  for (uint32_t k = 0; k < filled; k++) {
    lua_rawgeti(L, 4, (int)k + 1);
    bool found = read_array(L, program, k);
    lua_pop(L, 1);
    if (!found) return NULL;
  }
  bind_program_read(L, program, 8);
  *call = (ecs_ProgramCall){.uniforms = program->numbers,
                            .uniform_count = program->uniform_count,
                            .arrays = program->arrays,
                            .array_count = filled};
  return program->native;
}

/* Are there arguments of copy_wanted, and is the table one for it? */
static bool is_for_wanted(lua_State *L) {
  const Program *program = (const Program *)bind_find(L, 7, KIND_PROGRAM);
  double times = (double)luaL_checknumber(L, 9);
  double least = (double)luaL_checknumber(L, 10);
  uint64_t rows = 0;
  luaL_checktype(L, 11, LUA_TSTRING);
  lua_settop(L, 11);
  if (!program || !program->native || program->draws ||
      !bind_query_is_live(program->query) ||
      ecs_query_count(program->query->native, &rows) != ECS_OK)
    return false;
  double guess = bind_wanted_guess(L);
  return guess >= least && guess > (double)rows * times;
}

/* copy_wanted(table, path, kind, copies, at, whole, program, values, times,
 * least, "__index"): as copy_table, but only what the program looks at; nil
 * where that is not known, or the table has fewer elements than least, or not
 * more than `times` as many as there are rows. */
static int copy_wanted(lua_State *L) {
  if (!is_for_wanted(L)) return 0;
  int answer = bind_copy_wanted(L, wanted_program);
  if (answer == WANTED_ALL) return 0;
  lua_pushboolean(L, answer == WANTED_DONE);
  return 1;
}

/* table_guess(table, path): about how many elements of the path it has; 0 for
 * what is no table. */
static int table_guess(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  lua_pushliteral(L, "__index");
  compat_push_whole(L, bind_wanted_guess(L));
  return 1;
}

/* How many are wanted; false or nil as of copy_wanted. */
static int push_wanted(lua_State *L, int answer, uint32_t count) {
  if (answer == WANTED_ALL) return 0;
  if (answer == WANTED_DONE)
    compat_push_whole(L, count);
  else
    lua_pushboolean(L, 0);
  return 1;
}

/* want_keys(...): the first step of copy_wanted, for the same: how many keys are
 * wanted; false or nil as there. */
static int want_keys(lua_State *L) {
  uint32_t count = 0;
  if (!is_for_wanted(L)) return 0;
  int answer = bind_want_keys(L, wanted_program, &count);
  return push_wanted(L, answer, count);
}

/* want_elements(table, path, kind, copies, at, whole, program, values, placed, 0,
 * "__index"): the second: how many elements of rows are wanted; or nil. */
static int want_elements(lua_State *L) {
  uint32_t count = 0;
  double placed = (double)luaL_checknumber(L, 9);
  luaL_checktype(L, 11, LUA_TSTRING);
  lua_settop(L, 11);
  int answer = bind_want_elements(L, wanted_program, placed, &count);
  return push_wanted(L, answer, count);
}

/* For LuaJIT's FFI -------------------------------------------------------- */

/* Functions that scripts/ecs/ffi calls directly; see programs_ffi.lua.
 *   run    runs a program with the uniforms in its numbers, for the system that
 *          run_program ran it for: 1, and 2 more where the system is idle, 4
 *          more where a row has drawn, and 8 more where observers wait; 0:
 *          nothing was done, and run_program does it; below 0: failed with the
 *          status -answer
 *   idle   is it certain that nothing matches a query? 1 or 0: LuaJIT does not
 *          compile every call that returns a bool */
typedef struct ProgramCalls {
  int32_t (*run)(Program *, double);
  int32_t (*idle)(const LuaQuery *);
} ProgramCalls;

/* Where a limit may refuse its changes, a program runs where it can collect. */
static bool may_collect(const Program *program) {
  const LuaWorld *world = program->query->world;
  return program->changes &&
         (world->limited || world->state->budget.limit_bytes > 0);
}

static int32_t quick_run(Program *program, double runs) {
  if (!bind_program_is_known(program) || program->exits ||
      program->own_count > 0 || program->array_count > 0 ||
      !(runs >= 0.0 && runs < 0x1p53) || may_collect(program))
    return 0;
  ecs_Status status = run_native(program, (uint64_t)runs, NULL);
  if (status != ECS_OK) return -(int32_t)status;
  RunEnd end = bind_program_end(program);
  return 1 + 2 * end.idle + 4 * end.drawn +
         8 * (*program->query->world->noticed > 0);
}

static int32_t quick_idle(const LuaQuery *query) {
  uint64_t count = 1;
  return bind_query_is_live(query) &&
         ecs_query_count(query->native, &count) == ECS_OK && count == 0;
}

/* program_calls(): a userdata with these functions, and its size. */
static int program_calls(lua_State *L) {
  static const ProgramCalls calls = {quick_run, quick_idle};
  memcpy(lua_newuserdata(L, sizeof calls), &calls, sizeof calls);
  compat_push_whole(L, (double)sizeof calls);
  return 2;
}

/* program_numbers(program): where the uniforms are, and how many; nothing where
 * it was dropped. */
static int program_numbers(lua_State *L) {
  Program *program = bind_program_check(L, 1);
  if (!program) return 0;
  lua_pushlightuserdata(L, program->numbers);
  compat_push_whole(L, program->uniform_count);
  return 2;
}

/* program_failure(program, status): nil and the message for a status. */
static int program_failure(lua_State *L) {
  bind_program_check(L, 1);
  uint64_t status = bind_whole_check(L, 2);
  luaL_argcheck(L, status > 0 && status < ECS_STATUS_COUNT, 2, "no status");
  return fail(L, (ecs_Status)status);
}

/* program_tell(program): calls observers behind a run. */
static int program_tell(lua_State *L) {
  const Program *program = bind_program_check(L, 1);
  if (program) bind_tell(L, program->query->world);
  return 0;
}

/* program_info(program): operations, bytes read, bytes written, slow calls,
 * back end, why it runs on one thread or nil. */
static int program_info(lua_State *L) {
  Program *program = bind_program_check(L, 1);
  luaL_argcheck(L, program, 1, "was dropped");
  ecs_ProgramInfo info;
  ecs_program_info(program->native, &info);
  compat_push_whole(L, info.operations);
  compat_push_whole(L, info.bytes_read);
  compat_push_whole(L, info.bytes_written);
  compat_push_whole(L, info.slow_calls);
  lua_pushstring(L, info.back_end);
  lua_pushstring(L, info.alone); /* nil for NULL */
  return 6;
}

/* program_meetings(program): as ecs_program_meetings; nothing for a program that
 * was dropped. */
static int program_meetings(lua_State *L) {
  Program *program = bind_program_check(L, 1);
  if (!program) return 0;
  ecs_ProgramMeetings meetings;
  ecs_program_meetings(program->native, &meetings);
  compat_push_whole(L, meetings.late);
  lua_pushboolean(L, meetings.late_cycles);
  lua_pushboolean(L, meetings.late_keys);
  compat_push_whole(L, (double)meetings.rows);
  compat_push_whole(L, (double)meetings.slices);
  compat_push_whole(L, (double)meetings.alone);
  return 6;
}

/* drop_program(program): destroys the native program. */
static int drop_program(lua_State *L) {
  Program *program = (Program *)bind_find(L, 1, KIND_PROGRAM);
  if (!program) return luaL_argerror(L, 1, "not a program");
  ecs_Program *native = program->native;
  program->native = NULL;
  if (native && bind_query_is_live(program->query)) ecs_program_destroy(native);
  return 0;
}

/* held_string(text): the number under which programs have a string. It is held
 * for good: programs do not say which they use. */
static int held_string(lua_State *L) {
  luaL_checktype(L, 1, LUA_TSTRING);
  lua_settop(L, 1);
  uint32_t number = lua_rawlen(L, 1) > 0 ? bind_held_number(L, 1) : 0;
  bind_held_pin(L, number);
  lua_pushnumber(L, number);
  return 1;
}

static const luaL_Reg functions[] = {{"program", program_create},
                                     {"held_string", held_string},
                                     {"run_program", run_program},
                                     {"program_info", program_info},
                                     {"program_meetings", program_meetings},
                                     {"program_calls", program_calls},
                                     {"program_numbers", program_numbers},
                                     {"program_failure", program_failure},
                                     {"program_tell", program_tell},
                                     {"drop_program", drop_program},
                                     {"copy_wanted", copy_wanted},
                                     {"want_keys", want_keys},
                                     {"want_elements", want_elements},
                                     {"table_guess", table_guess},
                                     {NULL, NULL}};

void bind_open_lua_program(lua_State *L) { bind_add(L, functions); }
