/* query_group.c: what a query asks of one group. */
#include "query/query_group.h"

ecs_Status query_group_init(QueryGroup *part, Memory *memory, Group *group) {
  uint32_t words = group_words(group);
  uint32_t bits_columns = (group->bits_count + 7u) / 8u;
  *part = (QueryGroup){.group = group};
  part->match.words = words;
  part->bits_columns = bits_columns;
  part->match.required = memory_zeroed(memory, words, sizeof(uint64_t));
  part->match.excluded = memory_zeroed(memory, words, sizeof(uint64_t));
  part->bits_needed = memory_zeroed(memory, bits_columns, 1);
  part->bits_forbidden = memory_zeroed(memory, bits_columns, 1);
  bool masks = part->match.required != NULL && part->match.excluded != NULL;
  bool bits = part->bits_needed != NULL && part->bits_forbidden != NULL;
  return (masks || words == 0) && (bits || bits_columns == 0) ? ECS_OK
                                                              : ECS_E_MEMORY;
}

void query_group_deinit(QueryGroup *part, Memory *memory) {
  memory_free(memory, part->bits_needed, part->bits_columns);
  memory_free(memory, part->bits_forbidden, part->bits_columns);
  matched_tables_deinit(&part->match, memory);
  *part = (QueryGroup){0};
}

void query_group_demand(QueryGroup *part, uint32_t bit, bool there) {
  if (there) part->required = true;
  if (group_is_bits(part->group, bit)) {
    uint32_t index = part->group->components[bit].bits_index;
    uint8_t *bits = there ? part->bits_needed : part->bits_forbidden;
    bits[index >> 3] = (uint8_t)(bits[index >> 3] | 1u << (index & 7u));
    part->filters = true;
    return;
  }
  uint64_t *mask = there ? part->match.required : part->match.excluded;
  mask[bit >> 6] |= UINT64_C(1) << (bit & 63u);
}

uint64_t query_group_rows(const QueryGroup *part) {
  uint64_t rows = 0;
  for (uint32_t i = 0; i < part->match.count; i++)
    rows += part->group->tables[part->match.tables[i]]->count;
  return rows;
}

bool query_group_bits_fit(const QueryGroup *part, const Table *table,
                          uint32_t row) {
  for (uint32_t i = 0; i < part->bits_columns; i++) {
    uint8_t bits =
        i < table->bits_columns ? table_bits(table, i)[row] : (uint8_t)0;
    if ((bits & part->bits_needed[i]) != part->bits_needed[i]) return false;
    if ((bits & part->bits_forbidden[i]) != 0) return false;
  }
  return true;
}
