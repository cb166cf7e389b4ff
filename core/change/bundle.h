/* bundle.h: sets of components that are spawned together.
 *
 * A bundle is resolved once: for every group that its components belong to, the
 * table that the row goes to; for every field, the column that it is stored in.
 *
 *      bundle {Position, Velocity, Stunned}
 *        groups[0]   main group   table {Position Velocity}
 *        groups[1]   group 3      table {Stunned}
 *
 * What its components need and what is not among them comes behind them, with
 * defaults: callers give values for the components that they named.
 *
 * The main group always comes first. When the layout of the store has changed,
 * the bundle is resolved again before it is used.
 */
#ifndef ECS_BUNDLE_H
#define ECS_BUNDLE_H

#include "change/change_state.h"

/* A group that the bundle's entities get a row in. */
typedef struct BundleGroup {
  Group *group;             /* borrowed */
  Table *table;             /* borrowed from the group */
  uint32_t bits_columns;    /* columns of bits that the table needs */
  uint32_t tables_before;   /* of the group, when the bundle was resolved */
  uint32_t capacity_before; /* of the table; scratch of spawn_together.h */
} BundleGroup;

/* Where one field of one component goes. */
typedef struct BundleColumn {
  uint32_t group_index; /* in the bundle's groups */
  uint32_t offset;      /* of the field in the component's image, in bytes */
  uint16_t field;       /* position in the table's fields */
  ColumnCode code;
  uint8_t type; /* ecs_Scalar */
} BundleColumn;

typedef struct BundleItem {
  ecs_Component component;
  uint32_t group_index; /* in the bundle's groups */
  uint32_t first_column;
  uint32_t column_count; /* 0: a tag */
  uint32_t bits_index;   /* GROUP_NOT_BITS: not stored as bits */
  bool zero_defaults;    /* all fields default to zero */
} BundleItem;

/* The columns of one item of a plain bundle. */
typedef struct BundleRun {
  const void *defaults; /* the schema's image, for an item without a value */
  uint32_t item;
  uint32_t count; /* of columns, at a stride each */
} BundleRun;

struct Bundle {
  BundleItem *items;     /* owned; in the caller's order, then what they need */
  BundleGroup *groups;   /* owned; the main group first */
  BundleColumn *columns; /* owned; in the order of items, then fields */
  void **pointers;       /* owned; by column: for the cursor over rows that were
                            spawned at once, of which one at most is open */
  uint32_t *first_rows;  /* owned; by group: for spawn_rows */
  uint32_t item_count;
  uint32_t given_count; /* items that the caller named */
  bool needy;           /* an item needs others */
  bool linked;          /* a component of it has fields that are links */
  bool noticed;         /* its spawns are: a component of it is observed or has
                           links, or every spawn is observed */
  uint32_t group_count;
  uint32_t column_count;
  BundleRun *runs; /* owned; items with columns, in the order of columns; valid
                      while the bundle is plain */
  uint32_t run_count;
  uint64_t layout_version; /* that groups and columns were resolved for;
                              UINT64_MAX: they are not */
  uint64_t single_version; /* the same while there is one group and nothing is
                              stored as bits; or UINT64_MAX */
  uint64_t plain_version;  /* as single_version, while the bundle is plain: all
                              its columns are of f32; or UINT64_MAX */
  uint32_t shape_version;  /* of the shapes (chain_shape.h) that shape is one
                              of; 0: of none */
  uint32_t shape;          /* of a recorded spawn with all values */
};

/* Is the component among the bundle's? */
static inline bool bundle_has(const Bundle *bundle, ecs_Component component) {
  for (uint32_t i = 0; i < bundle->item_count; i++)
    if (bundle->items[i].component == component) return true;
  return false;
}

/* Creates a bundle of components that exist and are different, and of what they
 * need. Owned by the caller. NULL: ECS_E_MEMORY. */
ECS_INTERNAL Bundle *bundle_create(Store *store,
                                   const ecs_Component *components,
                                   uint32_t count);

/* Frees it; NULL is fine. */
ECS_INTERNAL void bundle_destroy(Store *store, Bundle *bundle);

/* Finds or creates the bundle of these components in this order. The components
 * exist and are different. ECS_E_MEMORY, ECS_E_LIMIT. Cost: compares every
 * bundle. */
ECS_INTERNAL ecs_Status bundle_ensure(Store *store,
                                      const ecs_Component *components,
                                      uint32_t count, ecs_Bundle *id);

/* The bundle for a spawn without a bundle id. Some of those that were
 * used last are kept, each in the one place that its components have, so that
 * a program that spawns a few kinds of entities in turns makes no bundles.
 * Owned by the store, until the next spawn of that kind. NULL: ECS_E_MEMORY. */
ECS_INTERNAL Bundle *bundle_for_once(Store *store,
                                     const ecs_Component *components,
                                     uint32_t count);

/* The same, if it is kept; otherwise NULL. Here the components may be anything:
 * a bundle that is kept shows that they exist and are different. */
ECS_INTERNAL Bundle *bundle_find_once(Store *store,
                                      const ecs_Component *components,
                                      uint32_t count);

/* Is the component in a bundle that has an id? Cost: every item of each. */
ECS_INTERNAL bool bundle_uses(const Store *store, ecs_Component component);

/* Frees the bundles of the last spawns without a bundle id. */
ECS_INTERNAL void bundle_forget_once(Store *store);

/* Destroys every bundle of the store. */
ECS_INTERNAL void bundle_destroy_all(Store *store);

/* Resolves the bundle unless it is up to date. ECS_E_MEMORY, ECS_E_LIMIT: not
 * even an empty table is left. Cost: one comparison, mostly. */
ECS_INTERNAL ecs_Status bundle_resolve(Store *store, Bundle *bundle);

/* Drops the tables that resolving the bundle has just created: a failed change
 * leaves no trace. */
ECS_INTERNAL void bundle_unresolve(Store *store, Bundle *bundle);

/* The columns of the items that the caller named. */
static inline uint32_t bundle_given_columns(const Bundle *bundle) {
  return bundle->given_count == bundle->item_count
             ? bundle->column_count
             : bundle->items[bundle->given_count].first_column;
}

/* Decides anew, for every bundle, whether its spawns are noticed. Cost: all
 * items of all bundles. */
ECS_INTERNAL void bundle_choose_all(Store *store);

/* The bundle is resolved anew when it is used next. */
static inline void bundle_forget_layout(Bundle *bundle) {
  bundle->layout_version = UINT64_MAX;
  bundle->single_version = bundle->plain_version = UINT64_MAX;
}

#endif
