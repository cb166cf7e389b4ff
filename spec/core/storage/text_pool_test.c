/* text_pool_test.c: texts that are kept once each, as numbers. */
#include <stdio.h>
#include <string.h>

#include "test_case.h"
#include "failing_memory.h"
#include "storage/text_pool.h"

typedef struct Fixture {
  FailingMemory failing;
  Memory memory;
  TextPool pool;
} Fixture;

static void start(Fixture *fixture) {
  memset(fixture, 0, sizeof *fixture);
  memory_init(&fixture->memory, failing_memory_init(&fixture->failing), 0);
}

static void finish(Fixture *fixture) {
  assert_true(text_pool_check_invariants(&fixture->pool));
  text_pool_deinit(&fixture->pool, &fixture->memory);
  assert_int_equal(fixture->failing.bytes, 0);
}

static uint32_t use(Fixture *fixture, const char *text) {
  uint32_t number = 0;
  assert_int_equal(text_pool_use(&fixture->pool, &fixture->memory, text,
                                 (uint32_t)strlen(text), &number),
                   ECS_OK);
  return number;
}

TEST(a_text_has_one_number_until_its_last_use_ends) {
  Fixture fixture;
  start(&fixture);
  assert_int_equal(text_pool_find(&fixture.pool, "gate", 4), 0);
  uint32_t gate = use(&fixture, "gate"), wall = use(&fixture, "wall");
  assert_true(gate != 0 && wall != 0 && gate != wall);
  assert_int_equal(use(&fixture, "gate"), gate);
  assert_int_equal(text_pool_find(&fixture.pool, "gates", 4), gate);
  assert_int_equal(text_pool_find(&fixture.pool, "gates", 5), 0);
  assert_string_equal(text_pool_bytes(&fixture.pool, gate), "gate");
  text_pool_release(&fixture.pool, &fixture.memory, gate);
  assert_int_equal(text_pool_find(&fixture.pool, "gate", 4), gate);
  text_pool_release(&fixture.pool, &fixture.memory, gate);
  assert_int_equal(text_pool_find(&fixture.pool, "gate", 4), 0);
  assert_int_equal(use(&fixture, "door"), gate); /* the number is free again */
  assert_int_equal(text_pool_find(&fixture.pool, "wall", 4), wall);
  finish(&fixture);
}

TEST(texts_may_be_empty_and_have_zeros) {
  Fixture fixture;
  uint32_t one = 0, other = 0, empty = 0;
  start(&fixture);
  assert_int_equal(
      text_pool_use(&fixture.pool, &fixture.memory, "a\0b", 3, &one), ECS_OK);
  assert_int_equal(
      text_pool_use(&fixture.pool, &fixture.memory, "a\0c", 3, &other), ECS_OK);
  assert_int_equal(text_pool_use(&fixture.pool, &fixture.memory, "", 0, &empty),
                   ECS_OK);
  assert_true(one != other && one != empty && other != empty);
  assert_int_equal(text_pool_find(&fixture.pool, "a\0c", 3), other);
  assert_int_equal(text_pool_find(&fixture.pool, "", 0), empty);
  finish(&fixture);
}

/* Numbers in a hash that is often half full: probes collide and entries move up
 * when others are freed. */
TEST(texts_are_found_while_others_come_and_go) {
  enum { TEXTS = 300 };
  Fixture fixture;
  uint32_t numbers[TEXTS] = {0}, random = 1;
  start(&fixture);
  for (uint32_t step = 0; step < 20000; step++) {
    char text[16];
    random = random * 1664525u + 1013904223u;
    uint32_t k = (random >> 8) % TEXTS;
    int length = snprintf(text, sizeof text, "t%u", (unsigned)k);
    if (numbers[k] == 0) {
      numbers[k] = use(&fixture, text);
    } else {
      assert_int_equal(text_pool_find(&fixture.pool, text, (uint32_t)length),
                       numbers[k]);
      text_pool_release(&fixture.pool, &fixture.memory, numbers[k]);
      numbers[k] = 0;
      assert_int_equal(text_pool_find(&fixture.pool, text, (uint32_t)length),
                       0);
    }
    if (step % 100 == 0) assert_true(text_pool_check_invariants(&fixture.pool));
  }
  finish(&fixture);
}

TEST(every_allocation_may_fail) {
  for (uint32_t nth = 1, injected = 1; injected > 0; nth++) {
    Fixture fixture;
    uint32_t number = 0;
    start(&fixture);
    for (uint32_t i = 0; i < 4; i++)
      use(&fixture, (const char *[]){"a", "b", "c", "d"}[i]);
    failing_memory_arm(&fixture.failing, nth, FAIL_ONCE);
    ecs_Status status =
        text_pool_use(&fixture.pool, &fixture.memory, "new", 3, &number);
    injected = (uint32_t)failing_memory_disarm(&fixture.failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    assert_int_equal(text_pool_find(&fixture.pool, "new", 3) != 0,
                     status == ECS_OK);
    assert_int_equal(fixture.pool.used, status == ECS_OK ? 5 : 4);
    finish(&fixture);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_text_has_one_number_until_its_last_use_ends),
      cmocka_unit_test(texts_may_be_empty_and_have_zeros),
      cmocka_unit_test(texts_are_found_while_others_come_and_go),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
