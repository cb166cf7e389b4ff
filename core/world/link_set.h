/* link_set.h: the links of a world's components.
 *
 * A link is an entity field with a rule for when its target dies. Each has an
 * index (storage/link_index.h), which changes together with the columns:
 *
 *      a change now         recorded and applied at once (deferred_change.h)
 *      a recorded change    when it is applied (link_flush.h)
 */
#ifndef ECS_LINK_SET_H
#define ECS_LINK_SET_H

#include "storage/link_index.h"
#include "storage/store.h"

/* What a recording makes of a component with links of one entity, so far. */
typedef struct LinkState {
  ecs_Entity entity;
  ecs_Component component; /* 0: the entity itself */
  bool present;            /* it is there */
  bool rebuilt;            /* a rule took it away: see link_flush.h */
  uint64_t cleared;        /* fields that are not as commands say, by a rule */
} LinkState;

/* A link as it was before a recording changed it. */
typedef struct LinkStep {
  LinkIndex *index;
  ecs_Entity source;
  ecs_Entity target; /* that it had; 0: none */
  uint32_t next;     /* the source behind it */
} LinkStep;

/* A change that a rule adds to the recording. */
typedef struct LinkChange {
  ecs_Entity entity;
  uint32_t kind; /* CommandKind */
  ecs_Component component;
  const void *image; /* borrowed from the recording */
  uint64_t fields;
} LinkChange;

/* Scratch memory of link_flush.h, and of family.h, all owned. */
typedef struct LinkWork {
  LinkState *states;
  uint32_t state_count, state_capacity;
  uint32_t *places; /* by hash of entity and component: states, plus one */
  uint32_t place_capacity; /* a power of two, or 0 */
  LinkStep *steps;
  uint32_t step_count, step_capacity;
  LinkChange *changes;
  uint32_t change_count, change_capacity;
  ecs_Entity *dying; /* by a rule or a command, in their order */
  uint32_t dying_count, dying_capacity;
  struct Command *commands; /* of one run */
  uint32_t command_capacity;
  struct SpawnedRows *members; /* of one family */
  uint32_t member_capacity;
  bool lost; /* a rule took a component away that may be added again */
} LinkWork;

typedef struct LinkSet {
  LinkIndex *indices; /* owned, in the order of components and fields */
  uint32_t count;
  uint32_t capacity;
  ecs_Entity refused[2]; /* source and target of the link that was refused
                            last */
  bool made;    /* a link was made or recorded since the last recording ended */
  bool copying; /* links are those of a tree among copies: no circle closes */
  LinkWork work;
} LinkSet;

/* Makes room for the links of one more component. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status link_set_reserve(LinkSet *links, Memory *memory,
                                         uint32_t count);

/* Gives a new component its indices. Room must be reserved. */
ECS_INTERNAL void link_set_define(LinkSet *links, Store *store,
                                  ecs_Component id);

/* Frees everything. */
ECS_INTERNAL void link_set_deinit(LinkSet *links, Memory *memory);

/* Takes all links away: all entities are destroyed. */
ECS_INTERNAL void link_set_clear(LinkSet *links);

/* Gives back memory that is not needed now. */
ECS_INTERNAL void link_set_trim(LinkSet *links, Memory *memory);

/* Frees the scratch memory. */
ECS_INTERNAL void link_work_deinit(LinkWork *work, Memory *memory);

/* The first index of a component's links, the others follow it; NULL: it has
 * none. */
static inline LinkIndex *links_of(const LinkSet *links,
                                  const Component *component) {
  if (component->link_count == 0) return NULL;
  return &links->indices[component->first_link];
}

/* Does any entity of the world link to another? */
static inline bool world_has_links(const LinkSet *links) {
  for (uint32_t i = 0; i < links->count; i++)
    if (links->indices[i].links > 0) return true;
  return false;
}

/* Does an entity link, or is it linked to? Cost: a look at each index. */
static inline bool is_linked(const LinkSet *links, ecs_Entity entity) {
  for (uint32_t i = 0; i < links->count; i++) {
    const LinkNode *node = link_node(&links->indices[i], id_index(entity));
    if (node != NULL && node->entity == entity &&
        (node->target != 0 || node->count > 0))
      return true;
  }
  return false;
}

/* The index of the component's only link that is a tree; NULL: there is none,
 * or more than one. */
static inline LinkIndex *link_set_find_tree(const LinkSet *links,
                                            const Component *component) {
  LinkIndex *indices = links_of(links, component), *found = NULL;
  for (uint32_t i = 0; i < component->link_count; i++) {
    if (!indices[i].tree) continue;
    if (found != NULL) return NULL;
    found = &indices[i];
  }
  return found;
}

/* The target that an image has for a link; 0: none. image may be NULL. */
static inline ecs_Entity link_in_image(const LinkIndex *index,
                                       const Component *component,
                                       const void *image) {
  ecs_Entity target = 0;
  if (image != NULL)
    memcpy(&target,
           (const char *)image + component->schema->fields[index->field].offset,
           sizeof target);
  return target;
}

/* The index of a link; NULL: the field is none. */
static inline LinkIndex *link_set_find(const LinkSet *links, const Store *store,
                                       ecs_Component id, uint32_t field) {
  const Component *component = &store->components.all[id];
  LinkIndex *indices = links_of(links, component);
  for (uint32_t i = 0; i < component->link_count; i++)
    if (indices[i].field == field) return &indices[i];
  return NULL;
}

#endif
