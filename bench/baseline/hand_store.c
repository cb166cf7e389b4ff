/* hand_store.c: growth, clearing and hashing of the hand-written store. */
#include "hand_store.h"

#include <stdlib.h>
#include <string.h>

#include "../measure.h"

/* Columns of a power-of-two size that start at the same offset in a page evict
 * each other from the cache; an odd number of lines between them avoids
 * this. */
#define LINE_FLOATS 16u

void hand_store_init(HandStore *store, uint32_t column_count) {
  memset(store, 0, sizeof *store);
  store->column_count = column_count;
}

/* The columns are one block; the first one owns it. */
void hand_store_deinit(HandStore *store) {
  free(store->columns[0]);
  free(store->ids);
  free(store->rows);
  free(store->free_ids);
  hand_store_init(store, store->column_count);
}

static uint32_t *grown(uint32_t *numbers, uint32_t count) {
  numbers = realloc(numbers, count * sizeof *numbers);
  if (numbers == NULL) measure_fail("store", "no memory");
  return numbers;
}

void hand_store_reserve(HandStore *store, uint32_t count) {
  if (count <= store->capacity) return;
  size_t stride = (count + LINE_FLOATS - 1) / LINE_FLOATS * LINE_FLOATS;
  stride += LINE_FLOATS;
  float *block =
      aligned_alloc(64, store->column_count * stride * sizeof *block);
  if (block == NULL) measure_fail("store", "no memory");
  float *old = store->columns[0];
  for (uint32_t k = 0; k < store->column_count; k++) {
    float *column = block + k * stride;
    if (store->count > 0) {
      memcpy(column, store->columns[k], store->count * sizeof *column);
    }
    store->columns[k] = column;
  }
  free(old);
  store->ids = grown(store->ids, count);
  store->rows = grown(store->rows, count);
  store->free_ids = grown(store->free_ids, count);
  store->capacity = count;
}

void hand_store_clear(HandStore *store) {
  store->count = store->issued = store->free_count = 0;
}

uint32_t hand_store_push_many(HandStore *store, uint32_t count) {
  hand_store_reserve(store, store->count + count);
  uint32_t first = store->count;
  for (uint32_t k = 0; k < count; k++) {
    store->ids[first + k] = store->issued;
    store->rows[store->issued++] = first + k;
  }
  store->count += count;
  return first;
}

uint64_t hand_store_hash(const HandStore *store) {
  return measure_hash((const float *const *)store->columns, store->column_count,
                      store->count);
}
