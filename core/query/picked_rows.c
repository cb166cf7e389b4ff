/* picked_rows.c: the rows of a query that asks for changes, or for an order. */
#include "query/picked_rows.h"

#include "base/clones.h"

/* Life ------------------------------------------------------------------ */

ecs_Status picked_rows_plan(PickedRows *picked, Memory *memory,
                            uint32_t group_count) {
  ecs_Status status = row_list_init(&picked->found, memory, group_count);
  if (status == ECS_OK)
    status = row_list_init(&picked->list, memory, group_count);
  return status;
}

void picked_rows_drop(PickedRows *picked, Memory *memory) {
  row_list_deinit(&picked->found, memory);
  row_list_deinit(&picked->list, memory);
}

void picked_rows_walked(PickedRows *picked, Store *store, uint64_t began) {
  if (picked->changed_count == 0) return;
  picked->seen = began;
  picked->seen_lost = picked->made_lost;
  if (store->clock.tick == began) store_next_tick(store);
}

void picked_rows_see(PickedRows *picked) {
  picked->since = picked->seen;
  picked->since_lost = picked->seen_lost;
}

/* Stamps ---------------------------------------------------------------- */

/* Makes sure that the matched tables of a group have stamps for a component. */
static ecs_Status watch_tables(const PickedFrom *from, uint32_t group_index,
                               uint32_t bit) {
  const QueryGroup *query_group = &from->groups[group_index];
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < query_group->match.count; i++) {
    Table *table = query_group->group->tables[query_group->match.tables[i]];
    bool has = bit == STAMP_NO_BIT || table_has_columns(table, bit);
    if (has)
      status = store_watch_table(from->store, query_group->group, table, bit);
  }
  return status;
}

static ecs_Status watch(const PickedRows *picked, const PickedFrom *from) {
  ecs_Status status = ECS_OK;
  if (picked->changed_count > 0)
    for (uint32_t g = 0; status == ECS_OK && g < from->group_count; g++)
      status = watch_tables(from, g, STAMP_NO_BIT);
  for (uint32_t i = 0; status == ECS_OK && i < picked->changed_count; i++)
    if (picked->changed[i].bit != STAMP_NO_BIT)
      status = watch_tables(from, picked->changed[i].group_index,
                            picked->changed[i].bit);
  if (status == ECS_OK && picked->sorted)
    status = watch_tables(from, picked->order.group_index, picked->order.bit);
  return status;
}

/* Changes of groups that only take entities away: an entity that has left one
 * has no row there to stamp. */
static uint64_t count_lost(const PickedFrom *from) {
  uint64_t sum = 0;
  for (uint32_t g = 0; g < from->group_count; g++) {
    const QueryGroup *query_group = &from->groups[g];
    if (query_group->group->id != 0 && !query_group->required &&
        query_group_demands(query_group) > 0)
      sum += query_group->group->version;
  }
  return sum;
}

/* What stamps of a table are asked: those of its rows, and of each changed term in
 * the group. Everything has changed where there are none. */
typedef struct Asked {
  const uint64_t *const *lists; /* in the picked rows, for one table */
  uint32_t count;
  uint32_t blocks; /* of each list */
  uint64_t since;
} Asked;

static Asked ask_table(const PickedRows *picked, uint32_t group_index,
                       const Table *table) {
  const Stamps *stamps = table->stamps;
  Asked asked = {picked->lists, 0, 0, picked->since};
  if (stamps == NULL) return asked;
  picked->lists[asked.count++] = stamps->rows;
  for (uint32_t i = 0; i < picked->changed_count; i++) {
    const PickedTerm *term = &picked->changed[i];
    bool here = term->group_index == group_index && term->bit != STAMP_NO_BIT;
    const uint64_t *list = here ? stamps_of(stamps, term->bit) : NULL;
    if (list != NULL) picked->lists[asked.count++] = list;
  }
  asked.blocks = stamps->blocks;
  return asked;
}

/* Has a block changed? */
static inline bool is_new(const Asked *asked, uint32_t block) {
  if (block >= asked->blocks) return true;
  for (uint32_t i = 0; i < asked->count; i++)
    if (asked->lists[i][block] > asked->since) return true;
  return false;
}

/* Runs of rows ---------------------------------------------------------- */

/* A run of rows is looked at in windows of so many pieces of STAMP_ROWS rows. So
 * a window lies in one block of rows more, at most: fewer than a word has bits. */
#define WINDOW_PIECES 32u
#define WINDOW_ROWS (WINDOW_PIECES * STAMP_ROWS)

/* Is one of these stamps newer? Ticks are far from 2^63, so a difference has the
 * highest bit where it is below 0: compilers make vectors of that, not of the
 * comparisons. Most windows need no more. */
static bool has_newer(const uint64_t *list, uint32_t count, uint64_t since) {
  uint64_t bits = 0;
  for (uint32_t k = 0; k < count; k++) bits |= since - list[k];
  return bits >> 63 != 0;
}

/* Which of so many blocks, fewer than 64, have changed: bit k is for the block
 * first + k. */
static uint64_t new_blocks(const Asked *asked, uint32_t first, uint32_t count) {
  uint32_t known = asked->blocks > first ? asked->blocks - first : 0;
  uint64_t bits = 0;
  ECS_ASSERT(count < 64);
  if (known >= count)
    known = count;
  else
    bits = ((UINT64_C(1) << count) - 1) & ~((UINT64_C(1) << known) - 1);
  for (uint32_t i = 0; i < asked->count; i++) {
    const uint64_t *list = asked->lists[i] + first;
    if (!has_newer(list, known, asked->since)) continue;
    for (uint32_t k = 0; k < known; k++)
      bits |= (uint64_t)(list[k] > asked->since) << k;
  }
  return bits;
}

/* Which pieces of count rows from `first` on, of one window, have changed: bit k
 * is for the rows from first + k * STAMP_ROWS on. */
static uint64_t new_pieces(const Asked *asked, uint32_t first, uint32_t count) {
  uint32_t begin = first / STAMP_ROWS;
  uint32_t end = (first + count - 1) / STAMP_ROWS + 1;
  ECS_ASSERT(count > 0 && count <= WINDOW_ROWS);
  uint64_t bits = new_blocks(asked, begin, end - begin);
  if (first % STAMP_ROWS == 0) return bits;
  return (bits | bits >> 1) & ((UINT64_C(1) << stamp_blocks(count)) - 1);
}

/* Takes the first pieces that are in bits and follow each other: the number of
 * the first, and how many. False: there are none. */
static bool take_pieces(uint64_t *bits, uint32_t *first, uint32_t *count) {
  if (*bits == 0) return false;
  *first = (uint32_t)__builtin_ctzll(*bits);
  *count = (uint32_t)__builtin_ctzll(~(*bits >> *first));
  *bits &= *bits + (UINT64_C(1) << *first);
  return true;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Whole tables ---------------------------------------------------------- */

static const Table *matched_table(const QueryGroup *query_group, uint32_t i) {
  return query_group->group->tables[query_group->match.tables[i]];
}

CLONES static void write_numbers(uint32_t *rows, uint32_t first,
                                 uint32_t count) {
  for (uint32_t i = 0; i < count; i++) rows[i] = first + i;
}

/* Appends count rows of a table, at least one, from `first` on. */
static ecs_Status append_table_rows(RowList *list, Memory *memory,
                                    const Table *table, uint32_t first,
                                    uint32_t count) {
  write_numbers(list->rows[0] + list->count, first, count);
  return row_list_append_run(list, memory, &table->id, count);
}

/* Appends the blocks of a table that have changed. Those that follow each other
 * are one block of the list, if they are in one window. */
static ecs_Status append_pieces(const PickedRows *picked, Memory *memory,
                                const Table *table, RowList *list) {
  Asked asked = ask_table(picked, 0, table);
  ecs_Status status = ECS_OK;
  for (uint32_t row = 0; row < table->count; row += WINDOW_ROWS) {
    uint32_t rows = least(table->count - row, WINDOW_ROWS), first, count;
    uint64_t bits = new_pieces(&asked, row, rows);
    while (status == ECS_OK && take_pieces(&bits, &first, &count)) {
      uint32_t begin = first * STAMP_ROWS;
      status = append_table_rows(list, memory, table, row + begin,
                                 least(rows - begin, count * STAMP_ROWS));
    }
  }
  return status;
}

static ecs_Status find_in_tables(const PickedRows *picked,
                                 const PickedFrom *from, bool all,
                                 RowList *list) {
  const QueryGroup *query_group = &from->groups[0];
  Memory *memory = &from->store->memory;
  ecs_Status status =
      row_list_reserve(list, memory, (uint32_t)query_group_rows(query_group));
  for (uint32_t i = 0; status == ECS_OK && i < query_group->match.count; i++) {
    const Table *table = matched_table(query_group, i);
    if (!all)
      status = append_pieces(picked, memory, table, list);
    else if (table->count > 0)
      status = append_table_rows(list, memory, table, 0, table->count);
  }
  return status;
}

/* The plan's list ------------------------------------------------------- */

/* Has one of a block's rows changed? The block is no run. */
static bool is_changed_in(const PickedRows *picked, const PickedFrom *from,
                          const Block *block, uint32_t group_index) {
  const RowList *plan = from->rows;
  const Table *table = row_list_table(plan, block, from->groups, group_index);
  if (table == NULL) return false;
  const uint32_t *rows = row_list_rows(plan, block, group_index);
  Asked asked = ask_table(picked, group_index, table);
  if (block_is_run_in(block, group_index))
    return new_pieces(&asked, rows[0], block->count) != 0;
  for (uint32_t i = 0; i < block->count; i++)
    if (is_new(&asked, rows[i] / STAMP_ROWS)) return true;
  return false;
}

static ecs_Status append_changed(const PickedRows *picked,
                                 const PickedFrom *from, const Block *block,
                                 RowList *list) {
  bool changed = false;
  for (uint32_t g = 0; !changed && g < from->group_count; g++)
    changed = is_changed_in(picked, from, block, g);
  if (!changed) return ECS_OK;
  for (uint32_t g = 0; g < from->group_count; g++)
    memcpy(list->rows[g] + list->count, row_list_rows(from->rows, block, g),
           block->count * sizeof(uint32_t));
  return row_list_append_known(list, &from->store->memory, block->tables,
                               block->count);
}

/* Is a block a run in every group? Its rows follow from its first ones then,
 * and the rest of them need not be read. */
static bool is_run(const RowList *list, const Block *block) {
  for (uint32_t g = 0; g < list->group_count; g++)
    if (!block_is_run_in(block, g)) return false;
  return true;
}

/* Which pieces of a run have changed, of the window at a position in it. */
static uint64_t new_in_run(const PickedRows *picked, const PickedFrom *from,
                           const Block *block, uint32_t position) {
  uint32_t count = least(block->count - position, WINDOW_ROWS);
  uint64_t bits = 0;
  for (uint32_t g = 0; g < from->group_count; g++) {
    const Table *table = row_list_table(from->rows, block, from->groups, g);
    if (table == NULL) continue;
    Asked asked = ask_table(picked, g, table);
    uint32_t first = row_list_rows(from->rows, block, g)[0] + position;
    bits |= new_pieces(&asked, first, count);
  }
  return bits;
}

/* Appends count rows of a run, from a position in it on. */
static ecs_Status append_run_rows(RowList *list, const PickedFrom *from,
                                  const Block *block, uint32_t position,
                                  uint32_t count) {
  for (uint32_t g = 0; g < from->group_count; g++) {
    if (row_list_table(from->rows, block, from->groups, g) == NULL) continue;
    write_numbers(list->rows[g] + list->count,
                  row_list_rows(from->rows, block, g)[0] + position, count);
  }
  return row_list_append_known_run(list, &from->store->memory, block->tables,
                                   count);
}

/* Appends the pieces of a run that have changed, as append_pieces does. */
static ecs_Status append_changed_run(const PickedRows *picked,
                                     const PickedFrom *from, const Block *block,
                                     RowList *list) {
  ecs_Status status = ECS_OK;
  for (uint32_t row = 0; row < block->count; row += WINDOW_ROWS) {
    uint32_t rows = least(block->count - row, WINDOW_ROWS), first, count;
    uint64_t bits = new_in_run(picked, from, block, row);
    while (status == ECS_OK && take_pieces(&bits, &first, &count)) {
      uint32_t begin = first * STAMP_ROWS;
      status = append_run_rows(list, from, block, row + begin,
                               least(rows - begin, count * STAMP_ROWS));
    }
  }
  return status;
}

static ecs_Status find_in_list(const PickedRows *picked, const PickedFrom *from,
                               RowList *list) {
  const RowList *plan = from->rows;
  Memory *memory = &from->store->memory;
  ecs_Status status = row_list_reserve(list, memory, plan->count);
  if (status == ECS_OK) status = row_list_copy_tables(list, memory, plan);
  for (uint32_t i = 0; status == ECS_OK && i < plan->block_count; i++) {
    const Block *block = &plan->blocks[i];
    status = is_run(plan, block) ? append_changed_run(picked, from, block, list)
                                 : append_changed(picked, from, block, list);
  }
  return status;
}

/* Order ----------------------------------------------------------------- */

/* A row to be sorted: its key, and its position in the list. */
typedef struct SortedRow {
  uint64_t key;
  uint32_t position;
  uint32_t tables; /* number of its combination of tables */
} SortedRow;

#define DIGITS 8u /* of a key: its bytes */
#define DIGIT_VALUES 256u

/* A whole number that is in the order of numbers; NaNs are the last. */
static uint64_t key_of(double number, bool down) {
  uint64_t bits;
  if (number != number) return UINT64_MAX;
  number += 0.0; /* zeros of both signs are equal */
  memcpy(&bits, &number, sizeof bits);
  bits = bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
  return down ? ~bits : bits;
}

/* Writes a row for each of a list, and says whether they are in order. */
static bool read_keys(const PickedRows *picked, const PickedFrom *from,
                      const RowList *list, SortedRow *out) {
  const PickedTerm *term = &picked->order;
  const Component *component = &from->store->components.all[term->component];
  ecs_Scalar type = component->schema->fields[picked->field].type;
  uint64_t before = 0;
  bool ordered = true;
  for (uint32_t i = 0; i < list->block_count; i++) {
    const Block *block = &list->blocks[i];
    const Table *table =
        row_list_table(list, block, from->groups, term->group_index);
    const uint32_t *rows = row_list_rows(list, block, term->group_index);
    ColumnCode code = table_codes(table, term->bit)[picked->field];
    for (uint32_t k = 0; k < block->count; k++) {
      const void *element = table_element(table, code, rows[k]);
      uint64_t key = key_of(ecs_scalar_load(type, element), picked->down);
      ordered = ordered && key >= before;
      before = key;
      *out++ = (SortedRow){key, block->first + k, block->tables};
    }
  }
  return ordered;
}

/* Sorts by one digit, which leaves rows with the same digit in their order. */
static void sort_digit(const SortedRow *rows, SortedRow *to, uint32_t count,
                       uint32_t digit, const uint32_t *counts) {
  uint32_t starts[DIGIT_VALUES], next = 0;
  for (uint32_t value = 0; value < DIGIT_VALUES; value++) {
    starts[value] = next;
    next += counts[value];
  }
  for (uint32_t i = 0; i < count; i++)
    to[starts[rows[i].key >> digit * 8u & (DIGIT_VALUES - 1u)]++] = rows[i];
}

/* Sorts rows by their keys, digit by digit from the lowest; a digit that all have
 * in common is left out. Returns the sorted ones: `rows`, or `spare`. */
static const SortedRow *sort_rows(SortedRow *rows, SortedRow *spare,
                                  uint32_t count) {
  uint32_t counts[DIGITS][DIGIT_VALUES] = {{0}};
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t digit = 0; digit < DIGITS; digit++)
      counts[digit][rows[i].key >> digit * 8u & (DIGIT_VALUES - 1u)]++;
  for (uint32_t digit = 0; digit < DIGITS; digit++) {
    uint32_t value = rows[0].key >> digit * 8u & (DIGIT_VALUES - 1u);
    if (counts[digit][value] == count) continue;
    sort_digit(rows, spare, count, digit, counts[digit]);
    SortedRow *sorted = spare;
    spare = rows;
    rows = sorted;
  }
  return rows;
}

/* Appends the rows of a list in the order of `sorted`. */
static ecs_Status append_sorted(PickedRows *picked, const PickedFrom *from,
                                const RowList *list, const SortedRow *sorted) {
  RowList *to = &picked->list;
  uint32_t first = 0;
  ecs_Status status = ECS_OK;
  for (uint32_t g = 0; g < from->group_count; g++)
    for (uint32_t i = 0; i < list->count; i++)
      to->rows[g][i] = list->rows[g][sorted[i].position];
  for (uint32_t i = 1; status == ECS_OK && i <= list->count; i++) {
    if (i < list->count && sorted[i].tables == sorted[first].tables) continue;
    status = row_list_append_known(to, &from->store->memory,
                                   sorted[first].tables, i - first);
    first = i;
  }
  return status;
}

static ecs_Status sort_list(PickedRows *picked, const PickedFrom *from,
                            const RowList *list) {
  Memory *memory = &from->store->memory;
  uint32_t count = list->count;
  ecs_Status status = row_list_reserve(&picked->list, memory, count);
  if (status == ECS_OK)
    status = row_list_copy_tables(&picked->list, memory, list);
  if (status != ECS_OK || count == 0) return status;
  SortedRow *rows = memory_zeroed(memory, count, 2 * sizeof(SortedRow));
  if (rows == NULL) return ECS_E_MEMORY;
  const SortedRow *sorted = rows;
  if (!read_keys(picked, from, list, rows))
    sorted = sort_rows(rows, rows + count, count);
  status = append_sorted(picked, from, list, sorted);
  memory_free(memory, rows, (size_t)count * 2 * sizeof(SortedRow));
  return status;
}

/* Making ---------------------------------------------------------------- */

/* Has the component of the order been opened for writing since the list was
 * made? */
static bool is_written(const PickedRows *picked, const PickedFrom *from) {
  const PickedTerm *term = &picked->order;
  const QueryGroup *query_group = &from->groups[term->group_index];
  for (uint32_t i = 0; i < query_group->match.count; i++) {
    const Table *table = matched_table(query_group, i);
    const Stamps *stamps = table->stamps;
    if (table->count == 0) continue;
    if (stamps == NULL || stamps_of(stamps, term->bit) == NULL ||
        stamps_newer(stamps, stamps_of(stamps, term->bit), 0, table->count,
                     picked->made))
      return true;
  }
  return false;
}

/* Is the list what would be made? Changes may have been written at any time. */
static bool is_fresh(const PickedRows *picked, const PickedFrom *from) {
  return picked->changed_count == 0 && picked->builds == from->builds &&
         row_list_is_fresh(&picked->list, from->groups) &&
         !is_written(picked, from);
}

/* Finds the rows that a walk goes over, in the order of the plan. */
static ecs_Status find_rows(PickedRows *picked, const PickedFrom *from,
                            RowList *list) {
  row_list_empty(list);
  if (picked->since_lost != picked->made_lost) picked->since = 0;
  return from->rows == NULL
             ? find_in_tables(picked, from, picked->changed_count == 0, list)
             : find_in_list(picked, from, list);
}

static ecs_Status make(PickedRows *picked, const PickedFrom *from) {
  const RowList *found = from->rows;
  ecs_Status status = watch(picked, from);
  picked->made_lost = count_lost(from);
  if (status != ECS_OK) return status;
  if (!picked->sorted) return find_rows(picked, from, &picked->list);
  if (found == NULL || picked->changed_count > 0) {
    status = find_rows(picked, from, &picked->found);
    found = &picked->found;
  }
  return status == ECS_OK ? sort_list(picked, from, found) : status;
}

ecs_Status picked_rows_make(PickedRows *picked, const PickedFrom *from) {
  if (is_fresh(picked, from)) return ECS_OK;
  row_list_empty(&picked->list);
  ecs_Status status = make(picked, from);
  if (status != ECS_OK) return status;
  for (uint32_t g = 0; g < from->group_count; g++)
    picked->list.versions[g] = from->groups[g].group->version;
  picked->list.built = true;
  picked->builds = from->builds;
  picked->made = from->store->clock.tick;
  if (picked->changed_count == 0) store_next_tick(from->store);
  return ECS_OK;
}
