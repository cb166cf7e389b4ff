/* Tests of base/float_mode.h: the mode of arithmetic is set, and set again. */
#include "base/float_mode.h"

#include <fenv.h>

#include "test_case.h"

static volatile double tiny = 0x1p-1020;
static volatile double one = 1, three = 3;

TEST(leaves_the_usual_mode_alone) {
  FloatMode mode = float_mode_begin();
  assert_true(mode == 0);
  float_mode_end(mode);
  assert_true(tiny / 1024 > 0);
}

TEST(rounds_to_the_nearest_meanwhile) {
  double nearest = one / three;
  assert_int_equal(fesetround(FE_UPWARD), 0);
  double up = one / three;
  FloatMode mode = float_mode_begin();
  double meanwhile = one / three;
  float_mode_end(mode);
  double after = one / three;
  int rounding = fegetround();
  assert_int_equal(fesetround(FE_TONEAREST), 0);
  assert_true(up > nearest);
  assert_true(after == up && rounding == FE_UPWARD);
#ifdef FLOAT_MODE_BITS
  assert_true(meanwhile == nearest);
#else
  (void)meanwhile;
#endif
}

#if defined(__x86_64__)
TEST(keeps_numbers_near_zero_meanwhile) {
  unsigned usual = _mm_getcsr();
  _mm_setcsr(usual | 0x8040);
  double flushed = tiny / 1024;
  FloatMode outer = float_mode_begin();
  FloatMode inner = float_mode_begin(); /* a run within a run */
  float_mode_end(inner);
  double kept = tiny / 1024;
  float_mode_end(outer);
  double after = tiny / 1024;
  _mm_setcsr(usual);
  assert_true(flushed == 0 && after == 0);
  assert_true(kept > 0 && inner == 0);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(leaves_the_usual_mode_alone),
    cmocka_unit_test(rounds_to_the_nearest_meanwhile),
#if defined(__x86_64__)
    cmocka_unit_test(keeps_numbers_near_zero_meanwhile),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
