/* spawn.c: creates entities from bundles. */
#include "change/spawn.h"

#include "storage/placement.h"
#include "storage/table_rows.h"

/* Reserving ------------------------------------------------------------- */

/* Makes a locator page for every index that the next count spawns will take. */
static ecs_Status reserve_locator(Store *store, Group *group, uint64_t count) {
  const EntityIndex *index = &store->index;
  uint32_t reused = index->free_head;
  uint64_t left = count;
  for (; reused != 0 && left > 0; left--) {
    ecs_Status status =
        locator_reserve(&group->locator, &store->memory, reused);
    if (status != ECS_OK) return status;
    reused = slot_row(*entity_index_slot(index, reused));
  }
  for (uint64_t i = 0; i < left; i++) {
    uint32_t fresh = (uint32_t)(index->used + i);
    ecs_Status status = locator_reserve(&group->locator, &store->memory, fresh);
    if (status != ECS_OK) return status;
    i += LOCATOR_PAGE_SIZE - 1u - (fresh & (LOCATOR_PAGE_SIZE - 1u));
  }
  return ECS_OK;
}

ecs_Status spawn_reserve_group(Store *store, const BundleGroup *target,
                               uint64_t rows, uint64_t entities) {
  ecs_Status status = store_reserve_rows(store, target->group, target->table,
                                         target->bits_columns, rows);
  if (status == ECS_OK && target->group->id != 0)
    status = reserve_locator(store, target->group, entities);
  return status;
}

void spawn_give_back(Store *store, const BundleGroup *target,
                     uint32_t capacity) {
  Table *table = target->table;
  if (table->capacity == capacity) return;
  table_shrink(table, &store->memory,
               capacity > table->count ? capacity : table->count);
  note_all(store, target->group);
}

/* Reserves in one group after the other. Gives the room back where a later one
 * fails: a world at its limit of memory has none to waste. */
static ecs_Status reserve_groups(Store *store, const Bundle *bundle,
                                 uint32_t first, uint64_t count) {
  if (first == bundle->group_count) return ECS_OK;
  const BundleGroup *target = &bundle->groups[first];
  uint32_t capacity = target->table->capacity;
  ecs_Status status = spawn_reserve_group(store, target, count, count);
  if (status == ECS_OK)
    status = reserve_groups(store, bundle, first + 1, count);
  if (status != ECS_OK) spawn_give_back(store, target, capacity);
  return status;
}

ecs_Status spawn_reserve(Store *store, Bundle *bundle, uint64_t count) {
  bool known = bundle->layout_version == store->layout_version;
  uint32_t pages = store->index.page_count;
  ecs_Status status = bundle_resolve(store, bundle);
  if (status != ECS_OK) return status;
  status = store_reserve_entities(store, count);
  if (status == ECS_OK) status = reserve_groups(store, bundle, 0, count);
  if (status == ECS_OK) return ECS_OK;
  entity_index_drop_pages(&store->index, &store->memory, pages);
  if (!known) bundle_unresolve(store, bundle);
  return status;
}

/* Can one entity be created without reserving anything? */
static bool ready_for_one(const Store *store, const Bundle *bundle) {
  const EntityIndex *index = &store->index;
  uint32_t next = index->free_head != 0 ? index->free_head : index->used;
  if (bundle->layout_version != store->layout_version) return false;
  if (!entity_index_ready(index)) return false;
  if (next >= ECS_INDEX_LIMIT) return false;
  for (uint32_t i = 0; i < bundle->group_count; i++) {
    const BundleGroup *target = &bundle->groups[i];
    if (target->table->count == target->table->capacity) return false;
    if (target->table->bits_columns < target->bits_columns) return false;
    if (i > 0 && !locator_ready(&target->group->locator, next)) return false;
  }
  return true;
}

/* Creating one ---------------------------------------------------------- */

/* Stores an image, NULL for defaults, in the fresh row of zeros that is the
 * last one of its table. */
static void store_item(const Store *store, const Bundle *bundle,
                       const BundleItem *item, const void *image) {
  Table *table = bundle->groups[item->group_index].table;
  uint32_t row = table->count - 1;
  const BundleColumn *column = &bundle->columns[item->first_column];
  if (item->bits_index != GROUP_NOT_BITS)
    table_write_bit(table, row, item->bits_index, true);
  if (image == NULL) {
    if (item->zero_defaults) return;
    image = store->components.all[item->component].schema->default_image;
  }
  for (uint32_t i = 0; i < item->column_count; i++, column++) {
    void *element = table_element(table, column->code, row);
    element_copy(element, (const char *)image + column->offset,
                 code_shift(column->code));
    scalar_canonicalize((ecs_Scalar)column->type, element);
  }
}

static void append_rows(Store *store, const Bundle *bundle, ecs_Entity entity) {
  uint32_t index = id_index(entity);
  for (uint32_t i = 0; i < bundle->group_count; i++) {
    const BundleGroup *target = &bundle->groups[i];
    uint32_t row = table_append(target->table, entity);
    if (i == 0) {
      entity_index_place(&store->index, index, target->table->id, row);
      note_moved(store, target->group, entity, entity);
    } else {
      store_enter(store, target->group, index, target->table, row);
      note_entered(store, target->group, index, row);
    }
  }
}

static ECS_COLD ecs_Status spawn_slowly(Store *store, Bundle *bundle,
                                        const void *const *values,
                                        ecs_Entity *entity) {
  if (!ready_for_one(store, bundle)) {
    ecs_Status status = spawn_reserve(store, bundle, 1);
    if (status != ECS_OK) return status;
  }
  ecs_Entity born = entity_index_issue(&store->index);
  append_rows(store, bundle, born);
  for (uint32_t i = 0; i < bundle->item_count; i++)
    store_item(store, bundle, &bundle->items[i],
               values == NULL || i >= bundle->given_count ? NULL : values[i]);
  if (entity != NULL) *entity = born;
  return ECS_OK;
}

/* Stores images of some items, NULL for defaults, in a fresh row of zeros of the
 * table of a bundle that has one group. */
static inline void store_items(const Store *store, const Bundle *bundle,
                               const BundleItem *item, const BundleItem *end,
                               const Table *table, uint32_t row,
                               const void *const *values) {
  const BundleColumn *column = &bundle->columns[item->first_column];
  for (; item < end; item++) {
    const char *image = values != NULL ? *values++ : NULL;
    if (ECS_UNLIKELY(image == NULL)) {
      if (item->zero_defaults) {
        column += item->column_count;
        continue;
      }
      image = store->components.all[item->component].schema->default_image;
    }
    for (uint32_t i = item->column_count; i > 0; i--, column++)
      element_store(table->fields[column->field] +
                        ((size_t)row << code_shift(column->code)),
                    image + column->offset, (ecs_Scalar)column->type);
  }
}

/* Stores the images of all items; what they need has none. */
static inline void store_single(const Store *store, const Bundle *bundle,
                                const Table *table, uint32_t row,
                                const void *const *values) {
  const BundleItem *items = bundle->items;
  const BundleItem *end = items + bundle->item_count;
  const BundleItem *needed = items + bundle->given_count;
  if (needed > items)
    store_items(store, bundle, items, needed, table, row, values);
  if (ECS_UNLIKELY(needed < end))
    store_items(store, bundle, needed, end, table, row, NULL);
}

/* Stores the images in a row of a plain bundle's table. */
static inline void store_plain(const Bundle *bundle, const Table *table,
                               uint32_t row, const void *const *values) {
  const BundleRun *run = bundle->runs, *end = run + bundle->run_count;
  char *cells = table_cells(table, row);
  size_t stride = table->stride[2];
  for (; run < end; run++) {
    const char *image = values[run->item];
    if (ECS_UNLIKELY(image == NULL)) image = run->defaults;
    for (uint32_t i = run->count; i > 0; i--, image += 4, cells += stride)
      element_store_f32(cells, image);
  }
  /* The runs cover every column. */
  ECS_ASSERT(cells == table_cells(table, row) + table->columns[2] * stride);
}

/* The body of the functions below; plain and noted are constants in each. */
static inline __attribute__((always_inline)) ecs_Status spawn_row(
    Store *store, Bundle *bundle, const void *const *values, ecs_Entity *entity,
    bool plain, bool noted) {
  Table *table = bundle->groups[0].table;
  ECS_ASSERT(bundle->groups[0].group == store_main(store));
  ECS_ASSERT(store->groups.main->tables[table->id] == table);
  if (ECS_UNLIKELY(table->count == table->capacity ||
                   !entity_index_ready(&store->index)))
    return spawn_slowly(store, bundle, values, entity);
  uint32_t row = table->count;
  ecs_Entity born = entity_index_issue_placed(&store->index, table->id, row);
  table_push(table, born);
  if (noted) {
    table_stamp_rows(table, row, 1);
    note_moved(store, store_main(store), born, born);
  } else {
    note_changed(store, store_main(store));
  }
  if (entity != NULL) *entity = born;
  if (plain)
    store_plain(bundle, table, row, values);
  else
    store_single(store, bundle, table, row, values);
  return ECS_OK;
}

/* The same as spawn_single where marks want notes, or tables have stamps;
 * otherwise spawn_slowly. */
static ECS_APART ecs_Status spawn_noted(Store *store, Bundle *bundle,
                                        const void *const *values,
                                        ecs_Entity *entity) {
  if (bundle->single_version != store->layout_version)
    return spawn_slowly(store, bundle, values, entity);
  return spawn_row(store, bundle, values, entity, false, true);
}

/* In line for a bundle of one group, with any fields and also without values,
 * when there is room: pure optimisation, 15 instead of 29 ns for components of
 * f32, an i32, an entity and a u8. */
static ECS_APART ecs_Status spawn_single(Store *store, Bundle *bundle,
                                         const void *const *values,
                                         ecs_Entity *entity) {
  if (ECS_UNLIKELY(bundle->single_version != store->spawn_version))
    return spawn_noted(store, bundle, values, entity);
  return spawn_row(store, bundle, values, entity, false, false);
}

/* In line for a plain bundle with values and room: pure optimisation, 13
 * instead of 45 ns for two components of two fields. */
ecs_Status spawn_one(Store *store, Bundle *bundle, const void *const *values,
                     ecs_Entity *entity) {
  if (ECS_UNLIKELY(bundle->plain_version != store->spawn_version ||
                   values == NULL))
    return spawn_single(store, bundle, values, entity);
  return spawn_row(store, bundle, values, entity, true, false);
}

/* Creating many --------------------------------------------------------- */

/* Fills the columns of an item with an image, NULL for its defaults, in the
 * count newest rows of its table, which are rows of zeros. */
static void fill_columns(const Store *store, const Bundle *bundle,
                         const BundleItem *item, const void *image,
                         uint32_t count) {
  const Table *table = bundle->groups[item->group_index].table;
  if (image == NULL) {
    if (item->zero_defaults) return;
    image = store->components.all[item->component].schema->default_image;
  }
  for (uint32_t i = 0; i < item->column_count; i++) {
    const BundleColumn *column = &bundle->columns[item->first_column + i];
    size_t bytes = (size_t)1 << code_shift(column->code);
    uint64_t element = 0;
    memcpy(&element, (const char *)image + column->offset, bytes);
    scalar_canonicalize((ecs_Scalar)column->type, &element);
    rows_repeat(table_element(table, column->code, table->count - count),
                &element, bytes, bytes * count);
  }
}

/* The newest rows have the component of an item. */
static void fill_item(const Store *store, const Bundle *bundle,
                      const BundleItem *item, const void *image,
                      uint32_t count) {
  Table *table = bundle->groups[item->group_index].table;
  if (item->bits_index != GROUP_NOT_BITS)
    for (uint32_t row = table->count - count; row < table->count; row++)
      table_write_bit(table, row, item->bits_index, true);
  fill_columns(store, bundle, item, image, count);
}

/* Issues the entities of count new rows of the main group and places them. */
static void place_in_main(Store *store, const BundleGroup *target,
                          uint32_t first, uint32_t count) {
  const Table *table = target->table;
  entity_index_issue_rows(&store->index, table->id, first, count,
                          table->entities + first);
  note_all(store, target->group);
}

/* Gives the new rows of another group the entities of the main group's rows. */
static void place_in_group(Store *store, const BundleGroup *target,
                           uint32_t first, const ecs_Entity *born,
                           uint32_t count) {
  if (count > 0)
    memcpy(target->table->entities + first, born, count * sizeof(ecs_Entity));
  for (uint32_t i = 0; i < count; i++)
    store_enter(store, target->group, id_index(born[i]), target->table,
                first + i);
  note_all(store, target->group);
}

void spawn_append(Store *store, Bundle *bundle, uint32_t count,
                  const void *const *values, uint32_t *first_rows) {
  ECS_ASSERT(bundle->layout_version == store->layout_version);
  for (uint32_t i = 0; i < bundle->group_count; i++)
    first_rows[i] = table_append_many(bundle->groups[i].table, count);
  place_in_main(store, &bundle->groups[0], first_rows[0], count);
  const Table *main = bundle->groups[0].table;
  for (uint32_t i = 1; i < bundle->group_count; i++)
    place_in_group(store, &bundle->groups[i], first_rows[i],
                   main->entities + first_rows[0], count);
  for (uint32_t i = 0; count > 0 && i < bundle->item_count; i++)
    fill_item(store, bundle, &bundle->items[i],
              values == NULL || i >= bundle->given_count ? NULL : values[i],
              count);
}

ecs_Status spawn_rows(Store *store, Bundle *bundle, uint32_t count,
                      uint32_t *first_rows) {
  ecs_Status status = spawn_reserve(store, bundle, count);
  if (status != ECS_OK) return status;
  spawn_append(store, bundle, count, NULL, first_rows);
  return ECS_OK;
}
