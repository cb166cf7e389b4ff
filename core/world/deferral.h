/* deferral.h: opens and closes the levels of a world's recording.
 *
 * Every open cursor, every deferral of the user and every program that changes
 * structure while it runs is a level. Levels nest:
 *
 *      commands   | a b c | d e | f g
 *                 |       |     \--- levels[2].mark
 *                 |       \--- levels[1].mark
 *                 \--- levels[0].mark
 *
 * Closing an inner level leaves its records to the level around it. Closing the
 * outermost level applies all of them, or none; where memory runs out, it can
 * keep them for another attempt. Discarding a level takes its own records back.
 * Every opening and closing increments row_epoch.
 *
 * A cursor is memory of its user, who may copy it, end it twice, or end an
 * outer one first. So the level and its cursor hold the same stamp, a number
 * that is new at each use of the cursor:
 *
 *      levels[1].stamp 7 <--> cursor: depth 2, stamp 7      open
 *                             a copy: depth 2, stamp 5      used since: refused
 */
#ifndef ECS_DEFERRAL_H
#define ECS_DEFERRAL_H

#include "world/link_flush.h"
#include "world/observe.h"

/* Opens one more level. ECS_E_LIMIT: ECS_NESTING_LIMIT levels are open, and
 * nothing has changed. Cost: constant. */
ECS_INTERNAL ecs_Status deferral_open(ecs_World *world);

/* Closes the innermost level. The outermost one then applies what was
 * recorded; ECS_E_MEMORY, ECS_E_LIMIT: none of it was applied, and none is
 * recorded any more. The level is closed in any case. */
ECS_INTERNAL ecs_Status deferral_close(ecs_World *world);

/* As deferral_close, but ECS_E_MEMORY keeps the recording: nothing was applied,
 * all of it is still recorded, and in place of the level a deferral is open, as
 * if ecs_defer_begin had opened it. The caller makes room and closes that one,
 * or discards it. */
ECS_INTERNAL ecs_Status deferral_close_kept(ecs_World *world);

/* Closes the innermost level and takes back what was recorded since it was
 * opened. Cannot fail. Cost: proportional to the number of these records. */
ECS_INTERNAL void deferral_discard(ecs_World *world);

/* The point that the recording has reached: deferral_rewind goes back to it.
 * Valid until its level is closed. */
ECS_INTERNAL Level deferral_mark(ecs_World *world);

/* True: the innermost level is a deferral's. A cursor that is open inside of it
 * has handed out columns, which must not move. */
static inline bool deferral_is_innermost(const ecs_World *world) {
  ECS_ASSERT(world->deferrals <= world->depth);
  return world->deferrals > 0 && world->levels[world->depth - 1u].stamp == 0;
}

/* Stamps the level at a depth, counted from 1, as used by its cursor now.
 * Returns the stamp, which no other level of the world has had. */
static inline uint64_t level_stamp(ecs_World *world, uint32_t depth) {
  ECS_ASSERT(depth - 1u < world->depth);
  return world->levels[depth - 1].stamp = ++world->stamps;
}

/* Takes back what was recorded since the mark, and opens and closes nothing.
 * For a caller that records several changes, all of them or none. */
ECS_INTERNAL void deferral_rewind(ecs_World *world, const Level *mark);

#endif
