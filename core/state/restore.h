/* restore.h: puts the state of a snapshot back.
 *
 * Three ways, the first that fits:
 *
 *      same structure      only values have changed: the columns are copied
 *      same groups         tables begin as in the snapshot, which is the rule:
 *                          their rows are copied, later tables are dropped
 *      anything else       groups are built anew, beside those that are there,
 *                          and exchanged
 *
 * All memory is reserved first, so that what fails has changed nothing. Versions
 * and the row epoch only grow, and every row counts as changed, so that what was
 * found in the world before is found anew. Components that the snapshot does not
 * know are where their definition puts them, without rows. Observers are not
 * told.
 */
#ifndef ECS_RESTORE_H
#define ECS_RESTORE_H

#include "state/snapshot.h"

/* Puts back a state that was taken; the world is not open. ECS_E_MEMORY,
 * ECS_E_LIMIT, or ECS_E_FILE, where the snapshot was made from bytes and has a
 * table or a name twice: nothing has changed. Cost: as snapshot_take; where the structure
 * is another, also a store for each row of a group other than the main one. */
ECS_INTERNAL ecs_Status snapshot_restore(ecs_Snapshot *snapshot);

/* What a state was put in place of. */
typedef struct ReplacedState {
  ecs_Snapshot *frame; /* owned: slots, links and counts */
  Group **groups;      /* owned, and so is each */
  uint32_t group_count;
  EntityNames names;
  ArrayBlock *blocks; /* owned; of the world's arrays, in their order */
  uint32_t block_count;
} ReplacedState;

/* Like snapshot_restore, for what may have to be taken back: the groups are
 * built anew, and those that were there are kept. */
ECS_INTERNAL ecs_Status snapshot_exchange(ecs_Snapshot *snapshot,
                                          ReplacedState *replaced);

/* Takes an exchange back, whatever has been changed since. Needs no memory, so
 * it cannot fail. */
ECS_INTERNAL void replaced_bring_back(ReplacedState *replaced);

/* Frees what was kept. */
ECS_INTERNAL void replaced_forget(ReplacedState *replaced);

#endif
