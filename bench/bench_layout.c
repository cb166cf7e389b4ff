/* bench_layout.c: frames of mixed worlds, before and after ecs_world_optimize.
 *
 * The baseline is not written by hand: it is the same world, with all components
 * in the main group, where they are by default: what an archetype store is. Rows
 * "frame": the changes of a frame and its twelve systems, in the layout that is
 * chosen, with its groups. Rows "apart": the same with every component in a sparse
 * set of its own. Values "predicted": what the model says that the chosen layout
 * saves. by_hand/climb_layouts.c has the best layouts that can be found. */
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

static void store_apart(MixedWorld *mixed) {
  for (uint32_t k = 0; k < MIXED_COMPONENTS; k++)
    MUST(ecs_group(mixed->world, &mixed->parts[k].id, 1));
}

/* A frame of a world beside one of the same with everything in the main group. */
static void measure_frame(const char *name, uint32_t number, double aim,
                          MixedWorld *moved) {
  MixedWorld *kept = mixed_create(number);
  bool much = number < MIXED_WORLDS / 2;
  mixed_run(kept, COUNTED_FRAMES);
  measure_row(
      &(MeasureRow){.name = name,
                    .order = much ? "much" : "little",
                    .memory = "warm",
                    .size = MIXED_ENTITIES,
                    .operations = 1,
                    .hand = {.state = kept, .run = run, .check = check},
                    .ours = {.state = moved, .run = run, .check = check},
                    .aim_ratio = aim});
  mixed_destroy(kept);
}

static void measure_chosen(uint32_t number) {
  char name[32];
  snprintf(name, sizeof name, "frame, mixed world %u", number + 1);
  if (!measure_wanted(name)) return;
  MixedWorld *moved = mixed_create(number);
  mixed_run(moved, COUNTED_FRAMES);
  double gain = optimize(moved);
  measure_frame(name, number, 0.8, moved);
  snprintf(name, sizeof name, "predicted, mixed world %u", number + 1);
  measure_value(name, "saves", MIXED_ENTITIES, "ns", gain, 0);
  mixed_destroy(moved);
}

static void measure_apart(uint32_t number) {
  char name[32];
  snprintf(name, sizeof name, "apart, mixed world %u", number + 1);
  if (!measure_wanted(name)) return;
  MixedWorld *moved = mixed_create(number);
  mixed_run(moved, COUNTED_FRAMES);
  store_apart(moved);
  measure_frame(name, number, 0, moved);
  mixed_destroy(moved);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "storage that chooses itself");
  for (uint32_t i = 0; i < MIXED_WORLDS; i++) measure_chosen(i);
  for (uint32_t i = 0; i < MIXED_WORLDS; i++) measure_apart(i);
  measure_close();
  return 0;
}
