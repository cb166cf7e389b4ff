/* table_row.c: moves a row from table to table, for columns of any size. */
#include "storage/table_row.h"

/* Moves the last row into the hole and writes zeros behind, in all columns of
 * one size. */
#define CLOSE_HOLE(Cell, shift)                                       \
  do {                                                                \
    char *first = (char *)table->entities + table->first[shift];      \
    for (uint32_t i = table_column_count(table, shift); i > 0; i--) { \
      Cell *column = (Cell *)(void *)first;                           \
      column[row] = column[last];                                     \
      column[last] = 0;                                               \
      first += table->stride[shift];                                  \
    }                                                                 \
  } while (0)

ecs_Entity table_remove_mixed(Table *table, uint32_t row) {
  ecs_Entity filler = table_remove_entity(table, row);
  uint32_t last = table->count;
  if ((table->sizes & 4u) != 0) CLOSE_HOLE(Cell4, 2);
  if ((table->sizes & 8u) != 0) CLOSE_HOLE(Cell8, 3);
  if ((table->sizes & 2u) != 0) CLOSE_HOLE(Cell2, 1);
  if ((table->sizes & 1u) != 0 || table->bits_columns > 0) CLOSE_HOLE(Cell1, 0);
  return filler;
}

void table_copy_bits(Table *to, uint32_t to_row, const Table *from,
                     uint32_t from_row) {
  uint32_t common = to->bits_columns < from->bits_columns ? to->bits_columns
                                                          : from->bits_columns;
  for (uint32_t i = 0; i < common; i++)
    table_bits(to, i)[to_row] = table_bits(from, i)[from_row];
}

/* Copies a row of run columns, a stride each, to the other table, then moves
 * the last row into the hole. */
#define MOVE_RUN(Cell, shift, to_begin, from_begin, run)         \
  do {                                                           \
    char *target = (char *)to->entities + to->first[shift] +     \
                   (size_t)(to_begin)*to->stride[shift] +        \
                   ((size_t)to_row << (shift));                  \
    char *source = (char *)from->entities + from->first[shift] + \
                   (size_t)(from_begin)*from->stride[shift];     \
    for (uint32_t i = (run); i > 0; i--) {                       \
      Cell *column = (Cell *)(void *)source;                     \
      *(Cell *)(void *)target = column[row];                     \
      column[row] = column[last];                                \
      column[last] = 0;                                          \
      target += to->stride[shift];                               \
      source += from->stride[shift];                             \
    }                                                            \
  } while (0)

/* Closes the hole in the columns of a component that is removed. */
#define DROP_RUN(Cell, shift, begin, run)                        \
  do {                                                           \
    char *source = (char *)from->entities + from->first[shift] + \
                   (size_t)(begin)*from->stride[shift];          \
    for (uint32_t i = (run); i > 0; i--) {                       \
      Cell *column = (Cell *)(void *)source;                     \
      column[row] = column[last];                                \
      column[last] = 0;                                          \
      source += from->stride[shift];                             \
    }                                                            \
  } while (0)

/* Moves the columns of one size: before the range, in it, and after it. */
#define MOVE_SIZE(Cell, shift)                                         \
  do {                                                                 \
    uint32_t begin = range->begin[shift], end = range->end[shift];     \
    MOVE_RUN(Cell, shift, 0, 0, begin);                                \
    if (added) {                                                       \
      MOVE_RUN(Cell, shift, end, begin, from->columns[shift] - begin); \
    } else {                                                           \
      DROP_RUN(Cell, shift, begin, end - begin);                       \
      MOVE_RUN(Cell, shift, begin, end, from->columns[shift] - end);   \
    }                                                                  \
  } while (0)

static void move_bits(Table *to, uint32_t to_row, Table *from, uint32_t row,
                      uint32_t last) {
  table_copy_bits(to, to_row, from, row);
  for (uint32_t i = 0; i < from->bits_columns; i++) {
    uint8_t *bits = table_bits(from, i);
    bits[row] = bits[last];
    bits[last] = 0;
  }
}

uint32_t table_move_row_mixed(Table *to, Table *from, uint32_t row,
                              const ColumnRange *range, bool added,
                              ecs_Entity *filler) {
  ECS_ASSERT(row < from->count && to->bits_columns >= from->bits_columns);
  uint32_t to_row = table_append(to, from->entities[row]);
  *filler = table_remove_entity(from, row);
  uint32_t last = from->count;
  if ((from->sizes & 4u) != 0) MOVE_SIZE(Cell4, 2);
  if ((from->sizes & 8u) != 0) MOVE_SIZE(Cell8, 3);
  if ((from->sizes & 2u) != 0) MOVE_SIZE(Cell2, 1);
  if ((from->sizes & 1u) != 0) MOVE_SIZE(Cell1, 0);
  if (from->bits_columns > 0) move_bits(to, to_row, from, row, last);
  return to_row;
}
