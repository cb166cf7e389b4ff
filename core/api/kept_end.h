/* kept_end.h: ends of cursors, deferrals and runs of programs after which changes
 * can be applied once more.
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

/* As ecs_program_run. Where memory runs out when all rows have run and only
 * changes of structure are left, *kept is set to true, reductions are written as
 * after ECS_OK, and no change was applied: all are recorded, and a deferral is
 * open, which is to be ended. Otherwise *kept is false. In api_program.c. */
ECS_API ecs_Status ecs_program_run_kept(ecs_Program *program,
                                        const ecs_ProgramCall *call,
                                        bool *kept);

/* Does a program change structure? In api_program.c. */
ECS_API bool ecs_program_changes(const ecs_Program *program);

#endif
