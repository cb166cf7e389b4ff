/* accessor.c: prepared access to one component of many entities.
 *
 * An accessor caches where the component is in the world's layout, and the
 * columns of the table where it found an entity last. A read is then: load the
 * entity's slot, one comparison that proves the entity alive and in that table,
 * load the elements.
 *
 *      entity --slot--> | row | table, generation |  == expected?
 *                         \--> fields[k][row]
 *
 * A component in a sparse set needs no slot: if the row that the set's locator
 * names holds the entity, it is alive. Accessors of f32 in the main group are
 * plain and have a path that asks for nothing else; others share a second one.
 *
 * Calls for many entities look up a window of them before they read any, so
 * that the cache misses overlap.
 *
 * Cost: constant for one entity. The caches are checked against the store in
 * checked builds.
 */
#define ECS_DEFINES_API /* ecs.h */

#include "base/misuse.h"
#include "storage/table_image.h"
#include "world/deferral.h"
#include "world/deferred_change.h"

#define WINDOW 128u /* entities that are looked up before any is read */

/* The contents of an ecs_Accessor. */
typedef struct AccessorState {
  ecs_World *world;        /* borrowed: must outlive the accessor */
  const Group *group;      /* the component's; valid for layout_version */
  const Table *table;      /* the last one found, which has the component; NULL:
                              none since layout_version */
  const ColumnCode *codes; /* of the component's columns in table; borrowed */
  char **fields;           /* the addresses of these columns; borrowed */
  const Schema *schema;    /* the component's; borrowed from the world */
  uint64_t layout_version; /* of the store, when group and bit were found */
  uint64_t plain_version;  /* the same while the accessor is plain: the group is
                              the main one, and every field is f32; or
                              UINT64_MAX */
  const Locator *set;      /* of the group, where it is narrow and table is its
                              only one; otherwise NULL; borrowed */
  ecs_Component component;
  uint32_t bit;         /* the component's in group */
  uint32_t field_count; /* the schema's; at least 1 */
  uint64_t known; /* the SLOT_ASKED bits of a slot for generation 0 in table;
                     SLOT_UNKNOWN, which equals no slot's bits: the group is
                     not the main one, or table is NULL */
} AccessorState;

/* The bits of a slot word that say where the entity is and which generation it
 * has: everything but the row and the summary. */
#define SLOT_ASKED                                                \
  (((uint64_t)(SLOT_TABLE_MASK | ~0u << SLOT_HINT_SHIFT) << 32) | \
   (uint32_t)~ECS_INDEX_MASK)
#define SLOT_UNKNOWN (~SLOT_ASKED)

_Static_assert(sizeof(AccessorState) <= sizeof(ecs_Accessor),
               "an accessor must hold its state");

static AccessorState *state_of(ecs_Accessor *accessor) {
  return (AccessorState *)(void *)accessor;
}

/* Checked builds: the accessor was prepared, and its world is there. */
static inline void check_living(ecs_Accessor *accessor, const char *function) {
#ifdef ECS_CHECKED
  if (accessor == NULL) misuse_report(function, "the accessor is NULL");
  if (!living_has(LIVING_WORLD, state_of(accessor)->world))
    misuse_report(function, "the accessor's world is none, or is gone");
#endif
  (void)accessor;
  (void)function;
}

/* Preparing --------------------------------------------------------------- */

static void find_layout(AccessorState *state) {
  const Store *store = &state->world->store;
  const Component *component = &store->components.all[state->component];
  state->group = store->groups.all[component->group_id];
  state->bit = component->bit;
  state->table = NULL;
  state->known = SLOT_UNKNOWN;
  state->set = NULL;
  bool plain = component->group_id == 0 && state->schema->uniform == ECS_F32;
  state->layout_version = store->layout_version;
  state->plain_version = plain ? store->layout_version : UINT64_MAX;
}

ecs_Status ecs_accessor(ecs_World *world, ecs_Component component,
                        ecs_Accessor *accessor) {
  ECS_MUST_LIVE(WORLD, world);
  if (accessor == NULL) return ECS_E_ARGUMENT;
  AccessorState *state = state_of(accessor);
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  const Schema *schema = world->store.components.all[component].schema;
  if (schema->field_count == 0) return ECS_E_COMPONENT;
  *state = (AccessorState){.world = world,
                           .schema = schema,
                           .component = component,
                           .field_count = schema->field_count};
  find_layout(state);
  return ECS_OK;
}

/* ECS_E_ACCESS: an open cursor claims the component. Otherwise brings the
 * cached layout up to date. */
static inline ecs_Status check(AccessorState *state, bool to_write) {
  const Store *store = &state->world->store;
  const Component *component = &store->components.all[state->component];
  uint32_t claims = to_write ? component->readers : component->writers;
  if (ECS_UNLIKELY(claims > 0))
    return world_refuse_access(state->world, state->component);
  if (ECS_UNLIKELY(state->layout_version != store->layout_version))
    find_layout(state);
  return ECS_OK;
}

/* Caches a table. False: the table lacks the component, and the cache has not
 * changed. */
static inline bool use_table(AccessorState *state, const Table *table) {
  if (ECS_LIKELY(state->table == table)) return true;
  if (!table_has_columns(table, state->bit)) return false;
  ECS_ASSERT(state->group->tables[table->id] == table);
  state->table = table;
  state->codes = table_codes(table, state->bit);
  state->fields = table_fields(table, state->bit);
  const Group *group = state->group;
  state->known =
      group->id == 0 ? (uint64_t)table->id << 32 : (uint64_t)SLOT_UNKNOWN;
  state->set = group->locator.narrow ? &group->locator : NULL;
  ECS_ASSERT(state->set == NULL || (group->id != 0 && group->first == table));
  return true;
}

/* Checked builds: the cached columns belong to the cached table, and the store
 * finds the entity in the same table and row. */
static ECS_ASSERT_ONLY bool agrees(const AccessorState *state,
                                   ecs_Entity entity, size_t row) {
  const Store *store = &state->world->store;
  const Component *component = &store->components.all[state->component];
  Table *table = NULL;
  uint32_t found = 0;
  return store_locate_columns(store, component, entity, &table, &found) ==
             ECS_OK &&
         table == state->table && found == row &&
         state->fields == table_fields(table, component->bit) &&
         state->codes == table_codes(table, component->bit);
}

/* One entity -------------------------------------------------------------- */

/* Finds an entity's row and caches its table. ECS_E_DEAD; ECS_E_ABSENT, also
 * for an entity with a recorded spawn. The layout is up to date. */
static inline ecs_Status find(AccessorState *state, ecs_Entity entity,
                              uint32_t *row) {
  const Store *store = &state->world->store;
  RowRef found = store_locate_main(store, entity);
  if (ECS_UNLIKELY(found.table == NULL))
    return world_absence(state->world, entity, ECS_E_DEAD);
  if (state->group->id != 0)
    found = store_locate_in(state->group, id_index(entity));
  if (found.table == NULL || !use_table(state, found.table))
    return ECS_E_ABSENT;
  ECS_ASSERT(agrees(state, entity, found.row));
  *row = found.row;
  return ECS_OK;
}

static ECS_COLD ecs_Status get_slowly(AccessorState *state, ecs_Entity entity,
                                      void *image) {
  uint32_t row = 0;
  ecs_Status status = check(state, false);
  if (status == ECS_OK) status = find(state, entity, &row);
  if (status == ECS_OK)
    table_load(state->table, row, state->bit, state->schema, image);
  return status;
}

static inline uint64_t slot_word(const Slot *slot) {
  return (uint64_t)slot->table_bits << 32 | slot->row_bits;
}

/* The row of an entity in the cached table, if that is one of the main group.
 * False: the cache has no answer; call find. */
static inline bool find_cached(const AccessorState *state, ecs_Entity entity,
                               size_t *row) {
  const EntityIndex *entities = &state->world->store.index;
  uint64_t generation = entity >> ECS_INDEX_BITS;
  uint32_t index = id_index(entity);
  if (ECS_UNLIKELY(index - 1u >= entities->used - 1u)) return false;
  uint64_t word = slot_word(entity_index_slot(entities, index));
  uint64_t expected = state->known | generation << (32 + SLOT_HINT_SHIFT);
  *row = (uint32_t)word;
  if (ECS_UNLIKELY((word & SLOT_ASKED) != expected ||
                   generation >= ECS_SLOT_GENERATIONS))
    return false;
  ECS_ASSERT(agrees(state, entity, *row));
  return true;
}

/* The row of an entity in the cached table of a set. False: it is not there;
 * the caller finds out why. */
static inline bool find_in_set(const AccessorState *state, ecs_Entity entity,
                               size_t *row) {
  uint32_t index = id_index(entity);
  if (ECS_UNLIKELY(!locator_ready(state->set, index))) return false;
  uint32_t found = *locator_narrow_entry(state->set, index);
  if (ECS_UNLIKELY(!locator_is_row(found) ||
                   state->table->entities[found] != entity))
    return false;
  ECS_ASSERT(agrees(state, entity, found));
  *row = found;
  return true;
}

static inline bool find_any_cached(const AccessorState *state,
                                   ecs_Entity entity, size_t *row) {
  return state->set != NULL ? find_in_set(state, entity, row)
                            : find_cached(state, entity, row);
}

/* Inline for an entity in the cached table, whatever the fields. */
static ECS_APART ecs_Status get_mixed(AccessorState *state, ecs_Entity entity,
                                      void *image) {
  const Store *store = &state->world->store;
  const Component *component = &store->components.all[state->component];
  const Schema *schema = state->schema;
  size_t row;
  if (ECS_UNLIKELY(component->writers > 0 ||
                   state->layout_version != store->layout_version ||
                   !find_any_cached(state, entity, &row)))
    return get_slowly(state, entity, image);
  if (schema->uniform == ECS_F32) {
    cells_load(image, state->fields, state->field_count, row);
    return ECS_OK;
  }
  const SchemaField *field = schema->fields;
  for (uint32_t i = 0; i < state->field_count; i++, field++)
    element_copy((char *)image + field->offset,
                 state->fields[i] + (row << field->shift), field->shift);
  return ECS_OK;
}

/* Pure optimisation: inline for an entity in the cached table. */
ecs_Status ecs_accessor_get(ecs_Accessor *accessor, ecs_Entity entity,
                            void *image) {
  check_living(accessor, __func__);
  ECS_MISUSE_IF(image == NULL, "image is NULL");
  AccessorState *state = state_of(accessor);
  const Store *store = &state->world->store;
  const Component *component = &store->components.all[state->component];
  if (ECS_UNLIKELY(component->writers > 0 ||
                   state->plain_version != store->layout_version))
    return get_mixed(state, entity, image);
  size_t row;
  if (ECS_UNLIKELY(!find_cached(state, entity, &row)))
    return get_slowly(state, entity, image);
  cells_load(image, state->fields, state->field_count, row);
  return ECS_OK;
}

static void store_element(const AccessorState *state, uint32_t field,
                          uint32_t row, const void *from) {
  ECS_ASSERT(row < state->table->count);
  void *element = table_element(state->table, state->codes[field], row);
  element_copy(element, from, code_shift(state->codes[field]));
  scalar_canonicalize(state->schema->fields[field].type, element);
}

static bool has_links(const AccessorState *state) {
  return state->world->store.components.all[state->component].link_count > 0;
}

/* If an entity has records, a change of it must be recorded too, after them;
 * changes of links always are. */
static bool is_recorded(const AccessorState *state, ecs_Entity entity) {
  return has_links(state) || recorded_commands(state->world, entity) != NULL;
}

static ECS_COLD ecs_Status set_slowly(AccessorState *state, ecs_Entity entity,
                                      const void *image) {
  uint32_t row = 0;
  ecs_Status status = check(state, true);
  if (status == ECS_OK) status = find(state, entity, &row);
  if (status != ECS_OK) return status;
  if (is_recorded(state, entity))
    return world_store(state->world, entity, state->component, image,
                       UINT64_MAX);
  store_wrote(&state->world->store, state->component);
  table_stamp(state->table, state->bit, row, 1);
  for (uint32_t i = 0; i < state->schema->field_count; i++)
    store_element(state, i, row,
                  (const char *)image + state->schema->fields[i].offset);
  return ECS_OK;
}

/* Inline for an entity in the cached table, whatever the fields. */
static ECS_APART ecs_Status set_mixed(AccessorState *state, ecs_Entity entity,
                                      const void *image) {
  const Store *store = &state->world->store;
  const Component *component = &store->components.all[state->component];
  size_t row;
  if (ECS_UNLIKELY(component_is_guarded(component) ||
                   state->world->commands.entity_count > 0 ||
                   state->layout_version != store->layout_version ||
                   !find_any_cached(state, entity, &row)))
    return set_slowly(state, entity, image);
  const SchemaField *field = state->schema->fields;
  for (uint32_t i = 0; i < state->field_count; i++, field++)
    element_store(state->fields[i] + (row << field->shift),
                  (const char *)image + field->offset, field->type);
  return ECS_OK;
}

/* Pure optimisation: inline for an entity in the cached table, while nothing
 * is recorded for any entity. */
ecs_Status ecs_accessor_set(ecs_Accessor *accessor, ecs_Entity entity,
                            const void *image) {
  check_living(accessor, __func__);
  ECS_MISUSE_IF(image == NULL, "image is NULL");
  AccessorState *state = state_of(accessor);
  const Store *store = &state->world->store;
  const Component *component = &store->components.all[state->component];
  if (ECS_UNLIKELY(component_is_guarded(component) ||
                   state->world->commands.entity_count > 0 ||
                   state->plain_version != store->layout_version))
    return set_mixed(state, entity, image);
  size_t row, count = state->field_count;
  if (ECS_UNLIKELY(!find_cached(state, entity, &row)))
    return set_slowly(state, entity, image);
  for (size_t i = 0; i < count; i++)
    element_store_f32(state->fields[i] + row * 4, (const char *)image + i * 4);
  return ECS_OK;
}

/* Reading many ------------------------------------------------------------ */

/* Finds the rows of a window's entities in the component's group; table NULL:
 * the entity has no row there. */
static void find_window(const AccessorState *state, const ecs_Entity *entities,
                        uint32_t count, RowRef *rows) {
  const Store *store = &state->world->store;
  for (uint32_t i = 0; i < count; i++) {
    rows[i] = store_locate_main(store, entities[i]);
    if (state->group->id != 0 && rows[i].table != NULL)
      rows[i] = store_locate_in(state->group, id_index(entities[i]));
  }
}

/* True: all rows are in one table, which has the component and is cached
 * now. */
static bool use_one_table(AccessorState *state, const RowRef *rows,
                          uint32_t count) {
  const Table *table = rows[0].table;
  for (uint32_t i = 1; i < count; i++)
    if (rows[i].table != table) return false;
  return table != NULL && use_table(state, table);
}

#define GATHER(Cell)                                            \
  _Pragma("GCC unroll 4") for (uint32_t i = 0; i < count; i++)( \
      (Cell *)to)[i] = ((const Cell *)from)[rows[i]]

/* One column of rows that lie in one table; shift is the log2 of the element
 * size. */
static void gather(void *to, const void *from, const uint32_t *rows,
                   uint32_t count, uint32_t shift) {
  switch (shift) {
    case 0: GATHER(uint8_t); break;
    case 1: GATHER(Cell2); break;
    case 2: GATHER(Cell4); break;
    default: GATHER(Cell8); break;
  }
}

/* All columns of rows in the cached table, from element `done` on. */
static void gather_all(const AccessorState *state, const uint32_t *rows,
                       uint32_t count, uint32_t done, void *const *columns) {
  const SchemaField *field = state->schema->fields;
  for (uint32_t k = 0; k < state->field_count; k++, field++)
    gather((char *)columns[k] + ((size_t)done << field->shift),
           state->fields[k], rows, count, field->shift);
}

/* Reads a window into columns, from element `done` on. Elements of entities
 * without the component are left as they are. Returns how many entities have
 * the component. */
static uint32_t read_window(AccessorState *state, const RowRef *rows,
                            uint32_t count, uint32_t done,
                            void *const *columns) {
  uint32_t fields = state->schema->field_count;
  uint32_t found = 0;
  ECS_ASSERT(count > 0 && count <= WINDOW);
  if (use_one_table(state, rows, count)) {
    uint32_t indices[WINDOW];
    for (uint32_t i = 0; i < count; i++) indices[i] = rows[i].row;
    gather_all(state, indices, count, done, columns);
    return count;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (rows[i].table == NULL || !use_table(state, rows[i].table)) continue;
    for (uint32_t k = 0; k < fields; k++) {
      uint32_t shift = code_shift(state->codes[k]);
      element_copy((char *)columns[k] + ((size_t)(done + i) << shift),
                   table_element(state->table, state->codes[k], rows[i].row),
                   shift);
    }
    found++;
  }
  return found;
}

/* The rows of a window that lies in the cached table. False: at least one
 * entity does not, or its slot does not prove that it does. Pure optimisation:
 * one step at a time for the whole window, without dependent branches, so that
 * a dozen cache misses overlap. */
static bool find_cached_window(const AccessorState *state,
                               const ecs_Entity *entities, uint32_t count,
                               uint32_t *rows) {
  const EntityIndex slots = state->world->store.index; /* in registers */
  uint64_t strange = 0, known = state->known, generations = 0;
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    uint64_t generation = entities[i] >> ECS_INDEX_BITS;
    uint32_t index = id_index(entities[i]);
    if (ECS_UNLIKELY(index - 1u >= slots.used - 1u)) return false;
    uint64_t word = slot_word(entity_index_slot(&slots, index));
    rows[i] = (uint32_t)word;
    strange |= word ^ known ^ generation << (32 + SLOT_HINT_SHIFT);
    generations |= generation;
  }
  return (strange & SLOT_ASKED) == 0 && generations < ECS_SLOT_GENERATIONS;
}

/* The same in the cached table of a set. */
static bool find_set_window(const AccessorState *state,
                            const ecs_Entity *entities, uint32_t count,
                            uint32_t *rows) {
  const Locator set = *state->set; /* in registers */
  const ecs_Entity *owners = state->table->entities;
  uint64_t strange = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t index = id_index(entities[i]);
    if (ECS_UNLIKELY(!locator_ready(&set, index))) return false;
    rows[i] = *locator_narrow_entry(&set, index);
    if (ECS_UNLIKELY(!locator_is_row(rows[i]))) return false;
    strange |= owners[rows[i]] ^ entities[i];
  }
  return strange == 0;
}

/* The same for any component, and caches the first entity's table. False where
 * components were grouped: several tables, and no locator of one. */
static bool find_one_table(AccessorState *state, const ecs_Entity *entities,
                           uint32_t count, uint32_t *rows) {
  uint32_t first = 0;
  if (find(state, entities[0], &first) != ECS_OK) return false;
  bool whole = state->set != NULL
                   ? find_set_window(state, entities, count, rows)
                   : state->known != SLOT_UNKNOWN &&
                         find_cached_window(state, entities, count, rows);
  ECS_ASSERT(!whole || rows[0] == first);
  ECS_ASSERT(!whole || agrees(state, entities[count - 1], rows[count - 1]));
  return whole;
}

static bool read_one_table(AccessorState *state, const ecs_Entity *entities,
                           uint32_t count, uint32_t done,
                           void *const *columns) {
  uint32_t rows[WINDOW];
  if (!find_one_table(state, entities, count, rows)) return false;
  gather_all(state, rows, count, done, columns);
  return true;
}

ecs_Status ecs_accessor_get_many(ecs_Accessor *accessor,
                                 const ecs_Entity *entities, uint32_t count,
                                 void *const *columns, uint32_t *found) {
  check_living(accessor, __func__);
  if (count > 0 && (entities == NULL || columns == NULL)) return ECS_E_ARGUMENT;
  AccessorState *state = state_of(accessor);
  RowRef rows[WINDOW];
  uint32_t total = 0;
  ecs_Status status = check(state, false);
  if (status != ECS_OK) return status;
  for (uint32_t done = 0; done < count; done += WINDOW) {
    uint32_t window = count - done < WINDOW ? count - done : WINDOW;
    if (read_one_table(state, entities + done, window, done, columns)) {
      total += window;
      continue;
    }
    find_window(state, entities + done, window, rows);
    total += read_window(state, rows, window, done, columns);
  }
  ECS_ASSERT(total <= count);
  if (found != NULL) *found = total;
  return ECS_OK;
}

/* Writing many ------------------------------------------------------------ */

/* The fields of the entity at an index of the columns, as an image. */
static void assemble(const AccessorState *state, const void *const *columns,
                     uint32_t index, uint64_t *image) {
  ECS_ASSERT(state->schema->image_bytes <= sizeof(ComponentImage));
  for (uint32_t i = 0; i < state->schema->field_count; i++) {
    const SchemaField *field = &state->schema->fields[i];
    uint32_t bytes = scalar_bytes(field->type);
    memcpy((char *)image + field->offset,
           (const char *)columns[i] + (size_t)index * bytes, bytes);
  }
}

/* Records the changes of entities that have records already: all of them, or
 * none where one cannot be recorded. */
static ecs_Status record_many(AccessorState *state, const ecs_Entity *entities,
                              uint32_t count, const void *const *columns) {
  ecs_World *world = state->world;
  Level before = deferral_mark(world);
  ComponentImage image;
  uint32_t row = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!is_recorded(state, entities[i])) continue;
    if (find(state, entities[i], &row) != ECS_OK) continue;
    assemble(state, columns, i, image.words);
    ecs_Status status =
        deferred_set(world, entities[i], state->component, &image, UINT64_MAX);
    if (status == ECS_OK) continue;
    deferral_rewind(world, &before);
    return status;
  }
  return ECS_OK;
}

#define SCATTER(type, bytes)                                                \
  for (uint32_t i = 0; i < count; i++)                                      \
  element_store(to + rows[i] * (size_t)(bytes), from + i * (size_t)(bytes), \
                type)

/* One column of rows that lie in one table; what is written is canonical. */
static void scatter(char *to, const char *from, const uint32_t *rows,
                    uint32_t count, ecs_Scalar type) {
  switch (type) {
    case ECS_F32: SCATTER(ECS_F32, 4); break;
    case ECS_F64: SCATTER(ECS_F64, 8); break;
    case ECS_ENTITY: SCATTER(ECS_ENTITY, 8); break;
    case ECS_BOOL: SCATTER(ECS_BOOL, 1); break;
    case ECS_I32:
    case ECS_U32:
    case ECS_STRING:
    case ECS_ANY_VALUE: SCATTER(ECS_I32, 4); break;
    case ECS_I16:
    case ECS_U16: SCATTER(ECS_I16, 2); break;
    default: SCATTER(ECS_I8, 1); break;
  }
}

/* As read_one_table. False also while anything is recorded, and where the table
 * has stamps. */
static bool write_one_table(AccessorState *state, const ecs_Entity *entities,
                            uint32_t count, uint32_t done,
                            const void *const *columns) {
  uint32_t rows[WINDOW];
  if (state->world->commands.entity_count > 0 ||
      !find_one_table(state, entities, count, rows) ||
      state->table->stamps != NULL)
    return false;
  const SchemaField *field = state->schema->fields;
  for (uint32_t k = 0; k < state->field_count; k++, field++)
    scatter(state->fields[k],
            (const char *)columns[k] + ((size_t)done << field->shift), rows,
            count, field->type);
  return true;
}

/* Writes a window one entity at a time, except for entities with records.
 * Returns how many entities have the component, including entities with
 * records. */
static uint32_t write_window(AccessorState *state, const ecs_Entity *entities,
                             uint32_t count, uint32_t done,
                             const void *const *columns) {
  uint32_t found = 0, row = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (find(state, entities[i], &row) != ECS_OK) continue;
    found++;
    if (is_recorded(state, entities[i])) continue;
    table_stamp(state->table, state->bit, row, 1);
    for (uint32_t k = 0; k < state->schema->field_count; k++)
      store_element(state, k, row,
                    (const char *)columns[k] +
                        ((size_t)(done + i) << code_shift(state->codes[k])));
  }
  return found;
}

/* Sets a component with links, which changes are recorded, and applied where
 * nothing is open. */
static ecs_Status set_many_linked(AccessorState *state,
                                  const ecs_Entity *entities, uint32_t count,
                                  const void *const *columns, uint32_t *found) {
  uint32_t row = 0, total = 0;
  ecs_Status status = check(state, true);
  if (status == ECS_OK) status = deferral_open(state->world);
  if (status != ECS_OK) return status;
  for (uint32_t i = 0; i < count; i++)
    total += find(state, entities[i], &row) == ECS_OK;
  status = record_many(state, entities, count, columns);
  if (status == ECS_OK) {
    status = deferral_close(state->world);
  } else {
    deferral_discard(state->world);
  }
  if (status == ECS_OK && found != NULL) *found = total;
  return status;
}

/* Recording comes first, because it may fail. */
ecs_Status ecs_accessor_set_many(ecs_Accessor *accessor,
                                 const ecs_Entity *entities, uint32_t count,
                                 const void *const *columns, uint32_t *found) {
  check_living(accessor, __func__);
  if (count > 0 && (entities == NULL || columns == NULL)) return ECS_E_ARGUMENT;
  AccessorState *state = state_of(accessor);
  uint32_t total = 0;
  if (has_links(state))
    return set_many_linked(state, entities, count, columns, found);
  ecs_Status status = check(state, true);
  if (status == ECS_OK && state->world->commands.entity_count > 0)
    status = record_many(state, entities, count, columns);
  if (status == ECS_OK) store_wrote(&state->world->store, state->component);
  for (uint32_t done = 0; status == ECS_OK && done < count; done += WINDOW) {
    uint32_t window = count - done < WINDOW ? count - done : WINDOW;
    const ecs_Entity *some = entities + done;
    total += write_one_table(state, some, window, done, columns)
                 ? window
                 : write_window(state, some, window, done, columns);
  }
  if (found != NULL) *found = total;
  return status;
}
