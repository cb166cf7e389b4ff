/* table.h: creates tables, makes room in them, and answers which components
 * they have.
 *
 * What a table looks like is in table_layout.h; rows are moved by table_row.h
 * one at a time and by table_rows.h many at a time, and table_image.h takes
 * their values in and out. Components are given by their bit in the group.
 */
#ifndef ECS_TABLE_H
#define ECS_TABLE_H

#include "storage/table_layout.h"

/* Life and growth --------------------------------------------------------- */

/* Creates a table without rows. schemas has one entry per component of the
 * group, NULL for one without columns; the mask is copied. NULL on failure,
 * with ECS_E_MEMORY or ECS_E_LIMIT (columns) in *status. */
ECS_INTERNAL Table *table_create(Memory *memory, const Schema *const *schemas,
                                 Mask mask, ecs_Status *status);

/* Frees a table with its slab. */
ECS_INTERNAL void table_destroy(Table *table, Memory *memory);

/* Makes room for rows more rows. ECS_E_MEMORY, ECS_E_LIMIT: nothing has
 * changed. Cost: copies all rows when it grows, to at least twice the
 * capacity. */
ECS_INTERNAL ecs_Status table_reserve(Table *table, Memory *memory,
                                      uint64_t rows);

/* Gives back room, down to that for `rows` rows, which are at least those in
 * use. Where memory for the smaller slab is refused, nothing changes. Cost:
 * copies all rows. */
ECS_INTERNAL void table_shrink(Table *table, Memory *memory, uint32_t rows);

/* Makes the table have at least so many columns of bits. ECS_E_MEMORY: nothing
 * has changed. Cost: as table_reserve when a column is missing. */
ECS_INTERNAL ecs_Status table_reserve_bits(Table *table, Memory *memory,
                                           uint32_t columns);

/* Appends a row of zeros and returns it, without a stamp. Room must be
 * reserved. */
static inline uint32_t table_push(Table *table, ecs_Entity entity) {
  ECS_ASSERT(table->count < table->capacity);
  table->entities[table->count] = entity;
  return table->count++;
}

/* The same with a stamp. */
static inline uint32_t table_append(Table *table, ecs_Entity entity) {
  table_stamp_rows(table, table->count, 1);
  return table_push(table, entity);
}

/* Appends count rows of zeros and returns the first of them. The caller writes
 * their entities. Room must be reserved. */
static inline uint32_t table_append_many(Table *table, uint32_t count) {
  uint32_t first = table->count;
  ECS_ASSERT(count <= table->capacity - table->count);
  table_stamp_rows(table, first, count);
  table->count += count;
  return first;
}

/* Removes all rows from one on; the slab stays. Cost: clears these rows. */
ECS_INTERNAL void table_truncate(Table *table, uint32_t rows);

/* Removes all rows. */
static inline void table_clear(Table *table) { table_truncate(table, 0); }

/* Checked builds: layout, addresses and zero padding hold. Cost: all of it. */
ECS_INTERNAL bool table_check_invariants(const Table *table);

/* Reading ----------------------------------------------------------------- */

/* The words of a set from its first that is not zero to its last, borrowed. */
static inline Mask mask_trim(const uint64_t *words, uint32_t count) {
  uint32_t first = 0;
  while (count > 0 && words[count - 1] == 0) count--;
  while (first < count && words[first] == 0) first++;
  return (Mask){count > 0 ? words + first : NULL, (uint16_t)first,
                (uint16_t)(count - first)};
}

/* The set of one component; `word` is its storage, and is written. */
static inline Mask mask_single(uint64_t *word, uint32_t bit) {
  *word = UINT64_C(1) << (bit & 63u);
  return (Mask){word, (uint16_t)(bit >> 6), 1};
}

/* One word of a set, by its number; 0 outside of the words that are kept. */
static inline uint64_t mask_word(const Mask *mask, uint32_t number) {
  uint32_t word = number - mask->first;
  return word < mask->count ? mask->words[word] : 0;
}

/* Writes a set over words that are zero. */
static inline void mask_write(const Mask *mask, uint64_t *words) {
  if (mask->count > 0)
    memcpy(words + mask->first, mask->words, mask->count * sizeof(uint64_t));
}

/* Is the bit set in a mask of `words` words? Bits past the mask are not. */
static inline bool mask_has(const uint64_t *mask, uint32_t words,
                            uint32_t bit) {
  return bit >> 6 < words && (mask[bit >> 6] >> (bit & 63u) & 1u) != 0;
}

/* Takes the lowest bit out of a word of a mask, which is word i; returns it. */
static inline uint32_t mask_take(uint64_t *word, uint32_t i) {
  uint32_t bit = i * 64u + (uint32_t)__builtin_ctzll(*word);
  *word &= *word - 1;
  return bit;
}

/* Has the table the component, given by its bit? Never true of one that is
 * stored as bits. */
static inline bool table_has(const Table *table, uint32_t bit) {
  uint32_t word = (bit >> 6) - table->mask.first; /* too high: before it */
  return word < table->mask.count &&
         (table->mask.words[word] >> (bit & 63u) & 1u) != 0;
}

/* Has the table columns of the component? False for tags. */
static inline bool table_has_columns(const Table *table, uint32_t bit) {
  return table->lookup[bit & table->lookup_mask].bit == bit;
}

/* The column codes of a component that has columns here, by field. */
static inline const ColumnCode *table_codes(const Table *table, uint32_t bit) {
  ECS_ASSERT(table_has_columns(table, bit));
  return table->codes + table->lookup[bit & table->lookup_mask].position;
}

/* The current addresses of a component's columns, by field. */
static inline char **table_fields(const Table *table, uint32_t bit) {
  ECS_ASSERT(table_has_columns(table, bit));
  return table->fields + table->lookup[bit & table->lookup_mask].position;
}

/* Has the row the tag that is stored as the bit of that index? */
static inline bool table_has_bit(const Table *table, uint32_t row,
                                 uint32_t bits_index) {
  return bits_index >> 3 < table->bits_columns && table->slab != NULL &&
         ((uint32_t)table_bits(table, bits_index >> 3)[row] >>
              (bits_index & 7u) &
          1u) != 0;
}

/* Sets or clears a tag stored as a bit; the table has the column of bits. */
static inline void table_write_bit(Table *table, uint32_t row,
                                   uint32_t bits_index, bool on) {
  uint8_t *bits = &table_bits(table, bits_index >> 3)[row];
  uint8_t bit = (uint8_t)(1u << (bits_index & 7u));
  ECS_ASSERT(row < table->count);
  table_stamp_rows(table, row, 1);
  *bits = (uint8_t)(on ? *bits | bit : *bits & ~bit);
}

/* Does the mask of the table name this component and no other? */
static inline bool table_has_only(const Table *table, uint32_t bit) {
  return table->mask.count == 1 && table->mask.first == bit >> 6 &&
         table->mask.words[0] == UINT64_C(1) << (bit & 63u);
}

/* Is any tag stored as bits set in the row? */
static inline bool table_any_bit(const Table *table, uint32_t row) {
  for (uint32_t i = 0; i < table->bits_columns; i++)
    if (table_bits(table, i)[row] != 0) return true;
  return false;
}

#endif
