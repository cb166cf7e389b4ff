/* join.c: finds the rows of a driver's entities in the other groups. */
#include "query/join.h"

/* Life ------------------------------------------------------------------ */

static ecs_Status mark_tables(const QueryGroup *query_group, Memory *memory,
                              uint8_t **fits) {
  *fits = memory_zeroed(memory, query_group->group->table_count + 1, 1);
  if (*fits == NULL) return ECS_E_MEMORY;
  (*fits)[0] = !query_group->required;
  for (uint32_t i = 0; i < query_group->match.count; i++)
    (*fits)[query_group->match.tables[i] + 1] = 1;
  return ECS_OK;
}

ecs_Status join_init(Join *join, Store *store, const QueryGroup *groups,
                     uint32_t group_count, uint32_t driver) {
  Memory *memory = &store->memory;
  ECS_ASSERT(driver < group_count);
  join->store = store;
  join->groups = groups;
  join->group_count = group_count;
  join->driver = driver;
  join->shares = query_groups_share(groups, group_count);
  join->fits = memory_zeroed(memory, group_count, sizeof(uint8_t *));
  join->tables =
      memory_zeroed(memory, group_count, ECS_JOIN_ROWS * sizeof(uint32_t));
  if (join->fits == NULL || join->tables == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < group_count; i++) {
    ecs_Status status = mark_tables(&groups[i], memory, &join->fits[i]);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

void join_deinit(Join *join) {
  Memory *memory = &join->store->memory;
  uint32_t groups = join->group_count;
  for (uint32_t i = 0; join->fits != NULL && i < groups; i++)
    memory_free(memory, join->fits[i], join->groups[i].group->table_count + 1);
  memory_free(memory, join->fits, groups * sizeof(uint8_t *));
  memory_free(memory, join->tables, groups * ECS_JOIN_ROWS * sizeof(uint32_t));
}

/* Finding --------------------------------------------------------------- */

static uint32_t *rows_of(const Join *join, uint32_t group_index) {
  return join->rows[group_index] + join->first;
}

static uint32_t *tables_of(const Join *join, uint32_t group_index) {
  return join->tables + (size_t)group_index * ECS_JOIN_ROWS;
}

/* Takes up to ECS_JOIN_ROWS rows of a driver table, beginning with row, and
 * keeps the rows that pass the filter of bits. Returns the row to go on with.
 */
static uint32_t take_rows(Join *join, const Table *table, uint32_t row) {
  const QueryGroup *driver = &join->groups[join->driver];
  const ecs_Entity *entities = table->entities;
  uint32_t *rows = rows_of(join, join->driver);
  ECS_ASSERT(row < table->count);
  uint32_t left = table->count - row;
  uint32_t taken = left < ECS_JOIN_ROWS ? left : ECS_JOIN_ROWS;
  join->count = taken;
  if (driver->filters) {
    join->count = query_group_list(driver, table, row, taken, rows);
    for (uint32_t i = 0; i < join->count; i++)
      join->indices[i] = id_index(entities[rows[i]]);
    return row + taken;
  }
  for (uint32_t i = 0; i < taken; i++) {
    rows[i] = row + i;
    join->indices[i] = id_index(entities[row + i]);
  }
  return row + taken;
}

/* Finds the entities in a group other than the main group. Absent entities get
 * their table id without a branch, which would often be predicted wrongly. */
static inline __attribute__((always_inline)) void locate_in(
    const Join *join, uint32_t group_index, bool narrow) {
  Locator locator = join->groups[group_index].group->locator; /* in registers */
  const uint32_t *indices = join->indices;
  uint32_t *rows = rows_of(join, group_index);
  uint32_t *tables = tables_of(join, group_index), count = join->count;
  locator.narrow = narrow;
  for (uint32_t i = 0; i < count; i++) {
    RowId found = locator_find(&locator, indices[i]);
    rows[i] = found.row;
    tables[i] =
        found.table | (locator_is_row(found.row) ? 0u : QUERY_GROUP_ABSENT);
  }
}

/* Finds the entities in any group. */
static void locate(const Join *join, uint32_t group_index) {
  const Group *group = join->groups[group_index].group;
  const EntityIndex index = join->store->index; /* in registers */
  const uint32_t *indices = join->indices;
  uint32_t *rows = rows_of(join, group_index);
  uint32_t *tables = tables_of(join, group_index), count = join->count;
  if (group->id != 0 && group->locator.narrow) {
    locate_in(join, group_index, true);
  } else if (group->id != 0) {
    locate_in(join, group_index, false);
  } else {
    for (uint32_t i = 0; i < count; i++) {
      Slot slot = *entity_index_slot(&index, indices[i]);
      rows[i] = slot.row_bits;
      tables[i] = slot_table(slot);
    }
  }
}

/* Moves the numbers at the kept positions to the front. */
static void close_up(uint32_t *numbers, const uint32_t *kept, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) numbers[i] = numbers[kept[i]];
}

/* Keeps only the rows at the kept positions, in the driver and in the groups up
 * to group_index, which have been looked up. */
static void keep_only(Join *join, uint32_t group_index, uint32_t count) {
  if (count == join->count) return;
  ECS_ASSERT(count < join->count);
  join->count = count;
  close_up(join->indices, join->kept, count);
  close_up(rows_of(join, join->driver), join->kept, count);
  for (uint32_t i = 0; i <= group_index; i++) {
    if (i == join->driver) continue;
    close_up(rows_of(join, i), join->kept, count);
    close_up(tables_of(join, i), join->kept, count);
  }
}

/* Keeps the rows with a matching table in a group. Most often all rows are in
 * one table, so one test decides for all. */
static void filter_tables(Join *join, uint32_t group_index) {
  const uint8_t *fits = join->fits[group_index];
  const uint32_t *tables = tables_of(join, group_index);
  uint32_t candidates = join->count, count = 0;
  ECS_ASSERT(tables[0] == QUERY_GROUP_ABSENT ||
             tables[0] < join->groups[group_index].group->table_count);
  if (ids_are_equal(tables, candidates)) {
    if (fits[(uint32_t)(tables[0] + 1)] == 0) join->count = 0;
    return;
  }
  for (uint32_t i = 0; i < candidates; i++) {
    join->kept[count] = i;
    count += fits[(uint32_t)(tables[i] + 1)];
  }
  keep_only(join, group_index, count);
}

/* Keeps the rows with bits that fit in a group, and the rows that are absent
 * there. */
static void filter_bits(Join *join, uint32_t group_index) {
  const QueryGroup *asked = &join->groups[group_index];
  const uint32_t *rows = rows_of(join, group_index);
  const uint32_t *tables = tables_of(join, group_index);
  uint32_t count = 0;
  for (uint32_t i = 0; i < join->count; i++) {
    join->kept[count] = i;
    count +=
        tables[i] == QUERY_GROUP_ABSENT ||
        query_group_bits_fit(asked, asked->group->tables[tables[i]], rows[i]);
  }
  keep_only(join, group_index, count);
}

/* Has a row that was found something that its group offers? table is the
 * driver's. */
static bool is_offered(const Join *join, const Table *table,
                       uint32_t group_index, uint32_t found) {
  const QueryGroup *query_group = &join->groups[group_index];
  if (!query_group->shares) return false;
  if (group_index != join->driver) {
    uint32_t id = tables_of(join, group_index)[found];
    if (id == QUERY_GROUP_ABSENT) return false;
    table = query_group->group->tables[id];
  }
  return query_group_row_offers(query_group, table,
                                rows_of(join, group_index)[found]);
}

static bool is_offered_anywhere(const Join *join, const Table *table,
                                uint32_t found) {
  for (uint32_t i = 0; i < join->group_count; i++)
    if (is_offered(join, table, i, found)) return true;
  return false;
}

/* Keeps the rows that have something which one of the groups offers. */
static void filter_choice(Join *join, const Table *table) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < join->count; i++) {
    join->kept[count] = i;
    count += is_offered_anywhere(join, table, i);
  }
  keep_only(join, join->group_count - 1, count);
}

/* Keeps the rows that match in all other groups. table is the driver's. */
static void filter_all(Join *join, const Table *table) {
  for (uint32_t i = 0; i < join->group_count; i++) {
    if (i == join->driver || join->count == 0) continue;
    locate(join, i);
    filter_tables(join, i);
    if (join->groups[i].filters) filter_bits(join, i);
  }
  if (join->shares && join->count > 0) filter_choice(join, table);
}

bool join_is_uniform(const Join *join) {
  for (uint32_t i = 0; i < join->group_count; i++)
    if (i != join->driver && !ids_are_equal(tables_of(join, i), join->count))
      return false;
  return true;
}

/* Is the row that was found in a group, at a position, the row of the entity at
 * that position? */
static bool is_row_of(const Join *join, uint32_t group_index, uint32_t found) {
  const QueryGroup *query_group = &join->groups[group_index];
  uint32_t id = tables_of(join, group_index)[found];
  if (id == QUERY_GROUP_ABSENT) return !query_group->required;
  if (id >= query_group->group->table_count) return false;
  RowRef row = {query_group->group->tables[id],
                rows_of(join, group_index)[found]};
  return row.row < row.table->count &&
         id_index(row.table->entities[row.row]) == join->indices[found] &&
         query_group_fits(query_group, row);
}

bool join_check_invariants(const Join *join, const Table *table) {
  for (uint32_t i = 0; i < join->count; i++) {
    uint32_t row = rows_of(join, join->driver)[i];
    if (row >= table->count) return false;
    if (id_index(table->entities[row]) != join->indices[i]) return false;
    for (uint32_t g = 0; g < join->group_count; g++)
      if (g != join->driver && !is_row_of(join, g, i)) return false;
    if (join->shares && !is_offered_anywhere(join, table, i)) return false;
  }
  return true;
}

uint32_t join_rows(Join *join, const Table *table, uint32_t row,
                   uint32_t *const *rows, uint32_t first) {
  ECS_ASSERT(join->fits[join->driver][table->id + 1] != 0);
  join->rows = rows;
  join->first = first;
  uint32_t next = take_rows(join, table, row);
  filter_all(join, table);
  ECS_ASSERT(join_check_invariants(join, table));
  return next;
}
