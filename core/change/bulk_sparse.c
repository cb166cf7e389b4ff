/* bulk_sparse.c: adds many entities to a sparse set at once, or removes all.
 */
#include "change/bulk_sparse.h"

#include "storage/placement.h"
#include "storage/table_image.h"
#include "storage/table_rows.h"

/* The matches of a query that join a sparse set: a group of one component, with
 * bit 0. */
typedef struct SetJoin {
  ecs_Query *query;
  const QueryGroup *all; /* read its matched tables, not the query's spans;
                            NULL: read the spans */
  Store *store;
  Group *group;
  const Schema *schema;
  const void *image; /* whole; NULL: a tag */
  uint64_t fields;   /* to store in matches that are in the set already */
  Table *table;      /* the set's only one */
  bool complete;     /* all matches are known to be in it already */
} SetJoin;

/* Joining --------------------------------------------------------------- */

/* For a query over the set and one other group which demands that matches are
 * not in the set: the other group. NULL for any other query. Joining skips
 * entities that are in the set, so the matched tables of the other group can be
 * read without the query's row list. That list would have to be built anew for
 * every join, because each join makes it stale. */
static const QueryGroup *group_beside(const ecs_Query *query,
                                      const Group *group) {
  if (query->group_count != 2) return NULL;
  uint32_t of_set = query->groups[0].group == group ? 0 : 1;
  const QueryGroup *set = &query->groups[of_set],
                   *all = &query->groups[1 - of_set];
  bool excluded = set->group == group && (set->match.excluded[0] & 1u) != 0;
  return excluded && !all->filters ? all : NULL;
}

static uint32_t join_spans(const SetJoin *join) {
  return join->all != NULL ? join->all->match.count
                           : query_span_count(join->query);
}

static Span join_span(const SetJoin *join, uint32_t index) {
  if (join->all == NULL) return query_span(join->query, index);
  const Table *table = query_group_table(join->all, index);
  return (Span){table->entities, NULL, table->count};
}

/* The entities of all spans. */
static uint64_t join_total(const SetJoin *join) {
  return join->all != NULL ? query_group_rows(join->all)
                           : query_count(join->query);
}

/* Has the locator a page for every index that was ever issued? */
static bool has_all_pages(const Store *store, const Locator *locator) {
  for (uint32_t i = 0; i < store->index.used; i += LOCATOR_PAGE_SIZE)
    if (!locator_ready(locator, i)) return false;
  return true;
}

/* Counts the entities of a span that are in the set, and in *missing those
 * without a page of the locator. */
static inline __attribute__((always_inline)) uint32_t count_present(
    const Locator *locator, Span span, bool ready, uint32_t *missing) {
  uint32_t present = 0, lost = 0;
  for (uint32_t i = 0; i < span.count; i++) {
    uint32_t index = id_index(span_entity(&span, i));
    if (ready || locator_ready(locator, index))
      present += locator_is_row(*locator_narrow_entry(locator, index));
    else
      lost++;
  }
  *missing += lost;
  return present;
}

static ecs_Status reserve_pages(const SetJoin *join, Span span) {
  Locator *locator = &join->group->locator;
  for (uint32_t i = 0; i < span.count; i++) {
    ecs_Status status = locator_reserve(locator, &join->store->memory,
                                        id_index(span_entity(&span, i)));
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* As count_present, with the conditions that hold for a whole span tested once.
 */
static uint32_t survey_span(const Locator *locator, Span span, bool ready,
                            uint32_t *missing) {
  if (!ready || span.rows != NULL)
    return count_present(locator, span, ready, missing);
  return count_present(locator, (Span){span.entities, NULL, span.count}, true,
                       missing);
}

/* Counts the matches that are in the set, and makes locator pages for the
 * others. */
static ecs_Status survey_set(const SetJoin *join, uint64_t *present) {
  const Locator *locator = &join->group->locator;
  uint32_t spans = join_spans(join);
  bool ready = has_all_pages(join->store, locator);
  *present = 0;
  for (uint32_t i = 0; i < spans; i++) {
    Span span = join_span(join, i);
    uint32_t missing = 0;
    *present += survey_span(locator, span, ready, &missing);
    if (missing == 0) continue;
    ecs_Status status = reserve_pages(join, span);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* Links the entities of a span that are fresh. */
static void enlist_span(const SetJoin *join, const Span *span) {
  Locator *locator = &join->group->locator;
  for (uint32_t i = 0; i < span->count; i++) {
    uint32_t index = id_index(span_entity(span, i));
    if (*locator_narrow_entry(locator, index) == LOCATOR_FRESH)
      locator_enlist(locator, index);
  }
}

/* Appends the entities of a span that are not in the set yet; none is fresh. */
static inline __attribute__((always_inline)) void enter_span(
    const SetJoin *join, Span span) {
  const EntityIndex index = join->store->index; /* in registers */
  const Locator *locator = &join->group->locator;
  uint32_t summary = join->group->summary;
  uint32_t row = join->table->count;
  ecs_Entity *entities = join->table->entities;
  for (uint32_t i = 0; i < span.count; i++) {
    ecs_Entity entity = span_entity(&span, i);
    uint32_t *entry = locator_narrow_entry(locator, id_index(entity));
    if (*entry != LOCATOR_NONE) continue;
    ECS_ASSERT(row < join->table->capacity);
    *entry = row;
    entities[row++] = entity;
    entity_index_slot_beside(&index, id_index(entity))->table_bits |= summary;
  }
  table_append_many(join->table, row - join->table->count);
}

static void set_span(const SetJoin *join, const Span *span) {
  for (uint32_t i = 0; i < span->count; i++) {
    RowRef place = store_locate_in(join->group, id_index(span_entity(span, i)));
    if (place.table != NULL)
      table_set(place.table, place.row, 0, join->schema, join->image,
                join->fields);
  }
}

/* Stores the fields in matches that are in the set; column by column where all
 * of the set is. */
static void set_present(const SetJoin *join, uint64_t present) {
  uint32_t spans = join_spans(join);
  if (join->table->count == present) {
    rows_fill(join->table, 0, join->table->count, 0, join->schema, join->image,
              join->fields);
    return;
  }
  for (uint32_t i = 0; i < spans; i++) {
    Span span = join_span(join, i);
    set_span(join, &span);
  }
}

/* Is there room for all matches, even if none is in the set? Then they need not
 * be counted first. */
static bool has_room_for_all(const SetJoin *join) {
  const Table *table = join->table;
  return join->fields == 0 &&
         has_all_pages(join->store, &join->group->locator) &&
         join_total(join) <= table->capacity - table->count;
}

/* Reserves everything, then stores the fields in matches that are in the set.
 */
static ecs_Status reserve_set(SetJoin *join) {
  uint64_t present = 0;
  if (has_room_for_all(join)) return ECS_OK;
  ecs_Status status = survey_set(join, &present);
  if (status == ECS_OK)
    status = store_reserve_rows(join->store, join->group, join->table, 0,
                                join_total(join) - present);
  if (status == ECS_OK && join->fields != 0 && present > 0)
    set_present(join, present);
  join->complete = present == join_total(join);
  return status;
}

/* Counts changes of the only component of a set. */
static void count_changes(Store *store, const Group *set, uint32_t count) {
  store->components.all[set->components[0].component].changes += count;
}

static void enter_all(const SetJoin *join) {
  uint32_t spans = join_spans(join);
  uint32_t first = join->table->count;
  if (join->complete) return;
  for (uint32_t i = 0; i < spans; i++) {
    Span span = join_span(join, i);
    if (join->group->locator.list_id != 0) enlist_span(join, &span);
    if (span.rows == NULL)
      enter_span(join, (Span){span.entities, NULL, span.count});
    else
      enter_span(join, span);
  }
  uint32_t entered = join->table->count - first;
  ECS_ASSERT(entered <= join_total(join));
  rows_fill(join->table, first, entered, 0, join->schema, join->image,
            UINT64_MAX);
  if (entered == 0) return;
  count_changes(join->store, join->group, entered);
  note_rows(join->store, join->group, join->table, NULL, entered);
}

ecs_Status bulk_sparse_join(ecs_Query *query, Group *group,
                            const Schema *schema, const void *image,
                            uint64_t fields) {
  const uint64_t mask = 1;
  uint32_t tables_before = group->table_count;
  SetJoin join = {.query = query,
                  .all = group_beside(query, group),
                  .store = query->store,
                  .group = group,
                  .schema = schema,
                  .image = image};
  ecs_Status status = ECS_OK;
  if (join.all == NULL) {
    join.fields = fields;
    status = query_prepare(query);
  }
  if (status != ECS_OK || join_total(&join) == 0) return status;
  status = group_ensure_table(group, &join.store->memory, mask_trim(&mask, 1),
                              &join.table);
  if (status != ECS_OK) return status;
  status = reserve_set(&join);
  if (status == ECS_OK)
    enter_all(&join);
  else
    group_drop_tables(group, &join.store->memory, tables_before);
  return status;
}

/* Leaving --------------------------------------------------------------- */

/* Clears entries and summaries where they are found by the rows. */
static void clear_by_rows(Store *store, const Group *group, uint32_t gone) {
  const EntityIndex index = store->index; /* in registers */
  const Table *table = group->first;
  for (uint32_t row = 0; row < table->count; row++) {
    uint32_t entity_index = id_index(table->entities[row]);
    *locator_narrow_entry(&group->locator, entity_index) = LOCATOR_NONE;
    entity_index_slot_beside(&index, entity_index)->table_bits &= ~gone;
  }
}

/* Clears the summaries of all slots; those without an entity have none. */
static void sweep_summaries(const EntityIndex *index, uint32_t gone) {
  for (uint32_t first = 0; first < index->used; first += SLOT_PAGE_SIZE) {
    Slot *slots = index->pages[first / SLOT_PAGE_SIZE];
    uint32_t left = index->used - first;
    uint32_t count = left < SLOT_PAGE_SIZE ? left : SLOT_PAGE_SIZE;
    for (uint32_t i = 0; i < count; i++) slots[i].table_bits &= ~gone;
  }
}

/* Most of the entities are in the set: to clear all entries and summaries in
 * turn takes less than to find theirs. Fresh entries have to stay as they are. */
#define SWEPT_SHARE 2u

static bool is_swept(const Store *store, const Group *group) {
  return group->locator.list_id == 0 &&
         group->first->count >= store->index.used / SWEPT_SHARE;
}

static void leave_all(Store *store, Group *group) {
  Table *table = group->tables[0];
  ECS_ASSERT(group->table_count == 1 && group->locator.narrow);
  uint32_t gone = summary_is_exact(store) ? group->summary : 0;
  if (is_swept(store, group)) {
    locator_empty(&group->locator);
    if (gone != 0) sweep_summaries(&store->index, gone);
  } else {
    clear_by_rows(store, group, gone);
  }
  count_changes(store, group, table->count);
  table_clear(table);
  note_changed(store, group);
  if (group->marks != NULL) row_marks_clear(group->marks);
}

/* Counts the matches that are in the set. If the query reads only the set's own
 * table, its matches are not looked at. */
static uint64_t count_leaving(const ecs_Query *query, const Group *group) {
  uint32_t spans = query_span_count(query), missing = 0;
  uint64_t present = 0;
  bool ready = has_all_pages(query->store, &group->locator);
  if (query_is_direct(query) && query->groups[0].group == group)
    return query_count(query);
  for (uint32_t i = 0; i < spans; i++)
    present +=
        survey_span(&group->locator, query_span(query, i), ready, &missing);
  return present;
}

bool bulk_sparse_empty(const ecs_Query *query, Group *group) {
  if (group->table_count == 0) return true;
  uint64_t present = count_leaving(query, group);
  if (present == 0) return true;
  if (present < group->tables[0]->count) return false;
  leave_all(query->store, group);
  return true;
}
