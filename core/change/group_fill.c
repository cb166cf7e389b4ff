/* group_fill.c: copies entities into a group that is built anew. */
#include "change/group_fill.h"

#define NOWHERE UINT32_MAX /* a table id: the entity has no row */
#define KNOWN_TARGETS 16u
#define MOST_LOOSE 64u /* bits of a word */

/* The places of a block's entities in an old group other than the main one. */
typedef struct Giver {
  const Group *group;
  uint32_t rows[ECS_JOIN_ROWS];
  uint32_t tables[ECS_JOIN_ROWS]; /* ids, or NOWHERE */
} Giver;

/* What filling a group needs. */
typedef struct Fill {
  Store *store;
  Group *group;  /* the new one */
  Giver *givers; /* owned */
  uint32_t giver_count;
  uint32_t giver_capacity;
  uint32_t words;    /* of the masks */
  uint64_t *base;    /* owned; the mask that all rows of `from` share */
  uint64_t *mask;    /* owned; of one row */
  const Table *from; /* of the main group; the block is count of its rows */
  uint32_t first;
  uint32_t count;
  uint32_t targets[ECS_JOIN_ROWS]; /* of each row: the id of its new table, or
                                      NOWHERE */
  uint32_t list[ECS_JOIN_ROWS];    /* the block's rows for one new table */
  uint32_t rows[ECS_JOIN_ROWS];    /* where they are in one old group */
  uint32_t listed;
  bool run; /* rows[] follow each other */
  /* Tags that are bits in the old group, and of which the target depends. The
   * tables that a row was in do not say whether it has one. */
  uint32_t loose[MOST_LOOSE]; /* their bits in the new group */
  uint32_t loose_count;       /* also of those that are too many for the list */
  uint64_t
      loose_tags[ECS_JOIN_ROWS]; /* of each row: a bit for each loose tag */
  /* Targets known already for this `from`: of combination k of table ids in the
   * givers, known_tables[k * giver_count] and on, and of loose tags. */
  uint32_t known_count;
  uint32_t known_targets[KNOWN_TARGETS];
  uint64_t known_loose[KNOWN_TARGETS];
  uint32_t *known_tables; /* owned */
} Fill;

/* Life ------------------------------------------------------------------ */

static void fill_deinit(Fill *fill) {
  Memory *memory = &fill->store->memory;
  memory_free(memory, fill->givers, fill->giver_capacity * sizeof(Giver));
  memory_free(memory, fill->base, fill->words * sizeof(uint64_t));
  memory_free(memory, fill->mask, fill->words * sizeof(uint64_t));
  memory_free(memory, fill->known_tables,
              (size_t)KNOWN_TARGETS * fill->giver_count * sizeof(uint32_t));
}

/* The component of the new group with this bit, as it is stored now. */
static const Component *old_component(const Fill *fill, uint32_t bit) {
  return &fill->store->components.all[fill->group->components[bit].component];
}

/* The giver that is an old group; NULL: it gives nothing, or is the main one. */
static const Giver *find_giver(const Fill *fill, const Group *old) {
  for (uint32_t i = 0; i < fill->giver_count; i++)
    if (fill->givers[i].group == old) return &fill->givers[i];
  return NULL;
}

static ecs_Status find_givers(Fill *fill) {
  Memory *memory = &fill->store->memory;
  for (uint32_t bit = 0; bit < fill->group->component_count; bit++) {
    const Group *old = old_component(fill, bit)->group;
    void *givers = fill->givers;
    if (old->id == 0 || find_giver(fill, old) != NULL) continue;
    if (!memory_grow(memory, &givers, &fill->giver_capacity, fill->giver_count,
                     1, sizeof(Giver)))
      return ECS_E_MEMORY;
    fill->givers = givers;
    fill->givers[fill->giver_count++].group = old;
  }
  return ECS_OK;
}

/* In the main group a tag that stays bits has no part in the choice of a table;
 * in another group it decides whether there is a row at all. */
static void find_loose(Fill *fill) {
  for (uint32_t bit = 0; bit < fill->group->component_count; bit++) {
    if (!component_is_bits(old_component(fill, bit))) continue;
    if (group_is_bits(fill->group, bit) && fill->group->id == 0) continue;
    if (fill->loose_count < MOST_LOOSE) fill->loose[fill->loose_count] = bit;
    fill->loose_count++;
  }
}

static ecs_Status fill_init(Fill *fill) {
  Memory *memory = &fill->store->memory;
  uint32_t words = group_words(fill->group);
  ecs_Status status = find_givers(fill);
  if (status != ECS_OK) return status;
  find_loose(fill);
  fill->words = words;
  fill->base = memory_zeroed(memory, words, sizeof(uint64_t));
  fill->mask = memory_zeroed(memory, words, sizeof(uint64_t));
  fill->known_tables = memory_zeroed(memory, fill->giver_count,
                                     KNOWN_TARGETS * sizeof(uint32_t));
  bool masks = words == 0 || (fill->base != NULL && fill->mask != NULL);
  return masks && (fill->giver_count == 0 || fill->known_tables != NULL)
             ? ECS_OK
             : ECS_E_MEMORY;
}

/* Locating -------------------------------------------------------------- */

/* The mask that all rows of the table share, from what the main group gives. */
static void begin_table(Fill *fill, const Table *table) {
  fill->from = table;
  fill->known_count = 0;
  if (fill->words > 0) memset(fill->base, 0, fill->words * sizeof(uint64_t));
  for (uint32_t bit = 0; bit < fill->group->component_count; bit++) {
    const Component *old = old_component(fill, bit);
    if (group_is_bits(fill->group, bit)) continue;
    if (old->group->id == 0 && table_has(table, old->bit))
      fill->base[bit >> 6] |= UINT64_C(1) << (bit & 63u);
  }
}

static void begin_block(Fill *fill, uint32_t first) {
  uint32_t left = fill->from->count - first;
  fill->first = first;
  fill->count = left < ECS_JOIN_ROWS ? left : ECS_JOIN_ROWS;
  for (uint32_t i = 0; i < fill->giver_count; i++) {
    Giver *giver = &fill->givers[i];
    const Locator *locator = &giver->group->locator;
    for (uint32_t k = 0; k < fill->count; k++) {
      uint32_t index = id_index(fill->from->entities[first + k]);
      RowId found = locator_find(locator, index);
      giver->rows[k] = found.row;
      giver->tables[k] = locator_is_row(found.row) ? found.table : NOWHERE;
    }
  }
}

/* Choosing -------------------------------------------------------------- */

/* The place of the block's row k in the group that a component is in now. */
static RowRef place_of(const Fill *fill, const Component *old, uint32_t k) {
  if (old->group->id == 0)
    return (RowRef){(Table *)(uintptr_t)fill->from, fill->first + k};
  const Giver *giver = find_giver(fill, old->group);
  if (giver->tables[k] == NOWHERE) return (RowRef){NULL, 0};
  return (RowRef){old->group->tables[giver->tables[k]], giver->rows[k]};
}

/* Has row k of the block the component with this bit of the new group? */
static bool had(const Fill *fill, uint32_t bit, uint32_t k) {
  const Component *old = old_component(fill, bit);
  RowRef place = place_of(fill, old, k);
  if (place.table == NULL) return false;
  return component_is_bits(old)
             ? table_has_bit(place.table, place.row, old->bits_index)
             : table_has(place.table, old->bit);
}

/* The bits of the block's rows for a tag that the main group has as bits. NULL:
 * no row has it. */
static const uint8_t *bits_in_main(const Fill *fill, const Component *old) {
  ECS_ASSERT(old->group->id == 0 && component_is_bits(old));
  uint32_t column = old->bits_index >> 3;
  if (column >= fill->from->bits_columns || fill->from->slab == NULL)
    return NULL;
  return &table_bits(fill->from, column)[fill->first];
}

static void read_loose_tag(Fill *fill, uint32_t i) {
  const Component *old = old_component(fill, fill->loose[i]);
  if (old->group->id != 0) {
    for (uint32_t k = 0; k < fill->count; k++)
      fill->loose_tags[k] |= (uint64_t)had(fill, fill->loose[i], k) << i;
    return;
  }
  const uint8_t *bits = bits_in_main(fill, old);
  uint32_t shift = old->bits_index & 7u;
  for (uint32_t k = 0; bits != NULL && k < fill->count; k++)
    fill->loose_tags[k] |= (uint64_t)(bits[k] >> shift & 1u) << i;
}

static void read_loose(Fill *fill) {
  if (fill->loose_count == 0) return; /* they are 0 */
  memset(fill->loose_tags, 0, fill->count * sizeof *fill->loose_tags);
  for (uint32_t i = 0; i < fill->loose_count && i < MOST_LOOSE; i++)
    read_loose_tag(fill, i);
}

/* Has the row a tag that is stored as bits in the new group? */
static bool any_tag_bit(const Fill *fill, uint32_t k) {
  const Group *group = fill->group;
  for (uint32_t bit = 0; group->bits_count > 0 && bit < group->component_count;
       bit++)
    if (group_is_bits(group, bit) && had(fill, bit, k)) return true;
  return false;
}

/* Fills the mask of row k. False: it is empty. */
static bool make_mask(Fill *fill, uint32_t k) {
  bool any = false;
  for (uint32_t bit = 0; bit < fill->group->component_count; bit++) {
    const Component *old = old_component(fill, bit);
    uint64_t one = UINT64_C(1) << (bit & 63u);
    bool there = (fill->base[bit >> 6] & one) != 0;
    if ((bit & 63u) == 0) fill->mask[bit >> 6] = 0;
    bool fixed = old->group->id == 0 && !component_is_bits(old);
    if (!fixed && !group_is_bits(fill->group, bit)) there = had(fill, bit, k);
    if (there) fill->mask[bit >> 6] |= one;
    any = any || there;
  }
  return any;
}

static ecs_Status make_target(Fill *fill, uint32_t k, uint32_t *target) {
  Table *table = NULL;
  *target = NOWHERE;
  if (!make_mask(fill, k) && fill->group->id != 0 && !any_tag_bit(fill, k))
    return ECS_OK;
  ecs_Status status =
      group_ensure_table(fill->group, &fill->store->memory,
                         mask_trim(fill->mask, fill->words), &table);
  if (status == ECS_OK) *target = table->id;
  return status;
}

/* Is row k in the tables of a known combination, with its loose tags? */
static bool is_known(const Fill *fill, uint32_t known, uint32_t k,
                     uint64_t loose) {
  const uint32_t *tables = fill->known_tables + known * fill->giver_count;
  if (fill->known_loose[known] != loose) return false;
  for (uint32_t i = 0; i < fill->giver_count; i++)
    if (fill->givers[i].tables[k] != tables[i]) return false;
  return true;
}

/* Remembers the target of row k. */
static void remember(Fill *fill, uint32_t k, uint64_t loose, uint32_t target) {
  uint32_t known = fill->known_count;
  if (known == KNOWN_TARGETS) return;
  for (uint32_t i = 0; i < fill->giver_count; i++)
    fill->known_tables[known * fill->giver_count + i] =
        fill->givers[i].tables[k];
  fill->known_targets[known] = target;
  fill->known_loose[known] = loose;
  fill->known_count++;
}

/* Finds the new table of row k. */
static ecs_Status choose_target(Fill *fill, uint32_t k) {
  if (fill->loose_count > MOST_LOOSE)
    return make_target(fill, k, &fill->targets[k]);
  uint64_t loose = fill->loose_tags[k];
  for (uint32_t known = 0; known < fill->known_count; known++)
    if (is_known(fill, known, k, loose)) {
      fill->targets[k] = fill->known_targets[known];
      return ECS_OK;
    }
  ecs_Status status = make_target(fill, k, &fill->targets[k]);
  if (status == ECS_OK) remember(fill, k, loose, fill->targets[k]);
  return status;
}

/* Copying --------------------------------------------------------------- */

#define DEFINE_COLLECT(Cell)                                                  \
  static void collect_##Cell(Cell *restrict to, const Cell *restrict from,    \
                             const uint32_t *restrict rows, uint32_t count) { \
    for (uint32_t i = 0; i < count; i++) to[i] = from[rows[i]];               \
  }

DEFINE_COLLECT(Cell1)
DEFINE_COLLECT(Cell2)
DEFINE_COLLECT(Cell4)
DEFINE_COLLECT(Cell8)

static void collect(void *to, const void *from, const uint32_t *rows,
                    uint32_t count, uint32_t shift) {
  switch (shift) {
    case 0: collect_Cell1(to, from, rows, count); break;
    case 1: collect_Cell2(to, from, rows, count); break;
    case 2: collect_Cell4(to, from, rows, count); break;
    default: collect_Cell8(to, from, rows, count); break;
  }
}

static bool is_run(const uint32_t *rows, uint32_t count) {
  uint32_t difference = 0;
  if (rows[count - 1] - rows[0] != count - 1) return false;
  for (uint32_t i = 0; i < count; i++) difference |= rows[i] ^ (rows[0] + i);
  return difference == 0;
}

/* Copies the fields of a component for count listed rows, from position `done`
 * of the list on, which are all in one old table. */
static void copy_fields(Fill *fill, const Table *to, uint32_t first,
                        uint32_t bit, const Table *from, uint32_t done,
                        uint32_t count) {
  const Component *old = old_component(fill, bit);
  const uint32_t *rows = fill->rows + done;
  for (uint32_t i = 0; i < old->field_count; i++) {
    ColumnCode code = table_codes(from, old->bit)[i];
    void *target = table_element(to, table_codes(to, bit)[i], first + done);
    if (fill->run)
      memcpy(target, table_element(from, code, rows[0]),
             (size_t)count << code_shift(code));
    else
      collect(target, table_column(from, code), rows, count, code_shift(code));
  }
}

/* Copies a component of the new table, which all listed rows have. */
static void copy_component(Fill *fill, const Table *to, uint32_t first,
                           uint32_t bit) {
  const Group *old = old_component(fill, bit)->group;
  const Giver *giver = find_giver(fill, old);
  for (uint32_t i = 0; i < fill->listed; i++)
    fill->rows[i] = giver == NULL ? fill->first + fill->list[i]
                                  : giver->rows[fill->list[i]];
  fill->run = is_run(fill->rows, fill->listed);
  if (giver == NULL) {
    copy_fields(fill, to, first, bit, fill->from, 0, fill->listed);
    return;
  }
  for (uint32_t done = 0, next; done < fill->listed; done = next) {
    uint32_t table = giver->tables[fill->list[done]];
    next = done + 1;
    while (next < fill->listed && giver->tables[fill->list[next]] == table)
      next++;
    copy_fields(fill, to, first, bit, old->tables[table], done, next - done);
  }
}

/* Has no row of the block the tag, for all that the table in the main group says?
 */
static bool has_none(const Fill *fill, uint32_t bit) {
  const Component *old = old_component(fill, bit);
  if (old->group->id != 0) return false;
  return component_is_bits(old)
             ? old->bits_index / 8u >= fill->from->bits_columns
             : !table_has(fill->from, old->bit);
}

/* Copies a tag that the main group gives and some row of the table may have. */
static void copy_main_bit(const Fill *fill, Table *to, uint32_t first,
                          uint32_t bit) {
  const Component *old = old_component(fill, bit);
  uint32_t index = fill->group->components[bit].bits_index;
  bool all = !component_is_bits(old);
  const uint8_t *bits = all ? NULL : bits_in_main(fill, old);
  for (uint32_t i = 0; i < fill->listed; i++)
    if (all || (bits[fill->list[i]] >> (old->bits_index & 7u) & 1u) != 0)
      table_write_bit(to, first + i, index, true);
}

/* Copies a tag that tables of another group have, to a table with the column. */
static void copy_giver_bit(const Fill *fill, Table *to, uint32_t first,
                           uint32_t bit) {
  const Component *old = old_component(fill, bit);
  const Giver *giver = find_giver(fill, old->group);
  uint32_t index = fill->group->components[bit].bits_index, seen = NOWHERE;
  bool there = false;
  for (uint32_t i = 0; i < fill->listed; i++) {
    uint32_t table = giver->tables[fill->list[i]];
    if (table == NOWHERE) continue;
    if (table != seen) there = table_has(old->group->tables[table], old->bit);
    seen = table;
    if (there) table_write_bit(to, first + i, index, true);
  }
}

/* Copies a tag that is stored as bits. ECS_E_MEMORY: there is no column. */
static ecs_Status copy_tag_bit(Fill *fill, Table *to, uint32_t first,
                               uint32_t bit) {
  const Component *old = old_component(fill, bit);
  uint32_t index = fill->group->components[bit].bits_index;
  bool ready = group_bits_columns(fill->group, bit) <= to->bits_columns;
  if (has_none(fill, bit)) return ECS_OK;
  if (ready && (old->group->id == 0 || !component_is_bits(old))) {
    if (old->group->id == 0)
      copy_main_bit(fill, to, first, bit);
    else
      copy_giver_bit(fill, to, first, bit);
    return ECS_OK;
  }
  for (uint32_t i = 0; i < fill->listed; i++) {
    if (!had(fill, bit, fill->list[i])) continue;
    ecs_Status status = table_reserve_bits(
        to, &fill->store->memory, group_bits_columns(fill->group, bit));
    if (status != ECS_OK) return status;
    table_write_bit(to, first + i, index, true);
  }
  return ECS_OK;
}

/* Makes room for the listed rows. Where a whole block goes to one table the rest
 * of its rows will mostly go there, too. */
static ecs_Status reserve_listed(Fill *fill, Table *to) {
  Memory *memory = &fill->store->memory;
  uint32_t free = to->capacity - to->count;
  if (fill->listed <= free) return ECS_OK;
  bool alone = fill->listed == fill->count;
  return table_reserve(to, memory,
                       alone ? fill->from->count - fill->first : fill->listed);
}

/* Appends the entities of the listed rows to their new table. */
static ecs_Status append_entities(Fill *fill, Table *to, uint32_t *first) {
  Memory *memory = &fill->store->memory;
  Locator *locator = &fill->group->locator;
  ecs_Status status = reserve_listed(fill, to);
  if (status != ECS_OK) return status;
  *first = table_append_many(to, fill->listed);
  for (uint32_t i = 0; i < fill->listed; i++) {
    ecs_Entity entity = fill->from->entities[fill->first + fill->list[i]];
    to->entities[*first + i] = entity;
    if (fill->group->id == 0) continue;
    if (ECS_UNLIKELY(!locator_ready(locator, id_index(entity))))
      status = locator_reserve(locator, memory, id_index(entity));
    if (status != ECS_OK) return status;
    locator_set(locator, id_index(entity), (RowId){*first + i, to->id});
  }
  return ECS_OK;
}

static ecs_Status copy_listed(Fill *fill, Table *to) {
  uint32_t first = 0;
  ecs_Status status = append_entities(fill, to, &first);
  for (uint32_t bit = 0; status == ECS_OK && bit < fill->group->component_count;
       bit++) {
    if (group_is_bits(fill->group, bit))
      status = copy_tag_bit(fill, to, first, bit);
    else if (table_has_columns(to, bit))
      copy_component(fill, to, first, bit);
  }
  return status;
}

/* Lists the rows with the target of row k, from row k on, and takes it from
 * them. */
static void list_target(Fill *fill, uint32_t k) {
  uint32_t target = fill->targets[k];
  fill->listed = 0;
  for (; k < fill->count; k++) {
    if (fill->targets[k] != target) continue;
    fill->list[fill->listed++] = k;
    fill->targets[k] = NOWHERE;
  }
}

/* Does all that decides on row k and is looked at say the same of the row before
 * it? */
static inline bool is_as_before(const Fill *fill, uint32_t k) {
  if (fill->loose_tags[k] != fill->loose_tags[k - 1]) return false;
  for (uint32_t i = 0; i < fill->giver_count; i++)
    if (fill->givers[i].tables[k] != fill->givers[i].tables[k - 1])
      return false;
  return true;
}

/* Chooses a table for each row of the block. Where the main group alone gives
 * and no tag is loose, it is the same for all. */
static ecs_Status choose_targets(Fill *fill) {
  bool seen = fill->loose_count <= MOST_LOOSE;
  ecs_Status status = choose_target(fill, 0);
  for (uint32_t k = 1; status == ECS_OK && k < fill->count; k++) {
    if (seen && is_as_before(fill, k))
      fill->targets[k] = fill->targets[k - 1];
    else
      status = choose_target(fill, k);
  }
  return status;
}

static ecs_Status fill_block(Fill *fill, uint32_t first) {
  begin_block(fill, first);
  read_loose(fill);
  ecs_Status status = choose_targets(fill);
  for (uint32_t k = 0; status == ECS_OK && k < fill->count; k++) {
    if (fill->targets[k] == NOWHERE) continue;
    Table *to = fill->group->tables[fill->targets[k]];
    list_target(fill, k);
    status = copy_listed(fill, to);
  }
  return status;
}

/* The columns of bits that rows of `from` may need. */
static uint32_t count_bits_columns(const Fill *fill) {
  uint32_t columns = 0;
  for (uint32_t bit = 0; bit < fill->group->component_count; bit++) {
    uint32_t wanted = group_bits_columns(fill->group, bit);
    if (wanted > columns && !has_none(fill, bit)) columns = wanted;
  }
  return columns;
}

/* Counts count rows of `from` for a table, which has as many columns of bits then
 * as they may need. */
static ecs_Status count_rows(const Fill *fill, uint32_t target, uint32_t count,
                             uint32_t bits_columns) {
  if (target == NOWHERE) return ECS_OK;
  Table *to = fill->group->tables[target];
  to->pending += count;
  return table_reserve_bits(to, &fill->store->memory, bits_columns);
}

/* Counts the rows of the block, as many at once as go to one table. */
static ecs_Status count_block(Fill *fill, uint32_t bits_columns) {
  ecs_Status status = choose_targets(fill);
  for (uint32_t k = 0, next; status == ECS_OK && k < fill->count; k = next) {
    next = k + 1;
    while (next < fill->count && fill->targets[next] == fill->targets[k])
      next++;
    status = count_rows(fill, fill->targets[k], next - k, bits_columns);
  }
  return status;
}

static ecs_Status count_table(Fill *fill, const Table *table) {
  ecs_Status status = ECS_OK;
  begin_table(fill, table);
  uint32_t columns = count_bits_columns(fill);
  for (uint32_t row = 0; status == ECS_OK && row < table->count;
       row += ECS_JOIN_ROWS) {
    begin_block(fill, row);
    read_loose(fill);
    if (fill->loose_count > 0) {
      status = count_block(fill, columns);
      continue;
    }
    status = choose_target(fill, 0);
    return status == ECS_OK
               ? count_rows(fill, fill->targets[0], table->count, columns)
               : status;
  }
  return status;
}

/* Makes room for all rows that each table will have, where the main group alone
 * gives: a table that grew would be copied. */
static ecs_Status reserve_all(Fill *fill) {
  const Group *main = store_main(fill->store);
  ecs_Status status = ECS_OK;
  if (fill->giver_count > 0) return ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < main->table_count; i++)
    status = count_table(fill, main->tables[i]);
  for (uint32_t i = 0; i < fill->group->table_count; i++) {
    Table *table = fill->group->tables[i];
    uint32_t rows = table->pending;
    table->pending = 0;
    if (status == ECS_OK)
      status = table_reserve(table, &fill->store->memory, rows);
  }
  return status;
}

ecs_Status group_fill(Store *store, Group *group) {
  const Group *main = store_main(store);
  Fill fill = {.store = store, .group = group};
  ecs_Status status = fill_init(&fill);
  if (status == ECS_OK) status = reserve_all(&fill);
  for (uint32_t i = 0; status == ECS_OK && i < main->table_count; i++) {
    const Table *table = main->tables[i];
    begin_table(&fill, table);
    for (uint32_t row = 0; status == ECS_OK && row < table->count;
         row += ECS_JOIN_ROWS)
      status = fill_block(&fill, row);
  }
  fill_deinit(&fill);
  return status;
}
