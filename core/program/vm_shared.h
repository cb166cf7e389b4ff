/* vm_shared.h: runs the rows of a program on several threads.
 *
 * Rows are cut into units of 1024 rows or a multiple, which the workers claim
 * (base/workers.h). Each has plans of its own (vm_parallel.h); totals are kept for
 * each 1024 rows and joined in their order.
 */
#ifndef ECS_VM_SHARED_H
#define ECS_VM_SHARED_H

#include "program/vm_run.h"

/* Runs all blocks of a full plan on several threads. False: it does not pay, or
 * there are no threads, and nothing was run. */
ECS_INTERNAL bool shared_run(Run *run, const ecs_KernelCall *call);

#endif
