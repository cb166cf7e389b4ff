/* along.c: the function of up_spec.lua as a kernel, for each of its scenes,
 * whose components have other names.
 *
 *      along.A ... along.E    UpGlobal from UpLocal and the target's UpGlobal
 */
#include "ecs_kernel.h"

static void place(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    float *x = block->columns[0];
    double *y = block->columns[1];
    const float *local_x = block->columns[2], *above_x = block->columns[4];
    const double *local_y = block->columns[3], *above_y = block->columns[5];
    for (uint32_t i = 0; i < block->count; i++) {
      x[i] = local_x[i] + 2 * (above_x == NULL ? 0 : above_x[i]);
      y[i] = local_y[i] - (above_y == NULL ? 0 : above_y[i]);
    }
  }
}

#define COLUMNS(scene)                                \
  static const ecs_KernelColumn columns_##scene[] = { \
      {"UpGlobal" #scene, "x", ECS_F32, ECS_WRITE},   \
      {"UpGlobal" #scene, "y", ECS_F64, ECS_WRITE},   \
      {"UpLocal" #scene, "x", ECS_F32, ECS_READ},     \
      {"UpLocal" #scene, "y", ECS_F64, ECS_READ},     \
      {"UpGlobal" #scene, "x", ECS_F32, ECS_UP},      \
      {"UpGlobal" #scene, "y", ECS_F64, ECS_UP}}

COLUMNS(A);
COLUMNS(B);
COLUMNS(C);
COLUMNS(D);
COLUMNS(E);

static const ecs_Kernel kernels[] = {
    ECS_KERNEL("A", place, columns_A), ECS_KERNEL("B", place, columns_B),
    ECS_KERNEL("C", place, columns_C), ECS_KERNEL("D", place, columns_D),
    ECS_KERNEL("E", place, columns_E)};
ECS_KERNEL_LIBRARY(kernels);
