/* spawn.h: bundles, and the birth of entities.
 *
 * A bundle is a set of components resolved once: for every group they touch, a
 * part with the table the row goes to; for every field, the column it is stored
 * in. With room at hand, spawning writes the entity, the values and one slot.
 *
 *      bundle {Position, Velocity, Stunned}
 *        part 0   main group   table {Position Velocity}
 *        part 1   group 3      table {Stunned}
 *
 * The main group always has a part. Parts are resolved again when the layout
 * has changed since. As in store.h, arguments are trusted and every function
 * reserves first.
 */
#ifndef ECS_SPAWN_H
#define ECS_SPAWN_H

#include "storage/placement.h"

typedef struct BundleGroup {
  Group *group;
  Table *table;
  uint32_t bits_columns;  /* that the table needs */
  uint32_t tables_before; /* of the group, when the part was resolved */
} BundleGroup;

/* One field of one component, where it goes. */
typedef struct BundleColumn {
  uint32_t part;
  uint32_t offset; /* in the component's image */
  uint16_t field;  /* in the table's fields */
  ColumnCode code;
  uint8_t type; /* ecs_Scalar */
} BundleColumn;

typedef struct BundleItem {
  ecs_Component component;
  uint32_t part;
  uint32_t first_column;
  uint32_t column_count; /* 0: a tag */
  uint32_t bits_index;   /* GROUP_NOT_BITS: not stored as bits */
  bool zero_defaults;
} BundleItem;

/* The columns of one item where all are of f32, in a bundle of one table. */
typedef struct BundleRun {
  const void *defaults; /* the schema's image, for who brings none */
  uint32_t item;
  uint32_t count; /* of columns, at a stride each */
} BundleRun;

struct Bundle {
  BundleItem *items; /* in the caller's order */
  BundleGroup *parts;
  BundleColumn *columns; /* in the order of items, then fields */
  void **pointers;       /* by column: for the cursor over rows born at once,
                            of which only one can be open */
  uint32_t *first_rows;  /* by part: for spawn_rows */
  uint32_t item_count;
  uint32_t part_count;
  uint32_t column_count;
  BundleRun *runs; /* of items with columns, by column; when plain */
  uint32_t run_count;
  uint64_t layout_version; /* that parts and columns were resolved for */
  uint64_t plain_version;  /* the same when there is one part and all its
                              columns are of f32; otherwise UINT64_MAX */
};

/* Finds or makes the bundle of these components in this order. They exist and
 * are different. ECS_E_MEMORY, ECS_E_LIMIT. Cost of finding: a look at every
 * bundle. */
ECS_INTERNAL ecs_Status bundle_ensure(Store *store,
                                      const ecs_Component *components,
                                      uint32_t count, ecs_Bundle *id);
ECS_INTERNAL void bundle_destroy_all(Store *store);

/* A bundle for one spawn: the last one's when the components are the same.
 * NULL for lack of memory. */
ECS_INTERNAL Bundle *bundle_for_once(Store *store,
                                     const ecs_Component *components,
                                     uint32_t count);

/* Resolves the bundle and makes room for count entities: handles, rows,
 * locators. ECS_E_MEMORY, ECS_E_LIMIT: not even an empty table is left. */
ECS_INTERNAL ecs_Status spawn_reserve(Store *store, Bundle *bundle,
                                      uint64_t count);

/* One entity; values as in ecs_spawn, and entity may be NULL too. */
ECS_INTERNAL ecs_Status spawn_one(Store *store, Bundle *bundle,
                                  const void *const *values,
                                  ecs_Entity *entity);

/* count entities with defaults. In every part their rows follow each other;
 * first_rows, one per part, says from where. */
ECS_INTERNAL ecs_Status spawn_rows(Store *store, Bundle *bundle, uint32_t count,
                                   uint32_t *first_rows);

#endif
