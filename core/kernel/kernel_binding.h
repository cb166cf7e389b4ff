/* kernel_binding.h: native kernels over a query's rows.
 *
 * A binding maps the columns that a kernel declares to the columns of its
 * query. For a full plan it caches the list of blocks, one per table, until the
 * group changes, so that a run is one call:
 *
 *      kernel->run(call { blocks: table 1, table 2, ... })
 *
 * Under other plans each block is a call of its own, gathered where its rows do
 * not lie side by side.
 */
#ifndef ECS_KERNEL_BINDING_H
#define ECS_KERNEL_BINDING_H

#include "query/cursor.h"
#include "world/array_set.h"

/* A flag in addition to ecs_KernelFlag: the kernel is part of this library and
 * makes no NaN with a payload. */
#define KERNEL_TRUSTED 0x80000000u

struct ecs_KernelBinding {
  ecs_Query *query;         /* owns the binding */
  const ecs_Kernel *kernel; /* borrowed; must outlive the binding */
  ecs_KernelBinding *next;  /* of the same query; NULL: the last */
  uint32_t *columns;        /* kernel's column -> query's column; owned */
  ecs_Array **arrays;       /* as many as the kernel declares; owned; NULL: it
                               declares none */
  ecs_KernelElements *elements; /* for each of them; owned; NULL: likewise */
  bool has_arrays;              /* were they given? */
  ecs_KernelBlock *blocks;      /* of the last direct run; owned */
  uint32_t block_count;
  uint32_t block_capacity;
  void **pointers; /* the blocks' columns, a row of the kernel's column_count
                      per block; under other plans one such row; owned */
  uint32_t pointer_capacity; /* pointers, not rows */
  uint64_t version;          /* of the group, when blocks were listed */
  uint64_t layout_version;   /* of the store, likewise; UINT64_MAX: blocks are
                                not valid */
};

/* Binds a kernel to a query, which then owns the binding. ECS_E_KERNEL: a
 * column does not fit; *wrong becomes its index unless `wrong` is NULL.
 * ECS_E_MEMORY. Cost: compares names, each of the kernel's columns with each of
 * the query's. */
ECS_INTERNAL ecs_Status kernel_bind(ecs_Query *query, const ecs_Kernel *kernel,
                                    ecs_KernelBinding **binding,
                                    uint32_t *wrong);

/* As ecs_kernel_use. */
ECS_INTERNAL ecs_Status kernel_use(ecs_KernelBinding *binding,
                                   ecs_Array *const *arrays, uint32_t count,
                                   uint32_t *wrong);

#ifdef ECS_CHECKED
/* A sum of the bytes of all arrays that the kernel only reads. */
ECS_INTERNAL uint64_t kernel_read_sum(const ecs_KernelBinding *binding);
#endif

/* Removes a binding from its query and frees it. */
ECS_INTERNAL void kernel_unbind(ecs_KernelBinding *binding);

/* Removes and frees every binding of a query. */
ECS_INTERNAL void kernel_unbind_all(ecs_Query *query);

/* Runs the kernel over every row of its query. The caller has checked that no
 * open cursor claims the query's components. ECS_E_MEMORY: nothing was run.
 * ECS_E_KERNEL: the kernel needs whole tables and the plan is not full, or it
 * was not given its arrays.
 * ECS_E_NAN, in checked builds: the kernel has written a NaN with a payload,
 * which was made quiet. */
ECS_INTERNAL ecs_Status kernel_run(ecs_KernelBinding *binding,
                                   const ecs_KernelCall *call);

/* The most columns of a kernel whose blocks are cut. */
#define KERNEL_CUT_COLUMNS 64u

/* May the kernel be run over a part of a table? */
ECS_INTERNAL bool kernel_can_be_cut(const ecs_KernelBinding *binding);

/* Lists the blocks of a plan that goes over the matched tables: one for each
 * that has rows, in their order. They are valid until the group changes.
 * ECS_E_MEMORY. Cost: a comparison where the list is valid. */
ECS_INTERNAL ecs_Status kernel_list(ecs_KernelBinding *binding);

/* Runs the kernel over so many rows of a block from a row on. The call's blocks
 * are not used. The kernel can be cut. */
ECS_INTERNAL void kernel_run_rows(const ecs_KernelBinding *binding,
                                  const ecs_KernelCall *call,
                                  const ecs_KernelBlock *block, uint32_t first,
                                  uint32_t count);

/* Writes the rows of a batch of the binding's query as a block, which is valid
 * until the binding runs or makes another. ECS_E_MEMORY. Cost: one step for each
 * column of the kernel. */
ECS_INTERNAL ecs_Status kernel_block(ecs_KernelBinding *binding,
                                     const ecs_Batch *batch,
                                     ecs_KernelBlock *block);

/* Writes as a block a table that has rows and that the binding's query matches
 * in its only group, also the rows whose bits do not fit; likewise. */
ECS_INTERNAL ecs_Status kernel_table(ecs_KernelBinding *binding, Table *table,
                                     ecs_KernelBlock *block);

#endif
