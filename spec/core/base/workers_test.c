/* workers_test.c: every unit of a loop is run once, by any worker. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/platform.h"
#include "base/workers.h"
#include "test_case.h"

#if defined(__linux__)
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#define UNITS 300u

/* What a loop does: counts units, and whether two workers with one number meet.
 */
typedef struct Work {
  uint32_t times[UNITS];
  _Atomic bool busy[WORKERS_LIMIT];
  _Atomic uint32_t meetings;
  _Atomic uint32_t helped; /* units that helpers ran */
  _Atomic uint32_t first;  /* the caller waits in its first unit for these */
} Work;

static void count_unit(void *user, uint32_t worker, uint32_t unit) {
  Work *work = user;
  if (atomic_exchange(&work->busy[worker], true))
    atomic_fetch_add(&work->meetings, 1);
  work->times[unit]++;
  if (worker > 0) atomic_fetch_add(&work->helped, 1);
  while (worker == 0 && atomic_load(&work->helped) < atomic_load(&work->first))
    platform_yield();
  atomic_store(&work->busy[worker], false);
}

static void check_once(const Work *work, uint32_t units) {
  for (uint32_t k = 0; k < UNITS; k++)
    assert_int_equal(work->times[k], k < units);
  assert_int_equal(work->meetings, 0);
}

TEST(every_unit_is_run_once) {
  for (uint32_t threads = 2; threads <= 5; threads++) {
    workers_keep(threads);
    for (uint32_t units = 2; units <= UNITS; units += 1 + units / 3) {
      Work work = {.first = 0};
      assert_true(workers_run(threads, units, count_unit, &work));
      check_once(&work, units);
    }
    workers_drop();
  }
}

/* The caller's first unit does not end before a helper has run one. */
TEST(helpers_help) {
  workers_keep(2);
  assert_int_equal(workers_count(8), 2);
  for (uint32_t k = 0; k < 20; k++) {
    Work work = {.first = 1};
    assert_true(workers_run(2, 8, count_unit, &work));
    check_once(&work, 8);
    assert_true(work.helped >= 1);
  }
  workers_drop();
}

TEST(no_more_helpers_than_asked_for) {
  workers_keep(6);
  for (uint32_t k = 0; k < 50; k++) {
    Work work = {.first = 0};
    assert_true(workers_run(3, UNITS, count_unit, &work));
    check_once(&work, UNITS);
    for (uint32_t w = 3; w < WORKERS_LIMIT; w++) assert_false(work.busy[w]);
  }
  workers_drop();
}

TEST(without_helpers_the_caller_does_it_all) {
  Work work = {.first = 0};
  assert_int_equal(workers_count(4), 1);
  assert_false(workers_run(4, 8, count_unit, &work));
  workers_keep(1);
  assert_false(workers_run(4, 8, count_unit, &work));
  workers_drop();
  workers_keep(4);
  assert_false(workers_run(1, 8, count_unit, &work));
  assert_false(workers_run(4, 1, count_unit, &work));
  assert_false(workers_run(4, 0, count_unit, &work));
  workers_drop();
  check_once(&work, 0);
}

/* A loop inside a loop, as where a kernel of another world is run. */
static void run_inner(void *user, uint32_t worker, uint32_t unit) {
  Work inner = {.first = 0};
  if (!workers_run(2, 4, count_unit, &inner)) count_unit(user, worker, unit);
}

TEST(a_loop_inside_a_loop_has_no_helpers) {
  Work work = {.first = 0};
  workers_keep(2);
  assert_true(workers_run(2, 16, run_inner, &work));
  check_once(&work, 16);
  workers_drop();
}

/* Loops of several callers at a time. */
static void call_often(void *user) {
  uint32_t *wrong = user;
  for (uint32_t k = 0; k < 200; k++) {
    Work work = {.first = 0};
    workers_keep(2 + k % 3);
    if (workers_run(3, 9, count_unit, &work))
      for (uint32_t unit = 0; unit < 9; unit++) *wrong += work.times[unit] != 1;
    workers_drop();
  }
}

TEST(any_thread_may_call) {
  PlatformThread threads[3];
  uint32_t wrong[3] = {0};
  for (uint32_t k = 0; k < 3; k++)
    assert_true(platform_thread_start(&threads[k], call_often, &wrong[k]));
  for (uint32_t k = 0; k < 3; k++) platform_thread_join(&threads[k]);
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(wrong[k], 0);
  assert_int_equal(workers_count(4), 1);
}

#if defined(__linux__)

/* Those of the process, this one among them. */
static uint32_t count_threads(void) {
  uint32_t count = 0;
  DIR *tasks = opendir("/proc/self/task");
  assert_non_null(tasks);
  for (struct dirent *task; (task = readdir(tasks)) != NULL;)
    count += task->d_name[0] != '.';
  closedir(tasks);
  return count;
}

TEST(the_last_one_ends_the_threads) {
  uint32_t before = count_threads();
  workers_keep(4);
  workers_keep(2);
  assert_int_equal(count_threads(), before + 3);
  workers_drop();
  assert_int_equal(count_threads(), before + 3);
  workers_drop();
  assert_int_equal(count_threads(), before);
}

/* What was kept in the parent is dropped in the child without waiting.
 * (ThreadSanitizer cannot follow a process with threads that forks.) */
#ifdef __SANITIZE_THREAD__
#define FORKS 0
#else
#define FORKS 1
#endif

static int live_on(void) {
  Work work = {.first = 0};
  if (workers_run(4, 8, count_unit, &work)) return 1;
  workers_keep(2);
  if (!workers_run(2, 8, count_unit, &work)) return 2;
  for (uint32_t k = 0; k < 8; k++)
    if (work.times[k] != 1) return 3;
  workers_drop();
  workers_drop();
  return 0;
}

TEST(a_forked_process_has_threads_of_its_own) {
  Work work = {.first = 0};
  int status = -1;
  if (!FORKS) skip();
  workers_keep(4);
  assert_true(workers_run(4, 8, count_unit, &work));
  pid_t child = fork();
  if (child == 0) _exit(live_on());
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_true(workers_run(4, 8, count_unit, &work));
  workers_drop();
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_unit_is_run_once),
    cmocka_unit_test(helpers_help),
    cmocka_unit_test(no_more_helpers_than_asked_for),
    cmocka_unit_test(without_helpers_the_caller_does_it_all),
    cmocka_unit_test(a_loop_inside_a_loop_has_no_helpers),
    cmocka_unit_test(any_thread_may_call),
#if defined(__linux__)
    cmocka_unit_test(the_last_one_ends_the_threads),
    cmocka_unit_test(a_forked_process_has_threads_of_its_own),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
