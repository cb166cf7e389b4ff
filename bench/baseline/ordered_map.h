/* ordered_map.h: components in ordered maps, one for each component: a tree of
 * nodes on the heap with an entity's number and two values, sorted by number
 * (tsearch of the C library, which is a red-black tree).
 *
 * It stands for the variant with std::map of pvigier's first implementation. A
 * step costs the logarithm of the size and a cache miss for most levels. All
 * functions end the program when memory runs out. */
#ifndef BENCH_ORDERED_MAP_H
#define BENCH_ORDERED_MAP_H

#include <stdint.h>

typedef struct OrderedMap {
  void *root; /* of the tree; NULL: empty */
} OrderedMap;

typedef struct OrderedNode {
  uint32_t number;
  float values[2];
} OrderedNode;

/* Adds a number that is not in the map. */
void ordered_map_add(OrderedMap *map, uint32_t number, const float *values);
/* The node of a number that is in the map. */
OrderedNode *ordered_map_get(const OrderedMap *map, uint32_t number);
/* Removes a number that is in the map. */
void ordered_map_remove(OrderedMap *map, uint32_t number);

#endif
