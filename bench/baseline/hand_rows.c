/* hand_rows.c: memory and hashing of the hand-written rows of any types. */
#include "hand_rows.h"

#include <stdlib.h>

#include "../measure.h"

/* An odd number of lines between columns, as in hand_store.c. */
#define LINE 64u

void hand_rows_init(HandRows *table, const HandLayout *layout,
                    uint32_t capacity) {
  *table = (HandRows){.capacity = capacity};
  size_t bytes = (size_t)capacity * sizeof *table->ids + LINE;
  table->ids = aligned_alloc(LINE, bytes);
  if (table->ids == NULL) measure_fail("rows", "no memory");
  memset(table->ids, 0, bytes);
  for (uint32_t k = 0; k < layout->count; k++) {
    bytes = ((size_t)capacity << layout->shifts[k]) + LINE * (2 * k + 3);
    table->columns[k] = aligned_alloc(LINE, bytes / LINE * LINE);
    if (table->columns[k] == NULL) measure_fail("rows", "no memory");
    memset(table->columns[k], 0, bytes / LINE * LINE);
  }
}

void hand_rows_deinit(HandRows *table) {
  for (uint32_t k = 0; k < HAND_FIELD_LIMIT; k++) free(table->columns[k]);
  free(table->ids);
}

uint64_t hand_rows_hash(const HandRows *table, const HandLayout *layout) {
  uint64_t sum = 0;
  for (uint32_t row = 0; row < table->count; row++) {
    uint64_t hash = layout->count;
    for (uint32_t k = 0; k < layout->count; k++) {
      uint64_t bits = 0;
      const char *element =
          table->columns[k] + ((size_t)row << layout->shifts[k]);
      hand_copy(&bits, element, layout->shifts[k]);
      hash = measure_mix(hash, bits + 1u);
    }
    sum += hash;
  }
  return sum;
}
