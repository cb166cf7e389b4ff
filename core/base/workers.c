/* workers.c: threads that help with a loop. */
#include "base/workers.h"

#include <stdatomic.h>

#include "base/invariant.h"
#include "base/platform.h"

/* The units of the present loop that are not taken yet, in one word, so that one
 * exchange takes a unit:
 *
 *      bits 0-15 the first | 16-31 the one behind the last | 32-39 helpers
 *
 * A helper reads what the loop is only after it has taken a unit, and the loop
 * ends only when all units are done: so it does not matter if the helper has
 * looked at the word of an earlier loop. */
typedef uint64_t Untaken;

static inline Untaken untaken_make(uint32_t units, uint32_t helpers) {
  return (Untaken)units << 16 | (Untaken)helpers << 32;
}
static inline uint32_t untaken_first(Untaken untaken) {
  return untaken & 0xffffu;
}
static inline uint32_t untaken_end(Untaken untaken) {
  return (untaken >> 16) & 0xffffu;
}
static inline uint32_t untaken_helpers(Untaken untaken) {
  return (untaken >> 32) & 0xffu;
}

typedef struct Helper {
  PlatformThread thread;
  uint32_t number; /* of the worker, from 1 */
} Helper;

/* What threads write often lies on lines of its own. */
typedef struct Pool {
  _Alignas(ECS_LINE_BYTES) _Atomic Untaken untaken;
  _Alignas(ECS_LINE_BYTES) _Atomic uint32_t done; /* units of the loop */
  _Alignas(ECS_LINE_BYTES) _Atomic uint32_t sleepers;
  _Atomic bool ends;  /* helpers are to return */
  _Atomic bool taken; /* a thread runs a loop, or changes what follows */
  WorkersJob *run;
  void *user;
  _Atomic uint32_t helper_count; /* of threads that have been started */
  uint32_t keepers;
  uint32_t alone; /* so many of the next loops have no helpers */
  uint32_t next_alone;
  _Atomic uint64_t process; /* that has the threads; 0: none so far */
  PlatformBell bell;
  Helper helpers[WORKERS_LIMIT - 1];
} Pool;

static Pool pool = {.bell = PLATFORM_BELL};

/* The most loops that are run alone because helpers are late. */
#define MOST_ALONE 1024u

/* A helper looks so often for a loop before it sleeps: some 50 us. */
#define LOOKS_AWAKE 2000u

/* The caller looks so often for the end before it lets other threads run. */
#define LOOKS_ALERT 200u

/* Nanoseconds that may pass in addition to two units. */
#define LATE 50000u

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield" ::: "memory");
#endif
}

static bool try_take(void) {
  return !atomic_exchange_explicit(&pool.taken, true, memory_order_acquire);
}

static void take(void) {
  while (!try_take()) platform_yield();
}

static void give_back(void) {
  atomic_store_explicit(&pool.taken, false, memory_order_release);
}

/* Units ------------------------------------------------------------------- */

/* Takes a unit: a helper the last one, the caller (worker 0) the first. False:
 * there is none, or none for this helper. */
static bool take_unit(uint32_t worker, uint32_t *unit) {
  Untaken untaken = atomic_load_explicit(&pool.untaken, memory_order_acquire);
  for (;;) {
    if (untaken_first(untaken) >= untaken_end(untaken) ||
        worker > untaken_helpers(untaken))
      return false;
    Untaken left = worker == 0 ? untaken + 1 : untaken - (1u << 16);
    *unit = worker == 0 ? untaken_first(untaken) : untaken_end(untaken) - 1;
    if (atomic_compare_exchange_weak_explicit(&pool.untaken, &untaken, left,
                                              memory_order_acq_rel,
                                              memory_order_acquire))
      return true;
  }
}

static bool has_unit(uint32_t worker) {
  Untaken untaken = atomic_load(&pool.untaken);
  return untaken_first(untaken) < untaken_end(untaken) &&
         worker <= untaken_helpers(untaken);
}

/* Helpers ----------------------------------------------------------------- */

/* Sleeps until there may be a unit, or the end. A loop that was begun before this
 * counts as a sleeper is seen here; one that is begun later wakes it. */
static void sleep_well(uint32_t worker) {
  platform_bell_lock(&pool.bell);
  atomic_fetch_add(&pool.sleepers, 1);
  while (!has_unit(worker) && !atomic_load(&pool.ends))
    platform_bell_wait(&pool.bell);
  atomic_fetch_sub(&pool.sleepers, 1);
  platform_bell_unlock(&pool.bell);
}

static void help(void *user) {
  const uint32_t worker = ((const Helper *)user)->number;
  uint32_t looks = 0, unit;
  while (!atomic_load_explicit(&pool.ends, memory_order_acquire)) {
    if (take_unit(worker, &unit)) {
      pool.run(pool.user, worker, unit);
      atomic_fetch_add_explicit(&pool.done, 1, memory_order_release);
      looks = 0;
    } else if (++looks < LOOKS_AWAKE) {
      pause_briefly();
    } else {
      sleep_well(worker);
      looks = 0;
    }
  }
}

static void wake_all(void) {
  platform_bell_lock(&pool.bell);
  platform_bell_ring(&pool.bell);
  platform_bell_unlock(&pool.bell);
}

/* Starts helpers up to so many. */
static void start_helpers(uint32_t count) {
  while (pool.helper_count < count) {
    Helper *helper = &pool.helpers[pool.helper_count];
    helper->number = pool.helper_count + 1;
    if (!platform_thread_start(&helper->thread, help, helper)) return;
    pool.helper_count++;
  }
}

static void end_helpers(void) {
  atomic_store(&pool.ends, true);
  wake_all();
  for (uint32_t k = 0; k < pool.helper_count; k++)
    platform_thread_join(&pool.helpers[k].thread);
  atomic_store(&pool.ends, false);
  pool.helper_count = 0;
}

/* The helpers belong to the process that has started them. A process that was
 * forked has one thread and no helpers; what others have taken or locked is so
 * for ever. */
static void notice_fork(void) {
  uint64_t process = platform_process(), known = 0;
  if (atomic_compare_exchange_strong(&pool.process, &known, process) ||
      known == process)
    return;
  pool.helper_count = 0;
  pool.bell = (PlatformBell)PLATFORM_BELL;
  atomic_store(&pool.sleepers, 0);
  atomic_store(&pool.taken, false);
  atomic_store(&pool.process, process);
}

void workers_keep(uint32_t threads) {
  ECS_ASSERT(threads >= 1 && threads <= WORKERS_LIMIT);
  notice_fork();
  take();
  pool.keepers++;
  start_helpers(threads - 1);
  give_back();
}

void workers_drop(void) {
  notice_fork();
  take();
  ECS_ASSERT(pool.keepers > 0);
  if (--pool.keepers == 0) end_helpers();
  give_back();
}

uint32_t workers_count(uint32_t threads) {
  notice_fork();
  uint32_t most = atomic_load(&pool.helper_count) + 1;
  return threads < most ? threads : most;
}

/* Loops ------------------------------------------------------------------- */

/* Waits until all units are done. */
static void await(uint32_t units) {
  for (uint32_t looks = 0;
       atomic_load_explicit(&pool.done, memory_order_acquire) < units;)
    if (++looks < LOOKS_ALERT)
      pause_briefly();
    else
      platform_yield();
}

/* Runs units from the front, and returns how many. */
static uint32_t run_units(WorkersJob *run, void *user) {
  uint32_t count = 0, unit;
  for (; take_unit(0, &unit); count++) run(user, 0, unit);
  return count;
}

/* Plans how many loops to run alone: the caller's own units have taken so much
 * time, and then it has waited. */
static void judge(uint64_t worked, uint32_t units, uint64_t waited) {
  if (waited <= 2 * worked / (units + 1) + LATE) {
    pool.next_alone = 0;
    return;
  }
#ifdef ECS_CHECKED
  return; /* tests are to see threads, whatever else runs */
#endif
  pool.next_alone = pool.next_alone == 0 ? 1 : pool.next_alone * 2;
  if (pool.next_alone > MOST_ALONE) pool.next_alone = MOST_ALONE;
  pool.alone = pool.next_alone;
}

bool workers_run(uint32_t threads, uint32_t units, WorkersJob *run,
                 void *user) {
  ECS_ASSERT(units <= WORKERS_UNITS);
  if (threads < 2 || units < 2) return false;
  notice_fork();
  if (!try_take()) return false;
  uint32_t helpers =
      threads - 1 < pool.helper_count ? threads - 1 : pool.helper_count;
  if (helpers == 0 || pool.alone > 0) {
    pool.alone -= pool.alone > 0;
    give_back();
    return false;
  }
  uint64_t begun = platform_clock();
  pool.run = run;
  pool.user = user;
  atomic_store_explicit(&pool.done, 0, memory_order_relaxed);
  atomic_store(&pool.untaken, untaken_make(units, helpers));
  if (atomic_load(&pool.sleepers) > 0) wake_all();
  uint32_t own = run_units(run, user);
  uint64_t worked = platform_clock() - begun;
  await(units - own);
  judge(worked, own, platform_clock() - begun - worked);
  give_back();
  return true;
}
