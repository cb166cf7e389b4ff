/* model_test.c: random programs on real worlds and on a naive one.
 *
 * Every program runs in a child process, so that a crash or an endless loop of
 * the core is found and shrunk like a wrong result. A failing program is made
 * smaller by removing halves, then quarters and so on. It is printed with the
 * seed and the failing step.
 *
 *      ECS_MODEL_OPERATIONS   how many steps in all; one million without it
 *      ECS_MODEL_SEED         the first program's seed; 1 without it
 *
 * The table at the end has, for each kind of step, how often it ran, and how
 * often with each status. A kind that never took effect fails the test too.
 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

#include "test_case.h"

#ifdef ECS_TINY
#define PROGRAM_STEPS 400u /* a world's handles last for about that many */
#else
#define PROGRAM_STEPS 4000u
#endif
#define PROGRAM_SECONDS 60u /* then it hangs */
#define SHRINK_TRIALS 1500u

static Report *report; /* of all programs; shared with the children */
static Report *trial;  /* of one run while shrinking */
static char failed_as[MESSAGE_BYTES]; /* the failure that is being shrunk */

static uint64_t number_from(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static Report *share_report(void) {
  void *memory = mmap(NULL, sizeof(Report), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(memory != MAP_FAILED);
  return memory;
}

/* cmocka catches signals and continues with the next test; a child must not. */
static const int caught[] = {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS};
#define CAUGHT_COUNT (sizeof caught / sizeof *caught)
static struct sigaction handlers[CAUGHT_COUNT];

static void keep_handlers(void) {
  for (size_t i = 0; i < CAUGHT_COUNT; i++)
    sigaction(caught[i], NULL, &handlers[i]);
}

static void restore_handlers(void) {
  for (size_t i = 0; i < CAUGHT_COUNT; i++)
    sigaction(caught[i], &handlers[i], NULL);
}

/* Running ----------------------------------------------------------------- */

static void silence(void) {
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere < 0) return;
  dup2(nowhere, 1);
  dup2(nowhere, 2);
}

/* True: the program ran to its end. Otherwise the report has the reason. */
static bool run_in_child(const Program *program, Report *into, bool quiet) {
  int status = 0;
  into->failed = false;
  into->message[0] = 0;
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    restore_handlers();
    if (quiet) silence();
    alarm(PROGRAM_SECONDS);
    run_program(program, into);
    exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  if (!into->failed)
    snprintf(into->message, MESSAGE_BYTES, "ended by %s %d",
             WIFSIGNALED(status) ? "signal" : "status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  into->failed = true;
  return false;
}

/* A program with another failure is not a smaller version of this one: the part
 * of the message with the condition must be the same. */
static bool fails_alike(const Program *program) {
  if (run_in_child(program, trial, true)) return false;
  const char *colon = strrchr(failed_as, ':');
  const size_t length =
      colon == NULL ? strlen(failed_as) : (size_t)(colon - failed_as);
  return strncmp(trial->message, failed_as, length) == 0;
}

static void show_failure(Program *program, uint64_t seed) {
  printf("program %llu fails in step %u: %s\n", (unsigned long long)seed,
         report->step, report->message);
  memcpy(failed_as, report->message, MESSAGE_BYTES);
  if (report->step + 1 < program->count) program->count = report->step + 1;
  if (!fails_alike(program)) {
    printf("cut off there, it does not fail: it needs its end\n");
    return;
  }
  program_shrink(program, fails_alike, SHRINK_TRIALS);
  run_in_child(program, trial, false);
  printf("shrunk to %u steps, which fail so: %s\n", program->count,
         trial->message);
  program_print(program);
}

/* Telling ----------------------------------------------------------------- */

static void print_table(uint64_t steps) {
  printf("%-20s %10s  statuses\n", "step", "ran");
  for (uint32_t k = 0; k < STEP_COUNT; k++) {
    printf("%-20s %10llu ", step_name((StepKind)k),
           (unsigned long long)report->done[k]);
    for (uint32_t s = 0; s < ECS_STATUS_COUNT; s++) {
      if (report->statuses[k][s] > 0)
        printf(" %s %llu", ecs_status_name((ecs_Status)s),
               (unsigned long long)report->statuses[k][s]);
    }
    printf("\n");
  }
  printf("%llu steps of %u kinds; %llu programs ended by a limit\n",
         (unsigned long long)steps, STEP_COUNT,
         (unsigned long long)report->stopped);
}

static uint64_t total(ecs_Status status) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < STEP_COUNT; k++) sum += report->statuses[k][status];
  return sum;
}

/* A test that could not have failed is none. */
static void assert_everything_happened(uint64_t steps) {
  static const ecs_Status seen[] = {ECS_OK,          ECS_E_DEAD,  ECS_E_ABSENT,
                                    ECS_E_COMPONENT, ECS_E_FIELD, ECS_E_VALUE,
                                    ECS_E_OPEN,      ECS_E_ACCESS};
  if (steps < 50000) return;
  for (uint32_t k = 0; k < STEP_COUNT; k++) {
    if (report->done[k] == 0) fail_msg("no step %s", step_name((StepKind)k));
  }
  for (uint32_t i = 0; i < sizeof seen / sizeof *seen; i++) {
    if (total(seen[i]) == 0) fail_msg("no %s", ecs_status_name(seen[i]));
  }
#ifdef ECS_TINY
  if (total(ECS_E_LIMIT) == 0) fail_msg("no limit was reached");
#endif
}

TEST(random_programs_agree_with_the_model) {
  const uint64_t wanted = number_from("ECS_MODEL_OPERATIONS", 1000000);
  uint64_t seed = number_from("ECS_MODEL_SEED", 1);
  uint64_t steps = 0;
  report = share_report();
  trial = share_report();
  for (; steps < wanted; seed++) {
    Program program = program_generate(seed, PROGRAM_STEPS);
    const bool fine = run_in_child(&program, report, false);
    steps += report->step + 1;
    if (!fine) show_failure(&program, seed);
    program_free(&program);
    if (!fine) fail_msg("program %llu failed", (unsigned long long)seed);
  }
  print_table(steps);
  assert_everything_happened(steps);
}

int main(void) {
  keep_handlers();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs_agree_with_the_model),
  };
  return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
