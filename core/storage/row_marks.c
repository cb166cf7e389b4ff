/* row_marks.c: which rows of the main group have a row in a sparse set. */
#include "storage/row_marks.h"

RowMarks *row_marks_create(Memory *memory) {
  return memory_zeroed(memory, 1, sizeof(RowMarks));
}

static void free_table(TableMarks *table, Memory *memory) {
  memory_free(memory, table->words, table->rows / WORD_BITS * sizeof(uint64_t));
  memory_free(memory, table->places, table->rows * sizeof(uint32_t));
  *table = (TableMarks){0};
}

void row_marks_destroy(RowMarks *marks, Memory *memory) {
  if (marks == NULL) return;
  for (uint32_t i = 0; i < marks->table_count; i++)
    free_table(&marks->tables[i], memory);
  memory_free(memory, marks->tables, marks->table_count * sizeof(TableMarks));
  memory_free(memory, marks, sizeof(RowMarks));
}

static ecs_Status reserve_table(RowMarks *marks, Memory *memory,
                                uint32_t table_id) {
  uint32_t count = table_id + 1 > 2 * marks->table_count
                       ? table_id + 1
                       : 2 * marks->table_count;
  if (table_id < marks->table_count) return ECS_OK;
  TableMarks *tables = memory_zeroed(memory, count, sizeof(TableMarks));
  if (tables == NULL) return ECS_E_MEMORY;
  if (marks->table_count > 0)
    memcpy(tables, marks->tables, marks->table_count * sizeof(TableMarks));
  memory_free(memory, marks->tables, marks->table_count * sizeof(TableMarks));
  marks->tables = tables;
  marks->table_count = count;
  return ECS_OK;
}

ecs_Status row_marks_reserve(RowMarks *marks, Memory *memory, uint32_t table_id,
                             uint32_t rows) {
  rows = (rows + WORD_BITS - 1) / WORD_BITS * WORD_BITS;
  ecs_Status status = reserve_table(marks, memory, table_id);
  if (status != ECS_OK) return status;
  TableMarks *table = &marks->tables[table_id];
  if (rows <= table->rows) return ECS_OK;
  TableMarks more = {memory_zeroed(memory, rows / WORD_BITS, sizeof(uint64_t)),
                     memory_zeroed(memory, rows, sizeof(uint32_t)), rows};
  if (more.words == NULL || more.places == NULL) {
    free_table(&more, memory);
    return ECS_E_MEMORY;
  }
  free_table(table, memory);
  *table = more;
  return ECS_OK;
}

void row_marks_clear(RowMarks *marks) {
  for (uint32_t i = 0; i < marks->table_count; i++) {
    TableMarks *table = &marks->tables[i];
    if (table->rows > 0)
      memset(table->words, 0, table->rows / WORD_BITS * sizeof(uint64_t));
  }
}
