/* grid_fresh.c: is what a grid shows what a build would make now? */
#include "query/grid_fresh.h"

/* The sum of the versions of all that says which rows match. */
static uint64_t sum_versions(const ecs_Query *query) {
  uint64_t sum = query->links == NULL ? 0 : query_links(query)->version;
  for (uint32_t g = 0; g < query->group_count + query->up_count; g++)
    sum += query->groups[g].group->version;
  return sum;
}

/* Stamps --------------------------------------------------------------- */

/* Makes sure that the columns of a term have stamps. */
static ecs_Status watch_term(const ecs_Query *query, const QueryTerm *term) {
  const QueryGroup *query_group = &query->groups[term->group_index];
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < query_group->match.count; i++) {
    Table *table = query_group_table(query_group, i);
    if (table_has_columns(table, term->bit))
      status =
          store_watch_table(query->store, query_group->group, table, term->bit);
  }
  return status;
}

ecs_Status grid_watch_tables(const ecs_Grid *grid) {
  const ecs_Query *query = grid->query;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < query->term_count; i++)
    if (grid->watches && query->terms[i].column_count > 0)
      status = watch_term(query, &query->terms[i]);
  return status;
}

/* Were columns of a component stamped after a tick? */
static bool is_newer(const ecs_Query *query, uint32_t group_index, uint32_t bit,
                     uint64_t tick) {
  const QueryGroup *query_group = &query->groups[group_index];
  for (uint32_t i = 0; i < query_group->match.count; i++) {
    const Table *table = query_group_table(query_group, i);
    if (table->count == 0 || !table_has_columns(table, bit)) continue;
    const Stamps *stamps = table->stamps;
    const uint64_t *list = stamps == NULL ? NULL : stamps_of(stamps, bit);
    if (list == NULL || stamps_newer(stamps, list, 0, table->count, tick))
      return true;
  }
  return false;
}

/* Was anything that the grid has read stamped since? */
static bool is_any_newer(const ecs_Grid *grid) {
  const ecs_Query *query = grid->query;
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    if (term->column_count > 0 &&
        is_newer(query, term->group_index, term->bit, grid->tick))
      return true;
  }
  if (!query_is_sorted(query)) return false;
  const PickedTerm *order = &query->picked->order;
  return is_newer(query, order->group_index, order->bit, grid->tick);
}

/* What is stamped from now on is newer than what the grid has seen. */
static void see_stamps(ecs_Grid *grid) {
  if (!grid->watches) return;
  grid->tick = grid->query->store->clock.tick;
  store_next_tick(grid->query->store);
}

void grid_seen(ecs_Grid *grid) {
  grid->versions = sum_versions(grid->query);
  grid->layout_version = grid->query->layout_version;
  see_stamps(grid);
}

bool grid_is_fresh(ecs_Grid *grid) {
  const ecs_Query *query = grid->query;
  const Store *store = query->store;
  if (!grid->built || !grid->watches) return false;
  if (grid->layout_version != store->layout_version ||
      query->layout_version != store->layout_version ||
      sum_versions(query) != grid->versions)
    return false;
  if (store->clock.newest <= grid->tick) return true;
  if (is_any_newer(grid)) return false;
  see_stamps(grid);
  return true;
}

ecs_Component grid_contested(const ecs_Grid *grid) {
  const ecs_Query *query = grid->query;
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    if (term->column_count > 0 &&
        query->store->components.all[term->component].writers > 0)
      return term->component;
  }
  if (!query_is_sorted(query)) return 0;
  ecs_Component order = query->picked->order.component; /* to sort is to read */
  return query->store->components.all[order].writers > 0 ? order : 0;
}
