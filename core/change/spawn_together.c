/* spawn_together.c: entities of several bundles, spawned as one change. */
#include "change/spawn_together.h"

/* Resolves the bundles; returns how many before one failed. */
static uint32_t resolve_all(Store *store, SpawnedRows *rows, uint32_t count,
                            ecs_Status *status) {
  for (uint32_t i = 0; i < count; i++) {
    rows[i].known = rows[i].bundle->layout_version == store->layout_version;
    rows[i].repeated = false;
    for (uint32_t k = 0; !rows[i].repeated && k < i; k++)
      rows[i].repeated = rows[k].bundle == rows[i].bundle;
    *status = bundle_resolve(store, rows[i].bundle);
    if (*status != ECS_OK) return i;
  }
  return count;
}

static void unresolve(Store *store, const SpawnedRows *rows, uint32_t count) {
  while (count-- > 0)
    if (!rows[count].known) bundle_unresolve(store, rows[count].bundle);
}

/* How many of the bundles have a row in a table. */
static uint32_t count_users(const SpawnedRows *rows, uint32_t count,
                            const Table *table) {
  uint32_t users = 0;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t g = 0; g < rows[i].bundle->group_count; g++)
      if (rows[i].bundle->groups[g].table == table) users++;
  return users;
}

/* Has a table room for a row of each entry, and so on for all copies? */
static bool has_plenty(const BundleGroup *target, uint64_t most) {
  return target->group->id == 0 &&
         target->table->bits_columns >= target->bits_columns &&
         target->table->capacity - target->table->count >= most;
}

/* Makes room in the tables of one entry's bundle for all entries. */
static ecs_Status reserve_tables(Store *store, const SpawnedRows *rows,
                                 uint32_t count, uint32_t entry,
                                 uint64_t copies) {
  Bundle *bundle = rows[entry].bundle;
  ecs_Status status = ECS_OK;
  for (uint32_t g = 0; g < bundle->group_count; g++)
    bundle->groups[g].capacity_before = bundle->groups[g].table->capacity;
  for (uint32_t g = 0; status == ECS_OK && g < bundle->group_count; g++) {
    const BundleGroup *target = &bundle->groups[g];
    if (has_plenty(target, count * copies)) continue;
    uint64_t users = count_users(rows, count, target->table);
    status = spawn_reserve_group(store, target, users * copies, count * copies);
  }
  return status;
}

/* Tables that entries share get back what the first of them has noted last. */
static void give_tables_back(Store *store, const SpawnedRows *rows,
                             uint32_t count) {
  while (count-- > 0) {
    const Bundle *bundle = rows[count].bundle;
    for (uint32_t g = bundle->group_count; !rows[count].repeated && g-- > 0;)
      spawn_give_back(store, &bundle->groups[g],
                      bundle->groups[g].capacity_before);
  }
}

ecs_Status spawn_together_reserve(Store *store, SpawnedRows *rows,
                                  uint32_t count, uint64_t copies) {
  uint32_t pages = store->index.page_count, reserved = 0;
  ecs_Status status = ECS_OK;
  uint32_t resolved = resolve_all(store, rows, count, &status);
  if (status == ECS_OK) status = store_reserve_entities(store, count * copies);
  for (; status == ECS_OK && reserved < count; reserved++)
    if (!rows[reserved].repeated)
      status = reserve_tables(store, rows, count, reserved, copies);
  if (status == ECS_OK) return ECS_OK;
  give_tables_back(store, rows, reserved);
  entity_index_drop_pages(&store->index, &store->memory, pages);
  unresolve(store, rows, resolved);
  return status;
}

void spawn_together_give_back(Store *store, SpawnedRows *rows, uint32_t count,
                              uint32_t pages) {
  give_tables_back(store, rows, count);
  entity_index_drop_pages(&store->index, &store->memory, pages);
  unresolve(store, rows, count);
}

/* Pure optimisation: a row is stored faster than columns of one element. */
static void append_one(Store *store, Bundle *bundle,
                       const void *const *values) {
  ecs_Status status = spawn_one(store, bundle, values, NULL);
  ECS_ASSERT(status == ECS_OK);
  (void)status;
  for (uint32_t g = 0; g < bundle->group_count; g++)
    bundle->first_rows[g] = bundle->groups[g].table->count - 1;
}

void spawn_together_append(Store *store, SpawnedRows *rows, uint32_t copies,
                           const void *const *values) {
  Bundle *bundle = rows->bundle;
  if (copies == 1)
    append_one(store, bundle, values);
  else
    spawn_append(store, bundle, copies, values, bundle->first_rows);
  rows->entities = bundle->groups[0].table->entities + bundle->first_rows[0];
}
