/* probe.c: kernels that store the arguments of their call, for
 * native_kernel_spec.lua.
 *
 *      tell      dt, tick and the entity's index into the row
 *      choose    1 where the optional component is, 2 where it is not
 *      deepen    1 more than the target has; 1 where there is none
 *      beat      ten times what an event has heard, and its damage; who it is
 *      mistype   declares Probe.dt as an f32, which it is not
 *      paint     counts rows in the last tile of line dt of an array, which is
 *                another array's first element for the line behind
 *      wild      declares an array of entities, which no world has
 *      slide     moves the elements of an array in a component by one, of which
 *                the first becomes the row's number; n: their sum
 */
#include "ecs_kernel.h"

static const ecs_KernelColumn tell_columns[] = {
    {"Probe", "dt", ECS_F64, ECS_WRITE},
    {"Probe", "tick", ECS_U32, ECS_WRITE},
    {"Probe", "who", ECS_ENTITY, ECS_WRITE}};

static void tell(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    double *dt = block->columns[0];
    uint32_t *tick = block->columns[1];
    ecs_Entity *who = block->columns[2];
    for (uint32_t i = 0; i < block->count; i++) {
      dt[i] = call->dt;
      tick[i] = (uint32_t)call->tick;
      who[i] = block->entities[i];
    }
  }
}

static const ecs_KernelColumn choose_columns[] = {
    {"Probe", "dt", ECS_F64, ECS_WRITE},
    {"Extra", "value", ECS_F32, ECS_OPTIONAL}};

static void choose(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    double *dt = block->columns[0];
    for (uint32_t i = 0; i < block->count; i++)
      dt[i] = block->columns[1] ? 1 : 2;
  }
}

static const ecs_KernelColumn deepen_columns[] = {
    {"Probe", "dt", ECS_F64, ECS_WRITE}, {"Probe", "dt", ECS_F64, ECS_UP}};

static void deepen(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    double *dt = block->columns[0];
    const double *above = block->columns[1];
    ECS_EACH_ROW(i, block) dt[i] = 1 + (above == NULL ? 0 : above[i]);
  }
}

static const ecs_KernelColumn beat_columns[] = {
    {"ProbeBeat", "damage", ECS_F64, ECS_READ},
    {"ProbeBeat", "heard", ECS_F64, ECS_WRITE},
    {"ProbeBeat", "who", ECS_ENTITY, ECS_WRITE}};

static void beat(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    const double *damage = block->columns[0];
    double *heard = block->columns[1];
    ecs_Entity *who = block->columns[2];
    ECS_EACH_ROW(i, block) {
      heard[i] = 10 * heard[i] + damage[i];
      who[i] = block->entities[i];
    }
  }
}

static const ecs_KernelColumn mistype_columns[] = {
    {"Probe", "dt", ECS_F32, ECS_WRITE}};

static void mistype(const ecs_KernelCall *call) { (void)call; }

static const ecs_KernelColumn paint_columns[] = {
    {"Probe", "dt", ECS_F64, ECS_READ}, {"Probe", "tick", ECS_U32, ECS_WRITE}};
static const ecs_KernelArray paint_declared[] = {
    {"walls", ECS_U8, 2, ECS_WRITE}, {"heat", ECS_F32, 1, ECS_READ}};
static const ecs_KernelArrays paint_arrays = ECS_ARRAYS_OF(paint_declared);

static void paint(const ecs_KernelCall *call) {
  const ecs_KernelElements *walls = &call->arrays[0], *heat = &call->arrays[1];
  uint8_t *tiles = (uint8_t *)walls->elements;
  const float *degrees = (const float *)heat->elements;
  uint32_t columns = walls->sizes[1];
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    const double *dt = block->columns[0];
    uint32_t *tick = block->columns[1];
    for (uint32_t i = 0; i < block->count; i++) {
      uint32_t line = (uint32_t)dt[i] % walls->sizes[0];
      tick[i] = ++tiles[line * columns + columns - 1];
      tiles[(line + 1) % walls->sizes[0] * columns] = (uint8_t)degrees[0];
    }
  }
}

static const ecs_KernelArray wild_declared[] = {
    {"who", ECS_ENTITY, 1, ECS_READ}};
static const ecs_KernelArrays wild_arrays = ECS_ARRAYS_OF(wild_declared);

#define PAST 4u
static const ecs_KernelColumn slide_columns[] = {
    {"ProbeTrail", "past[1]", ECS_F32, ECS_WRITE},
    {"ProbeTrail", "past[2]", ECS_F32, ECS_WRITE},
    {"ProbeTrail", "past[3]", ECS_F32, ECS_WRITE},
    {"ProbeTrail", "past[4]", ECS_F32, ECS_WRITE},
    {"ProbeTrail", "n", ECS_F64, ECS_WRITE}};

static void slide(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    double *n = block->columns[PAST];
    ECS_EACH_ROW(i, block) {
      n[i] = i;
      for (uint32_t k = PAST - 1; k > 0; k--) {
        const float *from = block->columns[k - 1];
        float *to = block->columns[k];
        to[i] = from[i];
        n[i] += to[i];
      }
      ((float *)block->columns[0])[i] = (float)i;
    }
  }
}

static const ecs_Kernel kernels[] = {
    ECS_KERNEL_WITH("tell", tell, tell_columns, ECS_KERNEL_ENTITIES),
    ECS_KERNEL("choose", choose, choose_columns),
    ECS_KERNEL("deepen", deepen, deepen_columns),
    ECS_KERNEL_WITH("beat", beat, beat_columns, ECS_KERNEL_ENTITIES),
    ECS_KERNEL("mistype", mistype, mistype_columns),
    ECS_KERNEL_ARRAYS("paint", paint, paint_columns, 0, NULL, paint_arrays),
    ECS_KERNEL_ARRAYS("wild", mistype, paint_columns, 0, NULL, wild_arrays),
    ECS_KERNEL("slide", slide, slide_columns)};
ECS_KERNEL_LIBRARY(kernels);
