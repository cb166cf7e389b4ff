/* marked_rows.c: the row list of a query over the main group and sparse sets.
 */
#include "query/marked_rows.h"

#include "base/clones.h"

/* What a query demands of a set. */
typedef enum Demand { THERE, ABSENT, EITHER } Demand;

static bool is_main(const QueryGroup *query_group) {
  return query_group->group->id == 0;
}

static Demand demand_of(const QueryGroup *set) {
  const MatchedTables *match = &set->match;
  if (set->required) return THERE;
  for (uint32_t i = 0; i < match->words; i++)
    if (match->excluded[i] != 0) return ABSENT;
  return EITHER;
}

/* Can an entity have to be there and not to be there? */
static bool never_matches(const QueryGroup *set) {
  return set->required && set->group->table_count > 0 && set->match.count == 0;
}

bool marked_rows_apply(const QueryGroup *groups, uint32_t group_count) {
  uint32_t mains = 0, optional = 0;
  for (uint32_t i = 0; i < group_count; i++) {
    if (!is_main(&groups[i]) && !groups[i].group->locator.narrow) return false;
    if (groups[i].shares) return false;
    mains += is_main(&groups[i]);
    optional += !is_main(&groups[i]) && demand_of(&groups[i]) == EITHER;
  }
  return mains == 1 && group_count > 1 && optional <= MARKED_OPTIONAL_SETS;
}

/* Keeping marks --------------------------------------------------------- */

static Component *component_of(const Store *store, const Group *set) {
  ECS_ASSERT(set->component_count == 1);
  return &store->components.all[set->components[0].component];
}

/* Has a set keep marks, and the store a journal for them. */
static ecs_Status keep_marks(Store *store, Group *set) {
  Memory *memory = &store->memory;
  if (set->marks != NULL) return ECS_OK;
  RowMarks *marks = row_marks_create(memory);
  if (marks == NULL) return ECS_E_MEMORY;
  if (!store_notes(store))
    store->journal.indices = memory_zeroed(memory, ECS_NOTES, sizeof(uint32_t));
  if (!store_notes(store)) {
    row_marks_destroy(marks, memory);
    return ECS_E_MEMORY;
  }
  if (store->journal.marks == NULL) store_set_noting(store, true);
  marks->set = set;
  marks->next = store->journal.marks;
  store->journal.marks = set->marks = marks;
  return ECS_OK;
}

ecs_Status marked_rows_retain(Store *store, QueryGroup *groups,
                              uint32_t group_count) {
  for (uint32_t i = 0; i < group_count; i++) {
    Group *set = groups[i].group;
    if (is_main(&groups[i])) continue;
    ecs_Status status = keep_marks(store, set);
    if (status != ECS_OK) return status;
    groups[i].marks = set->marks;
    set->marks->users++;
    component_choose(component_of(store, set), store->ways);
  }
  return ECS_OK;
}

/* Frees marks without users, and with the last ones the journal. */
static void forget(Store *store, RowMarks *marks) {
  Group *set = marks->set;
  RowMarks **link = &store->journal.marks;
  while (*link != marks) link = &(*link)->next;
  *link = marks->next;
  row_marks_destroy(marks, &store->memory);
  if (set != NULL) {
    set->marks = NULL;
    component_choose(component_of(store, set), store->ways);
  }
  if (store->journal.marks != NULL) return;
  memory_free(&store->memory, store->journal.indices,
              ECS_NOTES * sizeof(uint32_t));
  store->journal = (Journal){0};
  store_set_noting(store, false);
}

void marked_rows_release(Store *store, QueryGroup *groups,
                         uint32_t group_count) {
  for (uint32_t i = 0; i < group_count; i++) {
    if (groups[i].marks == NULL) continue;
    ECS_ASSERT(groups[i].marks->users > 0);
    if (--groups[i].marks->users == 0) forget(store, groups[i].marks);
    groups[i].marks = NULL;
  }
}

/* Making marks ---------------------------------------------------------- */

/* Are the marks true, once the entities of the journal have theirs? */
static bool marks_follow(const Store *store, const RowMarks *marks) {
  return marks->made && marks->set != NULL && !store->journal.lost;
}

/* Writes the marks of the rows that entities of the journal have now. What was in
 * a row that is left was moved there by the same change, or the row is gone. */
static void mark_noted(const Store *store, RowMarks *marks) {
  const Journal *journal = &store->journal;
  for (uint32_t i = 0; i < journal->count; i++) {
    uint32_t index = journal->indices[i];
    Slot slot = *entity_index_slot(&store->index, index);
    if (slot_state(slot) != SLOT_PLACED) continue;
    RowId place = locator_find(&marks->set->locator, index);
    if (locator_is_row(place.row))
      row_marks_enter(marks, slot, place.row);
    else if (row_marks_have_room(marks, slot_table(slot), slot_row(slot)))
      row_marks_unset(marks, slot_table(slot), slot_row(slot));
  }
}

/* Has all marks follow the journal. */
static void read_journal(Store *store) {
  if (store->journal.count == 0 && !store->journal.lost) return;
  for (RowMarks *marks = store->journal.marks; marks != NULL;
       marks = marks->next) {
    marks->made = marks_follow(store, marks);
    if (marks->made) mark_noted(store, marks);
  }
  store->journal.count = 0;
  store->journal.lost = false;
}

/* Makes room for all rows that the tables with marks may get before their columns
 * move, after which marks are made anew. */
static ecs_Status grow_marks(Store *store, RowMarks *marks) {
  const Group *main = store_main(store);
  for (uint32_t i = 0; i < marks->table_count && i < main->table_count; i++) {
    const Table *table = main->tables[i];
    if (marks->tables[i].rows == 0 || marks->tables[i].rows >= table->capacity)
      continue;
    ecs_Status status =
        row_marks_reserve(marks, &store->memory, i, table->capacity);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* Marks one entity of the set. The first one of a table makes room for all. */
static inline ecs_Status mark(Store *store, RowMarks *marks, ecs_Entity entity,
                              uint32_t place) {
  Slot slot = *entity_index_slot(&store->index, id_index(entity));
  uint32_t table_id = slot_table(slot);
  ECS_ASSERT(slot_state(slot) == SLOT_PLACED);
  if (ECS_UNLIKELY(!row_marks_have_room(marks, table_id, slot_row(slot)))) {
    const Table *table = store_main(store)->tables[table_id];
    ecs_Status status =
        row_marks_reserve(marks, &store->memory, table_id, table->capacity);
    if (status != ECS_OK) return status;
  }
  row_marks_set(marks, table_id, slot_row(slot), place);
  return ECS_OK;
}

static ecs_Status make_marks(Store *store, const Group *set) {
  RowMarks *marks = set->marks;
  marks->made = false;
  ecs_Status status = grow_marks(store, marks);
  row_marks_clear(marks);
  for (uint32_t i = 0; i < set->table_count; i++) {
    const Table *table = set->tables[i];
    for (uint32_t row = 0; status == ECS_OK && row < table->count; row++)
      status = mark(store, marks, table->entities[row], row);
  }
  if (status != ECS_OK) return status;
  marks->made = true;
  return ECS_OK;
}

/* Marking --------------------------------------------------------------- */

/* One bitmap that rows of a table must fit, or whose opposite they must fit. */
typedef struct Sieve {
  const uint64_t *words;
  uint64_t flip; /* all bits: the opposite */
} Sieve;

/* State that is needed while a list is made. */
typedef struct Marking {
  RowList *list;
  Store *store;
  const QueryGroup *groups;
  uint32_t driver;
  Sieve *sieves; /* of one table and pattern; owned */
  uint32_t sieve_count;
  uint32_t *tables; /* the table ids of one combination; owned */
} Marking;

/* Adds what rows of a table must fit for a set. there: they must have a row in
 * it. False: no row of the table does. */
static bool add_sieve(Marking *marking, uint32_t set, const Table *table,
                      bool there) {
  const RowMarks *marks = marking->groups[set].group->marks;
  marking->tables[set] = there ? 0 : QUERY_GROUP_ABSENT;
  if (!row_marks_have_room(marks, table->id, 0)) return !there;
  ECS_ASSERT(marks->tables[table->id].rows >= table->count);
  marking->sieves[marking->sieve_count++] =
      (Sieve){marks->tables[table->id].words, there ? 0 : UINT64_MAX};
  return true;
}

/* Chooses the sieves of a table. Bit k of the pattern: the rows are in the
 * optional set number k. False: no row can match. */
static bool choose_sieves(Marking *marking, const Table *table,
                          uint32_t pattern) {
  marking->sieve_count = 0;
  for (uint32_t i = 0; i < marking->list->group_count; i++) {
    if (i == marking->driver) continue;
    Demand demand = demand_of(&marking->groups[i]);
    bool there = demand == THERE || (demand == EITHER && (pattern & 1u) != 0);
    if (never_matches(&marking->groups[i])) return false;
    if (demand == EITHER) pattern >>= 1;
    if (!add_sieve(marking, i, table, there)) return false;
  }
  marking->tables[marking->driver] = table->id;
  return true;
}

/* So many words are sifted and listed at once; their rows stay in the nearest
 * cache until their places are found. */
#define CHUNK_WORDS 32u

/* The rows of some words that pass all sieves. */
static inline void sift(const Marking *marking, uint32_t first, uint32_t count,
                        uint64_t *restrict rows) {
  for (uint32_t i = 0; i < count; i++) rows[i] = UINT64_MAX;
  for (uint32_t k = 0; k < marking->sieve_count; k++) {
    const uint64_t *restrict words = marking->sieves[k].words + first;
    uint64_t flip = marking->sieves[k].flip;
    for (uint32_t i = 0; i < count; i++) rows[i] &= words[i] ^ flip;
  }
}

/* Leaves out rows with bits that do not fit, and those behind the last. */
static void filter(const Marking *marking, const Table *table, uint32_t first,
                   uint32_t count, uint64_t *rows) {
  const QueryGroup *main = &marking->groups[marking->driver];
  for (uint32_t i = 0; i < count; i++) {
    uint32_t row = (first + i) * WORD_BITS;
    uint32_t left = table->count - row;
    uint32_t asked = left < WORD_BITS ? left : WORD_BITS;
    if (asked < WORD_BITS) rows[i] &= (UINT64_C(1) << asked) - 1;
    if (main->filters) rows[i] &= query_group_word(main, table, row, asked);
  }
}

/* Lists the rows of some words of a table that pass all sieves. Returns their
 * number. */
CLONES static uint32_t list_rows(const Marking *marking, const Table *table,
                                 uint32_t first, uint32_t count,
                                 uint32_t *list) {
  uint64_t rows[CHUNK_WORDS];
  uint32_t listed = 0;
  sift(marking, first, count, rows);
  if (marking->groups[marking->driver].filters ||
      table->count < (first + count) * WORD_BITS)
    filter(marking, table, first, count, rows);
  for (uint32_t i = 0; i < count; i++)
    listed = bits_list_ahead(rows[i], (first + i) * WORD_BITS, list, listed);
  return listed;
}

/* Finds the rows of a set from the rows of the main group. */
static void find_places(const Marking *marking, uint32_t set, uint32_t table_id,
                        uint32_t first, uint32_t count) {
  const RowMarks *marks = marking->groups[set].group->marks;
  const uint32_t *restrict places = marks->tables[table_id].places;
  const uint32_t *restrict rows = marking->list->rows[marking->driver] + first;
  uint32_t *restrict found = marking->list->rows[set] + first;
#pragma GCC unroll 8
  for (uint32_t i = 0; i < count; i++) found[i] = places[rows[i]];
}

/* Lists the rows of some words, and finds them in the sets. */
static uint32_t list_chunk(const Marking *marking, const Table *table,
                           uint32_t word, uint32_t words, uint32_t to) {
  RowList *list = marking->list;
  uint32_t *rows = list->rows[marking->driver] + to;
  uint32_t count = list_rows(marking, table, word, words, rows);
  for (uint32_t i = 0; i < list->group_count; i++)
    if (i != marking->driver && marking->tables[i] != QUERY_GROUP_ABSENT &&
        !row_list_is_unplaced(list, i))
      find_places(marking, i, table->id, to, count);
  return count;
}

/* Appends the rows of a table in one combination. */
static ecs_Status append_rows(Marking *marking, const Table *table) {
  RowList *list = marking->list;
  uint32_t words = (table->count + WORD_BITS - 1) / WORD_BITS, count = 0;
  for (uint32_t word = 0; word < words; word += CHUNK_WORDS) {
    uint32_t left = words - word;
    uint32_t some = left < CHUNK_WORDS ? left : CHUNK_WORDS;
    count += list_chunk(marking, table, word, some, list->count + count);
  }
  if (count == 0) return ECS_OK;
  return row_list_append(list, &marking->store->memory, marking->tables, count);
}

static ecs_Status append_tables(Marking *marking) {
  const QueryGroup *main = &marking->groups[marking->driver];
  uint32_t patterns = 1;
  for (uint32_t i = 0; i < marking->list->group_count; i++)
    if (i != marking->driver && demand_of(&marking->groups[i]) == EITHER)
      patterns *= 2;
  for (uint32_t i = 0; i < main->match.count; i++) {
    const Table *table = main->group->tables[main->match.tables[i]];
    for (uint32_t pattern = 0; pattern < patterns; pattern++) {
      if (!choose_sieves(marking, table, pattern)) continue;
      ecs_Status status = append_rows(marking, table);
      if (status != ECS_OK) return status;
    }
  }
  return ECS_OK;
}

static ecs_Status make_all(Store *store, const QueryGroup *groups,
                           uint32_t group_count) {
  read_journal(store);
  for (uint32_t i = 0; i < group_count; i++) {
    const Group *set = groups[i].group;
    if (is_main(&groups[i]) || marks_follow(store, set->marks)) continue;
    ecs_Status status = make_marks(store, set);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* No more rows can match than a group has that must be there. */
static uint64_t most_matches(const QueryGroup *groups, uint32_t group_count) {
  uint64_t fewest = UINT64_MAX;
  for (uint32_t i = 0; i < group_count; i++) {
    if (!groups[i].required && !is_main(&groups[i])) continue;
    uint64_t rows = query_group_rows(&groups[i]);
    if (rows < fewest) fewest = rows;
  }
  return fewest;
}

ecs_Status marked_rows_build(RowList *list, Store *store,
                             const QueryGroup *groups, uint32_t driver,
                             bool everywhere) {
  Memory *memory = &store->memory;
  Marking marking = {
      .list = list, .store = store, .groups = groups, .driver = driver};
  uint32_t count = list->group_count;
  uint64_t rows = most_matches(groups, count);
  row_list_empty(list);
  for (uint32_t i = 0; i < count && i < 64; i++)
    if (!everywhere && i != driver && !groups[i].columns)
      list->unplaced |= UINT64_C(1) << i;
  ecs_Status status = make_all(store, groups, count);
  if (status == ECS_OK) status = row_list_reserve(list, memory, (uint32_t)rows);
  if (status != ECS_OK) return status;
  marking.sieves = memory_zeroed(memory, count, sizeof(Sieve));
  marking.tables = memory_zeroed(memory, count, sizeof(uint32_t));
  status = marking.sieves != NULL && marking.tables != NULL
               ? append_tables(&marking)
               : ECS_E_MEMORY;
  memory_free(memory, marking.sieves, count * sizeof(Sieve));
  memory_free(memory, marking.tables, count * sizeof(uint32_t));
  if (status == ECS_OK) row_list_complete(list, store, groups, driver);
  return status;
}

/* Checking -------------------------------------------------------------- */

/* Are the marks of one table those of the set? Adds their number. */
static bool check_table(const Group *set, const Table *table, uint64_t *found) {
  const RowMarks *marks = set->marks;
  for (uint32_t row = 0; row < table->count; row++) {
    RowRef place = store_locate_in(set, id_index(table->entities[row]));
    if (row_marks_has(marks, table->id, row) != (place.table != NULL))
      return false;
    if (place.table == NULL) continue;
    if (marks->tables[table->id].places[row] != place.row) return false;
    ++*found;
  }
  return true;
}

bool marked_rows_check_invariants(const Store *store, const Group *set) {
  const Group *main = store_main(store);
  uint64_t found = 0, rows = 0;
  if (set->marks == NULL || store->journal.count > 0 ||
      !marks_follow(store, set->marks))
    return true;
  for (uint32_t i = 0; i < main->table_count; i++)
    if (!check_table(set, main->tables[i], &found)) return false;
  for (uint32_t i = 0; i < set->table_count; i++) rows += set->tables[i]->count;
  return found == rows;
}
