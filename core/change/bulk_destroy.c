/* bulk_destroy.c: destroys every entity that matches a query, at once. */
#include "change/bulk_destroy.h"

#include "change/bulk_rows.h"
#include "query/index_set.h"
#include "query/query_span.h"
#include "storage/group_lists.h"
#include "storage/placement.h"

static void leave_group(Store *store, Group *group, ecs_Entity entity) {
  RowRef place = store_locate_in(group, id_index(entity));
  if (place.table == NULL) return;
  store_remove_row(store, group, place.table, place.row);
  locator_clear(&group->locator, id_index(entity));
  note_all(store, group);
}

/* Removes the rows that an entity has in the groups its list names. */
static void leave_listed(Store *store, ecs_Entity entity) {
  uint32_t id = group_lists_take(store, id_index(entity));
  while (id != 0) {
    Group *group = store->groups.all[id];
    leave_group(store, group, entity);
    id = group_lists_next(group, id_index(entity));
  }
}

/* Removes the rows that an entity has in the groups its summary names. The
 * summary is left: the slot is freed next. */
static ECS_COLD void leave_groups(Store *store, ecs_Entity entity,
                                  uint32_t summary) {
  uint32_t near = store->groups.count;
  if (near > ECS_NEAR_GROUPS) near = ECS_NEAR_GROUPS;
  if (summary >> (SLOT_SUMMARY_BITS - 1u) != 0) leave_listed(store, entity);
  for (; summary != 0; summary &= summary - 1) {
    uint32_t first = 1u + (uint32_t)__builtin_ctz(summary);
    for (uint32_t i = first; i < near; i += SLOT_SUMMARY_BITS)
      leave_group(store, store->groups.all[i], entity);
  }
}

/* Frees an entity's index. Its row of the main group is removed later. */
static inline void free_entity(Store *store, EntityIndex *index,
                               ecs_Entity entity) {
  uint32_t entity_index = id_index(entity);
  Slot slot = *entity_index_slot(index, entity_index);
  uint32_t summary = slot_summary(slot);
  ECS_ASSERT(slot_state(slot) == SLOT_PLACED);
  if (ECS_UNLIKELY(summary != 0)) leave_groups(store, entity, summary);
  entity_index_free(index, entity_index, id_generation(entity));
}

/* Do the indices of all matching rows ascend, as they do in rows that were
 * created together? Then walking the rows backwards needs no set of indices. */
static bool is_ascending(const ecs_Query *query) {
  uint32_t last = 0, spans = query_span_count(query);
  for (uint32_t i = 0; i < spans; i++) {
    Span span = query_span(query, i);
    uint32_t falls = 0;
    for (uint32_t row = 0; row < span.count; row++) {
      uint32_t entity_index = id_index(span.entities[row]);
      falls += entity_index < last;
      last = entity_index;
    }
    if (falls != 0) return false;
  }
  return true;
}

static void free_backwards(Store *store, const ecs_Query *query) {
  EntityIndex index = store->index; /* in registers */
  for (uint32_t i = query_span_count(query); i-- > 0;) {
    Span span = query_span(query, i);
    for (uint32_t row = span.count; row-- > 0;)
      free_entity(store, &index, span.entities[row]);
  }
  store->index = index;
}

static void free_entities(Store *store, IndexSet *matches) {
  EntityIndex index = store->index; /* in registers */
  uint64_t bits = 0;
  uint32_t first = 0;
  while (index_set_next(matches, &bits, &first))
    while (bits != 0)
      free_entity(store, &index,
                  entity_of_index(store, index_set_take(&bits, first)));
  store->index = index;
}

static ecs_Status destroy_tables(Store *store, const ecs_Query *query) {
  uint32_t spans = query_span_count(query);
  IndexSet matches = {.base = 0};
  if (is_ascending(query)) {
    free_backwards(store, query);
  } else {
    ecs_Status status = index_set_init(&matches, query);
    if (status != ECS_OK) return status;
    free_entities(store, &matches);
  }
  for (uint32_t i = 0; i < spans; i++)
    table_clear(query_span_rows(query, i, 0).table);
  note_all(store, query->groups[0].group);
  return ECS_OK;
}

static ecs_Status destroy_rows(Store *store, ecs_Query *query, bool in_order) {
  BulkChange change = {.query = query,
                       .store = store,
                       .group = store_main(store),
                       .in_order = in_order};
  IndexSet matches;
  change.tables_before = change.group->table_count;
  ecs_Status status = index_set_init(&matches, query);
  if (status != ECS_OK) return status;
  status = bulk_rows_drop(&change, bulk_rows_group_index(&change),
                          free_entities, &matches);
  return status;
}

ecs_Status bulk_destroy(ecs_Query *query, bool in_order) {
  ecs_Status status = query_prepare(query);
  if (status != ECS_OK || query_count(query) == 0) return status;
  return query_is_direct(query) && query->groups[0].group->id == 0
             ? destroy_tables(query->store, query)
             : destroy_rows(query->store, query, in_order);
}
