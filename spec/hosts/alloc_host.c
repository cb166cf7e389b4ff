/* alloc_host.c: runs a program while Lua's own allocator fails.
 *
 *   alloc_host smoke.lua once|onward|fresh STEP PATH CPATH
 *
 * The program runs again and again. In the first round the first allocation
 * fails, in the next the one STEP later, and so on, until a round reaches the
 * end of the program. In the mode "onward" all later allocations fail, too:
 *
 *      request        1   2   3   4   5
 *      once, k = 3    .   .   X   .   .
 *      onward, k = 3  .   .   X   X   X
 *
 * In both modes many rounds share a Lua state, and the library is loaded before
 * the first of them. The mode "fresh" is "once" with a state for each round,
 * and loading the library can fail, too. After each round the allocator works
 * again and the state must be usable: see aftermath in smoke.lua. A state that
 * is closed must free all that it allocated.
 *
 * Blocks that grow always move, and freed memory is overwritten. On LuaJIT the
 * compiler is off and its ffi is loaded first, since neither the compiler nor
 * the loading survives a failed allocation.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if LUA_VERSION_NUM < 502
#include <luajit.h>
#endif

/* A state is closed, and the next one opened, after this many failures. */
#define RENEWED 50
/* A program that allocates less often than this has not done its work. */
#define FEWEST 1000

typedef struct Memory {
  unsigned long blocks; /* live */
  unsigned long requests, fail_at, failures;
  int onward;
} Memory;

static int refuses(Memory *memory) {
  memory->requests++;
  if (memory->fail_at == 0 || memory->requests < memory->fail_at) return 0;
  if (!memory->onward && memory->requests > memory->fail_at) return 0;
  memory->failures++;
  return 1;
}

static void release(Memory *memory, void *block, size_t bytes) {
  if (!block) return;
  memset(block, 0xa5, bytes);
  free(block);
  memory->blocks--;
}

/* lua_Alloc. A block that shrinks stays: Lua 5.4 takes that for granted. */
static void *allocate(void *user, void *block, size_t old, size_t bytes) {
  Memory *memory = user;
  if (!block) old = 0; /* Lua passes a type */
  if (bytes == 0) {
    release(memory, block, old);
    return NULL;
  }
  if (block && bytes <= old) return block;
  if (refuses(memory)) return NULL;
  void *moved = malloc(bytes);
  if (!moved) return NULL;
  if (block) memcpy(moved, block, old);
  memory->blocks++;
  release(memory, block, old);
  return moved;
}

/* Arguments of the functions that run protected. */
typedef struct Task {
  const char *script, *path, *cpath;
  unsigned long step;
  int loads;           /* the program loads the library */
  unsigned long round; /* counts runs of the program */
} Task;

static void set_path(lua_State *L, const char *name, const char *value) {
  lua_getglobal(L, "package");
  lua_pushstring(L, value);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

static void require(lua_State *L, const char *name) {
  lua_getglobal(L, "require");
  lua_pushstring(L, name);
  lua_call(L, 1, 0);
}

/* If the first large buffer of Lua 5.4 fails half way, later ones fail for
 * ever: so one is made before any allocation fails. */
static void use_buffer(lua_State *L) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (int k = 0; k < 20000; k++) luaL_addchar(&buffer, 'x');
  luaL_pushresult(&buffer);
  lua_pop(L, 1);
}

/* Loads the script, which returns the globals program and aftermath. */
static int prepare(lua_State *L) {
  const Task *task = lua_touserdata(L, 1);
  luaL_openlibs(L);
  use_buffer(L);
#if LUA_VERSION_NUM < 502
  luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
#endif
  set_path(L, "path", task->path);
  set_path(L, "cpath", task->cpath);
#if LUA_VERSION_NUM < 502
  require(L, "ffi");
  require(L, "ecs.ffi.cdef");
#endif
  if (!task->loads) require(L, "ecs");
  if (luaL_loadfile(L, task->script)) return lua_error(L);
  lua_call(L, 0, 2);
  lua_setglobal(L, "aftermath");
  lua_setglobal(L, "program");
  return 0;
}

static int run_program(lua_State *L) {
  const Task *task = lua_touserdata(L, 1);
  lua_getglobal(L, "program");
  lua_pushinteger(L, (lua_Integer)task->round);
  lua_call(L, 1, 0);
  return 0;
}

static int run_aftermath(lua_State *L) {
  lua_getglobal(L, "aftermath");
  lua_call(L, 0, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

static int run_protected(lua_State *L, lua_CFunction function, Task *task) {
#if LUA_VERSION_NUM < 502
  return lua_cpcall(L, function, task); /* pushing a function allocates */
#else
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, task);
  return lua_pcall(L, 1, 0, 0);
#endif
}

static void fail(lua_State *L, const char *step, unsigned long k) {
  const char *text = lua_tostring(L, -1);
  printf("not ok %s, allocation %lu: %s\n", step, k, text ? text : "?");
  exit(1);
}

static lua_State *open_state(Memory *memory, Task *task) {
  lua_State *L = lua_newstate(allocate, memory);
  if (!L) exit(2);
  if (run_protected(L, prepare, task)) fail(L, "preparing", 0);
  return L;
}

static void close_state(lua_State *L, const Memory *memory) {
  lua_close(L);
  if (memory->blocks == 0) return;
  printf("not ok closed: %lu blocks are left\n", memory->blocks);
  exit(1);
}

/* Runs the program while allocation k fails. False when there were fewer. */
static int fail_at(lua_State *L, Memory *memory, Task *task, unsigned long k) {
  task->round++;
  memory->requests = 0;
  memory->failures = 0;
  memory->fail_at = k;
  int failed = run_protected(L, run_program, task);
  memory->fail_at = 0;
  if (memory->failures == 0 && failed) fail(L, "nothing failed", k);
  lua_settop(L, 0);
  if (run_protected(L, run_aftermath, task)) fail(L, "aftermath", k);
  return memory->failures > 0;
}

static unsigned long run_mode(Task *task, int onward) {
  Memory memory = {.onward = onward};
  unsigned long k = 1, failures = 0;
  lua_State *L = open_state(&memory, task);
  for (; fail_at(L, &memory, task, k); k += task->step) {
    failures++;
    if (!task->loads && failures % RENEWED) continue;
    close_state(L, &memory);
    L = open_state(&memory, task);
  }
  close_state(L, &memory);
  return failures;
}

int main(int count, char **arguments) {
  if (count != 6) return 2;
  Task task = {.script = arguments[1],
               .step = strtoul(arguments[3], NULL, 10),
               .path = arguments[4],
               .cpath = arguments[5],
               .loads = strcmp(arguments[2], "fresh") == 0};
  if (task.step == 0) return 2;
  unsigned long failures = run_mode(&task, strcmp(arguments[2], "onward") == 0);
  if (failures * task.step < FEWEST) {
    printf("not ok %s: %lu allocations in all\n", arguments[2],
           failures * task.step);
    return 2;
  }
  printf("ok %s: %lu allocations failed\n", arguments[2], failures);
  return 0;
}
