/* bulk.c: one change of every entity that matches a query, at once. */
#include "change/bulk.h"

#include "change/bulk_rows.h"
#include "change/entity_change.h"
#include "query/query_entities.h"
#include "storage/table_image.h"
#include "storage/table_rows.h"
#include "change/bulk_sparse.h"

/* Finds or creates the table that entities new to the group go to. */
static ecs_Status ensure_first_table(BulkChange *change) {
  Mask mask = {0};
  uint64_t word = 0;
  if (change->first_table != NULL) return ECS_OK;
  if (!group_is_bits(change->group, change->bit))
    mask = mask_single(&word, change->bit);
  return group_ensure_table(change->group, &change->store->memory, mask,
                            &change->first_table);
}

static uint32_t bits_index(const BulkChange *change) {
  return change->group->components[change->bit].bits_index;
}

/* Whole tables ---------------------------------------------------------- */

static uint32_t table_total(const BulkChange *change) {
  return query_span_count(change->query);
}

static Table *matching_table(const BulkChange *change, uint32_t index) {
  return query_span_rows(change->query, index, 0).table;
}

/* Do the rows of a table have to move? */
static bool is_source(const BulkChange *change, const Table *table) {
  return table->count > 0 && table_has(table, change->bit) != change->adds;
}

/* Do the table's entities leave the group? */
static bool is_leaving(const BulkChange *change, const Table *table) {
  return !change->adds && change->group->id != 0 &&
         table_has_only(table, change->bit);
}

/* Is the plan full and over the component's own group, and do all rows of a
 * table move alike? They do not if they leave the group and a tag stored as
 * bits may keep some of them in it. */
static bool moves_whole_tables(const BulkChange *change) {
  const ecs_Query *query = change->query;
  if (!query_is_direct(query) || query->groups[0].group != change->group)
    return false;
  for (uint32_t i = 0; i < table_total(change); i++) {
    const Table *table = matching_table(change, i);
    if (is_source(change, table) && is_leaving(change, table) &&
        table->bits_columns > 0)
      return false;
  }
  return true;
}

/* Tables that are created meanwhile are appended to the matches, and are empty.
 */
static ecs_Status reserve_tables(BulkChange *change) {
  Group *group = change->group;
  const Edge *edge = NULL;
  for (uint32_t i = 0; i < table_total(change); i++) {
    Table *from = matching_table(change, i);
    if (!is_source(change, from) || is_leaving(change, from)) continue;
    ecs_Status status = group_ensure_edge(group, &change->store->memory, from,
                                          change->bit, &edge);
    if (status != ECS_OK) return status;
    Table *to = group->tables[edge->table];
    if (rows_can_hand(to, from)) continue;
    status = store_reserve_rows(change->store, group, to, from->bits_columns,
                                from->count);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

static void leave_table(const BulkChange *change, Table *table) {
  for (uint32_t row = 0; row < table->count; row++)
    store_leave(change->store, change->group, id_index(table->entities[row]));
  table_clear(table);
}

static void move_table(const BulkChange *change, Table *from) {
  const Edge *edge = group_find_edge(change->group, from, change->bit);
  ECS_ASSERT(edge != NULL && edge->added == change->adds);
  Table *to = change->group->tables[edge->table];
  uint32_t first = 0;
  if (rows_can_hand(to, from))
    rows_hand(to, from);
  else
    first = rows_append(to, from, &edge->range, edge->added);
  bulk_rows_set_places(change, to, first);
  if (change->adds)
    rows_fill(to, first, to->count - first, change->bit,
              change->component->schema, change->image, UINT64_MAX);
}

/* Stores the fields in tables that have the component, before other rows arrive
 * there. */
static void set_tables(const BulkChange *change) {
  for (uint32_t i = 0; i < table_total(change); i++) {
    Table *table = matching_table(change, i);
    if (table_has(table, change->bit))
      rows_fill(table, 0, table->count, change->bit, change->component->schema,
                change->image, change->fields);
  }
}

static ecs_Status change_tables(BulkChange *change) {
  ecs_Status status = reserve_tables(change);
  if (status != ECS_OK) return bulk_rows_give_up(change, status);
  if (change->fields != 0) set_tables(change);
  for (uint32_t i = 0; i < table_total(change); i++) {
    Table *table = matching_table(change, i);
    if (!is_source(change, table)) continue;
    change->component->changes += table->count;
    if (is_leaving(change, table))
      leave_table(change, table);
    else
      move_table(change, table);
    note_all(change->store, change->group);
  }
  return ECS_OK;
}

/* Tags stored as bits --------------------------------------------------- */

/* Clearing needs no room: a table without the column has nothing to clear. */
static ecs_Status reserve_bits(const BulkChange *change, uint32_t group_index) {
  uint32_t columns = group_bits_columns(change->group, change->bit);
  uint32_t spans = change->adds ? query_span_count(change->query) : 0;
  for (uint32_t i = 0; i < spans; i++) {
    Table *table = query_span_rows(change->query, i, group_index).table;
    if (table->count == 0) continue;
    ecs_Status status =
        store_reserve_rows(change->store, change->group, table, columns, 0);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

static ecs_Status change_bits(const BulkChange *change, uint32_t group_index) {
  uint32_t index = bits_index(change);
  uint32_t spans = query_span_count(change->query), changed = 0;
  ecs_Status status = reserve_bits(change, group_index);
  if (status != ECS_OK) return status;
  for (uint32_t i = 0; i < spans; i++) {
    SpanRows span = query_span_rows(change->query, i, group_index);
    if (index >> 3 >= span.table->bits_columns) continue;
    if (span.rows == NULL) {
      changed += rows_write_bit(span.table, index, change->adds);
      continue;
    }
    for (uint32_t k = 0; k < span.count; k++) {
      changed += table_has_bit(span.table, span.rows[k], index) != change->adds;
      table_write_bit(span.table, span.rows[k], index, change->adds);
    }
  }
  change->component->changes += changed;
  note_changed(change->store, change->group);
  return ECS_OK;
}

/* One by one ------------------------------------------------------------ */

/* Finds or creates the table that an entity goes to; NULL: its row stays where
 * it is, or leaves the group. */
static ecs_Status find_target(BulkChange *change, RowRef place, Table **to) {
  Group *group = change->group;
  const Edge *edge = NULL;
  bool bits = group_is_bits(group, change->bit);
  *to = NULL;
  if (place.table == NULL) {
    if (!change->adds) return ECS_OK;
    ecs_Status status = ensure_first_table(change);
    *to = change->first_table;
    return status;
  }
  if (bits || table_has(place.table, change->bit) == change->adds)
    return ECS_OK;
  if (is_leaving(change, place.table) && !table_any_bit(place.table, place.row))
    return ECS_OK;
  ecs_Status status = group_ensure_edge(group, &change->store->memory,
                                        place.table, change->bit, &edge);
  if (status == ECS_OK) *to = group->tables[edge->table];
  return status;
}

/* Makes columns of bits at once; rows are only counted, in the tables. */
static ecs_Status reserve_one(BulkChange *change, ecs_Entity entity) {
  Store *store = change->store;
  Group *group = change->group;
  uint32_t columns = group_bits_columns(group, change->bit);
  Table *to = NULL;
  RowRef place = store_locate_group(store, group, entity);
  ecs_Status status = find_target(change, place, &to);
  if (status != ECS_OK) return status;
  if (to == NULL)
    return columns > 0 && change->adds
               ? store_reserve_rows(store, group, place.table, columns, 0)
               : ECS_OK;
  if (place.table == NULL)
    status = locator_reserve(&group->locator, &store->memory, id_index(entity));
  else
    columns = place.table->bits_columns;
  to->pending++;
  return status == ECS_OK ? store_reserve_rows(store, group, to, columns, 0)
                          : status;
}

static ecs_Status reserve_each(BulkChange *change, const ecs_Entity *list,
                               uint32_t count) {
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < count; i++)
    status = reserve_one(change, list[i]);
  return status == ECS_OK ? bulk_rows_reserve_pending(change) : status;
}

static void change_one(const BulkChange *change, ecs_Entity entity) {
  Store *store = change->store;
  const Schema *schema = change->component->schema;
  RowRef place = {NULL, 0};
  if (!change->adds) {
    must_work(store_remove(store, entity, change->id));
    return;
  }
  if (change->fields != 0)
    must_work(store_locate(store, entity, change->id, &place));
  ECS_ASSERT(place.table == NULL || place.table->entities[place.row] == entity);
  if (place.table == NULL)
    must_work(store_add(store, entity, change->id, change->image));
  else if (schema->field_count > 0)
    table_set(place.table, place.row, change->bit, schema, change->image,
              change->fields);
}

static ecs_Status change_each(BulkChange *change, const ecs_Entity *list,
                              uint32_t count) {
  ecs_Status status = reserve_each(change, list, count);
  if (status != ECS_OK) return bulk_rows_give_up(change, status);
  for (uint32_t i = 0; i < count; i++) change_one(change, list[i]);
  return ECS_OK;
}

/* Which way ------------------------------------------------------------- */

/* Moving rows one by one makes the plan stale, so the entities are copied
 * first. */
static ecs_Status change_list(BulkChange *change) {
  Memory *memory = &change->store->memory;
  uint32_t count = (uint32_t)query_count(change->query);
  ecs_Entity *list = memory_zeroed(memory, count, sizeof(ecs_Entity));
  if (list == NULL) return ECS_E_MEMORY;
  query_entities(change->query, list, count);
  ecs_Status status = change_each(change, list, count);
  memory_free(memory, list, count * sizeof(ecs_Entity));
  return status;
}

static ecs_Status change_all(BulkChange *change) {
  const Component *component = change->component;
  ecs_Status status = query_plan(change->query);
  if (status != ECS_OK) return status;
  change->group = component->group;
  change->bit = component->bit;
  if (change->fields != 0) store_wrote(change->store, change->id);
  bool is_set = change->group->locator.narrow;
  if (is_set && change->adds)
    return bulk_sparse_join(change->query, change->group, component->schema,
                            change->image, change->fields);
  status = (is_set ? query_prepare_everywhere : query_prepare)(change->query);
  if (status != ECS_OK || query_count(change->query) == 0) return status;
  change->tables_before = change->group->table_count;
  uint32_t group_index = bulk_rows_group_index(change);
  if (component_is_bits(component)) {
    if (group_index < change->query->group_count)
      return change_bits(change, group_index);
  } else if (is_set) {
    if (bulk_sparse_empty(change->query, change->group)) return ECS_OK;
  } else if (moves_whole_tables(change)) {
    return change_tables(change);
  } else if (change->group->id == 0) {
    return bulk_rows_listed(change, group_index);
  }
  return change_list(change);
}

static BulkChange change_of(ecs_Query *query, ecs_Component id) {
  Component *component = &query->store->components.all[id];
  return (BulkChange){.query = query,
                      .store = query->store,
                      .id = id,
                      .component = component,
                      .image = component->schema->default_image};
}

ecs_Status bulk_add(ecs_Query *query, ecs_Component id, const void *image) {
  BulkChange change = change_of(query, id);
  change.adds = true;
  if (image != NULL && change.component->schema->field_count > 0)
    change.image = image;
  return change_all(&change);
}

ecs_Status bulk_remove(ecs_Query *query, ecs_Component id) {
  BulkChange change = change_of(query, id);
  return change_all(&change);
}

ecs_Status bulk_set(ecs_Query *query, ecs_Component id, const void *image,
                    uint64_t fields) {
  BulkChange change = change_of(query, id);
  const Schema *schema = change.component->schema;
  uint64_t whole[ECS_FIELD_LIMIT]; /* 64 fields of eight bytes */
  change.adds = true;
  if (schema->field_count == 0) return change_all(&change);
  memcpy(whole, schema->default_image, schema->image_bytes);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    const SchemaField *field = &schema->fields[i];
    if ((fields >> i & 1u) == 0) continue;
    memcpy((char *)whole + field->offset, (const char *)image + field->offset,
           (size_t)1 << field->shift);
    change.fields |= UINT64_C(1) << i;
  }
  change.image = whole;
  return change_all(&change);
}
