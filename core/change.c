/* change.c: a component that comes to, or goes from, every match of a query. */
#include "change.h"

#include "rows.h"

/* What all ways share --------------------------------------------------- */

ecs_Status change_give_up(const Change *change, ecs_Status status) {
  Group *group = change->group;
  for (uint32_t i = 0; i < group->table_count; i++)
    group->tables[i]->pending = 0;
  group_drop_tables(group, &change->world->memory, change->tables_before);
  return status;
}

void change_tell_places(const Change *change, const Table *table,
                        uint32_t first) {
  const EntityIndex index = change->world->index; /* in registers */
  const ecs_Entity *entities = table->entities;
  Locator *locator = &change->group->locator;
  uint32_t id = table->id, count = table->count;
  if (change->group->id != 0) {
    for (uint32_t row = first; row < count; row++)
      locator_set(locator, id_index(entities[row]), (Place){row, id});
    return;
  }
  for (uint32_t row = first; row < count; row++) {
    Slot *slot = entity_index_slot(&index, id_index(entities[row]));
    slot->where = row;
    slot->what = (slot->what & ~SLOT_PLACE_MASK) | id;
  }
}

uint32_t change_main_part(const Change *change) {
  const ecs_Query *query = change->query;
  uint32_t part = 0;
  if (change->group->id != 0) return query->part_count;
  while (part < query->part_count &&
         query->parts[part].group != change->group)
    part++;
  return part;
}

ecs_Status change_reserve_pending(const Change *change) {
  Group *group = change->group;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < group->table_count; i++) {
    Table *table = group->tables[i];
    status = world_reserve_rows(change->world, group, table, 0,
                                table->pending);
    table->pending = 0;
  }
  return status;
}

/* Listed rows ----------------------------------------------------------- */

/* A table that rows were taken from. */
typedef struct Source {
  uint32_t gone;   /* so many of them */
  uint32_t filler; /* where to look for the next row to close a gap with */
} Source;

/* The rows of one block in the main group. */
typedef struct Listed {
  Table *table;
  const uint32_t *rows;
  uint32_t count;
} Listed;

static Listed listed_at(const Change *change, uint32_t part, uint32_t at) {
  const ecs_Query *query = change->query;
  const Block *block = &query->rows.blocks[at];
  return (Listed){row_list_table(&query->rows, block, query->parts, part),
                  row_list_rows(&query->rows, block, part), block->count};
}

/* Do the rows of the table have to move? */
static bool is_source(const Change *change, const Table *table) {
  return table_has(table, change->bit) != change->adds;
}

static ecs_Status reserve_listed(const Change *change, uint32_t part) {
  Group *group = change->group;
  const Edge *edge = NULL;
  for (uint32_t i = 0; i < change->query->rows.block_count; i++) {
    Listed listed = listed_at(change, part, i);
    if (!is_source(change, listed.table)) continue;
    ecs_Status status = group_ensure_edge(
        group, &change->world->memory, listed.table, change->bit, &edge);
    if (status != ECS_OK) return status;
    Table *to = group->tables[edge->table];
    to->pending += listed.count;
    status = world_reserve_rows(change->world, group, to,
                                listed.table->bits_columns, 0);
    if (status != ECS_OK) return status;
  }
  return change_reserve_pending(change);
}

static void take_listed(const Change *change, Listed listed) {
  const Edge *edge =
      group_find_edge(change->group, listed.table, change->bit);
  Table *to = change->group->tables[edge->table];
  uint32_t first = rows_take(to, listed.table, listed.rows, listed.count,
                             &edge->range, edge->added);
  change_tell_places(change, to, first);
  if (change->adds)
    rows_fill(to, first, listed.count, change->bit, change->what->schema,
              change->image, UINT64_MAX);
}

static void set_listed(const Change *change, Listed listed) {
  for (uint32_t i = 0; change->fields != 0 && i < listed.count; i++)
    table_store(listed.table, listed.rows[i], change->bit,
                change->what->schema, change->image, change->fields);
}

/* Closes the gaps of a block that are not at the end of its table anyway. */
static void close_listed(const Change *change, Listed listed,
                         Source *source) {
  const EntityIndex *index = &change->world->index;
  const ecs_Entity *entities = listed.table->entities;
  uint32_t left = listed.table->count - source->gone;
  uint32_t gaps[ECS_BLOCK_ROWS], fillers[ECS_BLOCK_ROWS], count = 0;
  for (uint32_t i = 0; i < listed.count; i++) {
    if (listed.rows[i] < left) {
      while (entities[source->filler] == 0) source->filler++;
      uint32_t filler = source->filler++;
      gaps[count] = listed.rows[i];
      fillers[count++] = filler;
      entity_index_slot(index, id_index(entities[filler]))->where =
          listed.rows[i];
    }
    if (count < ECS_BLOCK_ROWS && i + 1 < listed.count) continue;
    rows_close(listed.table, gaps, fillers, count);
    count = 0;
  }
}

static void close_all(const Change *change, uint32_t part, Source *sources) {
  Group *group = change->group;
  for (uint32_t i = 0; i < change->tables_before; i++)
    sources[i].filler = group->tables[i]->count - sources[i].gone;
  for (uint32_t i = 0; i < change->query->rows.block_count; i++) {
    Listed listed = listed_at(change, part, i);
    Source *source = &sources[listed.table->id];
    if (source->gone > 0) close_listed(change, listed, source);
  }
  for (uint32_t i = 0; i < change->tables_before; i++)
    if (sources[i].gone > 0)
      rows_cut(group->tables[i], group->tables[i]->count - sources[i].gone);
}

ecs_Status change_listed(Change *change, uint32_t part) {
  Memory *memory = &change->world->memory;
  uint32_t moved = 0;
  Source *sources =
      memory_zeroed(memory, change->tables_before, sizeof(Source));
  if (sources == NULL) return ECS_E_MEMORY;
  ecs_Status status = reserve_listed(change, part);
  if (status != ECS_OK) {
    change_give_up(change, status);
  } else {
    for (uint32_t i = 0; i < change->query->rows.block_count; i++) {
      Listed listed = listed_at(change, part, i);
      if (is_source(change, listed.table)) {
        take_listed(change, listed);
        sources[listed.table->id].gone += listed.count;
        moved += listed.count;
      } else {
        set_listed(change, listed);
      }
    }
    close_all(change, part, sources);
    if (moved > 0) world_touch(change->world, change->group);
  }
  memory_free(memory, sources, change->tables_before * sizeof(Source));
  return status;
}
