/* table_rows_test.c: values stay in their columns, whatever happens to rows.
 *
 * Rows are appended, moved to other tables and removed; values, bits and
 * defaults are stored and loaded. All rows and the padding are checked after
 * each step.
 */
#include "table_fixture.h"
#include "test_case.h"

/* Rows -------------------------------------------------------------------- */

TEST(the_last_row_fills_the_hole_and_leaves_zeros) {
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

TEST(clearing_zeros_all_rows_and_keeps_the_slab) {
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

TEST(many_rows_are_appended_as_zeros) {
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

TEST(bits_come_to_empty_and_to_filled_tables) {
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

TEST(single_bits_are_told_apart) {
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

TEST(bits_that_both_tables_have_are_copied) {
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

/* Moves one row of three to a table with or without the component. Common
 * components are copied, a new one is zero, and the hole is closed. */
static void check_move(Kinds *kinds, uint32_t toggled, bool added, uint32_t row,
                       uint32_t bits) {
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

/* Every component is first, in the middle or last among the columns of each of
 * its sizes. */
TEST(a_row_moves_when_a_component_comes_or_goes) {
  Kinds kinds;
  open_kinds(&kinds);
  const char *letters[] = {"bhwd", "wwd", "", "hb", "bbhhwwdd", "d", "dwhb"};
  for (uint32_t i = 0; i < 7; i++) add_kind(&kinds, letters[i]);
  check_moves(&kinds);
  close_kinds(&kinds);
}

/* A component alone in its size, beside each mix of the other sizes. */
TEST(a_row_moves_between_every_mix_of_sizes) {
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

TEST(only_the_fields_asked_for_are_stored) {
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

TEST(all_fields_are_stored_and_loaded) {
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

TEST(a_stored_nan_is_the_one_quiet_nan) {
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

/* Whatever bytes come from outside, of any type: what is stored is what
 * scalar_canonicalize makes of them. */
TEST(what_is_stored_is_canonical) {
  uint64_t seed = 1;
  for (uint32_t type = 0; type < ECS_SCALAR_COUNT; type++) {
    for (uint32_t i = 0; i < 4096; i++) {
      seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
      uint64_t bits = seed >> i % 60, stored = 0, expected = 0;
      if (i % 4 == 0) bits |= UINT64_C(0xfff07ff0ff807f80); /* NaNs, infinity */
      if (i % 64 == 1) bits = 0;
      memcpy(&expected, &bits, scalar_bytes((ecs_Scalar)type));
      scalar_canonicalize((ecs_Scalar)type, &expected);
      element_store(&stored, &bits, (ecs_Scalar)type);
      assert_true(stored == expected);
    }
  }
}

TEST(defaults_are_stored_unless_they_are_zero) {
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

int main(void) {
  const struct CMUnitTest tests[] = {
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
      cmocka_unit_test(what_is_stored_is_canonical),
      cmocka_unit_test(defaults_are_stored_unless_they_are_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
