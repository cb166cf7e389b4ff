/* physics.c: three native kernels for the program beside this file.
 *
 * gravity pulls bodies down and bounces them off the ground; drag slows down
 * what it is asked to slow down. Both work on rows that do not see each other,
 * so the engine may cut the rows as it likes. trace counts in an array of the
 * world in which metre bodies are: there rows meet, so its loop is a plain one.
 */
#include "ecs_kernel.h"

static const ecs_KernelColumn gravity_columns[] = {
    {"Position", "y", ECS_F32, ECS_WRITE},
    {"Velocity", "y", ECS_F32, ECS_WRITE}};

static void gravity(const ecs_KernelCall *call) {
  float dt = (float)call->dt;
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    float *y = block->columns[0];
    float *speed = block->columns[1];
    ECS_EACH_ROW(i, block) {
      float faster = speed[i] - 9.8f * dt;
      float lower = y[i] + faster * dt;
      y[i] = lower < 0 ? -lower : lower;
      speed[i] = lower < 0 ? -faster : faster;
    }
  }
}

static const ecs_KernelColumn drag_columns[] = {
    {"Velocity", "y", ECS_F32, ECS_WRITE},
    {"Drag", "factor", ECS_F32, ECS_READ}};

static void drag(const ecs_KernelCall *call) {
  float dt = (float)call->dt;
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    float *speed = block->columns[0];
    const float *factor = block->columns[1];
    ECS_EACH_ROW(i, block)
    speed[i] -= speed[i] * factor[i] * dt;
  }
}

static const ecs_KernelColumn trace_columns[] = {
    {"Position", "y", ECS_F32, ECS_READ}};
static const ecs_KernelArray trace_declared[] = {
    {"metres", ECS_U16, 1, ECS_WRITE}};
static const ecs_KernelArrays trace_arrays = ECS_ARRAYS_OF(trace_declared);

static void trace(const ecs_KernelCall *call) {
  const ecs_KernelElements *metres = &call->arrays[0];
  uint16_t *counts = (uint16_t *)metres->elements;
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    const float *y = block->columns[0];
    for (uint32_t i = 0; i < block->count; i++)
      if (y[i] >= 0 && y[i] < (float)metres->sizes[0]) counts[(int32_t)y[i]]++;
  }
}

static const ecs_Kernel kernels[] = {
    ECS_KERNEL("gravity", gravity, gravity_columns),
    ECS_KERNEL("drag", drag, drag_columns),
    ECS_KERNEL_ARRAYS("trace", trace, trace_columns, 0, NULL, trace_arrays)};
ECS_KERNEL_LIBRARY(kernels);
