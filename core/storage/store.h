/* store.h: components, groups and entities together.
 *
 *      ecs_Entity --index--> slot --> row of the main group
 *                       \--> locator of group 1 --> its row there
 *                        \-> locator of group 2 --> ...
 *
 * locate.h finds rows, placement.h writes where they are, and the folder above
 * (change/) changes them. The store trusts its callers: entities are alive,
 * components exist, nothing is open. core/api checks what comes from outside.
 * Every function reserves first and then commits: a status other than ECS_OK
 * means that nothing has changed.
 *
 * A group's version grows with every change of its rows or tables;
 * layout_version grows whenever a component moves to another group; a plan made
 * for an older layout is made anew before it is used. row_epoch grows whenever
 * a pointer to a row may have become stale: on every structural change and, by
 * later folders, whenever a cursor or a deferral opens or closes, when a
 * destruction is recorded, and when the first change is. Compare it before
 * using a row that was located earlier.
 */
#ifndef ECS_STORE_H
#define ECS_STORE_H

#include "storage/entity_index.h"
#include "storage/held_values.h"
#include "storage/name_index.h"

/* The first row_epoch: the bits of the double 2^52. The next ones are those of
 * 2^52 + 1 and so on. */
#define STORE_FIRST_ROW_EPOCH UINT64_C(0x4330000000000000)

/* Entities with another row of the main group (change_note.h). */
typedef struct Journal {
  uint32_t *indices; /* of entities; owned; NULL: no marks read the journal */
  uint32_t count;
  bool lost;       /* there was no room for all, or any row may be another */
  RowMarks *marks; /* the first of all sets' marks; owned by sets and queries */
} Journal;

/* Memory for a change of many entities or a list of them, kept for the next one.
 */
typedef enum RoomKind {
  ROOM_SET,    /* the words of an IndexSet */
  ROOM_PIECES, /* of a listing in bulk_rows.c: its pieces, rows and sources */
  ROOM_ROWS,
  ROOM_SOURCES,
  ROOM_TREE, /* of a list in tree_list.c: numbers by row, and by depth or table */
  ROOM_STARTS,
  ROOM_KINDS
} RoomKind;

typedef struct StoreRoom {
  void *bytes; /* owned; NULL: none */
  size_t size;
} StoreRoom;

/* The components of a store. */
typedef struct StoreComponents {
  Component *all; /* owned; by id; entry 0 is not used */
  uint32_t count; /* entries, the unused one included */
  uint32_t capacity;
  NameIndex names;
  ecs_Component silent; /* the first that does not note; 0: none */
} StoreComponents;

/* The groups of a store. */
typedef struct StoreGroups {
  Group **all; /* owned, and so is each group; by id */
  Group *main; /* the first */
  uint32_t count;
  uint32_t capacity;
  Locator lists; /* the heads of group_lists.h */
} StoreGroups;

struct Store {
  Memory memory;
  StoreRoom rooms[ROOM_KINDS];
  EntityIndex index;
  const ChangeWays *ways; /* two tables, constant; never NULL */
  StoreComponents components;
  StoreGroups groups;
  Journal journal;
  StampClock clock;
  uint64_t layout_version;
  uint64_t spawn_version; /* layout_version while births need no notes and no
                             stamps; otherwise UINT64_MAX - 1 */
  uint64_t row_epoch;     /* see ecs_world_row_epoch */
  uint64_t keeps; /* marks given to kept hashes so far; see store_keep */
  uint32_t asked; /* clock.watches, and components that are kept: does
                             anything ask what is opened for writing? */
  DestroyEntity *destroy; /* see store_choose */
  void *changes; /* of change/change_state.h; borrowed; NULL: no changes */
  const HeldValues *held; /* of its strings and the like; borrowed; NULL: no
                             component may have any */
  void *uses; /* of query/query_use.h; borrowed; NULL: nothing is counted */
};

/* Life ------------------------------------------------------------------ */

/* Creates a store without components. ways must outlive it. ECS_E_MEMORY:
 * everything is freed again. */
ECS_INTERNAL ecs_Status store_init(Store *store, const ChangeWays *ways,
                                   ecs_Memory memory, uint64_t limit_bytes);

/* Frees everything but what later folders keep with it, which they must have
 * freed. */
ECS_INTERNAL void store_deinit(Store *store);

/* Zeroed memory for count elements of some bytes, which the store owns. It is
 * valid until the next call for the same kind, or until the rooms are freed. NULL:
 * ECS_E_MEMORY, or nothing is asked for. Cost: writes it. */
ECS_INTERNAL void *store_room(Store *store, RoomKind kind, size_t count,
                              size_t bytes);

/* The same without the zeros. Cost: constant, but where it has to grow; then it
 * grows by half, so that slow growth stays cheap. */
ECS_INTERNAL void *store_room_as_it_is(Store *store, RoomKind kind,
                                       size_t bytes);

/* Frees all rooms, none of which is in use. */
ECS_INTERNAL void store_free_rooms(Store *store);

/* Components ------------------------------------------------------------ */

/* The component of a name; 0: there is none. Cost: a probe of a hash. */
ECS_INTERNAL ecs_Component store_find_component(const Store *store,
                                                const char *name);

/* Defines a component, or finds the one with the same definition. ECS_E_SCHEMA:
 * the name exists with another definition; ECS_E_COMPONENT: fields stored as
 * bits; ECS_E_ARGUMENT: fields that are held, where nothing holds any;
 * ECS_E_MEMORY, ECS_E_LIMIT; and whatever schema_create returns. */
ECS_INTERNAL ecs_Status
store_define(Store *store, const ecs_ComponentDescription *description,
             ecs_Component *component);

/* Adds to what a component needs, but for what it needs already and for itself.
 * ECS_E_MEMORY. Cost: compares each with each. */
ECS_INTERNAL ecs_Status store_need(Store *store, ecs_Component id,
                                   const ecs_Component *needs, uint32_t count);

/* Groups ---------------------------------------------------------------- */

/* The main group; it has a row for every entity that is placed. */
static inline Group *store_main(const Store *store) {
  return store->groups.main;
}

/* Makes a group that has no rows list, if its id asks for that (group_lists.h).
 * The group may be one that the store does not have yet. */
ECS_INTERNAL void store_list_group(Store *store, Group *group);

/* Chooses how entities are spawned and destroyed: quickly while nothing has to be
 * told of it. */
static inline void store_choose(Store *store) {
  bool quiet = store->journal.indices == NULL && store->clock.watches == 0;
  store->spawn_version = quiet ? store->layout_version : UINT64_MAX - 1;
  store->destroy = store->ways[quiet ? 0 : 1].destroy;
}

/* Counts a change of the layout. */
static inline void store_touch_layout(Store *store) {
  store->layout_version++;
  store_choose(store);
}

/* Begins or ends noting, after the journal began or ended. At the end components
 * stay as they are, until they are used (store_silence). Cost: the components
 * that do not note; so what begins and ends often costs what was used in
 * between. */
ECS_INTERNAL void store_set_noting(Store *store, bool noting);

/* Has a component choose functions that do not note: there are no marks. Cost:
 * constant. */
ECS_INTERNAL void store_silence(Store *store, Component *component);

/* Are there marks, which read the journal? */
static inline bool store_notes(const Store *store) {
  return store->journal.indices != NULL;
}

/* Watching: see stamps.h ------------------------------------------------- */

/* A query asks for changes of rows with a component, and if values is true, when
 * its columns were written. store_unwatch takes that back; with the last of all
 * watches it frees all stamps. Rows that were located before must be located
 * anew. Cost: constant; of the last unwatch, every table. */
ECS_INTERNAL void store_watch(Store *store, ecs_Component id, bool values);
ECS_INTERNAL void store_unwatch(Store *store, ecs_Component id, bool values);

/* Makes sure that a table of a group has stamps for all of its rows, and, unless
 * bit is STAMP_NO_BIT, for a component. ECS_E_MEMORY: nothing has changed.
 * Cost: constant; where stamps are new, every block and every table. */
ECS_INTERNAL ecs_Status store_watch_table(Store *store, Group *group,
                                          Table *table, uint32_t bit);

/* What is stamped from now on is newer than what was stamped until now. Rows
 * that were located before, to be written, must be located anew. */
static inline void store_next_tick(Store *store) {
  store->clock.tick++;
  store->row_epoch++;
}

/* Keeping: see kept_hash.h ------------------------------------------------ */

/* Hashes of the columns of a component, which no open cursor writes, are kept
 * from now on, with a mark that no other ones had. That is a guard of the
 * component, and rows that were located before must be located anew. So every
 * store is made by a function of the core until one of them has called
 * store_wrote. Cost: constant. */
ECS_INTERNAL void store_keep(Store *store, ecs_Component id);

/* Lets go of them. Rows that were located before must be located anew. */
ECS_INTERNAL void store_let_go(Store *store, ecs_Component id);

/* The same of all components. Cost: a look at each. */
ECS_INTERNAL void store_let_go_all(Store *store);

/* A column of the component is about to be written, or to be handed out to be
 * written, in a row that is not new. Whatever does that calls this; a component
 * without guards is not kept. Cost: a load. */
static inline void store_wrote(Store *store, ecs_Component id) {
  if (ECS_UNLIKELY(store->components.all[id].kept != 0))
    store_let_go(store, id);
}

/* Makes sure that the next count handles can be issued without failing, as
 * entity_index_reserve. If slots or the array of bases move, row_epoch grows,
 * even if the function then fails. ECS_E_MEMORY, ECS_E_LIMIT: no slot has
 * changed. */
ECS_INTERNAL ecs_Status store_reserve_entities(Store *store, uint64_t count);

/* The sum of the groups' versions: grows with every structural change. */
ECS_INTERNAL uint64_t store_structure_version(const Store *store);

/* Are the summaries of slots exact? With more groups than summary bits, several
 * groups share a bit, which then stays set: it only says that the entity may
 * have a row in one of these groups. */
static inline bool summary_is_exact(const Store *store) {
  return store->groups.count <= SLOT_SUMMARY_BITS + 1u;
}

#endif
