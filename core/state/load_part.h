/* load_part.h: what the parts of loading a save share.
 *
 *      load.c            components, groups, names, arrays; all of it
 *      load_values.c     columns and tags
 *      load_links.c      links
 */
#ifndef ECS_LOAD_PART_H
#define ECS_LOAD_PART_H

#include <string.h>

#include "state/saved.h"
#include "state/snapshot.h"

/* What is known of an index. */
enum { LOAD_NEW = 0, LOAD_FREE, LOAD_RETIRED, LOAD_PLACED };

/* What becomes of a component of the save. */
typedef struct LoadComponent {
  ecs_Component id; /* 0: it is left out */
  uint32_t bit;     /* in its group */
  bool moves;       /* its definition stores it otherwise than the save's */
  uint64_t row;     /* the next one of its columns */
  uint64_t tag_row; /* the next byte of its tags */
  char *images; /* owned; of its rows, made by the listener; NULL: none is */
  size_t image_bytes; /* of one */
} LoadComponent;

typedef struct Load {
  const ecs_Saved *saved;
  const ecs_LoadListener *listener;
  ecs_World *world;
  Store *store;
  Memory *memory;
  ecs_Snapshot *to;
  LoadComponent *components; /* owned; by number */
  uint32_t *numbers; /* owned; by id: number in the save plus one; 0: none */
  uint32_t *marks;   /* owned; by index: LOAD_NEW and so on; or LOAD_PLACED plus
                         the last group that has it */
  uint64_t *mask;    /* owned; scratch, for the components of a group */
  uint32_t *bits;    /* owned; scratch, members of a group stored as bits */
  uint32_t bits_count;
  LinkNode *nodes; /* owned; scratch, of one link; NULL: there are no links */
  char *touched;   /* owned; by page of nodes: 1: one is not all zero */
  uint32_t *by;    /* owned; by node, for is_tree */
  uint32_t node_pages;
  bool same; /* all is as in the save, so its hash must be, too */
  char *problem;
  size_t problem_bytes;
} Load;

/* Numbers of the save, at any address. */
static inline uint32_t load_get32(const char *at, uint64_t k) {
  uint32_t number;
  memcpy(&number, at + k * sizeof number, sizeof number);
  return number;
}

static inline uint64_t load_get64(const char *at, uint64_t k) {
  uint64_t number;
  memcpy(&number, at + k * sizeof number, sizeof number);
  return number;
}

static inline Slot *load_slot(const Load *load, uint32_t index) {
  return (Slot *)(void *)load->to->places.bytes + index;
}

/* Writes why the save is refused, and returns ECS_E_FILE; the second with two
 * names in a format. */
ECS_INTERNAL ecs_Status load_refuse(const Load *load, const char *sentence);
ECS_INTERNAL ecs_Status load_refuse_of(const Load *load, const char *format,
                                       const char *name, const char *field);

/* Tells the listener what is not as in the save. */
ECS_INTERNAL void load_tell(Load *load, const char *format, const char *name,
                            const char *field);

/* The field of a name; NULL: the save has none. */
ECS_INTERNAL const SavedField *load_find_field(const Load *load,
                                               const SavedComponent *component,
                                               const char *name);

/* Is an entity of the save alive? */
ECS_INTERNAL bool load_is_alive(const Load *load, ecs_Entity entity);

#endif
