/* replacement.c: an entity loses a component and gets another in one move. */
#include "change/replacement.h"

#include "storage/table_image.h"

/* Where a route is remembered. */
static inline Route *route_place(Store *store, const Table *from,
                                 ecs_Component gone, ecs_Component added) {
  return &change_state(store)
              ->routes[(from->id + gone * 3u + added) % CHANGE_ROUTES];
}

static ecs_Status find_route(Store *store, Group *group, const Table *from,
                             const Component *gone, const Component *added,
                             Route *route) {
  const Edge *edge = NULL;
  ecs_Status status =
      group_ensure_edge(group, &store->memory, from, gone->bit, &edge);
  if (status != ECS_OK) return status;
  route->gone_columns = edge->range; /* edges move when one is made */
  status = group_ensure_edge(group, &store->memory, group->tables[edge->table],
                             added->bit, &edge);
  if (status != ECS_OK) return status;
  route->added_columns = edge->range;
  route->to = group->tables[edge->table];
  return store_reserve_rows(store, group, route->to, from->bits_columns, 1);
}

static void move_row(Store *store, Group *group, const Route *route,
                     ecs_Entity entity, RowRef place) {
  ecs_Entity filler = 0;
  uint32_t row =
      table_replace_row(route->to, place.table, place.row, &route->gone_columns,
                        &route->added_columns, &filler);
  if (filler != entity)
    store_set_place(store, group, id_index(filler), place.table, place.row);
  store_set_place(store, group, id_index(entity), route->to, row);
  note_moved(store, group, entity, filler);
}

ecs_Status store_replace(Store *store, ecs_Entity entity, ecs_Component gone_id,
                         ecs_Component added_id, const void *image) {
  Component *gone = &store->components.all[gone_id];
  Component *added = &store->components.all[added_id];
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
  route.from = place.table;
  route.gone = gone_id;
  route.added = added_id;
  route.layout_version = store->layout_version;
  *route_place(store, place.table, gone_id, added_id) = route;
  if (added->field_count == 0) return ECS_OK;
  if (image == NULL) image = added->schema->default_image;
  table_store_all(route.to, row, added->bit, added->schema, image);
  return ECS_OK;
}

bool store_replace_again(Store *store, ecs_Entity entity, ecs_Component gone,
                         ecs_Component added, const void *image) {
  Table *from = NULL;
  Slot *slot = store_find_slot(store, entity, &from);
  if (slot == NULL || store_notes(store)) return false;
  const Route *route = route_place(store, from, gone, added);
  if (route->from != from || route->gone != gone || route->added != added ||
      route->layout_version != store->layout_version)
    return false;
  Table *to = route->to;
  if (to->count == to->capacity || to->bits_columns < from->bits_columns)
    return false;
  ecs_Entity filler = 0;
  uint32_t row = slot->row_bits;
  note_changed(store, store_main(store)); /* it is not watched */
  uint32_t to_row = table_replace_row(to, from, row, &route->gone_columns,
                                      &route->added_columns, &filler);
  slot->table_bits += to->id - from->id; /* the low bits */
  entity_index_slot(&store->index, id_index(filler))->row_bits = row;
  slot->row_bits = to_row; /* after the filler's: they may be the same */
  const Component *component = &store->components.all[added];
  store->components.all[gone].changes++;
  store->components.all[added].changes++;
  if (component->field_count == 0) return true;
  if (image == NULL) image = component->schema->default_image;
  table_store_all(to, to_row, component->bit, component->schema, image);
  return true;
}
