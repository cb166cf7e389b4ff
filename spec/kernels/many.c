/* many.c: kernels over many columns, and with parameters, for
 * kernel_parameters_spec.lua and kernel_vectors_spec.lua.
 *
 *      drift     six columns, of which it writes six
 *      flock     every type of parameter
 *      wrong     a parameter that its struct does not hold
 */
#include "ecs_kernel.h"

static const ecs_KernelColumn drift_columns[] = {
    {"Place", "x", ECS_F32, ECS_WRITE}, {"Place", "y", ECS_F32, ECS_WRITE},
    {"Place", "z", ECS_F32, ECS_WRITE}, {"Speed", "x", ECS_F32, ECS_WRITE},
    {"Speed", "y", ECS_F32, ECS_WRITE}, {"Speed", "z", ECS_F32, ECS_WRITE}};

static void drift(const ecs_KernelCall *call) {
  float dt = (float)call->dt;
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    float *x = block->columns[0];
    float *y = block->columns[1];
    float *z = block->columns[2];
    float *dx = block->columns[3];
    float *dy = block->columns[4];
    float *dz = block->columns[5];
    ECS_EACH_ROW(i, block) {
      float height = y[i] + dy[i] * dt;
      x[i] += dx[i] * dt;
      y[i] = height < 0 ? -height : height;
      z[i] += dz[i] * dt;
      dx[i] = x[i] > 100.0f ? -dx[i] : dx[i];
      dy[i] = height < 0 ? -dy[i] : dy[i] - 9.8f * dt;
      dz[i] *= 0.5f;
    }
  }
}

struct Flock {
  float radius;
  int32_t most;
  double weight;
  uint8_t tight;
  ecs_Entity leader;
};

static const ecs_KernelParameter flock_members[] = {
    ECS_PARAMETER(struct Flock, radius, ECS_F32),
    ECS_PARAMETER(struct Flock, most, ECS_I32),
    ECS_PARAMETER(struct Flock, weight, ECS_F64),
    ECS_PARAMETER(struct Flock, tight, ECS_BOOL),
    ECS_PARAMETER(struct Flock, leader, ECS_ENTITY)};
static const ecs_KernelParameters flock_parameters =
    ECS_PARAMETERS_OF(struct Flock, flock_members);

static const ecs_KernelColumn flock_columns[] = {
    {"Place", "x", ECS_F32, ECS_WRITE},
    {"Place", "y", ECS_F32, ECS_WRITE},
    {"Place", "z", ECS_F32, ECS_WRITE}};

static void flock(const ecs_KernelCall *call) {
  const struct Flock *flock = call->user;
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    float *x = block->columns[0];
    float *y = block->columns[1];
    float *z = block->columns[2];
    ECS_EACH_ROW(i, block) {
      x[i] = flock->radius * (float)flock->weight;
      y[i] = flock->tight ? (float)flock->most : -1;
      z[i] = (float)flock->leader;
    }
  }
}

static const ecs_KernelParameter wrong_members[] = {
    ECS_PARAMETER(struct Flock, radius, ECS_F64)};
static const ecs_KernelParameters wrong_parameters =
    ECS_PARAMETERS_OF(struct Flock, wrong_members);

static const ecs_Kernel kernels[] = {
    ECS_KERNEL("drift", drift, drift_columns),
    ECS_KERNEL_PARAMETERS("flock", flock, flock_columns, 0, flock_parameters),
    ECS_KERNEL_PARAMETERS("wrong", flock, flock_columns, 0, wrong_parameters)};
ECS_KERNEL_LIBRARY(kernels);
