/* kept_end.h: ends of cursors and deferrals after which changes can be applied
 * once more.
 *
 * An end of ecs.h that runs out of memory discards what was recorded. These keep
 * it, for a caller that can make room:
 *
 *      ecs_cursor_end_kept --+--> ECS_OK
 *                            |
 *                            +--> ECS_E_MEMORY: a deferral is open
 *                                     |    ^
 *                                     |    +-- room is made
 *                                     v    |
 *                       ecs_defer_end_kept +--> ECS_OK
 *                                     |
 *                                     +--> ecs_defer_end, ecs_defer_discard
 *
 * What makes room may do with the world what it may do inside of any deferral.
 * Bindings use this header; ecs.h promises none of it.
 */
#ifndef ECS_KEPT_END_H
#define ECS_KEPT_END_H

#include "ecs.h"

/* As ecs_cursor_end, but ECS_E_MEMORY discards nothing: no change was applied,
 * all are recorded as before, and a deferral is open in place of the cursor,
 * which has ended. */
ECS_API ecs_Status ecs_cursor_end_kept(ecs_Cursor *cursor);

/* As ecs_defer_end, but ECS_E_MEMORY discards nothing: no change was applied,
 * all are recorded as before, and the deferral is open as before. */
ECS_API ecs_Status ecs_defer_end_kept(ecs_World *world);

#endif
