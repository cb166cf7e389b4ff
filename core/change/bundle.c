/* bundle.c: sets of components that are spawned together. */
#include "change/bundle.h"

/* Bundles --------------------------------------------------------------- */

static bool same_items(const Bundle *bundle, const ecs_Component *components,
                       uint32_t count) {
  if (bundle->given_count != count) return false;
  for (uint32_t i = 0; i < count; i++)
    if (bundle->items[i].component != components[i]) return false;
  return true;
}

void bundle_destroy(Store *store, Bundle *bundle) {
  Memory *memory = &store->memory;
  if (bundle == NULL) return;
  memory_free(memory, bundle->items, bundle->item_count * sizeof(BundleItem));
  memory_free(memory, bundle->groups,
              (bundle->item_count + 1) * sizeof(BundleGroup));
  memory_free(memory, bundle->columns,
              bundle->column_count * sizeof(BundleColumn));
  memory_free(memory, bundle->pointers, bundle->column_count * sizeof(void *));
  memory_free(memory, bundle->first_rows,
              (bundle->item_count + 1) * sizeof(uint32_t));
  memory_free(memory, bundle->runs, bundle->item_count * sizeof(BundleRun));
  memory_free(memory, bundle, sizeof(Bundle));
}

void bundle_forget_once(Store *store) {
  Bundle **recent = change_state(store)->recent_bundles;
  for (uint32_t i = 0; i < ECS_RECENT_BUNDLES; i++) {
    bundle_destroy(store, recent[i]);
    recent[i] = NULL;
  }
}

void bundle_destroy_all(Store *store) {
  ChangeState *state = change_state(store);
  for (uint32_t i = 0; i < state->bundle_count; i++)
    bundle_destroy(store, state->bundles[i]);
  memory_free(&store->memory, state->bundles,
              state->bundle_capacity * sizeof(Bundle *));
  bundle_forget_once(store);
  state->bundles = NULL;
  state->bundle_count = state->bundle_capacity = 0;
}

static uint32_t count_columns(const Store *store,
                              const ecs_Component *components, uint32_t count) {
  uint32_t columns = 0;
  for (uint32_t i = 0; i < count; i++)
    columns += store->components.all[components[i]].schema->field_count;
  return columns;
}

/* Decides whether spawns of the bundle are noticed. */
static void choose(const Store *store, Bundle *bundle) {
  bundle->noticed = change_state(store)->notices_births || bundle->linked;
  for (uint32_t i = 0; i < bundle->item_count; i++)
    if (store->components.all[bundle->items[i].component].observed)
      bundle->noticed = true;
}

void bundle_choose_all(Store *store) {
  const ChangeState *state = change_state(store);
  for (uint32_t i = 0; i < state->bundle_count; i++)
    choose(store, state->bundles[i]);
  for (uint32_t i = 0; i < ECS_RECENT_BUNDLES; i++)
    if (state->recent_bundles[i] != NULL)
      choose(store, state->recent_bundles[i]);
}

/* Fills in what does not depend on the layout: items, and where each column is
 * in its component's image. */
static void fill_items(const Store *store, Bundle *bundle,
                       const ecs_Component *components) {
  uint32_t column = 0;
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    const Schema *schema = store->components.all[components[i]].schema;
    bundle->items[i] = (BundleItem){.component = components[i],
                                    .first_column = column,
                                    .column_count = schema->field_count,
                                    .zero_defaults = schema->zero_defaults};
    const Component *component = &store->components.all[components[i]];
    if (component->link_count > 0) bundle->linked = true;
    if (component->need_count > 0) bundle->needy = true;
    for (uint32_t k = 0; k < schema->field_count; k++, column++)
      bundle->columns[column] =
          (BundleColumn){.offset = schema->fields[k].offset,
                         .type = (uint8_t)schema->fields[k].type};
  }
}

/* Creates a bundle of these components, and no others. NULL: ECS_E_MEMORY. */
static Bundle *create_exactly(Store *store, const ecs_Component *components,
                              uint32_t count) {
  Memory *memory = &store->memory;
  Bundle *bundle = memory_zeroed(memory, 1, sizeof(Bundle));
  if (bundle == NULL) return NULL;
  bundle->item_count = bundle->given_count = count;
  bundle->column_count = count_columns(store, components, count);
  bundle->items = memory_zeroed(memory, count, sizeof(BundleItem));
  bundle->groups = memory_zeroed(memory, count + 1, sizeof(BundleGroup));
  bundle->columns =
      memory_zeroed(memory, bundle->column_count, sizeof(BundleColumn));
  bundle->pointers =
      memory_zeroed(memory, bundle->column_count, sizeof(void *));
  bundle->first_rows = memory_zeroed(memory, count + 1, sizeof(uint32_t));
  bundle->runs = memory_zeroed(memory, count, sizeof(BundleRun));
  bool columns = bundle->columns != NULL && bundle->pointers != NULL;
  bool items = bundle->items != NULL && bundle->runs != NULL;
  if ((!items && count > 0) || bundle->groups == NULL ||
      bundle->first_rows == NULL || (!columns && bundle->column_count > 0)) {
    bundle_destroy(store, bundle);
    return NULL;
  }
  fill_items(store, bundle, components);
  choose(store, bundle);
  bundle_forget_layout(bundle);
  return bundle;
}

static bool is_listed(const ecs_Component *list, uint32_t count,
                      ecs_Component component) {
  for (uint32_t i = 0; i < count; i++)
    if (list[i] == component) return true;
  return false;
}

/* A list of components that grows. */
typedef struct PartList {
  ecs_Component *components; /* owned */
  uint32_t count;
  uint32_t capacity;
} PartList;

static bool append_part(PartList *list, Memory *memory,
                        ecs_Component component) {
  void *components = list->components;
  if (!memory_grow(memory, &components, &list->capacity, list->count, 1,
                   sizeof(ecs_Component)))
    return false;
  list->components = components;
  list->components[list->count++] = component;
  return true;
}

/* Appends what a component needs and what is not in the list. */
static bool append_needs(PartList *list, Store *store,
                         const Component *component) {
  for (uint32_t i = 0; i < component->need_count; i++)
    if (!is_listed(list->components, list->count, component->needs[i]) &&
        !append_part(list, &store->memory, component->needs[i]))
      return false;
  return true;
}

/* The bundle of components with all that they need: the list grows while it is
 * read. */
static Bundle *create_with_needs(Store *store, const ecs_Component *components,
                                 uint32_t count) {
  Memory *memory = &store->memory;
  PartList list = {NULL, 0, 0};
  bool listed = true;
  for (uint32_t i = 0; listed && i < count; i++)
    listed = append_part(&list, memory, components[i]);
  for (uint32_t i = 0; listed && i < list.count; i++)
    listed =
        append_needs(&list, store, &store->components.all[list.components[i]]);
  Bundle *bundle =
      listed ? create_exactly(store, list.components, list.count) : NULL;
  memory_free(memory, list.components, list.capacity * sizeof(ecs_Component));
  if (bundle != NULL) bundle->given_count = count;
  return bundle;
}

Bundle *bundle_create(Store *store, const ecs_Component *components,
                      uint32_t count) {
  uint32_t i = 0;
  while (i < count && store->components.all[components[i]].need_count == 0) i++;
  return i == count ? create_exactly(store, components, count)
                    : create_with_needs(store, components, count);
}

bool bundle_uses(const Store *store, ecs_Component component) {
  const ChangeState *state = change_state(store);
  for (uint32_t i = 0; i < state->bundle_count; i++)
    if (bundle_has(state->bundles[i], component)) return true;
  return false;
}

/* Where the bundle of these components is kept. */
static Bundle **recent_place(Store *store, const ecs_Component *components,
                             uint32_t count) {
  ChangeState *state = change_state(store);
  uint32_t hash = count;
  for (uint32_t i = 0; i < count; i++) hash = hash * 31u + components[i];
  return &state->recent_bundles[hash % ECS_RECENT_BUNDLES];
}

Bundle *bundle_find_once(Store *store, const ecs_Component *components,
                         uint32_t count) {
  Bundle *bundle = *recent_place(store, components, count);
  return bundle && same_items(bundle, components, count) ? bundle : NULL;
}

Bundle *bundle_for_once(Store *store, const ecs_Component *components,
                        uint32_t count) {
  Bundle **place = recent_place(store, components, count);
  if (*place != NULL && same_items(*place, components, count)) return *place;
  Bundle *bundle = bundle_create(store, components, count);
  if (bundle == NULL) return NULL;
  bundle_destroy(store, *place);
  *place = bundle;
  return bundle;
}

ecs_Status bundle_ensure(Store *store, const ecs_Component *components,
                         uint32_t count, ecs_Bundle *id) {
  ChangeState *state = change_state(store);
  void *bundles = state->bundles;
  for (uint32_t i = 0; i < state->bundle_count; i++) {
    if (!same_items(state->bundles[i], components, count)) continue;
    *id = i + 1;
    return ECS_OK;
  }
  if (state->bundle_count >= ECS_BUNDLE_LIMIT)
    return memory_refuse(&store->memory, ECS_BUNDLE_LIMIT, "bundles",
                         "a world");
  if (!memory_grow(&store->memory, &bundles, &state->bundle_capacity,
                   state->bundle_count, 1, sizeof(Bundle *)))
    return ECS_E_MEMORY;
  state->bundles = bundles;
  Bundle *bundle = bundle_create(store, components, count);
  if (bundle == NULL) return ECS_E_MEMORY;
  state->bundles[state->bundle_count++] = bundle;
  *id = state->bundle_count;
  return ECS_OK;
}

/* Resolving ------------------------------------------------------------- */

static uint32_t ensure_group(Bundle *bundle, Group *group) {
  for (uint32_t i = 0; i < bundle->group_count; i++)
    if (bundle->groups[i].group == group) return i;
  ECS_ASSERT(bundle->group_count <= bundle->item_count);
  bundle->groups[bundle->group_count] = (BundleGroup){.group = group};
  return bundle->group_count++;
}

static void assign_groups(const Store *store, Bundle *bundle) {
  bundle->group_count = 0;
  ensure_group(bundle, store_main(store));
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    BundleItem *item = &bundle->items[i];
    const Component *component = &store->components.all[item->component];
    Group *group = component->group;
    item->group_index = ensure_group(bundle, group);
    item->bits_index = group->components[component->bit].bits_index;
    uint32_t columns = group_bits_columns(group, component->bit);
    BundleGroup *target = &bundle->groups[item->group_index];
    if (target->bits_columns < columns) target->bits_columns = columns;
  }
}

/* Finds or creates the table of one group. Its mask has the items that are
 * not stored as bits. */
static ecs_Status resolve_group(Store *store, Bundle *bundle, uint32_t index) {
  BundleGroup *target = &bundle->groups[index];
  uint32_t words = group_words(target->group);
  uint64_t few[8] = {0};
  uint64_t *mask = few;
  if (words > 8) mask = memory_zeroed(&store->memory, words, sizeof(uint64_t));
  if (mask == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    const BundleItem *item = &bundle->items[i];
    uint32_t bit = store->components.all[item->component].bit;
    if (item->group_index == index && item->bits_index == GROUP_NOT_BITS)
      mask[bit >> 6] |= UINT64_C(1) << (bit & 63u);
  }
  target->tables_before = target->group->table_count;
  ecs_Status status = group_ensure_table(
      target->group, &store->memory, mask_trim(mask, words), &target->table);
  if (mask != few) memory_free(&store->memory, mask, words * sizeof(uint64_t));
  return status;
}

/* Finds which of the fast paths of spawn_one the bundle may take. */
static void assign_paths(Bundle *bundle) {
  uint64_t version = bundle->layout_version;
  bool single = bundle->group_count == 1 && bundle->groups[0].bits_columns == 0;
  bool plain = single && bundle->given_count == bundle->item_count;
  for (uint32_t i = 0; i < bundle->column_count; i++)
    plain = plain && bundle->columns[i].type == ECS_F32;
  bundle->single_version = single ? version : UINT64_MAX;
  bundle->plain_version = plain ? version : UINT64_MAX;
}

static void assign_columns(const Store *store, Bundle *bundle) {
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    const BundleItem *item = &bundle->items[i];
    if (item->column_count == 0) continue;
    const Table *table = bundle->groups[item->group_index].table;
    const ColumnCode *codes =
        table_codes(table, store->components.all[item->component].bit);
    for (uint32_t k = 0; k < item->column_count; k++) {
      BundleColumn *column = &bundle->columns[item->first_column + k];
      column->group_index = item->group_index;
      column->code = codes[k];
      column->field = (uint16_t)(codes + k - table->codes);
      ECS_ASSERT(column->field < table->field_count);
    }
  }
}

/* Sorts the items that have columns by their columns. The table has no other
 * columns, so that each item's run begins where the one before ends. */
static void assign_runs(const Store *store, Bundle *bundle) {
  const BundleItem *items = bundle->items;
  bundle->run_count = 0;
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    uint32_t ins = bundle->run_count;
    if (items[i].column_count == 0) continue;
    uint32_t field = bundle->columns[items[i].first_column].field;
    for (; ins > 0; ins--) {
      const BundleItem *before = &items[bundle->runs[ins - 1].item];
      if (bundle->columns[before->first_column].field < field) break;
      bundle->runs[ins] = bundle->runs[ins - 1];
    }
    bundle->runs[ins] = (BundleRun){
        store->components.all[items[i].component].schema->default_image, i,
        items[i].column_count};
    bundle->run_count++;
  }
}

/* Drops the tables that resolving the first groups has created. */
static void drop_tables(Store *store, Bundle *bundle, uint32_t groups) {
  while (groups-- > 0)
    group_drop_tables(bundle->groups[groups].group, &store->memory,
                      bundle->groups[groups].tables_before);
  bundle_forget_layout(bundle);
}

ecs_Status bundle_resolve(Store *store, Bundle *bundle) {
  if (ECS_LIKELY(bundle->layout_version == store->layout_version))
    return ECS_OK;
  assign_groups(store, bundle);
  for (uint32_t i = 0; i < bundle->group_count; i++) {
    ecs_Status status = resolve_group(store, bundle, i);
    if (status == ECS_OK) continue;
    drop_tables(store, bundle, i);
    return status;
  }
  assign_columns(store, bundle);
  bundle->layout_version = store->layout_version;
  assign_paths(bundle);
  assign_runs(store, bundle);
  return ECS_OK;
}

void bundle_unresolve(Store *store, Bundle *bundle) {
  drop_tables(store, bundle, bundle->group_count);
}
