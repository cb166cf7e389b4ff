/* scalar_float_test.c: how f32 and f64 round, overflow and store NaNs, in
 * strict and in converting stores.
 */
#include "scalar_fixture.h"
#include "test_case.h"

#define F32_HIGHEST 0x1.fffffep127

static uint64_t as_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* f32: rounded numbers, denormals, and the ends of the finite numbers. */
static const struct Narrow {
  double value;
  uint32_t bits;
} narrow[] = {
    {0.0, 0x00000000},
    {-0.0, 0x80000000},
    {1.0, 0x3f800000},
    {0.1, 0x3dcccccd},
    {16777217.0, 0x4b800000}, /* a tie, to even: 2^24 */
    {16777219.0, 0x4b800002}, /* a tie, to even: 2^24 + 4 */
    {F32_HIGHEST, 0x7f7fffff},
    {-F32_HIGHEST, 0xff7fffff},
    {0x1.fffffefffffffp127, 0x7f7fffff}, /* just below the tie: rounds down */
    {-0x1.fffffefffffffp127, 0xff7fffff},
    {0x1p-126, 0x00800000},        /* the lowest that is normal */
    {0x1.fffffcp-127, 0x007fffff}, /* the highest denormal */
    {0x1p-149, 0x00000001},        /* the lowest denormal */
    {-0x1p-149, 0x80000001},
    {0x1p-150, 0x00000000},               /* a tie with 0 */
    {0x1.0000000000001p-150, 0x00000001}, /* just above it */
    {5e-324, 0x00000000},
    {-5e-324, 0x80000000},
    {HUGE_VAL, 0x7f800000},
    {-HUGE_VAL, 0xff800000},
    {NAN, 0x7fc00000},
    {-NAN, 0x7fc00000},
};

TEST(an_f32_is_rounded_the_same_on_both_ways_in) {
  for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++) {
    assert_stores(ECS_F32, narrow[k].value, narrow[k].bits);
    assert_converts(ECS_F32, narrow[k].value, narrow[k].bits);
  }
}

TEST(a_finite_number_too_large_for_an_f32_is_refused) {
  static const double large[] = {0x1.ffffffp127, 0x1p128, 1e39, 1e300,
                                 0x1.fffffffffffffp1023};
  for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
    assert_refuses(ECS_F32, large[k]);
    assert_refuses(ECS_F32, -large[k]);
    assert_converts(ECS_F32, large[k], 0x7f800000);
    assert_converts(ECS_F32, -large[k], 0xff800000);
  }
}

TEST(an_f64_keeps_every_bit_of_a_number) {
  static const double exact[] = {0.0,       -0.0,
                                 1.0,       0.1,
                                 TWO_53,    TWO_53 + 2,
                                 5e-324,    -5e-324,
                                 0x1p-1022, 0x0.fffffffffffffp-1022,
                                 1e300,     0x1.fffffffffffffp1023,
                                 HUGE_VAL,  -HUGE_VAL};
  for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
    assert_stores(ECS_F64, exact[k], as_bits(exact[k]));
    assert_converts(ECS_F64, exact[k], as_bits(exact[k]));
  }
}

/* Patterns that carry a payload, a sign, or a signal. */
static const uint64_t payloads[] = {0x7ff8000000000001, 0xfff8000000000000,
                                    0x7ff0000000000001, 0xfff0000000000001,
                                    0x7fffffffffffffff, 0xffffffffffffffff,
                                    0xfffec55555555555, 0xffff000012345678,
                                    0x7ff4000000000000, 0x7ff8000020000000};

TEST(a_nan_of_any_pattern_is_stored_as_the_quiet_one) {
  for (size_t k = 0; k < sizeof payloads / sizeof *payloads; k++) {
    double value = as_double(payloads[k]);
    assert_stores(ECS_F32, value, 0x7fc00000);
    assert_converts(ECS_F32, value, 0x7fc00000);
    assert_stores(ECS_F64, value, 0x7ff8000000000000);
    assert_converts(ECS_F64, value, 0x7ff8000000000000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_f32_is_rounded_the_same_on_both_ways_in),
      cmocka_unit_test(a_finite_number_too_large_for_an_f32_is_refused),
      cmocka_unit_test(an_f64_keeps_every_bit_of_a_number),
      cmocka_unit_test(a_nan_of_any_pattern_is_stored_as_the_quiet_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
