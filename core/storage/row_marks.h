/* row_marks.h: which rows of the main group have a row in a sparse set.
 *
 * For each table of the main group a bitmap says which rows have one, and a
 * place for each row says where it is:
 *
 *      rows of {A}    e4 e7 e2 e9        the set    e2 e4 e9
 *      bitmap          1  0  1  1
 *      places          1  .  0  2
 *
 * Queries that join a set with the main group list their rows from these marks,
 * by 64 rows at a time, instead of looking up each entity. Marks are shared by
 * all queries over the set; the set has none while no query uses them.
 *
 * Marks are a function of the state, and follow what the door is told
 * (change_note.h). What enters or leaves the set has its marks written at once.
 * Entities with another row of the main group are in the journal, and the next
 * query writes their marks. Where any row may be another, the next query makes
 * the marks anew.
 */
#ifndef ECS_ROW_MARKS_H
#define ECS_ROW_MARKS_H

#include "base/bits.h"
#include "base/memory.h"
#include "storage/slot.h"

/* The marks of one table. */
typedef struct TableMarks {
  uint64_t *words;  /* a bit for each row; owned */
  uint32_t *places; /* a row of the set for each row with a bit; owned */
  uint32_t rows;    /* that there is room for; a multiple of WORD_BITS */
} TableMarks;

typedef struct RowMarks RowMarks;
struct RowMarks {
  struct Group
      *set;       /* that keeps them; NULL: it is destroyed, and they are kept
                        for their users only */
  RowMarks *next; /* of the store's marks */
  TableMarks *tables; /* by table id of the main group; owned */
  uint32_t table_count;
  uint32_t users; /* plans of queries */
  bool made;      /* false: they are not true, whatever follows */
};

/* Makes marks without a user. NULL: ECS_E_MEMORY. */
ECS_INTERNAL RowMarks *row_marks_create(Memory *memory);

/* Frees the marks; does nothing for NULL. */
ECS_INTERNAL void row_marks_destroy(RowMarks *marks, Memory *memory);

/* Makes room for so many rows of a table. Marks that it had are lost.
 * ECS_E_MEMORY: nothing has changed. */
ECS_INTERNAL ecs_Status row_marks_reserve(RowMarks *marks, Memory *memory,
                                          uint32_t table_id, uint32_t rows);

/* Removes all marks. Cost: a bit for each row that there is room for. */
ECS_INTERNAL void row_marks_clear(RowMarks *marks);

/* Is there room for the marks of a row? */
static inline bool row_marks_have_room(const RowMarks *marks, uint32_t table_id,
                                       uint32_t row) {
  return table_id < marks->table_count && row < marks->tables[table_id].rows;
}

/* Marks a row; there is room. */
static inline void row_marks_set(RowMarks *marks, uint32_t table_id,
                                 uint32_t row, uint32_t place) {
  TableMarks *table = &marks->tables[table_id];
  ECS_ASSERT(row_marks_have_room(marks, table_id, row));
  table->words[row / WORD_BITS] |= UINT64_C(1) << row % WORD_BITS;
  table->places[row] = place;
}

/* Removes the mark of a row; there is room. */
static inline void row_marks_unset(RowMarks *marks, uint32_t table_id,
                                   uint32_t row) {
  TableMarks *table = &marks->tables[table_id];
  ECS_ASSERT(row_marks_have_room(marks, table_id, row));
  table->words[row / WORD_BITS] &= ~(UINT64_C(1) << row % WORD_BITS);
}

/* Is the row marked? */
static inline bool row_marks_has(const RowMarks *marks, uint32_t table_id,
                                 uint32_t row) {
  return row_marks_have_room(marks, table_id, row) &&
         (marks->tables[table_id].words[row / WORD_BITS] >> row % WORD_BITS &
          1u) != 0;
}

/* Writes the marks of an entity that has entered the set. slot: the entity's;
 * place: its row of the set. */
static inline void row_marks_enter(RowMarks *marks, Slot slot, uint32_t place) {
  if (ECS_UNLIKELY(
          !row_marks_have_room(marks, slot_table(slot), slot_row(slot))))
    marks->made = false;
  else
    row_marks_set(marks, slot_table(slot), slot_row(slot), place);
}

/* Writes the marks of an entity that has left the set, and those of the entity
 * that has filled the hole; where it was the last one, both are the same. place:
 * the row that it had. */
static inline void row_marks_leave(RowMarks *marks, Slot slot, Slot filler,
                                   uint32_t place) {
  if (ECS_UNLIKELY(
          !row_marks_have_room(marks, slot_table(slot), slot_row(slot)) ||
          !row_marks_have_room(marks, slot_table(filler), slot_row(filler)))) {
    marks->made = false;
    return;
  }
  marks->tables[slot_table(filler)].places[slot_row(filler)] = place;
  row_marks_unset(marks, slot_table(slot), slot_row(slot));
}

#endif
