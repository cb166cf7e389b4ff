/* outdated.c: a library built against another ecs.h. */
#include "ecs_kernel.h"

ECS_API extern const ecs_KernelLibrary ecs_kernel_library;
const ecs_KernelLibrary ecs_kernel_library = {
    ECS_KERNEL_ABI + 1u,
    (uint32_t)sizeof(ecs_Kernel),
    (uint32_t)sizeof(ecs_KernelColumn),
    (uint32_t)sizeof(ecs_KernelCall),
    NULL,
    0,
    0,
    0,
    0};
