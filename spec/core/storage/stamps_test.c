/* stamps_test.c: stamps of blocks of rows. */
#include "test_case.h"
#include "failing_memory.h"
#include "storage/stamps.h"

typedef struct Fixture {
  FailingMemory failing;
  Memory memory;
  StampClock clock;
} Fixture;

static void start(Fixture *fixture) {
  memory_init(&fixture->memory, failing_memory_init(&fixture->failing), 0);
  fixture->clock.tick = 5;
}

static Stamps *extend(Fixture *fixture, Stamps *stamps, uint32_t bit,
                      uint32_t blocks) {
  return stamps_extend(stamps, &fixture->memory, &fixture->clock, bit, blocks);
}

TEST(what_is_new_has_the_stamp_of_now) {
  Fixture fixture;
  start(&fixture);
  Stamps *stamps = extend(&fixture, NULL, STAMP_NO_BIT, 2);
  assert_int_equal(stamps->blocks, 2);
  assert_int_equal(stamps->count, 0);
  assert_null(stamps_of(stamps, 3));
  assert_int_equal(stamps->rows[1], 5);
  fixture.clock.tick = 9;
  stamps = extend(&fixture, stamps, 3, 4);
  uint64_t *list = stamps_of(stamps, 3);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(stamps->rows[i], i < 2 ? 5 : 9);
    assert_int_equal(list[i], 9);
  }
  assert_ptr_equal(extend(&fixture, stamps, 3, 1), stamps);
  list[0] = 7;
  stamps = extend(&fixture, stamps, 8, 1);
  assert_int_equal(stamps->blocks, 4);
  assert_int_equal(stamps_of(stamps, 3)[0], 7);
  assert_int_equal(stamps_of(stamps, 8)[3], 9);
  stamps_destroy(stamps, &fixture.memory);
  stamps_destroy(NULL, &fixture.memory);
  assert_int_equal(fixture.failing.bytes, 0);
}

TEST(rows_stamp_their_blocks) {
  Fixture fixture;
  start(&fixture);
  Stamps *stamps = extend(&fixture, NULL, STAMP_NO_BIT, 4);
  uint64_t *rows = stamps->rows;
  fixture.clock.tick = 6;
  stamps_write(stamps, rows, STAMP_ROWS - 1, 2);
  assert_int_equal(rows[0], 6);
  assert_int_equal(rows[1], 6);
  assert_int_equal(rows[2], 5);
  fixture.clock.tick = 7;
  stamps_write(stamps, rows, 2 * STAMP_ROWS, 0);
  assert_int_equal(rows[2], 5);
  stamps_write(stamps, rows, 3 * STAMP_ROWS, 100 * STAMP_ROWS);
  assert_int_equal(rows[3], 7);
  assert_false(stamps_newer(stamps, rows, 0, 2 * STAMP_ROWS, 6));
  assert_true(stamps_newer(stamps, rows, 0, 2 * STAMP_ROWS, 5));
  assert_false(stamps_newer(stamps, rows, 2 * STAMP_ROWS, STAMP_ROWS, 5));
  assert_true(stamps_newer(stamps, rows, 2 * STAMP_ROWS, STAMP_ROWS + 1, 5));
  /* There is no stamp of a row behind the blocks. */
  assert_true(stamps_newer(stamps, rows, 4 * STAMP_ROWS, 1, 100));
  stamps_destroy(stamps, &fixture.memory);
}

TEST(without_memory_nothing_changes) {
  Fixture fixture;
  start(&fixture);
  Stamps *stamps = extend(&fixture, NULL, 1, 2);
  failing_memory_arm(&fixture.failing, 1, FAIL_ONCE);
  assert_null(extend(&fixture, stamps, 2, 2));
  failing_memory_disarm(&fixture.failing);
  assert_int_equal(stamps->count, 1);
  assert_int_equal(stamps_of(stamps, 1)[1], 5);
  stamps_destroy(stamps, &fixture.memory);
  assert_int_equal(fixture.failing.bytes, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_new_has_the_stamp_of_now),
      cmocka_unit_test(rows_stamp_their_blocks),
      cmocka_unit_test(without_memory_nothing_changes),
  };
  return cmocka_run_group_tests_name("stamps", tests, NULL, NULL);
}
