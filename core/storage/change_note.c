/* change_note.c: the one door through which changes of rows are told. */
#include "storage/change_note.h"

void note_mark(Store *store, Group *group, uint32_t index, uint32_t row) {
  Slot slot = *entity_index_slot(&store->index, index);
  if (slot_state(slot) == SLOT_PLACED)
    row_marks_enter(group->marks, slot, row);
  else
    group->marks->made = false; /* its row of the main group comes later */
}

void note_unmark(Store *store, Group *group, uint32_t index, uint32_t row) {
  const Table *table = group->first;
  Slot slot = *entity_index_slot(&store->index, index), filler = slot;
  if (row < table->count)
    filler = *entity_index_slot(&store->index, id_index(table->entities[row]));
  row_marks_leave(group->marks, slot, filler, row);
}

void note_rows(Store *store, Group *group, const Table *table,
               const uint32_t *rows, uint32_t count) {
  note_changed(store, group);
  if (group->id == 0 ? !store_notes(store) : group->marks == NULL) return;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t row = rows != NULL ? rows[i] : table->count - count + i;
    if (group->id == 0)
      note_entity(store, table->entities[row]);
    else
      note_mark(store, group, id_index(table->entities[row]), row);
  }
}
