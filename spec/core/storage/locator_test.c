/* locator_test.c: every index has the row that was set last, or none. */
#include "world_fixture.h"
#include "test_case.h"

typedef struct Finder {
  FailingMemory failing;
  Memory memory;
  Locator locator;
} Finder;

static void open_finder(Finder *finder, bool narrow) {
  memory_init(&finder->memory, failing_memory_init(&finder->failing), 0);
  locator_init(&finder->locator, narrow);
  assert_int_equal(finder->failing.requests, 0);
}

static void close_finder(Finder *finder) {
  bool narrow = finder->locator.narrow;
  locator_deinit(&finder->locator, &finder->memory);
  assert_int_equal(finder->failing.blocks, 0);
  assert_int_equal(finder->failing.bytes, 0);
  assert_int_equal(finder->locator.page_count, 0);
  assert_int_equal(finder->locator.narrow, narrow);
}

static void reserve(Finder *finder, uint32_t index) {
  assert_int_equal(locator_reserve(&finder->locator, &finder->memory, index),
                   ECS_OK);
}

static void assert_place(const Finder *finder, uint32_t index, uint32_t row,
                         uint32_t table) {
  RowId place = locator_find(&finder->locator, index);
  assert_int_equal(place.row, row);
  if (row != LOCATOR_NONE) assert_int_equal(place.table, table);
}

TEST(no_row_is_found_in_a_new_locator) {
  for (int narrow = 0; narrow < 2; narrow++) {
    Finder finder;
    open_finder(&finder, narrow != 0);
    assert_int_equal(finder.locator.narrow, narrow);
    const uint32_t indices[] = {0, 1, LOCATOR_PAGE_SIZE, ECS_INDEX_MASK};
    for (uint32_t i = 0; i < 4; i++) {
      assert_place(&finder, indices[i], LOCATOR_NONE, 0);
      assert_false(locator_ready(&finder.locator, indices[i]));
    }
    close_finder(&finder);
  }
}

TEST(a_reserved_page_is_ready_and_has_no_rows) {
  for (int narrow = 0; narrow < 2; narrow++) {
    Finder finder;
    open_finder(&finder, narrow != 0);
    uint32_t first = 2 * LOCATOR_PAGE_SIZE;
    reserve(&finder, first + 1);
    for (uint32_t i = 0; i < LOCATOR_PAGE_SIZE; i++) {
      assert_true(locator_ready(&finder.locator, first + i));
      assert_place(&finder, first + i, LOCATOR_NONE, 0);
    }
    assert_false(locator_ready(&finder.locator, first - 1));
    assert_false(locator_ready(&finder.locator, first + LOCATOR_PAGE_SIZE));
    assert_place(&finder, first - 1, LOCATOR_NONE, 0);
    assert_place(&finder, first + LOCATOR_PAGE_SIZE, LOCATOR_NONE, 0);
    close_finder(&finder);
  }
}

/* Far and near, up and down: no page disturbs another, and what was set stays
 * while the array of pages grows. */
TEST(places_stay_while_pages_come) {
  for (int narrow = 0; narrow < 2; narrow++) {
    Finder finder;
    open_finder(&finder, narrow != 0);
    const uint32_t pages[] = {1, 0, 3, 4, 9, 7, 30};
    for (uint32_t i = 0; i < 7; i++) {
      uint32_t at = pages[i] * LOCATOR_PAGE_SIZE;
      for (uint32_t k = 0; k < LOCATOR_PAGE_SIZE; k++) {
        reserve(&finder, at + k);
        locator_set(&finder.locator, at + k,
                    (RowId){at + 3 * k, narrow ? 0 : at + k + 1});
      }
    }
    for (uint32_t i = 0; i < 7; i++) {
      uint32_t at = pages[i] * LOCATOR_PAGE_SIZE;
      for (uint32_t k = 0; k < LOCATOR_PAGE_SIZE; k++)
        assert_place(&finder, at + k, at + 3 * k, narrow ? 0 : at + k + 1);
    }
    assert_place(&finder, 2 * LOCATOR_PAGE_SIZE, LOCATOR_NONE, 0);
    assert_place(&finder, 31 * LOCATOR_PAGE_SIZE, LOCATOR_NONE, 0);
    close_finder(&finder);
  }
}

TEST(clearing_one_entry_leaves_its_neighbours) {
  for (int narrow = 0; narrow < 2; narrow++) {
    Finder finder;
    open_finder(&finder, narrow != 0);
    reserve(&finder, 0);
    for (uint32_t k = 0; k < 4; k++)
      locator_set(&finder.locator, k, (RowId){k + 5, narrow ? 0 : k});
    locator_clear(&finder.locator, 2);
    assert_place(&finder, 1, 6, narrow ? 0 : 1);
    assert_place(&finder, 2, LOCATOR_NONE, 0);
    assert_place(&finder, 3, 8, narrow ? 0 : 3);
    close_finder(&finder);
  }
}

TEST(a_narrow_entry_is_the_row_itself) {
  Finder finder;
  open_finder(&finder, true);
  uint32_t at = LOCATOR_PAGE_SIZE + 1;
  reserve(&finder, at);
  assert_int_equal(*locator_narrow_entry(&finder.locator, at), LOCATOR_NONE);
  *locator_narrow_entry(&finder.locator, at) = 17;
  assert_place(&finder, at, 17, 0);
  locator_set(&finder.locator, at + 1, (RowId){18, 0});
  assert_int_equal(*locator_narrow_entry(&finder.locator, at), 17);
  assert_int_equal(*locator_narrow_entry(&finder.locator, at + 1), 18);
  close_finder(&finder);
}

/* Memory is one page for a page of indices, half of it when narrow. */
TEST(pages_are_made_once_and_narrow_ones_are_half_as_large) {
  uint64_t bytes[2] = {0, 0};
  for (int narrow = 0; narrow < 2; narrow++) {
    Finder finder;
    open_finder(&finder, narrow != 0);
    reserve(&finder, 1);
    uint64_t array = finder.locator.page_count * sizeof(void *);
    bytes[narrow] = finder.failing.bytes - array;
    uint64_t requests = finder.failing.requests;
    assert_int_equal(requests, 2);
    for (uint32_t i = 0; i < LOCATOR_PAGE_SIZE; i++) reserve(&finder, i);
    assert_int_equal(finder.failing.requests, requests);
    reserve(&finder, LOCATOR_PAGE_SIZE);
    assert_int_equal(finder.failing.requests, requests + 1);
    close_finder(&finder);
  }
  assert_int_equal(bytes[0], LOCATOR_PAGE_SIZE * 8);
  assert_int_equal(bytes[1], LOCATOR_PAGE_SIZE * 4);
}

TEST(the_array_of_pages_doubles) {
  Finder finder;
  open_finder(&finder, true);
  const uint32_t pages[] = {0, 3, 4, 7, 8, 40};
  const uint32_t counts[] = {4, 4, 8, 8, 16, 64};
  for (uint32_t i = 0; i < 6; i++) {
    reserve(&finder, pages[i] * LOCATOR_PAGE_SIZE);
    assert_int_equal(finder.locator.page_count, counts[i]);
  }
  close_finder(&finder);
}

TEST(a_refused_page_leaves_what_is_there) {
  Finder finder;
  open_finder(&finder, false);
  reserve(&finder, 1);
  locator_set(&finder.locator, 1, (RowId){4, 5});
  uint32_t far = 20 * LOCATOR_PAGE_SIZE;
  for (uint64_t n = 1;; n++) {
    failing_memory_arm(&finder.failing, n, FAIL_ONCE);
    ecs_Status status = locator_reserve(&finder.locator, &finder.memory, far);
    if (failing_memory_disarm(&finder.failing) == 0) break;
    assert_int_equal(status, ECS_E_MEMORY);
    assert_false(locator_ready(&finder.locator, far));
    assert_place(&finder, far, LOCATOR_NONE, 0);
    assert_place(&finder, 1, 4, 5);
    far += 60 * LOCATOR_PAGE_SIZE;
  }
  assert_true(locator_ready(&finder.locator, far));
  assert_place(&finder, 1, 4, 5);
  close_finder(&finder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_row_is_found_in_a_new_locator),
      cmocka_unit_test(a_reserved_page_is_ready_and_has_no_rows),
      cmocka_unit_test(places_stay_while_pages_come),
      cmocka_unit_test(clearing_one_entry_leaves_its_neighbours),
      cmocka_unit_test(a_narrow_entry_is_the_row_itself),
      cmocka_unit_test(pages_are_made_once_and_narrow_ones_are_half_as_large),
      cmocka_unit_test(the_array_of_pages_doubles),
      cmocka_unit_test(a_refused_page_leaves_what_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
