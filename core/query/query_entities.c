/* query_entities.c: the entities of a query one at a time, without a cursor. */
#include "query/query_entities.h"

#include "query/opened.h"

/* Copying --------------------------------------------------------------- */

static void copy_span(const Span *span, ecs_Entity *to, uint32_t count) {
  if (span->rows == NULL) {
    memcpy(to, span->entities, count * sizeof *to);
    return;
  }
  for (uint32_t i = 0; i < count; i++) to[i] = span->entities[span->rows[i]];
}

void query_entities(const ecs_Query *query, ecs_Entity *entities,
                    uint64_t capacity) {
  uint32_t spans = query_span_count(query);
  for (uint32_t i = 0; i < spans && capacity > 0; i++) {
    Span span = query_span(query, i);
    uint32_t count = span.count < capacity ? span.count : (uint32_t)capacity;
    if (count == 0) continue; /* it may be a table without a slab */
    copy_span(&span, entities, count);
    entities += count;
    capacity -= count;
  }
}

/* Locating -------------------------------------------------------------- */

/* Points at the elements of one term; row is the entity's row in the term's
 * group. */
static void point(const ecs_Query *query, const QueryTerm *term, RowRef row,
                  void **elements) {
  const Component *component = &query->store->components.all[term->component];
  void **out = elements + term->first_column;
  bool present = row.table != NULL && component->writers == 0 &&
                 table_has_columns(row.table, term->bit);
  char *const *fields = present ? table_fields(row.table, term->bit) : NULL;
  ECS_ASSERT(term->first_column + term->column_count <= query->column_count);
  for (uint32_t k = 0; k < term->column_count; k++) {
    uint32_t shift = query->columns[term->first_column + k].shift;
    out[k] = present ? fields[k] + ((size_t)row.row << shift) : NULL;
  }
}

/* Points at the elements of the entity that this one links to. */
static void point_up(const ecs_Query *query, ecs_Entity entity,
                     void **elements) {
  const Store *store = query->store;
  ecs_Entity target = link_target(query_links(query), entity);
  for (uint32_t t = 0; t < query->term_count; t++) {
    const QueryTerm *term = &query->terms[t];
    RowRef row = {NULL, 0};
    if (term->access != ECS_UP || term->column_count == 0) continue;
    const Group *group = query->groups[term->group_index].group;
    if (target != 0) row = store_locate_group(store, group, target);
    point(query, term, row, elements);
  }
}

ecs_Status query_locate_entity(const ecs_Query *query, ecs_Entity entity,
                               void **elements, bool *matches) {
  RowRef main_row = store_locate_main(query->store, entity);
  if (main_row.table == NULL) return ECS_E_DEAD;
  *matches = true;
  for (uint32_t g = 0; g < query->group_count; g++) {
    const QueryGroup *query_group = &query->groups[g];
    RowRef row = query_group_locate(query_group, entity, main_row);
    *matches = *matches && query_group_fits(query_group, row);
    opened_rows(query, g, row, 1);
    for (uint32_t t = 0; t < query->term_count; t++)
      if (query->terms[t].group_index == g && query->terms[t].column_count > 0)
        point(query, &query->terms[t], row, elements);
  }
  *matches = *matches && query_groups_offer(query->groups, query->group_count,
                                            entity, main_row);
  if (query->links != NULL) point_up(query, entity, elements);
  return ECS_OK;
}

/* How many of count entities, of which the first has this row of a group and
 * matches, have the rows behind it and match, too. */
static uint32_t count_followers(const QueryGroup *query_group, RowRef row,
                                const ecs_Entity *entities, uint32_t count) {
  uint32_t run = 1;
  if (row.table == NULL) { /* the others must have no row either */
    const Group *group = query_group->group;
    while (run < count &&
           store_locate_in(group, id_index(entities[run])).table == NULL)
      run++;
    return run;
  }
  const ecs_Entity *stored = row.table->entities + row.row;
  uint32_t behind = row.table->count - row.row;
  if (count > behind) count = behind;
  while (run < count && stored[run] == entities[run] &&
         query_group_row_fits(query_group, row.table, row.row + run))
    run++;
  return run;
}

/* How many of count entities, of which the first matches, have what the groups'
 * choice demands. */
static uint32_t count_offered(const ecs_Query *query,
                              const ecs_Entity *entities, uint32_t count) {
  uint32_t run = 1;
  while (run < count &&
         query_groups_offer(query->groups, query->group_count, entities[run],
                            store_locate_main(query->store, entities[run])))
    run++;
  return run;
}

ecs_Status query_locate_run(const ecs_Query *query, const ecs_Entity *entities,
                            uint32_t count, void **elements, bool *matches,
                            uint32_t *run) {
  ECS_ASSERT(count > 0);
  *run = 1;
  ecs_Status status =
      query_locate_entity(query, entities[0], elements, matches);
  if (status != ECS_OK || !*matches || count == 1) return status;
  if (query->links != NULL) return status; /* targets are anywhere */
  RowRef main_row = store_locate_main(query->store, entities[0]);
  bool stored = false; /* some group proves that the others are alive */
  for (uint32_t g = 0; g < query->group_count; g++) {
    const QueryGroup *query_group = &query->groups[g];
    RowRef row = query_group_locate(query_group, entities[0], main_row);
    stored = stored || row.table != NULL;
    count = count_followers(query_group, row, entities, count);
  }
  if (query_groups_share(query->groups, query->group_count))
    count = count_offered(query, entities, count);
  if (stored) *run = count;
  for (uint32_t g = 0; are_watched(query) && g < query->group_count; g++)
    opened_rows(query, g,
                query_group_locate(&query->groups[g], entities[0], main_row),
                *run);
  return ECS_OK;
}

/* The first ------------------------------------------------------------- */

static bool fits_others(const ecs_Query *query, uint32_t driver,
                        ecs_Entity entity) {
  RowRef main_row = store_locate_main(query->store, entity);
  for (uint32_t g = 0; g < query->group_count; g++) {
    const QueryGroup *query_group = &query->groups[g];
    if (g == driver) continue;
    if (!query_group_fits(query_group,
                          query_group_locate(query_group, entity, main_row)))
      return false;
  }
  return query_groups_offer(query->groups, query->group_count, entity,
                            main_row);
}

/* A row list starts with the driver's first matching row, because combinations
 * of tables are numbered in the driver's order. */
static ecs_Entity search_first(const ecs_Query *query) {
  uint32_t driver = query_choose_driver(query);
  const QueryGroup *query_group = &query->groups[driver];
  for (uint32_t i = 0; i < query_group->match.count; i++) {
    const Table *table =
        query_group->group->tables[query_group->match.tables[i]];
    for (uint32_t row = 0; row < table->count; row++)
      if (query_group_row_fits(query_group, table, row) &&
          fits_others(query, driver, table->entities[row]))
        return table->entities[row];
  }
  return 0;
}

ecs_Entity query_first_entity(const ecs_Query *query) {
  ECS_ASSERT(query->layout_version == query->store->layout_version);
  ECS_ASSERT(query->links == NULL || query_is_prepared(query));
  if (!query_is_direct(query) && !row_list_is_fresh(query->list, query->groups))
    return search_first(query);
  ecs_Entity first = 0;
  query_entities(query, &first, 1);
  return first;
}
