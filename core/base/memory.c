/* memory.c: all memory of a world passes through memory_resize.
 *
 *      size, growth ---> memory_resize ---> limits ---> record ---> account
 *                             |               |           |
 *                             +---- NULL <----+--- note <-+
 *
 * The account changes only after the record has answered, so a refusal leaves
 * both the block and the numbers as they were. The account is exact because
 * every caller passes a block's size when it resizes or frees the block.
 *
 * Cost: a comparison and three additions on top of the record's own work.
 */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The record of a world that is created without one. */
static void *resize_with_c_library(void *user, void *block, size_t old_bytes,
                                   size_t new_bytes) {
  (void)user;
  (void)old_bytes;
  if (new_bytes == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, new_bytes);
}

void memory_init(Memory *memory, ecs_Memory record, uint64_t limit_bytes) {
  if (record.resize == NULL) record.resize = resize_with_c_library;
  *memory = (Memory){.record = record, .limit_bytes = limit_bytes};
}

/* Would so many bytes more pass the limit? 0: there is none. Written without a
 * sum, which could overflow. A budget's limit may be below what it holds. */
static bool passes(uint64_t limit_bytes, uint64_t bytes, uint64_t more_bytes) {
  if (limit_bytes == 0) return false;
  return bytes > limit_bytes || more_bytes > limit_bytes - bytes;
}

static bool passes_budget(const ecs_Budget *budget, uint64_t more_bytes) {
  return budget != NULL &&
         passes(budget->limit_bytes, budget->bytes, more_bytes);
}

/* Notes a refusal of memory; limit 0: the allocator's. */
static void note(Memory *memory, uint64_t limit, const char *of) {
  memory->refusal = (Refusal){.status = ECS_E_MEMORY,
                              .limit = limit,
                              .counts = limit == 0 ? NULL : "bytes",
                              .of = of};
}

static void note_budget(Memory *memory, const ecs_Budget *budget) {
  note(memory, budget->limit_bytes,
       budget->owner == NULL ? "the worlds of one budget" : budget->owner);
}

/* Does a limit refuse so many bytes more? Notes which. */
static bool refuses(Memory *memory, uint64_t more_bytes) {
  const ecs_Budget *budget = memory->budget;
  ECS_ASSERT(memory->limit_bytes == 0 || memory->bytes <= memory->limit_bytes);
  if (passes(memory->limit_bytes, memory->bytes, more_bytes))
    note(memory, memory->limit_bytes, "this world");
  else if (passes_budget(budget, more_bytes))
    note_budget(memory, budget);
  else
    return false;
  return true;
}

bool memory_join(Memory *memory, ecs_Budget *budget, uint64_t extra_bytes) {
  uint64_t bytes = memory->bytes + extra_bytes;
  if (budget == memory->budget) return true;
  if (passes_budget(budget, bytes)) {
    note_budget(memory, budget);
    return false;
  }
  if (memory->budget != NULL) memory->budget->bytes -= bytes;
  if (budget != NULL) budget->bytes += bytes;
  memory->budget = budget;
  return true;
}

ecs_Status memory_refuse(Memory *memory, uint64_t limit, const char *counts,
                         const char *of) {
  memory->refusal = (Refusal){
      .status = ECS_E_LIMIT, .limit = limit, .counts = counts, .of = of};
  return ECS_E_LIMIT;
}

ecs_Status memory_refuse_taken(Memory *memory, const char *sentence) {
  memory->refusal = (Refusal){.status = ECS_E_TAKEN, .sentence = sentence};
  return ECS_E_TAKEN;
}

/* NULL, with the note that the allocator refused. */
static void *give_up(Memory *memory) {
  note(memory, 0, NULL);
  return NULL;
}

void *memory_resize(Memory *memory, void *block, size_t old_bytes,
                    size_t new_bytes) {
  if (new_bytes == 0) {
    memory_free(memory, block, old_bytes);
    return NULL;
  }
  ECS_ASSERT((block == NULL) == (old_bytes == 0));
  ECS_ASSERT(old_bytes <= memory->bytes);
  /* No object of C is larger than PTRDIFF_MAX: beyond it, differences of
   * pointers into a block are undefined. */
  if (new_bytes > PTRDIFF_MAX) return give_up(memory);
  if (new_bytes > old_bytes && refuses(memory, new_bytes - old_bytes))
    return NULL;
  void *resized =
      memory->record.resize(memory->record.user, block, old_bytes, new_bytes);
  if (resized == NULL) return give_up(memory);
  memory->bytes = memory->bytes - old_bytes + new_bytes;
  if (memory->budget != NULL)
    memory->budget->bytes = memory->budget->bytes - old_bytes + new_bytes;
  if (memory->bytes > memory->peak_bytes) memory->peak_bytes = memory->bytes;
  if (block == NULL) memory->blocks++;
  return resized;
}

void *memory_zeroed(Memory *memory, size_t count, size_t element_bytes) {
  size_t bytes;
  if (!memory_size(count, element_bytes, 0, &bytes)) return give_up(memory);
  if (bytes == 0) return NULL;
  void *block = memory_resize(memory, NULL, 0, bytes);
  if (block != NULL) memset(block, 0, bytes);
  return block;
}

void memory_free(Memory *memory, void *block, size_t bytes) {
  if (block == NULL) return;
  ECS_ASSERT(bytes != 0 && bytes <= memory->bytes && memory->blocks > 0);
  memory->record.resize(memory->record.user, block, bytes, 0);
  memory->bytes -= bytes;
  if (memory->budget != NULL) memory->budget->bytes -= bytes;
  memory->blocks--;
  ECS_ASSERT((memory->blocks == 0) == (memory->bytes == 0));
}

/* Doubles a capacity until it is at least that large; the last doubling before
 * the end of the type goes to its end instead. */
static uint32_t doubled_capacity(uint32_t capacity, uint32_t least) {
  if (capacity < 4) capacity = 4;
  while (capacity < least)
    capacity = capacity > UINT32_MAX / 2 ? UINT32_MAX : capacity * 2;
  return capacity;
}

bool memory_grow(Memory *memory, void **array, uint32_t *capacity,
                 uint32_t count, uint32_t needed, size_t element_bytes) {
  ECS_ASSERT(count <= *capacity);
  if (needed <= *capacity - count) return true;
  if (needed > UINT32_MAX - count) return give_up(memory) != NULL;
  uint32_t grown = doubled_capacity(*capacity, count + needed);
  size_t bytes;
  if (!memory_size(grown, element_bytes, 0, &bytes))
    return give_up(memory) != NULL;
  /* The array exists, so the product of its old capacity cannot overflow. */
  void *resized =
      memory_resize(memory, *array, *capacity * element_bytes, bytes);
  if (resized == NULL) return false;
  *array = resized;
  *capacity = grown;
  return true;
}

bool memory_size(size_t a, size_t b, size_t c, size_t *bytes) {
  size_t product;
  return !__builtin_mul_overflow(a, b, &product) &&
         !__builtin_add_overflow(product, c, bytes);
}

bool memory_ensure(Memory *memory, void **array, uint32_t *capacity,
                   uint32_t needed, size_t element_bytes) {
  uint32_t before = *capacity;
  if (needed <= before) return true;
  if (!memory_grow(memory, array, capacity, before, needed - before,
                   element_bytes))
    return false;
  memset((char *)*array + before * element_bytes, 0,
         (*capacity - before) * element_bytes);
  return true;
}

void *memory_lay(char *block, size_t *used, size_t count,
                 size_t element_bytes) {
  size_t offset = (*used + 15) / 16 * 16;
  *used = offset + count * element_bytes;
  return block == NULL ? NULL : block + offset;
}
