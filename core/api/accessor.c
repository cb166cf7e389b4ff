/* accessor.c: prepared access to one component of many entities.
 *
 * An accessor remembers where the component is in the layout of the world and
 * the columns in the table it met last, so that a read is: the entity's slot,
 * one comparison that says alive and in that table, the elements. For many
 * entities at once the look-ups run ahead of the reads, a window at a time, so
 * that their cache misses overlap.
 */
#include "world/world.h"
#include "storage/table_image.h"

#define WINDOW 128u /* entities whose places are looked up before any is read */

/* What an ecs_Accessor is. */
typedef struct State {
  ecs_World *world;
  const Group *group;
  const Table *table;      /* the last met that has the component; or NULL */
  const ColumnCode *codes; /* of the component's columns in it */
  char **fields;           /* where these are */
  const Schema *schema;
  uint64_t layout_version; /* that group and bit were found for */
  ecs_Component component;
  uint32_t bit;
  uint32_t field_count;
  bool plain;     /* in the main group, and all fields are f32 */
  uint64_t known; /* what slots say of entities in that table, where
                              it is plain; otherwise what none says */
} State;

/* Of a slot as one word: everything but row and summary. */
#define SLOT_ASKED                                                \
  (((uint64_t)(SLOT_TABLE_MASK | ~0u << SLOT_HINT_SHIFT) << 32) | \
   (uint32_t)~ECS_INDEX_MASK)
#define SLOT_UNKNOWN (~SLOT_ASKED)

_Static_assert(sizeof(State) <= sizeof(ecs_Accessor),
               "an accessor must hold its state");

static State *state_of(ecs_Accessor *accessor) {
  return (State *)(void *)accessor;
}

static void find_layout(State *state) {
  const Store *store = &state->world->store;
  const Component *what = &store->components[state->component];
  state->group = store->groups[what->group_id];
  state->bit = what->bit;
  state->table = NULL;
  state->known = SLOT_UNKNOWN;
  state->plain = what->group_id == 0 && state->schema->uniform == ECS_F32;
  state->layout_version = store->layout_version;
}

ecs_Status ecs_accessor(ecs_World *world, ecs_Component component,
                        ecs_Accessor *accessor) {
  State *state = state_of(accessor);
  if (!is_component(world, component)) return ECS_E_COMPONENT;
  const Schema *schema = world->store.components[component].schema;
  if (schema->field_count == 0) return ECS_E_COMPONENT;
  *state = (State){.world = world,
                   .schema = schema,
                   .component = component,
                   .field_count = schema->field_count};
  find_layout(state);
  return ECS_OK;
}

static inline ecs_Status check(State *state, bool to_write) {
  const Store *store = &state->world->store;
  const Component *what = &store->components[state->component];
  if (ECS_UNLIKELY((to_write ? what->readers : what->writers) > 0)) {
    state->world->contested = state->component;
    return ECS_E_ACCESS;
  }
  if (ECS_UNLIKELY(state->layout_version != store->layout_version))
    find_layout(state);
  return ECS_OK;
}

/* Points the accessor at a table, if it has the component. */
static inline bool meet(State *state, const Table *table) {
  if (ECS_LIKELY(state->table == table)) return true;
  if (!table_has_columns(table, state->bit)) return false;
  state->table = table;
  state->codes = table_codes(table, state->bit);
  state->fields = table_fields(table, state->bit);
  state->known =
      state->plain ? (uint64_t)table->id << 32 : (uint64_t)SLOT_UNKNOWN;
  return true;
}

static inline ecs_Status find(State *state, ecs_Entity entity, uint32_t *row) {
  const Store *store = &state->world->store;
  RowRef place = store_locate_main(store, entity);
  if (place.table == NULL)
    return ecs_alive(state->world, entity) ? ECS_E_ABSENT : ECS_E_DEAD;
  if (state->group->id != 0)
    place = store_locate_in(state->group, id_index(entity));
  if (place.table == NULL || !meet(state, place.table)) return ECS_E_ABSENT;
  *row = place.row;
  return ECS_OK;
}

static ECS_COLD ecs_Status get_slowly(State *state, ecs_Entity entity,
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

/* The row of an entity in the table that was met last, where that is plain;
 * false: to be found slowly. The slot tells all of it in one comparison. */
static inline bool find_known(const State *state, ecs_Entity entity,
                              size_t *row) {
  const EntityIndex *index = &state->world->store.index;
  uint64_t generation = entity >> ECS_INDEX_BITS;
  uint32_t at = id_index(entity);
  if (ECS_UNLIKELY(at - 1u >= index->used - 1u)) return false;
  uint64_t word = slot_word(entity_index_slot(index, at));
  uint64_t expected = state->known | generation << (32 + SLOT_HINT_SHIFT);
  *row = (uint32_t)word;
  return ECS_LIKELY((word & SLOT_ASKED) == expected &&
                    generation < ECS_SLOT_GENERATIONS);
}

/* In line for an entity in the table that was met last: pure optimisation. */
ecs_Status ecs_accessor_get(ecs_Accessor *accessor, ecs_Entity entity,
                            void *image) {
  State *state = state_of(accessor);
  const Store *store = &state->world->store;
  const Component *what = &store->components[state->component];
  if (ECS_UNLIKELY(what->writers > 0 ||
                   state->layout_version != store->layout_version))
    return get_slowly(state, entity, image);
  size_t row;
  if (ECS_UNLIKELY(!find_known(state, entity, &row)))
    return get_slowly(state, entity, image);
  cells_load(image, state->fields, state->field_count, row);
  return ECS_OK;
}

static void store_element(const State *state, uint32_t field, uint32_t row,
                          const void *from) {
  void *element = table_element(state->table, state->codes[field], row);
  element_copy(element, from, code_shift(state->codes[field]));
  scalar_canonicalize(state->schema->fields[field].type, element);
}

/* While something is recorded for the entity the change has to be recorded
 * too, in its order. */
static bool is_recorded(const State *state, ecs_Entity entity) {
  const CommandBuffer *commands = &state->world->commands;
  return commands->entity_count > 0 && command_find(commands, entity) != NULL;
}

static ECS_COLD ecs_Status set_slowly(State *state, ecs_Entity entity,
                                      const void *image) {
  uint32_t row = 0;
  ecs_Status status = check(state, true);
  if (status == ECS_OK) status = find(state, entity, &row);
  if (status != ECS_OK) return status;
  if (is_recorded(state, entity))
    return ecs_set(state->world, entity, state->component, image, UINT64_MAX);
  for (uint32_t i = 0; i < state->schema->field_count; i++)
    store_element(state, i, row,
                  (const char *)image + state->schema->fields[i].offset);
  return ECS_OK;
}

/* As ecs_accessor_get, where nothing is recorded either. */
ecs_Status ecs_accessor_set(ecs_Accessor *accessor, ecs_Entity entity,
                            const void *image) {
  State *state = state_of(accessor);
  const Store *store = &state->world->store;
  const Component *what = &store->components[state->component];
  if (ECS_UNLIKELY(what->readers > 0 ||
                   state->world->commands.entity_count > 0 ||
                   state->layout_version != store->layout_version))
    return set_slowly(state, entity, image);
  size_t row, count = state->field_count;
  if (ECS_UNLIKELY(!find_known(state, entity, &row)))
    return set_slowly(state, entity, image);
  for (size_t i = 0; i < count; i++)
    element_store_f32(state->fields[i] + row * 4, (const char *)image + i * 4);
  return ECS_OK;
}

/* Many at once ---------------------------------------------------------- */

/* Where the entities of a window are; table NULL: nowhere. */
static void join(const State *state, const ecs_Entity *entities, uint32_t count,
                 RowRef *places) {
  const Store *store = &state->world->store;
  for (uint32_t i = 0; i < count; i++) {
    places[i] = store_locate_main(store, entities[i]);
    if (state->group->id != 0 && places[i].table != NULL)
      places[i] = store_locate_in(state->group, id_index(entities[i]));
  }
}

static bool all_in_one_table(State *state, const RowRef *places,
                             uint32_t count) {
  const Table *table = places[0].table;
  for (uint32_t i = 1; i < count; i++)
    if (places[i].table != table) return false;
  return table != NULL && meet(state, table);
}

#define GATHER(Cell)                   \
  for (uint32_t i = 0; i < count; i++) \
  ((Cell *)to)[i] = ((const Cell *)from)[places[i].row]

/* One column of a window that is in one table. */
static void gather(void *to, const void *from, const RowRef *places,
                   uint32_t count, uint32_t shift) {
  switch (shift) {
    case 0: GATHER(uint8_t); break;
    case 1: GATHER(Cell2); break;
    case 2: GATHER(Cell4); break;
    default: GATHER(Cell8); break;
  }
}

static uint32_t read_window(State *state, const RowRef *places, uint32_t count,
                            uint32_t done, void *const *columns) {
  uint32_t fields = state->schema->field_count;
  uint32_t found = 0;
  if (all_in_one_table(state, places, count)) {
    for (uint32_t k = 0; k < fields; k++) {
      uint32_t shift = code_shift(state->codes[k]);
      gather((char *)columns[k] + ((size_t)done << shift),
             table_column(state->table, state->codes[k]), places, count, shift);
    }
    return count;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (places[i].table == NULL || !meet(state, places[i].table)) continue;
    for (uint32_t k = 0; k < fields; k++) {
      uint32_t shift = code_shift(state->codes[k]);
      element_copy((char *)columns[k] + ((size_t)(done + i) << shift),
                   table_element(state->table, state->codes[k], places[i].row),
                   shift);
    }
    found++;
  }
  return found;
}

/* The rows of a window whose entities are all alive and in the table that was
 * met last; false: they are not, or their slots do not tell. One thing at a
 * time for all of them, without dependent branches, so that a dozen cache
 * misses overlap: pure optimisation. */
static bool join_rows(const State *state, const ecs_Entity *entities,
                      uint32_t count, uint32_t *rows) {
  const EntityIndex index = state->world->store.index; /* in registers */
  uint64_t strange = 0, known = state->known, generations = 0;
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    uint64_t generation = entities[i] >> ECS_INDEX_BITS;
    uint32_t at = id_index(entities[i]);
    if (ECS_UNLIKELY(at - 1u >= index.used - 1u)) return false;
    uint64_t word = slot_word(entity_index_slot(&index, at));
    rows[i] = (uint32_t)word;
    strange |= word ^ known ^ generation << (32 + SLOT_HINT_SHIFT);
    generations |= generation;
  }
  return (strange & SLOT_ASKED) == 0 && generations < ECS_SLOT_GENERATIONS;
}

static bool read_plain_window(State *state, const ecs_Entity *entities,
                              uint32_t count, uint32_t done,
                              void *const *columns) {
  uint32_t rows[WINDOW];
  uint32_t first = 0;
  if (!state->plain || find(state, entities[0], &first) != ECS_OK ||
      !join_rows(state, entities, count, rows))
    return false;
  for (uint32_t k = 0; k < state->schema->field_count; k++) {
    Cell4 *to = (Cell4 *)columns[k] + done;
    const Cell4 *from = (const Cell4 *)(const void *)state->fields[k];
#pragma GCC unroll 4
    for (uint32_t i = 0; i < count; i++) to[i] = from[rows[i]];
  }
  return true;
}

ecs_Status ecs_accessor_get_many(ecs_Accessor *accessor,
                                 const ecs_Entity *entities, uint32_t count,
                                 void *const *columns, uint32_t *found) {
  State *state = state_of(accessor);
  RowRef places[WINDOW];
  uint32_t total = 0;
  ecs_Status status = check(state, false);
  if (status != ECS_OK) return status;
  for (uint32_t done = 0; done < count; done += WINDOW) {
    uint32_t window = count - done < WINDOW ? count - done : WINDOW;
    if (read_plain_window(state, entities + done, window, done, columns)) {
      total += window;
      continue;
    }
    join(state, entities + done, window, places);
    total += read_window(state, places, window, done, columns);
  }
  if (found != NULL) *found = total;
  return ECS_OK;
}

/* The fields of one entity from columns, as an image. */
static void assemble(const State *state, const void *const *columns,
                     uint32_t at, uint64_t *image) {
  for (uint32_t i = 0; i < state->schema->field_count; i++) {
    const SchemaField *field = &state->schema->fields[i];
    uint32_t bytes = scalar_bytes(field->type);
    memcpy((char *)image + field->offset,
           (const char *)columns[i] + (size_t)at * bytes, bytes);
  }
}

/* Records the changes of entities for which something is recorded already:
 * all of them, or none when one cannot be. */
static ecs_Status record_many(State *state, const ecs_Entity *entities,
                              uint32_t count, const void *const *columns) {
  ecs_World *world = state->world;
  CommandMark mark = command_mark(&world->commands);
  uint64_t dropped = world->dropped;
  uint64_t image[ECS_FIELD_LIMIT];
  uint32_t row = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!is_recorded(state, entities[i])) continue;
    if (find(state, entities[i], &row) != ECS_OK) continue;
    assemble(state, columns, i, image);
    ecs_Status status =
        ecs_set(world, entities[i], state->component, image, UINT64_MAX);
    if (status == ECS_OK) continue;
    command_rewind(&world->commands, mark);
    world->dropped = dropped;
    return status;
  }
  return ECS_OK;
}

/* As read_plain_window, where nothing is recorded. */
static bool write_plain_window(State *state, const ecs_Entity *entities,
                               uint32_t count, uint32_t done,
                               const void *const *columns) {
  uint32_t rows[WINDOW];
  uint32_t first = 0;
  if (!state->plain || state->world->commands.entity_count > 0 ||
      find(state, entities[0], &first) != ECS_OK ||
      !join_rows(state, entities, count, rows))
    return false;
  for (uint32_t k = 0; k < state->schema->field_count; k++) {
    const char *from = (const char *)columns[k] + (size_t)done * 4;
    char *to = state->fields[k];
    for (uint32_t i = 0; i < count; i++)
      element_store_f32(to + (size_t)rows[i] * 4, from + (size_t)i * 4);
  }
  return true;
}

/* One by one, those that something is recorded for left out; how many have the
 * component. */
static uint32_t write_window(State *state, const ecs_Entity *entities,
                             uint32_t count, uint32_t done,
                             const void *const *columns) {
  uint32_t found = 0, row = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (find(state, entities[i], &row) != ECS_OK) continue;
    found++;
    if (is_recorded(state, entities[i])) continue;
    for (uint32_t k = 0; k < state->schema->field_count; k++)
      store_element(state, k, row,
                    (const char *)columns[k] +
                        ((size_t)(done + i) << code_shift(state->codes[k])));
  }
  return found;
}

/* What has to be recorded comes first, because it may fail. */
ecs_Status ecs_accessor_set_many(ecs_Accessor *accessor,
                                 const ecs_Entity *entities, uint32_t count,
                                 const void *const *columns, uint32_t *found) {
  State *state = state_of(accessor);
  uint32_t total = 0;
  ecs_Status status = check(state, true);
  if (status == ECS_OK && state->world->commands.entity_count > 0)
    status = record_many(state, entities, count, columns);
  for (uint32_t done = 0; status == ECS_OK && done < count; done += WINDOW) {
    uint32_t window = count - done < WINDOW ? count - done : WINDOW;
    const ecs_Entity *some = entities + done;
    total += write_plain_window(state, some, window, done, columns)
                 ? window
                 : write_window(state, some, window, done, columns);
  }
  if (found != NULL) *found = total;
  return status;
}
