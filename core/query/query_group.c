/* query_group.c: what a query demands of one group. */
#include "query/query_group.h"

#include "base/clones.h"

ecs_Status query_group_init(QueryGroup *query_group, Memory *memory,
                            Group *group) {
  uint32_t words = group_words(group);
  uint32_t bits_columns = (group->bits_count + 7u) / 8u;
  *query_group = (QueryGroup){.group = group};
  query_group->match.words = words;
  query_group->bits_columns = bits_columns;
  query_group->match.required = memory_zeroed(memory, words, sizeof(uint64_t));
  query_group->match.excluded = memory_zeroed(memory, words, sizeof(uint64_t));
  query_group->match.offered = memory_zeroed(memory, words, sizeof(uint64_t));
  query_group->bits_needed = memory_zeroed(memory, bits_columns, 1);
  query_group->bits_forbidden = memory_zeroed(memory, bits_columns, 1);
  query_group->bits_offered = memory_zeroed(memory, bits_columns, 1);
  bool masks = query_group->match.required != NULL &&
               query_group->match.excluded != NULL &&
               query_group->match.offered != NULL;
  bool bits = query_group->bits_needed != NULL &&
              query_group->bits_forbidden != NULL &&
              query_group->bits_offered != NULL;
  return (masks || words == 0) && (bits || bits_columns == 0) ? ECS_OK
                                                              : ECS_E_MEMORY;
}

void query_group_deinit(QueryGroup *query_group, Memory *memory) {
  memory_free(memory, query_group->bits_needed, query_group->bits_columns);
  memory_free(memory, query_group->bits_forbidden, query_group->bits_columns);
  memory_free(memory, query_group->bits_offered, query_group->bits_columns);
  matched_tables_deinit(&query_group->match, memory);
  *query_group = (QueryGroup){0};
}

/* Notes a component: among the bits if it is a tag stored as bits, which is the
 * answer, and otherwise in the mask. */
static bool note(const QueryGroup *query_group, uint32_t bit, uint8_t *bits,
                 uint64_t *mask) {
  ECS_ASSERT(bit < query_group->group->component_count);
  if (group_is_bits(query_group->group, bit)) {
    uint32_t index = query_group->group->components[bit].bits_index;
    ECS_ASSERT(index >> 3 < query_group->bits_columns);
    bits[index >> 3] = (uint8_t)(bits[index >> 3] | 1u << (index & 7u));
    return true;
  }
  ECS_ASSERT(bit >> 6 < query_group->match.words);
  ECS_ASSERT(!mask_has(mask, query_group->match.words, bit)); /* noted once */
  mask[bit >> 6] |= UINT64_C(1) << (bit & 63u);
  return false;
}

void query_group_demand(QueryGroup *query_group, uint32_t bit, bool there) {
  const MatchedTables *match = &query_group->match;
  bool in_bits =
      note(query_group, bit,
           there ? query_group->bits_needed : query_group->bits_forbidden,
           there ? match->required : match->excluded);
  if (there) query_group->required = true;
  if (in_bits) query_group->filters = true;
}

void query_group_offer(QueryGroup *query_group, uint32_t bit) {
  note(query_group, bit, query_group->bits_offered, query_group->match.offered);
  query_group->offers = true;
}

static bool offers_bits(const QueryGroup *query_group) {
  for (uint32_t i = 0; i < query_group->bits_columns; i++)
    if (query_group->bits_offered[i] != 0) return true;
  return false;
}

void query_groups_choose(QueryGroup *groups, uint32_t count) {
  uint32_t offering = 0;
  for (uint32_t i = 0; i < count; i++) offering += groups[i].offers;
  for (uint32_t i = 0; i < count; i++) {
    QueryGroup *query_group = &groups[i];
    if (!query_group->offers) continue;
    query_group->shares = offering > 1;
    if (offering > 1) continue;
    query_group->required = true;
    query_group->row_chooses = offers_bits(query_group);
    query_group->match.chooses = !query_group->row_chooses;
    if (query_group->row_chooses) query_group->filters = true;
  }
}

uint64_t query_group_rows(const QueryGroup *query_group) {
  uint64_t rows = 0;
  for (uint32_t i = 0; i < query_group->match.count; i++)
    rows += query_group->group->tables[query_group->match.tables[i]]->count;
  return rows;
}

bool query_group_bits_fit(const QueryGroup *query_group, const Table *table,
                          uint32_t row) {
  ECS_ASSERT(row < table->count);
  for (uint32_t i = 0; i < query_group->bits_columns; i++) {
    uint8_t bits =
        i < table->bits_columns ? table_bits(table, i)[row] : (uint8_t)0;
    if ((bits & query_group->bits_needed[i]) != query_group->bits_needed[i])
      return false;
    if ((bits & query_group->bits_forbidden[i]) != 0) return false;
  }
  return !query_group->row_chooses ||
         query_group_row_offers(query_group, table, row);
}

bool query_group_row_offers(const QueryGroup *query_group, const Table *table,
                            uint32_t row) {
  if (table == NULL) return false;
  if (matched_tables_offer(&query_group->match, table)) return true;
  for (uint32_t i = 0; i < query_group->bits_columns && i < table->bits_columns;
       i++)
    if ((table_bits(table, i)[row] & query_group->bits_offered[i]) != 0)
      return true;
  return false;
}

bool query_groups_offer(const QueryGroup *groups, uint32_t count,
                        ecs_Entity entity, RowRef main_row) {
  bool shared = false;
  for (uint32_t i = 0; i < count; i++) {
    if (!groups[i].shares) continue;
    shared = true;
    RowRef row = query_group_locate(&groups[i], entity, main_row);
    if (query_group_row_offers(&groups[i], row.table, row.row)) return true;
  }
  return !shared;
}

/* Marks the rows with bits of one column that do not fit. */
static void mark_misfits(uint8_t *misfits, const uint8_t *bits, uint32_t count,
                         uint8_t needed, uint8_t forbidden) {
  uint8_t asked = (uint8_t)(needed | forbidden);
  for (uint32_t k = 0; k < count; k++)
    misfits[k] = (uint8_t)(misfits[k] | ((bits[k] & asked) ^ needed));
}

/* Have the tags stored as bits of a table to decide, row by row, whether
 * something that is offered is there? */
static bool rows_choose(const QueryGroup *query_group, const Table *table) {
  return query_group->row_chooses &&
         !matched_tables_offer(&query_group->match, table);
}

/* Which of count rows, have a tag that is offered: 1, and 0
 * for the others. */
static void mark_offers(const QueryGroup *query_group, const Table *table,
                        uint32_t first, uint32_t count, uint8_t *offers) {
  memset(offers, 0, count);
  for (uint32_t i = 0; i < query_group->bits_columns && i < table->bits_columns;
       i++) {
    const uint8_t *bits = table_bits(table, i) + first;
    uint8_t offered = query_group->bits_offered[i];
    for (uint32_t k = 0; k < count; k++)
      offers[k] = (uint8_t)(offers[k] | ((bits[k] & offered) != 0));
  }
}

/* query_group_word, for clones. */
static inline uint64_t word_of(const QueryGroup *query_group,
                               const Table *table, uint32_t first,
                               uint32_t count) {
  uint8_t rows[WORD_BITS] = {0}; /* what does not fit; then 1 where it fits */
  ECS_ASSERT(count <= WORD_BITS && count <= table->count - first);
  for (uint32_t i = 0; i < query_group->bits_columns; i++) {
    uint8_t needed = query_group->bits_needed[i];
    uint8_t forbidden = query_group->bits_forbidden[i];
    if (i >= table->bits_columns) {
      if (needed != 0) return 0;
      continue;
    }
    const uint8_t *bits = table_bits(table, i) + first;
    if (count == WORD_BITS)
      mark_misfits(rows, bits, WORD_BITS, needed, forbidden);
    else
      mark_misfits(rows, bits, count, needed, forbidden);
  }
  for (uint32_t k = 0; k < WORD_BITS; k++) rows[k] = rows[k] == 0;
  if (rows_choose(query_group, table)) {
    uint8_t offers[WORD_BITS] = {0};
    mark_offers(query_group, table, first, count, offers);
    for (uint32_t k = 0; k < WORD_BITS; k++) rows[k] &= offers[k];
  }
  uint64_t fit = bits_of_bytes(rows);
  return count == WORD_BITS ? fit : fit & ((UINT64_C(1) << count) - 1);
}

uint64_t query_group_word(const QueryGroup *query_group, const Table *table,
                          uint32_t first, uint32_t count) {
  return word_of(query_group, table, first, count);
}

CLONES static uint32_t list_rows(const QueryGroup *query_group,
                                 const Table *table, uint32_t first,
                                 uint32_t count, uint32_t *list) {
  uint32_t listed = 0;
  ECS_ASSERT(first <= table->count && count <= table->count - first);
  for (uint32_t i = 0; i < count; i += WORD_BITS) {
    uint32_t asked = count - i < WORD_BITS ? count - i : WORD_BITS;
    uint64_t rows = word_of(query_group, table, first + i, asked);
    listed = bits_list_ahead(rows, first + i, list, listed);
  }
  return listed;
}

uint32_t query_group_list(const QueryGroup *query_group, const Table *table,
                          uint32_t first, uint32_t count, uint32_t *list) {
  return list_rows(query_group, table, first, count, list);
}

/* The sum of QUERY_SIFT_ROWS bytes that are 0 or 1. */
static inline uint32_t sum_of(const uint8_t *bytes) {
  uint64_t sums = 0, eight; /* bytes that are at most 32 */
  for (uint32_t k = 0; k < QUERY_SIFT_ROWS; k += 8) {
    memcpy(&eight, bytes + k, sizeof eight);
    sums += eight;
  }
  sums = (sums & 0x00ff00ff00ff00ffu) + (sums >> 8 & 0x00ff00ff00ff00ffu);
  return (uint32_t)(sums * 0x0001000100010001u >> 48);
}

CLONES static uint32_t sift_rows(const QueryGroup *query_group,
                                 const Table *table, uint32_t first,
                                 uint32_t count, uint8_t *fits) {
  ECS_ASSERT(count <= QUERY_SIFT_ROWS && count <= table->count - first);
  memset(fits, 1, count);
  if (count < QUERY_SIFT_ROWS) memset(fits + count, 0, QUERY_SIFT_ROWS - count);
  for (uint32_t i = 0; i < query_group->bits_columns; i++) {
    uint8_t needed = query_group->bits_needed[i];
    uint8_t asked = (uint8_t)(needed | query_group->bits_forbidden[i]);
    if (i >= table->bits_columns) {
      if (needed != 0) memset(fits, 0, count);
      continue;
    }
    const uint8_t *restrict bits = table_bits(table, i) + first;
    for (uint32_t k = 0; k < count; k++)
      fits[k] = (uint8_t)(fits[k] & ((bits[k] & asked) == needed));
  }
  if (rows_choose(query_group, table)) {
    uint8_t offers[QUERY_SIFT_ROWS];
    mark_offers(query_group, table, first, count, offers);
    for (uint32_t k = 0; k < count; k++) fits[k] &= offers[k];
  }
  return sum_of(fits);
}

uint32_t query_group_sift(const QueryGroup *query_group, const Table *table,
                          uint32_t first, uint32_t count, uint8_t *fits) {
  return sift_rows(query_group, table, first, count, fits);
}

static uint32_t bits_set(const uint64_t *words, uint32_t count) {
  uint32_t bits = 0;
  for (uint32_t i = 0; words != NULL && i < count; i++)
    bits += (uint32_t)__builtin_popcountll(words[i]);
  return bits;
}

uint32_t query_group_demands(const QueryGroup *query_group) {
  const MatchedTables *match = &query_group->match;
  uint32_t demands = bits_set(match->required, match->words) +
                     bits_set(match->excluded, match->words) +
                     bits_set(match->offered, match->words);
  for (uint32_t i = 0; i < query_group->bits_columns; i++)
    demands += (uint32_t)__builtin_popcount(query_group->bits_needed[i]) +
               (uint32_t)__builtin_popcount(query_group->bits_forbidden[i]) +
               (uint32_t)__builtin_popcount(query_group->bits_offered[i]);
  return demands;
}

/* Has this component been noted, among the bits or in the mask? */
static bool is_noted(const QueryGroup *query_group, uint32_t bit,
                     const uint8_t *bits, const uint64_t *mask) {
  if (!group_is_bits(query_group->group, bit))
    return mask_has(mask, query_group->match.words, bit);
  uint32_t index = query_group->group->components[bit].bits_index;
  return index >> 3 < query_group->bits_columns &&
         ((uint32_t)bits[index >> 3] >> (index & 7u) & 1u) != 0;
}

bool query_group_demanded(const QueryGroup *query_group, uint32_t bit,
                          bool there) {
  const MatchedTables *match = &query_group->match;
  bool in_bits = group_is_bits(query_group->group, bit);
  return (query_group->filters || !in_bits) &&
         is_noted(
             query_group, bit,
             there ? query_group->bits_needed : query_group->bits_forbidden,
             there ? match->required : match->excluded);
}

bool query_group_offered(const QueryGroup *query_group, uint32_t bit) {
  return query_group->offers &&
         is_noted(query_group, bit, query_group->bits_offered,
                  query_group->match.offered);
}

bool query_group_check_invariants(const QueryGroup *query_group) {
  const Group *group = query_group->group;
  const MatchedTables *match = &query_group->match;
  uint32_t next = 0;
  for (uint32_t id = 0; id < group->table_count; id++) {
    if (!matched_tables_fit(match, group->tables[id])) continue;
    if (next >= match->count || match->tables[next] != id) return false;
    next++;
  }
  return next == match->count && match->count <= match->capacity;
}
