/* cxx_kernel.cpp: a library of kernels as programs in C++ write them. It is
 * compiled by tools/check_cxx for each standard, and run by cxx_program.lua. */
#include <ecs_kernel.h>

/* The other headers are for C++, too. */
#include <ecs_access.h>
#include <ecs_grid.h>
#include <ecs_lua.h>

namespace {

struct Slowing {
  float factor;
  int32_t most;
};

/* Multiplies each row, and adds 1 to the first one of a block. */
void slow(const ecs_KernelCall *call) {
  const Slowing *slowing = static_cast<const Slowing *>(call->user);
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    float *x = ECS_COLUMN(block, float, 0);
    ECS_EACH_ROW(i, block) x[i] *= slowing->factor;
    if (block->count == 0 || slowing->most == 0) continue;
    ecs_Row row = {};
    row.columns = block->columns;
    ECS_ELEMENT(&row, float, 0) += 1.0f;
  }
}

const ecs_KernelColumn columns[] = {{"Speed", "x", ECS_F32, ECS_WRITE}};
const ecs_KernelParameter members[] = {ECS_PARAMETER(Slowing, factor, ECS_F32),
                                       ECS_PARAMETER(Slowing, most, ECS_I32)};
const ecs_KernelParameters parameters = ECS_PARAMETERS_OF(Slowing, members);
const ecs_Kernel kernels[] = {
    ECS_KERNEL_PARAMETERS("slow", slow, columns, 0, parameters)};

} // namespace

ECS_KERNEL_LIBRARY(kernels);
