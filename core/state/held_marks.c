/* held_marks.c: which held values a world refers to.
 *
 * Snapshots have columns of components and fields in an order of their own; see
 * snapshot_copy_columns.
 */
#define ECS_DEFINES_API /* ecs.h */

#include "state/held_marks.h"

#include <string.h>

#include "base/misuse.h"
#include "state/snapshot.h"

void ecs_world_hold_values(ecs_World *world, const HeldValues *held) {
  ECS_MUST_LIVE(WORLD, world);
  world->store.held = held;
}

static void mark_column(HeldValues *held, const char *column, uint32_t rows) {
  for (uint32_t row = 0; row < rows; row++) {
    uint32_t number;
    memcpy(&number, column + (size_t)row * sizeof number, sizeof number);
    if (number != 0) ecs_held_mark(held, number);
  }
}

static void mark_component(HeldValues *held, const Component *component) {
  const Group *group = component->group;
  const Schema *schema = component->schema;
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    if (table->count == 0 || !table_has(table, component->bit)) continue;
    for (uint32_t k = 0; k < schema->field_count; k++)
      if (schema->held >> k & 1u)
        mark_column(held,
                    table_column(table, table_codes(table, component->bit)[k]),
                    table->count);
  }
}

/* Marks what one component has in a table's columns of a snapshot. Returns where
 * its bytes end. */
static const char *mark_copies(HeldValues *held, const Schema *schema,
                               uint32_t rows, const char *bytes) {
  for (uint32_t k = 0; k < schema->field_count; k++) {
    if (schema->held >> k & 1u) mark_column(held, bytes, rows);
    bytes += (size_t)rows << schema->fields[k].shift;
  }
  return bytes;
}

static void mark_snapshot(HeldValues *held, const ecs_Snapshot *snapshot) {
  const Store *store = &snapshot->world->store;
  for (uint32_t i = 0; snapshot->taken && i < snapshot->group_count; i++) {
    const SnapshotGroup *group = &snapshot->groups[i];
    const SnapshotComponent *components =
        snapshot->components + group->first_component;
    for (uint32_t t = 0; t < group->table_count; t++) {
      const SnapshotTable *table = &snapshot->tables[group->first_table + t];
      Mask mask = snapshot_mask(snapshot, table);
      const char *bytes = snapshot->columns.bytes + table->columns;
      for (uint32_t w = 0; table->rows > 0 && w < mask.count; w++) {
        uint64_t word = mask.words[w];
        while (word != 0) {
          uint32_t bit = mask_take(&word, mask.first + w);
          if (components[bit].bits) continue;
          bytes = mark_copies(held,
                              store->components.all[components[bit].id].schema,
                              table->rows, bytes);
        }
      }
    }
  }
}

bool ecs_world_is_settled(const ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  return world->depth == 0 && world->observers.waiting == 0 &&
         world->observers.next >= world->observers.round_end;
}

void ecs_world_mark_held(const ecs_World *world, HeldValues *held) {
  ECS_MUST_LIVE(WORLD, world);
  bool any = false;
  for (uint32_t id = 1; id < world->store.components.count; id++) {
    const Component *component = &world->store.components.all[id];
    if (component->schema->held == 0) continue;
    mark_component(held, component);
    any = true;
  }
  const ecs_Snapshot *snapshot = any ? world->snapshots : NULL;
  for (; snapshot != NULL; snapshot = snapshot->next)
    mark_snapshot(held, snapshot);
}
