/* table.c: the dense rows of one exact combination of a group's components. */
#include "storage/table.h"

/* Life ------------------------------------------------------------------ */

static uint32_t size_shift(ecs_Scalar type) {
  uint32_t bytes = scalar_bytes(type);
  return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
}

typedef struct Census {
  uint32_t components; /* one more than the highest component with columns */
  uint32_t fields;
} Census;

static Census take_census(const Schema *const *schemas, const uint64_t *mask,
                          uint32_t mask_words) {
  Census census = {0, 0};
  for (uint32_t bit = 0; bit < mask_words * 64; bit++) {
    if (!mask_has(mask, mask_words, bit) || schemas[bit] == NULL) continue;
    census.components = bit + 1;
    census.fields += schemas[bit]->field_count;
  }
  return census;
}

/* Gives every field its column: components in order, fields in order, each the
 * next of its size. Columns of one component are neighbours in every size. */
static ecs_Status assign_columns(Table *table, ColumnCode *lookup,
                                 ColumnCode *codes,
                                 const Schema *const *schemas) {
  uint32_t next = 0;
  for (uint32_t bit = 0; bit < table->lookup_count; bit++) {
    const Schema *schema = table_has(table, bit) ? schemas[bit] : NULL;
    lookup[bit] = schema == NULL ? TABLE_NO_COLUMN : (ColumnCode)next;
    for (uint32_t i = 0; schema != NULL && i < schema->field_count; i++) {
      uint32_t shift = size_shift(schema->fields[i].type);
      if (table->columns[shift] >= ECS_COLUMN_LIMIT) return ECS_E_LIMIT;
      codes[next++] =
          (ColumnCode)((uint32_t)table->columns[shift]++ << 2 | shift);
      table->sizes = (uint8_t)(table->sizes | 1u << shift);
    }
  }
  return ECS_OK;
}

Table *table_create(Memory *memory, const Schema *const *schemas,
                    const uint64_t *mask, uint32_t mask_words,
                    ecs_Status *status) {
  Census census = take_census(schemas, mask, mask_words);
  size_t mask_bytes = mask_words * sizeof(uint64_t);
  size_t code_count = (size_t)census.components + census.fields;
  size_t field_bytes = census.fields * sizeof(char *);
  size_t bytes = sizeof(Table) + field_bytes + mask_bytes +
                 code_count * sizeof(ColumnCode);
  Table *table = NULL;
  *status = ECS_E_LIMIT;
  if (census.fields >= TABLE_NO_COLUMN) return NULL;
  *status = ECS_E_MEMORY;
  table = memory_zeroed(memory, 1, bytes);
  if (table == NULL) return NULL;
  table->block_bytes = bytes;
  table->fields = (char **)(void *)(table + 1);
  table->field_count = census.fields;
  table->mask = (uint64_t *)(void *)(table->fields + census.fields);
  table->mask_words = (uint16_t)mask_words;
  if (mask_words > 0) memcpy(table->mask, mask, mask_bytes);
  ColumnCode *lookup = (ColumnCode *)(void *)(table->mask + mask_words);
  table->lookup = lookup;
  table->lookup_count = census.components;
  table->codes = lookup + census.components;
  *status = assign_columns(table, lookup, lookup + census.components, schemas);
  table->only_cells = (table->sizes & ~4u) == 0;
  table_forget_edge(table);
  if (*status == ECS_OK) return table;
  memory_free(memory, table, bytes);
  return NULL;
}

void table_destroy(Table *table, Memory *memory) {
  if (table == NULL) return;
  memory_free(memory, table->slab, table->slab_bytes);
  memory_free(memory, table, table->block_bytes);
}

/* Growth ------------------------------------------------------------------ */

/* An odd number of lines, so that columns differ in their cache sets. Where a
 * column is long, also 27 lines past a multiple of a page of 64: a store and
 * the loads of the next columns must differ in their low twelve address bits,
 * or the loads wait for it. One line apart, pos += vel * dt at 64k took 1.08
 * times the hand-written loop's time, 27 apart 0.87 (9: 0.92, 33: 0.96). */
#define LONG_LINES 1024u
#define PAGE_LINES 64u
#define SKEW_LINES 27u

static size_t odd_lines(size_t bytes) {
  size_t lines = (bytes + ECS_LINE_BYTES - 1) / ECS_LINE_BYTES;
  if (lines < LONG_LINES) return (lines | 1u) * ECS_LINE_BYTES;
  lines = (lines + PAGE_LINES - 1 - SKEW_LINES) / PAGE_LINES * PAGE_LINES;
  return (lines + SKEW_LINES) * ECS_LINE_BYTES;
}

static uint32_t size_count(const Table *table, uint32_t shift) {
  return table->columns[shift] +
         (shift == 0 ? (uint32_t)table->bits_columns : 0u);
}

/* Fills in offsets and strides for a capacity; false on overflow. */
static bool lay_out(Table *table, uint32_t capacity, size_t *slab_bytes) {
  size_t at = odd_lines((size_t)capacity * sizeof(ecs_Entity));
  for (uint32_t shift = TABLE_SIZES; shift-- > 0;) {
    table->stride[shift] = odd_lines((size_t)capacity << shift);
    table->first[shift] = at;
    if (!memory_size(size_count(table, shift), table->stride[shift], at, &at))
      return false;
  }
  table->capacity = capacity;
  return memory_size(at, 1, ECS_LINE_BYTES, slab_bytes);
}

static void copy_columns(Table *to, const Table *from) {
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++) {
    for (uint32_t i = 0; i < size_count(from, shift); i++) {
      ColumnCode code = (ColumnCode)(i << 2 | shift);
      void *column = table_column(to, code);
      size_t used = (size_t)from->count << shift;
      if (used > 0) memcpy(column, table_column(from, code), used);
      memset((char *)column + used, 0, ((size_t)to->capacity << shift) - used);
    }
  }
}

/* What from lacks of to's bits columns starts out as zeros. */
static void clear_new_bits(Table *to, const Table *from) {
  for (uint32_t i = from->bits_columns; i < to->bits_columns; i++)
    memset(table_bits(to, i), 0, to->capacity);
}

/* A new slab for a capacity and a number of bits columns. */
static ecs_Status resettle(Table *table, Memory *memory, uint32_t capacity,
                           uint16_t bits_columns) {
  Table next = *table;
  next.bits_columns = bits_columns;
  next.only_cells = next.only_cells && bits_columns == 0;
  if (!next.only_cells) table_forget_edge(&next);
  if (!lay_out(&next, capacity, &next.slab_bytes)) return ECS_E_MEMORY;
  next.slab = memory_resize(memory, NULL, 0, next.slab_bytes);
  if (next.slab == NULL) return ECS_E_MEMORY;
  memory_populate(next.slab, next.slab_bytes);
  uintptr_t line = ECS_LINE_BYTES - 1u;
  next.entities = (void *)(((uintptr_t)next.slab + line) & ~line);
  size_t used = table->count * sizeof(ecs_Entity);
  if (used > 0) memcpy(next.entities, table->entities, used);
  memset((char *)next.entities + used, 0, capacity * sizeof(ecs_Entity) - used);
  copy_columns(&next, table);
  clear_new_bits(&next, table);
  for (uint32_t i = 0; i < next.field_count; i++)
    next.fields[i] = table_column(&next, next.codes[i]);
  memory_free(memory, table->slab, table->slab_bytes);
  *table = next;
  return ECS_OK;
}

ecs_Status table_reserve(Table *table, Memory *memory, uint64_t rows) {
  if (rows > ECS_INDEX_LIMIT) return ECS_E_LIMIT;
  uint64_t needed = table->count + rows;
  uint64_t doubled = (uint64_t)table->capacity * 2;
  if (needed <= table->capacity) return ECS_OK;
  if (needed > ECS_INDEX_LIMIT) return ECS_E_LIMIT;
#ifdef ECS_TINY
  doubled = 0; /* every growth step is as small as it can be */
#endif
  if (doubled > needed) needed = doubled;
  needed = (needed + ECS_ROW_ALIGN - 1) / ECS_ROW_ALIGN * ECS_ROW_ALIGN;
  return resettle(table, memory, (uint32_t)needed, table->bits_columns);
}

ecs_Status table_reserve_bits(Table *table, Memory *memory, uint32_t columns) {
  if (columns <= table->bits_columns) return ECS_OK;
  if (table->slab != NULL)
    return resettle(table, memory, table->capacity, (uint16_t)columns);
  table->bits_columns = (uint16_t)columns;
  table->only_cells = false;
  table_forget_edge(table);
  return ECS_OK;
}

/* Changing ---------------------------------------------------------------- */

/* The last row into the hole, zeros into the last row, in all columns of one
 * size. */
#define CLOSE_HOLE(Cell, shift)                               \
  do {                                                        \
    char *at = (char *)table->entities + table->first[shift]; \
    for (uint32_t i = size_count(table, shift); i > 0; i--) { \
      Cell *column = (Cell *)(void *)at;                      \
      column[row] = column[last];                             \
      column[last] = 0;                                       \
      at += table->stride[shift];                             \
    }                                                         \
  } while (0)

ecs_Entity table_remove_mixed(Table *table, uint32_t row) {
  ecs_Entity filler = table_remove_entity(table, row);
  uint32_t last = table->count;
  if ((table->sizes & 4u) != 0) CLOSE_HOLE(Cell4, 2);
  if ((table->sizes & 8u) != 0) CLOSE_HOLE(Cell8, 3);
  if ((table->sizes & 2u) != 0) CLOSE_HOLE(Cell2, 1);
  if ((table->sizes & 1u) != 0 || table->bits_columns > 0) CLOSE_HOLE(Cell1, 0);
  return filler;
}

void table_clear(Table *table) {
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
    for (uint32_t i = 0; i < size_count(table, shift) && table->slab; i++)
      memset(table_column(table, (ColumnCode)(i << 2 | shift)), 0,
             (size_t)table->count << shift);
  if (table->slab != NULL)
    memset(table->entities, 0, table->count * sizeof(ecs_Entity));
  table->count = 0;
}

/* count columns at a stride each: the row over to the other table, then the
 * last row into the hole. */
#define MOVE_RUN(Cell, shift, to_begin, from_begin, run)         \
  do {                                                           \
    char *target = (char *)to->entities + to->first[shift] +     \
                   (size_t)(to_begin)*to->stride[shift] +        \
                   ((size_t)to_row << (shift));                  \
    char *source = (char *)from->entities + from->first[shift] + \
                   (size_t)(from_begin)*from->stride[shift];     \
    for (uint32_t i = (run); i > 0; i--) {                       \
      Cell *column = (Cell *)(void *)source;                     \
      *(Cell *)(void *)target = column[row];                     \
      column[row] = column[last];                                \
      column[last] = 0;                                          \
      target += to->stride[shift];                               \
      source += from->stride[shift];                             \
    }                                                            \
  } while (0)

/* The columns of a component that goes: only the hole is closed. */
#define DROP_RUN(Cell, shift, begin, run)                        \
  do {                                                           \
    char *source = (char *)from->entities + from->first[shift] + \
                   (size_t)(begin)*from->stride[shift];          \
    for (uint32_t i = (run); i > 0; i--) {                       \
      Cell *column = (Cell *)(void *)source;                     \
      column[row] = column[last];                                \
      column[last] = 0;                                          \
      source += from->stride[shift];                             \
    }                                                            \
  } while (0)

/* The columns before the range, in it, and after it, of one size. */
#define MOVE_SIZE(Cell, shift)                                         \
  do {                                                                 \
    uint32_t begin = range->begin[shift], end = range->end[shift];     \
    MOVE_RUN(Cell, shift, 0, 0, begin);                                \
    if (added) {                                                       \
      MOVE_RUN(Cell, shift, end, begin, from->columns[shift] - begin); \
    } else {                                                           \
      DROP_RUN(Cell, shift, begin, end - begin);                       \
      MOVE_RUN(Cell, shift, begin, end, from->columns[shift] - end);   \
    }                                                                  \
  } while (0)

static void move_bits(Table *to, uint32_t to_row, Table *from, uint32_t row,
                      uint32_t last) {
  table_copy_bits(to, to_row, from, row);
  for (uint32_t i = 0; i < from->bits_columns; i++) {
    uint8_t *bits = table_bits(from, i);
    bits[row] = bits[last];
    bits[last] = 0;
  }
}

uint32_t table_move_row_mixed(Table *to, Table *from, uint32_t row,
                              const ColumnRange *range, bool added,
                              ecs_Entity *filler) {
  uint32_t to_row = table_append(to, from->entities[row]);
  *filler = table_remove_entity(from, row);
  uint32_t last = from->count;
  if ((from->sizes & 4u) != 0) MOVE_SIZE(Cell4, 2);
  if ((from->sizes & 8u) != 0) MOVE_SIZE(Cell8, 3);
  if ((from->sizes & 2u) != 0) MOVE_SIZE(Cell2, 1);
  if ((from->sizes & 1u) != 0) MOVE_SIZE(Cell1, 0);
  if (from->bits_columns > 0) move_bits(to, to_row, from, row, last);
  return to_row;
}

void table_copy_bits(Table *to, uint32_t to_row, const Table *from,
                     uint32_t from_row) {
  uint32_t common = to->bits_columns < from->bits_columns ? to->bits_columns
                                                          : from->bits_columns;
  for (uint32_t i = 0; i < common; i++)
    table_bits(to, i)[to_row] = table_bits(from, i)[from_row];
}

bool table_any_bit(const Table *table, uint32_t row) {
  for (uint32_t i = 0; i < table->bits_columns; i++)
    if (table_bits(table, i)[row] != 0) return true;
  return false;
}

void table_store(Table *table, uint32_t row, uint32_t component,
                 const Schema *schema, const void *image, uint64_t fields) {
  char **columns = table_fields(table, component);
  const SchemaField *field = schema->fields;
  for (uint32_t i = 0; i < schema->field_count; i++, field++)
    if (ECS_LIKELY((fields >> i & 1u) != 0))
      element_store(columns[i] + ((size_t)row << field->shift),
                    (const char *)image + field->offset, field->type);
}

void table_store_defaults(Table *table, uint32_t row, uint32_t component,
                          const Schema *schema) {
  if (schema->zero_defaults) return;
  table_store(table, row, component, schema, schema->default_image, UINT64_MAX);
}

/* Reading ----------------------------------------------------------------- */

void table_load_mixed(const Table *table, uint32_t row, uint32_t component,
                      const Schema *schema, void *image) {
  char **columns = table_fields(table, component);
  const SchemaField *field = schema->fields;
  for (uint32_t i = 0; i < schema->field_count; i++, field++)
    element_copy((char *)image + field->offset,
                 columns[i] + ((size_t)row << field->shift), field->shift);
}

static bool all_zero(const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i] != 0) return false;
  return true;
}

bool table_check_invariants(const Table *table) {
  if (table->slab == NULL) return table->count == 0 && table->capacity == 0;
  if (table->count > table->capacity) return false;
  if (!all_zero((const uint8_t *)(table->entities + table->count),
                (table->capacity - table->count) * sizeof(ecs_Entity)))
    return false;
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++) {
    for (uint32_t i = 0; i < size_count(table, shift); i++) {
      const uint8_t *column = table_column(table, (ColumnCode)(i << 2 | shift));
      size_t used = (size_t)table->count << shift;
      size_t whole = (size_t)table->capacity << shift;
      if ((uintptr_t)column % ECS_LINE_BYTES != 0) return false;
      if (!all_zero(column + used, whole - used)) return false;
    }
  }
  for (uint32_t i = 0; i < table->field_count; i++)
    if (table->fields[i] != table_column(table, table->codes[i])) return false;
  return true;
}
