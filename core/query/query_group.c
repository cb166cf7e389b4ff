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
  query_group->bits_needed = memory_zeroed(memory, bits_columns, 1);
  query_group->bits_forbidden = memory_zeroed(memory, bits_columns, 1);
  bool masks = query_group->match.required != NULL &&
               query_group->match.excluded != NULL;
  bool bits =
      query_group->bits_needed != NULL && query_group->bits_forbidden != NULL;
  return (masks || words == 0) && (bits || bits_columns == 0) ? ECS_OK
                                                              : ECS_E_MEMORY;
}

void query_group_deinit(QueryGroup *query_group, Memory *memory) {
  memory_free(memory, query_group->bits_needed, query_group->bits_columns);
  memory_free(memory, query_group->bits_forbidden, query_group->bits_columns);
  matched_tables_deinit(&query_group->match, memory);
  *query_group = (QueryGroup){0};
}

void query_group_demand(QueryGroup *query_group, uint32_t bit, bool there) {
  if (there) query_group->required = true;
  ECS_ASSERT(bit < query_group->group->component_count);
  if (group_is_bits(query_group->group, bit)) {
    uint32_t index = query_group->group->components[bit].bits_index;
    ECS_ASSERT(index >> 3 < query_group->bits_columns);
    uint8_t *bits =
        there ? query_group->bits_needed : query_group->bits_forbidden;
    bits[index >> 3] = (uint8_t)(bits[index >> 3] | 1u << (index & 7u));
    query_group->filters = true;
    return;
  }
  uint64_t *mask =
      there ? query_group->match.required : query_group->match.excluded;
  ECS_ASSERT(bit >> 6 < query_group->match.words);
  ECS_ASSERT(
      !mask_has(mask, query_group->match.words, bit)); /* demanded once */
  mask[bit >> 6] |= UINT64_C(1) << (bit & 63u);
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
  return true;
}

/* Marks the rows with bits of one column that do not fit. */
static void mark_misfits(uint8_t *misfits, const uint8_t *bits, uint32_t count,
                         uint8_t needed, uint8_t forbidden) {
  uint8_t asked = (uint8_t)(needed | forbidden);
  for (uint32_t k = 0; k < count; k++)
    misfits[k] = (uint8_t)(misfits[k] | ((bits[k] & asked) ^ needed));
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
  uint64_t fit = bits_of_bytes(rows);
  return count == WORD_BITS ? fit : fit & ((UINT64_C(1) << count) - 1);
}

uint64_t query_group_word(const QueryGroup *query_group, const Table *table,
                          uint32_t first, uint32_t count) {
  return word_of(query_group, table, first, count);
}

CLONES uint32_t query_group_list(const QueryGroup *query_group,
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

CLONES uint32_t query_group_sift(const QueryGroup *query_group,
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
  return sum_of(fits);
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
                     bits_set(match->excluded, match->words);
  for (uint32_t i = 0; i < query_group->bits_columns; i++)
    demands += (uint32_t)__builtin_popcount(query_group->bits_needed[i]) +
               (uint32_t)__builtin_popcount(query_group->bits_forbidden[i]);
  return demands;
}

bool query_group_demanded(const QueryGroup *query_group, uint32_t bit,
                          bool there) {
  const MatchedTables *match = &query_group->match;
  if (!group_is_bits(query_group->group, bit))
    return mask_has(there ? match->required : match->excluded, match->words,
                    bit);
  uint32_t index = query_group->group->components[bit].bits_index;
  const uint8_t *bits =
      there ? query_group->bits_needed : query_group->bits_forbidden;
  return query_group->filters && index >> 3 < query_group->bits_columns &&
         ((uint32_t)bits[index >> 3] >> (index & 7u) & 1u) != 0;
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
