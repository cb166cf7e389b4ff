/* command_list.h: recorded changes that are one change of many entities.
 *
 *      entities   | e7 | e3 | e9 | ...
 *                   |    |    \--> destroy
 *                   |     \--> destroy
 *                    \--> destroy
 *
 * Where every chain is the same single command without values, list_change.h
 * applies all of them, at a fraction of the cost of summarizing each. The
 * result is the same.
 */
#ifndef ECS_COMMAND_LIST_H
#define ECS_COMMAND_LIST_H

#include "change/command_buffer.h"

/* Are there several chains, all of them the same single command? Cost: a look
 * at each, up to the first that differs. */
ECS_INTERNAL bool command_is_list(const CommandBuffer *buffer);

/* Applies such commands. entities has room for all of their entities.
 * ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed. The commands stay recorded
 * either way. */
ECS_INTERNAL ecs_Status command_apply_list(const CommandBuffer *buffer,
                                           ecs_Entity *entities);

#endif
