/* nan.c: kernels that read the bits of floats, and kernels that break the rule
 * about NaNs, for nan_spec.lua.
 *
 *      bits    the words of Nan.narrow and Nan.wide, as numbers
 *      break   makes a float of Nan.offered and puts it in Nan.narrow
 */
#include <string.h>

#include "ecs_kernel.h"

static const ecs_KernelColumn bits_columns[] = {
    {"Nan", "narrow", ECS_F32, ECS_READ},
    {"Nan", "wide", ECS_F64, ECS_READ},
    {"Words", "narrow", ECS_U32, ECS_WRITE},
    {"Words", "high", ECS_U32, ECS_WRITE},
    {"Words", "low", ECS_U32, ECS_WRITE}};

static void bits(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    const float *narrow = block->columns[0];
    const double *wide = block->columns[1];
    uint32_t *word = block->columns[2];
    uint32_t *high = block->columns[3], *low = block->columns[4];
    for (uint32_t i = 0; i < block->count; i++) {
      uint64_t both;
      memcpy(&word[i], &narrow[i], sizeof word[i]);
      memcpy(&both, &wide[i], sizeof both);
      high[i] = (uint32_t)(both >> 32);
      low[i] = (uint32_t)both;
    }
  }
}

static const ecs_KernelColumn break_columns[] = {
    {"Nan", "narrow", ECS_F32, ECS_WRITE},
    {"Nan", "offered", ECS_U32, ECS_READ}};

static void break_rule(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    for (uint32_t i = 0; i < block->count; i++)
      memcpy((float *)block->columns[0] + i, (uint32_t *)block->columns[1] + i,
             sizeof(uint32_t));
  }
}

static const ecs_Kernel kernels[] = {
    ECS_KERNEL("bits", bits, bits_columns),
    ECS_KERNEL("break", break_rule, break_columns)};
ECS_KERNEL_LIBRARY(kernels);
