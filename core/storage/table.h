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
 * instead of 70. Long columns are skewed further (table.c).
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

#include "base/id.h"
#include "base/memory.h"
#include "storage/schema.h"

#define TABLE_SIZES 4u /* element sizes: 1 << 0, 1 << 1, 1 << 2, 1 << 3 bytes */
#define TABLE_NO_COLUMN 0xffffu
#define TABLE_WIDE \
  10u /* columns; from here on moves prefetch (entity_change_fast.c) */

typedef uint16_t ColumnCode; /* position << 2 | log2 of the element size */

/* An element as so many bytes, whatever type the column's users give it. */
typedef uint64_t __attribute__((may_alias)) Cell8;
typedef uint32_t __attribute__((may_alias)) Cell4;
typedef uint16_t __attribute__((may_alias)) Cell2;
typedef uint8_t Cell1;

struct Table;

/* Where the last row that left a table for another went, so that the next one
 * needs no search. For tables of nothing but cells. Positions are those of the
 * component's columns among the ones of four bytes. */
typedef struct LastEdge {
  struct Table *to;
  uint32_t key;    /* last_edge_key, or LAST_EDGE_NONE */
  uint32_t step;   /* to's id less the table's, modulo 2^32 */
  uint16_t before; /* columns in front of the component's */
  uint16_t width;  /* the component's */
  uint16_t behind;
} LastEdge;
#define LAST_EDGE_NONE UINT32_MAX

static inline uint32_t last_edge_key(uint32_t bit, bool added) {
  return bit << 1 | (added ? 1u : 0u);
}

typedef struct Table {
  ecs_Entity *entities; /* the slab's first aligned byte; NULL: no slab */
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
  uint8_t sizes;                 /* bit s: there are columns of 1 << s bytes */
  bool only_cells;            /* all columns are of four bytes, bits included */
  size_t first[TABLE_SIZES];  /* byte offset of the first column of a size */
  size_t stride[TABLE_SIZES]; /* bytes from one column of a size to the next */
  const ColumnCode *codes;    /* of all fields, by component and field */
  LastEdge last_edge;
  uint32_t field_count; /* of codes and fields */
  uint32_t pending;     /* rows that a command buffer is about to add */
  void *slab;           /* owned; what the allocator returned */
  size_t slab_bytes;
  size_t block_bytes; /* of the table itself */
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

/* An f32 anywhere in memory. */
typedef float __attribute__((may_alias, aligned(1))) LooseF32;

/* The same on its way into a column of f32: not a number is what differs from
 * itself. */
static inline void element_store_f32(void *to, const void *from) {
  float value = *(const LooseF32 *)from;
  if (ECS_UNLIKELY(value != value))
    *(Cell4 *)to = SCALAR_QUIET_F32;
  else
    *(LooseF32 *)to = value;
}

/* The same on its way into any column. */
static inline void element_store(void *to, const void *from, ecs_Scalar type) {
  if (ECS_LIKELY(type == ECS_F32)) {
    element_store_f32(to, from);
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
static inline ecs_Entity table_remove(Table *table, uint32_t row);

/* Remembers that a component leads to another table, or nothing. Only tables of
 * cells do. */
static inline void table_note_edge(Table *table, Table *to, uint32_t key,
                                   uint32_t begin, uint32_t end);
static inline void table_forget_edge(Table *table) {
  table->last_edge.key = LAST_EDGE_NONE;
}

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
static inline uint32_t table_move_row(Table *to, Table *from, uint32_t row,
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
              (bits_index & 7u) &
          1u) != 0;
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
ECS_INTERNAL void table_copy_bits(Table *to, uint32_t to_row, const Table *from,
                                  uint32_t from_row);

/* In line ----------------------------------------------------------------- */

/* table_remove and table_move_row for any table; like those for cells below
 * they tell the last entity even where it was the one to go. */
ECS_INTERNAL ecs_Entity table_remove_mixed(Table *table, uint32_t row);
ECS_INTERNAL uint32_t table_move_row_mixed(Table *to, Table *from, uint32_t row,
                                           const ColumnRange *range, bool added,
                                           ecs_Entity *filler);

/* Where a row is in the first column of four bytes; the same row in the next
 * is a stride further on. */
static inline char *table_cells(const Table *table, uint32_t row) {
  return (char *)table->entities + table->first[2] + (size_t)row * 4;
}

/* The last row, gap rows further on, into the hole, in count columns. Returns
 * where the hole is in the column after them. */
static inline char *cells_close(char *hole, size_t stride, size_t gap,
                                uint32_t count) {
  for (; count > 0; count--, hole += stride) {
    Cell4 *cells = (Cell4 *)(void *)hole;
    cells[0] = cells[gap];
    cells[gap] = 0;
  }
  return hole;
}

/* The same, after the row was copied to another table. */
static inline char *cells_move(char **target, size_t target_stride, char *hole,
                               size_t stride, size_t gap, uint32_t count) {
  char *to = *target, *end = hole + count * stride;
  for (; hole != end; hole += stride, to += target_stride) {
    Cell4 *cells = (Cell4 *)(void *)hole;
    *(Cell4 *)(void *)to = cells[0];
    cells[0] = cells[gap];
    cells[gap] = 0;
  }
  *target = to;
  return end;
}

/* The last entity into the hole. */
static inline ecs_Entity table_remove_entity(Table *table, uint32_t row) {
  uint32_t last = --table->count;
  ecs_Entity filler = table->entities[last];
  ECS_ASSERT(row <= last);
  table->entities[row] = filler;
  table->entities[last] = 0;
  return filler;
}

static inline void table_note_edge(Table *table, Table *to, uint32_t key,
                                   uint32_t begin, uint32_t end) {
  uint32_t columns = table->columns[2];
  bool added = (key & 1u) != 0;
  if (!table->only_cells) return;
  table->last_edge =
      (LastEdge){.to = to,
                 .key = key,
                 .step = to->id - table->id,
                 .before = (uint16_t)begin,
                 .width = (uint16_t)(end - begin),
                 .behind = (uint16_t)(columns - (added ? begin : end))};
}

/* Where all columns are of four bytes they are walked in line: pure
 * optimisation, that entity_change_fast.c builds on. */
static inline ecs_Entity table_remove_cells(Table *table, uint32_t row) {
  ecs_Entity filler = table_remove_entity(table, row);
  ECS_ASSERT(table->only_cells);
  cells_close(table_cells(table, row), table->stride[2], table->count - row,
              table->columns[2]);
  return filler;
}

static inline ecs_Entity table_remove(Table *table, uint32_t row) {
  bool is_last = row == table->count - 1;
  ecs_Entity filler = table->only_cells ? table_remove_cells(table, row)
                                        : table_remove_mixed(table, row);
  return is_last ? 0 : filler;
}

static inline uint32_t table_move_row_cells(Table *to, Table *from,
                                            uint32_t row,
                                            const ColumnRange *range,
                                            bool added, ecs_Entity *filler) {
  uint32_t to_row = table_append(to, from->entities[row]);
  char *target = table_cells(to, to_row), *hole = table_cells(from, row);
  size_t to_stride = to->stride[2], stride = from->stride[2];
  uint32_t begin = range->begin[2], end = range->end[2];
  ECS_ASSERT(from->only_cells);
  *filler = table_remove_entity(from, row);
  size_t gap = from->count - row;
  hole = cells_move(&target, to_stride, hole, stride, gap, begin);
  if (added) {
    target += (end - begin) * to_stride;
    end = begin;
  } else {
    hole = cells_close(hole, stride, gap, end - begin);
  }
  cells_move(&target, to_stride, hole, stride, gap, from->columns[2] - end);
  return to_row;
}

static inline uint32_t table_move_row(Table *to, Table *from, uint32_t row,
                                      const ColumnRange *range, bool added,
                                      ecs_Entity *moved) {
  bool is_last = row == from->count - 1;
  uint32_t to_row =
      from->only_cells
          ? table_move_row_cells(to, from, row, range, added, moved)
          : table_move_row_mixed(to, from, row, range, added, moved);
  if (is_last) *moved = 0;
  return to_row;
}

/* Two elements as they lie one after the other. */
static inline uint64_t cells_join(const void *first, const void *second) {
  uint64_t a = *(const Cell4 *)first, b = *(const Cell4 *)second;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return a << 32 | b;
#else
  return b << 32 | a;
#endif
}

/* One row of columns of four bytes, into an image. Two, the most frequent
 * number, are stored at once: who then reads both at once, as compilers do,
 * would wait until two stores have reached the cache. */
static inline void cells_load(void *image, char *const *columns, size_t count,
                              size_t row) {
  size_t at = row * 4;
  if (ECS_LIKELY(count == 2)) {
    uint64_t both = cells_join(columns[0] + at, columns[1] + at);
    memcpy(image, &both, 8);
    return;
  }
  for (size_t i = 0; i < count; i++)
    memcpy((char *)image + i * 4, columns[i] + at, 4);
}

/* A component of nothing but f32. */
static inline void table_store_f32(Table *table, uint32_t row,
                                   uint32_t component, size_t field_count,
                                   const void *image) {
  char *const *columns = table_fields(table, component);
  for (size_t i = 0; i < field_count; i++)
    element_store_f32(columns[i] + (size_t)row * 4,
                      (const char *)image + i * 4);
}

static inline void table_store_all(Table *table, uint32_t row,
                                   uint32_t component, const Schema *schema,
                                   const void *image) {
  if (ECS_UNLIKELY(schema->uniform != ECS_F32))
    table_store(table, row, component, schema, image, UINT64_MAX);
  else
    table_store_f32(table, row, component, schema->field_count, image);
}

static inline void table_load(const Table *table, uint32_t row,
                              uint32_t component, const Schema *schema,
                              void *image) {
  if (ECS_UNLIKELY(schema->uniform != ECS_F32)) {
    table_load_mixed(table, row, component, schema, image);
    return;
  }
  cells_load(image, table_fields(table, component), schema->field_count, row);
}

/* Checked builds: the zero padding and the layout hold. */
ECS_INTERNAL bool table_check_invariants(const Table *table);

#endif
