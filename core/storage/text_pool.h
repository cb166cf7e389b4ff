/* text_pool.h: texts that are kept once each, as numbers.
 *
 *      hash of "player"  -->  entry  3 | -> 2     2  "player"  used twice
 *                                    4 | free     3  "gate"    used once
 *                                    5 | -> 3     1  free
 *
 * An open hash with linear probing, at most half full. A text is freed with its
 * last use, and its number is given again. Cost: a hash of the text, and a probe.
 */
#ifndef ECS_TEXT_POOL_H
#define ECS_TEXT_POOL_H

#include "base/memory.h"

typedef struct PooledText {
  char *bytes; /* owned, with a 0 at the end; NULL: the number is free */
  uint32_t length;
  uint32_t hash;
  uint32_t uses; /* of a free number: the next free one; 0: none */
} PooledText;

typedef struct TextPool {
  PooledText *texts;       /* owned; by number; the first is not used */
  uint32_t count;          /* numbers, the first and free ones included; or 0 */
  uint32_t capacity;       /* numbers that there is room for */
  uint32_t free;           /* the first free number; 0: none */
  uint32_t used;           /* numbers that have a text */
  uint32_t *entries;       /* owned; 0: a free entry */
  uint32_t entry_capacity; /* a power of two, at least twice used; or 0 */
} TextPool;

/* Frees everything; a pool of zero bytes has nothing. */
ECS_INTERNAL void text_pool_deinit(TextPool *pool, Memory *memory);

/* The number of a text; 0: it is not there. */
ECS_INTERNAL uint32_t text_pool_find(const TextPool *pool, const char *bytes,
                                     uint32_t length);

/* Finds or adds a text, and counts one use of it. ECS_E_MEMORY: nothing has
 * changed that can be seen. */
ECS_INTERNAL ecs_Status text_pool_use(TextPool *pool, Memory *memory,
                                      const char *bytes, uint32_t length,
                                      uint32_t *number);

/* Ends one use of a text. */
ECS_INTERNAL void text_pool_release(TextPool *pool, Memory *memory,
                                    uint32_t number);

/* The text of a number in use, borrowed until its last use ends. */
static inline const char *text_pool_bytes(const TextPool *pool,
                                          uint32_t number) {
  ECS_ASSERT(number < pool->count && pool->texts[number].bytes != NULL);
  return pool->texts[number].bytes;
}

/* Checked builds: is every text found under its number, and nothing else? */
ECS_INTERNAL bool text_pool_check_invariants(const TextPool *pool);

#endif
