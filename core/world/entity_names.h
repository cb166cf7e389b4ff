/* entity_names.h: the names of a world's entities.
 *
 *      texts     "gate" 1   "player" 2          each kept once (text_pool.h)
 *      names     e9 "player" | e4 "gate"        dense
 *      by index  9 -> 0   4 -> 1                positions in names
 *      by text   2 -> 0   1 -> 1                likewise
 *
 * Destroying an entity does not look here: a name of a dead entity counts
 * for nothing, and is dropped when another entity takes it, or its index, or
 * when names are swept. So entities without a name cost nothing, and what is
 * recorded and taken back needs no care: while a destruction is recorded, the
 * name counts for nothing either.
 *
 * A world may have a tag for entities with a name, so that queries find them. Names
 * change at once, but the tag is part of an entity's structure: while the world
 * is open, entities with changed names are listed, and get the tag or lose
 * it when the recording ends (deferral.c).
 */
#ifndef ECS_ENTITY_NAMES_H
#define ECS_ENTITY_NAMES_H

#include "base/id.h"
#include "storage/locator.h"
#include "storage/text_pool.h"

typedef struct EntityName {
  ecs_Entity entity;
  uint32_t text; /* in the pool */
} EntityName;

typedef struct EntityNames {
  TextPool texts;
  EntityName *names; /* owned */
  uint32_t count;
  uint32_t capacity;
  Locator by_index;  /* narrow; a position in names */
  uint32_t *by_text; /* owned; by text: a position in names, plus one */
  uint32_t text_capacity;
  uint64_t version;       /* grows when a name is given or dropped */
  ecs_Component tag;      /* of entities with a name; 0: there is none */
  ecs_Entity *renamed;    /* owned; whose tag may not agree with their name */
  uint32_t renamed_count; /* 0 while the world is closed, unless memory ran out
                               as the recording ended */
  uint32_t renamed_capacity;
} EntityNames;

/* Allocates nothing. */
ECS_INTERNAL void entity_names_init(EntityNames *names);

/* Frees everything: there are no names. The tag stays. */
ECS_INTERNAL void entity_names_deinit(EntityNames *names, Memory *memory);

/* The entity that has a name, dead or alive; 0: none. */
ECS_INTERNAL ecs_Entity entity_names_find(const EntityNames *names,
                                          const char *name);

/* The name of an entity, borrowed until it gets another; NULL: it has none. */
ECS_INTERNAL const char *entity_names_get(const EntityNames *names,
                                          ecs_Entity entity);

/* Makes room for a name of an entity, and keeps its text, which
 * entity_names_place or entity_names_release takes. ECS_E_MEMORY: nothing has
 * changed. */
ECS_INTERNAL ecs_Status entity_names_reserve(EntityNames *names, Memory *memory,
                                             ecs_Entity entity,
                                             const char *name, uint32_t *text);

/* Gives an entity the name for which room was made. Another entity that has the
 * name, or the index, loses its own. */
ECS_INTERNAL void entity_names_place(EntityNames *names, Memory *memory,
                                     ecs_Entity entity, uint32_t text);

/* Forgets the text of a name that is not given after all. */
ECS_INTERNAL void entity_names_release(EntityNames *names, Memory *memory,
                                       uint32_t text);

/* Makes room in the list of renamed entities. False: ECS_E_MEMORY. */
ECS_INTERNAL bool entity_names_reserve_renamed(EntityNames *names,
                                               Memory *memory, uint32_t count);

/* Drops the name at a position; the last one takes it. */
ECS_INTERNAL void entity_names_drop(EntityNames *names, Memory *memory,
                                    uint32_t position);

/* Drops the name of an entity, if it has one. */
ECS_INTERNAL void entity_names_clear(EntityNames *names, Memory *memory,
                                     ecs_Entity entity);

/* Checked builds: do names, indices, texts and the pool agree? */
ECS_INTERNAL bool entity_names_check_invariants(const EntityNames *names);

#endif
