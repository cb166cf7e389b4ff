/* reduction_test.c: reduces many numbers to one, in a fixed order. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "test_case.h"
#include "math/reduction.h"

#define MOST_ROWS 3000u

/* Numbers of many sizes, so that nearly every order gives another sum. */
static double number_of(uint64_t row) {
  uint64_t mixed = (row + 1) * UINT64_C(0x9e3779b97f4a7c15);
  double number = (double)(int64_t)mixed;
  return ldexp(number, -(int)(mixed % 90));
}

static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Lane k of the rows that one fold joins. */
static double lane_of(ReductionKind kind, uint64_t first, uint64_t end,
                      uint32_t k) {
  double joined = reduction_start(kind);
  for (uint64_t row = first + k; row < end; row += REDUCTION_LANES)
    joined = reduction_join(kind, joined, number_of(row));
  return joined;
}

/* Lanes k, k + apart and so on, joined in pairs. */
static double tree_of(ReductionKind kind, uint64_t first, uint64_t end,
                      uint32_t k, uint32_t apart) {
  if (apart == REDUCTION_LANES) return lane_of(kind, first, end, k);
  return reduction_join(kind, tree_of(kind, first, end, k, 2 * apart),
                        tree_of(kind, first, end, k + apart, 2 * apart));
}

static double expected(ReductionKind kind, uint64_t rows) {
  double total = reduction_start(kind);
  for (uint64_t first = 0; first <= rows; first += REDUCTION_ROWS) {
    uint64_t end =
        first + REDUCTION_ROWS < rows ? first + REDUCTION_ROWS : rows;
    total = reduction_join(kind, total, tree_of(kind, first, end, 0, 1));
  }
  return total;
}

static double reduced(ReductionKind kind, uint64_t rows) {
  Reduction reduction;
  reduction_begin(&reduction, kind);
  for (uint64_t row = 0; row < rows; row++) {
    reduction_add(&reduction, kind, row, number_of(row));
    if ((row + 1) % REDUCTION_ROWS == 0) reduction_fold(&reduction, kind);
  }
  reduction_fold(&reduction, kind);
  return reduction.total;
}

TEST(rows_are_joined_in_their_order) {
  static const uint64_t counts[] = {0,  1,    2,    15,   16,   17,       33,
                                    99, 1023, 1024, 1025, 2048, MOST_ROWS};
  for (int kind = 0; kind < 3; kind++)
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
      assert_true(same(reduced((ReductionKind)kind, counts[k]),
                       expected((ReductionKind)kind, counts[k])));
}

/* Otherwise the test above could not fail. */
TEST(the_order_matters_here) {
  double plain = 0;
  for (uint64_t row = 0; row < MOST_ROWS; row++) plain += number_of(row);
  assert_false(same(plain, reduced(REDUCTION_SUM, MOST_ROWS)));
}

TEST(nothing_comes_to_the_start) {
  assert_true(same(reduced(REDUCTION_SUM, 0), 0.0));
  assert_true(same(reduced(REDUCTION_LEAST, 0), (double)INFINITY));
  assert_true(same(reduced(REDUCTION_GREATEST, 0), -(double)INFINITY));
}

TEST(folds_of_empty_lanes_change_nothing) {
  for (int kind = 0; kind < 3; kind++) {
    Reduction reduction;
    reduction_begin(&reduction, (ReductionKind)kind);
    reduction_add(&reduction, (ReductionKind)kind, 5, -0.0);
    reduction_fold(&reduction, (ReductionKind)kind);
    double total = reduction.total;
    reduction_fold(&reduction, (ReductionKind)kind);
    assert_true(same(reduction.total, total));
  }
}

TEST(extremes_ignore_nan_and_keep_the_first) {
  double nan = (double)NAN;
  assert_true(reduction_join(REDUCTION_LEAST, 2, nan) == 2);
  assert_true(reduction_join(REDUCTION_GREATEST, 2, nan) == 2);
  assert_true(reduction_join(REDUCTION_LEAST, 2, 1) == 1);
  assert_true(reduction_join(REDUCTION_GREATEST, 2, 3) == 3);
  assert_true(same(reduction_join(REDUCTION_LEAST, 0.0, -0.0), 0.0));
  assert_true(same(reduction_join(REDUCTION_GREATEST, -0.0, 0.0), -0.0));
  assert_true(isnan(reduction_join(REDUCTION_SUM, 2, nan)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_joined_in_their_order),
      cmocka_unit_test(the_order_matters_here),
      cmocka_unit_test(nothing_comes_to_the_start),
      cmocka_unit_test(folds_of_empty_lanes_change_nothing),
      cmocka_unit_test(extremes_ignore_nan_and_keep_the_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
