/* hand_store.h: what a user would write by hand instead of an entity store.
 *
 * One array per field, one of ids, and one that maps an id to its row. A row is
 * pushed at the end, and removed by moving the last row into the hole. Freed
 * ids are issued again, the last one first. Only capacity is checked:
 *
 *      rows    | id 0 | id 1 | id 2 |      ids     | 2 | 0 | 1 |
 *                  1      2      0          x      | . | . | . |
 *                                           y      | . | . | . |
 *
 * The functions that run once per row are here so that loops inline them. */
#ifndef BENCH_HAND_STORE_H
#define BENCH_HAND_STORE_H

#include <stdint.h>

#define STORE_COLUMN_LIMIT 32u

typedef struct HandStore {
  float *columns[STORE_COLUMN_LIMIT];
  uint32_t *ids;  /* by row */
  uint32_t *rows; /* by id */
  uint32_t *free_ids;
  uint32_t column_count;
  uint32_t count;    /* rows in use */
  uint32_t capacity; /* allocated rows, and ids ever issued */
  uint32_t issued;   /* ids issued so far, freed ids included */
  uint32_t free_count;
} HandStore;

/* Makes an empty store. Like all functions here, it ends the program when
 * memory runs out. */
void hand_store_init(HandStore *store, uint32_t column_count);
void hand_store_deinit(HandStore *store);

/* Makes room for count rows and keeps the existing rows. Columns start on
 * 64-byte lines, each an odd number of lines after a power of two. */
void hand_store_reserve(HandStore *store, uint32_t count);

/* Removes all rows and ids; keeps the memory. */
void hand_store_clear(HandStore *store);

/* Pushes count rows with new ids; the caller fills in their values. Returns the
 * first row. */
uint32_t hand_store_push_many(HandStore *store, uint32_t count);

/* A hash of all rows, as measure_hash. */
uint64_t hand_store_hash(const HandStore *store);

/* Pushes a row of one value per column; returns its id. */
static inline uint32_t hand_store_push(HandStore *store, const float *values,
                                       uint32_t column_count) {
  if (store->count == store->capacity) {
    hand_store_reserve(store, store->capacity == 0 ? 16 : store->capacity * 2);
  }
  uint32_t id = store->free_count > 0 ? store->free_ids[--store->free_count]
                                      : store->issued++;
  uint32_t row = store->count++;
  for (uint32_t k = 0; k < column_count; k++) {
    store->columns[k][row] = values[k];
  }
  store->ids[row] = id;
  store->rows[id] = row;
  return id;
}

static inline void hand_store_remove(HandStore *store, uint32_t id,
                                     uint32_t column_count) {
  uint32_t row = store->rows[id];
  uint32_t last = --store->count;
  for (uint32_t k = 0; k < column_count; k++) {
    store->columns[k][row] = store->columns[k][last];
  }
  uint32_t moved = store->ids[last];
  store->ids[row] = moved;
  store->rows[moved] = row;
  store->free_ids[store->free_count++] = id;
}

#endif
