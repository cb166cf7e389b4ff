/* unpack_part.h: what the parts of unpacking rows share.
 *
 *      unpack.c          components, names, changes; all of it
 *      unpack_links.c    links
 */
#ifndef ECS_UNPACK_PART_H
#define ECS_UNPACK_PART_H

#include "state/load_part.h"

/* Where an entity is among the packed rows. */
typedef struct UnpackPlace {
  ecs_Entity entity;
  uint32_t row;
} UnpackPlace;

/* What becomes of a component of the rows. */
typedef struct UnpackComponent {
  const SavedComponent *was; /* borrowed */
  ecs_Component id;          /* 0: it is left out */
  char *images;       /* owned; of the rows that have it, one after the other;
                         NULL: it has no fields */
  size_t image_bytes; /* of one */
  uint64_t links;     /* bit i: field i is a link, which is nil in the images */
  uint64_t next;      /* image of the next row that has it, while all are gone
                         through */
} UnpackComponent;

/* A link of the world, and what the rows make of it. */
typedef struct UnpackLink {
  UnpackComponent *component; /* borrowed */
  LinkIndex *index;           /* borrowed */
  ecs_Entity *targets;        /* owned; by row; 0: it links to nothing */
  uint32_t *sources;          /* owned; rows that link, in order */
  uint32_t source_count;
} UnpackLink;

typedef struct Unpack {
  Load load; /* without a snapshot: what is told and refused */
  const ecs_Saved *saved;
  const ecs_UnpackOptions *options;
  ecs_World *world;
  Memory *memory;
  UnpackComponent *components; /* owned; by number */
  UnpackPlace *places;         /* owned; by index of the entity */
  ecs_Entity *made;            /* borrowed; by row: the entity here */
  UnpackLink *links;           /* owned */
  uint32_t link_count, link_capacity;
  uint32_t *texts; /* owned; of names, in their order; 0: it has its name */
  uint32_t text_count;
  ecs_Component *ids;  /* owned; scratch: components of an entity */
  const void **values; /* owned; scratch: of these; NULL: a tag */
  char *slots;         /* owned; of the world's indices, before */
  size_t slot_bytes;
  IndexCounts counts; /* of these */
} Unpack;

static inline bool unpack_has(const UnpackComponent *component, uint64_t row) {
  return component->was->tags[row] != 0;
}

static inline ecs_Entity unpack_entity(const Unpack *unpack, uint64_t row) {
  return load_get64(unpack->saved->entities, row);
}

/* The row of a packed entity; UINT32_MAX: it is not among them. Cost: a search by
 * halves. */
ECS_INTERNAL uint32_t unpack_find(const Unpack *unpack, ecs_Entity entity);

/* What a packed entity field leads to here: the entity that was made of one of the
 * rows; of others, under their own handles what it says; for new entities what is
 * alive, or nothing. */
ECS_INTERNAL ecs_Entity unpack_mend(const Unpack *unpack, ecs_Entity entity);

#endif
