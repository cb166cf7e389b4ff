/* lua_pass.c: systems whose programs run in one call.
 *
 *      pass(members)                       --> Pass
 *      run_pass(pass, dt, runs)            the programs, one after the other
 *      pass_values(pass, k, values)        what program k is given from now on
 *      pass_enable(pass, k, enabled)       whether it runs
 *
 * members is a list of { program, work, readers, dts }: the function that was
 * compiled, the list of plan.outside (scripts/ecs/compile/plan.lua) of what it
 * reads outside, or false, and the numbers of the uniforms that are dt. A pass
 * has uniforms of its own, so that what is in them and what the readers compare
 * with change together, in pass_values.
 *
 * A run reads nothing through Lua that could run a script: where a reader is not
 * certain to find what it found, nothing is run, and scripts/ecs reads anew.
 */
#include "program/lua_pass.h"

#include <string.h>

#include "object/number.h"
#include "program/outside.h"
#include "world/telling.h"

/* A program of a pass. */
typedef struct Member {
  Program *program; /* kept alive by the private table */
  double *uniforms; /* in the pass */
  uint8_t *is_dt;   /* for each of these; in the pass */
  bool reads;       /* it has readers */
  bool off;         /* its system is disabled */
  bool idle;        /* nothing has matched when it ran last */
  uint64_t frames;  /* in which it was to run, since pass_taken was called */
  uint64_t ran;     /* of these, it did: it was not idle */
} Member;

typedef struct Pass {
  Header header;
  uint32_t count;        /* of those that are made */
  bool reads;            /* one of its members does */
  PassProgram *programs; /* for each member; in the pass */
  Member *members;       /* likewise; behind them their uniforms and marks */
} Pass;

/* Where the private table has the program, the readers and the function of a
 * member. */
enum { SLOTS = 3 };
static int program_slot(uint32_t k) { return (int)(SLOTS * k) + 1; }
static int readers_slot(uint32_t k) { return (int)(SLOTS * k) + 2; }
static int work_slot(uint32_t k) { return (int)(SLOTS * k) + 3; }

/* Making ------------------------------------------------------------------ */

static bool is_there(const Program *program) {
  return bind_query_is_live(program->query) && program->native;
}

/* The program of member k of the list at index 1. NULL: it was dropped, or its
 * world is closed. */
static Program *read_program(lua_State *L, uint32_t k) {
  lua_rawgeti(L, 1, (int)k + 1);
  luaL_checktype(L, -1, LUA_TTABLE);
  lua_rawgeti(L, -1, 1);
  Program *program = (Program *)bind_find(L, -1, KIND_PROGRAM);
  luaL_argcheck(L, program, 1, "lacks a program");
  lua_pop(L, 2);
  if (!is_there(program)) return NULL;
  luaL_argcheck(L, !ecs_pass_hindrance(program->native), 1,
                "has a program that cannot be in a pass");
  return program;
}

/* How many uniforms the members of the list at index 1 have together; false: a
 * program is not there. */
static bool count_uniforms(lua_State *L, size_t count, size_t *uniforms) {
  for (uint32_t k = 0; k < count; k++) {
    const Program *program = read_program(L, k);
    if (!program) return false;
    *uniforms += program->uniform_count;
  }
  return true;
}

/* Marks the uniforms that are dt, by the list on top of the stack. */
static void read_dts(lua_State *L, const Member *member) {
  for (int k = 1; k <= (int)lua_rawlen(L, -1); k++) {
    lua_rawgeti(L, -1, k);
    uint64_t number = bind_whole_check(L, -1);
    luaL_argcheck(L, number - 1 < member->program->uniform_count, 1,
                  "names no uniform");
    member->is_dt[number - 1] = 1;
    lua_pop(L, 1);
  }
}

/* Keeps what a member refers to in the private table at index 3. */
static void keep_member(lua_State *L, Member *member, uint32_t k) {
  lua_rawgeti(L, 1, (int)k + 1);
  lua_rawgeti(L, -1, 1);
  lua_rawseti(L, 3, program_slot(k));
  lua_rawgeti(L, -1, 2);
  luaL_checktype(L, -1, LUA_TFUNCTION);
  lua_rawseti(L, 3, work_slot(k));
  lua_rawgeti(L, -1, 3);
  member->reads = lua_istable(L, -1) && lua_rawlen(L, -1) > 0;
  lua_rawseti(L, 3, readers_slot(k));
  lua_rawgeti(L, -1, 4);
  luaL_checktype(L, -1, LUA_TTABLE);
  read_dts(L, member);
  lua_pop(L, 2);
}

/* Does member k meet one before it, from the last one that begins on? */
static bool begins(const Pass *pass, uint32_t k) {
  for (uint32_t j = k; j > 0; j--) {
    if (ecs_pass_meets(pass->programs[j - 1].program,
                       pass->programs[k].program))
      return true;
    if (pass->programs[j - 1].begins) break;
  }
  return k == 0;
}

/* A pass with room for so many members, which have so many uniforms. */
static Pass *new_pass(lua_State *L, size_t count, size_t uniforms) {
  size_t each = sizeof(PassProgram) + sizeof(Member);
  Pass *pass = (Pass *)bind_new(
      L, KIND_PASS,
      sizeof(Pass) + count * each + uniforms * (sizeof(double) + 1));
  pass->programs = (PassProgram *)(void *)(pass + 1);
  pass->members = (Member *)(void *)(pass->programs + count);
  return pass;
}

/* Adds the next member of the list at index 1, whose uniforms are in the pass from
 * there on. left: of all that are to come. False: a finalizer has dropped the
 * program, or closed its world, while the pass was made. */
static bool add_member(lua_State *L, Pass *pass, double *uniforms,
                       uint8_t *marks, size_t left) {
  uint32_t k = pass->count;
  Member *member = &pass->members[k];
  Program *program = read_program(L, k);
  if (!program) return false;
  luaL_argcheck(L, program->uniform_count <= left, 1, "has changed");
  member->program = program;
  member->uniforms = uniforms;
  member->is_dt = marks;
  pass->programs[k].program = program->native;
  pass->programs[k].begins = begins(pass, k);
  keep_member(L, member, k);
  pass->reads = pass->reads || member->reads;
  pass->count = k + 1;
  return true;
}

/* pass(members): a Pass for at most PASS_PROGRAMS; nil where a program was
 * dropped, or its world is closed. */
static int pass_create(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  size_t count = lua_rawlen(L, 1), left = 0;
  luaL_argcheck(L, count > 0 && count <= PASS_PROGRAMS, 1,
                "has a wrong length");
  if (!count_uniforms(L, count, &left)) return 0;
  Pass *pass = new_pass(L, count, left);
  compat_push_private(L, 2);
  double *uniforms = (double *)(void *)(pass->members + count);
  uint8_t *marks = (uint8_t *)(uniforms + left);
  for (uint32_t k = 0; k < count; k++) {
    if (!add_member(L, pass, uniforms, marks, left)) return 0;
    uint32_t taken = pass->members[k].program->uniform_count;
    uniforms += taken;
    marks += taken;
    left -= taken;
  }
  lua_settop(L, 2);
  return 1;
}

static Pass *check(lua_State *L) {
  Pass *pass = (Pass *)bind_find(L, 1, KIND_PASS);
  if (!pass) luaL_argerror(L, 1, "not a pass");
  return pass;
}

/* pass_values(pass, k, values). */
static int pass_values(lua_State *L) {
  Pass *pass = check(L);
  uint64_t k = bind_whole_check(L, 2);
  luaL_argcheck(L, k - 1 < pass->count, 2, "names no member");
  luaL_checktype(L, 3, LUA_TTABLE);
  Member *member = &pass->members[k - 1];
  for (uint32_t u = 0; u < member->program->uniform_count; u++) {
    lua_rawgeti(L, 3, (int)u + 1);
    member->uniforms[u] = (double)luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
  return 0;
}

/* The member of the pass at index 1 whose number is at index 2. */
static Member *check_member(lua_State *L) {
  Pass *pass = check(L);
  uint64_t k = bind_whole_check(L, 2);
  luaL_argcheck(L, k - 1 < pass->count, 2, "names no member");
  return &pass->members[k - 1];
}

/* pass_enable(pass, k, enabled): whether the system of member k runs. */
static int pass_enable(lua_State *L) {
  Member *member = check_member(L);
  member->off = !lua_toboolean(L, 3);
  return 0;
}

/* pass_idle(pass, k, idle): whether nothing matched when member k ran last by
 * itself. pass_idle(pass, k): whether that was so when it ran last. */
static int pass_idle(lua_State *L) {
  Member *member = check_member(L);
  if (lua_gettop(L) > 2) member->idle = lua_toboolean(L, 3);
  lua_pushboolean(L, member->idle);
  return 1;
}

/* pass_taken(pass, k): in how many frames member k was to run since this was last
 * asked, and in how many it did and was not idle. */
static int pass_taken(lua_State *L) {
  Member *member = check_member(L);
  compat_push_whole(L, (double)member->frames);
  compat_push_whole(L, (double)member->ran);
  member->frames = member->ran = 0;
  return 2;
}

/* Running ----------------------------------------------------------------- */

/* Is there nothing to do for a member, as when it ran last? */
static bool is_left_out(const Member *member) {
  ecs_Entity first = 1;
  return member->off ||
         (member->idle && is_there(member->program) &&
          ecs_query_first(member->program->query->native, &first) == ECS_OK &&
          first == 0);
}

/* Do all members read outside what they read last? Otherwise, the number of the
 * first of which that is not certain; 0: they do. The pass is at index 1. */
static uint32_t find_changed(lua_State *L, const Pass *pass) {
  int top = lua_gettop(L);
  uint32_t changed = 0;
  if (!pass->reads) return 0;
  luaL_checkstack(L, 12, NULL);
  compat_push_private(L, 1);
  for (uint32_t k = 0; k < pass->count && changed == 0; k++) {
    if (!pass->members[k].reads || is_left_out(&pass->members[k])) continue;
    lua_rawgeti(L, top + 1, readers_slot(k));
    lua_rawgeti(L, top + 1, work_slot(k));
    if (!bind_outside_same(L, top + 2, top + 3)) changed = k + 1;
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
  return changed;
}

/* Prepares the calls of all members. False: one of them has not run yet for its
 * system as the world is now, or was dropped. */
static bool prepare(Pass *pass, double dt, uint64_t runs) {
  for (uint32_t k = 0; k < pass->count; k++) {
    PassProgram *run = &pass->programs[k];
    Member *member = &pass->members[k];
    Program *program = member->program;
    if (!is_there(program) || run->program != program->native) return false;
    run->left_out = is_left_out(member);
    if (run->left_out) continue;
    if (!bind_program_is_known(program)) return false;
    for (uint32_t u = 0; u < program->uniform_count; u++)
      if (member->is_dt[u]) member->uniforms[u] = dt;
    bind_program_call(program, runs, &run->call);
    run->call.uniforms = member->uniforms;
  }
  return true;
}

/* Runs the programs; they are prepared. Sets *drawn where a row has drawn a
 * number, and on failure *failed to the index of a member. */
static ecs_Status run_all(Pass *pass, bool *drawn, uint32_t *failed) {
  ecs_Status status = ecs_pass_run(pass->programs, pass->count, failed);
  uint32_t done = status == ECS_OK ? pass->count : *failed;
  for (uint32_t k = 0; k < pass->count && k <= done; k++) {
    pass->members[k].frames += !pass->members[k].off;
    pass->members[k].ran += !pass->programs[k].left_out;
  }
  for (uint32_t k = 0; k < done; k++) {
    if (pass->programs[k].left_out) continue;
    RunEnd end = bind_program_end(pass->members[k].program);
    pass->members[k].idle = end.idle;
    *drawn = *drawn || end.drawn;
  }
  return status;
}

/* Pushes what run_pass returns where a member has failed; how many these are. */
static int push_failure(lua_State *L, ecs_Status status, uint32_t failed,
                        bool drawn) {
  compat_push_private(L, 1);
  lua_rawgeti(L, -1, program_slot(failed));
  bind_program_push_failure(L, lua_gettop(L), status);
  lua_pushnil(L);
  lua_insert(L, -2);
  compat_push_whole(L, failed + 1);
  lua_pushboolean(L, drawn);
  return 4;
}

/* run_pass(pass, dt, runs): true, and whether a row has drawn a number; false,
 * where nothing was run, and the number of the member that has to read anew, or
 * 0 where each has to run by itself; nil, a message, the number of the member
 * that has failed, and whether a row before it has drawn a number. runs: as for
 * run_program. */
static int run_pass(lua_State *L) {
  Pass *pass = check(L);
  double dt = (double)luaL_checknumber(L, 2);
  uint64_t runs = bind_whole_check(L, 3);
  bool drawn = false;
  uint32_t failed = 0, changed = find_changed(L, pass);
  if (changed > 0 || !prepare(pass, dt, runs)) {
    lua_pushboolean(L, 0);
    compat_push_whole(L, changed);
    return 2;
  }
  ecs_Status status = run_all(pass, &drawn, &failed);
  if (status != ECS_OK) return push_failure(L, status, failed, drawn);
  bind_tell(L, pass->members[0].program->query->world);
  lua_pushboolean(L, 1);
  lua_pushboolean(L, drawn);
  return 2;
}

/* pass_is_quiet(pass): does none of its members read anything outside? */
static int pass_is_quiet(lua_State *L) {
  lua_pushboolean(L, !check(L)->reads);
  return 1;
}

/* pass_hindrance(program): why a program cannot be in a pass; nil: it can. */
static int pass_hindrance(lua_State *L) {
  const Program *program = (const Program *)bind_find(L, 1, KIND_PROGRAM);
  luaL_argcheck(L, program, 1, "not a program");
  lua_pushstring(L, is_there(program) ? ecs_pass_hindrance(program->native)
                                      : "it is gone"); /* nil for NULL */
  return 1;
}

/* Functions that scripts/ecs/ffi calls directly; see programs_ffi.lua.
 *   run    as run_pass, for a pass that reads nothing outside: 1, and 4 more
 *          where a row has drawn a number; 0: nothing was run, and run_pass says
 *          why; below 0: failed, see pass_failure */
typedef struct PassCalls {
  int32_t (*run)(Pass *, double, double);
} PassCalls;

#define FAILED_MEMBER 256
#define FAILED_DRAWN 65536

static int32_t quick_run(Pass *pass, double dt, double runs) {
  bool drawn = false;
  uint32_t failed = 0;
  if (pass->reads || !(runs >= 0.0 && runs < 0x1p53) ||
      !prepare(pass, dt, (uint64_t)runs) ||
      *pass->members[0].program->query->world->noticed > 0)
    return 0;
  ecs_Status status = run_all(pass, &drawn, &failed);
  if (status == ECS_OK) return 1 + 4 * drawn;
  return -((int32_t)status + FAILED_MEMBER * (int32_t)failed +
           FAILED_DRAWN * drawn);
}

/* pass_calls(): a userdata with these functions, and its size. */
static int pass_calls(lua_State *L) {
  static const PassCalls calls = {quick_run};
  memcpy(lua_newuserdata(L, sizeof calls), &calls, sizeof calls);
  compat_push_whole(L, (double)sizeof calls);
  return 2;
}

/* pass_failure(pass, answer): what run_pass returns where it has failed, for an
 * answer below 0. */
static int pass_failure(lua_State *L) {
  const Pass *pass = check(L);
  uint64_t answer = bind_whole_check(L, 2);
  uint64_t status = answer % FAILED_MEMBER;
  uint64_t failed = answer % FAILED_DRAWN / FAILED_MEMBER;
  luaL_argcheck(L, status > 0 && status < ECS_STATUS_COUNT, 2, "no status");
  luaL_argcheck(L, failed < pass->count, 2, "no member");
  return push_failure(L, (ecs_Status)status, (uint32_t)failed,
                      answer >= FAILED_DRAWN);
}

static const luaL_Reg functions[] = {{"pass", pass_create},
                                     {"pass_values", pass_values},
                                     {"pass_enable", pass_enable},
                                     {"pass_idle", pass_idle},
                                     {"pass_taken", pass_taken},
                                     {"run_pass", run_pass},
                                     {"pass_calls", pass_calls},
                                     {"pass_failure", pass_failure},
                                     {"pass_is_quiet", pass_is_quiet},
                                     {"pass_hindrance", pass_hindrance},
                                     {NULL, NULL}};

void bind_open_lua_pass(lua_State *L) { bind_add(L, functions); }
