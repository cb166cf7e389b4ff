/* memory_test.c: bytes are counted exactly, and a refusal changes nothing.
 *
 * The count is compared with that of the allocator record. Sizes that overflow
 * must be refused before the record is called.
 */
#include <string.h>

#include "test_case.h"
#include "failing_memory.h"
#include "base/memory.h"
#include "base/platform.h"

/* Account and record agree, and this much is held. */
static void assert_account(const Memory *memory, const FailingMemory *failing,
                           uint64_t bytes, uint64_t blocks) {
  assert_int_equal(memory->bytes, bytes);
  assert_int_equal(memory->blocks, blocks);
  assert_int_equal(failing->bytes, bytes);
  assert_int_equal(failing->blocks, blocks);
}

/* Fills a block with bytes 0, 1, 2 ..., and checks for them. */
static void fill(unsigned char *block, size_t bytes) {
  for (size_t k = 0; k < bytes; k++) block[k] = (unsigned char)k;
}

static void assert_filled(const unsigned char *block, size_t bytes) {
  for (size_t k = 0; k < bytes; k++)
    assert_int_equal(block[k], (unsigned char)k);
}

TEST(a_new_account_is_empty) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 77);
  assert_account(&memory, &failing, 0, 0);
  assert_int_equal(memory.peak_bytes, 0);
  assert_int_equal(memory.limit_bytes, 77);
}

TEST(bytes_blocks_and_peak_follow_every_resize) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 0);
  void *a = memory_resize(&memory, NULL, 0, 100);
  assert_account(&memory, &failing, 100, 1);
  void *b = memory_resize(&memory, NULL, 0, 1);
  assert_account(&memory, &failing, 101, 2);
  a = memory_resize(&memory, a, 100, 300);
  assert_account(&memory, &failing, 301, 2);
  a = memory_resize(&memory, a, 300, 10);
  assert_account(&memory, &failing, 11, 2);
  assert_int_equal(memory.peak_bytes, 301);
  assert_null(memory_resize(&memory, a, 10, 0));
  assert_account(&memory, &failing, 1, 1);
  memory_free(&memory, b, 1);
  assert_account(&memory, &failing, 0, 0);
  assert_int_equal(memory.peak_bytes, 301);
}

TEST(freeing_nothing_is_fine) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 0);
  memory_free(&memory, NULL, 0);
  memory_free(&memory, NULL, 12);
  assert_null(memory_resize(&memory, NULL, 0, 0));
  assert_account(&memory, &failing, 0, 0);
  assert_int_equal(failing.requests, 0);
}

TEST(a_block_keeps_its_bytes_when_it_is_resized) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 0);
  unsigned char *block = memory_resize(&memory, NULL, 0, 200);
  fill(block, 200);
  block = memory_resize(&memory, block, 200, 1000);
  assert_filled(block, 200);
  block = memory_resize(&memory, block, 1000, 50);
  assert_filled(block, 50);
  memory_free(&memory, block, 50);
  assert_account(&memory, &failing, 0, 0);
}

TEST(a_refused_resize_keeps_block_and_account) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 0);
  unsigned char *block = memory_resize(&memory, NULL, 0, 64);
  fill(block, 64);
  const size_t sizes[] = {128, 64, 8}; /* up, alike and down */
  for (size_t k = 0; k < 3; k++) {
    failing_memory_arm(&failing, 1, FAIL_ONCE);
    assert_null(memory_resize(&memory, block, 64, sizes[k]));
    assert_int_equal(failing_memory_disarm(&failing), 1);
    assert_account(&memory, &failing, 64, 1);
    assert_int_equal(memory.peak_bytes, 64);
    assert_filled(block, 64);
  }
  failing_memory_arm(&failing, 1, FAIL_ONCE);
  assert_null(memory_resize(&memory, NULL, 0, 8));
  assert_account(&memory, &failing, 64, 1);
  memory_free(&memory, block, 64);
}

TEST(the_limit_itself_is_allowed_and_one_byte_more_is_not) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 1000);
  assert_null(memory_resize(&memory, NULL, 0, 1001));
  unsigned char *block = memory_resize(&memory, NULL, 0, 999);
  fill(block, 999);
  assert_null(memory_resize(&memory, NULL, 0, 2));
  assert_null(memory_resize(&memory, block, 999, 1001));
  assert_filled(block, 999);
  assert_account(&memory, &failing, 999, 1);
  assert_int_equal(failing.requests, 1);
  void *last = memory_resize(&memory, NULL, 0, 1);
  assert_non_null(last);
  assert_account(&memory, &failing, 1000, 2);
  assert_null(memory_resize(&memory, NULL, 0, 1));
  block = memory_resize(&memory, block, 999, 998);
  assert_non_null(block);
  assert_int_equal(memory.peak_bytes, 1000);
  memory_free(&memory, last, 1);
  block = memory_resize(&memory, block, 998, 1000);
  assert_account(&memory, &failing, 1000, 1);
  memory_free(&memory, block, 1000);
}

TEST(a_budget_holds_for_all_that_share_it) {
  FailingMemory failing[2];
  Memory memory[2];
  ecs_Budget budget = {1000, 0, NULL};
  for (uint32_t i = 0; i < 2; i++)
    memory_init(&memory[i], failing_memory_init(&failing[i]), i == 0 ? 0 : 500);
  void *first = memory_resize(&memory[0], NULL, 0, 300);
  assert_true(memory_join(&memory[0], &budget, 50));
  assert_true(memory_join(&memory[0], &budget, 50)); /* it has joined */
  assert_true(memory_join(&memory[1], &budget, 50));
  assert_int_equal(budget.bytes, 400);
  assert_null(memory_resize(&memory[1], NULL, 0, 501)); /* its own limit */
  assert_int_equal(memory[1].refusal.limit, 500);
  void *second = memory_resize(&memory[1], NULL, 0, 500);
  assert_int_equal(budget.bytes, 900);
  assert_null(memory_resize(&memory[0], first, 300, 401));
  assert_int_equal(memory[0].refusal.status, ECS_E_MEMORY);
  assert_int_equal(memory[0].refusal.limit, 1000);
  assert_account(&memory[0], &failing[0], 300, 1);
  first = memory_resize(&memory[0], first, 300, 400);
  assert_int_equal(budget.bytes, 1000);
  budget.limit_bytes = 10; /* what is held stays, and may shrink */
  assert_null(memory_resize(&memory[0], NULL, 0, 1));
  second = memory_resize(&memory[1], second, 500, 100);
  assert_int_equal(budget.bytes, 600);
  assert_true(memory_join(&memory[1], NULL, 50));
  assert_int_equal(budget.bytes, 450);
  assert_false(memory_join(&memory[1], &budget, 50));
  assert_int_equal(budget.bytes, 450);
  memory_free(&memory[0], first, 400);
  memory_free(&memory[1], second, 100);
  assert_true(memory_join(&memory[0], NULL, 50));
  assert_int_equal(budget.bytes, 0);
}

/* Which limit refused is noted, so that a message can name it. */
TEST(the_last_refusal_is_noted) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 1000);
  assert_int_equal(memory.refusal.status, ECS_OK);
  assert_null(memory_resize(&memory, NULL, 0, 1001));
  assert_int_equal(memory.refusal.status, ECS_E_MEMORY);
  assert_string_equal(memory.refusal.counts, "bytes");
  assert_int_equal(memory_refuse(&memory, 7, "things", "a box"), ECS_E_LIMIT);
  assert_int_equal(memory.refusal.status, ECS_E_LIMIT);
  assert_int_equal(memory.refusal.limit, 7);
  failing_memory_arm(&failing, 1, FAIL_ONCE);
  assert_null(memory_resize(&memory, NULL, 0, 10));
  assert_int_equal(memory.refusal.status, ECS_E_MEMORY);
  assert_null(memory.refusal.counts);
  (void)failing_memory_disarm(&failing);
}

/* Stores the requested size and refuses it. */
static void *note_size(void *user, void *block, size_t old_bytes,
                       size_t new_bytes) {
  (void)block;
  (void)old_bytes;
  *(size_t *)user = new_bytes;
  return NULL;
}

TEST(sizes_no_object_can_have_are_refused_unasked) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 0);
  assert_null(memory_resize(&memory, NULL, 0, SIZE_MAX));
  assert_null(memory_resize(&memory, NULL, 0, (size_t)PTRDIFF_MAX + 1));
  assert_null(memory_zeroed(&memory, SIZE_MAX, 2));
  assert_null(memory_zeroed(&memory, SIZE_MAX / 2 + 1, 2));
  assert_int_equal(failing.requests, 0);
  memory.limit_bytes = 1;
  assert_null(memory_resize(&memory, NULL, 0, SIZE_MAX));
  assert_account(&memory, &failing, 0, 0);
}

TEST(the_largest_size_an_object_can_have_is_asked_for) {
  size_t asked = 0;
  Memory memory;
  memory_init(&memory, (ecs_Memory){note_size, &asked}, 0);
  assert_null(memory_resize(&memory, NULL, 0, PTRDIFF_MAX));
  assert_true(asked == PTRDIFF_MAX);
  assert_int_equal(memory.bytes, 0);
}

TEST(zeroed_memory_is_zero_and_accounted) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 0);
  unsigned char *block = memory_zeroed(&memory, 37, 3);
  for (size_t k = 0; k < 111; k++) assert_int_equal(block[k], 0);
  assert_account(&memory, &failing, 111, 1);
  memory_free(&memory, block, 111);
  assert_null(memory_zeroed(&memory, 0, 8));
  failing_memory_arm(&failing, 1, FAIL_ONCE);
  assert_null(memory_zeroed(&memory, 1, 8));
  assert_account(&memory, &failing, 0, 0);
}

TEST(an_array_starts_at_four_and_doubles) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 0);
  void *array = NULL;
  uint32_t capacity = 0;
  assert_true(memory_grow(&memory, &array, &capacity, 0, 0, 8));
  assert_null(array);
  assert_true(memory_grow(&memory, &array, &capacity, 0, 1, 8));
  assert_int_equal(capacity, 4);
  assert_true(memory_grow(&memory, &array, &capacity, 3, 1, 8));
  assert_int_equal(capacity, 4);
  assert_int_equal(failing.requests, 1);
  assert_true(memory_grow(&memory, &array, &capacity, 4, 1, 8));
  assert_int_equal(capacity, 8);
  assert_true(memory_grow(&memory, &array, &capacity, 5, 28, 8));
  assert_int_equal(capacity, 64);
  assert_account(&memory, &failing, 512, 1);
  memory_free(&memory, array, 512);
}

TEST(an_array_keeps_its_elements_while_it_grows) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 0);
  void *array = NULL;
  uint32_t capacity = 0;
  for (uint32_t count = 0; count < 100; count++) {
    assert_true(memory_grow(&memory, &array, &capacity, count, 1, 4));
    ((uint32_t *)array)[count] = count * 3;
  }
  for (uint32_t k = 0; k < 100; k++)
    assert_int_equal(((uint32_t *)array)[k], k * 3);
  assert_account(&memory, &failing, (uint64_t)capacity * 4, 1);
  memory_free(&memory, array, (size_t)capacity * 4);
}

/* Growing an array is refused in several ways; array, capacity and count are
 * checked after each. */
TEST(a_refused_growth_leaves_the_array_intact) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 100);
  void *array = NULL;
  uint32_t capacity = 0;
  assert_true(memory_grow(&memory, &array, &capacity, 0, 4, 16));
  fill(array, 64);
  void *before = array;
  assert_false(memory_grow(&memory, &array, &capacity, 4, 1, 16)); /* limit */
  memory.limit_bytes = 0;
  failing_memory_arm(&failing, 1, FAIL_ONCE);
  assert_false(memory_grow(&memory, &array, &capacity, 4, 1, 16));
  assert_int_equal(failing_memory_disarm(&failing), 1);
  uint64_t requests = failing.requests;
  assert_false(memory_grow(&memory, &array, &capacity, 4, UINT32_MAX, 16));
  assert_false(memory_grow(&memory, &array, &capacity, 1, UINT32_MAX, 16));
  assert_int_equal(failing.requests, requests);
  assert_ptr_equal(array, before);
  assert_int_equal(capacity, 4);
  assert_filled(array, 64);
  assert_account(&memory, &failing, 64, 1);
  memory_free(&memory, array, 64);
}

static bool all_zero(const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i] != 0) return false;
  return true;
}

/* Old elements stay, and new ones are zero, up to the capacity. */
TEST(an_array_is_ensured_to_hold_so_many) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 0);
  static const uint32_t needed[] = {0, 1, 4, 5, 8, 3, 0, 9, 100, 101};
  void *array = NULL;
  uint32_t capacity = 0, filled = 0;
  for (uint32_t i = 0; i < 10; i++) {
    uint64_t requests = failing.requests;
    uint32_t before = capacity;
    assert_true(memory_ensure(&memory, &array, &capacity, needed[i], 12));
    assert_true(capacity >= needed[i] && capacity >= before);
    assert_int_equal(failing.requests, requests + (needed[i] > before));
    assert_int_equal(capacity > before, needed[i] > before);
    if (capacity == 0) continue;
    assert_filled(array, filled);
    assert_true(
        all_zero((unsigned char *)array + filled, capacity * 12u - filled));
    filled = needed[i] * 12 > filled ? needed[i] * 12 : filled;
    fill(array, filled);
  }
  assert_account(&memory, &failing, capacity * 12u, 1);
  memory_free(&memory, array, capacity * 12u);
}

TEST(an_array_that_cannot_be_ensured_stays) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 100);
  void *array = NULL;
  uint32_t capacity = 0;
  assert_true(memory_ensure(&memory, &array, &capacity, 4, 16));
  fill(array, 64);
  void *before = array;
  assert_false(memory_ensure(&memory, &array, &capacity, 5, 16)); /* limit */
  memory.limit_bytes = 0;
  failing_memory_arm(&failing, 1, FAIL_ONCE);
  assert_false(memory_ensure(&memory, &array, &capacity, 5, 16));
  assert_int_equal(failing_memory_disarm(&failing), 1);
  assert_ptr_equal(array, before);
  assert_int_equal(capacity, 4);
  assert_filled(array, 64);
  assert_true(memory_ensure(&memory, &array, &capacity, 5, 16));
  assert_filled(array, 64);
  assert_account(&memory, &failing, capacity * 16u, 1);
  memory_free(&memory, array, capacity * 16u);
}

TEST(capacities_end_where_their_type_does) {
  size_t asked = 0;
  Memory memory;
  memory_init(&memory, (ecs_Memory){note_size, &asked}, 0);
  void *array = NULL;
  uint32_t capacity = 0;
  assert_false(memory_grow(&memory, &array, &capacity, 0, UINT32_MAX, 1));
  assert_int_equal(asked, UINT32_MAX);
  assert_false(memory_grow(&memory, &array, &capacity, 0, 1u << 31, 1));
  assert_int_equal(asked, (size_t)1 << 31);
  assert_false(memory_grow(&memory, &array, &capacity, 0, (1u << 31) + 1, 1));
  assert_int_equal(asked, UINT32_MAX);
  assert_int_equal(capacity, 0);
}

TEST(elements_whose_array_overflows_are_refused_unasked) {
  FailingMemory failing;
  Memory memory;
  memory_init(&memory, failing_memory_init(&failing), 0);
  void *array = NULL;
  uint32_t capacity = 0;
  assert_false(memory_grow(&memory, &array, &capacity, 0, 1, SIZE_MAX / 4 + 1));
  assert_int_equal(failing.requests, 0);
  assert_int_equal(capacity, 0);
  assert_null(array);
}

TEST(sizes_are_exact_up_to_the_last_byte) {
  size_t bytes = 0;
  assert_true(memory_size(3, 4, 5, &bytes));
  assert_int_equal(bytes, 17);
  assert_true(memory_size(0, SIZE_MAX, SIZE_MAX, &bytes));
  assert_true(bytes == SIZE_MAX);
  assert_true(memory_size(1, SIZE_MAX, 0, &bytes));
  assert_true(bytes == SIZE_MAX);
  assert_true(memory_size(SIZE_MAX / 2, 2, 1, &bytes));
  assert_true(bytes == SIZE_MAX);
  assert_false(memory_size(1, SIZE_MAX, 1, &bytes));
  assert_false(memory_size(SIZE_MAX / 2, 2, 2, &bytes));
  assert_false(memory_size(SIZE_MAX / 2 + 1, 2, 0, &bytes));
  assert_false(memory_size(SIZE_MAX, SIZE_MAX, 0, &bytes));
}

TEST(without_a_record_the_c_library_serves) {
  Memory memory;
  memory_init(&memory, (ecs_Memory){NULL, NULL}, 0);
  unsigned char *block = memory_resize(&memory, NULL, 0, 100);
  fill(block, 100);
  block = memory_resize(&memory, block, 100, 10000);
  assert_filled(block, 100);
  assert_int_equal(memory.bytes, 10000);
  memory_free(&memory, block, 10000);
  assert_int_equal(memory.bytes, 0);
  assert_int_equal(memory.blocks, 0);
}

/* The other tests rely on this record, so it is tested too. */
TEST(the_test_record_fails_as_often_as_it_says) {
  FailingMemory failing;
  ecs_Memory record = failing_memory_init(&failing);
  const char *once = "..X..", *onward = "..XXX";
  for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
    failing_memory_arm(&failing, 3, (FailingMode)mode);
    for (int k = 0; k < 5; k++) {
      void *block = record.resize(record.user, NULL, 0, 8);
      assert_int_equal(block == NULL,
                       (mode == FAIL_ONCE ? once : onward)[k] == 'X');
      record.resize(record.user, block, block == NULL ? 0 : 8, 0);
    }
    assert_int_equal(failing_memory_disarm(&failing),
                     mode == FAIL_ONCE ? 1 : 3);
  }
  assert_int_equal(failing.failures, 4);
  assert_int_equal(failing.requests, 10);
  assert_int_equal(failing.bytes, 0);
  assert_int_equal(failing.blocks, 0);
}

/* Written pages keep their bytes; the sizes are of no page, a few and many, and
 * none is a multiple of a page. */
TEST(a_populated_block_keeps_its_bytes) {
  const size_t sizes[] = {1, 4097, 16384, 100001, 3000003};
  for (uint32_t k = 0; k < 5; k++) {
    FailingMemory failing;
    Memory memory;
    memory_init(&memory, failing_memory_init(&failing), 0);
    unsigned char *block = memory_resize(&memory, NULL, 0, sizes[k]);
    assert_non_null(block);
    fill(block, sizes[k] / 2 + 1);
    platform_populate(block, sizes[k]);
    assert_filled(block, sizes[k] / 2 + 1);
    assert_account(&memory, &failing, sizes[k], 1);
    memory_free(&memory, block, sizes[k]);
  }
}

TEST(arrays_are_laid_one_behind_the_other) {
  _Alignas(16) char block[96];
  size_t counted = 0, used = 0;
  assert_null(memory_lay(NULL, &counted, 3, 1));
  assert_null(memory_lay(NULL, &counted, 0, 8));
  assert_null(memory_lay(NULL, &counted, 4, 8));
  assert_int_equal(counted, 16 + 32);
  assert_ptr_equal(memory_lay(block, &used, 3, 1), block);
  assert_int_equal(used, 3);
  assert_ptr_equal(memory_lay(block, &used, 0, 8), block + 16);
  assert_ptr_equal(memory_lay(block, &used, 4, 8), block + 16);
  assert_int_equal(used, counted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_account_is_empty),
      cmocka_unit_test(bytes_blocks_and_peak_follow_every_resize),
      cmocka_unit_test(freeing_nothing_is_fine),
      cmocka_unit_test(a_block_keeps_its_bytes_when_it_is_resized),
      cmocka_unit_test(a_refused_resize_keeps_block_and_account),
      cmocka_unit_test(the_limit_itself_is_allowed_and_one_byte_more_is_not),
      cmocka_unit_test(a_budget_holds_for_all_that_share_it),
      cmocka_unit_test(the_last_refusal_is_noted),
      cmocka_unit_test(sizes_no_object_can_have_are_refused_unasked),
      cmocka_unit_test(the_largest_size_an_object_can_have_is_asked_for),
      cmocka_unit_test(zeroed_memory_is_zero_and_accounted),
      cmocka_unit_test(a_populated_block_keeps_its_bytes),
      cmocka_unit_test(an_array_starts_at_four_and_doubles),
      cmocka_unit_test(an_array_keeps_its_elements_while_it_grows),
      cmocka_unit_test(a_refused_growth_leaves_the_array_intact),
      cmocka_unit_test(an_array_is_ensured_to_hold_so_many),
      cmocka_unit_test(an_array_that_cannot_be_ensured_stays),
      cmocka_unit_test(capacities_end_where_their_type_does),
      cmocka_unit_test(elements_whose_array_overflows_are_refused_unasked),
      cmocka_unit_test(sizes_are_exact_up_to_the_last_byte),
      cmocka_unit_test(arrays_are_laid_one_behind_the_other),
      cmocka_unit_test(without_a_record_the_c_library_serves),
      cmocka_unit_test(the_test_record_fails_as_often_as_it_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
