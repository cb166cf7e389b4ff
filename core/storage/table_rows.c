/* table_rows.c: many rows of a table at once. */
#include "storage/table_rows.h"

/* Moving ---------------------------------------------------------------- */

/* Copies and clears piece by piece, so that each piece is cleared while it is
 * still in the cache. */
static void move_column(char *to, char *from, size_t bytes) {
  for (size_t done = 0; done < bytes; done += ECS_COPY_PIECE) {
    size_t left = bytes - done;
    size_t piece = left < ECS_COPY_PIECE ? left : ECS_COPY_PIECE;
    memcpy(to + done, from + done, piece);
    memset(from + done, 0, piece);
  }
}

#define NO_COLUMN UINT32_MAX

/* The position of a column among the columns of its size in the other table.
 * Columns of the range are new there (added), or have no position. */
static uint32_t other_column(uint32_t column, uint32_t shift,
                             const ColumnRange *range, bool added) {
  uint32_t begin = range->begin[shift], end = range->end[shift];
  if (column < begin) return column;
  if (added) return column + (end - begin);
  return column < end ? NO_COLUMN : column - (end - begin);
}

/* Moves the columns of one size. */
static void move_columns(Table *to, uint32_t to_row, Table *from,
                         const ColumnRange *range, bool added, uint32_t shift) {
  size_t bytes = (size_t)from->count << shift;
  for (uint32_t i = 0; i < from->columns[shift]; i++) {
    char *column = table_column(from, (ColumnCode)(i << 2 | shift));
    uint32_t target = other_column(i, shift, range, added);
    if (target == NO_COLUMN)
      memset(column, 0, bytes);
    else
      move_column(table_element(to, (ColumnCode)(target << 2 | shift), to_row),
                  column, bytes);
  }
}

uint32_t rows_append(Table *to, Table *from, const ColumnRange *range,
                     bool added) {
  uint32_t count = from->count;
  if (count == 0) return to->count;
  uint32_t first = table_append_many(to, count);
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
    move_columns(to, first, from, range, added, shift);
  for (uint32_t i = 0; i < from->bits_columns; i++)
    move_column((char *)table_bits(to, i) + first, (char *)table_bits(from, i),
                count);
  move_column((char *)(to->entities + first), (char *)from->entities,
              count * sizeof(ecs_Entity));
  from->count = 0;
  return first;
}

bool rows_can_hand(const Table *to, const Table *from) {
  return to->count == 0 && to->field_count == from->field_count &&
         to->hash_parts == from->hash_parts &&
         to->bits_columns <= from->bits_columns;
}

/* Gives a table the slab of another, with everything that describes it. The
 * table may get columns of bits, which a plain last edge would not move. */
static void take_slab(Table *table, const Table *other) {
  table->entities = other->entities;
  table->count = other->count;
  table->capacity = other->capacity;
  table->bits_columns = other->bits_columns;
  table->only_cells = other->only_cells;
  memcpy(table->first, other->first, sizeof table->first);
  memcpy(table->stride, other->stride, sizeof table->stride);
  table->slab = other->slab;
  table->slab_bytes = other->slab_bytes;
  table->hashes = other->hashes;
  if (table->hashes != NULL) kept_hashes_init(table->hashes, table->hash_parts);
  table_forget_edge(table);
  for (uint32_t i = 0; table->slab != NULL && i < table->field_count; i++)
    table->fields[i] = table_column(table, table->codes[i]);
}

void rows_hand(Table *to, Table *from) {
  Table before = *to;
  ECS_ASSERT(rows_can_hand(to, from));
  take_slab(to, from);
  take_slab(from, &before);
  table_stamp_rows(to, 0, to->count);
}

/* Some rows ------------------------------------------------------------- */

#define GATHER(Cell)                   \
  for (uint32_t i = 0; i < count; i++) \
  ((Cell *)to)[i] = ((const Cell *)from)[rows[i]]

/* Copies the listed elements of a column to `to` and behind; the two do not
 * overlap. */
static void gather(void *restrict to, const void *restrict from,
                   const uint32_t *restrict rows, uint32_t count,
                   uint32_t shift) {
  switch (shift) {
    case 0: GATHER(Cell1); break;
    case 1: GATHER(Cell2); break;
    case 2: GATHER(Cell4); break;
    default: GATHER(Cell8); break;
  }
}

#define FILL_GAPS(Cell)                \
  for (uint32_t i = 0; i < count; i++) \
  ((Cell *)column)[gaps[i]] = ((const Cell *)column)[fillers[i]]

static void fill_gaps(void *column, const uint32_t *gaps,
                      const uint32_t *fillers, uint32_t count, uint32_t shift) {
  switch (shift) {
    case 0: FILL_GAPS(Cell1); break;
    case 1: FILL_GAPS(Cell2); break;
    case 2: FILL_GAPS(Cell4); break;
    default: FILL_GAPS(Cell8); break;
  }
}

uint32_t rows_take(Table *to, Table *from, const uint32_t *rows, uint32_t count,
                   const ColumnRange *range, bool added) {
  uint32_t first = table_append_many(to, count);
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++) {
    for (uint32_t i = 0; i < from->columns[shift]; i++) {
      uint32_t target = other_column(i, shift, range, added);
      if (target == NO_COLUMN) continue;
      gather(table_element(to, (ColumnCode)(target << 2 | shift), first),
             table_column(from, (ColumnCode)(i << 2 | shift)), rows, count,
             shift);
    }
  }
  for (uint32_t i = 0; i < from->bits_columns; i++)
    gather(table_bits(to, i) + first, table_bits(from, i), rows, count, 0);
  gather(to->entities + first, from->entities, rows, count, 3);
  for (uint32_t i = 0; i < count; i++) {
    ECS_ASSERT(from->entities[rows[i]] != 0); /* listed once */
    from->entities[rows[i]] = 0;
  }
  return first;
}

void rows_close(Table *table, const uint32_t *gaps, const uint32_t *fillers,
                uint32_t count) {
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
    for (uint32_t i = 0; i < table_column_count(table, shift); i++)
      fill_gaps(table_column(table, (ColumnCode)(i << 2 | shift)), gaps,
                fillers, count, shift);
  fill_gaps(table->entities, gaps, fillers, count, 3);
  for (uint32_t i = 0; table->stamps != NULL && i < count; i++)
    table_stamp_rows(table, gaps[i], 1);
}

void rows_cut(Table *table, uint32_t count) {
  ECS_ASSERT(count <= table->count);
  uint32_t rows = table->count - count;
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
    for (uint32_t i = 0; i < table_column_count(table, shift); i++)
      memset(table_element(table, (ColumnCode)(i << 2 | shift), count), 0,
             (size_t)rows << shift);
  memset(table->entities + count, 0, rows * sizeof(ecs_Entity));
  table->count = count;
}

/* Filling --------------------------------------------------------------- */

void rows_repeat(char *first, const void *element, size_t bytes, size_t total) {
  memcpy(first, element, bytes);
  for (size_t done = bytes; done < total; done *= 2)
    memcpy(first + done, first, done < total - done ? done : total - done);
}

void rows_fill(Table *table, uint32_t first, uint32_t count, uint32_t component,
               const Schema *schema, const void *image, uint64_t fields) {
  uint64_t element = 0;
  if (count == 0 || schema->field_count == 0) return;
  table_stamp(table, component, first, count);
  const ColumnCode *codes = table_codes(table, component);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    const SchemaField *field = &schema->fields[i];
    size_t bytes = (size_t)1 << field->shift;
    if ((fields >> i & 1u) == 0) continue;
    element_store(&element, (const char *)image + field->offset, field->type);
    rows_repeat(table_element(table, codes[i], first), &element, bytes,
                bytes * count);
  }
}

/* How many rows have the bit. */
static uint32_t count_bit(const uint8_t *bits, uint32_t rows, uint32_t bit) {
  const uint64_t ones = UINT64_C(0x0101010101010101);
  uint32_t count = 0;
  for (uint32_t row = 0; row < rows; row += 8) {
    uint64_t word = 0;
    memcpy(&word, bits + row, rows - row < 8 ? rows - row : 8);
    count += (uint32_t)((word >> bit & ones) * ones >> 56);
  }
  return count;
}

uint32_t rows_write_bit(Table *table, uint32_t bits_index, bool on) {
  if (table->count == 0) return 0;
  uint8_t *bits = table_bits(table, bits_index >> 3);
  uint8_t bit = (uint8_t)(1u << (bits_index & 7u));
  uint32_t had = count_bit(bits, table->count, bits_index & 7u);
  table_stamp_rows(table, 0, table->count);
  for (uint32_t row = 0; row < table->count; row++)
    bits[row] = (uint8_t)(on ? bits[row] | bit : bits[row] & ~bit);
  return on ? table->count - had : had;
}
