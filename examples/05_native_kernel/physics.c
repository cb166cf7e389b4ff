/* physics.c: two native kernels for the program beside this file.
 *
 * gravity pulls bodies down and bounces them off the ground; drag slows down
 * what it is asked to slow down. Both work on rows that do not see each other,
 * so the engine may cut the rows as it likes.
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

static const ecs_Kernel kernels[] = {
    ECS_KERNEL("gravity", gravity, gravity_columns),
    ECS_KERNEL("drag", drag, drag_columns)};
ECS_KERNEL_LIBRARY(kernels);
