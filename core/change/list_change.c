/* list_change.c: one change of each entity of a list. */
#include "change/list_change.h"

#include "storage/table_image.h"

/* Looking ahead ----------------------------------------------------------- */

/* How far ahead of the change the slot and the row are fetched: far enough for
 * a miss of the last cache, and few enough that the lines are still there. */
#define SLOT_AHEAD 32u
#define ROW_AHEAD 16u

static inline void fetch_slot(const Store *store, ecs_Entity entity) {
  uint32_t index = id_index(entity);
  if (ECS_LIKELY(entity_index_has(&store->index, index)))
    __builtin_prefetch(entity_index_slot(&store->index, index), 1);
}

/* The entry of a locator, if its page is there. */
static inline void fetch_entry(const Group *group, ecs_Entity entity) {
  const Locator *locator = &group->locator;
  uint32_t index = id_index(entity);
  if (ECS_UNLIKELY(!locator_ready(locator, index))) return;
  const char *page = locator->pages[index >> ECS_LOCATOR_BITS];
  size_t bytes = locator_entry_bytes(locator);
  __builtin_prefetch(page + (index & (LOCATOR_PAGE_SIZE - 1u)) * bytes, 1);
}

/* Destroying -------------------------------------------------------------- */

/* Rows of one table that lost their entities, one after the other; their
 * columns still have to be closed, in the same order. A loop over one column at
 * a time has many more misses under way than one that closes row by row: 1M at
 * random take a third of the time. */
typedef struct HoleRun {
  Table *table;   /* of the main group; NULL: none yet */
  uint32_t count; /* holes */
  uint32_t
      rows[ECS_BLOCK_ROWS]; /* of the holes; the i-th is filled by the row that
                              was the last but i */
} HoleRun;

/* How far ahead of the copy a hole is fetched. Stores that miss the first cache
 * do not overlap by themselves: 5 instead of 13 ns for a row of five columns. */
#define HOLE_AHEAD 8u

#define CLOSE_HOLES(Cell)                                                   \
  {                                                                         \
    Cell *cells = column;                                                   \
    uint32_t ahead = run->count > HOLE_AHEAD ? run->count - HOLE_AHEAD : 0; \
    uint32_t i = 0;                                                         \
    for (; i < ahead; i++) {                                                \
      __builtin_prefetch(&cells[run->rows[i + HOLE_AHEAD]], 1);             \
      cells[run->rows[i]] = cells[last - i];                                \
    }                                                                       \
    for (; i < run->count; i++) cells[run->rows[i]] = cells[last - i];      \
    memset(&cells[run->table->count], 0, run->count * sizeof *cells);       \
  }

/* The rows behind those that stay become zeros again. */
static void close_column(const HoleRun *run, void *column, uint32_t shift) {
  size_t last = run->table->count + run->count - 1;
  switch (shift) {
    case 0: CLOSE_HOLES(uint8_t) break;
    case 1: CLOSE_HOLES(Cell2) break;
    case 2: CLOSE_HOLES(Cell4) break;
    default: CLOSE_HOLES(Cell8) break;
  }
}

/* Closes the columns, and begins a run of another table. */
static void close_holes(Store *store, HoleRun *run, Table *next) {
  const Table *table = run->table;
  if (run->count > 0) {
    for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
      for (uint32_t i = 0; i < table_column_count(table, shift); i++)
        close_column(run, table_column(table, (ColumnCode)(i << 2 | shift)),
                     shift);
    for (uint32_t i = 0; table->stamps != NULL && i < run->count; i++)
      table_stamp_rows(table, run->rows[i], 1);
    note_changed(store, store_main(store)); /* its entities are noted */
  }
  run->table = next;
  run->count = 0;
}

/* Removes an entity that has no row in another group, but for the columns of
 * its row. noted: there are marks that want notes. */
static inline void take_entity(Store *store, HoleRun *run, Slot *slot,
                               ecs_Entity entity, bool noted) {
  uint32_t row = slot->row_bits;
  ECS_ASSERT(run->table->entities[row] == entity);
  run->rows[run->count++] = row;
  ecs_Entity filler = table_remove_entity(run->table, row);
  entity_index_slot(&store->index, id_index(filler))->row_bits = row;
  if (noted) note_entity(store, filler);
  entity_index_free_slot(&store->index, slot, id_index(entity),
                         id_generation(entity));
}

/* False: the entity is dead. */
static inline __attribute__((always_inline)) bool destroy_one(Store *store,
                                                              HoleRun *run,
                                                              ecs_Entity entity,
                                                              bool noted) {
  Table *table = NULL;
  Slot *slot = store_find_slot(store, entity, &table);
  if (ECS_UNLIKELY(slot == NULL)) return false;
  if (ECS_UNLIKELY(slot_summary(*slot) != 0)) {
    close_holes(store, run, NULL);
    return store_destroy_entity(store, entity) == ECS_OK;
  }
  if (ECS_UNLIKELY(table != run->table || run->count == ECS_BLOCK_ROWS))
    close_holes(store, run, table);
  take_entity(store, run, slot, entity, noted);
  return true;
}

/* Fetches what destroy_one needs of an entity ROW_AHEAD further on. */
static inline void fetch_place(const Store *store, const HoleRun *run,
                               ecs_Entity entity) {
  uint32_t index = id_index(entity);
  if (ECS_UNLIKELY(!entity_index_has(&store->index, index))) return;
  Slot slot = *entity_index_slot(&store->index, index);
  if (ECS_UNLIKELY(slot_state(slot) != SLOT_PLACED)) return;
  const Table *table = store_main(store)->tables[slot_table(slot)];
  __builtin_prefetch(&table->entities[slot.row_bits], 1);
  if (table == run->table && table->count > ROW_AHEAD)
    fetch_slot(store, table->entities[table->count - 1u - ROW_AHEAD]);
}

/* The body of list_destroy; noted is a constant. */
static inline __attribute__((always_inline)) uint32_t destroy_each(
    Store *store, const ecs_Entity *entities, uint32_t count, bool noted) {
  HoleRun run = {.table = NULL, .count = 0};
  uint32_t destroyed = 0;
  for (uint32_t i = 0; i < count && i < SLOT_AHEAD; i++)
    fetch_slot(store, entities[i]);
  for (uint32_t i = 0; i < count; i++) {
    if (ECS_LIKELY(i + SLOT_AHEAD < count))
      fetch_slot(store, entities[i + SLOT_AHEAD]);
    if (ECS_LIKELY(i + ROW_AHEAD < count))
      fetch_place(store, &run, entities[i + ROW_AHEAD]);
    destroyed += destroy_one(store, &run, entities[i], noted);
  }
  close_holes(store, &run, NULL);
  return destroyed;
}

static ECS_APART uint32_t destroy_each_noted(Store *store,
                                             const ecs_Entity *entities,
                                             uint32_t count) {
  return destroy_each(store, entities, count, true);
}

void list_destroy(Store *store, const ecs_Entity *entities, uint32_t count,
                  uint32_t *found) {
  uint32_t destroyed = store_notes(store)
                           ? destroy_each_noted(store, entities, count)
                           : destroy_each(store, entities, count, false);
  *found = destroyed;
}

/* Adding and removing: room ----------------------------------------------- */

#define FEW_TABLES 16u

typedef struct ListChange {
  Store *store;
  Component *component;
  Group *group; /* the component's */
  uint32_t bit; /* the component's in group */
  bool adds;
  bool is_bits;              /* the component is stored as bits */
  const void *image;         /* of the whole component; NULL: a tag */
  const void *const *images; /* of each entity; NULL: image is for all */
  uint32_t tables_before;    /* of the group, before the change */
  const Table *from; /* the last table that rows leave; NULL: none yet */
  Table *to;         /* where these rows go */
  Table *first;      /* where entities new to the group go; NULL until one
                             is found */
  Table *growing[FEW_TABLES]; /* that rows are announced for */
  uint32_t growing_count;     /* FEW_TABLES + 1: too many for the array */
} ListChange;

/* Announces one row more for a table. */
static void announce(ListChange *change, Table *table) {
  if (table->pending++ > 0) return;
  if (change->growing_count < FEW_TABLES)
    change->growing[change->growing_count] = table;
  if (change->growing_count <= FEW_TABLES) change->growing_count++;
}

/* The tables with announced rows, and perhaps others. */
static uint32_t growing_total(const ListChange *change) {
  return change->growing_count <= FEW_TABLES ? change->growing_count
                                             : change->group->table_count;
}

static Table *growing_table(const ListChange *change, uint32_t i) {
  return change->growing_count <= FEW_TABLES ? change->growing[i]
                                             : change->group->tables[i];
}

/* Finds or creates the table that entities new to the group go to. */
static ecs_Status ensure_first(ListChange *change) {
  Mask mask = {0};
  uint64_t word = 0;
  if (change->group->locator.narrow && change->group->table_count > 0)
    change->first = change->group->first;
  if (change->first != NULL) return ECS_OK;
  if (!change->is_bits) mask = mask_single(&word, change->bit);
  return group_ensure_table(change->group, &change->store->memory, mask,
                            &change->first);
}

static ecs_Status reserve_bits(ListChange *change, Table *table) {
  uint32_t columns = group_bits_columns(change->group, change->bit);
  return table->bits_columns >= columns
             ? ECS_OK
             : store_reserve_rows(change->store, change->group, table, columns,
                                  0);
}

/* An entity enters the group. */
static ecs_Status reserve_entry(ListChange *change, ecs_Entity entity) {
  ecs_Status status = ensure_first(change);
  if (status == ECS_OK)
    status = locator_reserve(&change->group->locator, &change->store->memory,
                             id_index(entity));
  if (status == ECS_OK) announce(change, change->first);
  if (status == ECS_OK && change->is_bits)
    status = reserve_bits(change, change->first);
  return status;
}

/* Does removing the component take the entity out of the group? */
static inline bool is_leaving(const ListChange *change, RowRef place) {
  if (change->adds || change->group->id == 0) return false;
  return change->group->locator.narrow ||
         (table_has_only(place.table, change->bit) &&
          !table_any_bit(place.table, place.row));
}

/* Rows of a table move along the component's edge. */
static ecs_Status follow_edge(ListChange *change, const Table *from) {
  const Edge *edge = NULL;
  Group *group = change->group;
  ecs_Status status = group_ensure_edge(group, &change->store->memory, from,
                                        change->bit, &edge);
  if (status != ECS_OK) return status;
  change->from = from;
  change->to = group->tables[edge->table];
  return store_reserve_rows(change->store, group, change->to,
                            from->bits_columns, 0);
}

/* Makes sure that the change of an entity finds everything but its row. */
static ecs_Status reserve_one(ListChange *change, ecs_Entity entity) {
  RowRef place = store_locate_main(change->store, entity);
  if (place.table == NULL) return ECS_OK;
  if (change->group->id != 0)
    place = store_locate_in(change->group, id_index(entity));
  if (place.table == NULL)
    return change->adds ? reserve_entry(change, entity) : ECS_OK;
  if (change->is_bits)
    return change->adds ? reserve_bits(change, place.table) : ECS_OK;
  if (table_has(place.table, change->bit) == change->adds ||
      is_leaving(change, place))
    return ECS_OK;
  if (ECS_UNLIKELY(place.table != change->from)) {
    ecs_Status status = follow_edge(change, place.table);
    if (status != ECS_OK) return status;
  }
  announce(change, change->to);
  return ECS_OK;
}

/* Makes room in a sparse set for the entities that have no row there; dead ones
 * count with them, but no more than there are entities. */
static ecs_Status reserve_in_set(ListChange *change, const ecs_Entity *entities,
                                 uint32_t count) {
  Store *store = change->store;
  Group *group = change->group;
  const Locator *locator = &group->locator;
  uint32_t rows = 0;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < count; i++) {
    uint32_t index = id_index(entities[i]);
    if (ECS_LIKELY(i + SLOT_AHEAD < count))
      fetch_entry(group, entities[i + SLOT_AHEAD]);
    if (ECS_LIKELY(locator_ready(locator, index))) {
      rows += !locator_is_row(*locator_narrow_entry(locator, index));
    } else if (store_locate_main(store, entities[i]).table != NULL) {
      status = locator_reserve(&group->locator, &store->memory, index);
      rows++;
    }
  }
  if (status != ECS_OK || rows == 0) return status;
  status = ensure_first(change);
  if (status != ECS_OK) return status;
  uint32_t most = store->index.alive_count - change->first->count;
  return store_reserve_rows(store, group, change->first, 0,
                            rows < most ? rows : most);
}

/* Makes the announced room. An entity may have been announced twice, but no
 * table gets more rows than there are entities. */
static ecs_Status reserve_rows(ListChange *change) {
  uint32_t alive = change->store->index.alive_count;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < growing_total(change); i++) {
    Table *table = growing_table(change, i);
    uint32_t most = alive - table->count;
    uint32_t rows = table->pending < most ? table->pending : most;
    ECS_ASSERT(table->count <= alive);
    status = store_reserve_rows(change->store, change->group, table, 0, rows);
  }
  return status;
}

/* Is there room for the change of so many rows of a table of the main group,
 * whichever they are? */
static bool has_room(const ListChange *change, const Table *from,
                     uint32_t count) {
  const Group *group = change->group;
  if (change->is_bits)
    return from->bits_columns >= group_bits_columns(group, change->bit);
  if (table_has(from, change->bit) == change->adds) return true;
  const Edge *edge = group_find_edge(group, from, change->bit);
  if (edge == NULL) return false;
  const Table *to = group->tables[edge->table];
  uint32_t rows = from->count < count ? from->count : count;
  return to->capacity - to->count >= rows &&
         to->bits_columns >= from->bits_columns;
}

/* Is there room for any list of so many entities? Then none of them is looked
 * up before it is changed. No two tables of the main group lead to the same
 * one, so each has to have room for the rows of one. */
static bool has_all(const ListChange *change, uint32_t count) {
  const Group *group = change->group;
  if (!change->adds && (change->is_bits || group->locator.narrow)) return true;
  if (group->id != 0 || group->table_count > FEW_TABLES + count / 16u)
    return false;
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *from = group->tables[i];
    if (from->count > 0 && !has_room(change, from, count)) return false;
  }
  return true;
}

/* Looks every entity up, and announces its row. */
static ecs_Status reserve_each(ListChange *change, const ecs_Entity *entities,
                               uint32_t count) {
  const Store *store = change->store;
  const Group *group = change->group;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < count; i++) {
    if (ECS_LIKELY(i + SLOT_AHEAD < count)) {
      fetch_slot(store, entities[i + SLOT_AHEAD]);
      if (group->id != 0) fetch_entry(group, entities[i + SLOT_AHEAD]);
    }
    status = reserve_one(change, entities[i]);
  }
  if (status == ECS_OK) status = reserve_rows(change);
  for (uint32_t i = 0; i < growing_total(change); i++)
    growing_table(change, i)->pending = 0;
  return status;
}

/* Everything is reserved, or given back. */
static ecs_Status reserve(ListChange *change, const ecs_Entity *entities,
                          uint32_t count) {
  Group *group = change->group;
  if (has_all(change, count)) return ECS_OK;
  ecs_Status status = group->id != 0 && group->locator.narrow
                          ? reserve_in_set(change, entities, count)
                          : reserve_each(change, entities, count);
  if (status != ECS_OK)
    group_drop_tables(group, &change->store->memory, change->tables_before);
  return status;
}

/* Adding and removing: the change ------------------------------------------ */

/* Gives an entity that has none a row in a group other than the main one. */
static ECS_APART void enter(const ListChange *change, ecs_Entity entity,
                            const void *image) {
  Table *table = change->first;
  uint32_t row = table_append(table, entity);
  store_enter(change->store, change->group, id_index(entity), table, row);
  note_entered(change->store, change->group, id_index(entity), row);
  change->component->changes++;
  if (change->is_bits)
    table_write_bit(table, row,
                    change->group->components[change->bit].bits_index, true);
  else if (image != NULL)
    table_store_all(table, row, change->bit, change->component->schema, image);
}

static inline ecs_Status change_one(const ListChange *change, ecs_Entity entity,
                                    const void *image) {
  Store *store = change->store;
  Component *component = change->component;
  if (!change->adds) return component->remove(store, entity, component);
  if (change->group->id == 0 || change->group->locator.narrow)
    return component->add(store, entity, component, image);
  if (store_locate_main(store, entity).table == NULL) return ECS_E_DEAD;
  if (store_locate_in(change->group, id_index(entity)).table != NULL)
    return component->add(store, entity, component, image);
  enter(change, entity, image);
  return ECS_OK;
}

static uint32_t commit(const ListChange *change, const ecs_Entity *entities,
                       uint32_t count) {
  const Store *store = change->store;
  const Group *group = change->group;
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (ECS_LIKELY(i + SLOT_AHEAD < count)) {
      fetch_slot(store, entities[i + SLOT_AHEAD]);
      if (group->id != 0) fetch_entry(group, entities[i + SLOT_AHEAD]);
    }
    ecs_Status status =
        change_one(change, entities[i],
                   change->images == NULL ? change->image : change->images[i]);
    ECS_ASSERT(status == ECS_OK || status == ECS_E_DEAD);
    found += status == ECS_OK;
  }
  return found;
}

static ecs_Status change_list(Store *store, const ecs_Entity *entities,
                              uint32_t count, ecs_Component id, bool adds,
                              const void *image, const void *const *images,
                              uint32_t *found) {
  Component *component = &store->components.all[id];
  const Schema *schema = component->schema;
  if (image == NULL) image = schema->default_image;
  if (schema->field_count == 0) image = NULL;
  ListChange change = {.store = store,
                       .component = component,
                       .group = component->group,
                       .bit = component->bit,
                       .adds = adds,
                       .is_bits = component_is_bits(component),
                       .image = image,
                       .images = images,
                       .tables_before = component->group->table_count};
  ecs_Status status = reserve(&change, entities, count);
  if (status == ECS_OK) *found = commit(&change, entities, count);
  return status;
}

ecs_Status list_add(Store *store, const ecs_Entity *entities, uint32_t count,
                    ecs_Component id, const void *image, uint32_t *found) {
  return change_list(store, entities, count, id, true, image, NULL, found);
}

ecs_Status list_add_each(Store *store, const ecs_Entity *entities,
                         const void *const *images, uint32_t count,
                         ecs_Component id, uint32_t *found) {
  return change_list(store, entities, count, id, true, NULL, images, found);
}

ecs_Status list_remove(Store *store, const ecs_Entity *entities, uint32_t count,
                       ecs_Component id, uint32_t *found) {
  return change_list(store, entities, count, id, false, NULL, NULL, found);
}
