/* coarse.c: a library that changes how its process computes when it is loaded,
 * as libraries do that were linked with -Ofast; for float_mode_program.lua.
 * COARSE_MODE in the environment has the bits to set in the control register,
 * on x86.
 *
 *      third     thirds both fields of Faint
 */
#include <stdlib.h>

#include "ecs_kernel.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

__attribute__((constructor)) static void set_mode(void) {
  const char *bits = getenv("COARSE_MODE");
  if (bits) _mm_setcsr(_mm_getcsr() | (unsigned)strtoul(bits, NULL, 16));
}
#endif

static const ecs_KernelColumn third_columns[] = {
    {"Faint", "a", ECS_F32, ECS_WRITE}, {"Faint", "b", ECS_F64, ECS_WRITE}};

static void third(const ecs_KernelCall *call) {
  for (uint32_t k = 0; k < call->block_count; k++) {
    const ecs_KernelBlock *block = &call->blocks[k];
    float *a = block->columns[0];
    double *b = block->columns[1];
    ECS_EACH_ROW(i, block) {
      a[i] = a[i] / 3;
      b[i] = b[i] / 3;
    }
  }
}

static const ecs_Kernel kernels[] = {ECS_KERNEL("third", third, third_columns)};
ECS_KERNEL_LIBRARY(kernels);
