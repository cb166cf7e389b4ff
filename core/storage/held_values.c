/* held_values.c: the values of fields of type string and any.
 *
 * Places are probed one after the other from the one of the key, so a sweep,
 * which takes values out, writes all places anew.
 */
#define ECS_DEFINES_API /* ecs.h */

#include "storage/held_values.h"

#include <string.h>

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t hash, uint64_t word) {
  uint64_t x = hash * UINT64_C(0x9e3779b97f4a7c15) + word;
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* Words of eight bytes, the first byte the lowest on every machine. */
static uint64_t hash_text(uint64_t hash, const char *text, size_t bytes) {
  hash = mix(hash, bytes);
  for (size_t k = 0; k < bytes; k += 8) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8 && k + i < bytes; i++)
      word |= (uint64_t)(unsigned char)text[k + i] << 8 * i;
    hash = mix(hash, word);
  }
  return hash;
}

/* Making one -------------------------------------------------------------- */

static void finish(HeldValue *value, HeldKind kind, uint64_t content,
                   uint64_t key) {
  value->kind = (uint8_t)kind;
  value->content = content == 0 ? 1 : content;
  value->key = mix(key, (uint64_t)kind);
}

void ecs_held_boolean(HeldValue *value, bool boolean) {
  *value = (HeldValue){.integer = boolean};
  finish(value, HELD_BOOLEAN, mix(HELD_BOOLEAN, boolean), boolean);
}

/* The bits of a number; every NaN has those of the quiet one. */
static uint64_t bits_of(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return number != number ? SCALAR_QUIET_F64 : bits;
}

void ecs_held_number(HeldValue *value, double number) {
  uint64_t bits = bits_of(number);
  *value = (HeldValue){.number = number};
  finish(value, HELD_NUMBER, mix(HELD_NUMBER, bits), bits);
}

/* An integer that a double has, too, counts as that double. */
void ecs_held_integer(HeldValue *value, int64_t integer) {
  *value = (HeldValue){.integer = integer};
  uint64_t content = held_is_double(value)
                         ? mix(HELD_NUMBER, bits_of((double)integer))
                         : mix(HELD_INTEGER, (uint64_t)integer);
  finish(value, HELD_INTEGER, content, (uint64_t)integer);
}

void ecs_held_string(HeldValue *value, const char *text, size_t bytes) {
  uint64_t content = hash_text(HELD_STRING, text, bytes);
  *value = (HeldValue){.text = text, .bytes = bytes};
  finish(value, HELD_STRING, content, content);
}

void ecs_held_other(HeldValue *value, const char *kind, int type,
                    const void *address) {
  size_t bytes = strlen(kind);
  *value = (HeldValue){
      .text = kind, .bytes = bytes, .address = address, .integer = type};
  finish(value, HELD_OTHER, hash_text(HELD_OTHER, kind, bytes),
         (uint64_t)(uintptr_t)address);
}

/* The table --------------------------------------------------------------- */

size_t ecs_held_bytes(uint32_t capacity) {
  return (size_t)capacity * (sizeof(HeldValue) + 2 * sizeof(uint32_t));
}

static void place(HeldValues *held, uint32_t number) {
  uint32_t last = held->capacity * 2 - 1;
  uint32_t at = (uint32_t)held->all[number].key & last;
  while (held->places[at] != 0) at = (at + 1) & last;
  held->places[at] = number;
}

static void place_all(HeldValues *held) {
  memset(held->places, 0, (size_t)held->capacity * 2 * sizeof(uint32_t));
  for (uint32_t k = 1; k < held->count; k++)
    if (held->all[k].kind != HELD_FREE) place(held, k);
}

void ecs_held_move(HeldValues *held, void *memory, uint32_t capacity) {
  ECS_ASSERT((capacity & (capacity - 1)) == 0 && capacity > held->capacity);
  HeldValue *all = memory;
  if (held->count > 0) memcpy(all, held->all, held->count * sizeof *all);
  held->all = all;
  held->places = (uint32_t *)(void *)(all + capacity);
  held->capacity = capacity;
  if (held->count == 0) held->count = 1;
  place_all(held);
}

static bool is_equal(const HeldValue *a, const HeldValue *b) {
  if (a->kind != b->kind || a->key != b->key) return false;
  switch ((HeldKind)a->kind) {
    case HELD_BOOLEAN:
    case HELD_INTEGER: return a->integer == b->integer;
    case HELD_NUMBER: return bits_of(a->number) == bits_of(b->number);
    case HELD_STRING:
      return a->bytes == b->bytes && memcmp(a->text, b->text, a->bytes) == 0;
    case HELD_OTHER:
      return a->address == b->address && a->integer == b->integer;
    case HELD_FREE: break;
  }
  return false;
}

uint32_t ecs_held_find(const HeldValues *held, const HeldValue *value) {
  if (held->capacity == 0) return 0;
  uint32_t last = held->capacity * 2 - 1;
  uint32_t at = (uint32_t)value->key & last;
  for (; held->places[at] != 0; at = (at + 1) & last)
    if (is_equal(&held->all[held->places[at]], value)) return held->places[at];
  return 0;
}

uint32_t ecs_held_next(const HeldValues *held) {
  ECS_ASSERT(ecs_held_has_room(held));
  return held->first_free != 0 ? held->first_free : held->count;
}

uint32_t ecs_held_add(HeldValues *held, const HeldValue *value) {
  uint32_t number = ecs_held_next(held);
  ECS_ASSERT(ecs_held_find(held, value) == 0);
  if (number == held->count)
    held->count++;
  else
    held->first_free = held->all[number].next;
  held->all[number] = *value;
  held->all[number].marked = held->all[number].pinned = false;
  held->living++;
  place(held, number);
  return number;
}

/* Letting go -------------------------------------------------------------- */

void ecs_held_unmark(HeldValues *held) {
  for (uint32_t k = 1; k < held->count; k++) held->all[k].marked = false;
}

uint32_t ecs_held_sweep(HeldValues *held) {
  held->living = 0;
  held->first_free = 0;
  for (uint32_t k = held->count; k-- > 1;) {
    HeldValue *value = &held->all[k];
    if (value->kind != HELD_FREE && (value->marked || value->pinned)) {
      held->living++;
      continue;
    }
    *value = (HeldValue){.next = held->first_free};
    held->first_free = k;
  }
  if (held->capacity > 0) place_all(held);
  return held->living;
}
