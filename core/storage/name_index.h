/* name_index.h: components by their names.
 *
 *      hash of "Health"  -->  entry  3 | -> 7      its component, by id
 *                                    4 | free
 *                                    5 | -> 2
 *
 * An open hash with linear probing, at most half full. Components are never
 * undefined, so entries are never removed; names stay with their schemas.
 */
#ifndef ECS_NAME_INDEX_H
#define ECS_NAME_INDEX_H

#include "storage/component.h"

typedef struct NameIndex {
  ecs_Component *entries; /* owned; 0: a free entry */
  uint32_t count;
  uint32_t capacity; /* a power of two, more than twice the count; or 0 */
} NameIndex;

/* Frees the entries. */
ECS_INTERNAL void name_index_deinit(NameIndex *index, Memory *memory);

/* The component of a name, of those in an array by id; 0: there is none. Cost:
 * one probe, mostly. */
ECS_INTERNAL ecs_Component name_index_find(const NameIndex *index,
                                           const Component *components,
                                           const char *name);

/* Makes room for one more name. False: ECS_E_MEMORY, nothing has changed. Cost:
 * reads every name each time that the capacity doubles. */
ECS_INTERNAL bool name_index_reserve(NameIndex *index, Memory *memory,
                                     const Component *components);

/* Adds a component with a name that is not there yet. Room must be reserved. */
ECS_INTERNAL void name_index_insert(NameIndex *index,
                                    const Component *components,
                                    ecs_Component id);

/* Checked builds: is each of so many components, from id 1 on, found by its
 * name, and no other? */
ECS_INTERNAL bool name_index_check_invariants(const NameIndex *index,
                                              const Component *components,
                                              uint32_t count);

#endif
