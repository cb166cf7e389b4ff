/* unpack_part.c: what the parts of unpacking rows share. */
#include "state/unpack_part.h"

#include "storage/locate.h"

uint32_t unpack_find(const Unpack *unpack, ecs_Entity entity) {
  uint64_t low = 0, high = unpack->saved->rows;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (id_index(unpack->places[middle].entity) < id_index(entity))
      low = middle + 1;
    else
      high = middle;
  }
  return low < unpack->saved->rows && unpack->places[low].entity == entity
             ? unpack->places[low].row
             : UINT32_MAX;
}

ecs_Entity unpack_mend(const Unpack *unpack, ecs_Entity entity) {
  if (entity == 0 || !unpack->options->as_new) return entity;
  uint32_t row = unpack_find(unpack, entity);
  if (row != UINT32_MAX) return unpack->made[row];
  return store_alive(&unpack->world->store, entity) ? entity : 0;
}
