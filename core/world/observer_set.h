/* observer_set.h: the observers of a world's changes, and what they are to be
 * told.
 *
 * Where a component is observed, its changes are recorded, also where nothing
 * is open (deferred_change.h), so that observe.h meets all of them in one
 * place, before a recording is applied; only spawns, and clearing a world, are
 * told of without one. What observers are to be told waits in one
 * queue, in the order in which they are to be told:
 *
 *      notices   | e1 add A | e1 enter Q | e2 remove A | e3 destroy |
 *                  ^ next                ^ round_end        waiting: 2
 *      images                                 | A of e2 |
 *
 * A round is what is given out now. What happens meanwhile waits behind it. A
 * notice of what leaves has an image of its last values.
 *
 * What sets an entity's component in place, while a level is open, is listed
 * until the outermost level is closed.
 *
 * Cost: a component that is not observed is changed as without observers.
 */
#ifndef ECS_OBSERVER_SET_H
#define ECS_OBSERVER_SET_H

#include "base/access.h"
#include "change/net_effect.h"

typedef struct Observer {
  ecs_Observer id;
  ecs_Occasion occasion;
  ecs_Term *terms; /* owned; the query's, or the component alone */
  uint32_t term_count;
  uint64_t concerns; /* component_bit of each component that decides by
                        coming or going; all bits where others do, too */
} Observer;

/* One of 64 bits for a component, to pass over most of those that do not
 * concern an observer. */
static inline uint64_t component_bit(ecs_Component component) {
  return UINT64_C(1) << component % 64;
}

typedef struct Notice {
  ecs_Entity entity;
  ecs_Observer observer;
  uint32_t image; /* into the words; of what leaves */
} Notice;

/* An entity's component was set. */
typedef struct ToldSet {
  ecs_Entity entity;
  ecs_Component component;
  bool done; /* while a recording is applied: its notices are made */
} ToldSet;

typedef struct ObserverSet {
  Observer *observers; /* owned; in the order of registration, and of ids */
  uint32_t count, capacity;
  ecs_Observer last_id; /* issued */
  bool asks_deaths;     /* one is told when an entity dies */
  Notice *notices;      /* owned */
  uint32_t notice_count, notice_capacity;
  uint32_t next;      /* of the round, to be given out */
  uint32_t round_end; /* notices from here on wait */
  uint32_t waiting;   /* how many */
  uint64_t *words;    /* owned; of images: for each term with fields of the
                         observer a word, 1: it is there, and its image */
  uint32_t word_count, word_capacity;
  const void **images; /* owned; of the notice that was given out last */
  uint32_t image_capacity;
  ToldSet *sets; /* owned; each once */
  uint32_t set_count, set_capacity;
  uint32_t *places; /* owned; by hash of entity and component: sets, plus one */
  uint32_t place_capacity;  /* a power of two, or 0 */
  const struct Table *born; /* borrowed; of rows that were spawned at once and
                               are being filled in; NULL: there are none */
  uint32_t born_first, born_count; /* its rows */
  uint32_t born_notices;           /* that were made of them */
  NetEffect effect;         /* of a chain in which components need others */
  struct Command *commands; /* owned; scratch memory for one chain */
  uint32_t command_capacity;
} ObserverSet;

/* Do notices of what leaves have an image for a term? */
static inline bool observer_shows(const ecs_Term *term, const Schema *schema) {
  return access_has_own_columns(term->access) && schema->field_count > 0;
}

/* The words that an image takes. */
static inline uint32_t observer_words(const Schema *schema) {
  return (schema->image_bytes + 7u) / 8u;
}

/* Frees everything. */
ECS_INTERNAL void observer_set_deinit(ObserverSet *set, Memory *memory);

/* Gives back memory that is not needed now. */
ECS_INTERNAL void observer_set_trim(ObserverSet *set, Memory *memory);

/* Registers an observer; terms are copied, and were checked. ECS_E_MEMORY,
 * ECS_E_LIMIT: nothing has changed. Cost: all components and bundles. */
ECS_INTERNAL ecs_Status observer_set_add(ObserverSet *set, Store *store,
                                         ecs_Occasion occasion,
                                         const ecs_Term *terms, uint32_t count,
                                         ecs_Observer *id);

/* Takes an observer out, if it is there; its notices are passed over. Cost: as
 * observer_set_add. */
ECS_INTERNAL void observer_set_remove(ObserverSet *set, Store *store,
                                      ecs_Observer id);

/* The observer of an id; NULL: there is none any more. Cost: a binary search.
 */
ECS_INTERNAL const Observer *observer_set_find(const ObserverSet *set,
                                               ecs_Observer id);

/* Notices ----------------------------------------------------------------- */

/* Makes room for more notices. ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed.
 */
ECS_INTERNAL ecs_Status observer_set_reserve(ObserverSet *set, Memory *memory,
                                             uint64_t count);

/* Begins a round with all notices that wait. What is left of the last one is
 * dropped. */
ECS_INTERNAL void observer_set_begin(ObserverSet *set);

/* Takes the next notice of the round, of an observer that is still there;
 * false: there are no more. */
ECS_INTERNAL bool observer_set_next(ObserverSet *set, const Store *store,
                                    ecs_Notice *notice);

/* Drops all notices. */
static inline void observer_set_drop(ObserverSet *set) {
  set->notice_count = set->next = set->round_end = set->waiting = 0;
  set->word_count = 0;
}

/* Sets -------------------------------------------------------------------- */

/* Makes room for one more set. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status observer_set_reserve_told(ObserverSet *set,
                                                  Memory *memory);

/* Lists that a component was set. There is room. */
ECS_INTERNAL void observer_set_tell(ObserverSet *set, ecs_Entity entity,
                                    ecs_Component component);

/* The set of a component of an entity; NULL: it is not listed. */
ECS_INTERNAL ToldSet *observer_set_told(const ObserverSet *set,
                                        ecs_Entity entity,
                                        ecs_Component component);

/* Forgets all but the first sets. */
ECS_INTERNAL void observer_set_rewind(ObserverSet *set, uint32_t count);

/* Checked builds: ids rise, places agree, and the flags of components are those
 * that the observers ask for. */
ECS_INTERNAL bool observer_set_check_invariants(const ObserverSet *set,
                                                const Store *store);

#endif
