/* programs.c: kernel programs, as scripts/ecs compiles them.
 *
 *      program(world, query, text)                      --> Program
 *      run_program(program, values, seed, name, tick)   values: the uniforms
 *
 * A program belongs to its query and ends with it, so the Program keeps the
 * query alive. One that is not wanted any more is dropped by hand: it has no
 * finalizer. All messages are left for scripts/ecs.
 */
#include <string.h>

#include "worlds.h"

typedef struct Program {
  Header header;
  Query *query;
  ecs_Program *native; /* NULL: dropped */
  uint32_t uniform_count;
  uint32_t reduction_count;
  double numbers[];    /* uniforms, then reductions */
} Program;

static int fail(lua_State *L) {
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

/* A userdata for a program that was just made; raises, and gives the program
 * back, when there is no memory for it. */
static int wrap(lua_State *L) {
  Query *query = (Query *)bind_find(L, 1, KIND_QUERY);
  ecs_Program *native = (ecs_Program *)lua_touserdata(L, 2);
  ecs_ProgramInfo info;
  ecs_program_info(native, &info);
  size_t bytes = sizeof(Program) +
                 (info.uniforms + (size_t)info.reductions) * sizeof(double);
  Program *program = (Program *)bind_new(L, KIND_PROGRAM, bytes);
  compat_push_private(L, -1);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 1);
  lua_pop(L, 1);
  program->query = query;
  program->native = native;
  program->uniform_count = info.uniforms;
  program->reduction_count = info.reductions;
  return 1;
}

/* program(world, query, text): a Program; or nil, why not, and true when that is
 * no fault of the text. */
static int program_create(lua_State *L) {
  World *world = bind_world_check(L, 1);
  Query *query = bind_query_check(L, 2);
  size_t length;
  const char *text = luaL_checklstring(L, 3, &length);
  char message[512];
  ecs_Program *native = NULL;
  lua_settop(L, 3);
  luaL_argcheck(L, query->world == world, 2, "of another world");
  bind_world_meet_all(L, world, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, wrap, 1);
  lua_pushvalue(L, 2);
  ecs_Status status =
      ecs_program_create(bind_query_native(L, query), text, length, &native,
                         message, sizeof message);
  if (status == ECS_E_PROGRAM || (status == ECS_E_LIMIT && message[0])) {
    lua_pushfstring(L, "ecs: %s: %s", query->label, message);
    return fail(L);
  } else if (status != ECS_OK) {
    bind_push_status(L, world, status, query->label);
    fail(L);
    lua_pushboolean(L, 1);
    return 3;
  }
  lua_pushlightuserdata(L, native);
  if (lua_pcall(L, 2, 1, 0) == 0) return 1;
  if (world->native && query->native) ecs_program_destroy(native);
  return lua_error(L);
}

static Program *check_program(lua_State *L) {
  Program *program = (Program *)bind_find(L, 1, KIND_PROGRAM);
  if (!program || !program->native) luaL_argerror(L, 1, "not a program");
  if (program->query->world->native == NULL || !program->query->native)
    bind_error(L, "the world of this program is closed");
  return program;
}

/* The uniforms of argument 2. */
static void read_uniforms(lua_State *L, Program *program) {
  luaL_checktype(L, 2, LUA_TTABLE);
  for (uint32_t k = 0; k < program->uniform_count; k++) {
    lua_rawgeti(L, 2, (int)k + 1);
    if (lua_type(L, -1) != LUA_TNUMBER)
      luaL_argerror(L, 2, "lacks a uniform");
    program->numbers[k] = (double)lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

/* A whole number, as an argument of scripts/ecs. */
static uint64_t read_whole(lua_State *L, int index) {
  double number = luaL_checknumber(L, index);
  if (!(number >= 0 && number < 9007199254740992.0))
    luaL_argerror(L, index, "not a whole number");
  return (uint64_t)number;
}

/* run_program(program, values, seed, name, tick): true, or nil and why not. */
static int run_program(lua_State *L) {
  Program *program = check_program(L);
  ecs_ProgramCall call;
  memset(&call, 0, sizeof call);
  uint64_t seed = read_whole(L, 3), tick = read_whole(L, 5);
  call.random_key = ecs_random_key(seed, luaL_checkstring(L, 4), tick);
  /* The name may have allocated; from here on nothing does. */
  program = check_program(L);
  read_uniforms(L, program);
  call.uniforms = program->numbers;
  call.uniform_count = program->uniform_count;
  call.reductions = program->numbers + program->uniform_count;
  call.reduction_count = program->reduction_count;
  ecs_Status status = ecs_program_run(program->native, &call);
  if (status == ECS_OK) {
    lua_pushboolean(L, 1);
    return 1;
  }
  bind_push_status(L, program->query->world, status, program->query->label);
  return fail(L);
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

/* drop_program(program): frees it; the Program is good for nothing then. */
static int drop_program(lua_State *L) {
  Program *program = (Program *)bind_find(L, 1, KIND_PROGRAM);
  if (!program) return luaL_argerror(L, 1, "not a program");
  ecs_Program *native = program->native;
  program->native = NULL;
  if (native && program->query->world->native && program->query->native)
    ecs_program_destroy(native);
  return 0;
}

static const luaL_Reg functions[] = {{"program", program_create},
                                     {"run_program", run_program},
                                     {"program_info", program_info},
                                     {"drop_program", drop_program},
                                     {NULL, NULL}};

void bind_open_programs(lua_State *L) {
  bind_add(L, functions);
}
