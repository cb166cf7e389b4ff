/* save.h: writes the state of a world as an archive: saved_text.h.
 *
 * Components are numbered in the order of their names and groups in the order of
 * their first ones, so that what is written does not depend on the order of
 * definitions. Left out are components that nothing has, where their definition
 * puts them.
 */
#ifndef ECS_SAVE_H
#define ECS_SAVE_H

#include "state/archive.h"
#include "state/held_save.h"
#include "world/world.h"

/* Writes the state of a world that is not open to a sink, with a text of
 * scripts, and the values of fields of type string and any; NULL: it has no such
 * fields. ECS_E_COMPONENT: it has, see ecs_world_contested; ECS_E_VALUE: it has
 * other values; ECS_E_FILE: the sink refused; ECS_E_MEMORY; ECS_E_LIMIT: see
 * archive_end. Cost: reads everything three times; memory: a few words for each
 * component. */
ECS_INTERNAL ecs_Status state_save(ecs_World *world, const char *script,
                                   size_t script_bytes,
                                   const HeldPacked *packed, ecs_SaveSink sink);

/* Lists the values of such fields, as ecs_held_uses does. */
ECS_INTERNAL ecs_Status state_held_uses(ecs_World *world, HeldUse *uses,
                                        uint32_t most, uint32_t *count);

/* Does a table name the component, or a row have it? Cost: the tables of its group,
 * or the rows where it is stored as bits. */
ECS_INTERNAL bool save_is_used(const Component *component);

/* Parts of an archive that packed rows have, too (pack.h): the lines of a component
 * and of a name, and the head of an array file. */
ECS_INTERNAL void save_put_component(ArchiveOut *out,
                                     const Component *component);
ECS_INTERNAL void save_put_name(ArchiveOut *out, const ecs_World *world,
                                ecs_Entity entity);
ECS_INTERNAL void save_put_head(ArchiveOut *out, ecs_Scalar type,
                                uint64_t count);

#endif
