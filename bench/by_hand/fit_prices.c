/* fit_prices.c: the prices of layout_constants.h, fitted to measured frames.
 *
 *     make build/bench/fit_prices && build/bench/fit_prices [LAYOUTS]
 *
 * Each mixed world (mixed_world.h) is measured in LAYOUTS (40) layouts drawn at
 * random. The model says how often each price is paid in a frame of the layout,
 * the clock what the frame takes. The prices printed are those, none below 0, for
 * which the squares of the relative errors come to the least sum; each world has
 * a time of its own beside, for what is the same in all layouts. A price that is
 * paid equally often in all layouts of a world cannot be told from that time, and
 * the changes of a world are: add the same to the first price of each kind of
 * change, and the layouts that are chosen stay the same.
 *
 * This is the one benchmark that looks into the library: at the model's counts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../mixed_world.h"
#include "layout/layout_cost.h"
#include "world/world.h"

#define LAYOUTS 40u
#define LAYOUTS_MOST 1000u
#define FRAMES 8u
#define ROUNDS 3000u

/* A frame in one layout, minus the mean of its world. */
typedef struct Sample {
  double time; /* nanoseconds; then what the prices do not explain yet */
  double weight;
  double counts[PRICE_COUNT];
} Sample;

static const char *const names[PRICE_COUNT] = {
    [PRICE_MOVE] = "MOVE",
    [PRICE_MOVE_COLUMN] = "MOVE_COLUMN",
    [PRICE_NOTE] = "NOTE",
    [PRICE_FOLLOW] = "FOLLOW",
    [PRICE_REMARK] = "REMARK",
    [PRICE_ENTER] = "ENTER",
    [PRICE_ENTER_COLUMN] = "ENTER_COLUMN",
    [PRICE_ENTER_MARK] = "ENTER_MARK",
    [PRICE_REGROUP] = "REGROUP",
    [PRICE_BIT] = "BIT",
    [PRICE_LOOK_UP] = "LOOK_UP",
    [PRICE_LOOK_UP_MAIN] = "LOOK_UP_MAIN",
    [PRICE_MARK_ROWS] = "MARK_ROWS",
    [PRICE_MARK_MATCH] = "MARK_MATCH",
    [PRICE_BITS_ROWS] = "BITS_ROWS",
    [PRICE_BITS_MATCH] = "BITS_MATCH",
    [PRICE_NEAR] = "NEAR",
    [PRICE_NEAR_BACK] = "NEAR_BACK",
    [PRICE_FAR] = "FAR",
    [PRICE_FAR_BACK] = "FAR_BACK",
    [PRICE_TABLE] = "TABLE",
    [PRICE_BYTE] = "BYTE"};

/* Layouts ----------------------------------------------------------------- */

/* Stores each component in the main group, alone, with an earlier one, or a tag
 * as bits. loose: of 100, so many are not in the main group. */
static void draw_layout(MixedWorld *mixed, uint32_t loose, uint64_t *seed) {
  ecs_Component all[MIXED_COMPONENTS];
  for (uint32_t k = 0; k < MIXED_COMPONENTS; k++) all[k] = mixed->parts[k].id;
  MUST(ecs_ungroup(mixed->world, all, MIXED_COMPONENTS));
  for (uint32_t k = 0; k < MIXED_COMPONENTS; k++) {
    uint32_t dice = (uint32_t)(measure_random(seed) % 100);
    const ecs_Component both[] = {all[k],
                                  all[k == 0 ? 0 : measure_random(seed) % k]};
    if (mixed->parts[k].fields == 0 && dice < 50)
      MUST(ecs_group_bits(mixed->world, both, 1));
    else if (dice < loose)
      MUST(ecs_group(mixed->world, both, k > 0 && dice % 8 == 0 ? 2 : 1));
  }
}

static void measure_layout(MixedWorld *mixed, Sample *sample) {
  LayoutProblem problem;
  LayoutModel model;
  mixed_run(mixed, 3);
  sample->time = mixed_time(mixed, FRAMES);
  sample->weight = 1 / (sample->time * sample->time);
  MUST(layout_problem_init(&problem, &mixed->world->store));
  MUST(layout_model_init(&model, &problem));
  Layout layout = layout_now(&problem);
  LayoutCost cost = layout_cost(&model, &layout);
  for (uint32_t i = 0; i < PRICE_COUNT; i++)
    sample->counts[i] = (double)cost.counts[i] / LAYOUT_FRAMES;
  layout_model_deinit(&model);
  layout_problem_deinit(&problem);
}

/* Takes the world's mean from every time and count. */
static void centre(Sample *samples, uint32_t count) {
  double total = 0, time = 0;
  for (uint32_t i = 0; i < count; i++) {
    total += samples[i].weight;
    time += samples[i].weight * samples[i].time;
  }
  for (uint32_t i = 0; i < count; i++) samples[i].time -= time / total;
  for (uint32_t p = 0; p < PRICE_COUNT; p++) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
      sum += samples[i].weight * samples[i].counts[p];
    for (uint32_t i = 0; i < count; i++) samples[i].counts[p] -= sum / total;
  }
}

static void measure_world(uint32_t number, Sample *samples, uint32_t layouts) {
  MixedWorld *mixed = mixed_create(number);
  uint64_t seed = number + 1;
  mixed_run(mixed, 16);
  for (uint32_t i = 0; i < layouts; i++) {
    draw_layout(mixed, i % 3 * 30 + 15, &seed);
    measure_layout(mixed, &samples[i]);
  }
  mixed_destroy(mixed);
  centre(samples, layouts);
}

/* Fitting ----------------------------------------------------------------- */

/* One price at a time, to its best where the others stay. */
static void fit(Sample *samples, uint32_t count, double *prices) {
  for (uint32_t round = 0; round < ROUNDS; round++)
    for (uint32_t p = 0; p < PRICE_BYTE; p++) {
      double square = 0, product = 0;
      for (uint32_t i = 0; i < count; i++) {
        double paid = samples[i].counts[p];
        square += samples[i].weight * paid * paid;
        product += samples[i].weight * paid * samples[i].time;
      }
      double better = square == 0 ? 0 : fmax(prices[p] + product / square, 0);
      double step = better - prices[p];
      for (uint32_t i = 0; step != 0 && i < count; i++)
        samples[i].time -= step * samples[i].counts[p];
      prices[p] = better;
    }
}

int main(int count, char **arguments) {
  uint32_t layouts = count > 1 ? (uint32_t)atoi(arguments[1]) : LAYOUTS;
  if (layouts < 2 || layouts > LAYOUTS_MOST) layouts = LAYOUTS;
  double prices[PRICE_COUNT] = {0}, errors = 0;
  Sample *samples =
      scene_allocate((size_t)MIXED_WORLDS * layouts, sizeof *samples);
  for (uint32_t i = 0; i < MIXED_WORLDS; i++)
    measure_world(i, samples + i * layouts, layouts);
  fit(samples, MIXED_WORLDS * layouts, prices);
  for (uint32_t i = 0; i < MIXED_WORLDS * layouts; i++)
    errors += samples[i].weight * samples[i].time * samples[i].time;
  printf("price           fitted ps   compiled in\n");
  for (uint32_t p = 0; p < PRICE_BYTE; p++)
    printf("%-14s %10.0f %13u\n", names[p], prices[p] * 1000, layout_prices[p]);
  printf("relative error of a frame: %.2f\n",
         sqrt(errors / (MIXED_WORLDS * layouts)));
  free(samples);
  return 0;
}
