/* join.c: where a driver's entities are in the other parts of a query. */
#include "query/join.h"

/* Life ------------------------------------------------------------------ */

static ecs_Status mark_tables(const Part *part, Memory *memory,
                              uint8_t **fits) {
  *fits = memory_zeroed(memory, part->group->table_count + 1, 1);
  if (*fits == NULL) return ECS_E_MEMORY;
  (*fits)[0] = !part->required;
  for (uint32_t i = 0; i < part->match.count; i++)
    (*fits)[part->match.tables[i] + 1] = 1;
  return ECS_OK;
}

ecs_Status look_up_init(LookUp *look_up, World *world, const Part *parts,
                        uint32_t part_count, uint32_t driver) {
  Memory *memory = &world->memory;
  look_up->world = world;
  look_up->parts = parts;
  look_up->part_count = part_count;
  look_up->driver = driver;
  look_up->fits = memory_zeroed(memory, part_count, sizeof(uint8_t *));
  look_up->tables = memory_zeroed(memory, part_count,
                                  ECS_LOOK_UP_ROWS * sizeof(uint32_t));
  if (look_up->fits == NULL || look_up->tables == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < part_count; i++) {
    ecs_Status status = mark_tables(&parts[i], memory, &look_up->fits[i]);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

void look_up_deinit(LookUp *look_up) {
  Memory *memory = &look_up->world->memory;
  uint32_t parts = look_up->part_count;
  for (uint32_t i = 0; look_up->fits != NULL && i < parts; i++)
    memory_free(memory, look_up->fits[i],
                look_up->parts[i].group->table_count + 1);
  memory_free(memory, look_up->fits, parts * sizeof(uint8_t *));
  memory_free(memory, look_up->tables,
              parts * ECS_LOOK_UP_ROWS * sizeof(uint32_t));
}

/* Finding --------------------------------------------------------------- */

static uint32_t *rows_of(const LookUp *look_up, uint32_t part) {
  return look_up->rows[part] + look_up->first;
}

static uint32_t *tables_of(const LookUp *look_up, uint32_t part) {
  return look_up->tables + (size_t)part * ECS_LOOK_UP_ROWS;
}

/* The next rows of a driver table, from one on, that pass the filter of bits.
 * Returns where to go on. */
static uint32_t take_rows(LookUp *look_up, const Table *table, uint32_t row) {
  const Part *driver = &look_up->parts[look_up->driver];
  const ecs_Entity *entities = table->entities;
  uint32_t *rows = rows_of(look_up, look_up->driver);
  uint32_t left = table->count - row;
  uint32_t taken = left < ECS_LOOK_UP_ROWS ? left : ECS_LOOK_UP_ROWS;
  uint32_t count = driver->filters ? 0 : taken;
  for (uint32_t i = 0; i < count; i++) rows[i] = row + i;
  for (uint32_t i = 0; driver->filters && i < taken; i++) {
    rows[count] = row + i;
    count += part_bits_fit(driver, table, row + i);
  }
  for (uint32_t i = 0; i < count; i++)
    look_up->at[i] = id_index(entities[rows[i]]);
  look_up->count = count;
  return row + taken;
}

/* Where the entities are in a part other than the main group. Who is there at
 * all is told without a jump, because nobody can guess it. */
static inline __attribute__((always_inline)) void locate_in(
    const LookUp *look_up, uint32_t part, bool narrow) {
  Locator locator = look_up->parts[part].group->locator; /* in registers */
  const uint32_t *at = look_up->at;
  uint32_t *rows = rows_of(look_up, part);
  uint32_t *tables = tables_of(look_up, part), count = look_up->count;
  locator.narrow = narrow;
  for (uint32_t i = 0; i < count; i++) {
    Place place = locator_find(&locator, at[i]);
    rows[i] = place.row;
    tables[i] = place.table | (place.row == LOCATOR_NONE ? PART_ABSENT : 0u);
  }
}

/* Where they are in any part. */
static void locate(const LookUp *look_up, uint32_t part) {
  const Group *group = look_up->parts[part].group;
  const EntityIndex index = look_up->world->index; /* in registers */
  const uint32_t *at = look_up->at;
  uint32_t *rows = rows_of(look_up, part);
  uint32_t *tables = tables_of(look_up, part), count = look_up->count;
  if (group->id != 0 && group->locator.narrow) {
    locate_in(look_up, part, true);
  } else if (group->id != 0) {
    locate_in(look_up, part, false);
  } else {
    for (uint32_t i = 0; i < count; i++) {
      Slot slot = *entity_index_slot(&index, at[i]);
      rows[i] = slot.where;
      tables[i] = slot_table(slot);
    }
  }
}

/* Numbers that are kept move to the front. */
static void close_up(uint32_t *numbers, const uint32_t *kept, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) numbers[i] = numbers[kept[i]];
}

/* Only some of the rows stay: in the driver and in the parts that were looked
 * at, part being the last of them. */
static void keep_only(LookUp *look_up, uint32_t part, uint32_t count) {
  if (count == look_up->count) return;
  look_up->count = count;
  close_up(look_up->at, look_up->kept, count);
  close_up(rows_of(look_up, look_up->driver), look_up->kept, count);
  for (uint32_t i = 0; i <= part; i++) {
    if (i == look_up->driver) continue;
    close_up(rows_of(look_up, i), look_up->kept, count);
    close_up(tables_of(look_up, i), look_up->kept, count);
  }
}

/* Rows in tables of a part that match stay. Most often all are in the same. */
static void filter_tables(LookUp *look_up, uint32_t part) {
  const uint8_t *fits = look_up->fits[part];
  const uint32_t *tables = tables_of(look_up, part);
  uint32_t candidates = look_up->count, count = 0;
  if (ids_are_equal(tables, candidates)) {
    if (fits[(uint32_t)(tables[0] + 1)] == 0) look_up->count = 0;
    return;
  }
  for (uint32_t i = 0; i < candidates; i++) {
    look_up->kept[count] = i;
    count += fits[(uint32_t)(tables[i] + 1)];
  }
  keep_only(look_up, part, count);
}

/* Rows whose bits a part asks for stay. */
static void filter_bits(LookUp *look_up, uint32_t part) {
  const Part *asked = &look_up->parts[part];
  const uint32_t *rows = rows_of(look_up, part);
  const uint32_t *tables = tables_of(look_up, part);
  uint32_t count = 0;
  for (uint32_t i = 0; i < look_up->count; i++) {
    look_up->kept[count] = i;
    count += tables[i] == PART_ABSENT ||
             part_bits_fit(asked, asked->group->tables[tables[i]], rows[i]);
  }
  keep_only(look_up, part, count);
}

/* Rows that match in all other parts stay. */
static void filter_all(LookUp *look_up) {
  for (uint32_t i = 0; i < look_up->part_count; i++) {
    if (i == look_up->driver || look_up->count == 0) continue;
    locate(look_up, i);
    filter_tables(look_up, i);
    if (look_up->parts[i].filters) filter_bits(look_up, i);
  }
}

bool look_up_is_uniform(const LookUp *look_up) {
  for (uint32_t i = 0; i < look_up->part_count; i++)
    if (i != look_up->driver &&
        !ids_are_equal(tables_of(look_up, i), look_up->count))
      return false;
  return true;
}

uint32_t look_up_rows(LookUp *look_up, const Table *table, uint32_t row,
                      uint32_t *const *rows, uint32_t first) {
  look_up->rows = rows;
  look_up->first = first;
  uint32_t next = take_rows(look_up, table, row);
  filter_all(look_up);
  return next;
}
