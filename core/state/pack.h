/* pack.h: some entities of a world as an archive (archive.h).
 *
 *      rows     e7   e4   e9
 *      has      1    0    1        has/Position.npy
 *      x        3.5       8        columns/Position.x.npy: of those that have it
 *
 * The entries are, in this order, with words and arrays as saves have them
 * (saved_text.h):
 *
 *      manifest.txt             ecs-rows 1            2 where a component has
 *                                                     fields of type string or any
 *                               rows 3 whole          or part: of components that
 *                                                     were asked for
 *                               component Position table 2
 *                               field x f32 0000000000000000 -
 *                               field y f32 0000000000000000 -
 *                               link 2 1 20           component, field, how many
 *                               name 4294967299 player
 *                               values 3              only of 2
 *                               end
 *      entities.npy             u64: in the order in which they were given
 *      has/Name.npy             u8, 0 or 1, of each entity: has it the component?
 *      columns/Name.field.npy   the values of the entities that have it
 *      links/Name.field.npy     u64: which of the entities link, target by target,
 *                               in order
 *      values.msgpack           only of 2
 *      script.txt               what scripts add
 *
 * Components are in the order of their names; those that no entity has are left
 * out, and so is the tag of names. Names are there with all components, or where
 * that tag was asked for. How entities are stored does not show: the same
 * entities with the same values have the same bytes in worlds whose components
 * are defined alike.
 */
#ifndef ECS_PACK_H
#define ECS_PACK_H

#include "state/archive.h"
#include "state/held_save.h"
#include "world/world.h"

/* What is packed, borrowed. */
typedef struct PackRows {
  const ecs_Entity *entities; /* that have rows, each once */
  uint64_t count;
  const ecs_Component *components; /* of the world; NULL: all */
  uint32_t component_count;
  const char *script; /* NULL: an empty text */
  size_t script_bytes;
  const HeldPacked *packed; /* NULL: the binding packed no values */
} PackRows;

/* Writes rows to a sink. ECS_E_FILE: the sink refused; ECS_E_MEMORY; ECS_E_LIMIT:
 * see archive_end; ECS_E_COMPONENT: a component has fields of type string or any,
 * and it is the contested one, but no values were packed; ECS_E_VALUE: others than
 * these are used. Cost: looks every entity up for each component, reads values
 * twice, and all links of the components; memory: 16 bytes for each entity, a word
 * for each component, a byte for each index. */
ECS_INTERNAL ecs_Status pack_write(ecs_World *world, const PackRows *rows,
                                   ecs_SaveSink sink);

/* Lists the values that rows use, at most `most` of them. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status pack_held_uses(ecs_World *world, const PackRows *rows,
                                       HeldUse *uses, uint32_t most,
                                       uint32_t *count);

#endif
