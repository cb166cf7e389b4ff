/* vm_listed.h: changes of structure, listed while rows run, then made.
 *
 * A block lists its rows that ask for a change, in their order and, in each row,
 * in that of the program. When every row has run, the list is recorded; or, where
 * it is one change of many entities and no observer is told of it, applied as it
 * is.
 */
#ifndef ECS_VM_LISTED_H
#define ECS_VM_LISTED_H

#include "program/vm_run.h"

/* Lists the changes of the block's rows. Sets run->status: ECS_E_MEMORY. Cost:
 * linear in the rows that ask; others are passed over many at a time. */
ECS_INTERNAL void listed_add(Run *run);

/* Records what is listed, and empties the list. A level of deferral is open. Sets
 * run->status: ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL void listed_record(Run *run);

/* Is what is listed one change of many entities, and all that closing the
 * outermost level would apply? */
ECS_INTERNAL bool listed_is_one(const Run *run);

/* Closes the level and applies such a list, whole or not at all, as if it had
 * been recorded, but without a record for each. Then the run has no list. Returns
 * as program_run. */
ECS_INTERNAL ecs_Status listed_apply(Run *run);

/* Closes the level and applies what is recorded. Returns as program_run. */
ECS_INTERNAL ecs_Status listed_apply_recorded(const Run *run);

#endif
