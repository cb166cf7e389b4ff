/* spawn.c: bundles, and the birth of entities. */
#include "change/spawn.h"

#include "storage/table_rows.h"

/* Bundles --------------------------------------------------------------- */

static bool same_items(const Bundle *bundle, const ecs_Component *components,
                       uint32_t count) {
  if (bundle->item_count != count) return false;
  for (uint32_t i = 0; i < count; i++)
    if (bundle->items[i].component != components[i]) return false;
  return true;
}

static void bundle_destroy(Store *store, Bundle *bundle) {
  Memory *memory = &store->memory;
  if (bundle == NULL) return;
  memory_free(memory, bundle->items, bundle->item_count * sizeof(BundleItem));
  memory_free(memory, bundle->parts,
              (bundle->item_count + 1) * sizeof(BundleGroup));
  memory_free(memory, bundle->columns,
              bundle->column_count * sizeof(BundleColumn));
  memory_free(memory, bundle->pointers, bundle->column_count * sizeof(void *));
  memory_free(memory, bundle->first_rows,
              (bundle->item_count + 1) * sizeof(uint32_t));
  memory_free(memory, bundle->runs, bundle->item_count * sizeof(BundleRun));
  memory_free(memory, bundle, sizeof(Bundle));
}

void bundle_destroy_all(Store *store) {
  for (uint32_t i = 0; i < store->bundle_count; i++)
    bundle_destroy(store, store->bundles[i]);
  memory_free(&store->memory, store->bundles,
              store->bundle_capacity * sizeof(Bundle *));
  bundle_destroy(store, store->last_spawned);
  store->last_spawned = NULL;
  store->bundles = NULL;
  store->bundle_count = store->bundle_capacity = 0;
}

static uint32_t count_columns(const Store *store,
                              const ecs_Component *components, uint32_t count) {
  uint32_t columns = 0;
  for (uint32_t i = 0; i < count; i++)
    columns += store->components[components[i]].schema->field_count;
  return columns;
}

/* What does not depend on the layout: items and their columns' images. */
static void fill_items(const Store *store, Bundle *bundle,
                       const ecs_Component *components) {
  uint32_t column = 0;
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    const Schema *schema = store->components[components[i]].schema;
    bundle->items[i] = (BundleItem){.component = components[i],
                                    .first_column = column,
                                    .column_count = schema->field_count,
                                    .zero_defaults = schema->zero_defaults};
    for (uint32_t k = 0; k < schema->field_count; k++, column++)
      bundle->columns[column] =
          (BundleColumn){.offset = schema->fields[k].offset,
                         .type = (uint8_t)schema->fields[k].type};
  }
}

static Bundle *bundle_create(Store *store, const ecs_Component *components,
                             uint32_t count) {
  Memory *memory = &store->memory;
  Bundle *bundle = memory_zeroed(memory, 1, sizeof(Bundle));
  if (bundle == NULL) return NULL;
  bundle->item_count = count;
  bundle->column_count = count_columns(store, components, count);
  bundle->items = memory_zeroed(memory, count, sizeof(BundleItem));
  bundle->parts = memory_zeroed(memory, count + 1, sizeof(BundleGroup));
  bundle->columns =
      memory_zeroed(memory, bundle->column_count, sizeof(BundleColumn));
  bundle->pointers =
      memory_zeroed(memory, bundle->column_count, sizeof(void *));
  bundle->first_rows = memory_zeroed(memory, count + 1, sizeof(uint32_t));
  bundle->runs = memory_zeroed(memory, count, sizeof(BundleRun));
  bool columns = bundle->columns != NULL && bundle->pointers != NULL;
  bool items = bundle->items != NULL && bundle->runs != NULL;
  if ((!items && count > 0) || bundle->parts == NULL ||
      bundle->first_rows == NULL || (!columns && bundle->column_count > 0)) {
    bundle_destroy(store, bundle);
    return NULL;
  }
  fill_items(store, bundle, components);
  bundle->layout_version = bundle->plain_version = UINT64_MAX;
  return bundle;
}

Bundle *bundle_for_once(Store *store, const ecs_Component *components,
                        uint32_t count) {
  Bundle *last = store->last_spawned;
  if (last != NULL && same_items(last, components, count)) return last;
  Bundle *bundle = bundle_create(store, components, count);
  if (bundle == NULL) return NULL;
  bundle_destroy(store, last);
  store->last_spawned = bundle;
  return bundle;
}

ecs_Status bundle_ensure(Store *store, const ecs_Component *components,
                         uint32_t count, ecs_Bundle *id) {
  void *bundles = store->bundles;
  for (uint32_t i = 0; i < store->bundle_count; i++) {
    if (!same_items(store->bundles[i], components, count)) continue;
    *id = i + 1;
    return ECS_OK;
  }
  if (store->bundle_count >= ECS_BUNDLE_LIMIT) return ECS_E_LIMIT;
  if (!memory_grow(&store->memory, &bundles, &store->bundle_capacity,
                   store->bundle_count, 1, sizeof(Bundle *)))
    return ECS_E_MEMORY;
  store->bundles = bundles;
  Bundle *bundle = bundle_create(store, components, count);
  if (bundle == NULL) return ECS_E_MEMORY;
  store->bundles[store->bundle_count++] = bundle;
  *id = store->bundle_count;
  return ECS_OK;
}

/* Resolving ------------------------------------------------------------- */

static uint32_t ensure_part(Bundle *bundle, Group *group) {
  for (uint32_t i = 0; i < bundle->part_count; i++)
    if (bundle->parts[i].group == group) return i;
  bundle->parts[bundle->part_count] = (BundleGroup){.group = group};
  return bundle->part_count++;
}

static void assign_parts(const Store *store, Bundle *bundle) {
  bundle->part_count = 0;
  ensure_part(bundle, store_main(store));
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    BundleItem *item = &bundle->items[i];
    const Component *what = &store->components[item->component];
    Group *group = store->groups[what->group_id];
    item->part = ensure_part(bundle, group);
    item->bits_index = group->components[what->bit].bits_index;
    uint32_t columns = group_bits_columns(group, what->bit);
    BundleGroup *part = &bundle->parts[item->part];
    if (part->bits_columns < columns) part->bits_columns = columns;
  }
}

/* The table of one part: the mask of its items that are not bits. */
static ecs_Status resolve_part(Store *store, Bundle *bundle, uint32_t at) {
  BundleGroup *part = &bundle->parts[at];
  uint32_t words = group_words(part->group);
  uint64_t few[8] = {0};
  uint64_t *mask = few;
  if (words > 8) mask = memory_zeroed(&store->memory, words, sizeof(uint64_t));
  if (mask == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    const BundleItem *item = &bundle->items[i];
    uint32_t bit = store->components[item->component].bit;
    if (item->part == at && item->bits_index == GROUP_NOT_BITS)
      mask[bit >> 6] |= UINT64_C(1) << (bit & 63u);
  }
  part->tables_before = part->group->table_count;
  ecs_Status status = group_ensure_table(part->group, &store->memory, mask,
                                         words, &part->table);
  if (mask != few) memory_free(&store->memory, mask, words * sizeof(uint64_t));
  return status;
}

/* Can spawn_one take the fast path? */
static bool is_plain(const Bundle *bundle) {
  for (uint32_t i = 0; i < bundle->column_count; i++)
    if (bundle->columns[i].type != ECS_F32) return false;
  return bundle->part_count == 1 && bundle->parts[0].bits_columns == 0;
}

static void assign_columns(const Store *store, Bundle *bundle) {
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    const BundleItem *item = &bundle->items[i];
    if (item->column_count == 0) continue;
    const Table *table = bundle->parts[item->part].table;
    const ColumnCode *codes =
        table_codes(table, store->components[item->component].bit);
    for (uint32_t k = 0; k < item->column_count; k++) {
      BundleColumn *column = &bundle->columns[item->first_column + k];
      column->part = item->part;
      column->code = codes[k];
      column->field = (uint16_t)(codes + k - table->codes);
    }
  }
}

/* The items that have columns in the order of these: the table has no other
 * ones, so the run of one item begins where the last one's ends. */
static void assign_runs(const Store *store, Bundle *bundle) {
  const BundleItem *items = bundle->items;
  bundle->run_count = 0;
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    uint32_t at = bundle->run_count;
    if (items[i].column_count == 0) continue;
    uint32_t field = bundle->columns[items[i].first_column].field;
    for (; at > 0; at--) {
      const BundleItem *before = &items[bundle->runs[at - 1].item];
      if (bundle->columns[before->first_column].field < field) break;
      bundle->runs[at] = bundle->runs[at - 1];
    }
    bundle->runs[at] =
        (BundleRun){store->components[items[i].component].schema->default_image,
                    i, items[i].column_count};
    bundle->run_count++;
  }
}

/* Takes back the tables that resolving the first parts gave birth to. */
static void unresolve(Store *store, Bundle *bundle, uint32_t parts) {
  while (parts-- > 0)
    group_drop_tables(bundle->parts[parts].group, &store->memory,
                      bundle->parts[parts].tables_before);
  bundle->layout_version = bundle->plain_version = UINT64_MAX;
}

/* Brings its parts up to date. ECS_E_MEMORY, ECS_E_LIMIT. */
static ecs_Status bundle_resolve(Store *store, Bundle *bundle) {
  if (ECS_LIKELY(bundle->layout_version == store->layout_version))
    return ECS_OK;
  assign_parts(store, bundle);
  for (uint32_t i = 0; i < bundle->part_count; i++) {
    ecs_Status status = resolve_part(store, bundle, i);
    if (status == ECS_OK) continue;
    unresolve(store, bundle, i);
    return status;
  }
  assign_columns(store, bundle);
  bundle->layout_version = store->layout_version;
  bundle->plain_version = is_plain(bundle) ? store->layout_version : UINT64_MAX;
  assign_runs(store, bundle);
  return ECS_OK;
}

/* Reserving ------------------------------------------------------------- */

/* A locator page for every index that the next count births will take. */
static ecs_Status reserve_locator(Store *store, Group *group, uint64_t count) {
  const EntityIndex *index = &store->index;
  uint32_t at = index->free_head;
  uint64_t left = count;
  for (; at != 0 && left > 0; left--) {
    ecs_Status status = locator_reserve(&group->locator, &store->memory, at);
    if (status != ECS_OK) return status;
    at = slot_row(*entity_index_slot(index, at));
  }
  for (uint64_t i = 0; i < left; i++) {
    uint32_t fresh = (uint32_t)(index->used + i);
    ecs_Status status = locator_reserve(&group->locator, &store->memory, fresh);
    if (status != ECS_OK) return status;
    i += LOCATOR_PAGE_SIZE - 1u - (fresh & (LOCATOR_PAGE_SIZE - 1u));
  }
  return ECS_OK;
}

static ecs_Status reserve_part(Store *store, const BundleGroup *part,
                               uint64_t count) {
  ecs_Status status = store_reserve_rows(store, part->group, part->table,
                                         part->bits_columns, count);
  if (status == ECS_OK && part->group->id != 0)
    status = reserve_locator(store, part->group, count);
  return status;
}

ecs_Status spawn_reserve(Store *store, Bundle *bundle, uint64_t count) {
  bool known = bundle->layout_version == store->layout_version;
  ecs_Status status = bundle_resolve(store, bundle);
  if (status != ECS_OK) return status;
  status = entity_index_reserve(&store->index, &store->memory, count);
  for (uint32_t i = 0; status == ECS_OK && i < bundle->part_count; i++)
    status = reserve_part(store, &bundle->parts[i], count);
  if (status != ECS_OK && !known) unresolve(store, bundle, bundle->part_count);
  return status;
}

/* Is there room for one more, with nothing to look up? */
static bool ready_for_one(const Store *store, const Bundle *bundle) {
  const EntityIndex *index = &store->index;
  uint32_t next = index->free_head != 0 ? index->free_head : index->used;
  if (bundle->layout_version != store->layout_version) return false;
  if (!entity_index_ready(index)) return false;
  if (next >= ECS_INDEX_LIMIT) return false;
  for (uint32_t i = 0; i < bundle->part_count; i++) {
    const BundleGroup *part = &bundle->parts[i];
    if (part->table->count == part->table->capacity) return false;
    if (part->table->bits_columns < part->bits_columns) return false;
    if (i > 0 && !locator_ready(&part->group->locator, next)) return false;
  }
  return true;
}

/* Birth ----------------------------------------------------------------- */

/* Values into the fresh row of zeros that is the last of its table. */
static void store_item(const Store *store, const Bundle *bundle,
                       const BundleItem *item, const void *image) {
  Table *table = bundle->parts[item->part].table;
  uint32_t row = table->count - 1;
  const BundleColumn *column = &bundle->columns[item->first_column];
  if (item->bits_index != GROUP_NOT_BITS)
    table_write_bit(table, row, item->bits_index, true);
  if (image == NULL) {
    if (item->zero_defaults) return;
    image = store->components[item->component].schema->default_image;
  }
  for (uint32_t i = 0; i < item->column_count; i++, column++) {
    void *element = table_element(table, column->code, row);
    element_copy(element, (const char *)image + column->offset,
                 code_shift(column->code));
    scalar_canonicalize((ecs_Scalar)column->type, element);
  }
}

static void append_rows(Store *store, const Bundle *bundle, ecs_Entity entity) {
  uint32_t at = id_index(entity);
  for (uint32_t i = 0; i < bundle->part_count; i++) {
    const BundleGroup *part = &bundle->parts[i];
    uint32_t row = table_append(part->table, entity);
    if (i == 0)
      entity_index_place(&store->index, at, part->table->id, row);
    else
      store_enter(store, part->group, at, part->table, row);
    store_touch(store, part->group);
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
               values == NULL ? NULL : values[i]);
  if (entity != NULL) *entity = born;
  return ECS_OK;
}

/* Values into a row of a plain bundle's table. */
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
}

/* In line for a plain bundle with values and room: pure optimisation, 13
 * instead of 45 ns for two components of two fields. */
ecs_Status spawn_one(Store *store, Bundle *bundle, const void *const *values,
                     ecs_Entity *entity) {
  if (ECS_UNLIKELY(bundle->plain_version != store->layout_version ||
                   values == NULL))
    return spawn_slowly(store, bundle, values, entity);
  Table *table = bundle->parts[0].table;
  if (ECS_UNLIKELY(table->count == table->capacity ||
                   !entity_index_ready(&store->index)))
    return spawn_slowly(store, bundle, values, entity);
  uint32_t row = table->count;
  ecs_Entity born = entity_index_issue_placed(&store->index, table->id, row);
  table_append(table, born);
  store_touch(store, store_main(store));
  if (entity != NULL) *entity = born;
  store_plain(bundle, table, row, values);
  return ECS_OK;
}

static void fill_defaults(const Store *store, const Bundle *bundle,
                          const BundleItem *item, uint32_t first,
                          uint32_t count) {
  Table *table = bundle->parts[item->part].table;
  const Schema *schema = store->components[item->component].schema;
  if (item->bits_index != GROUP_NOT_BITS)
    for (uint32_t row = first; row < first + count; row++)
      table_write_bit(table, row, item->bits_index, true);
  if (item->zero_defaults) return;
  for (uint32_t i = 0; i < item->column_count; i++) {
    const BundleColumn *column = &bundle->columns[item->first_column + i];
    size_t bytes = (size_t)1 << code_shift(column->code);
    rows_repeat(table_element(table, column->code, first),
                (const char *)schema->default_image + column->offset, bytes,
                bytes * count);
  }
}

/* The slot of the free index that comes after at in the list. After a clear
 * that is mostly the next one in the page; going there without waiting for what
 * the list says keeps the births of many independent of each other: 4 instead
 * of 6 ns each, values included. */
static inline Slot *next_free(const EntityIndex *index, Slot *slot,
                              uint32_t *at) {
  uint32_t next = slot_row(*slot), follower = *at + 1;
  *at = next;
  if (ECS_LIKELY(next == follower && next % SLOT_PAGE_SIZE != 0)) {
    *at = follower;
    return slot + 1;
  }
  return next == 0 ? NULL : entity_index_slot(index, next);
}

/* Issues the entities of count new rows of the main group and places them, in
 * one go: freed indices first, then fresh ones. Handles come as from
 * entity_index_issue. */
static void place_in_main(Store *store, const BundleGroup *part, uint32_t first,
                          uint32_t count) {
  EntityIndex *index = &store->index;
  ecs_Entity *born = part->table->entities + first;
  uint32_t table = part->table->id, reused = 0, at = index->free_head;
  Slot *slot = at == 0 ? NULL : entity_index_slot(index, at);
  for (; reused < count && slot != NULL; reused++) {
    Slot *taken = slot;
    born[reused] = id_make(at, taken->table_bits);
    slot = next_free(index, taken, &at);
    *taken = (Slot){first + reused, table | slot_hint(taken->table_bits)};
  }
  index->free_head = at;
  index->free_count -= reused;
  for (uint32_t i = reused; i < count; i++) {
    uint32_t fresh = index->used++;
    born[i] = id_make(fresh, 0);
    *entity_index_slot(index, fresh) = (Slot){first + i, table};
  }
  index->alive_count += count;
  store_touch(store, part->group);
}

/* The entities of another part's new rows are those of the main group's. */
static void place_in_group(Store *store, const BundleGroup *part,
                           uint32_t first, const ecs_Entity *born,
                           uint32_t count) {
  if (count > 0)
    memcpy(part->table->entities + first, born, count * sizeof(ecs_Entity));
  for (uint32_t i = 0; i < count; i++)
    store_enter(store, part->group, id_index(born[i]), part->table, first + i);
  store_touch(store, part->group);
}

ecs_Status spawn_rows(Store *store, Bundle *bundle, uint32_t count,
                      uint32_t *first_rows) {
  ecs_Status status = spawn_reserve(store, bundle, count);
  if (status != ECS_OK) return status;
  for (uint32_t i = 0; i < bundle->part_count; i++)
    first_rows[i] = table_append_many(bundle->parts[i].table, count);
  place_in_main(store, &bundle->parts[0], first_rows[0], count);
  const Table *main = bundle->parts[0].table;
  for (uint32_t i = 1; i < bundle->part_count; i++)
    place_in_group(store, &bundle->parts[i], first_rows[i],
                   main->entities + first_rows[0], count);
  for (uint32_t i = 0; count > 0 && i < bundle->item_count; i++)
    fill_defaults(store, bundle, &bundle->items[i],
                  first_rows[bundle->items[i].part], count);
  return ECS_OK;
}
