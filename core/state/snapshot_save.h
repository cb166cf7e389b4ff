/* snapshot_save.h: writes the state that a snapshot holds as a save.
 *
 * The state is put in place of the world's, saved, and taken back, for which no
 * memory is needed: so the world is what it was, whatever fails.
 */
#ifndef ECS_SNAPSHOT_SAVE_H
#define ECS_SNAPSHOT_SAVE_H

#include "state/restore.h"
#include "state/save.h"

/* As state_save, of a state that was taken. ECS_E_LIMIT also where it cannot be
 * restored. Cost: that of snapshot_restore besides. */
ECS_INTERNAL ecs_Status snapshot_save(ecs_Snapshot *snapshot,
                                      const char *script, size_t script_bytes,
                                      const HeldPacked *packed,
                                      ecs_SaveSink sink);

/* As state_held_uses, likewise. */
ECS_INTERNAL ecs_Status snapshot_held_uses(ecs_Snapshot *snapshot,
                                           HeldUse *uses, uint32_t most,
                                           uint32_t *count);

#endif
