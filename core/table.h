/* table.h: the dense rows of one exact combination of a group's components.
 *
 * One slab holds the entity of every row and one column per field. Columns of
 * one element size lie side by side at one stride, so that a row is moved by
 * walking each size once:
 *
 *      slab  | entities | 8-byte columns | 4-byte | 2-byte | 1-byte | bits |
 *
 *      4-byte columns:   first[2]
 *      x  | x0 x1 x2 ...  capacity  | pad |
 *      y  | y0 y1 y2 ...            | pad |    stride[2]: an odd number of
 *      dx | ...                     | pad |    cache lines
 *
 * With strides that are powers of two, the columns of one row would fall into
 * the same few sets of the cache: moving a row of ten components took 320 ns
 * instead of 70.
 *
 * A column is named by a code: its position among the columns of its size,
 * and the size. bits are one-byte columns at the end, eight tags in each, that
 * a table gets when the first such tag is set in it.
 *
 * Invariants: rows 0 to count - 1 are in use; every byte of every column past
 * count is zero. A table has no slab until it has a row. Its address is stable,
 * its columns move when it grows.
 */
#ifndef ECS_TABLE_H
#define ECS_TABLE_H

#include <string.h>

#include "id.h"
#include "memory.h"
#include "schema.h"

#define TABLE_SIZES 4u /* element sizes: 1 << 0, 1 << 1, 1 << 2, 1 << 3 bytes */
#define TABLE_NO_COLUMN 0xffffu

typedef uint16_t ColumnCode; /* position << 2 | log2 of the element size */

typedef struct Table {
  ecs_Entity *entities;     /* the slab's first aligned byte; NULL: no slab */
  uint32_t count;
  uint32_t capacity;        /* a multiple of ECS_ROW_ALIGN */
  char **fields;            /* where each field's column is; as codes */
  const ColumnCode *lookup; /* component's bit -> position of its fields in
                               fields and codes, or TABLE_NO_COLUMN */
  uint64_t *mask;           /* the group's components it has; bits not told */
  uint32_t id;              /* position in its group */
  uint32_t lookup_count;    /* components that lookup knows */
  uint16_t mask_words;
  uint16_t bits_columns;
  uint16_t columns[TABLE_SIZES]; /* columns of a size, without bits */
  uint8_t sizes;            /* bit s: there are columns of 1 << s bytes */
  size_t first[TABLE_SIZES];  /* byte offset of the first column of a size */
  size_t stride[TABLE_SIZES]; /* bytes from one column of a size to the next */
  const ColumnCode *codes;  /* of all fields, by component and field */
  uint32_t field_count;     /* of codes and fields */
  uint32_t pending;         /* rows that a command buffer is about to add */
  void *slab;               /* owned; what the allocator returned */
  size_t slab_bytes;
  size_t block_bytes;       /* of the table itself */
} Table;

static inline bool mask_has(const uint64_t *mask, uint32_t words,
                            uint32_t bit) {
  return bit >> 6 < words && (mask[bit >> 6] >> (bit & 63u) & 1u) != 0;
}

/* One element of 1, 2, 4 or 8 bytes from place to place. */
static inline void element_copy(void *to, const void *from, uint32_t shift) {
  if (ECS_LIKELY(shift == 2))
    memcpy(to, from, 4);
  else if (shift == 3)
    memcpy(to, from, 8);
  else if (shift == 0)
    memcpy(to, from, 1);
  else
    memcpy(to, from, 2);
}

/* The same on its way into a column. */
static inline void element_store(void *to, const void *from, ecs_Scalar type) {
  if (ECS_LIKELY(type == ECS_F32)) {
    uint32_t bits;
    memcpy(&bits, from, 4);
    if ((bits & 0x7fffffffu) > 0x7f800000u) bits = SCALAR_QUIET_F32;
    memcpy(to, &bits, 4);
  } else {
    element_copy(to, from, (uint32_t)__builtin_ctz(scalar_bytes(type)));
    scalar_canonicalize(type, to);
  }
}

/* Life ------------------------------------------------------------------ */

/* A table without rows. schemas has one entry per component of the group, NULL
 * for what has no columns; mask has mask_words words. NULL for lack of memory;
 * *status tells that from ECS_E_LIMIT (columns of one size). */
ECS_INTERNAL Table *table_create(Memory *memory, const Schema *const *schemas,
                                 const uint64_t *mask, uint32_t mask_words,
                                 ecs_Status *status);
ECS_INTERNAL void table_destroy(Table *table, Memory *memory);

/* Growth: may fail with ECS_E_MEMORY, what follows cannot ---------------- */

/* Room for rows more rows. Cost: copies all rows when it grows, to twice the
 * capacity at least. */
ECS_INTERNAL ecs_Status table_reserve(Table *table, Memory *memory,
                                      uint64_t rows);

/* Makes the table have at least that many columns of bits. */
ECS_INTERNAL ecs_Status table_reserve_bits(Table *table, Memory *memory,
                                           uint32_t columns);

/* Changing ---------------------------------------------------------------- */

/* Appends a row of zeros. Room must be reserved. */
static inline uint32_t table_append(Table *table, ecs_Entity entity) {
  ECS_ASSERT(table->count < table->capacity);
  table->entities[table->count] = entity;
  return table->count++;
}

/* Appends count rows of zeros, without entities, and returns the first. */
static inline uint32_t table_append_many(Table *table, uint32_t count) {
  uint32_t first = table->count;
  ECS_ASSERT(count <= table->capacity - table->count);
  table->count += count;
  return first;
}

/* Moves the last row into the hole and clears it. Returns the entity that is
 * in the row now, 0 when the last row was removed. */
ECS_INTERNAL ecs_Entity table_remove(Table *table, uint32_t row);

/* Removes all rows; the slab stays. */
ECS_INTERNAL void table_clear(Table *table);

/* The columns [begin, end) of each size: those of one component. */
typedef struct ColumnRange {
  uint16_t begin[TABLE_SIZES];
  uint16_t end[TABLE_SIZES];
} ColumnRange;

/* Moves a row to a table that has the columns of range (added) or lacks them,
 * and otherwise the same: appends it there, copies, and closes the hole. Room
 * must be reserved. *moved is the entity that fills the hole, 0: none. Returns
 * the new row. This is how a row moves when one component comes or goes. */
ECS_INTERNAL uint32_t table_move_row(Table *to, Table *from, uint32_t row,
                                     const ColumnRange *range, bool added,
                                     ecs_Entity *moved);

/* Writes a component's fields from an image, those whose bits are set. */
ECS_INTERNAL void table_store(Table *table, uint32_t row, uint32_t component,
                              const Schema *schema, const void *image,
                              uint64_t fields);

/* Writes all of them; in line for components of nothing but f32. */
static inline void table_store_all(Table *table, uint32_t row,
                                   uint32_t component, const Schema *schema,
                                   const void *image);

/* Writes a component's defaults, or nothing when they are zero and the row is
 * fresh. */
ECS_INTERNAL void table_store_defaults(Table *table, uint32_t row,
                                       uint32_t component,
                                       const Schema *schema);

/* Reading ----------------------------------------------------------------- */

/* The columns of a component's fields; the table must have it. */
static inline const ColumnCode *table_codes(const Table *table,
                                            uint32_t component) {
  ECS_ASSERT(component < table->lookup_count &&
             table->lookup[component] != TABLE_NO_COLUMN);
  return table->codes + table->lookup[component];
}

/* Does the table have columns of this component? False for tags. */
static inline bool table_has_columns(const Table *table, uint32_t component) {
  return component < table->lookup_count &&
         table->lookup[component] != TABLE_NO_COLUMN;
}

static inline bool table_has(const Table *table, uint32_t component) {
  return mask_has(table->mask, table->mask_words, component);
}

/* Where the columns of a component's fields are now. */
static inline char **table_fields(const Table *table, uint32_t component) {
  ECS_ASSERT(component < table->lookup_count &&
             table->lookup[component] != TABLE_NO_COLUMN);
  return table->fields + table->lookup[component];
}

static inline uint32_t code_shift(ColumnCode code) { return code & 3u; }

static inline void *table_column(const Table *table, ColumnCode code) {
  uint32_t shift = code_shift(code);
  return (char *)table->entities + table->first[shift] +
         (size_t)(code >> 2) * table->stride[shift];
}

/* One element of a column. */
static inline void *table_element(const Table *table, ColumnCode code,
                                  uint32_t row) {
  return (char *)table_column(table, code) + ((size_t)row << code_shift(code));
}

/* A column of eight tags stored as bits, one byte per row. */
static inline uint8_t *table_bits(const Table *table, uint32_t column) {
  ECS_ASSERT(column < table->bits_columns);
  return (uint8_t *)table->entities + table->first[0] +
         (size_t)(table->columns[0] + column) * table->stride[0];
}

static inline bool table_has_bit(const Table *table, uint32_t row,
                                 uint32_t bits_index) {
  return bits_index >> 3 < table->bits_columns && table->slab != NULL &&
         ((uint32_t)table_bits(table, bits_index >> 3)[row] >>
              (bits_index & 7u) & 1u) != 0;
}

/* Is any tag stored as bits set in the row? */
ECS_INTERNAL bool table_any_bit(const Table *table, uint32_t row);

/* Copies a component into an image; in line for nothing but f32. */
static inline void table_load(const Table *table, uint32_t row,
                              uint32_t component, const Schema *schema,
                              void *image);
ECS_INTERNAL void table_load_mixed(const Table *table, uint32_t row,
                                   uint32_t component, const Schema *schema,
                                   void *image);

/* Copies the columns of bits that both have. */
ECS_INTERNAL void table_copy_bits(Table *to, uint32_t to_row,
                                  const Table *from, uint32_t from_row);

/* In line --------------------------------------------------------------- */

static inline void table_store_all(Table *table, uint32_t row,
                                   uint32_t component, const Schema *schema,
                                   const void *image) {
  if (ECS_UNLIKELY(schema->uniform != ECS_F32)) {
    table_store(table, row, component, schema, image, UINT64_MAX);
    return;
  }
  char **columns = table_fields(table, component);
  for (uint32_t i = 0; i < schema->field_count; i++)
    element_store(columns[i] + (size_t)row * 4,
                  (const char *)image + (size_t)i * 4, ECS_F32);
}

static inline void table_load(const Table *table, uint32_t row,
                              uint32_t component, const Schema *schema,
                              void *image) {
  if (ECS_UNLIKELY(schema->uniform != ECS_F32)) {
    table_load_mixed(table, row, component, schema, image);
    return;
  }
  char **columns = table_fields(table, component);
  for (uint32_t i = 0; i < schema->field_count; i++)
    memcpy((char *)image + (size_t)i * 4, columns[i] + (size_t)row * 4, 4);
}

/* Checked builds: the zero padding and the layout hold. */
ECS_INTERNAL bool table_check_invariants(const Table *table);


#endif
