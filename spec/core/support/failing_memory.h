/* failing_memory.h: an allocator record for tests that refuses on demand.
 *
 * It returns ordinary heap blocks, counts them, and checks the sizes that it
 * gets. Armed with n, it refuses the n-th request from then on, and in the
 * second mode all later ones as well:
 *
 *      request        1   2   3   4   5
 *      once, n = 3    .   .   X   .   .
 *      onward, n = 3  .   .   X   X   X
 *
 * A loop makes every allocation of an operation fail once:
 *
 *      for (n = 1;; n++) {
 *        failing_memory_arm(&memory, n, FAIL_ONCE);
 *        status = operation();
 *        if (failing_memory_disarm(&memory) == 0) break;
 *        ... a failure was injected: status says so, nothing has changed
 *      }
 *      ... it made fewer than n requests: status is ECS_OK
 *
 * A request is any call that asks for bytes, even for fewer than before.
 * Freeing is not a request and never fails. A resized block always moves. New
 * bytes are filled with a pattern, and old bytes before they are freed, so that
 * code with a stale pointer, or that reads what it never wrote, gets wrong
 * values even without a sanitizer. A wrong old size stops the process.
 */
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ecs.h"

/* Every byte of memory that has no meaning yet, or no longer. */
#define FAILING_MEMORY_PATTERN 0xa5

/* In front of each block, so that it keeps malloc's alignment. */
#define FAILING_MEMORY_HEAD 16u

typedef enum FailingMode { FAIL_ONCE, FAIL_ONWARD } FailingMode;

typedef struct FailingMemory {
  uint64_t bytes;          /* live now, as the caller counts them */
  uint64_t blocks;         /* live now */
  uint64_t requests;       /* since init, refused ones included */
  uint64_t failures;       /* injected since init */
  uint64_t armed_failures; /* injected since the last arm */
  uint64_t fail_at;        /* the value of requests to refuse at; 0: none */
  FailingMode mode;
} FailingMemory;

/* Does this request have to fail? Counts it. */
static inline bool failing_memory_refuses(FailingMemory *memory) {
  memory->requests++;
  if (memory->fail_at == 0 || memory->requests < memory->fail_at) return false;
  if (memory->mode == FAIL_ONCE && memory->requests > memory->fail_at)
    return false;
  memory->failures++;
  memory->armed_failures++;
  return true;
}

/* The start of a block with its head, once its owner's size proves right. */
static inline unsigned char *failing_memory_head(void *block, size_t bytes) {
  unsigned char *head = (unsigned char *)block - FAILING_MEMORY_HEAD;
  size_t true_bytes;
  memcpy(&true_bytes, head, sizeof true_bytes);
  if (true_bytes != bytes) {
    fprintf(stderr, "failing_memory: a block of %zu bytes came back as %zu\n",
            true_bytes, bytes);
    abort();
  }
  return head;
}

/* Ends a block. */
static inline void failing_memory_release(FailingMemory *memory, void *block,
                                          size_t bytes) {
  unsigned char *head = failing_memory_head(block, bytes);
  memory->bytes -= bytes;
  memory->blocks--;
  memset(head, FAILING_MEMORY_PATTERN, bytes + FAILING_MEMORY_HEAD);
  free(head);
}

/* The function of the record. A request that the heap refuses is refused too,
 * and not counted as injected. */
static inline void *failing_memory_resize(void *user, void *block,
                                          size_t old_bytes, size_t new_bytes) {
  FailingMemory *memory = user;
  if (new_bytes == 0) {
    if (block != NULL) failing_memory_release(memory, block, old_bytes);
    return NULL;
  }
  if (block != NULL) (void)failing_memory_head(block, old_bytes);
  if (failing_memory_refuses(memory)) return NULL;
  unsigned char *head = malloc(new_bytes + FAILING_MEMORY_HEAD);
  if (head == NULL) return NULL;
  memset(head, FAILING_MEMORY_PATTERN, new_bytes + FAILING_MEMORY_HEAD);
  memcpy(head, &new_bytes, sizeof new_bytes);
  memory->bytes += new_bytes;
  memory->blocks++;
  if (block != NULL) {
    memcpy(head + FAILING_MEMORY_HEAD, block,
           old_bytes < new_bytes ? old_bytes : new_bytes);
    failing_memory_release(memory, block, old_bytes);
  }
  return head + FAILING_MEMORY_HEAD;
}

/* Lifetime: memory must outlive every block; the record points to it. */
static inline ecs_Memory failing_memory_init(FailingMemory *memory) {
  memset(memory, 0, sizeof *memory);
  return (ecs_Memory){failing_memory_resize, memory};
}

/* Refuses the nth request from now, n from 1. */
static inline void failing_memory_arm(FailingMemory *memory, uint64_t nth,
                                      FailingMode mode) {
  memory->armed_failures = 0;
  memory->fail_at = memory->requests + nth;
  memory->mode = mode;
}

/* Refuses nothing any more; returns how many failures the last arming led to,
 * 0 when the operation made fewer requests than that. */
static inline uint64_t failing_memory_disarm(FailingMemory *memory) {
  memory->fail_at = 0;
  return memory->armed_failures;
}

#endif
