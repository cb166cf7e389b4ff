/* measure.c: the clock, the repetitions and the table of measure.h.
 *
 * A repetition without preparation starts with an untimed run, so that each
 * side finds the caches as its own last run left them, not as the other side
 * did. The number of iterations per repetition is doubled until the clock's
 * resolution and the cost of reading it no longer matter. */
#define _POSIX_C_SOURCE 200809L
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif
#ifndef CALLGRIND_DUMP_STATS_AT /* --count then counts nothing */
#define CALLGRIND_START_INSTRUMENTATION (void)0
#define CALLGRIND_STOP_INSTRUMENTATION (void)0
#define CALLGRIND_DUMP_STATS_AT(name) (void)(name)
#endif

#include "baseline/loops.h"

/* Enough for a steady median; odd, so that the median is one of them. */
#define DEFAULT_REPETITIONS 21u
#define MOST_REPETITIONS 1001u

#define SMOKE_SIZE 300u

/* A repetition lasts at least this long: a thousand times what reading the
 * clock costs. */
#define LEAST_NANOSECONDS 200000.0

/* The arguments of the program, and its results so far. */
static struct {
  const char *title;
  const char *instruction_set;
  double triad;
  char **words;
  int word_count;
  uint32_t repetitions;
  uint32_t aims;
  uint32_t aims_met;
  MeasureLeast least; /* of the row that was measured last */
  bool json;
  bool smoke; /* small worlds, one repetition */
  bool count; /* instructions, under callgrind, instead of times */
} report;

/* Times of one side, in nanoseconds per operation. */
typedef struct Times {
  double each[MOST_REPETITIONS];
  double median;
  double least;
} Times;

void measure_fail(const char *name, const char *what) {
  fflush(stdout);
  fprintf(stderr, "%s: %s\n", name, what);
  exit(1);
}

/* Checks ------------------------------------------------------------------ */

uint64_t measure_mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

uint64_t measure_hash(const float *const *columns, uint32_t column_count,
                      uint32_t count) {
  uint64_t sum = 0;
  for (uint32_t row = 0; row < count; row++) {
    uint64_t hash = column_count;
    for (uint32_t k = 0; k < column_count; k++) {
      uint32_t bits;
      memcpy(&bits, &columns[k][row], sizeof bits);
      hash = measure_mix(hash, bits + 1u);
    }
    sum += hash;
  }
  return sum;
}

uint64_t measure_random(uint64_t *seed) {
  uint64_t number = *seed += 0x9e3779b97f4a7c15u;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
  number = (number ^ number >> 27) * 0x94d049bb133111ebu;
  return number ^ number >> 31;
}

void measure_shuffle(uint32_t *numbers, uint32_t count, uint64_t seed) {
  for (uint32_t k = 0; k < count; k++) numbers[k] = k;
  for (uint32_t k = count; k > 1; k--) {
    uint32_t other = (uint32_t)(measure_random(&seed) % k);
    uint32_t number = numbers[k - 1];
    numbers[k - 1] = numbers[other];
    numbers[other] = number;
  }
}

/* The clock --------------------------------------------------------------- */

/* The processor time of this thread, so that what else the machine does
 * meanwhile is not in it. */
double measure_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare_doubles(const void *left, const void *right) {
  double a = *(const double *)left;
  double b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Sorts a copy, because the order of repetitions pairs the two sides. */
static double median_of(const double *numbers, uint32_t count) {
  double sorted[MOST_REPETITIONS];
  memcpy(sorted, numbers, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_doubles);
  return sorted[count / 2];
}

static void summarize(Times *times, uint32_t count) {
  times->median = median_of(times->each, count);
  times->least = times->each[0];
  for (uint32_t k = 1; k < count; k++) {
    if (times->each[k] < times->least) times->least = times->each[k];
  }
}

/* Has either side a prepare function? Then both sides run one iteration per
 * repetition and none untimed, so that they do the same work. */
static bool is_prepared(const MeasureRow *row) {
  return row->ours.prepare != NULL || row->hand.prepare != NULL;
}

static double time_side(const MeasureSide *side, uint32_t iterations,
                        bool prepared) {
  if (side->prepare != NULL) side->prepare(side->state);
  if (!prepared) side->run(side->state, 1);
  double start = measure_clock();
  side->run(side->state, iterations);
  return measure_clock() - start;
}

static uint32_t repetitions_of(const MeasureRow *row) {
  bool fewer = row->most > 0 && row->most < report.repetitions;
  return fewer ? row->most : report.repetitions;
}

/* Turns ------------------------------------------------------------------- */

static void check_row(const MeasureRow *row) {
  uint64_t expected = row->expected;
  if (row->hand.run != NULL) expected = row->hand.check(row->hand.state);
  uint64_t found = row->ours.check(row->ours.state);
  if (found == expected) return;
  char text[120];
  snprintf(text, sizeof text,
           "size %u, %s: the results differ: %016llx, "
           "expected %016llx",
           row->size, row->order, (unsigned long long)found,
           (unsigned long long)expected);
  measure_fail(row->name, text);
}

/* The number of iterations of a repetition that is long enough, the same for
 * both sides. */
static uint32_t calibrate(const MeasureRow *row) {
  bool prepared = is_prepared(row);
  uint32_t iterations = 1;
  for (;;) {
    double longest = 0;
    if (row->hand.run != NULL) {
      longest = time_side(&row->hand, iterations, prepared);
    }
    double time = time_side(&row->ours, iterations, prepared);
    if (time > longest) longest = time;
    bool enough = longest >= LEAST_NANOSECONDS || report.smoke;
    if (prepared || enough) return iterations;
    iterations *= 2;
  }
}

static void repeat(const MeasureRow *row, uint32_t iterations, Times *hand,
                   Times *ours) {
  double divisor = (double)iterations * (double)row->operations;
  bool prepared = is_prepared(row);
  for (uint32_t k = 0; k < repetitions_of(row); k++) {
    bool hand_first = k % 2 == 0;
    for (int turn = 0; turn < 2; turn++) {
      bool is_hand = (turn == 0) == hand_first;
      const MeasureSide *side = is_hand ? &row->hand : &row->ours;
      if (side->run == NULL) continue;
      double *times = is_hand ? hand->each : ours->each;
      times[k] = time_side(side, iterations, prepared) / divisor;
    }
  }
}

/* The table --------------------------------------------------------------- */

static bool aim_met(bool met) {
  report.aims++;
  if (met) report.aims_met++;
  return met;
}

static void print_size(char *text, size_t capacity, uint32_t size) {
  if (size >= 1u << 20 && size % (1u << 20) == 0) {
    snprintf(text, capacity, "%uM", size >> 20);
  } else if (size >= 1u << 10 && size % (1u << 10) == 0) {
    snprintf(text, capacity, "%uk", size >> 10);
  } else {
    snprintf(text, capacity, "%u", size);
  }
}

/* Writes a number with 3 significant figures, or "-" for no number. */
static const char *figures(char *text, size_t capacity, double number) {
  const char *format = number < 9.995   ? "%.2f"
                       : number < 99.95 ? "%.1f"
                                        : "%.0f";
  if (number <= 0) format = "-";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
  snprintf(text, capacity, format, number);
#pragma GCC diagnostic pop
  return text;
}

static void print_row_json(const MeasureRow *row, uint32_t iterations,
                           const Times *hand, const Times *ours, double ratio) {
  printf(
      "{\"program\":\"%s\",\"name\":\"%s\",\"size\":%u,\"order\":\"%s\","
      "\"memory\":\"%s\",\"unit\":\"ns\",\"median\":%.4f,\"least\":%.4f,"
      "\"hand_median\":%.4f,\"hand_least\":%.4f,\"ratio\":%.4f,"
      "\"aim\":%g,\"aim_ratio\":%g,\"repetitions\":%u,\"iterations\":%u,"
      "\"instruction_set\":\"%s\",\"triad\":%.1f}\n",
      report.title, row->name, row->size, row->order, row->memory, ours->median,
      ours->least, hand->median, hand->least, ratio, row->aim_nanoseconds,
      row->aim_ratio, repetitions_of(row), iterations, report.instruction_set,
      report.triad);
}

static void print_row_text(const MeasureRow *row, const Times *hand,
                           const Times *ours, double ratio) {
  char size[16], a[16], b[16], c[16], d[16], r[16], aim[24] = "";
  const char *verdict = "";
  if (row->aim_ratio > 0) {
    snprintf(aim, sizeof aim, "<= %.2fx", row->aim_ratio);
    verdict = aim_met(ratio <= row->aim_ratio) ? "met" : "MISSED";
  } else if (row->aim_nanoseconds > 0) {
    snprintf(aim, sizeof aim, "<= %g", row->aim_nanoseconds);
    verdict = aim_met(ours->median <= row->aim_nanoseconds) ? "met" : "MISSED";
  }
  print_size(size, sizeof size, row->size);
  printf("%-38s %5s %-8s %-4s %6s %6s %6s %6s %6s %-8s %s\n", row->name, size,
         row->order, row->memory, figures(a, sizeof a, hand->median),
         figures(b, sizeof b, hand->least), figures(c, sizeof c, ours->median),
         figures(d, sizeof d, ours->least), figures(r, sizeof r, ratio), aim,
         verdict);
}

/* Counting ---------------------------------------------------------------- */

/* A dump of callgrind for one iteration of ours, after two that warm up. Its
 * name is the row's; tools/count_instructions reads it. */
static void count_row(const MeasureRow *row) {
  char name[200];
  const MeasureSide *side = &row->ours;
  snprintf(name, sizeof name, "%s | %s | %u | %s | %s", report.title, row->name,
           row->size, row->order, row->memory);
  for (int k = 0; k < 3; k++) {
    if (side->prepare != NULL) side->prepare(side->state);
    if (k == 2) CALLGRIND_START_INSTRUMENTATION;
    side->run(side->state, 1);
  }
  CALLGRIND_STOP_INSTRUMENTATION;
  CALLGRIND_DUMP_STATS_AT(name);
}

MeasureLeast measure_least(void) { return report.least; }

void measure_row(const MeasureRow *row) {
  report.least = (MeasureLeast){0};
  if (!measure_wanted(row->name)) return;
  if (report.count) {
    count_row(row);
    return;
  }
  static Times hand, ours;
  static double ratios[MOST_REPETITIONS];
  memset(&hand, 0, sizeof hand);
  uint32_t iterations = calibrate(row);
  check_row(row);
  repeat(row, iterations, &hand, &ours);
  check_row(row);
  uint32_t count = repetitions_of(row);
  summarize(&ours, count);
  double ratio = 0;
  report.least = (MeasureLeast){.ours = ours.least};
  if (row->hand.run != NULL) {
    summarize(&hand, count);
    report.least.hand = hand.least;
    for (uint32_t k = 0; k < count; k++) {
      ratios[k] = ours.each[k] / hand.each[k];
    }
    ratio = median_of(ratios, count);
  }
  if (report.json) {
    print_row_json(row, iterations, &hand, &ours, ratio);
  } else {
    print_row_text(row, &hand, &ours, ratio);
  }
  fflush(stdout);
}

void measure_value(const char *name, const char *condition, uint32_t size,
                   const char *unit, double value, double aim) {
  if (!measure_wanted(name) || report.count) return;
  if (report.json) {
    printf(
        "{\"program\":\"%s\",\"name\":\"%s\",\"size\":%u,\"condition\":"
        "\"%s\",\"unit\":\"%s\",\"value\":%.4f,\"aim\":%g}\n",
        report.title, name, size, condition, unit, value, aim);
    return;
  }
  char limit[24] = "";
  const char *verdict = "";
  if (aim > 0) {
    snprintf(limit, sizeof limit, "<= %g", aim);
    verdict = aim_met(value <= aim) ? "met" : "MISSED";
  }
  printf("%-38s %8u %-22s %8.1f %-16s %-8s %s\n", name, size, condition, value,
         unit, limit, verdict);
}

/* The machine ------------------------------------------------------------- */

static const char *find_instruction_set(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
    return "AVX-512";
  }
  if (__builtin_cpu_supports("avx2")) return "AVX2";
  return "SSE2";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "unknown";
#endif
}

/* The instruction set that the loops of this program were compiled for, which
 * may be older than that of the machine. */
static const char *compiled_instruction_set(void) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#elif defined(__SSE2__)
  return "SSE2";
#elif defined(__ARM_NEON)
  return "NEON";
#else
  return "no vectors";
#endif
}

/* The bandwidth of a[i] = b[i] + s * c[i] in gigabytes per second, counting
 * three streams. */
static double measure_triad(void) {
  enum { COUNT = 65536, ROUNDS = 100, TRIES = 15 };
  float *memory = aligned_alloc(64, 3 * (COUNT + 80) * sizeof *memory);
  if (memory == NULL) measure_fail("triad", "no memory");
  float *a = memory, *b = a + COUNT + 80, *c = b + COUNT + 80;
  for (int k = 0; k < COUNT; k++) a[k] = 0, b[k] = 1, c[k] = (float)k;
  double best = 0;
  for (int attempt = 0; attempt < TRIES; attempt++) {
    double start = measure_clock();
    for (int k = 0; k < ROUNDS; k++) hand_triad(a, b, c, 0.5f, COUNT);
    double speed = 3.0 * COUNT * sizeof *a * ROUNDS / (measure_clock() - start);
    if (speed > best) best = speed;
  }
  for (int k = 0; k < COUNT; k++) {
    if (a[k] != 1 + 0.5f * (float)k) measure_fail("triad", "wrong result");
  }
  free(memory);
  return best;
}

/* Start and end ----------------------------------------------------------- */

static void read_arguments(int count, char **arguments) {
  report.repetitions = DEFAULT_REPETITIONS;
  report.words = malloc((size_t)count * sizeof *report.words);
  if (report.words == NULL) measure_fail("arguments", "no memory");
  for (int k = 1; k < count; k++) {
    const char *word = arguments[k];
    if (strcmp(word, "--json") == 0) {
      report.json = true;
    } else if (strcmp(word, "--count") == 0) {
      report.count = true;
    } else if (strcmp(word, "--smoke") == 0) {
      report.smoke = true;
      report.repetitions = 1;
    } else if (strcmp(word, "--repetitions") == 0 && k + 1 < count) {
      long number = strtol(arguments[++k], NULL, 10);
      if (number < 1 || number > (long)MOST_REPETITIONS) {
        measure_fail(word, "expects 1 to 1001");
      }
      report.repetitions = (uint32_t)number;
    } else if (word[0] == '-') {
      measure_fail(
          word,
          "not an option: --json, --count, --smoke, --repetitions N, words");
    } else {
      report.words[report.word_count++] = arguments[k];
    }
  }
}

void measure_open(int argument_count, char **arguments, const char *title) {
  read_arguments(argument_count, arguments);
  report.title = title;
  if (report.count) return;
  report.instruction_set = compiled_instruction_set();
  report.triad = measure_triad();
  if (report.json) return;
  printf(
      "%s: the machine has %s, loops are compiled for %s; triad over 64k "
      "floats %.1f GB/s\n",
      title, find_instruction_set(), report.instruction_set, report.triad);
  printf("ns per operation, median and least of %u; ratio: ecs to hand C\n\n",
         report.repetitions);
  printf("%-38s %5s %-8s %-4s %6s %6s %6s %6s %6s %-8s\n", "", "size", "order",
         "mem", "hand", "least", "ecs", "least", "ratio", "aim");
}

bool measure_counts(void) { return report.count; }

uint32_t measure_size(uint32_t size) {
  return report.smoke && size > SMOKE_SIZE ? SMOKE_SIZE : size;
}

bool measure_wanted(const char *name) {
  if (report.word_count == 0) return true;
  for (int k = 0; k < report.word_count; k++) {
    if (strstr(name, report.words[k]) != NULL) return true;
  }
  return false;
}

void measure_close(void) {
  if (!report.json && !report.count) {
    printf("\n%u of %u aims met\n\n", report.aims_met, report.aims);
  }
  free(report.words);
}
