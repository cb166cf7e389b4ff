/* link_index.h: which entities link to which, by one field of a component.
 *
 * Every entity that links or is linked to has a node, by the index of its
 * handle. The nodes of the sources of one target are a list in the order of
 * linking:
 *
 *      node of the target    first ----.       count 3        last ---.
 *                                      v                              v
 *      nodes of sources               a <-- next, previous --> b <--> c
 *                                     target                 target  target
 *
 * Nodes lie in pages that are made when an entity of theirs first links, so an
 * index costs nothing until then, and linking anew is a few stores. The index
 * says the same as the columns of the field, but for what is recorded: nodes of
 * dead entities are empty. The idea of lists inside the nodes is that of the
 * intrusive lists of operating systems.
 */
#ifndef ECS_LINK_INDEX_H
#define ECS_LINK_INDEX_H

#include "base/id.h"
#include "base/memory.h"

#define LINK_PAGE_BITS 7u
#define LINK_PAGE_NODES (1u << LINK_PAGE_BITS)

/* Entities are named by the index of their handle; 0: none. */
typedef struct LinkNode {
  ecs_Entity entity;           /* of the node, while it links or is linked to */
  uint32_t target;             /* that it links to */
  uint32_t next, previous;     /* sources of the same target */
  uint32_t first, last, count; /* of the sources that link to it */
} LinkNode;

/* Of a tree, by entity index: how many targets each entity has one after the
 * other. Known until links of another version are asked for; a link of a leaf
 * is followed. */
typedef struct LinkDepths {
  uint32_t *targets; /* of each entity; 0: none; owned */
  uint32_t *depths;  /* 0: a root; of the same allocation */
  uint32_t count;    /* entries of each; entities behind them have no target */
  uint32_t deepest;  /* none is higher */
  uint64_t version;  /* of the links, when they were found */
} LinkDepths;

typedef struct LinkIndex {
  ecs_Component component;
  uint32_t field;
  ecs_LinkRule rule;
  bool tree;
  LinkNode **pages;    /* owned; by entity index; NULL: no node yet */
  uint32_t page_count; /* entries of pages */
  uint64_t links;      /* sources that link */
  uint64_t version;    /* grows when a link is made or taken away */
  uint64_t hash;       /* of the links, see world/world_hash.c */
  uint64_t hashed;     /* the version that it is of, and 1; 0: of none */
  LinkDepths depths;
} LinkIndex;

/* Frees the nodes. */
ECS_INTERNAL void link_index_deinit(LinkIndex *index, Memory *memory);

/* Makes nodes for an entity and its neighbours. ECS_E_MEMORY. Cost: constant,
 * mostly a look at a page. */
ECS_INTERNAL ecs_Status link_index_reserve(LinkIndex *index, Memory *memory,
                                           ecs_Entity entity);

/* The node of an entity's index; NULL: it has none. */
static inline LinkNode *link_node(const LinkIndex *index, uint32_t entity) {
  uint32_t page = entity >> LINK_PAGE_BITS;
  if (page >= index->page_count || index->pages[page] == NULL) return NULL;
  return &index->pages[page][entity & (LINK_PAGE_NODES - 1)];
}

/* What an entity links to; 0: nothing. Cost: constant. */
static inline ecs_Entity link_target(const LinkIndex *index,
                                     ecs_Entity source) {
  const LinkNode *node = link_node(index, id_index(source));
  if (node == NULL || node->target == 0 || node->entity != source) return 0;
  return link_node(index, node->target)->entity;
}

/* How many entities link to one. */
static inline uint32_t link_count(const LinkIndex *index, ecs_Entity target) {
  const LinkNode *node = link_node(index, id_index(target));
  return node == NULL || node->entity != target ? 0 : node->count;
}

/* Links an entity that links to nothing: the last of its target's sources, or
 * the one in front of another. Both have nodes. Cost: constant. */
ECS_INTERNAL void link_insert(LinkIndex *index, ecs_Entity source,
                              ecs_Entity target, uint32_t next);

/* Takes an entity's link away. Cost: constant. */
ECS_INTERNAL void link_take(LinkIndex *index, ecs_Entity source);

/* Takes all links away; the nodes stay. Cost: every node. */
ECS_INTERNAL void link_index_clear(LinkIndex *index);

/* Frees the pages without links. Cost: every node. */
ECS_INTERNAL void link_index_trim(LinkIndex *index, Memory *memory);

/* Finds the depths of all entities of a tree, unless they are known: see
 * LinkDepths. ECS_E_MEMORY: they are not known. Cost: 2 ns for each node where
 * targets come before sources, and a walk to a known depth where not. */
ECS_INTERNAL ecs_Status link_find_depths(LinkIndex *index, Memory *memory);

/* Checked builds: lists, targets and counts agree. Cost: every node. */
ECS_INTERNAL bool link_index_check_invariants(const LinkIndex *index);

#endif
