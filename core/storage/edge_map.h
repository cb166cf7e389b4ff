/* edge_map.h: where a component leads from each table of a group.
 *
 *      {A} --B--> {A B} --A--> {B}     key: table, bit  ->  table, columns
 *
 * An edge leads from a table to the table with one component more or less, and
 * names the columns that differ, so that a row moves without a search. Edges
 * are made in pairs, there and back. They lie in an open-addressing hash that
 * is at most half full. Cost of a look-up: one probe, mostly.
 */
#ifndef ECS_EDGE_MAP_H
#define ECS_EDGE_MAP_H

#include "storage/table.h"

typedef struct Edge {
  uint64_t key;      /* table id << 32 | bit, plus one; 0: a free entry */
  uint32_t table;    /* id of the table that the edge leads to */
  bool added;        /* the component comes; otherwise it goes */
  ColumnRange range; /* the component's columns in the table that has it */
} Edge;

typedef struct EdgeMap {
  Edge *edges;       /* owned; entries by hash of their key */
  uint32_t count;    /* entries in use */
  uint32_t capacity; /* entries allocated: a power of two, or 0 */
} EdgeMap;

/* A map of zero bytes is empty. */
ECS_INTERNAL void edge_map_deinit(EdgeMap *map, Memory *memory);

/* Makes room for two more edges. ECS_E_MEMORY: nothing has changed. Cost:
 * copies all edges when it grows, to twice the capacity. */
ECS_INTERNAL ecs_Status edge_map_reserve(EdgeMap *map, Memory *memory);

/* Inserts an edge unless its key is there. Room must be reserved. */
ECS_INTERNAL void edge_map_insert(EdgeMap *map, const Edge *edge);

/* Removes the edges from or to tables with an id of table_count or higher.
 * Cost: the capacity. */
ECS_INTERNAL void edge_map_drop(EdgeMap *map, uint32_t table_count);

/* Checked builds: every edge is found by its key, and `count` is their number.
 * Cost: the capacity. */
ECS_INTERNAL bool edge_map_check_invariants(const EdgeMap *map);

/* The key of the edge that leads from a table along a component's bit. */
static inline uint64_t edge_key(const Table *table, uint32_t bit) {
  return ((uint64_t)table->id << 32 | bit) + 1;
}

/* The id of the table that an edge leads from. */
static inline uint32_t edge_source(const Edge *edge) {
  return (uint32_t)((edge->key - 1) >> 32);
}

/* The bit of its component. */
static inline uint32_t edge_bit(const Edge *edge) {
  return (uint32_t)(edge->key - 1);
}

/* The entry where the search for a key begins; last: the capacity less one. */
static inline uint32_t edge_bucket(uint64_t key, uint32_t last) {
  return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & last;
}

/* The entry that has the key, or the free one where it belongs. */
static inline uint32_t edge_entry(const Edge *edges, uint32_t capacity,
                                  uint64_t key) {
  uint32_t last = capacity - 1;
  uint32_t entry = edge_bucket(key, last);
  while (edges[entry].key != key && edges[entry].key != 0)
    entry = (entry + 1) & last;
  return entry;
}

/* The edge of a component's bit from a table; NULL when there is none yet.
 * Borrowed until the map changes. */
static inline const Edge *edge_map_find(const EdgeMap *map, const Table *table,
                                        uint32_t bit) {
  if (ECS_UNLIKELY(map->capacity == 0)) return NULL;
  uint64_t key = edge_key(table, bit);
  const Edge *edge = &map->edges[edge_entry(map->edges, map->capacity, key)];
  return ECS_LIKELY(edge->key == key) ? edge : NULL;
}

#endif
