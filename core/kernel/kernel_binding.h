/* kernel_binding.h: native kernels over a query's rows.
 *
 * A binding maps the columns a kernel declared to those of its query. For a
 * full plan it keeps the list of blocks, one per table, until the group
 * changes, so that a run is one call:
 *
 *      kernel->run(call { blocks: table 1, table 2, ... })
 *
 * Other plans hand out their blocks one at a time, gathered where they must be.
 */
#ifndef ECS_KERNEL_BINDING_H
#define ECS_KERNEL_BINDING_H

#include "query/cursor.h"

/* A flag beside those of ecs_KernelFlag: a kernel of this library, which cannot
 * make a NaN with a payload. */
#define KERNEL_TRUSTED 0x80000000u

struct ecs_KernelBinding {
  ecs_Query *query;
  const ecs_Kernel *kernel;
  ecs_KernelBinding *next; /* of the same query */
  uint32_t *columns;       /* kernel's column -> query's */
  ecs_KernelBlock *blocks; /* of the last direct run */
  uint32_t block_count;
  uint32_t block_capacity;
  void **pointers; /* their columns, and one row for a batch */
  uint32_t pointer_capacity;
  uint64_t version; /* of the group, for blocks */
  uint64_t layout_version;
};

/* Does the kernel fit? Otherwise ECS_E_KERNEL and the first wrong column. */
ECS_INTERNAL ecs_Status kernel_bind(ecs_Query *query, const ecs_Kernel *kernel,
                                    ecs_KernelBinding **binding,
                                    uint32_t *wrong);
ECS_INTERNAL void kernel_unbind(ecs_KernelBinding *binding);
ECS_INTERNAL void kernel_unbind_all(ecs_Query *query);

/* Runs it; nothing contests its components. */
ECS_INTERNAL ecs_Status kernel_run(ecs_KernelBinding *binding,
                                   const ecs_KernelCall *call);

#endif
