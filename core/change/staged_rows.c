/* staged_rows.c: the values of entities that are spawned later, row by row. */
#include "change/staged_rows.h"

void staged_rows_destroy(Store *store, StagedRows *staged) {
  Memory *memory = &store->memory;
  if (staged == NULL) return;
  table_destroy(staged->table, memory);
  if (staged->schemas != NULL)
    memory_free(memory, (void *)staged->schemas,
                staged->bundle->item_count * sizeof(Schema *));
  memory_free(memory, staged, sizeof(StagedRows));
}

/* A table with every item of the bundle in its mask. */
static ecs_Status create_table(Store *store, StagedRows *staged,
                               uint32_t count) {
  Memory *memory = &store->memory;
  uint32_t items = staged->bundle->item_count;
  uint32_t words = (items + 63u) / 64u;
  ecs_Status status = ECS_E_MEMORY;
  uint64_t *mask = memory_zeroed(memory, words, sizeof(uint64_t));
  if (mask == NULL && words > 0) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < items; i++) {
    const BundleItem *item = &staged->bundle->items[i];
    const Schema *schema = store->components.all[item->component].schema;
    staged->schemas[i] = schema->field_count > 0 ? schema : NULL;
    mask[i >> 6] |= UINT64_C(1) << (i & 63u);
  }
  staged->table =
      table_create(memory, staged->schemas, mask_trim(mask, words), &status);
  if (mask != NULL) memory_free(memory, mask, words * sizeof(uint64_t));
  return staged->table == NULL ? status
                               : table_reserve(staged->table, memory, count);
}

ecs_Status staged_rows_create(Store *store, const Bundle *bundle,
                              uint32_t count, StagedRows **created) {
  Memory *memory = &store->memory;
  uint32_t items = bundle->item_count;
  StagedRows *staged = memory_zeroed(memory, 1, sizeof(StagedRows));
  *created = NULL;
  if (staged == NULL) return ECS_E_MEMORY;
  staged->bundle = bundle;
  staged->schemas = memory_zeroed(memory, items, sizeof(Schema *));
  ecs_Status status = staged->schemas == NULL && items > 0
                          ? ECS_E_MEMORY
                          : create_table(store, staged, count);
  if (status == ECS_OK)
    *created = staged;
  else
    staged_rows_destroy(store, staged);
  return status;
}
