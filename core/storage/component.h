/* component.h: a component of a store: its schema, its group, and the functions
 * that add and remove it.
 *
 * Which function is the fastest depends on how the component is stored and on
 * the types of its fields. The function is chosen once, when the component is
 * placed in a group: choosing it at each call made a pair of add and remove 1
 * to 5 % slower. The functions are defined in a later folder (change/), which
 * passes them to the store as one constant table.
 */
#ifndef ECS_COMPONENT_H
#define ECS_COMPONENT_H

#include "storage/group.h"

typedef struct Store Store;
typedef struct Component Component;

/* Adds a component, with an image or with defaults (NULL), to an entity that
 * lacks it; or removes it from an entity that has it; and counts the change.
 * ECS_E_DEAD: the entity has no row. ECS_E_MEMORY, ECS_E_LIMIT: nothing has
 * changed. */
typedef ecs_Status AddComponent(Store *store, ecs_Entity entity,
                                Component *component, const void *image);
typedef ecs_Status RemoveComponent(Store *store, ecs_Entity entity,
                                   Component *component);

/* Destroys an entity and all of its rows. ECS_E_DEAD: it has no row. Cost: its
 * columns; where it has rows of other groups, theirs, too. */
typedef ecs_Status DestroyEntity(Store *store, ecs_Entity entity);

/* Those for sets are for narrow groups; those in main for components in the
 * main group's tables, not stored as bits. There are two constant tables: the
 * functions of the second write, or have written, what marks follow. Stamps are
 * written by `any` and by the second `destroy`. */
typedef struct ChangeWays {
  AddComponent *add_any; /* any component of any group */
  AddComponent *add_to_set;
  AddComponent *add_in_main;
  AddComponent *add_as_bit; /* stored as bits, in the main group */
  RemoveComponent *remove_any;
  RemoveComponent *remove_from_set;
  RemoveComponent *remove_in_main;
  RemoveComponent *remove_as_bit;
  DestroyEntity *destroy;
} ChangeWays;

/* The first line has what a change of one entity reads. The size is a power of
 * two, so that the address of a component is a shift and not a product: that is
 * three instructions in each change and each read by component. */
struct Component {
  Schema *schema;          /* owned */
  Group *group;            /* the group it belongs to; borrowed */
  AddComponent *add;       /* the fastest function that fits */
  RemoveComponent *remove; /* likewise */
  uint32_t readers;  /* open cursors that read it; writers count here too */
  uint32_t guards;   /* why a store of its fields is not all there is to do:
                              links, queries that ask when they were written, and
                              hashes that are kept until then */
  uint32_t writers;  /* open cursors that write it */
  uint32_t group_id; /* of group */
  uint32_t bit;      /* in that group */
  uint32_t last_edge_key; /* last_edge_key of adding it; removing it has
                              this key less one */
  uint32_t field_count;   /* the schema's */
  uint8_t f32_count;      /* field_count if all fields are f32; otherwise 0 */
  uint8_t cell_count;     /* the same if all have four bytes; otherwise 0 */
  bool noting;            /* in the main group its functions note */
  bool noticed; /* it is observed, has links or needs others: adding and
                              removing it takes more than moving a row */
  uint64_t
      changes; /* entities that got it or lost it by a change, not by a spawn
                       or a destruction; halved by ecs_world_optimize */
  uint32_t bits_index; /* GROUP_NOT_BITS: not stored as bits */
  uint32_t
      next_silent;     /* if it is not noting: the next component in the store's
                            list of those that are not; 0: none */
  ecs_Storage storage; /* as it was defined; regrouping keeps it */
  uint32_t first_link; /* of its links among the world's; see link_set.h */
  uint32_t link_count; /* fields that are links */
  uint32_t need_count;
  uint32_t need_capacity;
  uint32_t followers;   /* queries that ask for changes of rows with it */
  ecs_Component *needs; /* owned; what an entity that gets it gets, too */
  bool observed;        /* observers ask when it comes or goes */
  bool observed_sets;   /* observers ask when it is set */
  uint64_t kept;        /* the mark of hashes of its columns that are kept
                             (store_keep), which is one of its guards; 0: its
                             columns were written since, or none was kept */
#if UINTPTR_MAX == UINT32_MAX
  uint64_t padding[2];
#endif
};

_Static_assert((sizeof(Component) & (sizeof(Component) - 1)) == 0,
               "the address of a component is a shift");

/* Is it a tag that is stored as bits at present, whatever its definition says? */
static inline bool component_is_bits(const Component *component) {
  return component->bits_index != GROUP_NOT_BITS;
}

/* Is it where its definition puts it? Using a component for the first time
 * defines it, which must not change what is said of the world. */
static inline bool component_is_home(const Component *component) {
  if (component->storage == ECS_STORE_SPARSE)
    return component->group_id != 0 && component->group->component_count == 1;
  return component->group_id == 0 &&
         component_is_bits(component) == (component->storage == ECS_STORE_BITS);
}

/* Does adding it concern more than its own columns? Then it is recorded, and
 * applied at once where nothing is open. */
static inline bool component_reaches(const Component *component) {
  return (component->link_count | component->need_count) > 0;
}

/* Is storing its fields out of the ordinary? A cursor claims the component, or it
 * has guards. Cost: one load. */
static inline bool component_is_guarded(const Component *component) {
  _Static_assert(offsetof(Component, guards) ==
                     offsetof(Component, readers) + sizeof(uint32_t),
                 "both are one word");
  uint64_t both;
  memcpy(&both, &component->readers, sizeof both);
  return both != 0;
}

/* Sets the group of a component and its bit there, and chooses the functions
 * that add and remove it. */
ECS_INTERNAL void component_place(Component *component, const ChangeWays *ways,
                                  Group *group, uint32_t bit);

/* Chooses these functions again, after its set has begun or ceased to keep
 * marks. */
ECS_INTERNAL void component_choose(Component *component,
                                   const ChangeWays *ways);

#endif
