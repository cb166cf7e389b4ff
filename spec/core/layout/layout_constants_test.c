/* layout_constants_test.c: what storage costs.
 *
 * The numbers are measured, and any other would do. Here is what the model counts
 * on.
 */
#include "test_case.h"
#include "layout/layout_constants.h"

TEST(everything_has_a_price) {
  for (uint32_t i = 0; i < PRICE_COUNT; i++) assert_true(layout_prices[i] > 0);
}

/* Otherwise nothing would ever be stored that way. */
TEST(each_way_is_the_cheaper_one_somewhere) {
  const uint32_t *prices = layout_prices;
  assert_true(prices[PRICE_BIT] < prices[PRICE_MOVE]);
  assert_true(prices[PRICE_ENTER] < prices[PRICE_MOVE]);
  assert_true(prices[PRICE_BIT] < prices[PRICE_ENTER]);
  assert_true(prices[PRICE_MOVE_COLUMN] < prices[PRICE_ENTER_COLUMN]);
  assert_true(prices[PRICE_MARK_ROWS] < 64 * prices[PRICE_LOOK_UP]);
  assert_true(prices[PRICE_BITS_ROWS] < 64 * prices[PRICE_LOOK_UP]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_has_a_price),
      cmocka_unit_test(each_way_is_the_cheaper_one_somewhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
