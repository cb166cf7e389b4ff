/* measure.h: times two ways to do the same work and compares them fairly.
 *
 * A time alone means little, because machines are shared and clocks drift. So a
 * row of the table has two sides, what a user would write by hand in C and what
 * the library does, and both run alternately in one process:
 *
 *      calibrate -> check -> hand, ours, ours, hand, hand, ours ... -> check
 *                     |                                                  |
 *                 differ: abort                                  differ: abort
 *
 * - Both sides run the same number of iterations, so that their results can be
 *   compared: a check is a hash over every column. Checks are computed before
 *   the first timed repetition and after the last. If they differ, the program
 *   ends with a message, without a number.
 * - The table shows the median and the minimum over the repetitions, in
 *   nanoseconds per operation. The ratio is the median of the ratios of
 *   neighbouring repetitions, which cancels slow drift.
 * - The table starts with the instruction set and the bandwidth of a triad, so
 *   that numbers of different machines can be set side by side.
 *
 * Arguments of every program: --json (one line per result), --repetitions N,
 * and words of which one must occur in a row's name for it to run. --count runs
 * the library's side alone and marks one iteration of each row for callgrind:
 * tools/count_instructions turns it into a table that does not depend on what
 * else the machine does. --smoke makes worlds that ask measure_size small and
 * runs every side a few times: the results are checked, the times mean nothing.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One way to do the work. */
typedef struct MeasureSide {
  void *state; /* passed to the three functions; belongs to the benchmark */
  /* Called before every repetition, untimed. A row in which either side has
   * this function runs one iteration per repetition. NULL: nothing to do. */
  void (*prepare)(void *state);
  void (*run)(void *state, uint32_t iterations); /* timed; NULL: no such side */
  uint64_t (*check)(void *state); /* a hash of the results of the runs */
} MeasureSide;

/* A line of the table. */
typedef struct MeasureRow {
  const char *name;
  const char *order;   /* of accesses to entities: "in order", ... */
  const char *memory;  /* "warm": used before; "cold": fresh from the system */
  uint32_t size;       /* entities in the world */
  uint32_t most;       /* repetitions at most; 0: as many as are asked for */
  uint64_t operations; /* per iteration; times are divided by this number */
  MeasureSide hand;    /* the baseline; all zero: no baseline */
  MeasureSide ours;
  uint64_t expected;      /* the check of ours when there is no baseline */
  double aim_ratio;       /* at most this multiple of the baseline; 0: no aim */
  double aim_nanoseconds; /* at most this per operation; 0: no aim */
} MeasureRow;

/* Reads the arguments, measures the machine and prints the head of the table.
 * Ends the program on an unknown argument. */
void measure_open(int argument_count, char **arguments, const char *title);

/* Will a row of this name run? For skipping an expensive set-up. */
bool measure_wanted(const char *name);

/* The number of entities to run with instead of size: size itself, and with
 * --smoke a few hundred at most. */
uint32_t measure_size(uint32_t size);

/* Are instructions counted, under callgrind, where a million entities take
 * minutes? */
bool measure_counts(void);

/* The processor time of this thread in nanoseconds, for values that are
 * derived from times. */
double measure_clock(void);

/* Measures and prints one row. Aborts when a check fails. */
void measure_row(const MeasureRow *row);

/* The least times of the row that was measured last, in nanoseconds per
 * operation; 0 for a side that it does not have or that did not run. */
typedef struct MeasureLeast {
  double hand, ours;
} MeasureLeast;
MeasureLeast measure_least(void);

/* Prints a number that is not a time, such as bytes per entity. The aim is met
 * by a value of at most aim; 0: no aim. */
void measure_value(const char *name, const char *condition, uint32_t size,
                   const char *unit, double value, double aim);

/* Prints how many aims were met. */
void measure_close(void);

/* Ends the program with a message. */
__attribute__((noreturn, cold)) void measure_fail(const char *name,
                                                  const char *what);

/* The sum of one hash per row over all its columns. It changes when values swap
 * columns or rows, and does not depend on the order of rows. */
uint64_t measure_hash(const float *const *columns, uint32_t column_count,
                      uint32_t count);

/* Mixes a value into a hash; the order of values matters. */
uint64_t measure_mix(uint64_t hash, uint64_t value);

/* A permutation of 0 .. count - 1, the same in every run. */
void measure_shuffle(uint32_t *numbers, uint32_t count, uint64_t seed);

/* The next number of a fixed sequence; *seed is its state. */
uint64_t measure_random(uint64_t *seed);

#endif
