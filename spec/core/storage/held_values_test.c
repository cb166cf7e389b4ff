/* held_values_test.c: values are held once, found, and let go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_case.h"
#include "failing_memory.h"
#include "storage/held_values.h"

/* Holds a value, in memory of the C library that grows. */
static uint32_t hold(HeldValues *held, const HeldValue *value) {
  uint32_t number = ecs_held_find(held, value);
  if (number != 0) return number;
  if (!ecs_held_has_room(held)) {
    void *before = held->all;
    uint32_t capacity = held->capacity == 0 ? 2 : held->capacity * 2;
    ecs_held_move(held, calloc(1, ecs_held_bytes(capacity)), capacity);
    free(before);
  }
  uint32_t next = ecs_held_next(held);
  assert_int_equal(ecs_held_add(held, value), next);
  assert_int_equal(ecs_held_find(held, value), next);
  return next;
}

static uint32_t hold_string(HeldValues *held, const char *text, size_t bytes) {
  HeldValue value;
  ecs_held_string(&value, text, bytes);
  return hold(held, &value);
}

TEST(equal_values_have_one_number) {
  HeldValues held = {0};
  HeldValue value;
  uint32_t numbers[12], count = 0;
  double zero = 0, nan = zero / zero;
  for (int turn = 0; turn < 2; turn++) {
    uint32_t found[12], k = 0;
    found[k++] = hold_string(&held, "", 0);
    found[k++] = hold_string(&held, "a", 1);
    found[k++] = hold_string(&held, "a\0b", 3);
    found[k++] = hold_string(&held, "12345678", 8);
    ecs_held_boolean(&value, true);
    found[k++] = hold(&held, &value);
    ecs_held_boolean(&value, false);
    found[k++] = hold(&held, &value);
    ecs_held_number(&value, 0);
    found[k++] = hold(&held, &value);
    ecs_held_number(&value, -zero);
    found[k++] = hold(&held, &value);
    ecs_held_number(&value, nan);
    found[k++] = hold(&held, &value);
    ecs_held_integer(&value, 0);
    found[k++] = hold(&held, &value);
    ecs_held_other(&value, "table", 5, &held);
    found[k++] = hold(&held, &value);
    ecs_held_other(&value, "userdata", 7, &held);
    found[k++] = hold(&held, &value);
    if (turn == 0) memcpy(numbers, found, sizeof found);
    if (turn == 0) count = held.living;
    assert_memory_equal(numbers, found, sizeof found);
  }
  assert_int_equal(count, 12);
  assert_int_equal(held.living, 12);
  assert_null(held_get(&held, 0));
  assert_null(held_get(&held, 13));
  assert_null(held_get(&held, UINT32_MAX));
  assert_null(held_get(NULL, 1));
  free(held.all);
}

TEST(what_hashes_count_is_the_same_for_integers_and_doubles) {
  static const int64_t fit[] = {0, 1, -1, INT64_C(1) << 53, INT64_MIN};
  static const int64_t unfit[] = {(INT64_C(1) << 53) + 1, INT64_MAX};
  HeldValue one, other;
  for (size_t k = 0; k < sizeof fit / sizeof *fit; k++) {
    ecs_held_integer(&one, fit[k]);
    ecs_held_number(&other, (double)fit[k]);
    assert_true(one.content == other.content && held_is_double(&one));
    assert_true(one.key != other.key);
  }
  for (size_t k = 0; k < sizeof unfit / sizeof *unfit; k++) {
    ecs_held_integer(&one, unfit[k]);
    ecs_held_number(&other, (double)unfit[k]);
    assert_true(one.content != other.content && !held_is_double(&one));
  }
  ecs_held_other(&one, "table", 5, &one);
  ecs_held_other(&other, "table", 5, &other);
  assert_true(one.content == other.content && one.key != other.key);
}

/* Marks some of many, and compares with a list of what should be left. */
TEST(what_is_neither_marked_nor_pinned_is_let_go) {
  enum { MANY = 500 };
  HeldValues held = {0};
  char texts[MANY][8];
  uint32_t numbers[MANY] = {0}, random = 7;
  for (int round = 0; round < 40; round++) {
    for (uint32_t k = 0; k < MANY; k++) {
      random = random * 1664525u + 1013904223u;
      snprintf(texts[k], sizeof texts[k], "t%u", k);
      if (numbers[k] == 0 && random >> 30 == 0)
        numbers[k] = hold_string(&held, texts[k], strlen(texts[k]));
    }
    if (round == 0 && numbers[3] == 0) numbers[3] = hold_string(&held, "t3", 2);
    held.all[numbers[3]].pinned = true;
    ecs_held_unmark(&held);
    uint32_t left = 0;
    for (uint32_t k = 0; k < MANY; k++) {
      random = random * 1664525u + 1013904223u;
      if (numbers[k] == 0) continue;
      if (random >> 31 == 0) ecs_held_mark(&held, numbers[k]);
      if (random >> 31 != 0 && k != 3) numbers[k] = 0;
      left += numbers[k] != 0;
    }
    ecs_held_mark(&held, UINT32_MAX); /* a number that is none */
    assert_int_equal(ecs_held_sweep(&held), left);
    for (uint32_t k = 0; k < MANY; k++) {
      HeldValue value;
      ecs_held_string(&value, texts[k], strlen(texts[k]));
      assert_int_equal(ecs_held_find(&held, &value), numbers[k]);
    }
  }
  assert_true(held.count <= MANY + 1);
  free(held.all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_values_have_one_number),
      cmocka_unit_test(what_hashes_count_is_the_same_for_integers_and_doubles),
      cmocka_unit_test(what_is_neither_marked_nor_pinned_is_let_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
