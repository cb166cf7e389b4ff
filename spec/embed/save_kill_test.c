/* save_kill_test.c: a process that is killed while it saves.
 *
 * A child saves one state after the other into one file, and tells of each save
 * that is complete. It is killed at a random moment. Then the file is that of the
 * last save that it told of, or of the one behind: never a part of one.
 */
#define _GNU_SOURCE
#include "host_fixture.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Saves until it is killed. */
static void save_on(lua_State *L, int told) {
  for (uint32_t number = 1;; number++) {
    lua_pushnumber(L, number);
    lua_setglobal(L, "number");
    if (luaL_loadstring(L,
                        "world:set(counter, Position, 'x', number) "
                        "assert(world:save(path))") != 0 ||
        lua_pcall(L, 0, 0, 0) != 0)
      _exit(1);
    if (write(told, &number, sizeof number) != sizeof number) _exit(2);
  }
}

static void wait_for(uint32_t microseconds) {
  const struct timespec time = {0, (long)microseconds * 1000};
  (void)nanosleep(&time, NULL);
}

/* Starts a child, kills it, and returns the last number that it told of. */
static uint32_t kill_one(lua_State *L, uint32_t microseconds) {
  int told[2];
  uint32_t number = 0, last = 0;
  assert_int_equal(pipe(told), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    close(told[0]);
    save_on(L, told[1]);
  }
  close(told[1]);
  /* Not before it has saved once, however slow the machine is. */
  assert_int_equal(read(told[0], &last, sizeof last), sizeof last);
  wait_for(microseconds);
  assert_int_equal(kill(child, SIGKILL), 0);
  int how = 0;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
  while (read(told[0], &number, sizeof number) == sizeof number) last = number;
  close(told[0]);
  return last;
}

static void the_file_is_the_old_one_or_the_new_one(void **unused) {
  (void)unused;
  uint32_t kills = getenv("ECS_TEST_SHORT") != NULL ? 25 : 1000;
  char path[] = "/tmp/ecs_kill_XXXXXX", fresh[40];
  uint64_t random = 88172645463325252u;
  uint32_t late = 0;
  Fixture fixture;
  start(&fixture);
  share(fixture.L, fixture.world);
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  snprintf(fresh, sizeof fresh, "%s.new", path);
  lua_pushstring(fixture.L, path);
  lua_setglobal(fixture.L, "path");
  run(fixture.L,
      "Position = require 'ecs'.component 'Position' "
      "for k = 1, 3000 do counter = world:spawn(Position { x = k }) end");
  for (uint32_t i = 0; i < kills; i++) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    uint32_t last = kill_one(fixture.L, (uint32_t)(random >> 20) % 6000);
    lua_pushnumber(fixture.L, last);
    lua_setglobal(fixture.L, "last");
    run(fixture.L,
        "assert(world:load(path)) "
        "x = world:get(counter, Position, 'x') "
        "assert(x == last or x == last + 1, x .. ' not ' .. last)");
    late += access(fresh, F_OK) == 0;
  }
  print_message("%u kills, %u of them while a file was written\n", kills, late);
  assert_true(late > 0);
  unlink(path);
  unlink(fresh);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_file_is_the_old_one_or_the_new_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
