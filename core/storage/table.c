/* table.c: creates tables and makes room in them. */
#include "storage/table.h"

#include "base/platform.h"

/* Life ------------------------------------------------------------------ */

static uint32_t size_shift(ecs_Scalar type) {
  uint32_t bytes = scalar_bytes(type);
  return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
}

/* What a mask's components need in the block of a table. */
typedef struct Census {
  uint32_t components; /* with columns */
  uint32_t fields;     /* of all of them */
  uint32_t lookups;    /* entries: a power of two */
} Census;

#define MOST_LOOKUPS 65536u
_Static_assert(ECS_COMPONENT_LIMIT <= MOST_LOOKUPS, "bits of look-ups");

/* Has each component with columns another entry in so many? */
static bool are_apart(const Schema *const *schemas, Mask mask,
                      uint32_t entries) {
  uint64_t taken[MOST_LOOKUPS / 64];
  memset(taken, 0, (entries + 63) / 64 * sizeof(uint64_t));
  for (uint32_t i = 0; i < mask.count; i++) {
    for (uint64_t word = mask.words[i]; word != 0;) {
      uint32_t bit = mask_take(&word, mask.first + i);
      uint32_t entry = bit & (entries - 1);
      if (schemas[bit] == NULL) continue;
      if ((taken[entry / 64] >> entry % 64 & 1u) != 0) return false;
      taken[entry / 64] |= UINT64_C(1) << entry % 64;
    }
  }
  return true;
}

/* Powers of two are tried until one is enough; that of all bits is, since each
 * component then has the entry of its bit. */
static Census take_census(const Schema *const *schemas, Mask mask) {
  Census census = {.lookups = TABLE_LEAST_LOOKUP};
  for (uint32_t i = 0; i < mask.count; i++) {
    for (uint64_t word = mask.words[i]; word != 0;) {
      uint32_t bit = mask_take(&word, mask.first + i);
      if (schemas[bit] == NULL) continue;
      census.components++;
      census.fields += schemas[bit]->field_count;
    }
  }
  while (census.lookups < census.components ||
         !are_apart(schemas, mask, census.lookups))
    census.lookups *= 2;
  return census;
}

static void clear_lookup(TableLookup *lookup, uint32_t entries) {
  for (uint32_t i = 0; i < entries; i++)
    lookup[i] = (TableLookup){(uint16_t)(i ^ 1u), 0};
}

/* Gives the fields of a component the next column of their size. */
static ecs_Status assign_fields(Table *table, Memory *memory, ColumnCode *codes,
                                const Schema *schema) {
  for (uint32_t i = 0; i < schema->field_count; i++) {
    uint32_t shift = size_shift(schema->fields[i].type);
    if (table->columns[shift] >= ECS_COLUMN_LIMIT)
      return memory_refuse(memory, ECS_COLUMN_LIMIT,
                           "columns of one element size", "a table");
    codes[i] = (ColumnCode)((uint32_t)table->columns[shift]++ << 2 | shift);
    table->sizes = (uint8_t)(table->sizes | 1u << shift);
  }
  return ECS_OK;
}

/* Gives every field its column, in the order of components and fields. So the
 * columns of one component are neighbours in every size. */
static ecs_Status assign_columns(Table *table, Memory *memory,
                                 TableLookup *lookup, ColumnCode *codes,
                                 const Schema *const *schemas) {
  uint32_t next = 0;
  clear_lookup(lookup, table->lookup_mask + 1);
  for (uint32_t i = 0; i < table->mask.count; i++) {
    for (uint64_t word = table->mask.words[i]; word != 0;) {
      uint32_t bit = mask_take(&word, table->mask.first + i);
      if (schemas[bit] == NULL) continue;
      ecs_Status status =
          assign_fields(table, memory, codes + next, schemas[bit]);
      if (status != ECS_OK) return status;
      lookup[bit & table->lookup_mask] =
          (TableLookup){(uint16_t)bit, (uint16_t)next};
      next += schemas[bit]->field_count;
    }
  }
  return ECS_OK;
}

Table *table_create(Memory *memory, const Schema *const *schemas, Mask mask,
                    ecs_Status *status) {
  Census census = take_census(schemas, mask);
  size_t mask_bytes = mask.count * sizeof(uint64_t);
  size_t lookup_bytes = census.lookups * sizeof(TableLookup);
  size_t field_bytes = census.fields * sizeof(char *);
  size_t bytes = sizeof(Table) + field_bytes + mask_bytes + lookup_bytes +
                 census.fields * sizeof(ColumnCode);
  Table *table = NULL;
  if (census.fields >= TABLE_NO_COLUMN) {
    *status = memory_refuse(memory, TABLE_NO_COLUMN - 1u, "columns", "a table");
    return NULL;
  }
  *status = ECS_E_MEMORY;
  table = memory_zeroed(memory, 1, bytes);
  if (table == NULL) return NULL;
  table->block_bytes = bytes;
  table->hash_parts = kept_hash_parts(census.components);
  table->fields = (char **)(void *)(table + 1);
  table->field_count = census.fields;
  uint64_t *words = (uint64_t *)(void *)(table->fields + census.fields);
  if (mask.count > 0) memcpy(words, mask.words, mask_bytes);
  table->mask = (Mask){words, mask.first, mask.count};
  TableLookup *lookup = (TableLookup *)(void *)(words + mask.count);
  ColumnCode *codes = (ColumnCode *)(void *)(lookup + census.lookups);
  table->lookup = lookup;
  table->lookup_mask = census.lookups - 1;
  table->codes = codes;
  *status = assign_columns(table, memory, lookup, codes, schemas);
  table->only_cells = (table->sizes & ~4u) == 0;
  table_forget_edge(table);
  if (*status == ECS_OK) return table;
  memory_free(memory, table, bytes);
  return NULL;
}

void table_destroy(Table *table, Memory *memory) {
  if (table == NULL) return;
  stamps_destroy(table->stamps, memory);
  memory_free(memory, table->slab, table->slab_bytes);
  memory_free(memory, table, table->block_bytes);
}

/* Growth ------------------------------------------------------------------ */

/* Rounds up to an odd number of lines, so that columns differ in their cache
 * sets. Long columns also end 27 lines past a multiple of a page of 64: a store
 * and the loads of the next columns must differ in their low twelve address
 * bits, or the loads wait for the store. One line apart, pos += vel * dt at 64k
 * took 1.08 times the hand-written loop's time, 27 apart 0.87 (9: 0.92, 33:
 * 0.96). */
#define LONG_LINES 1024u
#define PAGE_LINES 64u
#define SKEW_LINES 27u

static size_t odd_lines(size_t bytes) {
  size_t lines = (bytes + ECS_LINE_BYTES - 1) / ECS_LINE_BYTES;
  if (lines < LONG_LINES) return (lines | 1u) * ECS_LINE_BYTES;
  lines = (lines + PAGE_LINES - 1 - SKEW_LINES) / PAGE_LINES * PAGE_LINES;
  return (lines + SKEW_LINES) * ECS_LINE_BYTES;
}

/* Bytes behind the columns. */
static size_t hash_bytes(const Table *table, uint32_t capacity) {
  return capacity < KEPT_ROWS ? 0 : kept_hashes_bytes(table->hash_parts);
}

/* Works out offsets and strides for a capacity. False on overflow. */
static bool lay_out(Table *table, uint32_t capacity, size_t *slab_bytes) {
  size_t end = odd_lines((size_t)capacity * sizeof(ecs_Entity));
  for (uint32_t shift = TABLE_SIZES; shift-- > 0;) {
    table->stride[shift] = odd_lines((size_t)capacity << shift);
    table->first[shift] = end;
    if (!memory_size(table_column_count(table, shift), table->stride[shift],
                     end, &end))
      return false;
  }
  table->capacity = capacity;
  return memory_size(end, 1, ECS_LINE_BYTES + hash_bytes(table, capacity),
                     slab_bytes);
}

static void copy_columns(Table *to, const Table *from) {
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++) {
    for (uint32_t i = 0; i < table_column_count(from, shift); i++) {
      ColumnCode code = (ColumnCode)(i << 2 | shift);
      void *column = table_column(to, code);
      size_t used = (size_t)from->count << shift;
      if (used > 0) memcpy(column, table_column(from, code), used);
      memset((char *)column + used, 0, ((size_t)to->capacity << shift) - used);
    }
  }
}

/* Columns of bits that from lacks start as zeros. */
static void clear_new_bits(Table *to, const Table *from) {
  for (uint32_t i = from->bits_columns; i < to->bits_columns; i++)
    memset(table_bits(to, i), 0, to->capacity);
}

static ecs_Entity *first_line(void *slab) {
  uintptr_t line = ECS_LINE_BYTES - 1u;
  return (void *)(((uintptr_t)slab + line) & ~line);
}

static void point_fields(Table *table) {
  for (uint32_t i = 0; i < table->field_count; i++)
    table->fields[i] = table_column(table, table->codes[i]);
  size_t end =
      table->first[0] + table_column_count(table, 0) * table->stride[0];
  table->hashes = table->capacity < KEPT_ROWS
                      ? NULL
                      : (KeptHashes *)(void *)((char *)table->entities + end);
  if (table->hashes != NULL) kept_hashes_init(table->hashes, table->hash_parts);
}

/* Moves all rows to a new slab with another capacity or more columns of bits.
 * ECS_E_MEMORY: nothing has changed. */
static ecs_Status replace_slab(Table *table, Memory *memory, uint32_t capacity,
                               uint16_t bits_columns) {
  Table next = *table;
  next.bits_columns = bits_columns;
  next.only_cells = next.only_cells && bits_columns == 0;
  if (!next.only_cells) table_forget_edge(&next);
  if (!lay_out(&next, capacity, &next.slab_bytes)) return ECS_E_MEMORY;
  next.slab = memory_resize(memory, NULL, 0, next.slab_bytes);
  if (next.slab == NULL) return ECS_E_MEMORY;
  platform_populate(next.slab, next.slab_bytes);
  next.entities = first_line(next.slab);
  size_t used = table->count * sizeof(ecs_Entity);
  if (used > 0) memcpy(next.entities, table->entities, used);
  memset((char *)next.entities + used, 0, capacity * sizeof(ecs_Entity) - used);
  copy_columns(&next, table);
  clear_new_bits(&next, table);
  point_fields(&next);
  ECS_ASSERT((uintptr_t)next.entities % ECS_LINE_BYTES == 0);
  ECS_ASSERT(next.count <= next.capacity);
  memory_free(memory, table->slab, table->slab_bytes);
  *table = next;
  return ECS_OK;
}

/* Slabs of fewer bytes are copied: an allocator seldom grows them in place. */
#ifdef ECS_TINY
#define SPREAD_LEAST 256u
#else
#define SPREAD_LEAST 65536u
#endif

/* Can the columns be moved apart within one slab, the last one first? A column
 * must not be written over one before it, wherever the first line of the slab
 * begins. */
static bool can_spread(const Table *to, const Table *from) {
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
    if (table_column_count(from, shift) > 0 &&
        to->first[shift] < from->first[shift] + ECS_LINE_BYTES)
      return false;
  return from->slab_bytes >= SPREAD_LEAST;
}

/* Moves rows to the place of their column, and clears what follows them. */
static void spread_column(char *to, const char *from, size_t used,
                          size_t bytes) {
  if (used > 0) memmove(to, from, used);
  memset(to + used, 0, bytes - used);
}

/* Moves the columns from where they were in the slab, which began there. */
static void spread_columns(Table *to, const Table *from, const char *before) {
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
    for (uint32_t i = table_column_count(from, shift); i-- > 0;)
      spread_column(table_column(to, (ColumnCode)(i << 2 | shift)),
                    before + from->first[shift] + i * from->stride[shift],
                    (size_t)from->count << shift,
                    (size_t)to->capacity << shift);
  spread_column((char *)to->entities, before, to->count * sizeof(ecs_Entity),
                to->capacity * sizeof(ecs_Entity));
}

/* Has the slab grow where it is, if the allocator can: it has twice the pages
 * then, and no other slab is written and given back. ECS_E_MEMORY: nothing has
 * changed. */
static ecs_Status grow_slab(Table *table, Memory *memory, uint32_t capacity) {
  Table next = *table;
  size_t skip = (size_t)((char *)table->entities - (char *)table->slab);
  size_t bytes = table->slab_bytes;
  if (!lay_out(&next, capacity, &next.slab_bytes)) return ECS_E_MEMORY;
  if (!can_spread(&next, table))
    return replace_slab(table, memory, capacity, table->bits_columns);
  next.slab = memory_resize(memory, table->slab, bytes, next.slab_bytes);
  if (next.slab == NULL) return ECS_E_MEMORY;
  platform_populate((char *)next.slab + bytes, next.slab_bytes - bytes);
  next.entities = first_line(next.slab);
  spread_columns(&next, table, (char *)next.slab + skip);
  point_fields(&next);
  *table = next;
  return ECS_OK;
}

static ECS_COLD ecs_Status refuse_rows(Memory *memory) {
  return memory_refuse(memory, ECS_INDEX_LIMIT, "rows", "a table");
}

ecs_Status table_reserve(Table *table, Memory *memory, uint64_t rows) {
  if (rows > ECS_INDEX_LIMIT) return refuse_rows(memory);
  uint64_t needed = table->count + rows;
  uint64_t doubled = (uint64_t)table->capacity * 2;
  if (needed <= table->capacity) return ECS_OK;
  if (needed > ECS_INDEX_LIMIT) return refuse_rows(memory);
#ifdef ECS_TINY
  doubled = 0; /* every growth step is as small as it can be */
#endif
  if (doubled > needed) needed = doubled;
  needed = (needed + ECS_ROW_ALIGN - 1) / ECS_ROW_ALIGN * ECS_ROW_ALIGN;
  return grow_slab(table, memory, (uint32_t)needed);
}

/* Makes the table one that never had a row. */
static void drop_slab(Table *table, Memory *memory) {
  ECS_ASSERT(table->count == 0);
  memory_free(memory, table->slab, table->slab_bytes);
  table->slab = NULL;
  table->slab_bytes = 0;
  table->hashes = NULL;
  table->entities = NULL;
  table->capacity = 0;
  for (uint32_t i = 0; i < table->field_count; i++) table->fields[i] = NULL;
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
    table->first[shift] = table->stride[shift] = 0;
}

void table_shrink(Table *table, Memory *memory, uint32_t rows) {
  ECS_ASSERT(rows >= table->count);
  uint32_t capacity =
      (rows + ECS_ROW_ALIGN - 1) / ECS_ROW_ALIGN * ECS_ROW_ALIGN;
  if (capacity >= table->capacity) return;
  if (capacity == 0)
    drop_slab(table, memory);
  else
    (void)replace_slab(table, memory, capacity, table->bits_columns);
}

ecs_Status table_reserve_bits(Table *table, Memory *memory, uint32_t columns) {
  if (columns <= table->bits_columns) return ECS_OK;
  if (table->slab != NULL)
    return replace_slab(table, memory, table->capacity, (uint16_t)columns);
  table->bits_columns = (uint16_t)columns;
  table->only_cells = false;
  table_forget_edge(table);
  return ECS_OK;
}

/* Changing ---------------------------------------------------------------- */

void table_truncate(Table *table, uint32_t rows) {
  if (rows >= table->count) return;
  uint32_t gone = table->count - rows;
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
    for (uint32_t i = 0; i < table_column_count(table, shift); i++)
      memset(table_element(table, (ColumnCode)(i << 2 | shift), rows), 0,
             (size_t)gone << shift);
  memset(table->entities + rows, 0, gone * sizeof(ecs_Entity));
  table->count = rows;
}

/* Invariants -------------------------------------------------------------- */

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
    for (uint32_t i = 0; i < table_column_count(table, shift); i++) {
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
