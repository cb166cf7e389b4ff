/* chain_shape.h: what the chains of recorded commands have in common.
 *
 * The shape of an entity's chain is its commands without their values: kinds,
 * components, and which of them have an image. Shapes are the nodes of a trie,
 * in which every chain is a path from shape 0, the chain without commands:
 *
 *      0 --spawn--> 1 --add A--> 2 --add B--> 3
 *       \--add C--> 4 --remove A--> 5
 *        \--destroy--> 6
 *
 * A game records few kinds of chains, and again and again. So a command is
 * recorded as one step of its entity's chain, which says everything but the
 * values; and what applies a chain is found once for its shape.
 *
 * Cost of a step: one comparison where the shape was last left by the same
 * step, otherwise a probe of a hash. A shape takes 48 bytes and its entries in
 * the hash; there are never more than commands were recorded, those that were
 * taken back included, since the shapes were cleared.
 */
#ifndef ECS_CHAIN_SHAPE_H
#define ECS_CHAIN_SHAPE_H

#include "change/bundle.h"

typedef enum CommandKind {
  COMMAND_SPAWN, /* always the first of its chain */
  COMMAND_ADD,   /* where absent: with the image, or defaults */
  COMMAND_SET,   /* stores fields of the image; adds where absent */
  COMMAND_REMOVE,
  COMMAND_DESTROY /* always the last of its chain */
} CommandKind;

/* The shape of the chain without commands. */
#define CHAIN_EMPTY 0u

/* The most components that a chain of WAY_BIRTH adds. */
#define BIRTH_PARTS 64u

/* A command without its values: component << 8 | kind << 1 | has an image. A
 * spawn has no component, but how many of the commands behind it are its parts,
 * if they are known to be all that these need. */
typedef uint32_t ChainStep;

/* How the chains of a shape are applied, see command_flush.h. */
typedef enum ShapeWay {
  WAY_UNKNOWN, /* not asked yet */
  WAY_BIRTH,   /* spawns an entity, and adds components, each once, and all
                  that they need */
  WAY_CHANGE,  /* any other that leaves the entity alive */
  WAY_DEATH,   /* destroys an entity that has a row */
  WAY_NOTHING  /* destroys the entity that it spawns */
} ShapeWay;

typedef struct ChainShape {
  uint64_t bytes;  /* of the values of its commands, one after the other */
  Bundle *bundle;  /* owned; of WAY_BIRTH: its components; otherwise NULL */
  uint32_t parent; /* without the last command */
  uint32_t length; /* commands */
  ChainStep step;  /* the last command */
  uint32_t child;  /* that was asked for last; CHAIN_EMPTY: none */
  uint32_t count;  /* chains of this shape that are recorded */
  uint32_t next;   /* the next shape in use; CHAIN_EMPTY: none */
  uint32_t births; /* its list while births are applied (recorded_spawn.h) */
  uint8_t way;     /* ShapeWay */
  bool spawns;     /* its first command spawns the entity */
  bool is_used;    /* it is in the list of those in use */
  bool observed;   /* while it is applied: observers may ask about it */
} ChainShape;

typedef struct ChainShapes {
  ChainShape *shapes; /* owned; the first is CHAIN_EMPTY */
  uint32_t count;     /* 0: nothing is allocated yet */
  uint32_t capacity;
  uint32_t *entries; /* owned; by hash of parent and step: shapes; CHAIN_EMPTY:
                        a free entry */
  uint32_t entry_capacity; /* a power of two, at least twice the count; or 0 */
  uint32_t used;           /* the first in use; CHAIN_EMPTY: none */
  uint32_t version; /* of the ids in use; of one store, no two are the same */
} ChainShapes;

static inline ChainStep chain_step(CommandKind kind, ecs_Component component,
                                   bool has_image) {
  return component << 8 | (uint32_t)kind << 1 | has_image;
}

static inline CommandKind step_kind(ChainStep step) {
  return (CommandKind)(step >> 1 & 127u);
}

static inline ecs_Component step_component(ChainStep step) { return step >> 8; }

static inline bool step_has_image(ChainStep step) { return (step & 1u) != 0; }

/* Allocates nothing. */
ECS_INTERNAL void chain_shapes_init(ChainShapes *shapes, Store *store);

/* Frees all shapes: ids issued so far mean nothing any more. */
ECS_INTERNAL void chain_shapes_clear(ChainShapes *shapes, Store *store);

/* Makes the shape that a step leads to from another. bytes: of the values of
 * the step's command. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status chain_shapes_make(ChainShapes *shapes, Store *store,
                                          uint32_t from, ChainStep step,
                                          size_t bytes, uint32_t *to);

/* How the chains of a shape are applied. Cost: a load; for a spawn, the first
 * time, its commands squared. */
ECS_INTERNAL ShapeWay chain_shapes_way(ChainShapes *shapes, const Store *store,
                                       uint32_t shape);

/* Lists the components of a shape of WAY_BIRTH in the order in which they are
 * added; there is room for BIRTH_PARTS. Returns their number. */
ECS_INTERNAL uint32_t chain_shapes_parts(const ChainShapes *shapes,
                                         uint32_t shape, ecs_Component *parts);

/* Checked builds: every shape is found by its parent and step. */
ECS_INTERNAL bool chain_shapes_check_invariants(const ChainShapes *shapes);

/* No chain is recorded any more. */
ECS_INTERNAL void chain_shapes_forget(ChainShapes *shapes);

/* Counts chains that have become of a shape. */
static inline void chain_shapes_count(ChainShapes *shapes, uint32_t id,
                                      uint32_t chains) {
  ChainShape *shape = &shapes->shapes[id];
  shape->count += chains;
  if (ECS_LIKELY(shape->is_used)) return;
  shape->is_used = true;
  shape->next = shapes->used;
  shapes->used = id;
}

/* Finds or makes the shape that a step leads to. As chain_shapes_make. */
static inline ecs_Status chain_shapes_ensure(ChainShapes *shapes, Store *store,
                                             uint32_t from, ChainStep step,
                                             size_t bytes, uint32_t *to) {
  if (ECS_LIKELY(shapes->count > 0)) {
    uint32_t child = shapes->shapes[from].child;
    if (ECS_LIKELY(child != CHAIN_EMPTY &&
                   shapes->shapes[child].step == step)) {
      *to = child;
      return ECS_OK;
    }
  }
  return chain_shapes_make(shapes, store, from, step, bytes, to);
}

#endif
