/* store.h: components, groups and entities, and the changes of one entity.
 *
 *      ecs_Entity --index--> slot --> row of the main group
 *                       \--> locator of group 1 --> its row there
 *                        \-> locator of group 2 --> ...
 *
 * This floor trusts its callers: entities are alive, components exist, nothing
 * is open. What comes from outside is checked above, in world.h. Every change
 * here reserves first and commits then: a status other than ECS_OK means that
 * nothing has changed.
 *
 * A group's version grows with every change of its rows or tables,
 * layout_version with every change of which group a component belongs to.
 * Plans that were made for another layout are made anew before they are used.
 * row_epoch grows with the first of them, and whenever something is opened, closed
 * or recorded as destroyed above: it is what a row that was looked up has to
 * watch.
 */
#ifndef ECS_STORE_H
#define ECS_STORE_H

#include "storage/entity_index.h"
#include "storage/group.h"

typedef struct Store Store;
typedef struct Component Component;

/* What takes a component to an entity or away from it: see store_add. */
typedef ecs_Status AddComponent(Store *store, ecs_Entity entity,
                                const Component *what, const void *image);
typedef ecs_Status RemoveComponent(Store *store, ecs_Entity entity,
                                   const Component *what);

struct Component {
  Schema *schema;    /* owned */
  Group *home;       /* the group it belongs to */
  AddComponent *add; /* the shortest way that fits it */
  RemoveComponent *remove;
  ecs_Storage storage;    /* as it was defined */
  uint32_t group;         /* home's id */
  uint32_t bit;           /* in that group */
  uint32_t last_edge_key; /* of the turn that adds it; that which removes it has
                           one less */
  uint32_t field_count;   /* the schema's */
  uint32_t bits_index;    /* GROUP_NOT_BITS: not stored as bits */
  uint32_t readers; /* open cursors that read it; writers count here too */
  uint32_t writers; /* open cursors that write it */
};

typedef struct Bundle Bundle;

struct Store {
  Memory memory;
  EntityIndex index;
  Component *components;    /* by id; entry 0 is not used */
  uint32_t component_count; /* entries, the unused one included */
  uint32_t component_capacity;
  Group *main; /* groups[0] */
  Group **groups;
  uint32_t group_count;
  uint32_t group_capacity;
  Bundle **bundles; /* owned; by id less one */
  uint32_t bundle_count;
  uint32_t bundle_capacity;
  Bundle *last_spawned; /* owned; of the last spawn without a bundle */
  uint64_t layout_version;
  uint64_t row_epoch; /* see ecs_world_row_epoch */
};

/* Where an entity's row of one group is. table NULL: nowhere. */
typedef struct RowRef {
  Table *table;
  uint32_t row;
} RowRef;

/* Life ------------------------------------------------------------------ */

/* ECS_E_MEMORY: everything is freed again. */
ECS_INTERNAL ecs_Status store_init(Store *store, ecs_Memory memory,
                                   uint64_t limit_bytes);
/* Bundles are freed by spawn.c before. */
ECS_INTERNAL void store_deinit(Store *store);

/* Components ------------------------------------------------------------ */

/* 0: none of that name. Cost: looks at every component. */
ECS_INTERNAL ecs_Component store_find_component(const Store *store,
                                                const char *name);
ECS_INTERNAL ecs_Status store_define(Store *store,
                                     const ecs_ComponentDescription *how,
                                     ecs_Component *component);

/* Finding --------------------------------------------------------------- */

static inline Group *store_main(const Store *store) { return store->main; }

/* The slot of an entity that has a place, and the table it is in; NULL when the
 * entity is not alive or has no place yet. Any number is a fair question. */
static inline Slot *store_find_slot(const Store *store, ecs_Entity entity,
                                    Table **table) {
  uint32_t at = id_index(entity);
  /* Who was never issued is not placed, index 0 included. */
  if (ECS_UNLIKELY(!entity_index_has(&store->index, at))) return NULL;
  Slot *slot = entity_index_slot(&store->index, at);
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

/* The row in any other group of an index that is placed. */
static inline RowRef store_locate_in(const Group *group, uint32_t at) {
  RowId place = locator_find(&group->locator, at);
  if (place.row == LOCATOR_NONE) return (RowRef){NULL, 0};
  return (RowRef){group->tables[place.table], place.row};
}

/* The row of any group; table NULL: an entity that is placed has no row there.
 * For an entity that is not, ask store_locate. */
static inline RowRef store_locate_group(const Store *store, const Group *group,
                                        ecs_Entity entity) {
  return group->id == 0 ? store_locate_main(store, entity)
                        : store_locate_in(group, id_index(entity));
}

/* The row with a component that has columns. ECS_E_DEAD: the entity has no
 * place; ECS_E_ABSENT: it lacks the component; then table and row hold nothing
 * of use. In line: reads and writes of single entities live on it. */
static inline __attribute__((always_inline)) ecs_Status store_locate_columns(
    const Store *store, const Component *component, ecs_Entity entity,
    Table **table, uint32_t *row) {
  const Slot *slot = store_find_slot(store, entity, table);
  if (ECS_UNLIKELY(slot == NULL)) return ECS_E_DEAD;
  *row = slot->row_bits;
  if (component->group != 0) {
    const Group *group = store->groups[component->group];
    RowId row_id = locator_find(&group->locator, id_index(entity));
    if (row_id.row == LOCATOR_NONE) return ECS_E_ABSENT;
    *row = row_id.row;
    *table = group->tables[row_id.table];
  }
  return ECS_LIKELY(table_has_columns(*table, component->bit)) ? ECS_OK
                                                               : ECS_E_ABSENT;
}

/* Is the handle alive, recorded spawns included? */
ECS_INTERNAL bool store_alive(const Store *store, ecs_Entity entity);

/* Is it alive and waiting for its first place? */
ECS_INTERNAL bool store_is_reserved(const Store *store, ecs_Entity entity);

/* The row with the component's columns, or bit; table NULL when the entity is
 * placed and lacks it. ECS_E_DEAD for what has no place. */
ECS_INTERNAL ecs_Status store_locate(const Store *store, ecs_Entity entity,
                                     ecs_Component component, RowRef *location);

/* Changing one entity: ECS_E_DEAD for what has no place ------------------- */

/* Adds a component with an image or defaults; where it is present nothing
 * happens. ECS_E_MEMORY, ECS_E_LIMIT. Cost: moves one row of its group and
 * fills the hole. */
static inline ecs_Status store_add(Store *store, ecs_Entity entity,
                                   ecs_Component component, const void *image);

/* Removes a component; where it is absent nothing happens. ECS_E_MEMORY and
 * ECS_E_LIMIT, for the table it leads to. */
static inline ecs_Status store_remove(Store *store, ecs_Entity entity,
                                      ecs_Component component);

/* The ways: for any component; for one alone in a group of one table; for one
 * in the main group, and for one stored as bits there. What is added by a way
 * other than the first has f32 or no fields, what is removed from a set has
 * fields of four bytes. They hand on to the first what is not for them. */
ECS_INTERNAL AddComponent store_add_any, store_add_to_set, store_add_in_main,
    store_add_as_bit;
ECS_INTERNAL RemoveComponent store_remove_any, store_remove_from_set,
    store_remove_in_main, store_remove_as_bit;

/* Destroys an entity. */
ECS_INTERNAL ecs_Status store_destroy_entity(Store *store, ecs_Entity entity);

/* Takes an entity out of the groups that its summary names, but for the main
 * one. */
ECS_INTERNAL void store_leave_all(Store *store, ecs_Entity entity,
                                  uint32_t summary);

/* Destroys all. Cannot fail; memory is kept. */
ECS_INTERNAL void store_clear(Store *store);

/* For the floors that change structure too: spawn, regroup, commands ------ */

/* Says which of its group's bits a component has from now on. */
ECS_INTERNAL void component_settle(Component *component, Group *group,
                                   uint32_t bit);

/* Every structural change says so, to its group and to the world. */
static inline void store_touch(Store *store, Group *group) {
  ECS_ASSERT(store->groups[group->id] == group);
  group->version++;
  store->row_epoch++;
}

/* Grows with every structural change: what the groups' versions add up to. */
ECS_INTERNAL uint64_t store_structure_version(const Store *store);

/* Room in a table for rows more rows with that many columns of bits. Says so
 * when the columns have moved for it, since that alone is a change to whoever
 * keeps pointers to them; also when it fails half way. ECS_E_MEMORY,
 * ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status store_reserve_rows(Store *store, Group *group,
                                           Table *table, uint32_t bits_columns,
                                           uint64_t rows);

/* Tells where an entity's row of a group is now. The locator must be ready. */
static inline void store_set_place(Store *store, Group *group, uint32_t at,
                                   const Table *table, uint32_t row) {
  if (group->id == 0)
    entity_index_move(&store->index, at, table->id, row);
  else
    locator_set(&group->locator, at, (RowId){row, table->id});
}

/* Takes a row away and tells the entity that fills the hole its new place.
 * The place of the removed entity is left as it was. */
static inline void store_remove_row(Store *store, Group *group, Table *table,
                                    uint32_t row) {
  ecs_Entity moved = table_remove(table, row);
  if (moved != 0) store_set_place(store, group, id_index(moved), table, row);
}

/* With more groups than bits a summary bit is shared and stays set: it only
 * ever means that asking is worth while. */
static inline bool summary_is_exact(const Store *store) {
  return store->group_count <= SLOT_SUMMARY_BITS + 1u;
}

/* Leaves a group other than the main one: locator and summary. */
ECS_INTERNAL void store_leave(Store *store, Group *group, uint32_t at);

/* Enters a group other than the main one: locator and summary. */
static inline void store_enter(Store *store, Group *group, uint32_t at,
                               const Table *table, uint32_t row) {
  store_set_place(store, group, at, table, row);
  entity_index_slot(&store->index, at)->table_bits |= group->summary;
}

/* The columns of bits a group's component needs in a table. */
static inline uint32_t bits_columns_for(const Group *group, uint32_t bit) {
  return group_is_bits(group, bit) ? group->components[bit].bits_index / 8u + 1u
                                   : 0u;
}

static inline void table_write_bit(Table *table, uint32_t row,
                                   uint32_t bits_index, bool on) {
  uint8_t *bits = &table_bits(table, bits_index >> 3)[row];
  uint8_t bit = (uint8_t)(1u << (bits_index & 7u));
  *bits = (uint8_t)(on ? *bits | bit : *bits & ~bit);
}

/* In line ----------------------------------------------------------------- */

static inline ecs_Status store_add(Store *store, ecs_Entity entity,
                                   ecs_Component component, const void *image) {
  const Component *what = &store->components[component];
  return what->add(store, entity, what, image);
}

static inline ecs_Status store_remove(Store *store, ecs_Entity entity,
                                      ecs_Component component) {
  const Component *what = &store->components[component];
  return what->remove(store, entity, what);
}

/* Checked builds: every place, locator, slot and table agrees with the rest. */
ECS_INTERNAL bool store_check_invariants(const Store *store);

#endif
