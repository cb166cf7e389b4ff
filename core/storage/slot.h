/* slot.h: the eight bytes that are kept for every entity index.
 *
 *               31  28 27              0   31   27 26     24 23          0
 *              +------+-----------------+ +-------+---------+-------------+
 *      placed  |  0   | row             | | hint  | summary | table       |
 *      free    |  1   | next free index | |   0   |    0    | next gener. |
 *      reserved|  2   | note            | |   0   |    0    | generation  |
 *      retired |  3   |        0        | |   0   |    0    | last gener. |
 *              +------+-----------------+ +-------+---------+-------------+
 *                      row_bits                    table_bits
 *
 * A placed slot holds the row and the table of the main group. The hint is the
 * entity's generation. All generations from ECS_SLOT_GENERATIONS on have that
 * number as their hint; the row, which holds the whole handle, distinguishes
 * them. Most look-ups therefore never read the row's entity, which would be one
 * more cache line.
 *
 * The note of a reserved slot is what the issuer wants to know of the entity,
 * until it is placed.
 *
 * The summary has one bit for every third group but the main one. A bit is set
 * while the entity has a row in a group of that bit, and may stay set after the
 * entity has left. An entity with an empty summary has no row outside the main
 * group, so destroying it reads no other group. Groups from ECS_NEAR_GROUPS on
 * are found by lists (group_lists.h), so that no bit stands for many groups.
 */
#ifndef ECS_SLOT_H
#define ECS_SLOT_H

#include "base/id.h"

#define SLOT_TABLE_MASK 0xffffffu
#define SLOT_SUMMARY_SHIFT 24u
#define SLOT_SUMMARY_BITS 3u
#define SLOT_HINT_SHIFT 27u

typedef enum SlotState {
  SLOT_PLACED = 0, /* the entity has a row of the main group */
  SLOT_FREE,       /* no entity; listed if the index was ever issued */
  SLOT_RESERVED,   /* the entity is alive and has no row yet */
  SLOT_RETIRED     /* no entity, and never one again */
} SlotState;

typedef struct Slot {
  uint32_t row_bits;   /* the first word of the drawing */
  uint32_t table_bits; /* the second one */
} Slot;

/* The state of a slot; the other functions below say which states they need. */
static inline SlotState slot_state(Slot slot) {
  return (SlotState)(slot.row_bits >> ECS_INDEX_BITS);
}

/* The row of a placed slot; the next index of a free one; the note of a reserved
 * one. */
static inline uint32_t slot_row(Slot slot) {
  return slot.row_bits & ECS_INDEX_MASK;
}

/* The table id of a placed slot. */
static inline uint32_t slot_table(Slot slot) {
  return slot.table_bits & SLOT_TABLE_MASK;
}

/* The summary of a placed slot, its bits moved down to bit 0. */
static inline uint32_t slot_summary(Slot slot) {
  return slot.table_bits >> SLOT_SUMMARY_SHIFT &
         ((1u << SLOT_SUMMARY_BITS) - 1u);
}

/* The hint of a generation, at its position in table_bits. */
static inline uint32_t slot_hint(uint32_t generation) {
  return (generation < ECS_SLOT_GENERATIONS ? generation : ECS_SLOT_GENERATIONS)
         << SLOT_HINT_SHIFT;
}

/* The summary bit of a group other than the main one, at its position in
 * table_bits. Groups from ECS_NEAR_GROUPS on, which have lists, share the bit of
 * the fewest others. */
static inline uint32_t slot_summary_bit(uint32_t group_id) {
  uint32_t bit = group_id < ECS_NEAR_GROUPS
                     ? (group_id - 1u) % SLOT_SUMMARY_BITS
                     : SLOT_SUMMARY_BITS - 1u;
  return 1u << (SLOT_SUMMARY_SHIFT + bit);
}

#endif
