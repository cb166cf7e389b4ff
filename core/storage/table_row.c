/* table_row.c: moves a row from table to table, for columns of any size. */
#include "storage/table_row.h"

/* Moves the last row, gap rows further on, into the hole, in count columns from
 * hole on, as cells_close does. Afterwards hole is in the column after them. */
#define CLOSE_RUN(Cell, hole, stride, gap, count)   \
  for (uint32_t left = (count); left > 0; left--) { \
    Cell *column = (Cell *)(void *)(hole);          \
    column[0] = column[gap];                        \
    column[gap] = 0;                                \
    (hole) += (stride);                             \
  }

/* As CLOSE_RUN, but first copies the row to target. */
#define MOVE_RUN(Cell, target, to_stride, hole, stride, gap, count) \
  for (uint32_t left = (count); left > 0; left--) {                 \
    Cell *column = (Cell *)(void *)(hole);                          \
    *(Cell *)(void *)(target) = column[0];                          \
    column[0] = column[gap];                                        \
    column[gap] = 0;                                                \
    (hole) += (stride);                                             \
    (target) += (to_stride);                                        \
  }

/* A row's element in the first column of one size. */
static inline char *first_element(const Table *table, uint32_t shift,
                                  uint32_t row) {
  return (char *)table->entities + table->first[shift] + ((size_t)row << shift);
}

/* Closes the hole in all columns of one size, those of bits included. */
#define CLOSE_SIZE(Cell, shift)                      \
  do {                                               \
    char *hole = first_element(table, shift, row);   \
    CLOSE_RUN(Cell, hole, table->stride[shift], gap, \
              table_column_count(table, shift));     \
  } while (0)

void table_close_mixed(const Table *table, uint32_t row) {
  size_t gap = table->count - row;
  if ((table->sizes & 4u) != 0) CLOSE_SIZE(Cell4, 2);
  if ((table->sizes & 8u) != 0) CLOSE_SIZE(Cell8, 3);
  if ((table->sizes & 2u) != 0) CLOSE_SIZE(Cell2, 1);
  if ((table->sizes & 1u) != 0 || table->bits_columns > 0) CLOSE_SIZE(Cell1, 0);
}

ecs_Entity table_remove_mixed(Table *table, uint32_t row) {
  ecs_Entity filler = table_remove_entity(table, row);
  table_close_mixed(table, row);
  return filler;
}

void table_copy_bits(Table *to, uint32_t to_row, const Table *from,
                     uint32_t from_row) {
  uint32_t common = to->bits_columns < from->bits_columns ? to->bits_columns
                                                          : from->bits_columns;
  for (uint32_t i = 0; i < common; i++)
    table_bits(to, i)[to_row] = table_bits(from, i)[from_row];
}

/* Moves the columns of one size: before the range, in it, and after it. */
#define MOVE_SIZE(Cell, shift)                                          \
  do {                                                                  \
    char *hole = first_element(from, shift, row);                       \
    char *target = first_element(to, shift, to_row);                    \
    size_t stride = from->stride[shift], to_stride = to->stride[shift]; \
    uint32_t begin = range->begin[shift], end = range->end[shift];      \
    MOVE_RUN(Cell, target, to_stride, hole, stride, gap, begin);        \
    if (added) {                                                        \
      target += (end - begin) * to_stride;                              \
      end = begin;                                                      \
    } else {                                                            \
      CLOSE_RUN(Cell, hole, stride, gap, end - begin);                  \
    }                                                                   \
    MOVE_RUN(Cell, target, to_stride, hole, stride, gap,                \
             from->columns[shift] - end);                               \
  } while (0)

static ECS_COLD void move_bits(Table *to, uint32_t to_row, Table *from,
                               uint32_t row) {
  uint32_t last = from->count;
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
  uint32_t to_row = table_push(to, from->entities[row]);
  *filler = table_remove_entity(from, row);
  size_t gap = from->count - row;
  if ((from->sizes & 4u) != 0) MOVE_SIZE(Cell4, 2);
  if ((from->sizes & 8u) != 0) MOVE_SIZE(Cell8, 3);
  if ((from->sizes & 2u) != 0) MOVE_SIZE(Cell2, 1);
  if ((from->sizes & 1u) != 0) MOVE_SIZE(Cell1, 0);
  if (ECS_UNLIKELY(from->bits_columns > 0)) move_bits(to, to_row, from, row);
  return to_row;
}

/* Moves the columns of one size: those before the first range, then that range,
 * those between, the other range, and the rest. */
#define REPLACE_SIZE(Cell, shift)                                       \
  do {                                                                  \
    char *hole = first_element(from, shift, row);                       \
    char *target = first_element(to, shift, to_row);                    \
    size_t stride = from->stride[shift], to_stride = to->stride[shift]; \
    uint32_t leave = gone->begin[shift], enter = added->begin[shift];   \
    uint32_t lost = gone->end[shift] - leave;                           \
    uint32_t got = added->end[shift] - enter;                           \
    uint32_t first = leave < enter ? leave : enter;                     \
    uint32_t between = leave < enter ? enter - leave : leave - enter;   \
    uint32_t rest = from->columns[shift] - lost - first - between;      \
    MOVE_RUN(Cell, target, to_stride, hole, stride, gap, first);        \
    if (leave <= enter)                                                 \
      CLOSE_RUN(Cell, hole, stride, gap, lost)                          \
    else                                                                \
      target += got * to_stride;                                        \
    MOVE_RUN(Cell, target, to_stride, hole, stride, gap, between);      \
    if (leave <= enter)                                                 \
      target += got * to_stride;                                        \
    else                                                                \
      CLOSE_RUN(Cell, hole, stride, gap, lost)                          \
    MOVE_RUN(Cell, target, to_stride, hole, stride, gap, rest);         \
  } while (0)

uint32_t table_replace_row(Table *to, Table *from, uint32_t row,
                           const ColumnRange *gone, const ColumnRange *added,
                           ecs_Entity *filler) {
  ECS_ASSERT(row < from->count && to->bits_columns >= from->bits_columns);
  uint32_t to_row = table_push(to, from->entities[row]);
  *filler = table_remove_entity(from, row);
  table_stamp_rows(to, to_row, 1);
  table_stamp_rows(from, row, 1);
  size_t gap = from->count - row;
  if ((from->sizes & 4u) != 0) REPLACE_SIZE(Cell4, 2);
  if ((from->sizes & 8u) != 0) REPLACE_SIZE(Cell8, 3);
  if ((from->sizes & 2u) != 0) REPLACE_SIZE(Cell2, 1);
  if ((from->sizes & 1u) != 0) REPLACE_SIZE(Cell1, 0);
  if (ECS_UNLIKELY(from->bits_columns > 0)) move_bits(to, to_row, from, row);
  return to_row;
}
