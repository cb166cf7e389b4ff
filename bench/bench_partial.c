/* bench_partial.c: queries with terms stored in two groups.
 *
 * Every entity has a position in the main group; some also have a velocity,
 * which is a sparse set. The system is pos += vel * dt for entities with both.
 * Inside the timer: one ecs_kernel_run per iteration, against a loop over an
 * index array that maps each velocity to the row of its position. Times are per
 * match.
 *
 * - in order: velocities were added in the order of the positions.
 * - shuffled: velocities were added in random order, so that neighbours in one
 *   group are far apart in the other. In both cases the matching entities are
 *   random.
 * - rows cached: structure did not change since the last run.
 * - rows found anew: before every run the velocity of one entity is removed and
 *   added again, untimed, so that a cached list of rows is out of date. The
 *   hand-written index array is kept up to date at no cost. */
#include <stdio.h>
#include <stdlib.h>

#include "baseline/loops.h"
#include "scene.h"

#define TIME_STEP 0.00001f

/* Both sides of one row of the table. Row k of the hand-written velocities
 * belongs to row rows[k] of the positions; the library's velocities were added
 * in this order. */
typedef struct Match {
  ecs_World *world;
  ecs_Component position, velocity;
  ecs_KernelBinding *system;
  ecs_Query *positions;
  ecs_Query *both;
  ecs_Entity last; /* the last one to get a velocity */
  uint32_t matches;
  uint32_t *rows;
  HandStore position_store;
  HandStore velocity_store;
} Match;

static void move_rows(const ecs_KernelCall *call) {
  for (uint32_t k = 0; k < call->block_count; k++) {
    const ecs_KernelBlock *block = &call->blocks[k];
    hand_move(block->columns[0], block->columns[1], block->columns[2],
              block->columns[3], (float)call->dt, block->count);
  }
}

static const ecs_KernelColumn move_columns[] = {
    {"Position", "f0", ECS_F32, ECS_WRITE},
    {"Position", "f1", ECS_F32, ECS_WRITE},
    {"Velocity", "f0", ECS_F32, ECS_READ},
    {"Velocity", "f1", ECS_F32, ECS_READ}};
static const ecs_Kernel move_kernel = {"move", move_rows, move_columns, 4,
                                       0,      NULL,      NULL};

static void match_run(void *state, uint32_t iterations) {
  Match *match = state;
  ecs_KernelCall call = {.dt = (double)TIME_STEP};
  for (uint32_t turn = 0; turn < iterations; turn++) {
    MUST(ecs_kernel_run(match->system, &call));
  }
}

static void match_by_hand(void *state, uint32_t iterations) {
  Match *match = state;
  float **position = match->position_store.columns;
  float **velocity = match->velocity_store.columns;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    hand_move_indexed(position[0], position[1], velocity[0], velocity[1],
                      match->rows, TIME_STEP, match->matches);
  }
}

/* The values of a velocity depend on the number of its entity, so wrong matches
 * show in the positions. The number of matches is checked as well. */
static uint64_t match_check(void *state) {
  Match *match = state;
  return measure_mix(scene_hash(match->positions), scene_count(match->both));
}

static uint64_t hand_check(void *state) {
  Match *match = state;
  return measure_mix(hand_store_hash(&match->position_store), match->matches);
}

/* Removes and adds the last row of the sparse set, so that no other row
 * moves. */
static void match_disturb(void *state) {
  Match *match = state;
  float image[2];
  MUST(ecs_get(match->world, match->last, match->velocity, image));
  MUST(ecs_remove(match->world, match->last, match->velocity));
  MUST(ecs_add(match->world, match->last, match->velocity, image));
}

/* Set-up ------------------------------------------------------------------ */

static int compare_rows(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left;
  uint32_t b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

/* Draws the rows that match: the first part of a permutation, sorted or not. */
static void draw_rows(Match *match, uint32_t size, bool shuffled) {
  match->rows = scene_allocate(size, sizeof *match->rows);
  measure_shuffle(match->rows, size, 11);
  if (!shuffled) {
    qsort(match->rows, match->matches, sizeof *match->rows, compare_rows);
  }
}

static void add_velocities(Match *match, const ecs_Entity *entities) {
  hand_store_init(&match->velocity_store, 2);
  hand_store_reserve(&match->velocity_store, match->matches);
  for (uint32_t k = 0; k < match->matches; k++) {
    float values[2];
    scene_values(values, 2, match->rows[k]);
    hand_store_push(&match->velocity_store, values, 2);
    match->last = entities[match->rows[k]];
    MUST(ecs_add(match->world, match->last, match->velocity, values));
  }
}

static void match_init(Match *match, uint32_t size, uint32_t percent,
                       bool shuffled) {
  *match = (Match){.world = scene_world()};
  match->matches = (uint32_t)((uint64_t)size * percent / 100);
  match->position =
      scene_component(match->world, "Position", 2, ECS_STORE_TABLE);
  match->velocity =
      scene_component(match->world, "Velocity", 2, ECS_STORE_SPARSE);
  ecs_Entity *entities = scene_allocate(size, sizeof *entities);
  scene_spawn(match->world, &match->position, 1, size, entities);
  hand_store_init(&match->position_store, 2);
  scene_push(&match->position_store, size);
  draw_rows(match, size, shuffled);
  add_velocities(match, entities);
  free(entities);
  ecs_Term terms[] = {{match->position, ECS_WRITE},
                      {match->velocity, ECS_READ}};
  MUST(ecs_query_create(match->world, terms, 2, &match->both));
  MUST(ecs_kernel_bind(match->both, &move_kernel, &match->system, NULL));
  match->positions = scene_query(match->world, &match->position, 1, ECS_READ);
}

static void match_deinit(Match *match) {
  ecs_world_destroy(match->world);
  hand_store_deinit(&match->position_store);
  hand_store_deinit(&match->velocity_store);
  free(match->rows);
}

static void bench_match(uint32_t size, uint32_t percent, bool shuffled,
                        bool cached) {
  char name[64];
  snprintf(name, sizeof name, "partial, %u %% match, rows %s", percent,
           cached ? "cached" : "found anew");
  if (!measure_wanted(name)) return;
  Match match;
  match_init(&match, size, percent, shuffled);
  double aim = size != SCENE_64K || !cached ? 0 : shuffled ? 3.5 : 1.5;
  measure_row(&(MeasureRow){
      .name = name,
      .order = shuffled ? "shuffled" : "in order",
      .memory = "warm",
      .size = size,
      .operations = match.matches,
      .aim_nanoseconds = aim,
      .hand = {&match, NULL, match_by_hand, hand_check},
      .ours = {&match, cached ? NULL : match_disturb, match_run, match_check}});
  match_deinit(&match);
}

int main(int argument_count, char **arguments) {
  static const uint32_t percents[] = {100, 50, 10, 1};
  measure_open(argument_count, arguments, "partial");
  for (uint32_t shuffled = 0; shuffled < 2; shuffled++) {
    for (uint32_t k = 0; k < 4; k++) {
      bench_match(SCENE_64K, percents[k], shuffled != 0, true);
    }
  }
  for (uint32_t shuffled = 0; shuffled < 2; shuffled++) {
    for (uint32_t k = 0; k < 4; k++) {
      bench_match(SCENE_1M, percents[k], shuffled != 0, true);
    }
  }
  for (uint32_t k = 0; k < 4; k++) {
    bench_match(SCENE_64K, percents[k], true, false);
  }
  measure_close();
  return 0;
}
