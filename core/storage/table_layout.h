/* table_layout.h: what a table is made of, and where its columns lie.
 *
 * A table has the dense rows of one exact combination of a group's components.
 * One slab holds the entity of every row and one column per field. Columns of
 * one element size lie side by side at one stride, so that a row is moved by
 * walking each size once:
 *
 *      slab  | entities | 8-byte columns | 4-byte | 2-byte | 1-byte | bits | hashes |
 *
 *      4-byte columns:   first[2]
 *      x  | x0 x1 x2 ...  capacity  | pad |
 *      y  | y0 y1 y2 ...            | pad |    stride[2]: an odd number of
 *      dx | ...                     | pad |    cache lines
 *
 * With strides that are powers of two, the columns of one row would share a few
 * sets of the cache: moving a row of ten components took 320 ns instead of 70.
 * Long columns are skewed further (table.c).
 *
 * A column code names a column: its position among the columns of its size, and
 * the size. The columns of bits are one-byte columns at the end, with eight
 * tags each; a table gets one when the first tag of the eight is set in it.
 *
 * Invariants: rows 0 to count - 1 are in use; every byte of every column past
 * count is zero; a table has no slab until it has a row. The address of a table
 * is stable; its columns move when it grows.
 */
#ifndef ECS_TABLE_LAYOUT_H
#define ECS_TABLE_LAYOUT_H

#include "base/id.h"
#include "base/memory.h"
#include "storage/element.h"
#include "storage/kept_hash.h"
#include "storage/schema.h"
#include "storage/stamps.h"

#define TABLE_SIZES 4u /* element sizes: 1 << 0, 1 << 1, 1 << 2, 1 << 3 bytes */
#define TABLE_NO_COLUMN 0xffffu

typedef uint16_t ColumnCode; /* position << 2 | log2 of the element size */

/* A component with columns, in as many entries as let each such component of the
 * table have one of its own. A look-up reads one entry, and the entries of a table
 * of few components are few, however many components there are. */
typedef struct TableLookup {
  uint16_t bit; /* the component's; a bit of another entry: there is none */
  uint16_t position; /* of its first field in fields and codes */
} TableLookup;
#define TABLE_LEAST_LOOKUP 2u /* entries: the other one has the other bits */

/* A set of a group's components by their bits, kept from its first word that is
 * not zero to its last: the tables of a group of many components have few. */
typedef struct Mask {
  const uint64_t *words; /* borrowed; the words from number first on */
  uint16_t first;
  uint16_t count; /* 0, with first 0: no component */
} Mask;

/* The columns of one component: [begin, end) of each size. */
typedef struct ColumnRange {
  uint16_t begin[TABLE_SIZES];
  uint16_t end[TABLE_SIZES];
} ColumnRange;

/* Where the last row that left a table for another went, so that the next one
 * needs no search. An edge is plain if the table has only four-byte columns and
 * the component has, too; otherwise it is mixed. */
typedef struct LastEdge {
  struct Table *to;  /* borrowed from the group */
  uint32_t key;      /* last_edge_key, with LAST_EDGE_MIXED in a mixed edge; or
                        LAST_EDGE_NONE */
  uint32_t step;     /* to's id less the table's, modulo 2^32 */
  uint16_t before;   /* four-byte columns in front of the component's */
  uint16_t width;    /* four-byte columns of the component */
  uint16_t behind;   /* four-byte columns after the component's */
  ColumnRange range; /* the component's columns of every size */
} LastEdge;
#define LAST_EDGE_NONE UINT32_MAX
#define LAST_EDGE_MIXED (UINT32_C(1) << 31)

typedef struct Table {
  ecs_Entity *entities;      /* by row: the slab's first aligned byte; NULL: no
                           slab */
  uint32_t count;            /* rows in use */
  uint32_t capacity;         /* rows allocated: a multiple of ECS_ROW_ALIGN */
  char **fields;             /* by field, as codes: the column's address now */
  const TableLookup *lookup; /* of a component's bit, modulo their number */
  Mask mask;                 /* the components it has, except for tags stored
                               as bits; its words are in the table's block */
  uint32_t id;               /* position in its group */
  uint32_t lookup_mask;      /* entries of lookup less one */
  uint16_t bits_columns;
  uint16_t columns[TABLE_SIZES]; /* by size, without columns of bits */
  uint8_t sizes;                 /* bit s: there are columns of 1 << s bytes */
  bool only_cells; /* all columns have four bytes, and none is of bits */
  size_t first[TABLE_SIZES];  /* by size: byte offset of the first column */
  size_t stride[TABLE_SIZES]; /* by size: bytes from a column to the next */
  const ColumnCode *codes;    /* by component, then by field */
  LastEdge last_edge;
  Stamps *stamps;     /* of its rows, owned; NULL: no query asks for changes */
  KeptHashes *hashes; /* of its contents, in the slab; NULL: it keeps none */
  uint32_t field_count; /* of codes and fields */
  uint32_t hash_parts;  /* see kept_hash.h */
  uint32_t pending;     /* rows that a change has announced and not yet added */
  void *slab;           /* owned; as the allocator returned it */
  size_t slab_bytes;
  size_t block_bytes; /* of the table itself with its arrays */
} Table;

/* The log2 of the element size that a column code names. */
static inline uint32_t code_shift(ColumnCode code) { return code & 3u; }

/* Count rows from first on came to the table, or moved there. */
static inline void table_stamp_rows(const Table *table, uint32_t first,
                                    uint32_t count) {
  const Stamps *stamps = table->stamps;
  if (ECS_UNLIKELY(stamps != NULL))
    stamps_write(stamps, stamps->rows, first, count);
}

/* The columns of a component, given by its bit, were opened for writing in count
 * rows from first on. */
static inline void table_stamp(const Table *table, uint32_t bit, uint32_t first,
                               uint32_t count) {
  const Stamps *stamps = table->stamps;
  uint64_t *list = stamps == NULL ? NULL : stamps_of(stamps, bit);
  if (list != NULL) stamps_write(stamps, list, first, count);
}

/* Number of columns of 1 << shift bytes, columns of bits included. */
static inline uint32_t table_column_count(const Table *table, uint32_t shift) {
  return table->columns[shift] +
         (shift == 0 ? (uint32_t)table->bits_columns : 0u);
}

/* Addresses are borrowed until the table grows or gets a column of bits. */
static inline void *table_column(const Table *table, ColumnCode code) {
  uint32_t shift = code_shift(code);
  ECS_ASSERT((uint32_t)code >> 2 < table_column_count(table, shift));
  return (char *)table->entities + table->first[shift] +
         (size_t)(code >> 2) * table->stride[shift];
}

/* One element of a column. */
static inline void *table_element(const Table *table, ColumnCode code,
                                  uint32_t row) {
  return (char *)table_column(table, code) + ((size_t)row << code_shift(code));
}

/* A row's element in the first column of four bytes. The same row of the next
 * column is one stride further on. */
static inline char *table_cells(const Table *table, uint32_t row) {
  return (char *)table->entities + table->first[2] + (size_t)row * 4;
}

/* A column of eight tags stored as bits, with one byte per row. */
static inline uint8_t *table_bits(const Table *table, uint32_t column) {
  ECS_ASSERT(column < table->bits_columns);
  return (uint8_t *)table->entities + table->first[0] +
         (size_t)(table->columns[0] + column) * table->stride[0];
}

/* The key of a LastEdge: the component with this bit is added, or removed. */
static inline uint32_t last_edge_key(uint32_t bit, bool added) {
  return bit << 1 | (added ? 1u : 0u);
}

/* Does a range name columns of four bytes alone? */
static inline bool range_has_only_cells(const ColumnRange *range) {
  return range->begin[0] == range->end[0] && range->begin[1] == range->end[1] &&
         range->begin[3] == range->end[3];
}

/* Remembers the table that adding or removing a component leads to. The range
 * has the component's columns in the table that has it. cells: its fields may be
 * stored as cells. */
static inline void table_note_edge(Table *table, Table *to, uint32_t key,
                                   const ColumnRange *range, bool cells) {
  uint32_t begin = range->begin[2], end = range->end[2];
  bool added = (key & 1u) != 0;
  bool mixed = !cells || !table->only_cells || !range_has_only_cells(range);
  table->last_edge = (LastEdge){
      .to = to,
      .key = mixed ? key | LAST_EDGE_MIXED : key,
      .step = to->id - table->id,
      .before = (uint16_t)begin,
      .width = (uint16_t)(end - begin),
      .behind = (uint16_t)(table->columns[2] - (added ? begin : end)),
      .range = *range};
}

/* Makes the next row search for its edge. */
static inline void table_forget_edge(Table *table) {
  table->last_edge.key = LAST_EDGE_NONE;
}

#endif
