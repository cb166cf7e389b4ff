/* lua_program.c: kernel programs, as scripts/ecs compiles them.
 *
 *      program(world, query, text, totals)        --> Program
 *      run_program(program, values, name, runs)   values: the uniforms
 *
 * The reductions of a run become the system's values in these totals. `true` in
 * place of a total stands for the most numbers that a row has drawn.
 *
 * A program belongs to its query and is destroyed with it, so the Program keeps
 * the query alive. A Program has no finalizer; drop_program destroys one that
 * is not needed any more. All functions return messages to scripts/ecs.
 */
#include "program/lua_program.h"

#include <string.h>

#include "api/for_bindings.h"
#include "object/number.h"
#include "query/lua_query.h"
#include "world/components.h"
#include "world/report.h"
#include "world/totals.h"

typedef struct Program {
  Header header;
  LuaQuery *query;
  ecs_Program *native; /* NULL: dropped */
  uint32_t uniform_count;
  uint32_t reduction_count;
  Total **totals;   /* one per reduction; kept alive by the private table,
                       from slot 2 on; NULL: the most numbers drawn by a row */
  double numbers[]; /* uniforms, then reductions */
} Program;

/* Stores the totals of the list at index 3 in the program on top of the stack.
 */
static void keep_totals(lua_State *L, Program *program) {
  luaL_checktype(L, 3, LUA_TTABLE);
  compat_push_private(L, -1);
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    lua_rawgeti(L, 3, (int)k + 1);
    Total *total = (Total *)bind_find(L, -1, KIND_TOTAL);
    bool draws = lua_isboolean(L, -1) && lua_toboolean(L, -1);
    if (!draws && (!total || total->world != program->query->world))
      luaL_argerror(L, 3, "lacks a total");
    program->totals[k] = total;
    lua_rawseti(L, -2, (int)k + 2);
  }
  lua_pop(L, 1);
}

/* wrap(query, native, totals): a Program for a new native program. */
static int wrap(lua_State *L) {
  LuaQuery *query = (LuaQuery *)bind_find(L, 1, KIND_QUERY);
  ecs_Program *native = (ecs_Program *)lua_touserdata(L, 2);
  ecs_ProgramInfo info;
  ecs_program_info(native, &info);
  size_t bytes = sizeof(Program) +
                 (info.uniforms + (size_t)info.reductions) * sizeof(double) +
                 info.reductions * sizeof(Total *);
  Program *program = (Program *)bind_new(L, KIND_PROGRAM, bytes);
  bind_keep(L, 1, 1);
  program->query = query;
  program->native = native;
  program->uniform_count = info.uniforms;
  program->reduction_count = info.reductions;
  program->totals =
      (Total **)(void *)(program->numbers + info.uniforms + info.reductions);
  ECS_ASSERT((char *)(program->totals + info.reductions) <=
             (char *)program + bytes);
  keep_totals(L, program);
  return 1;
}

/* program(world, query, text, totals): a Program; or nil, a message, and true
 * if the text is not at fault. */
static int program_create(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  LuaQuery *query = bind_query_check(L, 2);
  size_t length;
  const char *text = luaL_checklstring(L, 3, &length);
  char message[512];
  ecs_Program *native = NULL;
  lua_settop(L, 4);
  luaL_checktype(L, 4, LUA_TTABLE);
  luaL_argcheck(L, query->world == world, 2, "of another world");
  bind_components_ensure(L, world, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, wrap, 1);
  lua_pushvalue(L, 2);
  ecs_Status status =
      ecs_program_create(bind_query_native(L, query), text, length, &native,
                         message, sizeof message);
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
  if (lua_pcall(L, 3, 1, 0) == 0) return 1;
  if (bind_query_is_live(query)) ecs_program_destroy(native);
  return lua_error(L);
}

static Program *check_program(lua_State *L) {
  Program *program = (Program *)bind_find(L, 1, KIND_PROGRAM);
  if (!program || !program->native) luaL_argerror(L, 1, "not a program");
  if (!bind_query_is_live(program->query))
    bind_error(L, "the world of this program is closed");
  return program;
}

/* Reads the uniforms from the list at index 2. */
static void read_uniforms(lua_State *L, Program *program) {
  luaL_checktype(L, 2, LUA_TTABLE);
  for (uint32_t k = 0; k < program->uniform_count; k++) {
    lua_rawgeti(L, 2, (int)k + 1);
    if (lua_type(L, -1) != LUA_TNUMBER) luaL_argerror(L, 2, "lacks a uniform");
    program->numbers[k] = (double)lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

/* Ensures a tally of this system in each total of the program at index 1. */
static void ensure_tallies(lua_State *L, const Program *program,
                           const char *name) {
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    if (!program->totals[k]) continue;
    compat_push_private(L, 1);
    lua_rawgeti(L, -1, (int)k + 2);
    bind_tally_ensure(L, program->totals[k], lua_gettop(L), name);
    lua_pop(L, 2);
  }
}

/* Makes the reductions the values of the system's tallies. */
static void end_totals(const Program *program, const char *name) {
  const double *reductions = program->numbers + program->uniform_count;
  bind_totals_end(program->query->world, name, 0);
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    if (!program->totals[k]) continue;
    Tally *tally = bind_tally_find(program->totals[k], name);
    ECS_ASSERT(tally); /* ensure_tallies */
    ECS_ASSERT(program->totals[k]->world == program->query->world);
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
  for (uint32_t k = 0; k < program->reduction_count; k++)
    if (!program->totals[k]) return reductions[k] > 0;
  return false;
}

/* Would another run change nothing? If the last run destroyed its rows, the
 * next run resets what they added to the totals. */
static bool is_idle(const Program *program) {
  ecs_Entity first = 0;
  return added_nothing(program) &&
         ecs_query_first(program->query->native, &first) == ECS_OK &&
         first == 0;
}

/* run_program(program, values, name, runs): true, whether the system is idle,
 * and whether a row has drawn a number; or nil and a message. runs: how often
 * the system's phase has run, for random numbers. */
static int run_program(lua_State *L) {
  Program *program = check_program(L);
  ecs_ProgramCall call;
  memset(&call, 0, sizeof call);
  const char *name = luaL_checkstring(L, 3);
  call.random_key =
      ecs_random_key(program->query->world->seed, name, bind_whole_check(L, 4));
  if (program->reduction_count > 0) {
    ensure_tallies(L, program, name);
    program = check_program(L); /* allocating a tally may close the world */
  }
  /* From here on nothing allocates. */
  read_uniforms(L, program);
  call.uniforms = program->numbers;
  call.uniform_count = program->uniform_count;
  call.reductions = program->numbers + program->uniform_count;
  call.reduction_count = program->reduction_count;
  ecs_Status status = ecs_program_run(program->native, &call);
  if (status == ECS_OK) {
    end_totals(program, name);
    lua_pushboolean(L, 1);
    lua_pushboolean(L, is_idle(program));
    lua_pushboolean(L, has_drawn(program));
    return 3;
  }
  bind_push_status(L, program->query->world, status, program->query->label);
  return bind_fail(L);
}

/* program_info(program): operations, bytes read, bytes written, slow calls,
 * back end. */
static int program_info(lua_State *L) {
  Program *program = check_program(L);
  ecs_ProgramInfo info;
  ecs_program_info(program->native, &info);
  compat_push_whole(L, info.operations);
  compat_push_whole(L, info.bytes_read);
  compat_push_whole(L, info.bytes_written);
  compat_push_whole(L, info.slow_calls);
  lua_pushstring(L, info.back_end);
  return 5;
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

static const luaL_Reg functions[] = {{"program", program_create},
                                     {"run_program", run_program},
                                     {"program_info", program_info},
                                     {"drop_program", drop_program},
                                     {NULL, NULL}};

void bind_open_lua_program(lua_State *L) { bind_add(L, functions); }
