/* change_note.h: the one door through which changes of rows are told.
 *
 * What changes rows calls one of these functions right after it, and does
 * nothing else for what follows the change:
 *
 *      note_changed    no row is another, or the group is not watched
 *      note_entered    an entity has its first row of a group
 *      note_left       it has none there any more
 *      note_moved      two entities have other rows of a group: one that moved
 *                      or was spawned, and the one that filled the hole
 *      note_rows       many entities have their first row of a group
 *      note_all        any row may be another
 *
 *      change --> door --> the group's version and the row epoch     always
 *                    \---> marks of a set (row_marks.h)              if it has
 *                     \--> journal: entities with another row of the main
 *                          group, which marks follow at the next query
 *
 * A change that is not watched is two increments. Readers of the journal get
 * each entity at least once, in any order, and look up where it is now; or they
 * are told that it is incomplete, and look at every row.
 *
 * What was written is told by tables themselves (table_stamp and
 * table_stamp_rows, see stamps.h): a block of rows is known there. Notices for
 * observers do not come from here: they show what leaves, in the order of the
 * calls, so they are made before a change.
 */
#ifndef ECS_CHANGE_NOTE_H
#define ECS_CHANGE_NOTE_H

#include "storage/store.h"

/* Counts a change of a group in which no row has moved, or which is not watched.
 * Every change must be counted: query results and located rows
 * are used again until then. */
static inline void note_changed(Store *store, Group *group) {
  ECS_ASSERT(store->groups.all[group->id] == group);
  group->version++;
  store->row_epoch++;
}

/* The same, and entities got or lost a component; spawns and destructions do not
 * count. */
static inline void note_component(Store *store, Component *component,
                                  uint32_t entities) {
  note_changed(store, component->group);
  component->changes += entities;
}

/* Any row of the group may be another. */
static inline void note_all(Store *store, Group *group) {
  note_changed(store, group);
  if (group->id == 0)
    store->journal.lost = true;
  else if (group->marks != NULL)
    group->marks->made = false;
}

/* Writes an entity that has another row of the main group, or is about to, to
 * the journal, which is kept. The change is counted by another call. */
static inline void note_entity(Store *store, ecs_Entity entity) {
  Journal *journal = &store->journal;
  ECS_ASSERT(store_notes(store));
  if (ECS_UNLIKELY(journal->count == ECS_NOTES))
    journal->lost = true;
  else
    journal->indices[journal->count++] = id_index(entity);
}

/* Both entities have other rows of the group; they may be the same. */
static inline void note_moved(Store *store, Group *group, ecs_Entity one,
                              ecs_Entity other) {
  note_changed(store, group);
  if (ECS_LIKELY(!store_notes(store)) || group->id != 0) return;
  note_entity(store, one);
  if (other != one) note_entity(store, other);
}

/* For note_entered and note_left, where the group has marks. */
ECS_INTERNAL void note_mark(Store *store, Group *group, uint32_t index,
                            uint32_t row);
ECS_INTERNAL void note_unmark(Store *store, Group *group, uint32_t index,
                              uint32_t row);

/* The entity of an index has its first row of a group other than the main one. */
static inline void note_entered(Store *store, Group *group, uint32_t index,
                                uint32_t row) {
  note_changed(store, group);
  if (ECS_UNLIKELY(group->marks != NULL)) note_mark(store, group, index, row);
}

/* The entity of an index has no row of such a group any more. row: where it was;
 * its row of the main group is still there. */
static inline void note_left(Store *store, Group *group, uint32_t index,
                             uint32_t row) {
  note_changed(store, group);
  if (ECS_UNLIKELY(group->marks != NULL)) note_unmark(store, group, index, row);
}

/* The entities of count rows of a table have their first row of the group. rows
 * NULL: those are the newest. Cost: every row where the group is watched. */
ECS_INTERNAL void note_rows(Store *store, Group *group, const Table *table,
                            const uint32_t *rows, uint32_t count);

#endif
