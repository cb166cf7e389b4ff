/* program.c: random programs for the model test, and how they shrink. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

static const char *const step_names[STEP_COUNT] = {
#define STEP_TEXT(name, weight) #name,
    STEP_LIST(STEP_TEXT)
#undef STEP_TEXT
};

static const uint32_t step_weights[STEP_COUNT] = {
#define STEP_WEIGHT(name, weight) weight,
    STEP_LIST(STEP_WEIGHT)
#undef STEP_WEIGHT
};

/* Numbers ----------------------------------------------------------------- */

Random random_make(uint64_t seed) {
  Random random = {seed * UINT64_C(0x9e3779b97f4a7c15) +
                   UINT64_C(0x7f4a7c15f39cc060)};
  if (random.state == 0) random.state = 1;
  random_next(&random);
  return random;
}

uint64_t random_next(Random *random) {
  uint64_t x = random->state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  random->state = x;
  x *= UINT64_C(0x2545f4914f6cdd1d);
  return x ^ x >> 29;
}

uint32_t random_below(Random *random, uint32_t limit) {
  return (uint32_t)((random_next(random) >> 32) * limit >> 32);
}

/* Generating -------------------------------------------------------------- */

const char *step_name(StepKind kind) { return step_names[kind]; }

static StepKind choose_kind(Random *random) {
  uint32_t total = 0;
  for (uint32_t i = 0; i < STEP_COUNT; i++) total += step_weights[i];
  uint32_t ticket = random_below(random, total);
  for (uint32_t i = 0; i < STEP_COUNT; i++) {
    if (ticket < step_weights[i]) return (StepKind)i;
    ticket -= step_weights[i];
  }
  return STEP_compare;
}

Program program_generate(uint64_t seed, uint32_t count) {
  Random random = random_make(seed);
  Program program = {.seed = random_next(&random), .count = count};
  program.large = random_below(&random, 12) == 0;
  program.twice = random_below(&random, 2) == 0;
  program.components = 5 + random_below(&random, ORACLE_COMPONENTS - 4);
  if (program.large) program.count = count / 8;
  program.steps = malloc((size_t)program.count * sizeof(Step));
  if (program.steps == NULL) abort();
  for (uint32_t i = 0; i < program.count; i++) {
    Step *step = &program.steps[i];
    /* Sometimes repeats the step before the last, so that what it cached is
     * used after the step between them has made the cache stale. */
    if (i >= 2 && random_below(&random, 6) == 0) {
      *step = program.steps[i - 2];
      step->seed = random_next(&random);
      continue;
    }
    step->kind = choose_kind(&random);
    step->a = (uint32_t)(random_next(&random) >> 32);
    step->b = (uint32_t)(random_next(&random) >> 32);
    step->c = (uint32_t)(random_next(&random) >> 32);
    step->seed = random_next(&random);
  }
  return program;
}

void program_free(Program *program) {
  free(program->steps);
  program->steps = NULL;
}

void program_print(const Program *program) {
  printf("program: seed %016llx, %u components%s%s, %u steps\n",
         (unsigned long long)program->seed, program->components,
         program->large ? ", large" : "", program->twice ? ", twice" : "",
         program->count);
  for (uint32_t i = 0; i < program->count; i++) {
    const Step *step = &program->steps[i];
    printf("  {STEP_%-18s %10u, %10u, %10u, 0x%016llx},\n",
           step_names[step->kind], step->a, step->b, step->c,
           (unsigned long long)step->seed);
  }
}

/* Shrinking --------------------------------------------------------------- */

/* Tries the program without steps [first, first + count). */
static bool try_without(Program *program, uint32_t first, uint32_t count,
                        bool (*fails)(const Program *)) {
  Program smaller = *program;
  smaller.count = program->count - count;
  smaller.steps = malloc((size_t)program->count * sizeof(Step));
  if (smaller.steps == NULL) abort();
  memcpy(smaller.steps, program->steps, first * sizeof(Step));
  memcpy(smaller.steps + first, program->steps + first + count,
         (smaller.count - first) * sizeof(Step));
  if (!fails(&smaller)) {
    program_free(&smaller);
    return false;
  }
  program_free(program);
  *program = smaller;
  return true;
}

void program_shrink(Program *program, bool (*fails)(const Program *),
                    uint32_t trials) {
  uint32_t piece = program->count / 2;
  while (piece > 0 && trials > 0) {
    bool smaller = false;
    for (uint32_t at = 0; at + piece <= program->count && trials > 0;) {
      trials--;
      if (try_without(program, at, piece, fails))
        smaller = true;
      else
        at += piece;
    }
    if (!smaller || piece > program->count) piece /= 2;
  }
}
