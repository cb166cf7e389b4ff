/* climb_layouts.c: layouts that the library chooses, and the best that measuring
 * finds.
 *
 *     make build/bench/climb_layouts && build/bench/climb_layouts [WORLD...]
 *
 * For each of twelve mixed worlds (mixed_world.h), the least time of a frame in
 * microseconds: as components are stored by default; after ecs_world_optimize;
 * and in the best layout that hill climbing with measured times finds, one
 * component at a time, from the two others. All three are built again in fresh
 * worlds and measured in turns. A layout is a letter for each component: m in the
 * main group, b as bits, the same other letter in one group. It takes a minute. */
#include <stdio.h>
#include <stdlib.h>

#include "../mixed_world.h"

#define WARM_FRAMES 4u
#define ROUNDS 12u
#define ROUND_FRAMES 4u
#define MOST_ADVICE 64u

/* Layouts ----------------------------------------------------------------- */

/* A number for each component: PLACE_MAIN, PLACE_BITS, or that of a group. */
typedef struct Places {
  uint32_t of[MIXED_COMPONENTS];
} Places;

enum { PLACE_MAIN, PLACE_BITS, PLACE_GROUPS };

/* Stores the components so. */
static void apply(MixedWorld *mixed, const Places *places) {
  ecs_Component list[MIXED_COMPONENTS];
  for (uint32_t place = 0; place < PLACE_GROUPS + MIXED_COMPONENTS; place++) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < MIXED_COMPONENTS; k++)
      if (places->of[k] == place) list[count++] = mixed->parts[k].id;
    if (place == PLACE_MAIN)
      MUST(ecs_ungroup(mixed->world, list, count));
    else if (place == PLACE_BITS)
      MUST(ecs_group_bits(mixed->world, list, count));
    else
      MUST(ecs_group(mixed->world, list, count));
  }
}

static void say_places(const Places *places) {
  for (uint32_t k = 0; k < MIXED_COMPONENTS; k++)
    printf("%c", "mbcdefghijklmnopq"[places->of[k]]);
}

/* Climbing ---------------------------------------------------------------- */

static double time_places(MixedWorld *mixed, const Places *places) {
  apply(mixed, places);
  mixed_run(mixed, 2);
  return mixed_time(mixed, 8);
}

/* Tries every place for one component; keeps the fastest. */
static bool climb_component(MixedWorld *mixed, uint32_t k, Places *best,
                            double *least) {
  bool better = false;
  Places start = *best;
  for (uint32_t place = 0; place < PLACE_GROUPS + MIXED_COMPONENTS; place++) {
    Places places = start;
    bool used = place == PLACE_MAIN || place == PLACE_GROUPS + k ||
                (place == PLACE_BITS && mixed->parts[k].fields == 0);
    for (uint32_t i = 0; i < MIXED_COMPONENTS; i++)
      used = used || (i != k && start.of[i] == place && place > PLACE_BITS);
    if (!used || place == start.of[k]) continue;
    places.of[k] = place;
    double time = time_places(mixed, &places);
    if (time > *least * 0.985) continue;
    *least = time;
    *best = places;
    better = true;
  }
  return better;
}

static Places climb(MixedWorld *mixed, Places start) {
  bool better = true;
  double least = time_places(mixed, &start);
  for (uint32_t pass = 0; better && pass < 4; pass++) {
    better = false;
    for (uint32_t k = 0; k < MIXED_COMPONENTS; k++)
      better = climb_component(mixed, k, &start, &least) || better;
  }
  return start;
}

/* What was chosen ---------------------------------------------------------- */

/* The places after the moves of an advice from everything in the main group. */
static Places read_advice(const MixedWorld *mixed, const ecs_Advice *entries,
                          uint32_t count) {
  Places places = {{PLACE_MAIN}};
  for (uint32_t i = 0; i < count; i++) {
    uint32_t k = 0, beside = 0;
    while (mixed->parts[k].id != entries[i].component) k++;
    while (beside < k && mixed->parts[beside].id != entries[i].to_beside)
      beside++;
    if (entries[i].to == ECS_PLACE_BITS) places.of[k] = PLACE_BITS;
    if (entries[i].to == ECS_PLACE_SET) places.of[k] = PLACE_GROUPS + k;
    if (entries[i].to == ECS_PLACE_GROUP)
      places.of[k] = beside < k ? places.of[beside] : PLACE_GROUPS + k;
  }
  return places;
}

/* A world --------------------------------------------------------------- */

typedef struct Shown {
  double kept, chosen, best;
  double predicted; /* what the choice brings, in nanoseconds of a frame */
  Places chosen_places, best_places;
} Shown;

static void choose(uint32_t number, Shown *shown) {
  ecs_Advice entries[MOST_ADVICE];
  uint32_t count = 0;
  MixedWorld *mixed = mixed_create(number);
  mixed_run(mixed, 16);
  MUST(ecs_world_optimize(mixed->world, entries, MOST_ADVICE, &count));
  for (uint32_t i = 0; i < count; i++)
    shown->predicted += (double)entries[i].gain;
  shown->chosen_places = read_advice(mixed, entries, count);
  mixed_destroy(mixed);
}

static void find_best(uint32_t number, Shown *shown) {
  MixedWorld *mixed = mixed_create(number);
  Places main = {{PLACE_MAIN}};
  Places one = climb(mixed, shown->chosen_places);
  Places other = climb(mixed, main);
  shown->best_places =
      time_places(mixed, &one) <= time_places(mixed, &other) ? one : other;
  mixed_destroy(mixed);
}

static double least_of(double so_far, double time) {
  return so_far == 0 || time < so_far ? time : so_far;
}

/* Measures the layouts in fresh worlds, in turns. */
static void compare(uint32_t number, Shown *shown) {
  MixedWorld *worlds[3];
  const Places kept = {{PLACE_MAIN}};
  const Places *places[] = {&kept, &shown->chosen_places, &shown->best_places};
  double *times[] = {&shown->kept, &shown->chosen, &shown->best};
  for (uint32_t i = 0; i < 3; i++) {
    worlds[i] = mixed_create(number);
    apply(worlds[i], places[i]);
    mixed_run(worlds[i], WARM_FRAMES);
  }
  for (uint32_t round = 0; round < ROUNDS; round++)
    for (uint32_t i = 0; i < 3; i++)
      *times[i] = least_of(*times[i], mixed_time(worlds[i], ROUND_FRAMES));
  for (uint32_t i = 0; i < 3; i++) mixed_destroy(worlds[i]);
}

static void show(uint32_t number) {
  Shown shown = {.kept = 0};
  choose(number, &shown);
  find_best(number, &shown);
  compare(number, &shown);
  printf("%5u %9.1f %9.1f %9.1f %9.1f %6.2f ", number + 1, shown.kept / 1000,
         shown.chosen / 1000, shown.predicted / 1000,
         (shown.kept - shown.chosen) / 1000, shown.chosen / shown.kept);
  say_places(&shown.chosen_places);
  printf(" %9.1f %6.2f ", shown.best / 1000, shown.chosen / shown.best);
  say_places(&shown.best_places);
  printf("\n");
  fflush(stdout);
}

int main(int count, char **arguments) {
  printf(
      "world   default  optimize predicted     gains  ratio layout      "
      "   climbing  ratio layout\n");
  for (uint32_t i = 0; i < MIXED_WORLDS; i++) {
    bool wanted = count == 1;
    for (int k = 1; k < count; k++)
      wanted = wanted || (uint32_t)atoi(arguments[k]) == i + 1;
    if (wanted) show(i);
  }
  return 0;
}
