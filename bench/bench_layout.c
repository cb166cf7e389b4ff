/* bench_layout.c: frames of mixed worlds, before and after ecs_world_optimize.
 *
 * The baseline is not written by hand: it is the same world, with all components
 * in the main group, where they are by default. Rows "frame": the changes of a
 * frame and its twelve systems. Values "predicted": what the model says that the
 * layout saves. by_hand/climb_layouts.c has the best layouts that can be found. */
#include <stdio.h>

#include "mixed_world.h"

#define COUNTED_FRAMES 16u

static uint64_t check(void *state) {
  const MixedWorld *mixed = state;
  return ecs_world_state_hash(mixed->world);
}

static void run(void *state, uint32_t iterations) {
  mixed_run(state, iterations);
}

/* Nanoseconds of a frame that the model says it saves. */
static double optimize(MixedWorld *mixed) {
  ecs_Advice advice[MIXED_COMPONENTS];
  uint32_t count = 0;
  double gain = 0;
  MUST(ecs_world_optimize(mixed->world, advice, MIXED_COMPONENTS, &count));
  for (uint32_t i = 0; i < count; i++) gain += (double)advice[i].gain;
  return gain;
}

static void measure_world(uint32_t number) {
  char name[32];
  snprintf(name, sizeof name, "frame, mixed world %u", number + 1);
  if (!measure_wanted(name)) return;
  MixedWorld *kept = mixed_create(number), *moved = mixed_create(number);
  mixed_run(kept, COUNTED_FRAMES);
  mixed_run(moved, COUNTED_FRAMES);
  double gain = optimize(moved);
  measure_row(
      &(MeasureRow){.name = name,
                    .order = number < MIXED_WORLDS / 2 ? "much" : "little",
                    .memory = "warm",
                    .size = MIXED_ENTITIES,
                    .operations = 1,
                    .hand = {.state = kept, .run = run, .check = check},
                    .ours = {.state = moved, .run = run, .check = check},
                    .aim_ratio = 0.8});
  snprintf(name, sizeof name, "predicted, mixed world %u", number + 1);
  measure_value(name, "saves", MIXED_ENTITIES, "ns", gain, 0);
  mixed_destroy(kept);
  mixed_destroy(moved);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "storage that chooses itself");
  for (uint32_t i = 0; i < MIXED_WORLDS; i++) measure_world(i);
  measure_close();
  return 0;
}
