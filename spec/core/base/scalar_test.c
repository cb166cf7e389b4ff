/* scalar_test.c: names, sizes, integers, bools and entities, at the ends of
 * every range, in strict and in converting stores.
 *
 * Expected results are written as numbers or bit patterns, not computed, so
 * that the test shares no mistake with scalar.c. Elements lie between
 * sentinels: a store that writes one byte too many fails every test here.
 */
#include "scalar_fixture.h"
#include "test_case.h"

TEST(every_type_has_its_name_and_size) {
  static const struct {
    const char *name;
    uint32_t bytes;
  } expected[] = {{"f32", 4},  {"f64", 8},    {"i8", 1},     {"u8", 1},
                  {"i16", 2},  {"u16", 2},    {"i32", 4},    {"u32", 4},
                  {"bool", 1}, {"entity", 8}, {"string", 4}, {"any", 4}};
  assert_int_equal(sizeof expected / sizeof *expected, ECS_SCALAR_COUNT);
  for (int type = 0; type < (int)ECS_SCALAR_COUNT; type++) {
    ecs_Scalar scalar = (ecs_Scalar)type;
    assert_string_equal(ecs_scalar_name(scalar), expected[type].name);
    assert_int_equal(ecs_scalar_bytes(scalar), expected[type].bytes);
    assert_int_equal(scalar_bytes(scalar), expected[type].bytes);
    assert_int_equal(scalar_is_float(scalar), type < 2);
  }
}

TEST(a_type_that_is_none_does_no_harm) {
  const int strangers[] = {(int)ECS_SCALAR_COUNT, -1, 1000, INT32_MAX,
                           INT32_MIN};
  for (size_t k = 0; k < sizeof strangers / sizeof *strangers; k++) {
    ecs_Scalar type = (ecs_Scalar)strangers[k];
    Element place;
    clear(&place);
    assert_int_equal(ecs_scalar_store(type, place.element, 1), ECS_E_ARGUMENT);
    ecs_scalar_convert(type, place.element, 1);
    assert_true(ecs_scalar_load(type, place.element) == 0);
    scalar_canonicalize(type, place.element);
    (void)bits_of(&place, 0);
    assert_int_equal(ecs_scalar_bytes(type), 0);
    assert_string_equal(ecs_scalar_name(type), "unknown");
  }
}

TEST(integers_take_both_ends_of_their_range) {
  for (size_t k = 0; k < RANGES; k++) {
    const struct Range *range = &ranges[k];
    assert_stores(range->type, range->lowest, range->lowest_bits);
    assert_stores(range->type, range->highest, range->highest_bits);
    assert_stores(range->type, range->lowest + 1, range->lowest_bits + 1);
    assert_stores(range->type, range->highest - 1, range->highest_bits - 1);
    assert_stores(range->type, 0, 0);
    assert_stores(range->type, -0.0, 0);
    assert_stores(range->type, 100, 100);
  }
}

TEST(integers_refuse_the_next_number_past_either_end) {
  for (size_t k = 0; k < RANGES; k++) {
    const struct Range *range = &ranges[k];
    assert_refuses(range->type, range->lowest - 1);
    assert_refuses(range->type, range->highest + 1);
    assert_refuses(range->type, nextafter(range->lowest, -HUGE_VAL));
    assert_refuses(range->type, nextafter(range->highest, HUGE_VAL));
  }
}

TEST(integers_refuse_fractions_and_what_is_no_number) {
  static const double never[] = {
      0.5,    -0.5,    1.5,   126.99999999999999, 5e-324,    -5e-324, TWO_52,
      TWO_53, -TWO_53, 1e300, HUGE_VAL,           -HUGE_VAL, NAN,     -NAN};
  for (size_t k = 0; k < RANGES; k++)
    for (size_t n = 0; n < sizeof never / sizeof *never; n++)
      assert_refuses(ranges[k].type, never[n]);
}

TEST(negative_integers_are_two_s_complement) {
  assert_stores(ECS_I8, -1, 0xff);
  assert_stores(ECS_I16, -1, 0xffff);
  assert_stores(ECS_I32, -1, 0xffffffff);
  assert_stores(ECS_I16, -300, 0xfed4);
}

TEST(integers_saturate_when_they_convert) {
  static const double beyond[] = {0.5,  1,     TWO_52,  TWO_53,
                                  1e19, 1e300, HUGE_VAL};
  for (size_t k = 0; k < RANGES; k++) {
    const struct Range *range = &ranges[k];
    for (size_t n = 0; n < sizeof beyond / sizeof *beyond; n++) {
      assert_converts(range->type, range->highest + beyond[n],
                      range->highest_bits);
      assert_converts(range->type, range->lowest - beyond[n],
                      range->lowest_bits);
    }
    assert_converts(range->type, range->lowest, range->lowest_bits);
    assert_converts(range->type, range->highest, range->highest_bits);
  }
}

TEST(integers_truncate_towards_zero_when_they_convert) {
  for (size_t k = 0; k < RANGES; k++) {
    ecs_Scalar type = ranges[k].type;
    assert_converts(type, 2.999999, 2);
    assert_converts(type, 0.999999, 0);
    assert_converts(type, -0.999999, 0);
    assert_converts(type, 5e-324, 0);
    assert_converts(type, -0.0, 0);
    assert_converts(type, ranges[k].highest - 0.5, ranges[k].highest_bits - 1);
  }
  assert_converts(ECS_I8, -2.999999, 0xfe);
  assert_converts(ECS_I8, -127.5, 0x81);
  assert_converts(ECS_I16, -2.999999, 0xfffe);
  assert_converts(ECS_I32, -2.999999, 0xfffffffe);
  assert_converts(ECS_U8, -2.999999, 0);
}

TEST(a_nan_converts_to_zero_in_an_integer) {
  for (size_t k = 0; k < RANGES; k++) {
    assert_converts(ranges[k].type, NAN, 0);
    assert_converts(ranges[k].type, as_double(0xfff123456789abcd), 0);
  }
}

TEST(every_8_and_16_bit_integer_goes_in_and_comes_out) {
  for (size_t k = 0; k < 4; k++) {
    const struct Range *range = &ranges[k];
    uint64_t mask = range->highest_bits | range->lowest_bits;
    int64_t number = (int64_t)range->lowest;
    for (; number <= (int64_t)range->highest; number++) {
      Element place;
      clear(&place);
      assert_int_equal(
          ecs_scalar_store(range->type, place.element, (double)number), ECS_OK);
      if (bits_of(&place, scalar_bytes(range->type)) !=
          ((uint64_t)number & mask))
        fail_msg("%d is stored wrong", (int)number);
      if (ecs_scalar_load(range->type, place.element) != (double)number)
        fail_msg("%d is loaded wrong", (int)number);
    }
  }
}

TEST(loads_are_exact_for_every_type) {
  static const struct {
    ecs_Scalar type;
    double value;
  } exact[] = {{ECS_F32, 0x1.fffffep127},
               {ECS_F32, 0x1p-149},
               {ECS_F32, -HUGE_VAL},
               {ECS_F64, 0.1},
               {ECS_F64, -5e-324},
               {ECS_F64, HUGE_VAL},
               {ECS_I8, -128},
               {ECS_U8, 255},
               {ECS_I16, -32768},
               {ECS_U16, 65535},
               {ECS_I32, -2147483648.0},
               {ECS_U32, 4294967295.0},
               {ECS_BOOL, 1},
               {ECS_ENTITY, TWO_52 - 1}};
  for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
    Element place;
    clear(&place);
    assert_int_equal(
        ecs_scalar_store(exact[k].type, place.element, exact[k].value), ECS_OK);
    assert_true(ecs_scalar_load(exact[k].type, place.element) ==
                exact[k].value);
  }
}

TEST(a_bool_takes_zero_and_one_alone) {
  assert_stores(ECS_BOOL, 0, 0);
  assert_stores(ECS_BOOL, -0.0, 0);
  assert_stores(ECS_BOOL, 1, 1);
  static const double never[] = {-1,
                                 2,
                                 255,
                                 256,
                                 0.5,
                                 0.9999999999999999,
                                 1.0000000000000002,
                                 5e-324,
                                 HUGE_VAL,
                                 -HUGE_VAL,
                                 NAN};
  for (size_t k = 0; k < sizeof never / sizeof *never; k++) {
    assert_refuses(ECS_BOOL, never[k]);
    assert_converts(ECS_BOOL, never[k], 1);
  }
  assert_converts(ECS_BOOL, 0, 0);
  assert_converts(ECS_BOOL, -0.0, 0);
  assert_converts(ECS_BOOL, 1, 1);
}

TEST(an_entity_takes_whole_numbers_of_52_bits) {
  static const double handles[] = {0, -0.0, 1, 268435456, TWO_52 - 1};
  for (size_t k = 0; k < sizeof handles / sizeof *handles; k++) {
    assert_stores(ECS_ENTITY, handles[k], (uint64_t)handles[k]);
    assert_converts(ECS_ENTITY, handles[k], (uint64_t)handles[k]);
  }
  static const double never[] = {
      -1,    0.5,      1.5,       TWO_52 - 1.5, TWO_52, TWO_53, 1e19,
      1e300, HUGE_VAL, -HUGE_VAL, NAN,          5e-324, -5e-324};
  for (size_t k = 0; k < sizeof never / sizeof *never; k++) {
    assert_refuses(ECS_ENTITY, never[k]);
    assert_converts(ECS_ENTITY, never[k], 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_has_its_name_and_size),
      cmocka_unit_test(a_type_that_is_none_does_no_harm),
      cmocka_unit_test(integers_take_both_ends_of_their_range),
      cmocka_unit_test(integers_refuse_the_next_number_past_either_end),
      cmocka_unit_test(integers_refuse_fractions_and_what_is_no_number),
      cmocka_unit_test(negative_integers_are_two_s_complement),
      cmocka_unit_test(integers_saturate_when_they_convert),
      cmocka_unit_test(integers_truncate_towards_zero_when_they_convert),
      cmocka_unit_test(a_nan_converts_to_zero_in_an_integer),
      cmocka_unit_test(every_8_and_16_bit_integer_goes_in_and_comes_out),
      cmocka_unit_test(loads_are_exact_for_every_type),
      cmocka_unit_test(a_bool_takes_zero_and_one_alone),
      cmocka_unit_test(an_entity_takes_whole_numbers_of_52_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
