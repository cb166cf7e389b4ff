/* table_row.h: moves a row from table to table, and closes the hole it leaves.
 *
 *      from  | a b c d |   move row 1   ->   from  | a d c |     to  | x b |
 *
 * The last row fills the hole and becomes zeros where it was. The columns of a
 * component that is added or removed are a range that only one of the tables
 * has. A move goes through the columns before the range, the range, and the
 * columns after it.
 *
 * Moves between tables that have only four-byte columns are inline, a pure
 * optimisation that entity_change_fast.c builds on; others are one call. Cost
 * of a move: two copies per column.
 *
 * Rows of tables with stamps are stamped by table_remove, table_move_row and
 * table_replace_row; the other functions leave that to their callers.
 */
#ifndef ECS_TABLE_ROW_H
#define ECS_TABLE_ROW_H

#include "storage/table.h"

/* With at least so many columns, moves prefetch (entity_change_fast.c). */
#define TABLE_WIDE 10u

/* For tables of any columns. Like the forms for cells, they return the entity
 * that filled the hole; when the last row itself was removed, that is the
 * removed entity. Room in `to` must be reserved. */
ECS_INTERNAL ecs_Entity table_remove_mixed(Table *table, uint32_t row);

/* The columns alone, after the entity of the row was removed. */
ECS_INTERNAL void table_close_mixed(const Table *table, uint32_t row);

/* As table_remove_mixed, for a move to another table. */
ECS_INTERNAL uint32_t table_move_row_mixed(Table *to, Table *from, uint32_t row,
                                           const ColumnRange *range, bool added,
                                           ecs_Entity *filler);

/* Moves a row to a table that lacks the columns `gone` and has the columns
 * `added`, and otherwise the same: two moves in one. Room must be reserved; new
 * columns stay zero. */
ECS_INTERNAL uint32_t table_replace_row(Table *to, Table *from, uint32_t row,
                                        const ColumnRange *gone,
                                        const ColumnRange *added,
                                        ecs_Entity *filler);

/* Copies the columns of bits that both tables have. */
ECS_INTERNAL void table_copy_bits(Table *to, uint32_t to_row, const Table *from,
                                  uint32_t from_row);

/* Cells ------------------------------------------------------------------- */

/* Moves the last row, gap rows further on, into the hole, in count columns from
 * hole on. Returns the hole in the column after them. */
static inline char *cells_close(char *hole, size_t stride, size_t gap,
                                uint32_t count) {
  for (; count > 0; count--, hole += stride) {
    Cell4 *cells = (Cell4 *)(void *)hole;
    cells[0] = cells[gap];
    cells[gap] = 0;
  }
  return hole;
}

/* As cells_close, but first copies the row to *target, and advances *target to
 * the column after the last one. */
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

/* As cells_move for the last row, into whose place no other comes. */
static inline char *cells_take(char **target, size_t target_stride, char *hole,
                               size_t stride, uint32_t count) {
  char *to = *target;
  for (; count > 0; count--, hole += stride, to += target_stride) {
    Cell4 *cell = (Cell4 *)(void *)hole;
    *(Cell4 *)(void *)to = *cell;
    *cell = 0;
  }
  *target = to;
  return hole;
}

/* Removes the entity of a row, moves the last entity into that row, and returns
 * the last entity. The caller closes the columns. */
static inline ecs_Entity table_remove_entity(Table *table, uint32_t row) {
  uint32_t last = --table->count;
  ecs_Entity filler = table->entities[last];
  ECS_ASSERT(row <= last);
  table->entities[row] = filler;
  table->entities[last] = 0;
  return filler;
}

/* As table_remove_mixed, for a table of only four-byte columns. */
static inline ecs_Entity table_remove_cells(Table *table, uint32_t row) {
  ecs_Entity filler = table_remove_entity(table, row);
  ECS_ASSERT(table->only_cells);
  cells_close(table_cells(table, row), table->stride[2], table->count - row,
              table->columns[2]);
  return filler;
}

/* As table_move_row_mixed, for tables of only four-byte columns. */
static inline uint32_t table_move_row_cells(Table *to, Table *from,
                                            uint32_t row,
                                            const ColumnRange *range,
                                            bool added, ecs_Entity *filler) {
  uint32_t to_row = table_push(to, from->entities[row]);
  char *target = table_cells(to, to_row), *hole = table_cells(from, row);
  size_t to_stride = to->stride[2], stride = from->stride[2];
  uint32_t begin = range->begin[2], end = range->end[2];
  ECS_ASSERT(from->only_cells && row < from->count);
  ECS_ASSERT(to->columns[2] + end - begin == from->columns[2] ||
             to->columns[2] == from->columns[2] + end - begin);
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

/* Any table --------------------------------------------------------------- */

/* Removes a row: moves the last row into its place and clears the last row.
 * Returns the entity that is in the row now; 0: the last row was removed. */
static inline ecs_Entity table_remove(Table *table, uint32_t row) {
  bool is_last = row == table->count - 1;
  ecs_Entity filler = table->only_cells ? table_remove_cells(table, row)
                                        : table_remove_mixed(table, row);
  table_stamp_rows(table, row, is_last ? 0 : 1);
  return is_last ? 0 : filler;
}

/* Moves a row to a table that has the columns of range (added) or lacks them,
 * and otherwise the same columns: this is how a component comes or goes. Room
 * must be reserved; columns that are new stay zero. Returns the new row; *moved
 * gets the entity that fills the hole, 0 when there is none. */
static inline uint32_t table_move_row(Table *to, Table *from, uint32_t row,
                                      const ColumnRange *range, bool added,
                                      ecs_Entity *moved) {
  bool is_last = row == from->count - 1;
  uint32_t to_row =
      from->only_cells
          ? table_move_row_cells(to, from, row, range, added, moved)
          : table_move_row_mixed(to, from, row, range, added, moved);
  table_stamp_rows(to, to_row, 1);
  table_stamp_rows(from, row, is_last ? 0 : 1);
  if (is_last) *moved = 0;
  return to_row;
}

#endif
