/* command_flush.h: applies a command buffer, whole or not at all.
 *
 * Chains are counted by their shapes, which say how they are applied:
 *
 *      WAY_BIRTH     placed together, see recorded_spawn.h
 *      WAY_CHANGE    one by one, see net_effect.h; as a list (list_change.h),
 *                    where all of them are the same single command
 *      WAY_DEATH     destroyed as a list
 *      WAY_NOTHING   the handle is freed
 *
 * First pass: for every entity and group, the table that the row will be in is
 * created and gets room. Second pass: rows are appended, moved and removed,
 * which cannot fail. Entities are born first, those of WAY_BIRTH before others;
 * then those that live are changed, and they die last. Among these, each is in
 * the order of the first command that was recorded for it. So it makes no
 * difference in which order spawns and changes of living entities are recorded,
 * as long as each of both are in theirs.
 */
#ifndef ECS_COMMAND_FLUSH_H
#define ECS_COMMAND_FLUSH_H

#include "change/command_buffer.h"

/* Applies everything, and the buffer is empty; or nothing (ECS_E_MEMORY,
 * ECS_E_LIMIT), and everything is recorded as before: apply it again, or take it
 * back. Cost: the commands, and one row per entity and group. */
ECS_INTERNAL ecs_Status command_flush(CommandBuffer *buffer);

/* Frees the scratch memory that flushes keep. */
ECS_INTERNAL void command_flush_deinit(CommandBuffer *buffer);

#endif
