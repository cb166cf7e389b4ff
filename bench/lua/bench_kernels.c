/* bench_kernels.c: kernels that a user would write in C, for the benchmarks in
 * Lua.
 *
 * They are the baseline of loops over components, compiled like the baselines
 * of the other benchmarks: for this machine and without contraction. */
#include "ecs_kernel.h"

#define MOVE(Name, Number, Scalar)                     \
  static const ecs_KernelColumn Name##_columns[] = {   \
      {#Name, "x", Scalar, ECS_WRITE},                 \
      {#Name, "y", Scalar, ECS_WRITE},                 \
      {#Name "Speed", "x", Scalar, ECS_READ},          \
      {#Name "Speed", "y", Scalar, ECS_READ}};         \
  static void Name(const ecs_KernelCall *call) {       \
    Number dt = (Number)call->dt;                      \
    for (uint32_t b = 0; b < call->block_count; b++) { \
      const ecs_KernelBlock *block = &call->blocks[b]; \
      Number *restrict x = block->columns[0];          \
      Number *restrict y = block->columns[1];          \
      const Number *restrict vx = block->columns[2];   \
      const Number *restrict vy = block->columns[3];   \
      for (uint32_t i = 0; i < block->count; i++) {    \
        x[i] += vx[i] * dt;                            \
        y[i] += vy[i] * dt;                            \
      }                                                \
    }                                                  \
  }

MOVE(Single, float, ECS_F32)
MOVE(Double, double, ECS_F64)
MOVE(Whole, int32_t, ECS_I32)

static const ecs_Kernel kernels[] = {
    ECS_KERNEL("single", Single, Single_columns),
    ECS_KERNEL("double", Double, Double_columns),
    ECS_KERNEL("whole", Whole, Whole_columns)};
ECS_KERNEL_LIBRARY(kernels);
