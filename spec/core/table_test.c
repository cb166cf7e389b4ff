/* table_test.c: values stay in their columns, and all behind them is zero.
 *
 * Components of every mix of element sizes are put into tables, alone and
 * side by side; each step is followed by a look at layout and padding.
 */
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

static void open_kinds(Kinds *kinds) {
  memset(kinds, 0, sizeof *kinds);
  memory_init(&kinds->memory, failing_memory_init(&kinds->failing), 0);
}

static void close_kinds(Kinds *kinds) {
  for (uint32_t i = 0; i < kinds->count; i++)
    schema_destroy(&kinds->memory, kinds->schemas[i]);
  assert_int_equal(kinds->failing.blocks, 0);
  assert_int_equal(kinds->failing.bytes, 0);
}

/* A component of those fields; "" is for what has no columns. */
static void add_kind(Kinds *kinds, const char *letters) {
  ecs_Field fields[ECS_FIELD_LIMIT] = {{0}};
  char names[ECS_FIELD_LIMIT][4];
  uint32_t count = (uint32_t)strlen(letters);
  for (uint32_t i = 0; i < count; i++) {
    snprintf(names[i], sizeof names[i], "%u", i % 100u);
    fields[i] = (ecs_Field){names[i], scalar_of(letters[i]), i == 1 ? 5 : 0};
  }
  ecs_ComponentDescription how = {"kind", fields, count, ECS_STORE_TABLE};
  if (count > 0)
    assert_int_equal(schema_create(&kinds->memory, &how,
                                   &kinds->schemas[kinds->count]),
                     ECS_OK);
  kinds->count++;
}

static Table *make(Kinds *kinds, uint64_t mask) {
  ecs_Status status = ECS_E_NAN;
  Table *table = table_create(&kinds->memory,
                              (const Schema *const *)kinds->schemas, &mask, 1,
                              &status);
  assert_int_equal(status, ECS_OK);
  assert_non_null(table);
  return table;
}

static bool is_stored(const Kinds *kinds, const Table *table, uint32_t bit) {
  return table_has(table, bit) && kinds->schemas[bit] != NULL;
}

/* Stores a row whose values, bits and entity are made from one seed. */
static void write_row(const Kinds *kinds, Table *table, uint32_t row,
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

static void append(const Kinds *kinds, Table *table, uint32_t seed) {
  write_row(kinds, table, table_append(table, id_make(seed, seed)), seed);
}

/* toggled: a bit whose value is not that of the seed; UINT32_MAX: none. */
static void assert_row(const Kinds *kinds, const Table *table, uint32_t row,
                       uint32_t seed, uint32_t toggled) {
  assert_int_equal(table->entities[row], id_make(seed, seed));
  for (uint32_t bit = 0; bit < kinds->count; bit++)
    if (is_stored(kinds, table, bit) && bit != toggled)
      assert_value(table, row, bit, kinds->schemas[bit], seed + bit);
}

static void assert_bits_row(const Table *table, uint32_t row, uint32_t seed,
                            uint32_t columns) {
  for (uint32_t i = 0; i < table->bits_columns; i++)
    assert_int_equal(table_bits(table, i)[row],
                     i < columns ? (uint8_t)(seed % 255 + 1 - i) : 0);
}

static void reserve(Kinds *kinds, Table *table, uint64_t rows) {
  assert_int_equal(table_reserve(table, &kinds->memory, rows), ECS_OK);
}

/* Life -------------------------------------------------------------------- */

static void a_new_table_has_codes_and_no_slab(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  const char *letters[] = {"bw", "", "wwd", "h", "b", "ewb"};
  for (uint32_t i = 0; i < 6; i++) add_kind(&kinds, letters[i]);
  Table *table = make(&kinds, 0x37);
  assert_null(table->slab);
  assert_null(table->entities);
  assert_int_equal(table->count, 0);
  assert_int_equal(table->capacity, 0);
  assert_int_equal(table->mask_words, 1);
  assert_int_equal(table->mask[0], 0x37);
  assert_int_equal(table->lookup_count, 6);
  assert_int_equal(table->field_count, 9);
  assert_int_equal(table->sizes, 13); /* the u16 is not in it */
  const uint16_t columns[] = {3, 0, 4, 2};
  assert_memory_equal(table->columns, columns, sizeof columns);
  const ColumnCode codes[] = {0 << 2 | 0, 0 << 2 | 2, 1 << 2 | 2,
                              2 << 2 | 2, 0 << 2 | 3, 1 << 2 | 0,
                              1 << 2 | 3, 3 << 2 | 2, 2 << 2 | 0};
  assert_memory_equal(table->codes, codes, sizeof codes);
  assert_ptr_equal(table_codes(table, 5), table->codes + 6);
  assert_true(table_has(table, 1) && !table_has(table, 3));
  assert_false(table_has_columns(table, 1));
  assert_false(table_has_columns(table, 3));
  assert_false(table_has_columns(table, 6));
  assert_false(table_has(table, 64));
  table_destroy(table, &kinds.memory);
  table_destroy(NULL, &kinds.memory);
  close_kinds(&kinds);
}

static void a_table_of_nothing_holds_entities(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  ecs_Status status = ECS_E_NAN;
  Table *table = table_create(&kinds.memory, NULL, NULL, 0, &status);
  assert_int_equal(status, ECS_OK);
  reserve(&kinds, table, 3);
  for (uint32_t i = 1; i < 4; i++) append(&kinds, table, i);
  assert_table_sound(table);
  assert_int_equal(table_remove(table, 0), id_make(3, 3));
  assert_int_equal(table->entities[0], id_make(3, 3));
  assert_int_equal(table->entities[2], 0);
  assert_table_sound(table);
  table_destroy(table, &kinds.memory);
  close_kinds(&kinds);
}

static void a_refused_table_is_none(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  add_kind(&kinds, "bwd");
  ecs_Status status = ECS_OK;
  uint64_t mask = 1, bytes = kinds.failing.bytes;
  failing_memory_arm(&kinds.failing, 1, FAIL_ONCE);
  assert_null(table_create(&kinds.memory,
                           (const Schema *const *)kinds.schemas, &mask, 1,
                           &status));
  assert_int_equal(status, ECS_E_MEMORY);
  assert_int_equal(failing_memory_disarm(&kinds.failing), 1);
  assert_int_equal(kinds.failing.bytes, bytes);
  close_kinds(&kinds);
}

/* 127 components of 64 fields and one of 63 are 8191 columns of one size. */
static void the_most_columns_of_a_size_are_allowed_and_one_more_is_not(
    void **state) {
  (void)state;
  Kinds kinds;
  char letters[ECS_FIELD_LIMIT + 1] = {0};
  uint64_t mask[3] = {UINT64_MAX, UINT64_MAX, 0};
  ecs_Status status = ECS_OK;
  open_kinds(&kinds);
  memset(letters, 'h', ECS_FIELD_LIMIT);
  for (uint32_t i = 0; i < 127; i++) add_kind(&kinds, letters);
  add_kind(&kinds, letters + 1);
  add_kind(&kinds, "bh");
  add_kind(&kinds, "b");
  uint64_t bytes = kinds.failing.bytes;
  mask[2] = 2;
  Table *table =
      table_create(&kinds.memory, (const Schema *const *)kinds.schemas, mask,
                   3, &status);
  assert_int_equal(status, ECS_OK);
  assert_int_equal(table->columns[1], ECS_COLUMN_LIMIT);
  reserve(&kinds, table, 1);
  append(&kinds, table, 3);
  assert_row(&kinds, table, 0, 3, UINT32_MAX);
  assert_table_sound(table);
  table_destroy(table, &kinds.memory);
  mask[2] = 3;
  assert_null(table_create(&kinds.memory,
                           (const Schema *const *)kinds.schemas, mask, 3,
                           &status));
  assert_int_equal(status, ECS_E_LIMIT);
  assert_int_equal(kinds.failing.bytes, bytes);
  close_kinds(&kinds);
}

/* Growth ------------------------------------------------------------------ */

/* Two components of every mix of sizes, that of the other one reversed. */
static void add_mix(Kinds *kinds, uint32_t mix, uint32_t repeats) {
  char letters[16] = {0}, reversed[16] = {0};
  uint32_t count = 0;
  for (uint32_t i = 0; i < 4 * repeats; i++)
    if ((mix >> i % 4 & 1u) != 0) letters[count++] = "bhwd"[i % 4];
  for (uint32_t i = 0; i < count; i++) reversed[i] = letters[count - 1 - i];
  add_kind(kinds, letters);
  add_kind(kinds, reversed);
}

static void rows_stay_while_their_table_grows(void **state) {
  (void)state;
  for (uint32_t mix = 0; mix < 16; mix++) {
    for (uint32_t bits = 0; bits < 3; bits++) {
      Kinds kinds;
      open_kinds(&kinds);
      add_mix(&kinds, mix, bits + 1);
      Table *table = make(&kinds, 3);
      assert_int_equal(table_reserve_bits(table, &kinds.memory, bits),
                       ECS_OK);
      for (uint32_t i = 0; i < MANY_ROWS; i++) {
        reserve(&kinds, table, 1);
        assert_table_sound(table);
        append(&kinds, table, i + 1);
      }
      for (uint32_t i = 0; i < MANY_ROWS; i++) {
        assert_row(&kinds, table, i, i + 1, UINT32_MAX);
        assert_bits_row(table, i, i + 1, bits);
      }
      assert_table_sound(table);
      table_destroy(table, &kinds.memory);
      close_kinds(&kinds);
    }
  }
}

/* In the tiny build by as little as it can, otherwise to twice as much. */
static void capacities_follow_the_rule(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  add_kind(&kinds, "bhwd");
  Table *table = make(&kinds, 1);
  reserve(&kinds, table, 0);
  assert_null(table->slab);
  reserve(&kinds, table, 1);
  assert_int_equal(table->capacity, ECS_ROW_ALIGN);
  reserve(&kinds, table, ECS_ROW_ALIGN);
  assert_int_equal(table->capacity, ECS_ROW_ALIGN);
  table_append_many(table, ECS_ROW_ALIGN);
  void *slab = table->slab;
  reserve(&kinds, table, 0);
  assert_ptr_equal(table->slab, slab);
  reserve(&kinds, table, 1);
  assert_int_equal(table->capacity, 2 * ECS_ROW_ALIGN);
  table_append_many(table, ECS_ROW_ALIGN);
#ifdef ECS_TINY
  reserve(&kinds, table, 1);
  assert_int_equal(table->capacity, 12);
  reserve(&kinds, table, 5);
  assert_int_equal(table->capacity, 16);
  reserve(&kinds, table, 33);
  assert_int_equal(table->capacity, 44);
#else
  reserve(&kinds, table, 1);
  assert_int_equal(table->capacity, 64);
  reserve(&kinds, table, 33);
  assert_int_equal(table->capacity, 128);
  reserve(&kinds, table, 225);
  assert_int_equal(table->capacity, 272);
#endif
  assert_table_sound(table);
  table_destroy(table, &kinds.memory);
  close_kinds(&kinds);
}

static void a_table_of_more_rows_than_entities_is_refused(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  add_kind(&kinds, "b");
  Table *table = make(&kinds, 1);
  reserve(&kinds, table, 1);
  append(&kinds, table, 1);
  uint64_t requests = kinds.failing.requests;
  assert_int_equal(table_reserve(table, &kinds.memory, ECS_INDEX_LIMIT),
                   ECS_E_LIMIT);
  assert_int_equal(kinds.failing.requests, requests);
  failing_memory_arm(&kinds.failing, 1, FAIL_ONCE);
  assert_int_equal(table_reserve(table, &kinds.memory, ECS_INDEX_LIMIT - 1),
                   ECS_E_MEMORY);
  assert_int_equal(failing_memory_disarm(&kinds.failing), 1);
  assert_row(&kinds, table, 0, 1, UINT32_MAX);
  table_destroy(table, &kinds.memory);
  close_kinds(&kinds);
}

static void a_refused_slab_leaves_the_table_as_it_was(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  add_mix(&kinds, 15, 2);
  Table *table = make(&kinds, 3);
  failing_memory_arm(&kinds.failing, 1, FAIL_ONWARD);
  assert_int_equal(table_reserve(table, &kinds.memory, 1), ECS_E_MEMORY);
  failing_memory_disarm(&kinds.failing);
  assert_table_sound(table);
  reserve(&kinds, table, 5);
  for (uint32_t i = 1; i < 6; i++) append(&kinds, table, i);
  Table before = *table;
  failing_memory_arm(&kinds.failing, 1, FAIL_ONWARD);
  assert_int_equal(table_reserve(table, &kinds.memory, 40), ECS_E_MEMORY);
  assert_int_equal(table_reserve_bits(table, &kinds.memory, 1),
                   ECS_E_MEMORY);
  assert_int_equal(failing_memory_disarm(&kinds.failing), 2);
  assert_memory_equal(table, &before, sizeof before);
  assert_table_sound(table);
  table_destroy(table, &kinds.memory);
  close_kinds(&kinds);
}

/* Blocks at every address that is aligned for any scalar and no better. */
typedef struct Skew {
  size_t bytes;
} Skew;

static void *skewed_resize(void *user, void *block, size_t old_bytes,
                           size_t new_bytes) {
  const Skew *skew = user;
  char *start = block == NULL ? NULL : *(char **)((void **)block - 1);
  (void)old_bytes;
  if (new_bytes == 0) {
    free(start);
    return NULL;
  }
  assert_null(block);
  start = malloc(128 + skew->bytes + new_bytes);
  uintptr_t line = ((uintptr_t)start + 127) & ~(uintptr_t)63;
  void **skewed = (void **)(line + skew->bytes);
  skewed[-1] = start;
  return skewed;
}

static void columns_are_aligned_wherever_the_slab_begins(void **state) {
  (void)state;
  for (size_t bytes = 0; bytes < 64; bytes += 8) {
    Kinds kinds;
    Skew skew = {bytes};
    open_kinds(&kinds);
    add_mix(&kinds, 15, 1);
    Memory memory;
    memory_init(&memory, (ecs_Memory){skewed_resize, &skew}, 0);
    Table *table = make(&kinds, 3);
    for (uint32_t i = 0; i < 40; i++) {
      assert_int_equal(table_reserve(table, &memory, 1), ECS_OK);
      append(&kinds, table, i + 1);
      assert_table_sound(table);
    }
    memory_free(&memory, table->slab, table->slab_bytes);
    table->slab = NULL;
    table_destroy(table, &kinds.memory);
    close_kinds(&kinds);
  }
}

/* Rows -------------------------------------------------------------------- */

static void the_last_row_fills_the_hole_and_leaves_zeros(void **state) {
  (void)state;
  for (uint32_t mix = 0; mix < 16; mix++) {
    for (uint32_t row = 0; row < 5; row++) {
      Kinds kinds;
      open_kinds(&kinds);
      add_mix(&kinds, mix, 2);
      Table *table = make(&kinds, 3);
      if (row % 2 == 0) table_reserve_bits(table, &kinds.memory, 2);
      uint32_t bits = table->bits_columns;
      reserve(&kinds, table, 5);
      for (uint32_t i = 1; i < 6; i++) append(&kinds, table, i);
      ecs_Entity moved = table_remove(table, row);
      assert_int_equal(moved, row == 4 ? 0 : id_make(5, 5));
      assert_int_equal(table->count, 4);
      for (uint32_t i = 0; i < 4; i++) {
        uint32_t seed = i == row ? 5 : i + 1;
        assert_row(&kinds, table, i, seed, UINT32_MAX);
        assert_bits_row(table, i, seed, bits);
      }
      assert_table_sound(table);
      while (table->count > 0) table_remove(table, 0);
      assert_table_sound(table);
      table_destroy(table, &kinds.memory);
      close_kinds(&kinds);
    }
  }
}

static void clearing_zeros_all_rows_and_keeps_the_slab(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  add_mix(&kinds, 15, 2);
  Table *table = make(&kinds, 3);
  table_clear(table);
  assert_table_sound(table);
  table_reserve_bits(table, &kinds.memory, 2);
  table_clear(table);
  reserve(&kinds, table, 9);
  for (uint32_t i = 1; i < 10; i++) append(&kinds, table, i);
  void *slab = table->slab;
  table_clear(table);
  assert_int_equal(table->count, 0);
  assert_ptr_equal(table->slab, slab);
  assert_table_sound(table);
  table_destroy(table, &kinds.memory);
  close_kinds(&kinds);
}

static void many_rows_are_appended_as_zeros(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  add_mix(&kinds, 15, 1);
  Table *table = make(&kinds, 3);
  reserve(&kinds, table, 11);
  append(&kinds, table, 1);
  assert_int_equal(table_append_many(table, 10), 1);
  assert_int_equal(table->count, 11);
  for (uint32_t row = 1; row < 11; row++) {
    assert_int_equal(table->entities[row], 0);
    for (uint32_t bit = 0; bit < 2; bit++)
      assert_value(table, row, bit, kinds.schemas[bit], 0);
  }
  table_destroy(table, &kinds.memory);
  close_kinds(&kinds);
}

/* Bits -------------------------------------------------------------------- */

static void bits_come_to_empty_and_to_filled_tables(void **state) {
  (void)state;
  for (uint32_t mix = 0; mix < 16; mix++) {
    Kinds kinds;
    open_kinds(&kinds);
    add_mix(&kinds, mix, 1);
    Table *table = make(&kinds, 3);
    assert_int_equal(table_reserve_bits(table, &kinds.memory, 1), ECS_OK);
    assert_int_equal(table->bits_columns, 1);
    assert_null(table->slab);
    assert_false(table_has_bit(table, 0, 3));
    reserve(&kinds, table, 3);
    for (uint32_t i = 1; i < 4; i++) append(&kinds, table, i);
    const void *slab = table->slab;
    uint32_t capacity = table->capacity;
    assert_int_equal(table_reserve_bits(table, &kinds.memory, 1), ECS_OK);
    assert_int_equal(table_reserve_bits(table, &kinds.memory, 0), ECS_OK);
    assert_ptr_equal(table->slab, slab);
    assert_int_equal(table_reserve_bits(table, &kinds.memory, 3), ECS_OK);
    assert_int_equal(table->bits_columns, 3);
    assert_int_equal(table->capacity, capacity);
    for (uint32_t i = 0; i < 3; i++) {
      assert_row(&kinds, table, i, i + 1, UINT32_MAX);
      assert_bits_row(table, i, i + 1, 1);
    }
    assert_table_sound(table);
    table_destroy(table, &kinds.memory);
    close_kinds(&kinds);
  }
}

static void single_bits_are_told_apart(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  add_kind(&kinds, "b");
  Table *table = make(&kinds, 1);
  reserve(&kinds, table, 2);
  append(&kinds, table, 1);
  append(&kinds, table, 2);
  assert_false(table_any_bit(table, 0));
  assert_false(table_has_bit(table, 0, 0));
  assert_int_equal(table_reserve_bits(table, &kinds.memory, 2), ECS_OK);
  for (uint32_t index = 0; index < 16; index++) {
    table_write_bit(table, 1, index, true);
    assert_true(table_any_bit(table, 1));
    assert_false(table_any_bit(table, 0));
    for (uint32_t other = 0; other < 17; other++) {
      assert_int_equal(table_has_bit(table, 1, other), other == index);
      assert_false(table_has_bit(table, 0, other));
    }
    table_write_bit(table, 1, index, false);
    assert_false(table_any_bit(table, 1));
  }
  assert_row(&kinds, table, 1, 2, UINT32_MAX);
  table_destroy(table, &kinds.memory);
  close_kinds(&kinds);
}

static void bits_that_both_tables_have_are_copied(void **state) {
  (void)state;
  for (uint32_t more = 0; more < 2; more++) {
    Kinds kinds;
    open_kinds(&kinds);
    add_kind(&kinds, "b");
    Table *from = make(&kinds, 1), *to = make(&kinds, 0);
    table_reserve_bits(from, &kinds.memory, more ? 3 : 1);
    table_reserve_bits(to, &kinds.memory, more ? 1 : 3);
    reserve(&kinds, from, 2);
    reserve(&kinds, to, 1);
    append(&kinds, from, 1);
    append(&kinds, from, 9);
    table_append(to, 5);
    table_copy_bits(to, 0, from, 1);
    assert_bits_row(to, 0, 9, 1);
    assert_bits_row(from, 1, 9, from->bits_columns);
    assert_row(&kinds, from, 1, 9, UINT32_MAX);
    assert_table_sound(to);
    table_destroy(from, &kinds.memory);
    table_destroy(to, &kinds.memory);
    close_kinds(&kinds);
  }
}

/* Moving ------------------------------------------------------------------ */

static ColumnRange range_of(const Kinds *kinds, const Table *table,
                            uint32_t bit) {
  ColumnRange range = {{0}, {0}};
  const Schema *schema = kinds->schemas[bit];
  for (uint32_t i = 0; schema != NULL && i < schema->field_count; i++) {
    ColumnCode code = table_codes(table, bit)[i];
    if (range.end[code & 3] == 0) range.begin[code & 3] = code >> 2;
    range.end[code & 3] = (uint16_t)((code >> 2) + 1);
  }
  return range;
}

/* One row of three to a table with or without the component: what both have
 * goes over, the component is zero or gone, and the hole is closed. */
static void check_move(Kinds *kinds, uint32_t toggled, bool added,
                       uint32_t row, uint32_t bits) {
  uint64_t all = (UINT64_C(1) << kinds->count) - 1;
  uint64_t less = all & ~(UINT64_C(1) << toggled);
  Table *from = make(kinds, added ? less : all);
  Table *to = make(kinds, added ? all : less);
  ColumnRange range = range_of(kinds, added ? to : from, toggled);
  table_reserve_bits(from, &kinds->memory, bits);
  table_reserve_bits(to, &kinds->memory, bits == 0 ? 1 : bits + 1);
  reserve(kinds, from, 3);
  reserve(kinds, to, 2);
  append(kinds, to, 50);
  for (uint32_t i = 1; i < 4; i++) append(kinds, from, i);
  ecs_Entity moved = 99;
  assert_int_equal(table_move_row(to, from, row, &range, added, &moved), 1);
  assert_int_equal(moved, row == 2 ? 0 : id_make(3, 3));
  assert_int_equal(from->count, 2);
  assert_int_equal(to->count, 2);
  assert_row(kinds, to, 0, 50, UINT32_MAX);
  assert_row(kinds, to, 1, row + 1, toggled);
  assert_bits_row(to, 1, row + 1, bits);
  if (added && kinds->schemas[toggled] != NULL)
    assert_value(to, 1, toggled, kinds->schemas[toggled], 0);
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t seed = i == row ? 3 : i + 1;
    assert_row(kinds, from, i, seed, UINT32_MAX);
    assert_bits_row(from, i, seed, bits);
  }
  assert_table_sound(from);
  assert_table_sound(to);
  table_destroy(from, &kinds->memory);
  table_destroy(to, &kinds->memory);
}

static void check_moves(Kinds *kinds) {
  for (uint32_t toggled = 0; toggled < kinds->count; toggled++)
    for (uint32_t row = 0; row < 3; row++)
      for (uint32_t bits = 0; bits < 3; bits++) {
        check_move(kinds, toggled, true, row, bits);
        check_move(kinds, toggled, false, row, bits);
      }
}

/* Every one of them is first, in the middle or last in each size it has. */
static void a_row_moves_when_a_component_comes_or_goes(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  const char *letters[] = {"bhwd", "wwd", "", "hb", "bbhhwwdd", "d", "dwhb"};
  for (uint32_t i = 0; i < 7; i++) add_kind(&kinds, letters[i]);
  check_moves(&kinds);
  close_kinds(&kinds);
}

/* A component alone in its size, beside each mix of the other sizes. */
static void a_row_moves_between_every_mix_of_sizes(void **state) {
  (void)state;
  const char *alone[] = {"b", "hh", "w", "dd"};
  for (uint32_t mix = 0; mix < 16; mix++)
    for (uint32_t size = 0; size < 4; size++) {
      Kinds kinds;
      open_kinds(&kinds);
      add_mix(&kinds, mix, 1);
      add_kind(&kinds, alone[size]);
      add_mix(&kinds, 15 - mix, 1);
      check_moves(&kinds);
      close_kinds(&kinds);
    }
}

/* Values ------------------------------------------------------------------ */

static void only_the_fields_asked_for_are_stored(void **state) {
  (void)state;
  const char *letters[] = {"bhwdfe", "fff"};
  for (uint32_t kind = 0; kind < 2; kind++) {
    for (uint64_t fields = 0; fields < 64; fields++) {
      Kinds kinds;
      Image image, read;
      open_kinds(&kinds);
      add_kind(&kinds, "hb");
      add_kind(&kinds, letters[kind]);
      const Schema *schema = kinds.schemas[1];
      Table *table = make(&kinds, 3);
      reserve(&kinds, table, 3);
      for (uint32_t i = 1; i < 4; i++) append(&kinds, table, i);
      make_image(schema, 77, &image);
      table_store(table, 1, 1, schema, &image, fields);
      memset(&read, 0, sizeof read);
      table_load(table, 1, 1, schema, &read);
      for (uint32_t i = 0; i < schema->field_count; i++)
        assert_true(ecs_scalar_load(schema->fields[i].type,
                                    (char *)&read + schema->fields[i].offset) ==
                    value_of((fields >> i & 1) ? 77 : 3, i));
      assert_row(&kinds, table, 0, 1, UINT32_MAX);
      assert_row(&kinds, table, 2, 3, UINT32_MAX);
      table_destroy(table, &kinds.memory);
      close_kinds(&kinds);
    }
  }
}

static void all_fields_are_stored_and_loaded(void **state) {
  (void)state;
  const char *letters[] = {"bhwdfe", "ffff", "f", "d", "ef"};
  for (uint32_t kind = 0; kind < 5; kind++) {
    Kinds kinds;
    Image image, read;
    open_kinds(&kinds);
    add_kind(&kinds, "wf");
    add_kind(&kinds, letters[kind]);
    const Schema *schema = kinds.schemas[1];
    Table *table = make(&kinds, 3);
    reserve(&kinds, table, 3);
    for (uint32_t i = 1; i < 4; i++) append(&kinds, table, i);
    make_image(schema, 99, &image);
    table_store_all(table, 1, 1, schema, &image);
    memset(&read, 0, sizeof read);
    table_load(table, 1, 1, schema, &read);
    assert_memory_equal(&read, &image, sizeof read);
    assert_value(table, 1, 1, schema, 99);
    assert_value(table, 1, 0, kinds.schemas[0], 2);
    assert_row(&kinds, table, 0, 1, UINT32_MAX);
    assert_row(&kinds, table, 2, 3, UINT32_MAX);
    table_destroy(table, &kinds.memory);
    close_kinds(&kinds);
  }
}

static void a_stored_nan_is_the_one_quiet_nan(void **state) {
  (void)state;
  const char *letters[] = {"ff", "fd"};
  for (uint32_t kind = 0; kind < 2; kind++) {
    for (uint32_t all = 0; all < 2; all++) {
      Kinds kinds;
      Image image;
      uint32_t bits[] = {0xff812345u, 0x7f800000u}, read;
      uint64_t wide = UINT64_C(0xfff0000000000001);
      open_kinds(&kinds);
      add_kind(&kinds, letters[kind]);
      const Schema *schema = kinds.schemas[0];
      Table *table = make(&kinds, 1);
      reserve(&kinds, table, 1);
      table_append(table, 1);
      memcpy(&image, bits, sizeof bits); /* a NaN, then infinity */
      if (kind == 1) memcpy((char *)&image + 8, &wide, 8);
      if (all == 1)
        table_store_all(table, 0, 0, schema, &image);
      else
        table_store(table, 0, 0, schema, &image, 3);
      memcpy(&read, table->fields[0], 4);
      assert_int_equal(read, 0x7fc00000u);
      memcpy(&wide, table->fields[1], kind == 0 ? 4 : 8);
      if (kind == 0) assert_int_equal((uint32_t)wide, 0x7f800000u);
      if (kind == 1) assert_true(wide == UINT64_C(0x7ff8000000000000));
      table_destroy(table, &kinds.memory);
      close_kinds(&kinds);
    }
  }
}

static void defaults_are_stored_unless_they_are_zero(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  add_kind(&kinds, "w");   /* its default is zero */
  add_kind(&kinds, "whb"); /* the second field's is five */
  Table *table = make(&kinds, 3);
  reserve(&kinds, table, 2);
  append(&kinds, table, 1);
  table_append(table, 2);
  table_store_defaults(table, 0, 0, kinds.schemas[0]);
  assert_value(table, 0, 0, kinds.schemas[0], 1);
  table_store_defaults(table, 1, 1, kinds.schemas[1]);
  const ColumnCode *codes = table_codes(table, 1);
  assert_int_equal(*(uint32_t *)table_element(table, codes[0], 1), 0);
  assert_int_equal(*(uint16_t *)table_element(table, codes[1], 1), 5);
  assert_int_equal(*(uint8_t *)table_element(table, codes[2], 1), 0);
  assert_value(table, 0, 1, kinds.schemas[1], 2);
  table_destroy(table, &kinds.memory);
  close_kinds(&kinds);
}

/* The check itself -------------------------------------------------------- */

/* Whatever byte behind the rows is not zero, the check sees it. */
static void the_check_sees_every_byte_of_padding(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  add_mix(&kinds, 15, 1);
  Table *table = make(&kinds, 3);
  table_reserve_bits(table, &kinds.memory, 2);
  reserve(&kinds, table, 4);
  append(&kinds, table, 1);
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
    for (uint32_t i = 0; i < (shift == 0 ? 4u : 2u); i++) {
      uint8_t *column = table_column(table, (ColumnCode)(i << 2 | shift));
      for (uint32_t at = 1u << shift; at < table->capacity << shift; at++) {
        column[at] = 1;
        assert_false(table_check_invariants(table));
        column[at] = 0;
      }
    }
  assert_true(table_check_invariants(table));
  table_destroy(table, &kinds.memory);
  close_kinds(&kinds);
}

static void the_check_sees_a_broken_layout(void **state) {
  (void)state;
  Kinds kinds;
  open_kinds(&kinds);
  add_mix(&kinds, 15, 1);
  Table *table = make(&kinds, 3);
  table->count = 1;
  assert_false(table_check_invariants(table));
  table->count = 0;
  table->capacity = 4;
  assert_false(table_check_invariants(table));
  table->capacity = 0;
  reserve(&kinds, table, 3);
  table->count = table->capacity + 1;
  assert_false(table_check_invariants(table));
  table->count = table->capacity;
  assert_true(table_check_invariants(table));
  table->count = 0;
  table->fields[7] += 8;
  assert_false(table_check_invariants(table));
  table->fields[7] -= 8;
  table->first[1] += 2;
  assert_false(table_check_invariants(table));
  table->first[1] -= 2;
  assert_true(table_check_invariants(table));
  table_destroy(table, &kinds.memory);
  close_kinds(&kinds);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_table_has_codes_and_no_slab),
      cmocka_unit_test(a_table_of_nothing_holds_entities),
      cmocka_unit_test(a_refused_table_is_none),
      cmocka_unit_test(
          the_most_columns_of_a_size_are_allowed_and_one_more_is_not),
      cmocka_unit_test(rows_stay_while_their_table_grows),
      cmocka_unit_test(capacities_follow_the_rule),
      cmocka_unit_test(a_table_of_more_rows_than_entities_is_refused),
      cmocka_unit_test(a_refused_slab_leaves_the_table_as_it_was),
      cmocka_unit_test(columns_are_aligned_wherever_the_slab_begins),
      cmocka_unit_test(the_last_row_fills_the_hole_and_leaves_zeros),
      cmocka_unit_test(clearing_zeros_all_rows_and_keeps_the_slab),
      cmocka_unit_test(many_rows_are_appended_as_zeros),
      cmocka_unit_test(bits_come_to_empty_and_to_filled_tables),
      cmocka_unit_test(single_bits_are_told_apart),
      cmocka_unit_test(bits_that_both_tables_have_are_copied),
      cmocka_unit_test(a_row_moves_when_a_component_comes_or_goes),
      cmocka_unit_test(a_row_moves_between_every_mix_of_sizes),
      cmocka_unit_test(only_the_fields_asked_for_are_stored),
      cmocka_unit_test(all_fields_are_stored_and_loaded),
      cmocka_unit_test(a_stored_nan_is_the_one_quiet_nan),
      cmocka_unit_test(defaults_are_stored_unless_they_are_zero),
      cmocka_unit_test(the_check_sees_every_byte_of_padding),
      cmocka_unit_test(the_check_sees_a_broken_layout),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
