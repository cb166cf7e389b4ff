/* link_flush.h: what a recording does to links, found before it is applied.
 *
 * The commands are gone through in the order in which they were recorded, and
 * the indices changed as the same calls made at once would change them. Where
 * an entity dies that others link to, the rules of these links add changes to
 * the end of the recording:
 *
 *      destroy    the source is destroyed as well, and so on
 *      clear      at the end, the field is set to what it is then
 *      remove     the component is removed, and what was recorded for it after
 *                 that point is recorded once more behind the removal
 *
 * A link that was recorded to an entity which a rule has destroyed by then
 * follows its own rule at once; one that would close a circle of a tree, since
 * a rule has made an older command do more than it seemed to, is not made.
 * Since every other entity's commands are left as they are, the order of rows
 * is that of a recording with these changes.
 *
 * If the recording cannot be applied, the indices are taken back step by step.
 */
#ifndef ECS_LINK_FLUSH_H
#define ECS_LINK_FLUSH_H

#include "world/recorded.h"

/* Changes the indices, and adds what rules ask for to the recording.
 * ECS_E_MEMORY, ECS_E_LIMIT: the indices are as they were; the recording may
 * have more commands, which the caller takes back. Cost: where the recording has
 * links or destroys linked entities, its commands; otherwise, if there are any
 * links, a look at the shapes in use. */
ECS_INTERNAL ecs_Status link_flush_begin(ecs_World *world);

/* Ends what link_flush_begin began: the recording was applied; or it was not,
 * and the caller takes back the commands that were added. */
ECS_INTERNAL void link_flush_end(ecs_World *world, bool applied);

#endif
