/* id_test.c: a handle gives back its index and generation, and numbers that are
 * no handles are recognized. id.h has no .c file: it is inline.
 */
#include <math.h>

#include "test_case.h"
#include "base/id.h"

#define TOP_INDEX ((1u << 28) - 1)
#define TOP_GENERATION ((1u << 24) - 1)
#define TOP_HANDLE UINT64_C(0xfffffffffffff)

TEST(parts_come_back_for_every_mix_of_bits) {
  for (uint32_t a = 0; a <= 28; a++) {
    for (uint32_t b = 0; b <= 24; b++) {
      uint32_t index = (uint32_t)((1ull << a) - 1);
      uint32_t generation = (uint32_t)((1ull << b) - 1);
      ecs_Entity entity = id_make(index, generation);
      assert_int_equal(id_index(entity), index);
      assert_int_equal(id_generation(entity), generation);
      assert_true(entity <= TOP_HANDLE);
    }
  }
}

TEST(the_drawing_in_the_header_is_true) {
  assert_int_equal(id_make(1, 0), 1);
  assert_int_equal(id_make(TOP_INDEX, 0), 0xfffffff);
  assert_int_equal(id_make(0, 1), 0x10000000);
  assert_true(id_make(TOP_INDEX, TOP_GENERATION) == TOP_HANDLE);
  assert_int_equal(ECS_INDEX_MASK, TOP_INDEX);
}

TEST(the_limits_of_the_build_fit_the_bits) {
  assert_true(ECS_INDEX_LIMIT - 1 <= ECS_INDEX_MASK);
  assert_true(ECS_GENERATION_LIMIT - 1 <= TOP_GENERATION);
}

TEST(a_handle_is_exact_as_a_double) {
  for (uint32_t bit = 0; bit < 52; bit++) {
    ecs_Entity top = TOP_HANDLE >> bit;
    assert_true((ecs_Entity)(double)top == top);
    assert_true(id_is_handle((double)top));
  }
}

TEST(whole_numbers_of_52_bits_can_be_handles) {
  assert_true(id_is_handle(0.0));
  assert_true(id_is_handle(-0.0));
  assert_true(id_is_handle(1.0));
  assert_true(id_is_handle(4503599627370495.0));
}

TEST(no_other_number_can_be_a_handle) {
  const double others[] = {-1.0,
                           -0.5,
                           0.5,
                           1.5,
                           4503599627370494.5,
                           4503599627370496.0,
                           9007199254740992.0,
                           18446744073709551616.0,
                           1e300,
                           -1e300,
                           HUGE_VAL,
                           -HUGE_VAL,
                           NAN,
                           -NAN,
                           5e-324,
                           -5e-324,
                           -4503599627370495.0};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    assert_false(id_is_handle(others[k]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_come_back_for_every_mix_of_bits),
      cmocka_unit_test(the_drawing_in_the_header_is_true),
      cmocka_unit_test(the_limits_of_the_build_fit_the_bits),
      cmocka_unit_test(a_handle_is_exact_as_a_double),
      cmocka_unit_test(whole_numbers_of_52_bits_can_be_handles),
      cmocka_unit_test(no_other_number_can_be_a_handle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
