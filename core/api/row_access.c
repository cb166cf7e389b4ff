/* row_access.c: the part of ecs_access.h that is in the library.
 *
 * An ecs_Rows holds what its inline functions need of the world's layout, for
 * one row epoch and the claims of that time. Here it is made, brought up to
 * date, and told tables.
 *
 *      epoch differs --> renew: claims, pages, the set's table; no other
 *      table differs --> learn: the table's word and columns
 *
 * The header knows slots (storage/slot.h), pages of slots and of locators, and
 * the sizes of its own types. The assertions below hold both together; whoever
 * changes one of these changes ECS_ROWS_LAYOUT, so that programs that were
 * compiled before are refused.
 */
#define ECS_DEFINES_API /* ecs.h */

#include "ecs_access.h"

#include "base/misuse.h"
#include "storage/table_image.h"
#include "world/deferral.h"
#include "world/deferred_change.h"

_Static_assert(ECS_ROWS_PAGE_BITS == ECS_PAGE_BITS &&
                   ECS_ROWS_SET_BITS == ECS_LOCATOR_BITS,
               "pages of the header");
_Static_assert(ECS_ROWS_GENERATIONS == ECS_SLOT_GENERATIONS, "generations");
_Static_assert(sizeof(Slot) == 8 && offsetof(Slot, row_bits) == 0 &&
                   offsetof(Slot, table_bits) == 4,
               "slots of the header");
_Static_assert(ECS_INDEX_BITS == 28 && SLOT_HINT_SHIFT == 27 &&
                   SLOT_TABLE_MASK == 0xffffffu && SLOT_PLACED == 0,
               "words of the header");
_Static_assert(LOCATOR_FRESH == UINT32_MAX - 1u && LOCATOR_NONE == UINT32_MAX,
               "entries of the header");
_Static_assert(ECS_FIELD_LIMIT == 64 && ECS_SCALAR_COUNT <= 16,
               "fields of the header");
_Static_assert(SCALAR_QUIET_F32 == 0x7fc00000u &&
                   SCALAR_QUIET_F64 == UINT64_C(0x7ff8000000000000),
               "NaNs of the header");
_Static_assert(ECS_ROWS_LAYOUT == 3 && sizeof(ecs_Rows) == 368,
               "a new layout needs a new number");

/* The bits that a word of no table has: none of those that are asked for is
 * compared with them. */
#define NO_TABLE UINT64_MAX

/* Nothing is in line until the rest is found. */
static void forget(ecs_Rows *rows) {
  rows->limit = rows->set_limit = 0;
  rows->bases = NULL;
  rows->set_pages = NULL;
  rows->entities = NULL;
  rows->many = false;
  rows->lone = (ecs_RowsTable){NO_TABLE, NULL};
  for (uint32_t i = 0; i < ECS_ROWS_TABLES; i++)
    rows->tables[i] = (ecs_RowsTable){NO_TABLE, NULL};
}

/* The main group: rows are in slots. */
static void use_slots(ecs_Rows *rows, const EntityIndex *index) {
  rows->bases = index->bases;
  rows->limit = index->slot_count;
}

/* A sparse set: rows are in its locator. Pages never move, but their array may,
 * when it grows and nothing else has changed yet: so the address of its address
 * is kept. */
static void use_set(ecs_Rows *rows, const Group *group, uint32_t bit) {
  const Table *table = group->first;
  if (group->table_count == 0 || table->count == 0) return;
  rows->set_pages =
      (const void *const *const *)(const void *)&group->locator.pages;
  rows->set_limit = group->locator.page_count << ECS_LOCATOR_BITS;
  rows->entities = table->entities;
  rows->lone.columns = (void *const *)table_fields(table, bit);
}

/* Brings everything up to date with the world. */
static void renew(ecs_Rows *rows) {
  const Store *store = &rows->world->store;
  const Component *component = &store->components.all[rows->component];
  uint64_t epoch = store->row_epoch;
  forget(rows);
  if (component->group_id == 0)
    use_slots(rows, &store->index);
  else if (component->group->locator.narrow)
    use_set(rows, component->group, component->bit);
  rows->held_epoch = epoch;
  rows->read_epoch = component->writers > 0 ? ~epoch : epoch;
  bool free = !component_is_guarded(component) &&
              rows->world->commands.entity_count == 0;
  rows->write_epoch = free ? epoch : ~epoch;
}

/* Remembers a table of the main group. While there is only one, it is found
 * without a look-up, which takes a fifth less. */
static void learn(ecs_Rows *rows, const Table *table, uint32_t bit) {
  ecs_RowsTable found = {(uint64_t)table->id << 32,
                         (void *const *)table_fields(table, bit)};
  if (!rows->many && rows->lone.known == NO_TABLE) {
    rows->lone = found;
    return;
  }
  if (rows->lone.known != NO_TABLE && rows->lone.known != found.known)
    rows->tables[rows->lone.known >> 32 & (ECS_ROWS_TABLES - 1u)] = rows->lone;
  rows->tables[table->id % ECS_ROWS_TABLES] = found;
  rows->lone = (ecs_RowsTable){NO_TABLE, NULL};
  rows->many = true;
}

ecs_Status ecs_rows_prepare(ecs_World *world, ecs_Component component,
                            uint32_t abi, size_t bytes, ecs_Rows *rows) {
  ECS_MUST_LIVE(WORLD, world);
  if (abi != ECS_ROWS_ABI || bytes != sizeof(ecs_Rows)) return ECS_E_ABI;
  if (rows == NULL) return ECS_E_ARGUMENT;
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  const Schema *schema = world->store.components.all[component].schema;
  if (schema->field_count == 0) return ECS_E_COMPONENT;
  *rows = (ecs_Rows){.epoch = &world->store.row_epoch,
                     .field_count = schema->field_count,
                     .uniform = (uint32_t)schema->uniform,
                     .component = component,
                     .world = world};
  for (uint32_t i = 0; i < schema->field_count; i++)
    rows->fields[i] = (uint16_t)(schema->fields[i].offset << 4 |
                                 (uint32_t)schema->fields[i].type);
  renew(rows);
  return ECS_OK;
}

/* ECS_E_OPEN: changes of the entity are recorded. */
static ecs_Status locate(ecs_Rows *rows, ecs_Entity entity, bool to_write,
                         ecs_Row *row) {
  ecs_World *world = rows->world;
  const Store *store = &world->store;
  const Component *component = &store->components.all[rows->component];
  Table *table = NULL;
  uint32_t index = 0;
  if (to_write) store_wrote(&world->store, rows->component);
  if (rows->held_epoch != store->row_epoch) renew(rows);
  if ((to_write ? component->readers : component->writers) > 0)
    return world_refuse_access(world, rows->component);
  ecs_Status status =
      store_locate_columns(store, component, entity, &table, &index);
  if (status != ECS_OK) return world_absence(world, entity, status);
  bool linked = component->link_count > 0; /* its changes are recorded */
  if (to_write && (linked || recorded_commands(world, entity) != NULL))
    return ECS_E_OPEN;
  if (to_write) table_stamp(table, component->bit, index, 1);
  if (component->group_id == 0 && !linked) learn(rows, table, component->bit);
  row->columns = (void *const *)table_fields(table, component->bit);
  row->index = index;
  return ECS_OK;
}

ecs_Row ecs_rows_locate(ecs_Rows *rows, ecs_Entity entity, bool to_write) {
  ecs_Row row = {NULL, 0};
  ECS_MUST_LIVE(WORLD, rows->world);
  rows->status = locate(rows, entity, to_write, &row);
  ECS_ASSERT((row.columns == NULL) == (rows->status != ECS_OK));
  return row;
}

/* The entity has the component and records, or ecs_rows_write would not have
 * answered ECS_E_OPEN. */
ecs_Status ecs_rows_record(ecs_Rows *rows, ecs_Entity entity,
                           const void *image) {
  ECS_MUST_LIVE(WORLD, rows->world);
  if (image == NULL) return ECS_E_ARGUMENT;
  return world_store(rows->world, entity, rows->component, image, UINT64_MAX);
}

void ecs_rows_verify(const ecs_Rows *rows, ecs_Entity entity,
                     const ecs_Row *row) {
#ifdef ECS_CHECKED
  if (rows == NULL) misuse_report(__func__, "rows is NULL");
  ECS_MUST_LIVE(WORLD, rows->world);
  if (row == NULL) return;
  const Store *store = &rows->world->store;
  const Component *component = &store->components.all[rows->component];
  Table *table = NULL;
  uint32_t index = 0;
  ECS_ASSERT(store_locate_columns(store, component, entity, &table, &index) ==
             ECS_OK);
  ECS_ASSERT(row->index == index && rows->held_epoch == store->row_epoch);
  ECS_ASSERT(row->columns ==
             (void *const *)table_fields(table, component->bit));
#endif
  (void)rows;
  (void)entity;
  (void)row;
}
