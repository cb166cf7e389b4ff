/* probe.c: kernels that store the arguments of their call, for
 * native_kernel_spec.lua.
 *
 *      tell      dt, tick and the entity's index into the row
 *      choose    1 where the optional component is, 2 where it is not
 *      deepen    1 more than the target has; 1 where there is none
 *      beat      ten times what an event has heard, and its damage; who it is
 *      mistype   declares Probe.dt as an f32, which it is not
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

static const ecs_Kernel kernels[] = {
    ECS_KERNEL_WITH("tell", tell, tell_columns, ECS_KERNEL_ENTITIES),
    ECS_KERNEL("choose", choose, choose_columns),
    ECS_KERNEL("deepen", deepen, deepen_columns),
    ECS_KERNEL_WITH("beat", beat, beat_columns, ECS_KERNEL_ENTITIES),
    ECS_KERNEL("mistype", mistype, mistype_columns)};
ECS_KERNEL_LIBRARY(kernels);
