/* ordered_map.c: the maps of ordered_map.h. */
#include "ordered_map.h"

#include <search.h>
#include <stdlib.h>

#include "../measure.h"

static int compare(const void *left, const void *right) {
  uint32_t a = ((const OrderedNode *)left)->number;
  uint32_t b = ((const OrderedNode *)right)->number;
  return (a > b) - (a < b);
}

void ordered_map_add(OrderedMap *map, uint32_t number, const float *values) {
  OrderedNode *node = malloc(sizeof *node);
  if (node == NULL) measure_fail("map", "no memory");
  *node = (OrderedNode){number, {values[0], values[1]}};
  if (tsearch(node, &map->root, compare) == NULL)
    measure_fail("map", "no memory");
}

OrderedNode *ordered_map_get(const OrderedMap *map, uint32_t number) {
  const OrderedNode wanted = {.number = number};
  return *(OrderedNode **)tfind(&wanted, &map->root, compare);
}

void ordered_map_remove(OrderedMap *map, uint32_t number) {
  OrderedNode *node = ordered_map_get(map, number);
  tdelete(node, &map->root, compare);
  free(node);
}
