/* component.h: a component of a store: its schema, its group, and the ways of
 * adding and removing it.
 *
 * Which way is the shortest depends on how the component is stored and on the
 * types of its fields. It is chosen when the component is placed in a group, so
 * that no change asks again: a switch at each call made a pair of add and
 * remove 1 to 5 % slower. The functions belong to a higher floor (change/),
 * which hands them to the store as one constant table.
 */
#ifndef ECS_COMPONENT_H
#define ECS_COMPONENT_H

#include "storage/group.h"

typedef struct Store Store;
typedef struct Component Component;

/* Adds a component with an image, NULL for defaults, where it is absent; or
 * removes it where it is present. ECS_E_DEAD for an entity without a row;
 * ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed. */
typedef ecs_Status AddComponent(Store *store, ecs_Entity entity,
                                const Component *component, const void *image);
typedef ecs_Status RemoveComponent(Store *store, ecs_Entity entity,
                                   const Component *component);

typedef struct ChangeWays {
  AddComponent *add_any;     /* any component of any group */
  AddComponent *add_to_set;  /* of f32 or no fields, in a narrow group */
  AddComponent *add_in_main; /* of f32 or no fields, in the main group's tables,
                                not stored as bits */
  AddComponent *add_as_bit;  /* stored as bits, in the main group */
  RemoveComponent *remove_any;
  RemoveComponent
      *remove_from_set;            /* of four-byte or no fields, narrow group */
  RemoveComponent *remove_in_main; /* of any fields, not stored as bits */
  RemoveComponent *remove_as_bit;
} ChangeWays;

struct Component {
  Schema *schema;          /* owned */
  Group *group;            /* the group it belongs to; borrowed */
  AddComponent *add;       /* the shortest way that fits it */
  RemoveComponent *remove; /* likewise */
  ecs_Storage storage;     /* as it was defined; regrouping keeps it */
  uint32_t group_id;       /* of group */
  uint32_t bit;            /* in that group */
  uint32_t last_edge_key;  /* of the edge that adds it; that of the edge which
                              removes it is one less */
  uint32_t field_count;    /* the schema's */
  uint32_t bits_index;     /* GROUP_NOT_BITS: not stored as bits */
  uint32_t readers; /* open cursors that read it; writers count here too */
  uint32_t writers; /* open cursors that write it */
};

/* Writes which bit of which group a component is from now on, and chooses its
 * ways. */
ECS_INTERNAL void component_place(Component *component, const ChangeWays *ways,
                                  Group *group, uint32_t bit);

#endif
