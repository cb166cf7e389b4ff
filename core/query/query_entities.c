/* query_entities.c: the entities of a query one at a time, without a walk. */
#include "query/query_entities.h"

/* Copying --------------------------------------------------------------- */

static uint64_t least(uint64_t left, uint64_t right) {
  return left < right ? left : right;
}

/* Tables as they lie. */
static void copy_tables(const QueryGroup *part, ecs_Entity *to,
                        uint64_t capacity) {
  for (uint32_t i = 0; i < part->match.count && capacity > 0; i++) {
    const Table *table = part->group->tables[part->match.tables[i]];
    uint64_t count = least(table->count, capacity);
    if (count == 0) continue; /* a table without a slab, maybe */
    memcpy(to, table->entities, (size_t)count * sizeof *to);
    to += count;
    capacity -= count;
  }
}

/* The rows of one block, by the part that drives. */
static void copy_block(const ecs_Query *query, const Block *block,
                       ecs_Entity *to, uint64_t count) {
  const RowList *list = &query->rows;
  const Table *table = row_list_table(list, block, query->parts, query->driver);
  const uint32_t *rows = row_list_rows(list, block, query->driver);
  for (uint64_t i = 0; i < count; i++) to[i] = table->entities[rows[i]];
}

void query_entities(const ecs_Query *query, ecs_Entity *entities,
                    uint64_t capacity) {
  if (query_is_direct(query)) {
    copy_tables(&query->parts[0], entities, capacity);
    return;
  }
  for (uint32_t i = 0; i < query->rows.block_count && capacity > 0; i++) {
    const Block *block = &query->rows.blocks[i];
    uint64_t count = least(block->count, capacity);
    copy_block(query, block, entities, count);
    entities += count;
    capacity -= count;
  }
}

/* Locating -------------------------------------------------------------- */

static bool fits(const QueryGroup *part, RowRef place) {
  if (place.table == NULL) return !part->required;
  return matched_tables_fit(&part->match, place.table) &&
         query_group_row_fits(part, place.table, place.row);
}

/* The elements of one term in its part's row. */
static void point(const ecs_Query *query, const QueryTerm *term, RowRef place,
                  void **elements) {
  const Component *what = &query->store->components[term->component];
  void **out = elements + term->first_column;
  bool there = place.table != NULL && what->writers == 0 &&
               table_has_columns(place.table, term->bit);
  char *const *fields = there ? table_fields(place.table, term->bit) : NULL;
  for (uint32_t k = 0; k < term->column_count; k++) {
    uint32_t shift = query->columns[term->first_column + k].shift;
    out[k] = there ? fields[k] + ((size_t)place.row << shift) : NULL;
  }
}

ecs_Status query_locate_entity(const ecs_Query *query, ecs_Entity entity,
                               void **elements, bool *matches) {
  RowRef home = store_locate_main(query->store, entity);
  if (home.table == NULL) return ECS_E_DEAD;
  *matches = true;
  for (uint32_t p = 0; p < query->part_count; p++) {
    const QueryGroup *part = &query->parts[p];
    RowRef place = part->group->id == 0
                       ? home
                       : store_locate_in(part->group, id_index(entity));
    *matches = *matches && fits(part, place);
    for (uint32_t t = 0; t < query->term_count; t++)
      if (query->terms[t].part == p)
        point(query, &query->terms[t], place, elements);
  }
  return ECS_OK;
}
