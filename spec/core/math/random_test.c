/* random_test.c: the random numbers of rows. */
#include <math.h>

#include "test_case.h"
#include "ecs.h"

/* Every machine must give these numbers: replays rely on them. */
TEST(draws_are_these) {
  assert_true(ecs_random_key(1, "wander", 2) == UINT64_C(0xeb309040701c8eb9));
  assert_true(ecs_random(1, 2, 0) == 0x1.799bfb392d431p-1);
  assert_true(ecs_random(1, 2, 1) == 0x1.d898b7dcc4e02p-1);
}

TEST(keys_tell_seed_name_and_tick_apart) {
  const uint64_t key = ecs_random_key(1, "a", 1);
  assert_true(key == ecs_random_key(1, "a", 1));
  assert_true(key != ecs_random_key(2, "a", 1));
  assert_true(key != ecs_random_key(1, "b", 1));
  assert_true(key != ecs_random_key(1, "", 1));
  assert_true(key != ecs_random_key(1, "aa", 1));
  assert_true(key != ecs_random_key(1, "a", 2));
}

/* Negative counts, fractions below 1, NaN and too large ones count as 0. */
TEST(odd_counts_are_zero) {
  static const double odd[] = {-1,        -0.5,   NAN,   HUGE_VAL,
                               -HUGE_VAL, 0x1p53, 1e300, 0.75};
  for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
    assert_true(ecs_random(5, 6, odd[k]) == ecs_random(5, 6, 0));
  assert_true(ecs_random(5, 6, 0x1p53 - 1) != ecs_random(5, 6, 0));
}

/* Numbers over entities, draws or keys: 64 boxes get about 1000 each, the mean
 * is right, and a number does not follow from the one before. */
static void check_spread(int which) {
  uint32_t boxes[64] = {0};
  const uint32_t count = 64000;
  double sum = 0, products = 0, before = 0.5;
  for (uint32_t k = 0; k < count; k++) {
    double x = which == 0   ? ecs_random(3, k + 1, 0)
               : which == 1 ? ecs_random(3, 77, k)
                            : ecs_random(ecs_random_key(9, "s", k), 77, 0);
    assert_true(x >= 0 && x < 1);
    boxes[(int)(x * 64)]++;
    sum += x;
    products += (x - 0.5) * (before - 0.5);
    before = x;
  }
  double square = 0;
  for (int k = 0; k < 64; k++)
    square += (boxes[k] - 1000.0) * (boxes[k] - 1000.0) / 1000.0;
  assert_true(square > 25 && square < 125); /* 63 expected, deviation 11 */
  assert_true(fabs(sum / count - 0.5) < 0.005);
  assert_true(fabs(products / count) < 0.0015);
}

TEST(draws_are_spread_evenly) {
  for (int which = 0; which < 3; which++) check_spread(which);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_are_these),
      cmocka_unit_test(keys_tell_seed_name_and_tick_apart),
      cmocka_unit_test(odd_counts_are_zero),
      cmocka_unit_test(draws_are_spread_evenly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
