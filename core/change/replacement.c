/* replacement.c: an entity loses a component and gets another in one move. */
#include "change/replacement.h"

#include "storage/table_image.h"

/* From a table to the one with the other component, and its columns. */
typedef struct Route {
  Table *to;
  ColumnRange gone;  /* in the table that the row leaves */
  ColumnRange added; /* in `to` */
} Route;

static ecs_Status find_route(Store *store, Group *group, const Table *from,
                             const Component *gone, const Component *added,
                             Route *route) {
  const Edge *edge = NULL;
  ecs_Status status =
      group_ensure_edge(group, &store->memory, from, gone->bit, &edge);
  if (status != ECS_OK) return status;
  route->gone = edge->range; /* edges move when one is made */
  status = group_ensure_edge(group, &store->memory, group->tables[edge->table],
                             added->bit, &edge);
  if (status != ECS_OK) return status;
  route->added = edge->range;
  route->to = group->tables[edge->table];
  return store_reserve_rows(store, group, route->to, from->bits_columns, 1);
}

static void move_row(Store *store, Group *group, const Route *route,
                     ecs_Entity entity, RowRef place) {
  ecs_Entity filler = 0;
  uint32_t row = table_replace_row(route->to, place.table, place.row,
                                   &route->gone, &route->added, &filler);
  if (filler != entity)
    store_set_place(store, group, id_index(filler), place.table, place.row);
  store_set_place(store, group, id_index(entity), route->to, row);
  store_touch(store, group);
  if (group->id == 0) store_note_change(store, entity, filler);
}

ecs_Status store_replace(Store *store, ecs_Entity entity, ecs_Component gone_id,
                         ecs_Component added_id, const void *image) {
  Component *gone = &store->components[gone_id];
  Component *added = &store->components[added_id];
  Group *group = gone->group;
  RowRef place = store_locate_group(store, group, entity);
  Route route;
  ECS_ASSERT(is_one_move(gone, added) && table_has(place.table, gone->bit));
  ECS_ASSERT(!table_has(place.table, added->bit));
  uint32_t tables_before = group->table_count;
  ecs_Status status =
      find_route(store, group, place.table, gone, added, &route);
  if (status != ECS_OK) {
    group_drop_tables(group, &store->memory, tables_before);
    return status;
  }
  uint32_t row = route.to->count;
  move_row(store, group, &route, entity, place);
  gone->changes++;
  added->changes++;
  if (added->field_count == 0) return ECS_OK;
  if (image == NULL) image = added->schema->default_image;
  table_store_all(route.to, row, added->bit, added->schema, image);
  return ECS_OK;
}
