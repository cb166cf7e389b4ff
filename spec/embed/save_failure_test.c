/* save_failure_test.c: a save where a call of the system fails.
 *
 * The calls by which a file is written are defined here, in front of those of
 * the C library, and fail when they are told to. Whichever fails, the file is
 * the old one and that is reported, or it is the new one.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "host_fixture.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static uint32_t calls;   /* since the last save began */
static uint32_t fail_at; /* the call that fails; 0: none */
static char failed[16];  /* its name */

static bool fails(const char *name) {
  if (fail_at == 0 || ++calls != fail_at) return false;
  strcpy(failed, name);
  errno = ENOSPC;
  return true;
}

/* The function of the C library. */
#define NEXT(type, name) ((type)(uintptr_t)dlsym(RTLD_NEXT, name))

ssize_t write(int file, const void *bytes, size_t count) {
  if (fails("write")) return -1;
  /* Half of it is written, as may happen. */
  return NEXT(ssize_t(*)(int, const void *, size_t), "write")(
      file, bytes, file > 2 && fail_at != 0 && count > 1 ? count / 2 : count);
}

int fsync(int file) {
  return fails("fsync") ? -1 : NEXT(int (*)(int), "fsync")(file);
}

int ftruncate(int file, off_t size) {
  return fails("ftruncate")
             ? -1
             : NEXT(int (*)(int, off_t), "ftruncate")(file, size);
}

int flock(int file, int how) {
  return fails("flock") ? -1 : NEXT(int (*)(int, int), "flock")(file, how);
}

int rename(const char *from, const char *to) {
  return fails("rename")
             ? -1
             : NEXT(int (*)(const char *, const char *), "rename")(from, to);
}

int open(const char *path, int how, ...) {
  return fails("open")
             ? -1
             : NEXT(int (*)(const char *, int, int), "open")(path, how, 0666);
}

/* Puts the bytes of the file, and "": there is none. */
static size_t read_file(const char *path, char *bytes, size_t room) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 0;
  size_t count = fread(bytes, 1, room, file);
  (void)fclose(file);
  return count;
}

/* Saves where one call fails. Returns whether that was reported. */
static bool save_is_refused(lua_State *L, uint32_t nth) {
  calls = 0;
  failed[0] = 0;
  assert_int_equal(luaL_loadstring(L, "return world:save(path)"), 0);
  fail_at = nth;
  int status = lua_pcall(L, 0, 2, 0);
  fail_at = 0;
  assert_int_equal(status, 0);
  bool refused = lua_isnil(L, -2);
  if (refused) assert_non_null(strstr(lua_tostring(L, -1), strerror(ENOSPC)));
  if (!refused) assert_true(lua_toboolean(L, -2));
  lua_pop(L, 2);
  return refused;
}

static void a_save_is_the_old_one_or_the_new_one(void **unused) {
  (void)unused;
  static char before[65536], after[65536];
  char path[] = "/tmp/ecs_save_XXXXXX", fresh[40];
  Fixture fixture;
  uint32_t refusals = 0, nth = 0;
  bool met = true;
  start(&fixture);
  share(fixture.L, fixture.world);
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  snprintf(fresh, sizeof fresh, "%s.new", path);
  lua_pushstring(fixture.L, path);
  lua_setglobal(fixture.L, "path");
  run(fixture.L,
      "local Position = require 'ecs'.component 'Position' "
      "for k = 1, 500 do world:spawn(Position { x = k }) end "
      "assert(world:save(path))");
  while (met) {
    size_t old = read_file(path, before, sizeof before);
    run(fixture.L, "world:spawn()");
    bool refused = save_is_refused(fixture.L, ++nth);
    met = failed[0] != 0;
    size_t now = read_file(path, after, sizeof after);
    assert_true(now > 0 && now < sizeof after);
    bool same = old == now && memcmp(before, after, old) == 0;
    assert_true(same == refused);
    refusals += refused;
    /* What could not be locked may be of another process. */
    if (refused && strcmp(failed, "flock") != 0)
      assert_int_equal(access(fresh, F_OK), -1);
    run(fixture.L, "assert(world:load(path))");
  }
  assert_true(refusals > 6);
  unlink(path);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_save_is_the_old_one_or_the_new_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
