/* memory.h: allocates and counts all memory of a world.
 *
 * Every block of a world comes from the allocator record that the world was
 * created with. Every call passes sizes, so the counts are exact: bytes
 * allocated, their peak, blocks allocated. Sizes are computed with overflow
 * checks. A refused allocation returns NULL; it never ends the process.
 *
 *      memory_resize ---- overflow? limits? ---> record.resize ---> account
 *
 * Two limits may hold: the world's own, and that of a budget which it shares
 * with other worlds. The last refusal is noted (Refusal), because a message
 * that names the limit and its value is worth more than one that does not. The
 * limits of config.h are noted in the same place, where they are reached.
 */
#ifndef ECS_MEMORY_H
#define ECS_MEMORY_H

#include "base/config.h"
#include "ecs.h"
#include "base/invariant.h"

/* Why a call failed with ECS_E_MEMORY, ECS_E_LIMIT or ECS_E_TAKEN. */
typedef struct Refusal {
  ecs_Status status;    /* what the call returned; ECS_OK: none was noted yet */
  uint64_t limit;       /* the limit that was reached */
  const char *counts;   /* what the limit counts, in the plural; a constant.
                         NULL: no limit, the allocator refused */
  const char *of;       /* what holds them, "a world"; borrowed; NULL with
                         counts */
  const char *sentence; /* instead of a limit: why; a constant; or NULL */
} Refusal;

typedef struct Memory {
  ecs_Memory record;    /* the allocator; its user pointer is borrowed */
  uint64_t bytes;       /* allocated now */
  uint64_t peak_bytes;  /* the most ever allocated at once */
  uint64_t blocks;      /* allocated now */
  uint64_t limit_bytes; /* bytes must not exceed it; 0: no limit */
  ecs_Budget *budget;   /* shared with other worlds; borrowed; NULL: none */
  Refusal refusal;      /* the last one */
} Memory;

/* Begins with nothing allocated. record.resize NULL: the C library's allocator.
 */
ECS_INTERNAL void memory_init(Memory *memory, ecs_Memory record,
                              uint64_t limit_bytes);

/* Counts the bytes in another budget from now on; NULL: in none. extra_bytes
 * are held beside those of the account. False: they do not fit, and nothing has
 * changed. */
ECS_INTERNAL bool memory_join(Memory *memory, ecs_Budget *budget,
                              uint64_t extra_bytes);

/* Notes that a limit of config.h is reached, "64 fields of a component".
 * Returns ECS_E_LIMIT, which the caller passes on. */
ECS_INTERNAL ecs_Status memory_refuse(Memory *memory, uint64_t limit,
                                      const char *counts, const char *of);

/* Notes why a call returns ECS_E_TAKEN, and returns that. */
ECS_INTERNAL ecs_Status memory_refuse_taken(Memory *memory,
                                            const char *sentence);

/* Resizes a block, with the contract of lua_Alloc: a NULL block of 0 bytes is
 * allocated, and new_bytes 0 frees. NULL on refusal: the old block stays as it
 * was. */
ECS_INTERNAL void *memory_resize(Memory *memory, void *block, size_t old_bytes,
                                 size_t new_bytes);

/* Allocates a zeroed block of count elements. NULL on refusal or overflow, and
 * for a count of 0. */
ECS_INTERNAL void *memory_zeroed(Memory *memory, size_t count,
                                 size_t element_bytes);

/* Frees a block of `bytes` bytes. Does nothing for NULL. */
ECS_INTERNAL void memory_free(Memory *memory, void *block, size_t bytes);

/* Makes room in an array for needed elements more than count, by doubling the
 * capacity from 4 up. False: refused, and nothing has changed. New elements are
 * not cleared. Cost: copies the array when it grows. */
ECS_INTERNAL bool memory_grow(Memory *memory, void **array, uint32_t *capacity,
                              uint32_t count, uint32_t needed,
                              size_t element_bytes);

/* Makes an array hold at least needed elements; new ones are zero. False:
 * refused, and nothing has changed. Cost: copies the array when it grows. */
ECS_INTERNAL bool memory_ensure(Memory *memory, void **array,
                                uint32_t *capacity, uint32_t needed,
                                size_t element_bytes);

/* Places one of several arrays in a block: returns the address of count
 * elements after the first *used bytes, at a multiple of 16, and adds them to
 * *used. block NULL: only counts, and returns NULL. The sizes must not
 * overflow. */
ECS_INTERNAL void *memory_lay(char *block, size_t *used, size_t count,
                              size_t element_bytes);

/* Computes a * b + c. False on overflow. */
ECS_INTERNAL bool memory_size(size_t a, size_t b, size_t c, size_t *bytes);

#endif
