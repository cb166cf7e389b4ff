/* command_flush.h: applies a command buffer, whole or not at all.
 *
 * Each chain is summarized as its net effect: for each component that the chain
 * names, whether the entity has the component in the end, and from which
 * command its values start.
 *
 *      chain        add A {1}    set A.x=2    remove B    add B
 *      summary      A present, from "add A"; B present, from "add B"
 *
 * First pass: for every entity and group, the table that the row will be in is
 * created and gets room. Second pass: rows are moved, once per group, and
 * values are written; nothing in it can fail. Summarizing twice costs less than
 * keeping the summaries.
 */
#ifndef ECS_COMMAND_FLUSH_H
#define ECS_COMMAND_FLUSH_H

#include "change/command_buffer.h"

/* Applies everything, or nothing (ECS_E_MEMORY, ECS_E_LIMIT); the buffer is
 * empty afterwards either way. Cost: the commands, and one row per entity and
 * group. */
ECS_INTERNAL ecs_Status command_flush(CommandBuffer *buffer);

/* Frees the scratch memory that flushes keep. */
ECS_INTERNAL void command_flush_deinit(CommandBuffer *buffer);

#endif
