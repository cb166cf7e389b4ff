/* marked_rows.c: values of which some have a second one, written by hand. */
#include "marked_rows.h"

#include <stdlib.h>

#define SLICE 128u

void marked_rows_init(MarkedRows *marked, uint32_t rows) {
  marked->rows = rows;
  marked->count = 0;
  marked->value = calloc(rows, sizeof(float));
  marked->bitmap = calloc(rows / 64, sizeof(uint64_t));
  marked->bytes = calloc(rows, 1);
  marked->places = calloc(rows, sizeof(uint32_t));
  marked->second = calloc(rows, sizeof(float));
  marked->owners = calloc(rows, sizeof(uint32_t));
}

void marked_rows_deinit(MarkedRows *marked) {
  free(marked->value);
  free(marked->bitmap);
  free(marked->bytes);
  free(marked->places);
  free(marked->second);
  free(marked->owners);
}

void marked_rows_give(MarkedRows *marked, uint32_t row, float second) {
  marked->bitmap[row / 64] |= UINT64_C(1) << (row % 64);
  marked->bytes[row] = 1;
  marked->places[row] = marked->count;
  marked->second[marked->count] = second;
  marked->owners[marked->count++] = row;
}

void marked_rows_take(MarkedRows *marked, uint32_t row) {
  uint32_t hole = marked->places[row], last = --marked->count;
  marked->bitmap[row / 64] &= ~(UINT64_C(1) << (row % 64));
  marked->bytes[row] = 0;
  marked->second[hole] = marked->second[last];
  marked->owners[hole] = marked->owners[last];
  marked->places[marked->owners[hole]] = hole;
}

void hand_add(float *restrict value, const float *restrict second,
              uint32_t count) {
  for (uint32_t i = 0; i < count; i++) value[i] += second[i];
}

void hand_increment(float *restrict value, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) value[i] += 1;
}

/* Lists rows from word *word on, until a slice is full or there are no more. It
 * writes four rows, or a word of them, rather than ask after each whether there
 * is another. list has room for two words more than a slice. */
static uint32_t list_rows(const MarkedRows *marked, uint32_t *word,
                          uint32_t *list) {
  uint32_t count = 0;
  while (count < SLICE && *word < marked->rows / 64) {
    uint64_t bits = marked->bitmap[*word];
    uint32_t first = *word * 64, some = (uint32_t)__builtin_popcountll(bits);
    uint32_t *next = list + count;
    for (uint32_t k = 0; k < 4; k++, bits &= bits - 1)
      next[k] = first + (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << 63);
    for (uint32_t k = 4; k < some; k += 4)
      for (uint32_t i = 0; i < 4; i++, bits &= bits - 1)
        next[k + i] =
            first + (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << 63);
    count += some;
    ++*word;
  }
  return count;
}

void marked_rows_add(MarkedRows *marked) {
  uint32_t list[SLICE + 128], word = 0, count;
  float value[SLICE + 128], second[SLICE + 128];
  while ((count = list_rows(marked, &word, list)) > 0) {
    for (uint32_t i = 0; i < count; i++) {
      value[i] = marked->value[list[i]];
      second[i] = marked->second[marked->places[list[i]]];
    }
    hand_add(value, second, count);
    for (uint32_t i = 0; i < count; i++) marked->value[list[i]] = value[i];
  }
}

static void increment_listed(float *column, const uint32_t *list,
                             uint32_t count) {
  float value[SLICE + 128];
  for (uint32_t i = 0; i < count; i++) value[i] = column[list[i]];
  hand_increment(value, count);
  for (uint32_t i = 0; i < count; i++) column[list[i]] = value[i];
}

void marked_rows_increment(MarkedRows *marked) {
  uint32_t list[SLICE + 128], word = 0, count;
  while ((count = list_rows(marked, &word, list)) > 0)
    increment_listed(marked->value, list, count);
}

void marked_rows_increment_by_bytes(MarkedRows *marked) {
  uint32_t list[SLICE + 128], count = 0;
  for (uint32_t row = 0; row < marked->rows; row++) {
    list[count] = row;
    count += marked->bytes[row];
    if (count < SLICE) continue;
    increment_listed(marked->value, list, count);
    count = 0;
  }
  increment_listed(marked->value, list, count);
}
