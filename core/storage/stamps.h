/* stamps.h: when the rows of a table were last changed, by blocks of rows.
 *
 * A table has stamps while a query asks for changes of its rows. A stamp is the
 * store's tick at the last change of a block of STAMP_ROWS rows: one for rows
 * that came or moved there, and one for each watched component, whose columns
 * were opened for writing:
 *
 *      block          0        1        2
 *      rows           12       12       31     a row came to block 2 at 31
 *      Position       12       40       31     block 1 was written at 40
 *
 * A block has changed since a tick if one of its stamps is higher. Stamps are
 * written by functions that cannot fail: where there is none yet, for a table or
 * for a block, everything counts as changed. So stamps may tell too much, never
 * too little. Queries make them (store_watch_table).
 */
#ifndef ECS_STAMPS_H
#define ECS_STAMPS_H

#include "base/invariant.h"
#include "base/memory.h"

#define STAMP_ROWS ECS_BLOCK_ROWS

/* Instead of a component's bit: the rows themselves. */
#define STAMP_NO_BIT UINT32_MAX

/* What a store stamps with. */
typedef struct StampClock {
  uint64_t tick;    /* grows with every walk that asks for changes */
  uint64_t newest;  /* the highest stamp that was written; who has seen all of
                      an older tick needs no look at stamps while it stays */
  uint32_t watches; /* store_watch less store_unwatch */
} StampClock;

typedef struct Stamps {
  StampClock *clock; /* of the store; borrowed */
  uint32_t blocks;   /* that there is room for */
  uint32_t count;    /* watched components */
  uint32_t *bits;    /* of these, in the group; in the stamps' memory */
  uint64_t *rows;    /* blocks stamps of rows, then those of each component */
} Stamps;

/* Makes stamps for a component, or STAMP_NO_BIT, and for so many blocks, where
 * there are none: what is new has the stamp of now. stamps may be NULL. Returns
 * those to use from now on; NULL: ECS_E_MEMORY, and nothing has changed. */
ECS_INTERNAL Stamps *stamps_extend(Stamps *stamps, Memory *memory,
                                   StampClock *clock, uint32_t bit,
                                   uint32_t blocks);

/* Frees them; does nothing for NULL. */
ECS_INTERNAL void stamps_destroy(Stamps *stamps, Memory *memory);

/* The blocks that count rows lie in. */
static inline uint32_t stamp_blocks(uint32_t count) {
  return (count + STAMP_ROWS - 1) / STAMP_ROWS;
}

/* The stamps of a component; NULL: it is not watched here. */
static inline uint64_t *stamps_of(const Stamps *stamps, uint32_t bit) {
  for (uint32_t i = 0; i < stamps->count; i++)
    if (stamps->bits[i] == bit)
      return stamps->rows + (size_t)(i + 1) * stamps->blocks;
  return NULL;
}

/* Stamps the blocks of count rows from first on; `list` is one row of stamps. */
static inline void stamps_write(const Stamps *stamps, uint64_t *list,
                                uint32_t first, uint32_t count) {
  uint64_t now = stamps->clock->tick;
  if (count == 0) return;
  stamps->clock->newest = now;
  uint32_t end = (first + count - 1) / STAMP_ROWS + 1;
  if (end > stamps->blocks) end = stamps->blocks;
  for (uint32_t i = first / STAMP_ROWS; i < end; i++) list[i] = now;
}

/* Was one of the blocks of count rows, at least one, stamped after a tick? */
static inline bool stamps_newer(const Stamps *stamps, const uint64_t *list,
                                uint32_t first, uint32_t count, uint64_t tick) {
  uint32_t end = (first + count - 1) / STAMP_ROWS + 1;
  if (end > stamps->blocks) return true;
  for (uint32_t i = first / STAMP_ROWS; i < end; i++)
    if (list[i] > tick) return true;
  return false;
}

#endif
