/* matches.c: which entities match a query, outside of any walk. */
#include "query/matches.h"

/* Spans ----------------------------------------------------------------- */

uint32_t query_spans(const ecs_Query *query) {
  return query_is_direct(query) ? query->parts[0].match.count
                                : query->rows.block_count;
}

Span query_span(const ecs_Query *query, uint32_t at) {
  if (query_is_direct(query)) {
    const QueryGroup *only = &query->parts[0];
    const Table *table = only->group->tables[only->match.tables[at]];
    return (Span){table->entities, NULL, table->count};
  }
  const Block *block = &query->rows.blocks[at];
  const uint32_t *rows = row_list_rows(&query->rows, block, query->driver);
  const Table *table =
      row_list_table(&query->rows, block, query->parts, query->driver);
  if (block_is_run_in(block, query->driver))
    return (Span){table->entities + rows[0], NULL, block->count};
  return (Span){table->entities, rows, block->count};
}

void query_copy_entities(const ecs_Query *query, ecs_Entity *entities) {
  uint32_t spans = query_spans(query);
  for (uint32_t i = 0; i < spans; i++) {
    Span span = query_span(query, i);
    if (span.rows == NULL && span.count > 0)
      memcpy(entities, span.entities, span.count * sizeof(ecs_Entity));
    for (uint32_t k = 0; span.rows != NULL && k < span.count; k++)
      entities[k] = span.entities[span.rows[k]];
    entities += span.count;
  }
}

/* The first ------------------------------------------------------------- */

/* Does an entity of the driver match another part too? */
static bool fits_part(const Store *store, const QueryGroup *part,
                      ecs_Entity entity) {
  RowRef place = part->group->id == 0
                     ? store_locate_main(store, entity)
                     : store_locate_in(part->group, id_index(entity));
  if (place.table == NULL) return !part->required;
  return matched_tables_fit(&part->match, place.table) &&
         query_group_row_fits(part, place.table, place.row);
}

static bool fits_others(const ecs_Query *query, uint32_t driver,
                        ecs_Entity entity) {
  for (uint32_t i = 0; i < query->part_count; i++)
    if (i != driver && !fits_part(query->store, &query->parts[i], entity))
      return false;
  return true;
}

/* Rows with the first row's tables come first in the list, in the driver's
 * order: so the driver's first match is the list's first row. */
static ecs_Entity search_first(const ecs_Query *query) {
  uint32_t driver = query_choose_driver(query);
  const QueryGroup *part = &query->parts[driver];
  for (uint32_t i = 0; i < part->match.count; i++) {
    const Table *table = part->group->tables[part->match.tables[i]];
    for (uint32_t row = 0; row < table->count; row++)
      if (query_group_row_fits(part, table, row) &&
          fits_others(query, driver, table->entities[row]))
        return table->entities[row];
  }
  return 0;
}

ecs_Entity query_first_entity(const ecs_Query *query) {
  if (!query_is_direct(query) && !row_list_is_fresh(&query->rows, query->parts))
    return search_first(query);
  uint32_t spans = query_spans(query);
  for (uint32_t i = 0; i < spans; i++) {
    Span span = query_span(query, i);
    if (span.count > 0) return span_entity(&span, 0);
  }
  return 0;
}

/* IndexSet ----------------------------------------------------------------- */

static void widen(const Span *span, uint32_t *lowest, uint32_t *highest) {
  for (uint32_t i = 0; i < span->count; i++) {
    uint32_t at = id_index(span_entity(span, i));
    if (at < *lowest) *lowest = at;
    if (at > *highest) *highest = at;
  }
}

ecs_Status index_set_init(IndexSet *marks, const ecs_Query *query) {
  uint32_t spans = query_spans(query);
  uint32_t lowest = UINT32_MAX, highest = 0;
  *marks = (IndexSet){.base = 0};
  for (uint32_t i = 0; i < spans; i++) {
    Span span = query_span(query, i);
    widen(&span, &lowest, &highest);
  }
  if (lowest > highest) return ECS_OK; /* nobody */
  uint32_t words = (highest - lowest) / 64u + 1u;
  marks->words = memory_zeroed(&query->store->memory, words, sizeof(uint64_t));
  if (marks->words == NULL) return ECS_E_MEMORY;
  marks->base = lowest;
  marks->word_count = marks->left = words;
  for (uint32_t i = 0; i < spans; i++) {
    Span span = query_span(query, i);
    for (uint32_t k = 0; k < span.count; k++) {
      uint32_t bit = id_index(span_entity(&span, k)) - lowest;
      marks->words[bit >> 6] |= UINT64_C(1) << (bit & 63u);
    }
  }
  return ECS_OK;
}

void index_set_deinit(IndexSet *marks, Memory *memory) {
  memory_free(memory, marks->words, marks->word_count * sizeof(uint64_t));
  *marks = (IndexSet){.base = 0};
}
