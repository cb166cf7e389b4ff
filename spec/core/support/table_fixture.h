/* table_fixture.h: tables of invented components, and rows made from seeds.
 *
 *      Kinds     bit 0   bit 1   bit 2 ...     a component's fields as letters:
 *                "bhwd"  "wwd"   ""            see scalar_of; "": no columns
 *      row       entity, values and bits all follow from one seed
 */
#ifndef TABLE_FIXTURE_H
#define TABLE_FIXTURE_H

#include "storage/table_image.h"
#include "storage/table_row.h"
#include "world_fixture.h"

#define KINDS_MOST 130u

/* Past several steps of growth, and below the tiny build's limit. */
#ifdef ECS_TINY
#define MANY_ROWS 45u
#else
#define MANY_ROWS 70u
#endif

/* Schemas by bit, as a group would hold them. */
typedef struct Kinds {
  FailingMemory failing;
  Memory memory;
  Schema *schemas[KINDS_MOST];
  uint32_t count;
} Kinds;

static inline void open_kinds(Kinds *kinds) {
  memset(kinds, 0, sizeof *kinds);
  memory_init(&kinds->memory, failing_memory_init(&kinds->failing), 0);
}

static inline void close_kinds(Kinds *kinds) {
  for (uint32_t i = 0; i < kinds->count; i++)
    schema_destroy(&kinds->memory, kinds->schemas[i]);
  assert_int_equal(kinds->failing.blocks, 0);
  assert_int_equal(kinds->failing.bytes, 0);
}

/* A component of those fields; "" is for what has no columns. */
static inline void add_kind(Kinds *kinds, const char *letters) {
  ecs_Field fields[ECS_FIELD_LIMIT] = {{0}};
  char names[ECS_FIELD_LIMIT][4];
  uint32_t count = (uint32_t)strlen(letters);
  for (uint32_t i = 0; i < count; i++) {
    snprintf(names[i], sizeof names[i], "%u", i % 100u);
    fields[i] = (ecs_Field){names[i], scalar_of(letters[i]), i == 1 ? 5 : 0};
  }
  ecs_ComponentDescription how = {.name = "kind",
                                  .fields = fields,
                                  .field_count = count,
                                  .storage = ECS_STORE_TABLE};
  if (count > 0)
    assert_int_equal(
        schema_create(&kinds->memory, &how, &kinds->schemas[kinds->count]),
        ECS_OK);
  kinds->count++;
}

static inline Table *make(Kinds *kinds, uint64_t mask) {
  ecs_Status status = ECS_E_NAN;
  Table *table =
      table_create(&kinds->memory, (const Schema *const *)kinds->schemas,
                   mask_trim(&mask, 1), &status);
  assert_int_equal(status, ECS_OK);
  assert_non_null(table);
  return table;
}

static inline bool is_stored(const Kinds *kinds, const Table *table,
                             uint32_t bit) {
  return table_has(table, bit) && kinds->schemas[bit] != NULL;
}

/* Stores a row with values, bits and an entity made from one seed. */
static inline void write_row(const Kinds *kinds, Table *table, uint32_t row,
                             uint32_t seed) {
  for (uint32_t bit = 0; bit < kinds->count; bit++) {
    Image image;
    if (!is_stored(kinds, table, bit)) continue;
    make_image(kinds->schemas[bit], seed + bit, &image);
    table_store(table, row, bit, kinds->schemas[bit], &image, UINT64_MAX);
  }
  for (uint32_t i = 0; i < table->bits_columns; i++)
    table_bits(table, i)[row] = (uint8_t)(seed % 255 + 1 - i);
}

static inline void append(const Kinds *kinds, Table *table, uint32_t seed) {
  write_row(kinds, table, table_append(table, id_make(seed, seed)), seed);
}

/* toggled: a bit with another value than that of the seed; UINT32_MAX: none. */
static inline void assert_row(const Kinds *kinds, const Table *table,
                              uint32_t row, uint32_t seed, uint32_t toggled) {
  assert_int_equal(table->entities[row], id_make(seed, seed));
  for (uint32_t bit = 0; bit < kinds->count; bit++)
    if (is_stored(kinds, table, bit) && bit != toggled)
      assert_value(table, row, bit, kinds->schemas[bit], seed + bit);
}

static inline void assert_bits_row(const Table *table, uint32_t row,
                                   uint32_t seed, uint32_t columns) {
  for (uint32_t i = 0; i < table->bits_columns; i++)
    assert_int_equal(table_bits(table, i)[row],
                     i < columns ? (uint8_t)(seed % 255 + 1 - i) : 0);
}

static inline void reserve(Kinds *kinds, Table *table, uint64_t rows) {
  assert_int_equal(table_reserve(table, &kinds->memory, rows), ECS_OK);
}

/* Two components of every mix of sizes, that of the other one reversed. */
static inline void add_mix(Kinds *kinds, uint32_t mix, uint32_t repeats) {
  char letters[16] = {0}, reversed[16] = {0};
  uint32_t count = 0;
  for (uint32_t i = 0; i < 4 * repeats; i++)
    if ((mix >> i % 4 & 1u) != 0) letters[count++] = "bhwd"[i % 4];
  for (uint32_t i = 0; i < count; i++) reversed[i] = letters[count - 1 - i];
  add_kind(kinds, letters);
  add_kind(kinds, reversed);
}

#endif
