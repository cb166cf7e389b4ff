/* stamps.c: when the rows of a table were last changed, by blocks of rows. */
#include "storage/stamps.h"

#include <string.h>

static size_t stamps_bytes(uint32_t count, uint32_t blocks) {
  return sizeof(Stamps) + (size_t)(count + 1) * blocks * sizeof(uint64_t) +
         count * sizeof(uint32_t);
}

static Stamps *stamps_create(Memory *memory, StampClock *clock, uint32_t count,
                             uint32_t blocks) {
  Stamps *stamps = memory_zeroed(memory, 1, stamps_bytes(count, blocks));
  if (stamps == NULL) return NULL;
  uint64_t *rows = (uint64_t *)(void *)(stamps + 1);
  uint64_t *end = rows + (size_t)(count + 1) * blocks;
  for (uint64_t *stamp = rows; stamp < end; stamp++) *stamp = clock->tick;
  *stamps = (Stamps){clock, blocks, count, (uint32_t *)(void *)end, rows};
  return stamps;
}

/* Copies what two sets of stamps have in common. */
static void stamps_copy(const Stamps *to, const Stamps *from) {
  for (uint32_t i = 0; i <= from->count; i++)
    memcpy(to->rows + (size_t)i * to->blocks,
           from->rows + (size_t)i * from->blocks,
           from->blocks * sizeof(uint64_t));
  memcpy(to->bits, from->bits, from->count * sizeof(uint32_t));
}

Stamps *stamps_extend(Stamps *stamps, Memory *memory, StampClock *clock,
                      uint32_t bit, uint32_t blocks) {
  uint32_t count = stamps == NULL ? 0 : stamps->count;
  bool missing =
      bit != STAMP_NO_BIT && (stamps == NULL || stamps_of(stamps, bit) == NULL);
  if (stamps != NULL && !missing && stamps->blocks >= blocks) return stamps;
  if (stamps != NULL && stamps->blocks > blocks) blocks = stamps->blocks;
  Stamps *more = stamps_create(memory, clock, count + missing, blocks);
  if (more == NULL) return NULL;
  if (stamps != NULL) stamps_copy(more, stamps);
  if (missing) more->bits[count] = bit;
  stamps_destroy(stamps, memory);
  return more;
}

void stamps_destroy(Stamps *stamps, Memory *memory) {
  if (stamps == NULL) return;
  memory_free(memory, stamps, stamps_bytes(stamps->count, stamps->blocks));
}
