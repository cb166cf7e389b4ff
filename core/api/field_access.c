/* field_access.c: single fields of single entities, as numbers, for LuaJIT. */
#define ECS_DEFINES_API /* ecs.h */

#include "api/field_access.h"

#include <float.h>
#include <math.h>

#include "world/deferred_change.h"

void ecs_field_init(FieldAccess *access, ecs_World *const *world,
                    ecs_Component component) {
  *access = (FieldAccess){
      .world = world, .component = component, .layout_version = UINT64_MAX};
}

/* A number as a handle; 0, which is never alive, for a number that is no
 * handle. */
static ecs_Entity handle_of(double entity) {
  return id_is_handle(entity) ? (ecs_Entity)entity : 0;
}

/* NO, for a number that may be the entity of another world or time. What is no id
 * at all, such as a time, is a mistake: the ordinary call says so. */
static ECS_COLD FieldAnswer no(double entity) {
  bool whole = entity >= 0 && entity < 9007199254740992.0 &&
               entity == (double)(uint64_t)entity;
  return whole ? FIELD_NO : FIELD_ASK;
}

/* Finding ----------------------------------------------------------------- */

/* Always inlined: a call would cost as much as the work itself. */
#define IN_LINE static inline __attribute__((always_inline))

/* Instead of a row. ROW_ABSENT: the entity is dead or lacks the component.
 * ROW_UNKNOWN: the cache has no answer. */
#define ROW_ABSENT UINT32_MAX
#define ROW_UNKNOWN (UINT32_MAX - 1u)

IN_LINE bool is_row(uint32_t row) { return row <= ECS_INDEX_MASK; }

/* The index in a handle: its low bits, which the sum leaves in the mantissa.
 * Any other number gives some index, and no entity equals that number. */
IN_LINE uint32_t index_of(double entity) {
  double sum = entity + 4503599627370496.0;
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  return (uint32_t)bits & ECS_INDEX_MASK;
}

/* The row of an index in the accessed group, whichever entity has the index
 * now; no row: none. The caller compares the entity. */
IN_LINE RowId row_of_index(const FieldAccess *access, const Store *store,
                           uint32_t index) {
  if (ECS_UNLIKELY(access->group != NULL))
    return locator_find(&access->group->locator, index);
  if (ECS_UNLIKELY(index - 1u >= store->index.used - 1u))
    return (RowId){LOCATOR_NONE, 0};
  const Slot *slot = entity_index_slot(&store->index, index);
  return (RowId){slot->row_bits, slot_table(*slot)};
}

/* The row, if it is the entity's. */
IN_LINE uint32_t check_owner(const FieldTable *cached, RowId row_id,
                             double entity) {
  ECS_ASSERT(cached->table->id == row_id.table);
  ECS_ASSERT(row_id.row < cached->table->count);
  double owner = (double)(int64_t)cached->table->entities[row_id.row];
  return ECS_LIKELY(owner == entity) ? row_id.row : ROW_ABSENT;
}

/* The row of an entity by the cache, and the cached table, which is valid only
 * with a row. Most worlds have one table with the component; then only the load
 * of the element depends on the table's id. */
IN_LINE uint32_t ask_cache(const FieldAccess *access, const Store *store,
                           double entity, const FieldTable **table) {
  if (ECS_UNLIKELY(access->layout_version != store->layout_version))
    return ROW_UNKNOWN;
  RowId row_id = row_of_index(access, store, index_of(entity));
  if (ECS_UNLIKELY(!is_row(row_id.row))) return ROW_ABSENT;
  if (ECS_LIKELY(!access->many)) {
    *table = &access->lone;
    return ECS_LIKELY(access->lone.id == row_id.table)
               ? check_owner(&access->lone, row_id, entity)
               : ROW_UNKNOWN;
  }
  const FieldTable *cached = &access->known[row_id.table % FIELD_TABLES];
  if (ECS_UNLIKELY(cached->id != row_id.table))
    return cached->without == row_id.table ? ROW_ABSENT : ROW_UNKNOWN;
  *table = cached;
  return check_owner(cached, row_id, entity);
}

/* The store's answer: the entity's row in the accessed group, whether or not
 * its table has the component; table NULL: no row. */
static inline RowRef ask_store(const FieldAccess *access, const Store *store,
                               double entity) {
  ecs_Entity handle = handle_of(entity);
  RowRef main = store_locate_main(store, handle);
  if (main.table == NULL || access->group == NULL) return main;
  return store_locate_in(access->group, id_index(handle));
}

/* True: the cache has the table, and the component's columns, if it has any,
 * where the table has them. */
static inline bool has_columns_of(const FieldTable *cached, const Table *table,
                                  const Component *component) {
  return cached->table == table &&
         (component->field_count == 0 ||
          cached->columns == table_fields(table, component->bit));
}

/* Checked builds: the store gives the same answer as the cache. */
static ECS_ASSERT_ONLY bool agrees(const FieldAccess *access,
                                   const Store *store, double entity,
                                   const FieldTable *const *cached,
                                   uint32_t row) {
  if (row == ROW_UNKNOWN) return true;
  RowRef found = ask_store(access, store, entity);
  if (access->component == 0)
    return found.table == NULL
               ? row == ROW_ABSENT
               : row == found.row && (*cached)->table == found.table;
  const Component *component = &store->components.all[access->component];
  bool has = found.table != NULL && table_has(found.table, component->bit);
  if (!has || row == ROW_ABSENT) return !has && row == ROW_ABSENT;
  return row == found.row && has_columns_of(*cached, found.table, component);
}

IN_LINE uint32_t find_cached(const FieldAccess *access, const Store *store,
                             double entity, const FieldTable **table) {
  uint32_t row = ask_cache(access, store, entity, table);
  ECS_ASSERT(agrees(access, store, entity, table, row));
  return row;
}

static void find_layout(FieldAccess *access, const Store *store) {
  const Component *component = &store->components.all[access->component];
  bool none = access->component == 0;
  ECS_ASSERT(access->component < store->components.count);
  access->group = none || component->group_id == 0
                      ? NULL
                      : store->groups.all[component->group_id];
  access->schema = none ? NULL : component->schema;
  access->plain = access->schema != NULL && access->schema->uniform == ECS_F32;
  for (uint32_t i = 0; i < FIELD_TABLES; i++)
    access->known[i] =
        (FieldTable){FIELD_NO_TABLE, FIELD_NO_TABLE, NULL, NULL, 0};
  access->lone = access->known[0];
  access->many = false;
  access->layout_version = store->layout_version;
}

/* Caches a table, in the place of the table with the same low bits of the
 * id. */
static void remember(FieldAccess *access, const Store *store,
                     const Table *table) {
  FieldTable *place = &access->known[table->id % FIELD_TABLES];
  FieldTable fresh = {table->id, place->without, table, NULL, 0};
  ECS_ASSERT(access->layout_version == store->layout_version);
  access->many = access->many || access->lone.id != FIELD_NO_TABLE;
  if (access->component != 0) {
    const Component *component = &store->components.all[access->component];
    ECS_ASSERT(!component_is_bits(component));
    if (!table_has(table, component->bit)) {
      place->without = table->id;
      access->many = true;
      return;
    }
    if (access->schema->field_count > 0)
      fresh.columns = table_fields(table, component->bit);
  }
  *place = fresh;
  access->lone = fresh;
}

/* The same, if the entity's table is not cached: caches it. */
static ECS_COLD uint32_t find_slowly(FieldAccess *access, const Store *store,
                                     double entity, const FieldTable **table) {
  if (access->layout_version != store->layout_version)
    find_layout(access, store);
  RowRef found = ask_store(access, store, entity);
  if (found.table == NULL) return ROW_ABSENT;
  remember(access, store, found.table);
  uint32_t row = find_cached(access, store, entity, table);
  ECS_ASSERT(row != ROW_UNKNOWN);
  return row;
}

/* The row of an entity and its cached table; ROW_ABSENT. Caches the table. */
IN_LINE uint32_t find(FieldAccess *access, const Store *store, double entity,
                      const FieldTable **table) {
  uint32_t row = find_cached(access, store, entity, table);
  return ECS_LIKELY(row != ROW_UNKNOWN)
             ? row
             : find_slowly(access, store, entity, table);
}

/* Reading ----------------------------------------------------------------- */

/* One field of a row in a cached table. */
IN_LINE double load(const FieldAccess *access, const FieldTable *table,
                    uint32_t field, uint32_t row) {
  ECS_ASSERT(field < access->schema->field_count);
  const char *column = table->columns[field];
  if (ECS_LIKELY(access->plain)) return (double)((const LooseF32 *)column)[row];
  const SchemaField *type = &access->schema->fields[field];
  return ecs_scalar_load(type->type, column + ((size_t)row << type->shift));
}

/* The store to read from; NULL: the world was destroyed, or an open cursor
 * writes the component. */
IN_LINE const Store *open_to_read(const FieldAccess *access) {
  const ecs_World *world = *access->world;
  ECS_ASSERT(world == NULL || world_has_component(world, access->component));
  if (ECS_UNLIKELY(world == NULL ||
                   world->store.components.all[access->component].writers > 0))
    return NULL;
  return &world->store;
}

/* Functions ending in _slowly are not inlined, so that their callers save no
 * registers for them. */
static ECS_COLD double get_slowly(FieldAccess *access, const Store *store,
                                  double entity, uint32_t field) {
  const FieldTable *table;
  uint32_t row = find_slowly(access, store, entity, &table);
  return is_row(row) ? load(access, table, field, row) : (double)NAN;
}

double ecs_field_get(FieldAccess *access, double entity, uint32_t field) {
  const FieldTable *table;
  const Store *store = open_to_read(access);
  if (ECS_UNLIKELY(store == NULL)) return (double)NAN;
  uint32_t row = find_cached(access, store, entity, &table);
  if (ECS_LIKELY(is_row(row))) return load(access, table, field, row);
  return row == ROW_ABSENT ? (double)NAN
                           : get_slowly(access, store, entity, field);
}

FieldAnswer ecs_field_present(FieldAccess *access, double entity) {
  const FieldTable *table;
  const Store *store = open_to_read(access);
  if (store == NULL) return FIELD_ASK;
  return is_row(find(access, store, entity, &table)) ? FIELD_YES : no(entity);
}

static ECS_COLD FieldAnswer pair_slowly(FieldAccess *access, const Store *store,
                                        double entity, uint32_t first,
                                        uint32_t second, double *values) {
  const FieldTable *table;
  uint32_t row = find(access, store, entity, &table);
  if (!is_row(row)) return no(entity);
  values[0] = load(access, table, first, row);
  values[1] = load(access, table, second, row);
  return FIELD_YES;
}

FieldAnswer ecs_field_pair(FieldAccess *access, double entity, uint32_t first,
                           uint32_t second, double *values) {
  const FieldTable *table;
  const Store *store = open_to_read(access);
  if (ECS_UNLIKELY(store == NULL)) return FIELD_ASK;
  uint32_t row = find_cached(access, store, entity, &table);
  if (ECS_UNLIKELY(!is_row(row) || !access->plain))
    return pair_slowly(access, store, entity, first, second, values);
  values[0] = (double)((const LooseF32 *)table->columns[first])[row];
  values[1] = (double)((const LooseF32 *)table->columns[second])[row];
  return FIELD_YES;
}

FieldAnswer ecs_field_all(FieldAccess *access, double entity, double *values) {
  const FieldTable *table;
  const Store *store = open_to_read(access);
  if (ECS_UNLIKELY(store == NULL)) return FIELD_ASK;
  uint32_t row = find(access, store, entity, &table);
  if (!is_row(row)) return no(entity);
  for (uint32_t f = 0; f < access->schema->field_count; f++)
    values[f] = load(access, table, f, row);
  return FIELD_YES;
}

FieldAnswer ecs_fields_get(FieldSelection *selection, double entity,
                           double *values) {
  const FieldTable *table;
  FieldAccess *access = &selection->access;
  const Store *store = open_to_read(access);
  if (ECS_UNLIKELY(store == NULL)) return FIELD_ASK;
  uint32_t row = find(access, store, entity, &table);
  if (!is_row(row)) return no(entity);
  for (uint32_t k = 0; k < selection->count; k++)
    values[k] = load(access, table, selection->fields[k], row);
  return FIELD_YES;
}

/* Writing ----------------------------------------------------------------- */

/* Converts a number and stores it in one field. False: the field's type cannot
 * hold it. */
static ECS_COLD bool store_number(const FieldAccess *access,
                                  const FieldTable *table, uint32_t field,
                                  uint32_t row, double value) {
  ECS_ASSERT(field < access->schema->field_count && row < table->table->count);
  const SchemaField *type = &access->schema->fields[field];
  uint64_t element = 0;
  if (ecs_scalar_store(type->type, &element, value) != ECS_OK) return false;
  element_copy(table->columns[field] + ((size_t)row << type->shift), &element,
               type->shift);
  return true;
}

static ECS_COLD bool set_slowly(FieldAccess *access, const Store *store,
                                double entity, uint32_t field, double value) {
  const FieldTable *table;
  uint32_t row = find(access, store, entity, &table);
  return is_row(row) && store_number(access, table, field, row, value);
}

/* In line for f32 fields and finite values. The count of readers includes
 * writers. While anything is recorded, every call is made in the ordinary way:
 * this entity may have records. */
int32_t ecs_field_set(FieldAccess *access, double entity, uint32_t field,
                      double value) {
  const FieldTable *table;
  const ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL ||
                   component_is_guarded(
                       &world->store.components.all[access->component]) ||
                   world->commands.entity_count > 0))
    return false;
  const Store *store = &world->store;
  uint32_t row = find_cached(access, store, entity, &table);
  if (ECS_UNLIKELY(!is_row(row)))
    return set_slowly(access, store, entity, field, value);
  if (ECS_UNLIKELY(!access->plain || !(value >= -FLT_MAX && value <= FLT_MAX)))
    return store_number(access, table, field, row, value);
  ((LooseF32 *)table->columns[field])[row] = (float)value;
  return true;
}

/* True: each number is finite as an f32. */
static bool fit_f32(const double *values, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (!(values[k] >= -FLT_MAX && values[k] <= FLT_MAX)) return false;
  return true;
}

/* Converts all numbers before it stores the first. */
static bool store_numbers(const FieldSelection *selection,
                          const FieldTable *table, uint32_t row,
                          const double *values) {
  const SchemaField *fields = selection->access.schema->fields;
  uint64_t elements[ECS_FIELD_LIMIT];
  ECS_ASSERT(selection->count <= ECS_FIELD_LIMIT);
  for (uint32_t k = 0; k < selection->count; k++)
    if (ecs_scalar_store(fields[selection->fields[k]].type, &elements[k],
                         values[k]) != ECS_OK)
      return false;
  for (uint32_t k = 0; k < selection->count; k++) {
    uint32_t field = selection->fields[k], shift = fields[field].shift;
    element_copy(table->columns[field] + ((size_t)row << shift), &elements[k],
                 shift);
  }
  return true;
}

int32_t ecs_fields_set(FieldSelection *selection, double entity,
                       const double *values) {
  const FieldTable *table;
  FieldAccess *access = &selection->access;
  const ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL ||
                   component_is_guarded(
                       &world->store.components.all[access->component]) ||
                   world->commands.entity_count > 0))
    return false;
  uint32_t row = find(access, &world->store, entity, &table);
  if (ECS_UNLIKELY(!is_row(row))) return false;
  if (ECS_UNLIKELY(!access->plain || !fit_f32(values, selection->count)))
    return store_numbers(selection, table, row, values);
  for (uint32_t k = 0; k < selection->count; k++)
    ((LooseF32 *)table->columns[selection->fields[k]])[row] = (float)values[k];
  return true;
}

/* Presence ---------------------------------------------------------------- */

/* Whether an entity has a tag stored as bits depends on its row and not on its
 * table. So no table is cached for such a tag, and every call comes here. */
static ECS_COLD FieldAnswer has_slowly(FieldAccess *access,
                                       const ecs_World *world, double entity) {
  const FieldTable *table;
  ecs_Component component = access->component;
  bool has = component_is_bits(&world->store.components.all[component])
                 ? world_has(world, handle_of(entity), component)
                 : is_row(find_slowly(access, &world->store, entity, &table));
  return has ? FIELD_YES : no(entity);
}

FieldAnswer ecs_field_has(FieldAccess *access, double entity) {
  const FieldTable *table;
  const ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL)) return FIELD_ASK;
  uint32_t row = find_cached(access, &world->store, entity, &table);
  if (ECS_UNLIKELY(row == ROW_UNKNOWN))
    return has_slowly(access, world, entity);
  return ECS_LIKELY(row != ROW_ABSENT) ? FIELD_YES : no(entity);
}

FieldAnswer ecs_fields_has(FieldAccess *accesses, uint32_t count,
                           double entity) {
  FieldAnswer answer = FIELD_YES;
  for (uint32_t k = 0; k < count && answer == FIELD_YES; k++)
    answer = ecs_field_has(&accesses[k], entity);
  return answer;
}

/* For an entity that is dead, has records or no row yet, or is in a table that
 * is not cached. */
static ECS_COLD FieldAnswer alive_slowly(FieldAccess *access,
                                         const ecs_World *world,
                                         double entity) {
  const FieldTable *table;
  find(access, &world->store, entity, &table);
  return world_alive(world, handle_of(entity)) ? FIELD_YES : no(entity);
}

/* An entity with a row is alive, unless its destruction is recorded. */
FieldAnswer ecs_field_alive(FieldAccess *access, double entity) {
  const FieldTable *table;
  const ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL)) return FIELD_ASK;
  return ECS_LIKELY(world->commands.entity_count == 0 &&
                    is_row(find_cached(access, &world->store, entity, &table)))
             ? FIELD_YES
             : alive_slowly(access, world, entity);
}

/* Changing ---------------------------------------------------------------- */

/* The caller repeats a call that failed in the ordinary way, which reports the
 * reason. */
static inline FieldAnswer answer_of(const ecs_World *world, ecs_Status status) {
  if (ECS_UNLIKELY(status != ECS_OK)) return FIELD_ASK;
  return ECS_LIKELY(world->observers.waiting == 0) ? FIELD_YES : FIELD_TELL;
}

FieldAnswer ecs_field_add(const FieldAccess *access, double entity) {
  ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL)) return FIELD_ASK;
  ECS_ASSERT(world_has_component(world, access->component));
  return answer_of(
      world, world_add(world, handle_of(entity), access->component, NULL));
}

FieldAnswer ecs_field_remove(const FieldAccess *access, double entity) {
  ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL)) return FIELD_ASK;
  ECS_ASSERT(world_has_component(world, access->component));
  return answer_of(world,
                   world_remove(world, handle_of(entity), access->component));
}

FieldAnswer ecs_field_destroy(const FieldAccess *access, double entity) {
  ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL)) return FIELD_ASK;
  ecs_Status status = world_destroy(world, handle_of(entity));
  return status == ECS_E_DEAD ? no(entity) : answer_of(world, status);
}
