/* hand_set.h: an array with the places of keys, written by hand, in two ways:
 * a hole is filled with the last element, or closed by shifting the rest.
 *
 *      keys    | 4 | 1 | 3 |       places  | . | 1 | . | 2 | 0 |
 *      values  | x | y | z |
 *
 * Nothing is checked: a key that is removed is there. */
#ifndef BENCH_HAND_SET_H
#define BENCH_HAND_SET_H

#include <stdint.h>
#include <string.h>

#define HAND_SET_ABSENT UINT32_MAX

typedef struct HandSet {
  uint32_t *keys;
  uint32_t *places; /* by key */
  float *x, *y;     /* the values, by place */
  uint32_t count;
} HandSet;

/* Makes an empty set for keys below limit. Ends the program when memory runs
 * out. */
void hand_set_init(HandSet *set, uint32_t limit);
void hand_set_deinit(HandSet *set);

/* A hash of all values, as measure_hash. */
uint64_t hand_set_hash(const HandSet *set);

/* Adds a key that is not there. */
static inline void hand_set_add(HandSet *set, uint32_t key, float x, float y) {
  uint32_t place = set->count++;
  set->keys[place] = key;
  set->x[place] = x;
  set->y[place] = y;
  set->places[key] = place;
}

/* Removes a key; the last element fills the hole. */
static inline void hand_set_remove(HandSet *set, uint32_t key) {
  uint32_t place = set->places[key], last = --set->count;
  uint32_t moved = set->keys[last];
  set->keys[place] = moved;
  set->x[place] = set->x[last];
  set->y[place] = set->y[last];
  set->places[moved] = place;
  set->places[key] = HAND_SET_ABSENT;
}

/* Removes the element at a place; those behind it move up by one. Places of
 * keys are not kept. */
static inline void hand_set_shift(HandSet *set, uint32_t place) {
  uint32_t behind = --set->count - place;
  memmove(set->keys + place, set->keys + place + 1, behind * sizeof *set->keys);
  memmove(set->x + place, set->x + place + 1, behind * sizeof *set->x);
  memmove(set->y + place, set->y + place + 1, behind * sizeof *set->y);
}

/* Removes all keys, one place after the other. */
static inline void hand_set_clear(HandSet *set) {
  for (uint32_t k = 0; k < set->count; k++)
    set->places[set->keys[k]] = HAND_SET_ABSENT;
  set->count = 0;
}

#endif
