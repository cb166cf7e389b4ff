/* field_access.c: single fields of single entities, as numbers, for LuaJIT. */
#include "api/field_access.h"

#include <float.h>
#include <math.h>

#include "world/world.h"

void ecs_field_init(FieldAccess *access, ecs_World *const *world,
                    ecs_Component component) {
  *access = (FieldAccess){
      .world = world, .component = component, .layout_version = UINT64_MAX};
}

static ecs_Entity handle_of(double entity) {
  return id_is_handle(entity) ? (ecs_Entity)entity : 0;
}

/* Finding ----------------------------------------------------------------- */

/* A call for one of these costs as much as what it does. */
#define IN_LINE static inline __attribute__((always_inline))

/* Instead of a row: the entity has not got the component (it may be dead), or
 * nothing is remembered of its table. */
#define ROW_ABSENT UINT32_MAX
#define ROW_UNKNOWN (UINT32_MAX - 1u)

IN_LINE bool is_row(uint32_t row) { return row <= ECS_INDEX_MASK; }

/* The index that a handle has: its low bits, as the sum leaves them in the
 * mantissa. Anything else gives some index, whose owner is another number. */
IN_LINE uint32_t index_of(double entity) {
  double sum = entity + 4503599627370496.0;
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  return (uint32_t)bits & ECS_INDEX_MASK;
}

/* Where whoever has this index now is in the group; no row: nowhere. */
IN_LINE RowId place_of(const FieldAccess *access, const Store *store,
                       uint32_t at) {
  if (ECS_UNLIKELY(access->group != NULL))
    return locator_find(&access->group->locator, at);
  if (ECS_UNLIKELY(at - 1u >= store->index.used - 1u))
    return (RowId){LOCATOR_NONE, 0};
  const Slot *slot = entity_index_slot(&store->index, at);
  return (RowId){slot->row_bits, slot_table(*slot)};
}

/* The row of whoever is at a place, if that is the entity. */
IN_LINE uint32_t owned_row(const FieldTable *known, RowId place,
                           double entity) {
  double owner = (double)(int64_t)known->table->entities[place.row];
  return ECS_LIKELY(owner == entity) ? place.row : ROW_ABSENT;
}

/* The row of an entity, and what is remembered of its table. Most worlds that
 * are asked in a hurry have one table to ask of, and then nothing but the
 * element waits for its id. */
IN_LINE uint32_t known_row(const FieldAccess *access, const Store *store,
                           double entity, const FieldTable **found) {
  if (ECS_UNLIKELY(access->layout_version != store->layout_version))
    return ROW_UNKNOWN;
  RowId place = place_of(access, store, index_of(entity));
  if (ECS_UNLIKELY(!is_row(place.row))) return ROW_ABSENT;
  if (ECS_LIKELY(!access->many)) {
    *found = &access->lone;
    return ECS_LIKELY(access->lone.id == place.table)
               ? owned_row(&access->lone, place, entity)
               : ROW_UNKNOWN;
  }
  const FieldTable *known = &access->known[place.table % FIELD_TABLES];
  if (ECS_UNLIKELY(known->id != place.table))
    return known->without == place.table ? ROW_ABSENT : ROW_UNKNOWN;
  *found = known;
  return owned_row(known, place, entity);
}

static void find_layout(FieldAccess *access, const Store *store) {
  const Component *what = &store->components[access->component];
  uint32_t group = access->component == 0 ? 0 : what->group_id;
  access->group = group == 0 ? NULL : store->groups[group];
  access->schema = access->component == 0 ? NULL : what->schema;
  access->plain = access->schema != NULL && access->schema->uniform == ECS_F32;
  for (uint32_t i = 0; i < FIELD_TABLES; i++)
    access->known[i] =
        (FieldTable){FIELD_NO_TABLE, FIELD_NO_TABLE, NULL, NULL, 0};
  access->lone = access->known[0];
  access->many = false;
  access->layout_version = store->layout_version;
}

/* Remembers a table in the place of one whose id ends alike. */
static void remember(FieldAccess *access, const Store *store,
                     const Table *table) {
  FieldTable *known = &access->known[table->id % FIELD_TABLES];
  FieldTable fresh = {table->id, known->without, table, NULL, 0};
  access->many = access->many || access->lone.id != FIELD_NO_TABLE;
  if (access->component != 0) {
    uint32_t bit = store->components[access->component].bit;
    if (!table_has(table, bit)) {
      known->without = table->id;
      access->many = true;
      return;
    }
    if (access->schema->field_count > 0)
      fresh.columns = table_fields(table, bit);
  }
  *known = fresh;
  access->lone = fresh;
}

/* known_row after the entity's table was met. */
static ECS_COLD uint32_t meet(FieldAccess *access, const Store *store,
                              double entity, const FieldTable **found) {
  if (access->layout_version != store->layout_version)
    find_layout(access, store);
  RowId place = place_of(access, store, index_of(entity));
  if (!is_row(place.row)) return ROW_ABSENT;
  const Group *group =
      access->group == NULL ? store_main(store) : access->group;
  remember(access, store, group->tables[place.table]);
  return known_row(access, store, entity, found);
}

IN_LINE uint32_t find(FieldAccess *access, const Store *store, double entity,
                      const FieldTable **found) {
  uint32_t row = known_row(access, store, entity, found);
  return ECS_LIKELY(row != ROW_UNKNOWN) ? row
                                        : meet(access, store, entity, found);
}

/* Reading ----------------------------------------------------------------- */

/* One field in a row that was found. */
IN_LINE double load(const FieldAccess *access, const FieldTable *known,
                    uint32_t field, uint32_t row) {
  const char *column = known->columns[field];
  if (ECS_LIKELY(access->plain)) return (double)((const LooseF32 *)column)[row];
  const SchemaField *type = &access->schema->fields[field];
  return ecs_scalar_load(type->type, column + ((size_t)row << type->shift));
}

/* The world, unless it is gone or an open cursor writes the component. */
IN_LINE const Store *open_to_read(const FieldAccess *access) {
  const ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL ||
                   world->store.components[access->component].writers > 0))
    return NULL;
  return &world->store;
}

/* What ends in _slowly keeps registers free in what it is called by. */
static ECS_COLD double get_slowly(FieldAccess *access, const Store *store,
                                  double entity, uint32_t field) {
  const FieldTable *known;
  uint32_t row = meet(access, store, entity, &known);
  return is_row(row) ? load(access, known, field, row) : (double)NAN;
}

double ecs_field_get(FieldAccess *access, double entity, uint32_t field) {
  const FieldTable *known;
  const Store *store = open_to_read(access);
  if (ECS_UNLIKELY(store == NULL)) return (double)NAN;
  uint32_t row = known_row(access, store, entity, &known);
  if (ECS_LIKELY(is_row(row))) return load(access, known, field, row);
  return row == ROW_ABSENT ? (double)NAN
                           : get_slowly(access, store, entity, field);
}

FieldAnswer ecs_field_present(FieldAccess *access, double entity) {
  const FieldTable *known;
  const Store *store = open_to_read(access);
  if (store == NULL) return FIELD_ASK;
  return is_row(find(access, store, entity, &known)) ? FIELD_YES : FIELD_NO;
}

static ECS_COLD FieldAnswer pair_slowly(FieldAccess *access, const Store *store,
                                        double entity, uint32_t first,
                                        uint32_t second, double *values) {
  const FieldTable *known;
  uint32_t row = find(access, store, entity, &known);
  if (!is_row(row)) return FIELD_NO;
  values[0] = load(access, known, first, row);
  values[1] = load(access, known, second, row);
  return FIELD_YES;
}

FieldAnswer ecs_field_pair(FieldAccess *access, double entity, uint32_t first,
                           uint32_t second, double *values) {
  const FieldTable *known;
  const Store *store = open_to_read(access);
  if (ECS_UNLIKELY(store == NULL)) return FIELD_ASK;
  uint32_t row = known_row(access, store, entity, &known);
  if (ECS_UNLIKELY(!is_row(row) || !access->plain))
    return pair_slowly(access, store, entity, first, second, values);
  values[0] = (double)((const LooseF32 *)known->columns[first])[row];
  values[1] = (double)((const LooseF32 *)known->columns[second])[row];
  return FIELD_YES;
}

FieldAnswer ecs_field_all(FieldAccess *access, double entity, double *values) {
  const FieldTable *known;
  const Store *store = open_to_read(access);
  if (ECS_UNLIKELY(store == NULL)) return FIELD_ASK;
  uint32_t row = find(access, store, entity, &known);
  if (!is_row(row)) return FIELD_NO;
  for (uint32_t f = 0; f < access->schema->field_count; f++)
    values[f] = load(access, known, f, row);
  return FIELD_YES;
}

/* Writing ----------------------------------------------------------------- */

static ECS_COLD bool store_number(const FieldAccess *access,
                                  const FieldTable *known, uint32_t field,
                                  uint32_t row, double value) {
  const SchemaField *type = &access->schema->fields[field];
  uint64_t element = 0;
  if (ecs_scalar_store(type->type, &element, value) != ECS_OK) return false;
  element_copy(known->columns[field] + ((size_t)row << type->shift), &element,
               type->shift);
  return true;
}

static ECS_COLD bool set_slowly(FieldAccess *access, const Store *store,
                                double entity, uint32_t field, double value) {
  const FieldTable *known;
  uint32_t row = find(access, store, entity, &known);
  return is_row(row) && store_number(access, known, field, row, value);
}

/* In line for an f32 that is neither infinite nor not a number. Readers count
 * writers, too. What is recorded for any entity sends all to the ordinary way:
 * it may be this one. */
bool ecs_field_set(FieldAccess *access, double entity, uint32_t field,
                   double value) {
  const FieldTable *known;
  const ecs_World *outer = *access->world;
  if (ECS_UNLIKELY(outer == NULL ||
                   outer->store.components[access->component].readers > 0 ||
                   outer->commands.entity_count > 0))
    return false;
  const Store *store = &outer->store;
  uint32_t row = known_row(access, store, entity, &known);
  if (ECS_UNLIKELY(!is_row(row)))
    return set_slowly(access, store, entity, field, value);
  if (ECS_UNLIKELY(!access->plain || !(value >= -FLT_MAX && value <= FLT_MAX)))
    return store_number(access, known, field, row, value);
  ((LooseF32 *)known->columns[field])[row] = (float)value;
  return true;
}

/* Asking ------------------------------------------------------------------ */

/* A tag stored as bits is a matter of each row, so that nothing is remembered
 * for it and every question comes here. */
static ECS_COLD FieldAnswer has_slowly(FieldAccess *access,
                                       const ecs_World *world, double entity) {
  const FieldTable *known;
  ecs_Component component = access->component;
  bool has = world->store.components[component].storage == ECS_STORE_BITS
                 ? ecs_has(world, handle_of(entity), component)
                 : is_row(meet(access, &world->store, entity, &known));
  return has ? FIELD_YES : FIELD_NO;
}

FieldAnswer ecs_field_has(FieldAccess *access, double entity) {
  const FieldTable *known;
  const ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL)) return FIELD_ASK;
  uint32_t row = known_row(access, &world->store, entity, &known);
  if (ECS_UNLIKELY(row == ROW_UNKNOWN))
    return has_slowly(access, world, entity);
  return row == ROW_ABSENT ? FIELD_NO : FIELD_YES;
}

/* For whoever is recorded, or waits for a place, or is dead, and for the first
 * of a table. */
static ECS_COLD FieldAnswer alive_slowly(FieldAccess *access,
                                         const ecs_World *world,
                                         double entity) {
  const FieldTable *known;
  find(access, &world->store, entity, &known);
  return ecs_alive(world, handle_of(entity)) ? FIELD_YES : FIELD_NO;
}

/* Who has a place is alive, unless its end is recorded. */
FieldAnswer ecs_field_alive(FieldAccess *access, double entity) {
  const FieldTable *known;
  const ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL)) return FIELD_ASK;
  return ECS_LIKELY(world->commands.entity_count == 0 &&
                    is_row(known_row(access, &world->store, entity, &known)))
             ? FIELD_YES
             : alive_slowly(access, world, entity);
}

/* Changing ---------------------------------------------------------------- */

/* What fails is asked for again in the ordinary way, which says why. */
static FieldAnswer answer_of(ecs_Status status) {
  return ECS_LIKELY(status == ECS_OK) ? FIELD_YES : FIELD_ASK;
}

FieldAnswer ecs_field_add(const FieldAccess *access, double entity) {
  ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL)) return FIELD_ASK;
  return answer_of(ecs_add(world, handle_of(entity), access->component, NULL));
}

FieldAnswer ecs_field_remove(const FieldAccess *access, double entity) {
  ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL)) return FIELD_ASK;
  return answer_of(ecs_remove(world, handle_of(entity), access->component));
}

FieldAnswer ecs_field_destroy(const FieldAccess *access, double entity) {
  ecs_World *world = *access->world;
  if (ECS_UNLIKELY(world == NULL)) return FIELD_ASK;
  ecs_Status status = ecs_destroy(world, handle_of(entity));
  return status == ECS_E_DEAD ? FIELD_NO : answer_of(status);
}
