/* command_flush.h: applies a command buffer, whole or not at all.
 *
 * A subject's chain is folded into what it comes to: for each component that
 * it touches, whether the entity has it in the end and where its values begin.
 *
 *      chain     add A {1}    set A.x=2    remove B    add B
 *      folded    A present, fresh from "add A"; B present, fresh from "add B"
 *
 * First pass: for every subject and group, the table its row will be in gets
 * born and has room. Second pass: rows are moved and values written; nothing
 * in it can fail. Folding twice costs less than remembering.
 */
#ifndef ECS_COMMAND_FLUSH_H
#define ECS_COMMAND_FLUSH_H

#include "change/command_buffer.h"

/* Applies everything, or nothing (ECS_E_MEMORY, ECS_E_LIMIT); the buffer is
 * empty afterwards either way. */
ECS_INTERNAL ecs_Status command_flush(CommandBuffer *buffer);

/* Frees what applying keeps. */
ECS_INTERNAL void command_flush_deinit(CommandBuffer *buffer);

#endif
