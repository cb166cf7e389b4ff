/* held_marks.h: which held values a world refers to. */
#ifndef ECS_HELD_MARKS_H
#define ECS_HELD_MARKS_H

#include "storage/held_values.h"

/* From now on the world's columns have numbers of this table, so it may have
 * fields of type string and any. held is borrowed. */
ECS_API void ecs_world_hold_values(ecs_World *world, const HeldValues *held);

/* Do only columns and snapshots of the world refer to held values? Not while it
 * is open, or observers are yet to be told. */
ECS_API bool ecs_world_is_settled(const ecs_World *world);

/* Marks what these refer to. Cost: reads the columns. */
ECS_API void ecs_world_mark_held(const ecs_World *world, HeldValues *held);

#endif
