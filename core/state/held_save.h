/* held_save.h: the values of fields of type string and any in a save.
 *
 *      columns    | 9 | 0 | 4 | 9 |        numbers of the Lua state
 *      save       | 1 | 0 | 2 | 1 |        in the order of their first use
 *                   |       |
 *      values       a       b              packed by the binding (packed.h)
 *
 * The core lists the numbers in this order, and the binding packs their values,
 * for which it may have to call scripts. The save is refused if the world has
 * others by then. A load is the other way round: the binding gives a number to
 * each value of the save.
 *
 * A number of Lua that is an integer counts as the double that it equals. Bindings
 * use what is here; ecs.h promises none of it.
 */
#ifndef ECS_HELD_SAVE_H
#define ECS_HELD_SAVE_H

#include "storage/held_values.h"

/* Where a value is used first. */
typedef struct HeldUse {
  uint32_t number;
  uint32_t field; /* of the component */
  ecs_Component component;
  ecs_Entity entity;
  const char *component_name, *field_name; /* borrowed from the world */
} HeldUse;

/* Values for a save. */
typedef struct HeldPacked {
  const char *bytes;
  size_t count;
  const uint32_t *numbers; /* in the order of their first use */
  uint32_t number_count;
  const uint64_t *contents; /* of each, what the hash of the save counts; NULL:
                               what that of the world does */
} HeldPacked;

/* A value of a save. */
typedef struct SavedValue {
  const char *bytes; /* borrowed from the save's */
  size_t count;
  bool is_made; /* by an encoder */
  bool is_text; /* of one byte at least, and not made */
} SavedValue;

/* Lists the values that a world uses, or the state of a snapshot of it. Writes at
 * most `most` of them. ECS_E_OPEN; ECS_E_MEMORY. Cost: reads the columns. */
ECS_API ecs_Status ecs_held_uses(ecs_World *world, ecs_Snapshot *snapshot,
                                 HeldUse *uses, uint32_t most, uint32_t *count);

/* As ecs_world_save and, for a snapshot, ecs_snapshot_save. ECS_E_VALUE: other
 * values are used than those that were packed. */
ECS_API ecs_Status ecs_held_save(ecs_World *world, ecs_Snapshot *snapshot,
                                 const char *text, size_t text_bytes,
                                 const HeldPacked *packed,
                                 const ecs_SaveSink *sink);

/* Lists the values that the rows of a query use, of these components or of all, as
 * ecs_held_uses; and packs the rows, as ecs_query_pack. */
ECS_API ecs_Status ecs_held_query_uses(ecs_Query *query,
                                       const ecs_Component *components,
                                       uint32_t component_count, HeldUse *uses,
                                       uint32_t most, uint32_t *count);
ECS_API ecs_Status ecs_held_query_pack(ecs_Query *query,
                                       const ecs_Component *components,
                                       uint32_t component_count,
                                       const char *text, size_t text_bytes,
                                       const HeldPacked *packed,
                                       const ecs_SaveSink *sink);

/* The values of a save, or of packed rows, which it owns. */
ECS_API const SavedValue *ecs_saved_values(const ecs_Saved *saved,
                                           uint32_t *count);

/* The numbers that a load puts in the place of these, one for each; borrowed until
 * the save is closed. differs: they are not those whose hash the save has. */
ECS_API void ecs_saved_hold(ecs_Saved *saved, const uint32_t *numbers,
                            uint32_t count, bool differs);

#endif
