/* bits_test.c: bytes become bits, and bits a list, both ways of listing.
 */
#include <stdbool.h>

#include "test_case.h"
#include "base/bits.h"

TEST(byte_k_becomes_bit_k) {
  for (uint32_t k = 0; k < WORD_BITS; k++) {
    uint8_t bytes[WORD_BITS] = {0};
    bytes[k] = 1;
    assert_true(bits_of_bytes(bytes) == UINT64_C(1) << k);
    memset(bytes, 1, sizeof bytes);
    bytes[k] = 0;
    assert_true(bits_of_bytes(bytes) == ~(UINT64_C(1) << k));
  }
}

static uint64_t word(uint64_t k) { return k * UINT64_C(0x9e3779b97f4a7c15); }

/* Lists a word behind three numbers, and compares with a walk over its bits. */
static void check_list(uint64_t bits, bool ahead) {
  uint32_t list[3 + WORD_BITS + BITS_LIST_SLACK] = {7, 8, 9};
  uint32_t next = 3;
  uint32_t count = (ahead ? bits_list_ahead : bits_list)(bits, 1000, list, 3);
  for (uint32_t k = 0; k < WORD_BITS; k++)
    if ((bits >> k & 1u) != 0) assert_int_equal(list[next++], 1000 + k);
  assert_int_equal(count, next);
  assert_int_equal(list[0], 7);
  assert_int_equal(list[2], 9);
}

TEST(both_ways_list_the_same_bits) {
  for (uint32_t ahead = 0; ahead < 2; ahead++) {
    check_list(0, ahead != 0);
    check_list(UINT64_MAX, ahead != 0);
    for (uint32_t k = 0; k < WORD_BITS; k++)
      check_list(UINT64_C(1) << k, ahead != 0);
    for (uint64_t k = 1; k < 1000; k++) {
      check_list(word(k), ahead != 0);
      check_list(word(k) & word(k + 7) & word(k + 13), ahead != 0);
      check_list(word(k) | word(k + 7) | word(k + 13), ahead != 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(byte_k_becomes_bit_k),
      cmocka_unit_test(both_ways_list_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
