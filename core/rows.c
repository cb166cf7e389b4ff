/* rows.c: many rows of a table at once. */
#include "rows.h"

/* Moving ---------------------------------------------------------------- */

/* Copied and cleared piece by piece, so that what is cleared is still in the
 * cache. */
#define PIECE_BYTES 8192u

static void move_column(char *to, char *from, size_t bytes) {
  for (size_t done = 0; done < bytes; done += PIECE_BYTES) {
    size_t left = bytes - done;
    size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;
    memcpy(to + done, from + done, piece);
    memset(from + done, 0, piece);
  }
}

/* The columns of one size. Those of the range are new in the other table, or
 * end here. */
static void move_columns(Table *to, uint32_t to_row, Table *from,
                         const ColumnRange *range, bool added,
                         uint32_t shift) {
  size_t bytes = (size_t)from->count << shift;
  uint32_t begin = range->begin[shift], end = range->end[shift];
  for (uint32_t i = 0; i < from->columns[shift]; i++) {
    char *column = table_column(from, (ColumnCode)(i << 2 | shift));
    uint32_t target = i;
    if (added && i >= begin) target += end - begin;
    if (!added && i >= begin && i < end) {
      memset(column, 0, bytes);
      continue;
    }
    if (!added && i >= end) target -= end - begin;
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
    move_column((char *)table_bits(to, i) + first,
                (char *)table_bits(from, i), count);
  move_column((char *)(to->entities + first), (char *)from->entities,
              count * sizeof(ecs_Entity));
  from->count = 0;
  return first;
}

bool rows_can_hand(const Table *to, const Table *from) {
  return to->count == 0 && to->field_count == from->field_count &&
         to->bits_columns <= from->bits_columns;
}

/* One table gets the other's slab and all that describes it. */
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
  for (uint32_t i = 0; table->slab != NULL && i < table->field_count; i++)
    table->fields[i] = table_column(table, table->codes[i]);
}

void rows_hand(Table *to, Table *from) {
  Table before = *to;
  ECS_ASSERT(rows_can_hand(to, from));
  take_slab(to, from);
  take_slab(from, &before);
}

/* Filling --------------------------------------------------------------- */

/* An element repeated, doubling what is there already. */
static void repeat(char *first, const void *element, size_t bytes,
                   size_t total) {
  memcpy(first, element, bytes);
  for (size_t done = bytes; done < total; done *= 2)
    memcpy(first + done, first, done < total - done ? done : total - done);
}

void rows_fill(Table *table, uint32_t first, uint32_t count,
               uint32_t component, const Schema *schema, const void *image,
               uint64_t fields) {
  uint64_t element = 0;
  if (count == 0 || schema->field_count == 0) return;
  const ColumnCode *codes = table_codes(table, component);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    const SchemaField *field = &schema->fields[i];
    size_t bytes = (size_t)1 << field->shift;
    if ((fields >> i & 1u) == 0) continue;
    element_store(&element, (const char *)image + field->offset, field->type);
    repeat(table_element(table, codes[i], first), &element, bytes,
           bytes * count);
  }
}

void rows_write_bit(Table *table, uint32_t bits_index, bool on) {
  if (table->count == 0) return;
  uint8_t *bits = table_bits(table, bits_index >> 3);
  uint8_t bit = (uint8_t)(1u << (bits_index & 7u));
  for (uint32_t row = 0; row < table->count; row++)
    bits[row] = (uint8_t)(on ? bits[row] | bit : bits[row] & ~bit);
}
