/* world_trim.c: gives back memory that a world does not need at the moment. */
#include "world/world_trim.h"

#include "query/gather.h"
#include "storage/group_lists.h"

/* Records where the rows of a group are: its tables have new ids. */
static void place_rows(Store *store, Group *group) {
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    for (uint32_t row = 0; row < table->count; row++)
      store_set_place(store, group, id_index(table->entities[row]), table, row);
  }
}

static void trim_queries(ecs_World *world) {
  for (uint32_t i = 0; i < world->query_count; i++) {
    ECS_ASSERT(world->queries[i]->open == 0);
    query_drop_plan(world->queries[i]);
    scratch_free_all(world->queries[i]);
  }
}

/* The layout counts as another one, as if components had been regrouped, so
 * that no table or address that was found before is used again. */
void world_trim(ecs_World *world) {
  Store *store = &world->store;
  ECS_ASSERT(world->depth == 0);
  trim_queries(world);
  command_flush_deinit(&world->commands);
  command_buffer_trim(&world->commands);
  link_set_trim(&world->links, &store->memory);
  observer_set_trim(&world->observers, &store->memory);
  bundle_forget_once(store);
  store_free_rooms(store);
  for (uint32_t i = 0; i < store->groups.count; i++) {
    Group *group = store->groups.all[i];
    group_trim(group, &store->memory);
    place_rows(store, group);
    if (group->id != 0) locator_trim(&group->locator, &store->memory);
    note_all(store, group);
  }
  group_lists_remake(store);
  locator_trim(&store->groups.lists, &store->memory);
  entity_index_unlink(&store->index, &store->memory);
  entity_index_drop_pages(&store->index, &store->memory,
                          entity_index_pages_used(&store->index));
  store_touch_layout(store);
#ifdef ECS_TINY
  ECS_ASSERT(world_check_invariants(world));
#endif
}
