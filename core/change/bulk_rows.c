/* bulk_rows.c: adds a component to all matches of a query, or removes it.
 */

#include "change/bulk_rows.h"

#include "storage/placement.h"
#include "storage/table_image.h"
#include "storage/table_rows.h"

/* In common ------------------------------------------------------------- */

ecs_Status bulk_rows_give_up(const BulkChange *change, ecs_Status status) {
  Group *group = change->group;
  for (uint32_t i = 0; i < group->table_count; i++)
    group->tables[i]->pending = 0;
  group_drop_tables(group, &change->store->memory, change->tables_before);
  return status;
}

void bulk_rows_set_places(const BulkChange *change, const Table *table,
                          uint32_t first) {
  const EntityIndex index = change->store->index; /* in registers */
  const ecs_Entity *entities = table->entities;
  Locator *locator = &change->group->locator;
  uint32_t id = table->id, count = table->count;
  if (change->group->id != 0) {
    for (uint32_t row = first; row < count; row++)
      locator_enter(locator, id_index(entities[row]), (RowId){row, id});
    return;
  }
  for (uint32_t row = first; row < count; row++) {
    Slot *slot = entity_index_slot(&index, id_index(entities[row]));
    ECS_ASSERT(slot_state(*slot) == SLOT_PLACED);
    slot->row_bits = row;
    slot->table_bits = (slot->table_bits & ~SLOT_TABLE_MASK) | id;
  }
}

uint32_t bulk_rows_group_index(const BulkChange *change) {
  const ecs_Query *query = change->query;
  uint32_t group_index = 0;
  if (change->group->id != 0) return query->group_count;
  while (group_index < query->group_count &&
         query->groups[group_index].group != change->group)
    group_index++;
  return group_index;
}

ecs_Status bulk_rows_reserve_pending(const BulkChange *change) {
  Group *group = change->group;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < group->table_count; i++) {
    Table *table = group->tables[i];
    status = store_reserve_rows(change->store, group, table, 0, table->pending);
    table->pending = 0;
  }
  return status;
}

/* Listed rows ----------------------------------------------------------- */

/* A table of the main group that rows are taken from. */
typedef struct ListedTable {
  uint32_t gone;   /* rows taken */
  uint32_t filler; /* row from which on to look for the next to fill a gap */
} ListedTable;

/* Some matching rows of one table of the main group. */
typedef struct Listed {
  Table *table;
  const uint32_t *rows;
  uint32_t count;
} Listed;

/* All matching rows, in rooms of the store. */
typedef struct Listing {
  Listed *pieces;
  uint32_t piece_count; /* room for so many, too */
  uint32_t *rows;       /* NULL: they are in the query's row list */
  uint32_t row_count;
  ListedTable *sources; /* by table */
  uint32_t table_count; /* that could have matching rows */
} Listing;

/* Takes the rows from the query's row list: a piece for each block. */
static ecs_Status list_blocks(Listing *listing, const BulkChange *change,
                              uint32_t group_index) {
  uint32_t spans = query_span_count(change->query);
  listing->piece_count = spans;
  listing->pieces =
      store_room(change->store, ROOM_PIECES, spans, sizeof(Listed));
  if (listing->pieces == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < spans; i++) {
    SpanRows span = query_span_rows(change->query, i, group_index);
    listing->pieces[i] = (Listed){span.table, span.rows, span.count};
  }
  return ECS_OK;
}

/* Gives every table as many of the rows as were counted for it, and sets the
 * counts back to 0. */
static void share_out(Listing *listing, Group *group) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < listing->table_count; i++) {
    listing->pieces[i] = (Listed){group->tables[i], listing->rows + first, 0};
    first += listing->sources[i].gone;
    listing->sources[i].gone = 0;
  }
}

/* Locates every entity and sorts the rows by table: a counting sort.
 * The first pass counts the rows, the second one stores them. */
static ecs_Status list_located(Listing *listing, const BulkChange *change) {
  Store *store = change->store;
  uint32_t spans = query_span_count(change->query);
  listing->piece_count = listing->table_count;
  listing->row_count = (uint32_t)query_count(change->query);
  listing->pieces =
      store_room(store, ROOM_PIECES, listing->piece_count, sizeof(Listed));
  listing->rows =
      store_room(store, ROOM_ROWS, listing->row_count, sizeof(uint32_t));
  if (listing->pieces == NULL || listing->rows == NULL) return ECS_E_MEMORY;
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < spans; i++) {
      Span span = query_span(change->query, i);
      for (uint32_t k = 0; k < span.count; k++) {
        uint32_t index = id_index(span_entity(&span, k));
        Slot slot = *entity_index_slot(&change->store->index, index);
        ECS_ASSERT(slot_table(slot) < listing->table_count);
        Listed *piece = &listing->pieces[slot_table(slot)];
        if (pass == 0)
          listing->sources[slot_table(slot)].gone++;
        else
          listing->rows[piece->rows - listing->rows + piece->count++] =
              slot.row_bits;
      }
    }
    if (pass == 0) share_out(listing, change->group);
  }
  return ECS_OK;
}

static ecs_Status listing_init(Listing *listing, const BulkChange *change,
                               uint32_t group_index) {
  *listing = (Listing){.table_count = change->tables_before};
  listing->sources = store_room(change->store, ROOM_SOURCES,
                                listing->table_count, sizeof(ListedTable));
  if (listing->sources == NULL) return ECS_E_MEMORY;
  return group_index < change->query->group_count
             ? list_blocks(listing, change, group_index)
             : list_located(listing, change);
}

/* Do the rows of the table have to move? */
static bool is_source(const BulkChange *change, const Table *table) {
  return table_has(table, change->bit) != change->adds;
}

static ecs_Status reserve_listed(const BulkChange *change,
                                 const Listing *listing) {
  Group *group = change->group;
  const Edge *edge = NULL;
  for (uint32_t i = 0; i < listing->piece_count; i++) {
    Listed listed = listing->pieces[i];
    if (listed.count == 0 || !is_source(change, listed.table)) continue;
    ecs_Status status = group_ensure_edge(group, &change->store->memory,
                                          listed.table, change->bit, &edge);
    if (status != ECS_OK) return status;
    Table *to = group->tables[edge->table];
    to->pending += listed.count;
    status = store_reserve_rows(change->store, group, to,
                                listed.table->bits_columns, 0);
    if (status != ECS_OK) return status;
  }
  return bulk_rows_reserve_pending(change);
}

static void take_listed(const BulkChange *change, Listed listed) {
  const Edge *edge = group_find_edge(change->group, listed.table, change->bit);
  ECS_ASSERT(edge != NULL && edge->added == change->adds);
  Table *to = change->group->tables[edge->table];
  uint32_t first = rows_take(to, listed.table, listed.rows, listed.count,
                             &edge->range, edge->added);
  bulk_rows_set_places(change, to, first);
  if (change->adds)
    rows_fill(to, first, listed.count, change->bit, change->component->schema,
              change->image, UINT64_MAX);
}

static void set_listed(const BulkChange *change, Listed listed) {
  for (uint32_t i = 0; change->fields != 0 && i < listed.count; i++)
    table_set(listed.table, listed.rows[i], change->bit,
              change->component->schema, change->image, change->fields);
}

/* Fills the gaps that a piece has left, but for those at the end of the table,
 * which is cut off. */
static void close_listed(const BulkChange *change, Listed listed,
                         ListedTable *source) {
  const EntityIndex *index = &change->store->index;
  const ecs_Entity *entities = listed.table->entities;
  uint32_t left = listed.table->count - source->gone;
  uint32_t gaps[ECS_BLOCK_ROWS], fillers[ECS_BLOCK_ROWS], count = 0;
  for (uint32_t i = 0; i < listed.count; i++) {
    if (listed.rows[i] < left) {
      while (entities[source->filler] == 0) source->filler++;
      uint32_t filler = source->filler++;
      ECS_ASSERT(filler < listed.table->count && entities[listed.rows[i]] == 0);
      gaps[count] = listed.rows[i];
      fillers[count++] = filler;
      entity_index_slot(index, id_index(entities[filler]))->row_bits =
          listed.rows[i];
    }
    if (count < ECS_BLOCK_ROWS && i + 1 < listed.count) continue;
    rows_close(listed.table, gaps, fillers, count);
    count = 0;
  }
}

/* Closes the gaps of a table in its order: rows behind them move up. */
static void close_in_order(const EntityIndex *index, Table *table) {
  const ecs_Entity *entities = table->entities;
  uint32_t gaps[ECS_BLOCK_ROWS], fillers[ECS_BLOCK_ROWS], count = 0, left = 0;
  for (uint32_t row = 0; row < table->count; row++) {
    if (entities[row] == 0) continue;
    if (row > left) {
      entity_index_slot(index, id_index(entities[row]))->row_bits = left;
      gaps[count] = left;
      fillers[count++] = row;
    }
    left++;
    if (count < ECS_BLOCK_ROWS) continue;
    rows_close(table, gaps, fillers, count);
    count = 0;
  }
  rows_close(table, gaps, fillers, count);
  rows_cut(table, left);
}

static void close_all(const BulkChange *change, const Listing *listing) {
  Group *group = change->group;
  ListedTable *sources = listing->sources;
  for (uint32_t i = 0; i < listing->table_count; i++)
    sources[i].filler = group->tables[i]->count - sources[i].gone;
  for (uint32_t i = 0; i < listing->piece_count; i++) {
    Listed listed = listing->pieces[i];
    ListedTable *source = &sources[listed.table->id];
    if (source->gone > 0) close_listed(change, listed, source);
  }
  for (uint32_t i = 0; i < listing->table_count; i++)
    if (sources[i].gone > 0)
      rows_cut(group->tables[i], group->tables[i]->count - sources[i].gone);
}

static void commit_listed(const BulkChange *change, const Listing *listing) {
  uint32_t moved = 0;
  for (uint32_t i = 0; i < listing->piece_count; i++) {
    Listed listed = listing->pieces[i];
    if (listed.count == 0) continue;
    if (is_source(change, listed.table)) {
      take_listed(change, listed);
      listing->sources[listed.table->id].gone += listed.count;
      moved += listed.count;
    } else {
      set_listed(change, listed);
    }
  }
  if (moved == 0) return;
  close_all(change, listing);
  change->component->changes += moved;
  note_all(change->store, change->group);
}

ecs_Status bulk_rows_listed(BulkChange *change, uint32_t group_index) {
  Listing listing;
  ecs_Status status = listing_init(&listing, change, group_index);
  if (status == ECS_OK) {
    status = reserve_listed(change, &listing);
    if (status == ECS_OK)
      commit_listed(change, &listing);
    else
      bulk_rows_give_up(change, status);
  }
  return status;
}

ecs_Status bulk_rows_drop(const BulkChange *change, uint32_t group_index,
                          void (*free_entities)(Store *, IndexSet *),
                          IndexSet *matches) {
  Listing listing;
  ecs_Status status = listing_init(&listing, change, group_index);
  if (status == ECS_OK) {
    free_entities(change->store, matches);
    for (uint32_t i = 0; i < listing.piece_count; i++) {
      Listed listed = listing.pieces[i];
      if (listed.count == 0) continue;
      for (uint32_t k = 0; k < listed.count; k++)
        listed.table->entities[listed.rows[k]] = 0;
      listing.sources[listed.table->id].gone += listed.count;
    }
    if (!change->in_order) close_all(change, &listing);
    for (uint32_t i = 0; change->in_order && i < listing.table_count; i++)
      if (listing.sources[i].gone > 0)
        close_in_order(&change->store->index, change->group->tables[i]);
    note_all(change->store, change->group);
  }
  return status;
}
