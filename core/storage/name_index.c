/* name_index.c: components by their names. */
#include "storage/name_index.h"

#define LEAST_CAPACITY 8u

void name_index_deinit(NameIndex *index, Memory *memory) {
  memory_free(memory, index->entries, index->capacity * sizeof(ecs_Component));
  *index = (NameIndex){0};
}

/* FNV-1a (Fowler, Noll, Vo 1991) of 64 bits, its halves folded. */
static uint32_t hash_name(const char *name) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *name != 0; name++)
    hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
  return (uint32_t)(hash ^ hash >> 32);
}

/* The entry of a name, or the free one where it belongs. */
static ecs_Component *entry_of(const NameIndex *index,
                               const Component *components, const char *name) {
  uint32_t last = index->capacity - 1;
  uint32_t place = hash_name(name) & last;
  while (index->entries[place] != 0 &&
         strcmp(components[index->entries[place]].schema->name, name) != 0)
    place = (place + 1) & last;
  return &index->entries[place];
}

ecs_Component name_index_find(const NameIndex *index,
                              const Component *components, const char *name) {
  return index->capacity == 0 ? 0 : *entry_of(index, components, name);
}

bool name_index_reserve(NameIndex *index, Memory *memory,
                        const Component *components) {
  NameIndex grown = {.capacity = index->capacity == 0 ? LEAST_CAPACITY
                                                      : index->capacity * 2};
  if ((index->count + 1) * 2 < index->capacity) return true;
  grown.entries = memory_zeroed(memory, grown.capacity, sizeof(ecs_Component));
  if (grown.entries == NULL) return false;
  for (uint32_t i = 0; i < index->capacity; i++)
    if (index->entries[i] != 0)
      name_index_insert(&grown, components, index->entries[i]);
  name_index_deinit(index, memory);
  *index = grown;
  return true;
}

void name_index_insert(NameIndex *index, const Component *components,
                       ecs_Component id) {
  ecs_Component *entry =
      entry_of(index, components, components[id].schema->name);
  ECS_ASSERT(*entry == 0);
  *entry = id;
  index->count++;
}

bool name_index_check_invariants(const NameIndex *index,
                                 const Component *components, uint32_t count) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < index->capacity; i++) used += index->entries[i] != 0;
  for (uint32_t id = 1; id <= count; id++)
    if (name_index_find(index, components, components[id].schema->name) != id)
      return false;
  return used == index->count && used == count;
}
