/* locate.h: where an entity's row of a component is.
 *
 * Six functions answer that question. All of them take any number as the entity
 * unless they say otherwise, and none allocates:
 *
 *      store_find_slot       the slot, and the table of the main group
 *      store_locate_main     the row of the main group
 *      store_locate_in       the row of another group
 *      store_locate_group    the row of any group
 *      store_locate          the row with a component of any kind
 *      store_locate_columns  the row with a component that has columns
 *
 * Cost: a row of the main group takes two loads, of the slot and of the table's
 * address, and a row of another group two more, of the locator's page and its
 * entry. Whatever caches a row or an edge (last edges, accessors, field access)
 * asserts in checked builds that these functions give the same answer.
 */
#ifndef ECS_LOCATE_H
#define ECS_LOCATE_H

#include "storage/store.h"

/* An entity's row of one group. table NULL: it has none. */
typedef struct RowRef {
  Table *table;
  uint32_t row;
} RowRef;

/* Is the handle alive, recorded spawns included? */
ECS_INTERNAL bool store_alive(const Store *store, ecs_Entity entity);

/* Is the entity alive, but without a row yet? */
ECS_INTERNAL bool store_is_reserved(const Store *store, ecs_Entity entity);

/* The row with the component's columns, or its bit; table NULL when the entity
 * lacks the component. ECS_E_DEAD: the entity has no row at all. */
ECS_INTERNAL ecs_Status store_locate(const Store *store, ecs_Entity entity,
                                     ecs_Component id, RowRef *location);

/* The slot of an entity that has a row, and its table of the main group; NULL
 * when the entity is dead or reserved. */
static inline Slot *store_find_slot(const Store *store, ecs_Entity entity,
                                    Table **table) {
  uint32_t index = id_index(entity);
  /* Index 0, like any index that was never issued, is not placed. */
  if (ECS_UNLIKELY(!entity_index_has(&store->index, index))) return NULL;
  Slot *slot = entity_index_slot(&store->index, index);
  if (ECS_UNLIKELY(slot->row_bits > ECS_INDEX_MASK))
    return NULL; /* not placed */
  *table = store_main(store)->tables[slot_table(*slot)];
  uint64_t generation = entity >> ECS_INDEX_BITS;
  bool alive = ECS_LIKELY(generation < ECS_SLOT_GENERATIONS)
                   ? slot->table_bits >> SLOT_HINT_SHIFT == generation
                   : (*table)->entities[slot->row_bits] == entity;
  return ECS_LIKELY(alive) ? slot : NULL;
}

/* The row of the main group; table NULL where store_find_slot finds none. */
static inline RowRef store_locate_main(const Store *store, ecs_Entity entity) {
  Table *table = NULL;
  const Slot *slot = store_find_slot(store, entity, &table);
  if (ECS_UNLIKELY(slot == NULL)) return (RowRef){NULL, 0};
  return (RowRef){table, slot->row_bits};
}

/* The row of a group other than the main one, by the index of an entity that is
 * placed; table NULL: the entity has no row there. */
static inline RowRef store_locate_in(const Group *group, uint32_t index) {
  RowId row_id = locator_find(&group->locator, index);
  if (!locator_is_row(row_id.row)) return (RowRef){NULL, 0};
  return (RowRef){group->tables[row_id.table], row_id.row};
}

/* The row of a placed entity in any group; table NULL: it has no row there. For
 * an entity that may not be placed, call store_locate. */
static inline RowRef store_locate_group(const Store *store, const Group *group,
                                        ecs_Entity entity) {
  return group->id == 0 ? store_locate_main(store, entity)
                        : store_locate_in(group, id_index(entity));
}

/* The row with a component that has columns. ECS_E_DEAD: the entity has no row
 * at all; ECS_E_ABSENT: it lacks the component, and *table and *row are
 * undefined. Inline, because every read or write of a single entity calls it.
 */
static inline __attribute__((always_inline)) ecs_Status store_locate_columns(
    const Store *store, const Component *component, ecs_Entity entity,
    Table **table, uint32_t *row) {
  const Slot *slot = store_find_slot(store, entity, table);
  if (ECS_UNLIKELY(slot == NULL)) return ECS_E_DEAD;
  *row = slot->row_bits;
  if (component->group_id != 0) {
    const Group *group = store->groups.all[component->group_id];
    RowId row_id = locator_find(&group->locator, id_index(entity));
    if (!locator_is_row(row_id.row)) return ECS_E_ABSENT;
    *row = row_id.row;
    *table = group->tables[row_id.table];
  }
  return ECS_LIKELY(table_has_columns(*table, component->bit)) ? ECS_OK
                                                               : ECS_E_ABSENT;
}

#endif
