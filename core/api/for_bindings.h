/* for_bindings.h: what a binding uses of the core beyond the public headers.
 *
 *      limits           ECS_FIELD_LIMIT, ECS_NAME_LIMIT, ECS_INDEX_LIMIT,
 *                       ECS_MEMBER_LIMIT
 *      terms            what base/access.h says of their kinds
 *      elements         scalar_is_float, ecs_scalar_canonicalize_many
 *      sums in order    Reduction and the reduction_ functions
 *      values           HeldValues, ecs_world_hold_values, ecs_world_mark_held
 *      saves of values  ecs_held_uses, ecs_held_save, ecs_saved_values,
 *                       ecs_saved_hold, ecs_packed_next
 *      programs         ecs_program_run_part, ecs_program_go_on
 *      passes           ecs_pass_hindrance, ecs_pass_meets, ecs_pass_run
 *      asserts          ECS_ASSERT
 *
 * A binding may lie in a library of its own and sees none of the core's hidden
 * symbols, so all of this is inline or exported. ecs.h promises none of it: it
 * changes with the core. A binding includes nothing below this folder.
 */
#ifndef ECS_FOR_BINDINGS_H
#define ECS_FOR_BINDINGS_H

#include "base/access.h"
#include "base/config.h"
#include "base/float_mode.h"
#include "base/invariant.h"
#include "base/scalar.h"
#include "ecs.h"
#include "math/reduction.h"
#include "program/program_part.h"
#include "program/program_pass.h"
#include "state/held_marks.h"
#include "state/held_save.h"
#include "state/packed.h"

#endif
