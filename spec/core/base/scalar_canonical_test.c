/* scalar_canonical_test.c: bit patterns that are made canonical, one element or
 * many at a time, and the search for NaNs with a payload.
 */
#include "scalar_fixture.h"
#include "test_case.h"

/* A pattern is a NaN when its exponent is all ones and its fraction is not 0.
 * The rule is written as in the standard, unlike in scalar.c. */
static uint32_t expected_f32(uint32_t bits) {
  bool is_nan = (bits >> 23 & 0xff) == 0xff && (bits & 0x7fffff) != 0;
  return is_nan ? 0x7fc00000 : bits;
}

/* Low halves 0 and 1 distinguish an infinity from a NaN; the others are
 * payloads. */
TEST(every_upper_half_of_an_f32_becomes_canonical) {
  static const uint32_t lower[] = {0, 1, 0x5555, 0x8000, 0xffff};
  uint32_t nans = 0;
  for (uint32_t upper = 0; upper < 1u << 16; upper++) {
    for (size_t k = 0; k < sizeof lower / sizeof *lower; k++) {
      uint32_t before = upper << 16 | lower[k];
      uint32_t after = before;
      scalar_canonicalize(ECS_F32, &after);
      if (after != expected_f32(before))
        fail_msg("%08x became %08x", (unsigned)before, (unsigned)after);
      nans += after != before;
    }
  }
  /* Both signs; 127 upper halves with all five and one with all but the
   * infinity; minus the quiet NaN itself. */
  assert_int_equal(nans, 2 * (127 * 5 + 4) - 1);
}

TEST(every_upper_half_of_an_f64_becomes_canonical) {
  static const uint64_t lower[] = {0, 1, 0xffffffffffff};
  for (uint64_t upper = 0; upper < 1u << 16; upper++) {
    for (size_t k = 0; k < sizeof lower / sizeof *lower; k++) {
      uint64_t before = upper << 48 | lower[k];
      uint64_t after = before;
      scalar_canonicalize(ECS_F64, &after);
      bool is_nan =
          (before >> 52 & 0x7ff) == 0x7ff && (before & 0xfffffffffffff) != 0;
      if (after != (is_nan ? 0x7ff8000000000000 : before))
        fail_msg("%016llx became %016llx", (unsigned long long)before,
                 (unsigned long long)after);
    }
  }
}

TEST(bools_and_entities_become_canonical) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint8_t element = (uint8_t)byte;
    scalar_canonicalize(ECS_BOOL, &element);
    assert_int_equal(element, byte == 0 ? 0 : 1);
  }
  for (uint32_t bit = 0; bit < 64; bit++) {
    ecs_Entity element = UINT64_C(1) << bit;
    scalar_canonicalize(ECS_ENTITY, &element);
    assert_int_equal(element, bit < 52 ? UINT64_C(1) << bit : 0);
  }
}

TEST(every_pattern_of_an_integer_is_canonical) {
  for (size_t k = 0; k < RANGES; k++) {
    unsigned char elements[64];
    for (size_t n = 0; n < sizeof elements; n++)
      elements[n] = (unsigned char)(n * 37 + 129);
    unsigned char before[64];
    memcpy(before, elements, sizeof before);
    uint32_t count = 64 / scalar_bytes(ranges[k].type);
    assert_int_equal(
        ecs_scalar_canonicalize_many(ranges[k].type, elements, count), 0);
    assert_memory_equal(elements, before, sizeof before);
  }
}

/* Every count up to some vectors' worth, with elements that need changing at
 * every third place: vector body and tail are both crossed, and the element
 * past the end stays. */
static void assert_many(ecs_Scalar type, uint64_t wrong, uint64_t right) {
  enum { MOST = 130 };
  uint32_t bytes = scalar_bytes(type);
  for (uint32_t count = 0; count <= MOST; count++) {
    unsigned char *elements = malloc((MOST + 1) * bytes);
    assert_non_null(elements);
    memset(elements, 0, (MOST + 1) * bytes);
    for (uint32_t k = 0; k <= MOST; k += 3)
      memcpy(elements + k * bytes, &wrong, bytes);
    assert_int_equal(ecs_scalar_canonicalize_many(type, elements, count),
                     (count + 2) / 3);
    const uint64_t zero = 0;
    for (uint32_t k = 0; k <= MOST; k++) {
      const uint64_t *expected = k % 3 != 0  ? &zero
                                 : k < count ? &right
                                             : &wrong;
      assert_memory_equal(elements + k * bytes, expected, bytes);
    }
    assert_int_equal(ecs_scalar_canonicalize_many(type, elements, count), 0);
    free(elements);
  }
}

/* Patterns with bytes that are equal in any order, or that fill all eight. */
TEST(many_elements_are_counted_and_changed_one_by_one) {
  const uint32_t wrong_f32[2] = {0xffec5555, 0}, right_f32[2] = {0x7fc00000, 0};
  uint64_t wrong, right;
  memcpy(&wrong, wrong_f32, sizeof wrong);
  memcpy(&right, right_f32, sizeof right);
  assert_many(ECS_F32, wrong, right);
  assert_many(ECS_F64, 0xfff8000000000000, 0x7ff8000000000000);
  const uint8_t wrong_bool[8] = {2}, right_bool[8] = {1};
  memcpy(&wrong, wrong_bool, sizeof wrong);
  memcpy(&right, right_bool, sizeof right);
  assert_many(ECS_BOOL, wrong, right);
  assert_many(ECS_ENTITY, UINT64_C(1) << 52, 0);
}

TEST(what_is_stored_is_canonical_already) {
  static const double values[] = {0,    -0.0, 1,   0.5,      -3,        255,
                                  1e10, 1e39, NAN, HUGE_VAL, -HUGE_VAL, TWO_52};
  for (int type = 0; type < (int)ECS_SCALAR_COUNT; type++) {
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
      uint64_t element = 0;
      ecs_scalar_convert((ecs_Scalar)type, &element, values[k]);
      assert_int_equal(
          ecs_scalar_canonicalize_many((ecs_Scalar)type, &element, 1), 0);
    }
  }
}

/* One NaN among numbers and infinities, wherever it stands. */
TEST(one_nan_is_found_in_any_place) {
  for (uint32_t count = 1; count <= 70; count++) {
    for (uint32_t place = 0; place < count; place++) {
      float f32s[70];
      double f64s[70];
      for (uint32_t k = 0; k < count; k++)
        f32s[k] = (float)(f64s[k] = k % 3 == 0 ? -HUGE_VAL : k);
      assert_int_equal(ecs_scalar_canonicalize_many(ECS_F32, f32s, count), 0);
      assert_int_equal(ecs_scalar_canonicalize_many(ECS_F64, f64s, count), 0);
      memcpy(&f32s[place], &(uint32_t){0xffc00001}, 4);
      memcpy(&f64s[place], &(uint64_t){0xfff8000000000001}, 8);
      assert_int_equal(ecs_scalar_canonicalize_many(ECS_F32, f32s, count), 1);
      assert_int_equal(ecs_scalar_canonicalize_many(ECS_F64, f64s, count), 1);
      assert_memory_equal(&f32s[place], &(uint32_t){0x7fc00000}, 4);
      assert_memory_equal(&f64s[place], &(uint64_t){0x7ff8000000000000}, 8);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_upper_half_of_an_f32_becomes_canonical),
      cmocka_unit_test(every_upper_half_of_an_f64_becomes_canonical),
      cmocka_unit_test(bools_and_entities_become_canonical),
      cmocka_unit_test(every_pattern_of_an_integer_is_canonical),
      cmocka_unit_test(many_elements_are_counted_and_changed_one_by_one),
      cmocka_unit_test(what_is_stored_is_canonical_already),
      cmocka_unit_test(one_nan_is_found_in_any_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
