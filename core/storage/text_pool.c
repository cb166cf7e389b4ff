/* text_pool.c: texts that are kept once each, as numbers. */
#include "storage/text_pool.h"

#include <string.h>

#define LEAST_ENTRIES 8u

void text_pool_deinit(TextPool *pool, Memory *memory) {
  for (uint32_t i = 1; i < pool->count; i++)
    if (pool->texts[i].bytes != NULL)
      memory_free(memory, pool->texts[i].bytes, pool->texts[i].length + 1u);
  memory_free(memory, pool->texts, pool->capacity * sizeof(PooledText));
  memory_free(memory, pool->entries, pool->entry_capacity * sizeof(uint32_t));
  *pool = (TextPool){0};
}

/* FNV-1a (Fowler, Noll, Vo 1991) of 64 bits, its halves folded. */
static uint32_t hash_bytes(const char *bytes, uint32_t length) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (uint32_t i = 0; i < length; i++)
    hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
  return (uint32_t)(hash ^ hash >> 32);
}

static bool is_text(const PooledText *text, const char *bytes, uint32_t length,
                    uint32_t hash) {
  return text->hash == hash && text->length == length &&
         memcmp(text->bytes, bytes, length) == 0;
}

/* The entry of a text, or the free one where it belongs. */
static uint32_t *entry_of(const TextPool *pool, const char *bytes,
                          uint32_t length, uint32_t hash) {
  uint32_t last = pool->entry_capacity - 1;
  uint32_t place = hash & last;
  while (pool->entries[place] != 0 &&
         !is_text(&pool->texts[pool->entries[place]], bytes, length, hash))
    place = (place + 1) & last;
  return &pool->entries[place];
}

uint32_t text_pool_find(const TextPool *pool, const char *bytes,
                        uint32_t length) {
  if (pool->entry_capacity == 0) return 0;
  return *entry_of(pool, bytes, length, hash_bytes(bytes, length));
}

/* Makes room for one more text in the hash. */
static bool grow_entries(TextPool *pool, Memory *memory) {
  TextPool grown = *pool;
  if (2 * (pool->used + 1) <= pool->entry_capacity) return true;
  grown.entry_capacity =
      pool->entry_capacity == 0 ? LEAST_ENTRIES : 2 * pool->entry_capacity;
  grown.entries = memory_zeroed(memory, grown.entry_capacity, sizeof(uint32_t));
  if (grown.entries == NULL) return false;
  for (uint32_t i = 1; i < grown.count; i++) {
    const PooledText *text = &grown.texts[i];
    if (text->bytes != NULL)
      *entry_of(&grown, text->bytes, text->length, text->hash) = i;
  }
  memory_free(memory, pool->entries, pool->entry_capacity * sizeof(uint32_t));
  *pool = grown;
  return true;
}

/* Makes room for one more text, and for number 0. */
static bool reserve(TextPool *pool, Memory *memory) {
  void *texts = pool->texts;
  if (!memory_grow(memory, &texts, &pool->capacity, pool->count, 2,
                   sizeof(PooledText)))
    return false;
  pool->texts = texts;
  if (pool->count == 0) pool->texts[pool->count++] = (PooledText){0};
  return grow_entries(pool, memory);
}

static uint32_t take_number(TextPool *pool) {
  uint32_t number = pool->free;
  if (number == 0) return pool->count++;
  pool->free = pool->texts[number].uses;
  return number;
}

ecs_Status text_pool_use(TextPool *pool, Memory *memory, const char *bytes,
                         uint32_t length, uint32_t *number) {
  *number = text_pool_find(pool, bytes, length);
  if (*number != 0) {
    pool->texts[*number].uses++;
    return ECS_OK;
  }
  if (!reserve(pool, memory)) return ECS_E_MEMORY;
  char *copy = memory_resize(memory, NULL, 0, length + 1u);
  if (copy == NULL) return ECS_E_MEMORY;
  memcpy(copy, bytes, length);
  copy[length] = 0;
  uint32_t hash = hash_bytes(bytes, length);
  uint32_t *entry = entry_of(pool, bytes, length, hash);
  *number = take_number(pool);
  pool->texts[*number] = (PooledText){copy, length, hash, 1};
  pool->used++;
  *entry = *number;
  return ECS_OK;
}

/* Frees an entry. The entries behind it that were meant for it, or for one
 * before it, move up, so that no probe ends too early. */
static void free_entry(TextPool *pool, uint32_t place) {
  uint32_t last = pool->entry_capacity - 1;
  uint32_t hole = place;
  pool->entries[hole] = 0;
  for (place = (place + 1) & last; pool->entries[place] != 0;
       place = (place + 1) & last) {
    uint32_t home = pool->texts[pool->entries[place]].hash & last;
    if (((place - home) & last) < ((place - hole) & last)) continue;
    pool->entries[hole] = pool->entries[place];
    pool->entries[place] = 0;
    hole = place;
  }
}

void text_pool_release(TextPool *pool, Memory *memory, uint32_t number) {
  PooledText *text = &pool->texts[number];
  ECS_ASSERT(number < pool->count && text->bytes != NULL && text->uses > 0);
  if (--text->uses > 0) return;
  const uint32_t *entry = entry_of(pool, text->bytes, text->length, text->hash);
  ECS_ASSERT(*entry == number);
  free_entry(pool, (uint32_t)(entry - pool->entries));
  memory_free(memory, text->bytes, text->length + 1u);
  *text = (PooledText){.uses = pool->free};
  pool->free = number;
  pool->used--;
}

bool text_pool_check_invariants(const TextPool *pool) {
  uint32_t texts = 0, entries = 0;
  for (uint32_t i = 1; i < pool->count; i++) {
    const PooledText *text = &pool->texts[i];
    if (text->bytes == NULL) continue;
    if (text_pool_find(pool, text->bytes, text->length) != i) return false;
    texts++;
  }
  for (uint32_t i = 0; i < pool->entry_capacity; i++)
    entries += pool->entries[i] != 0;
  return texts == pool->used && entries == pool->used;
}
