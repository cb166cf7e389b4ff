/* ecs_kernel.h: for authors of native kernels, who include this instead of
 * ecs.h.
 *
 * A kernel is a C function that is handed rows as columns, and says which
 * columns it wants:
 *
 *      #include <ecs_kernel.h>
 *
 *      static void drag(const ecs_KernelCall *call) {
 *        for (uint32_t b = 0; b < call->block_count; b++) {
 *          const ecs_KernelBlock *block = &call->blocks[b];
 *          float *dx = block->columns[0];
 *          for (uint32_t i = 0; i < block->count; i++) dx[i] *= 0.5f;
 *        }
 *      }
 *      static const ecs_KernelColumn drag_columns[] = {
 *          {"Velocity", "dx", ECS_F32, ECS_WRITE}};
 *      static const ecs_Kernel kernels[] = {ECS_KERNEL("drag", drag,
 *                                                      drag_columns)};
 *      ECS_KERNEL_LIBRARY(kernels);
 *
 * Built as a shared library, physics.so for ecs.load_native "physics":
 *
 *      cc -O3 -fPIC -shared -o physics.so physics.c
 *
 * Including this file turns off the contraction of a * b + c into a fused
 * multiply-add in all code after it, whatever -march says: a fused one rounds
 * once instead of twice, so machines that have it would give other results than
 * those that have not. Do not compile kernels with -ffast-math or, with clang,
 * -ffp-contract=fast: no source can take those back.
 *
 * What a kernel may not do: keep a pointer beyond the call, write a column that
 * it declared ECS_READ, call into the world, or store a NaN with a payload
 * (arithmetic alone makes none).
 */
#ifndef ECS_KERNEL_H
#define ECS_KERNEL_H

#include "ecs.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#ifdef __FAST_MATH__
#error "kernels must give the same bits everywhere: compile without -ffast-math"
#endif

/* One entry of an array of ecs_Kernel. columns is an array of ecs_KernelColumn.
 * The second takes flags: ECS_KERNEL_ENTITIES for kernels that look at the
 * entities of their rows, ECS_KERNEL_WHOLE_TABLES for those whose rows look at
 * each other. */
#define ECS_KERNEL(name, run, columns) ECS_KERNEL_WITH(name, run, columns, 0)
#define ECS_KERNEL_WITH(name, run, columns, flags) \
  { (name), (run), (columns), sizeof(columns) / sizeof(*(columns)), (flags) }

/* Defines what a library exports. The sizes let the loader refuse one that was
 * compiled against another ecs.h. */
#ifdef __cplusplus
#define ECS_KERNEL_EXPORT extern "C" ECS_API
#else
#define ECS_KERNEL_EXPORT ECS_API
#endif
#define ECS_KERNEL_LIBRARY(kernels)                                    \
  ECS_KERNEL_EXPORT extern const ecs_KernelLibrary ecs_kernel_library; \
  const ecs_KernelLibrary ecs_kernel_library = ECS_KERNEL_LIBRARY_OF(kernels)

/* The same as a value, for programs that have kernels compiled in:
 *      static const ecs_KernelLibrary host = ECS_KERNEL_LIBRARY_OF(kernels); */
#define ECS_KERNEL_LIBRARY_OF(kernels)                                        \
  {                                                                           \
    ECS_KERNEL_ABI, (uint32_t)sizeof(ecs_Kernel),                             \
        (uint32_t)sizeof(ecs_KernelColumn), (uint32_t)sizeof(ecs_KernelCall), \
        (kernels), sizeof(kernels) / sizeof(*(kernels)), 0                    \
  }

#endif
