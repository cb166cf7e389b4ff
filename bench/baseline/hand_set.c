/* hand_set.c: memory and hashing of the hand-written set. */
#include "hand_set.h"

#include <stdlib.h>

#include "../measure.h"

/* Written once, so that its pages are there. */
static void *block(uint32_t count) {
  void *memory = malloc(count * sizeof(uint32_t));
  if (memory == NULL) measure_fail("set", "no memory");
  memset(memory, 0, count * sizeof(uint32_t));
  return memory;
}

void hand_set_init(HandSet *set, uint32_t limit) {
  *set = (HandSet){.keys = block(limit),
                   .places = block(limit),
                   .x = block(limit),
                   .y = block(limit)};
}

void hand_set_deinit(HandSet *set) {
  free(set->keys);
  free(set->places);
  free(set->x);
  free(set->y);
}

uint64_t hand_set_hash(const HandSet *set) {
  const float *const columns[2] = {set->x, set->y};
  return measure_hash(columns, 2, set->count);
}
