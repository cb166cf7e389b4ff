/* table_test.c: where columns are, and that everything behind the rows is zero.
 *
 * Components with every mix of element sizes are put into tables, alone and
 * together. Layout and padding are checked after each step. Changes of rows are
 * in table_rows_test.c.
 */
#include "table_fixture.h"
#include "test_case.h"

/* Lifetime ---------------------------------------------------------------- */

TEST(a_new_table_has_codes_and_no_slab) {
  Kinds kinds;
  open_kinds(&kinds);
  const char *letters[] = {"bw", "", "wwd", "h", "b", "ewb"};
  for (uint32_t i = 0; i < 6; i++) add_kind(&kinds, letters[i]);
  Table *table = make(&kinds, 0x37);
  assert_null(table->slab);
  assert_null(table->entities);
  assert_int_equal(table->count, 0);
  assert_int_equal(table->capacity, 0);
  assert_int_equal(table->mask.count, 1);
  assert_int_equal(table->mask.words[0], 0x37);
  assert_int_equal(table->lookup_mask, 7);
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

/* Bits that are far apart, or that agree in their low parts, or all of them: a
 * table finds those it has, and its look-ups are few where components are. */
TEST(a_few_of_many_components_are_looked_up_in_little) {
  enum { BITS = 4096 };
  static const Schema *schemas[BITS];
  static const uint32_t sets[][4] = {
      {0, 1, 2, 3}, {0, 64, 128, 4095}, {7, 1031, 2055, 3079}, {5, 5, 5, 4095}};
  Kinds kinds;
  open_kinds(&kinds);
  add_kind(&kinds, "b");
  for (uint32_t bit = 0; bit < BITS; bit++) schemas[bit] = kinds.schemas[0];
  schemas[64] = NULL; /* a tag */
  for (uint32_t k = 0; k <= 4; k++) {
    uint64_t mask[BITS / 64];
    memset(mask, k < 4 ? 0 : 0xff, sizeof mask);
    for (uint32_t i = 0; k < 4 && i < 4; i++)
      mask[sets[k][i] / 64] |= UINT64_C(1) << sets[k][i] % 64;
    ecs_Status status = ECS_OK;
    Table *table = table_create(&kinds.memory, schemas,
                                mask_trim(mask, BITS / 64), &status);
    assert_int_equal(status, ECS_OK);
    uint32_t next = 0;
    for (uint32_t bit = 0; bit < 2 * BITS; bit++) {
      bool has = bit < BITS && bit != 64 && (mask[bit / 64] >> bit % 64 & 1u);
      assert_int_equal(table_has_columns(table, bit), has);
      if (!has) continue;
      assert_ptr_equal(table_codes(table, bit), table->codes + next);
      assert_ptr_equal(table_fields(table, bit), table->fields + next++);
    }
    assert_int_equal(table->field_count, next);
    if (k < 2) assert_true(table->lookup_mask < 256);
    if (k == 3) assert_int_equal(table->lookup_mask, 3); /* 01 and 11 */
    table_destroy(table, &kinds.memory);
  }
  close_kinds(&kinds);
}

TEST(a_table_of_nothing_holds_entities) {
  Kinds kinds;
  open_kinds(&kinds);
  ecs_Status status = ECS_E_NAN;
  Table *table = table_create(&kinds.memory, NULL, (Mask){0}, &status);
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

TEST(a_refused_table_is_none) {
  Kinds kinds;
  open_kinds(&kinds);
  add_kind(&kinds, "bwd");
  ecs_Status status = ECS_OK;
  uint64_t mask = 1, bytes = kinds.failing.bytes;
  failing_memory_arm(&kinds.failing, 1, FAIL_ONCE);
  assert_null(table_create(&kinds.memory, (const Schema *const *)kinds.schemas,
                           mask_trim(&mask, 1), &status));
  assert_int_equal(status, ECS_E_MEMORY);
  assert_int_equal(failing_memory_disarm(&kinds.failing), 1);
  assert_int_equal(kinds.failing.bytes, bytes);
  close_kinds(&kinds);
}

/* 127 components of 64 fields and one of 63 are 8191 columns of one size. */
TEST(the_most_columns_of_a_size_are_allowed_and_one_more_is_not) {
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
      table_create(&kinds.memory, (const Schema *const *)kinds.schemas,
                   mask_trim(mask, 3), &status);
  assert_int_equal(status, ECS_OK);
  assert_int_equal(table->columns[1], ECS_COLUMN_LIMIT);
  reserve(&kinds, table, 1);
  append(&kinds, table, 3);
  assert_row(&kinds, table, 0, 3, UINT32_MAX);
  assert_table_sound(table);
  table_destroy(table, &kinds.memory);
  mask[2] = 3;
  assert_null(table_create(&kinds.memory, (const Schema *const *)kinds.schemas,
                           mask_trim(mask, 3), &status));
  assert_int_equal(status, ECS_E_LIMIT);
  assert_int_equal(kinds.failing.bytes, bytes);
  close_kinds(&kinds);
}

/* Growth ------------------------------------------------------------------ */

TEST(rows_stay_while_their_table_grows) {
  for (uint32_t mix = 0; mix < 16; mix++) {
    for (uint32_t bits = 0; bits < 3; bits++) {
      Kinds kinds;
      open_kinds(&kinds);
      add_mix(&kinds, mix, bits + 1);
      Table *table = make(&kinds, 3);
      assert_int_equal(table_reserve_bits(table, &kinds.memory, bits), ECS_OK);
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

/* The slab that grows moves each time, by any number of bytes from a line. */
TEST(rows_stay_while_a_large_table_doubles) {
#ifdef ECS_TINY
  enum { FIRST = 5, MOST = 40 };
#else
  enum { FIRST = 2900, MOST = 24000 };
#endif
  for (uint32_t mix = 0; mix < 16; mix++) {
    for (uint32_t bits = 0; bits < 2; bits++) {
      Kinds kinds;
      open_kinds(&kinds);
      add_mix(&kinds, mix, 2);
      Table *table = make(&kinds, 3);
      assert_int_equal(table_reserve_bits(table, &kinds.memory, bits), ECS_OK);
      for (uint32_t rows = FIRST; rows <= MOST; rows *= 2) {
        Table before = *table;
        failing_memory_arm(&kinds.failing, 1, FAIL_ONCE);
        assert_int_equal(
            table_reserve(table, &kinds.memory, rows - table->count),
            ECS_E_MEMORY);
        failing_memory_disarm(&kinds.failing);
        assert_memory_equal(table, &before, sizeof before);
        reserve(&kinds, table, rows - table->count);
        assert_table_sound(table);
        while (table->count < rows - 1) append(&kinds, table, table->count + 1);
      }
      for (uint32_t i = 0; i < table->count; i++) {
        assert_row(&kinds, table, i, i + 1, UINT32_MAX);
        assert_bits_row(table, i, i + 1, bits);
      }
      table_destroy(table, &kinds.memory);
      close_kinds(&kinds);
    }
  }
}

/* In the tiny build by as little as it can, otherwise to twice as much. */
TEST(capacities_follow_the_rule) {
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

TEST(a_table_of_more_rows_than_entities_is_refused) {
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

TEST(a_refused_slab_leaves_the_table_as_it_was) {
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
  assert_int_equal(table_reserve_bits(table, &kinds.memory, 1), ECS_E_MEMORY);
  assert_int_equal(failing_memory_disarm(&kinds.failing), 2);
  assert_memory_equal(table, &before, sizeof before);
  assert_table_sound(table);
  table_destroy(table, &kinds.memory);
  close_kinds(&kinds);
}

/* Blocks at every address that is aligned for any scalar and no better, each at
 * another one than that before it. */
typedef struct Skew {
  size_t bytes, step;
} Skew;

static void *skewed_resize(void *user, void *block, size_t old_bytes,
                           size_t new_bytes) {
  Skew *skew = user;
  char *before = block == NULL ? NULL : *(char **)((void **)block - 1);
  void **skewed = NULL;
  if (new_bytes > 0) {
    char *start = malloc(128 + skew->bytes + new_bytes);
    uintptr_t line = ((uintptr_t)start + 127) & ~(uintptr_t)63;
    skewed = (void **)(line + skew->bytes);
    skewed[-1] = start;
    skew->bytes = (skew->bytes + skew->step) % 64;
    memset(skewed, FAILING_MEMORY_PATTERN, new_bytes);
    if (block != NULL) memcpy(skewed, block, old_bytes);
  }
  free(before);
  return skewed;
}

TEST(columns_are_aligned_wherever_the_slab_begins) {
#ifdef ECS_TINY
  enum { FIRST = 5, MOST = 40 };
#else
  enum { FIRST = 1500, MOST = 7000 };
#endif
  for (size_t bytes = 0; bytes < 64; bytes += 8) {
    Kinds kinds;
    Skew skew = {bytes, 64 - bytes};
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
    table_clear(table);
    for (uint32_t rows = FIRST; rows < MOST; rows *= 2) {
      assert_int_equal(table_reserve(table, &memory, rows - table->count),
                       ECS_OK);
      assert_table_sound(table);
      for (uint32_t i = table->count; i < rows - 1; i++)
        append(&kinds, table, i + 1);
    }
    for (uint32_t i = 0; i < table->count; i++)
      assert_row(&kinds, table, i, i + 1, UINT32_MAX);
    memory_free(&memory, table->slab, table->slab_bytes);
    table->slab = NULL;
    table_destroy(table, &kinds.memory);
    close_kinds(&kinds);
  }
}

/* The check itself -------------------------------------------------------- */

/* Whatever byte behind the rows is not zero, the check sees it. */
TEST(the_check_sees_every_byte_of_padding) {
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

TEST(the_check_sees_a_broken_layout) {
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
      cmocka_unit_test(a_few_of_many_components_are_looked_up_in_little),
      cmocka_unit_test(a_table_of_nothing_holds_entities),
      cmocka_unit_test(a_refused_table_is_none),
      cmocka_unit_test(
          the_most_columns_of_a_size_are_allowed_and_one_more_is_not),
      cmocka_unit_test(rows_stay_while_their_table_grows),
      cmocka_unit_test(rows_stay_while_a_large_table_doubles),
      cmocka_unit_test(capacities_follow_the_rule),
      cmocka_unit_test(a_table_of_more_rows_than_entities_is_refused),
      cmocka_unit_test(a_refused_slab_leaves_the_table_as_it_was),
      cmocka_unit_test(columns_are_aligned_wherever_the_slab_begins),
      cmocka_unit_test(the_check_sees_every_byte_of_padding),
      cmocka_unit_test(the_check_sees_a_broken_layout),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
