/* workers.h: threads that help with a loop.
 *
 * The process has one pool of threads for all worlds. A loop is cut into units;
 * the calling thread, worker 0, takes them from the front and its helpers from
 * the back, so no thread waits for a unit that was not begun, and a thread that
 * is done goes on into the rest:
 *
 *      units    0  1  2  3  4  5  6  7
 *      worker   0->            <-1
 *
 * What units write must not meet. Units of a helper end before workers_run
 * returns, and what they have written is seen behind it. A helper waits for the
 * next loop a short while and then sleeps. Where a helper has kept the caller
 * waiting, because another process has its processor, the next loops are run by
 * the caller alone, twice as many each time.
 *
 * All functions may be called by any thread.
 */
#ifndef ECS_WORKERS_H
#define ECS_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"

/* The most threads of a loop, the caller among them, and the most units. */
#define WORKERS_LIMIT 64u
#define WORKERS_UNITS 0xffffu

/* Runs a unit as one of the workers, of which no two have the same number at a
 * time. */
typedef void WorkersJob(void *user, uint32_t worker, uint32_t unit);

/* The rows of a unit, a multiple of `least`: so many rows have at most 16 units.
 */
static inline uint64_t workers_unit_rows(uint64_t rows, uint64_t least) {
  uint64_t units = (rows + least - 1) / least;
  return (units + 15) / 16 * least;
}

/* How many units of so many rows there are. */
static inline uint32_t workers_units(uint64_t rows, uint64_t unit_rows) {
  return (uint32_t)((rows + unit_rows - 1) / unit_rows);
}

/* Has the pool grow to so many threads, callers counted (1 to WORKERS_LIMIT), or
 * as many as the system gives. To be paired with workers_drop. Cost: starts
 * threads. */
ECS_INTERNAL void workers_keep(uint32_t threads);

/* The last one ends the threads of the pool, and waits for that. */
ECS_INTERNAL void workers_drop(void);

/* Runs all units with at most so many threads. False: none was run, because there
 * are no helpers for now; the caller does it all. Cost beside the units: less
 * than a microsecond; some more where helpers sleep. */
ECS_INTERNAL bool workers_run(uint32_t threads, uint32_t units, WorkersJob *run,
                              void *user);

/* How many threads would run a loop that asks for so many. */
ECS_INTERNAL uint32_t workers_count(uint32_t threads);

#endif
