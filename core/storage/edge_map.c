/* edge_map.c: where a component leads from each table of a group. */
#include "storage/edge_map.h"

#define EDGES_FIRST 8u /* entries of the first allocation */

void edge_map_deinit(EdgeMap *map, Memory *memory) {
  memory_free(memory, map->edges, map->capacity * sizeof(Edge));
  *map = (EdgeMap){NULL, 0, 0};
}

ecs_Status edge_map_reserve(EdgeMap *map, Memory *memory) {
  uint32_t capacity = map->capacity;
  if ((map->count + 2) * 2 <= capacity) return ECS_OK;
  capacity = capacity == 0 ? EDGES_FIRST : capacity * 2;
  Edge *edges = memory_zeroed(memory, capacity, sizeof(Edge));
  if (edges == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < map->capacity; i++)
    if (map->edges[i].key != 0)
      edges[edge_entry(edges, capacity, map->edges[i].key)] = map->edges[i];
  memory_free(memory, map->edges, map->capacity * sizeof(Edge));
  map->edges = edges;
  map->capacity = capacity;
  return ECS_OK;
}

void edge_map_insert(EdgeMap *map, const Edge *edge) {
  Edge *entry = &map->edges[edge_entry(map->edges, map->capacity, edge->key)];
  if (entry->key != 0) return;
  *entry = *edge;
  map->count++;
  ECS_ASSERT(map->count * 2 <= map->capacity);
}

/* Removes an edge and closes the gap that it leaves in its run of entries
 * (Knuth, The Art of Computer Programming 3, 6.4, algorithm R). */
static void erase(EdgeMap *map, uint32_t hole) {
  uint32_t last = map->capacity - 1;
  uint32_t next = hole;
  for (;;) {
    map->edges[hole].key = 0;
    for (;;) {
      next = (next + 1) & last;
      if (map->edges[next].key == 0) {
        map->count--;
        return;
      }
      uint32_t bucket = edge_bucket(map->edges[next].key, last);
      if (((next - bucket) & last) >= ((next - hole) & last)) break;
    }
    map->edges[hole] = map->edges[next];
    hole = next;
  }
}

void edge_map_drop(EdgeMap *map, uint32_t table_count) {
  for (uint32_t i = 0; i < map->capacity; i++) {
    const Edge *edge = &map->edges[i];
    while (edge->key != 0 &&
           (edge->table >= table_count || edge_source(edge) >= table_count))
      erase(map, i);
  }
}

bool edge_map_check_invariants(const EdgeMap *map) {
  uint32_t used = 0;
  if ((map->capacity & (map->capacity - 1)) != 0) return false;
  for (uint32_t i = 0; i < map->capacity; i++) {
    uint64_t key = map->edges[i].key;
    if (key == 0) continue;
    used++;
    if (edge_entry(map->edges, map->capacity, key) != i) return false;
  }
  return used == map->count && used * 2 <= map->capacity;
}
