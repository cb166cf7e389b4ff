/* memory.h: the one way to memory, with its account.
 *
 * Every block of a world comes from the allocator record it was created with;
 * the size is told on every call, so the account is exact: bytes held, their
 * peak, live blocks. Sizes are computed with overflow checks. A refusal is a
 * NULL, never an exit.
 *
 *      memory_resize ---- overflow? limit? ---> record.resize ---> account
 */
#ifndef ECS_MEMORY_H
#define ECS_MEMORY_H

#include "base/config.h"
#include "ecs.h"
#include "base/invariant.h"

typedef struct Memory {
  ecs_Memory record;
  uint64_t bytes; /* held now */
  uint64_t peak_bytes;
  uint64_t blocks;      /* live */
  uint64_t limit_bytes; /* 0: none */
} Memory;

/* record.resize NULL takes the C library's allocator. */
ECS_INTERNAL void memory_init(Memory *memory, ecs_Memory record,
                              uint64_t limit_bytes);

/* lua_Alloc's contract: new_bytes 0 frees. NULL on refusal, the old block
 * stays as it was. */
ECS_INTERNAL void *memory_resize(Memory *memory, void *block, size_t old_bytes,
                                 size_t new_bytes);

/* A zeroed block of count elements; NULL on refusal or overflow, and for a
 * count of 0. */
ECS_INTERNAL void *memory_zeroed(Memory *memory, size_t count,
                                 size_t element_bytes);

/* Says that all of a block is about to be written, so that the system may give
 * its pages at once instead of one fault each. Changes nothing else. */
ECS_INTERNAL void memory_populate(void *block, size_t bytes);

/* NULL is fine. */
ECS_INTERNAL void memory_free(Memory *memory, void *block, size_t bytes);

/* An array in use up to *count of *capacity elements gets room for needed more
 * than count: doubling, from 4 up. False leaves everything as it was. New
 * elements are not cleared. */
ECS_INTERNAL bool memory_grow(Memory *memory, void **array, uint32_t *capacity,
                              uint32_t count, uint32_t needed,
                              size_t element_bytes);

/* Several arrays in one block: hands out room for count elements behind *used
 * bytes, at a multiple of 16. block NULL: NULL, and only counts. The caller
 * knows that sizes do not overflow. */
ECS_INTERNAL void *memory_lay(char *block, size_t *used, size_t count,
                              size_t element_bytes);

/* a * b + c, or false on overflow. */
ECS_INTERNAL bool memory_size(size_t a, size_t b, size_t c, size_t *bytes);

#endif
