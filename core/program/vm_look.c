/* vm_look.c: looks up other entities, for all rows of a block. */
#include "program/vm_look.h"

static const RowId nowhere = {0, LOOK_NOWHERE};

/* Locating ---------------------------------------------------------------- */

/* The place in the group, whether or not its table has the component. */
static inline RowId place_in(const Store *store, const Group *group,
                             bool is_main, ecs_Entity entity) {
  Table *table = NULL;
  const Slot *slot = store_find_slot(store, entity, &table);
  if (ECS_UNLIKELY(slot == NULL)) return nowhere;
  if (is_main) return (RowId){slot->row_bits, slot_table(*slot)};
  RowId place = locator_find(&group->locator, id_index(entity));
  return locator_is_row(place.row) ? place : nowhere;
}

/* Whether a table has the component is looked up once for a run of it. */
static inline void locate_in(const Store *store, const Component *component,
                             bool is_main, const ecs_Entity *entities,
                             RowId *places, uint32_t n) {
  const Group *group = component->group;
  uint32_t known = LOOK_NOWHERE;
  bool has = false;
  for (uint32_t i = 0; i < n; i++) {
    RowId place = place_in(store, group, is_main, entities[i]);
    if (place.table != known) {
      known = place.table;
      has = known != LOOK_NOWHERE &&
            table_has(group->tables[known], component->bit);
    }
    places[i] = has ? place : nowhere;
  }
}

/* Tags that are stored as bits differ from row to row. */
static void locate_bits(const Store *store, ecs_Component id,
                        const ecs_Entity *entities, RowId *places, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    RowRef row = {NULL, 0};
    places[i] = nowhere;
    if (store_locate(store, entities[i], id, &row) == ECS_OK &&
        row.table != NULL)
      places[i] = (RowId){row.row, row.table->id};
  }
}

void look_locate(const Store *store, const Component *component,
                 const ecs_Entity *entities, RowId *places, uint32_t n) {
  if (component->bits_index != GROUP_NOT_BITS)
    locate_bits(store, (ecs_Component)(component - store->components.all),
                entities, places, n);
  else if (component->group_id == 0)
    locate_in(store, component, true, entities, places, n);
  else
    locate_in(store, component, false, entities, places, n);
}

/* Reading ----------------------------------------------------------------- */

void look_has(const RowId *places, uint32_t *out, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) out[i] = places[i].table != LOOK_NOWHERE;
}

/* Reads rows of one table, the first place's, and returns how many there are
 * before a place in another table. */
typedef uint32_t ReadRun(void *out, const void *column, const RowId *places,
                         uint32_t n);

#define READ_RUN(name, V, T, expression)                                   \
  static uint32_t name(void *out, const void *column, const RowId *places, \
                       uint32_t n) {                                       \
    V *to = out;                                                           \
    const T *from = column;                                                \
    const uint32_t table = places[0].table;                                \
    uint32_t i = 0;                                                        \
    do {                                                                   \
      const T x = from[places[i].row];                                     \
      to[i] = (V)(expression);                                             \
    } while (++i < n && places[i].table == table);                         \
    return i;                                                              \
  }
READ_RUN(read_f32, float, float, x)
READ_RUN(read_f32_wide, double, float, x)
READ_RUN(read_f64, double, double, x)
READ_RUN(read_i8, float, int8_t, x)
READ_RUN(read_i8_wide, double, int8_t, x)
READ_RUN(read_u8, float, uint8_t, x)
READ_RUN(read_u8_wide, double, uint8_t, x)
READ_RUN(read_i16, float, int16_t, x)
READ_RUN(read_i16_wide, double, int16_t, x)
READ_RUN(read_u16, float, uint16_t, x)
READ_RUN(read_u16_wide, double, uint16_t, x)
READ_RUN(read_i32, double, int32_t, x)
READ_RUN(read_u32, double, uint32_t, x)
READ_RUN(read_bool, uint32_t, uint8_t, x != 0)
READ_RUN(read_entity, ecs_Entity, ecs_Entity, x)

/* A run without rows reads zeros. */
#define READ_NOTHING(name, V)                                              \
  static uint32_t name(void *out, const void *column, const RowId *places, \
                       uint32_t n) {                                       \
    V *to = out;                                                           \
    uint32_t i = 0;                                                        \
    (void)column;                                                          \
    do to[i] = 0;                                                          \
    while (++i < n && places[i].table == LOOK_NOWHERE);                    \
    return i;                                                              \
  }
READ_NOTHING(read_nothing, uint32_t)
READ_NOTHING(read_nothing_wide, uint64_t)

static ReadRun *read_run(ecs_Scalar scalar, ValueType type) {
  static ReadRun *const runs[ECS_SCALAR_COUNT][2] = {
      [ECS_F32] = {read_f32, read_f32_wide},
      [ECS_F64] = {NULL, read_f64},
      [ECS_I8] = {read_i8, read_i8_wide},
      [ECS_U8] = {read_u8, read_u8_wide},
      [ECS_I16] = {read_i16, read_i16_wide},
      [ECS_U16] = {read_u16, read_u16_wide},
      [ECS_I32] = {NULL, read_i32},
      [ECS_U32] = {NULL, read_u32}};
  ECS_ASSERT(scalar_loads_as(scalar, type));
  if (scalar == ECS_BOOL) return read_bool;
  if (scalar == ECS_ENTITY) return read_entity;
  return runs[scalar][type];
}

void look_get(const Component *component, uint32_t field, ValueType type,
              const RowId *places, void *out, uint32_t n) {
  ecs_Scalar scalar = scalar_plain(component->schema->fields[field].type);
  ReadRun *read = read_run(scalar, type);
  uint32_t bytes = value_bytes(type);
  ReadRun *nothing = bytes == 4 ? read_nothing : read_nothing_wide;
  Table *const *tables = component->group->tables;
  for (uint32_t i = 0; i < n;) {
    uint32_t table = places[i].table;
    char *to = (char *)out + (size_t)i * bytes;
    if (table == LOOK_NOWHERE)
      i += nothing(to, NULL, places + i, n - i);
    else
      i += read(to, table_fields(tables[table], component->bit)[field],
                places + i, n - i);
  }
}
