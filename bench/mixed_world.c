/* mixed_world.c: worlds drawn from a seed, for which a layout is to be chosen.
 */
#include "mixed_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A number from 0 to 1. */
static double draw(uint64_t *seed) {
  return (double)(measure_random(seed) >> 11) / 9007199254740992.0;
}

/* A whole number below count. */
static uint32_t draw_below(uint64_t *seed, uint32_t count) {
  return (uint32_t)(measure_random(seed) % count);
}

/* Components -------------------------------------------------------------- */

static void define_part(MixedWorld *mixed, uint32_t k, uint64_t *seed) {
  MixedPart *part = &mixed->parts[k];
  char name[16];
  snprintf(name, sizeof name, "P%u", k);
  part->fields = k < MIXED_DATA ? 1 + draw_below(seed, 4) : 0;
  part->id = scene_component(mixed->world, name, part->fields, ECS_STORE_TABLE);
  part->there = scene_allocate(MIXED_ENTITIES, sizeof(uint32_t));
  measure_shuffle(part->there, MIXED_ENTITIES, measure_random(seed));
  double fraction = k == 0 ? 1 : 0.02 + 0.96 * draw(seed) * draw(seed);
  part->count = (uint32_t)(fraction * MIXED_ENTITIES);
}

static void give_parts(MixedWorld *mixed) {
  for (uint32_t k = 0; k < MIXED_COMPONENTS; k++)
    for (uint32_t i = 0; i < mixed->parts[k].count; i++)
      MUST(ecs_add(mixed->world, mixed->entities[mixed->parts[k].there[i]],
                   mixed->parts[k].id, NULL));
}

/* Three of the components come and go, the first never. */
static void choose_changes(MixedWorld *mixed, double least, double most,
                           uint64_t *seed) {
  for (uint32_t i = 0; i < 3; i++) {
    MixedPart *part = &mixed->parts[1 + draw_below(seed, MIXED_COMPONENTS - 1)];
    double rate = least * pow(most / least, draw(seed));
    uint32_t pairs = (uint32_t)(rate * MIXED_ENTITIES / 2);
    uint32_t fewer = part->count < MIXED_ENTITIES - part->count
                         ? part->count
                         : MIXED_ENTITIES - part->count;
    part->pairs = pairs < fewer / 2 ? pairs : fewer / 2;
  }
}

static void change(MixedWorld *mixed, MixedPart *part) {
  for (uint32_t i = 0; i < part->pairs; i++) {
    uint32_t a = draw_below(&mixed->seed, part->count);
    uint32_t b =
        part->count + draw_below(&mixed->seed, MIXED_ENTITIES - part->count);
    uint32_t loses = part->there[a], gains = part->there[b];
    MUST(ecs_remove(mixed->world, mixed->entities[loses], part->id));
    MUST(ecs_add(mixed->world, mixed->entities[gains], part->id, NULL));
    part->there[a] = gains;
    part->there[b] = loses;
  }
}

/* Systems ----------------------------------------------------------------- */

/* Adds the columns that are read to those that are written, which come first. */
static void add_columns(const ecs_KernelCall *call) {
  uint32_t written = *(const uint32_t *)call->user >> 8;
  uint32_t all = *(const uint32_t *)call->user & 255u;
  for (uint32_t i = 0; i < call->block_count; i++) {
    const ecs_KernelBlock *block = &call->blocks[i];
    for (uint32_t w = 0; w < written; w++) {
      float *restrict sum = block->columns[w];
      for (uint32_t r = 0; r < all; r++) {
        const float *restrict read = block->columns[r < written ? w : r];
        if (r < written && r != w) continue;
        for (uint32_t n = 0; n < block->count; n++)
          sum[n] = sum[n] * 0.5f + read[n] * 0.25f + 1;
      }
    }
  }
}

static void add_term(MixedKernel *kernel, const MixedWorld *mixed, uint32_t k,
                     ecs_Access access) {
  kernel->terms[kernel->term_count++] = (ecs_Term){mixed->parts[k].id, access};
  if (access > ECS_READ) return;
  for (uint32_t i = 0; i < mixed->parts[k].fields; i++) {
    uint32_t at = kernel->column_count++;
    snprintf(kernel->names[at][0], 16, "P%u", k);
    snprintf(kernel->names[at][1], 16, "f%u", i);
    kernel->columns[at] = (ecs_KernelColumn){
        kernel->names[at][0], kernel->names[at][1], ECS_F32, access};
    kernel->written += access == ECS_WRITE;
  }
}

static bool has_term(const MixedKernel *kernel, ecs_Component id) {
  for (uint32_t i = 0; i < kernel->term_count; i++)
    if (kernel->terms[i].component == id) return true;
  return false;
}

/* A component that is written, up to two that are read, perhaps a tag. */
static void draw_terms(MixedKernel *kernel, const MixedWorld *mixed,
                       uint64_t *seed) {
  add_term(kernel, mixed, draw_below(seed, MIXED_DATA), ECS_WRITE);
  for (uint32_t reads = draw_below(seed, 3); reads > 0; reads--) {
    uint32_t k = draw_below(seed, MIXED_DATA);
    if (!has_term(kernel, mixed->parts[k].id))
      add_term(kernel, mixed, k, ECS_READ);
  }
  if (draw(seed) < 0.4) return;
  add_term(kernel, mixed,
           MIXED_DATA + draw_below(seed, MIXED_COMPONENTS - MIXED_DATA),
           draw(seed) < 0.7 ? ECS_WITH : ECS_WITHOUT);
}

static void make_system(MixedWorld *mixed, MixedSystem *system,
                        uint64_t *seed) {
  MixedKernel *kernel = &system->kernel;
  draw_terms(kernel, mixed, seed);
  kernel->description = (ecs_Kernel){
      "add", add_columns, kernel->columns, kernel->column_count, 0, NULL, NULL};
  MUST(ecs_query_create(mixed->world, kernel->terms, kernel->term_count,
                        &system->query));
  MUST(ecs_kernel_bind(system->query, &kernel->description, &system->binding,
                       NULL));
  system->shape = kernel->written << 8 | kernel->column_count;
}

/* Life -------------------------------------------------------------------- */

MixedWorld *mixed_create(uint32_t number) {
  bool much = number < MIXED_WORLDS / 2;
  uint64_t seed = number + 1;
  MixedWorld *mixed = scene_allocate(1, sizeof *mixed);
  uint64_t draws = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  *mixed = (MixedWorld){.world = scene_world(), .seed = seed};
  mixed->entities = scene_allocate(MIXED_ENTITIES, sizeof(ecs_Entity));
  for (uint32_t k = 0; k < MIXED_COMPONENTS; k++) define_part(mixed, k, &draws);
  choose_changes(mixed, much ? 0.01 : 0.0005, much ? 0.3 : 0.015, &draws);
  for (uint32_t i = 0; i < MIXED_ENTITIES; i++)
    MUST(ecs_spawn(mixed->world, NULL, 0, NULL, &mixed->entities[i]));
  give_parts(mixed);
  for (uint32_t i = 0; i < MIXED_SYSTEMS; i++)
    make_system(mixed, &mixed->systems[i], &draws);
  return mixed;
}

void mixed_destroy(MixedWorld *mixed) {
  ecs_world_destroy(mixed->world);
  for (uint32_t k = 0; k < MIXED_COMPONENTS; k++) free(mixed->parts[k].there);
  free(mixed->entities);
  free(mixed);
}

void mixed_run(MixedWorld *mixed, uint32_t frames) {
  for (uint32_t frame = 0; frame < frames; frame++) {
    for (uint32_t k = 0; k < MIXED_COMPONENTS; k++)
      change(mixed, &mixed->parts[k]);
    for (uint32_t i = 0; i < MIXED_SYSTEMS; i++) {
      MixedSystem *system = &mixed->systems[i];
      ecs_KernelCall call = {.dt = 0, .user = &system->shape};
      MUST(ecs_kernel_run(system->binding, &call));
      MUST(ecs_query_count_runs(system->query, 1));
    }
  }
}

double mixed_time(MixedWorld *mixed, uint32_t frames) {
  double least = 0;
  for (uint32_t i = 0; i < frames; i++) {
    double before = measure_clock();
    mixed_run(mixed, 1);
    double time = measure_clock() - before;
    if (i == 0 || time < least) least = time;
  }
  return least;
}
