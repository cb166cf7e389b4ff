/* packed_test.c: plain data as bytes: each value has one form, and every other
 * one is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test_case.h"
#include "state/packed.h"

/* Bytes at the end of a block, so that sanitizers see what reads beyond. */
static bool is_value(const char *bytes, size_t count) {
  char *copy = malloc(count + 1);
  assert_non_null(copy);
  memcpy(copy + 1, bytes, count);
  const char *at = copy + 1;
  bool checked = packed_check(&at, copy + 1 + count);
  bool whole = at == copy + 1 + count;
  free(copy);
  return checked && whole;
}

#define IS(text) assert_true(is_value(text, sizeof text - 1))
#define IS_NOT(text) assert_false(is_value(text, sizeof text - 1))

TEST(numbers_have_their_shortest_form) {
  IS("\x00"), IS("\x7f"), IS("\xff"), IS("\xe0");
  IS("\xcc\x80"), IS("\xcd\x01\x00"), IS("\xce\x00\x01\x00\x00");
  IS("\xcf\x00\x00\x00\x01\x00\x00\x00\x00");
  IS("\xd0\xdf"), IS("\xd1\xff\x7f"), IS("\xd2\xff\xff\x7f\xff");
  IS("\xd3\xff\xff\xff\xff\x7f\xff\xff\xff");
  IS_NOT("\xcc\x7f"), IS_NOT("\xcd\x00\xff"), IS_NOT("\xce\x00\x00\xff\xff");
  IS_NOT("\xcf\x00\x00\x00\x00\xff\xff\xff\xff");
  IS_NOT("\xcf\x80\x00\x00\x00\x00\x00\x00\x00");
  IS_NOT("\xd0\xe0"), IS_NOT("\xd0\x01"), IS_NOT("\xd1\xff\x80");
  IS_NOT("\xd2\xff\xff\x80\x00");
  IS_NOT("\xd3\x00\x00\x00\x00\x00\x00\x00\x01");
  IS("\xcb\x3f\xe0\x00\x00\x00\x00\x00\x00");     /* 0.5 */
  IS("\xcb\x80\x00\x00\x00\x00\x00\x00\x00");     /* -0 */
  IS("\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00");     /* NaN */
  IS_NOT("\xcb\x7f\xf8\x00\x00\x00\x00\x00\x01"); /* another NaN */
  IS_NOT("\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00"); /* 1 */
  IS_NOT("\xca\x3f\x00\x00\x00");                 /* of four bytes */
}

TEST(texts_are_text_or_bytes) {
  IS("\xa0"), IS("\xa1x"), IS("\xa2\xc3\xa4"), IS("\xc4\x01\xff");
  IS_NOT("\xa1\xff"), IS_NOT("\xc4\x01x"), IS_NOT("\xd9\x01x");
  IS_NOT("\xa2\xc0\x80"), IS_NOT("\xa3\xed\xa0\x80"), IS_NOT("\xa2x");
  IS("\xc4\x02\xc0\x80"), IS("\xc4\x03\xed\xa0\x80");
  IS("\xc4\x04\xf4\x90\x80\x80"), IS("\xa4\xf4\x8f\xbf\xbf");
  IS_NOT("\xdb\xff\xff\xff\xffx"), IS_NOT("\xc6\x00\x00\x00\x01\xff");
}

TEST(tables_are_lists_or_maps_in_order) {
  IS("\x90"), IS("\x92\x01\xa1x"), IS("\x81\xa1x\x01");
  IS("\x82\x02\x01\x03\x01"); /* 2 and 3 */
  IS("\x82\xc2\x01\xc3\x02"), IS("\x81\x00\x01");
  IS_NOT("\x80");                 /* a list of none */
  IS_NOT("\x81\x01\x05");         /* a list of one */
  IS_NOT("\x82\x01\x05\x02\x05"); /* a list of two */
  IS_NOT("\x82\x03\x01\x02\x01"); /* in another order */
  IS_NOT("\x82\x03\x01\x03\x01"); /* twice */
  IS_NOT("\x81\x90\x01"), IS_NOT("\x81\xc0\x01"), IS_NOT("\x91\xc0");
  IS_NOT("\x81\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00\x01");
  IS_NOT("\x81\xcb\x80\x00\x00\x00\x00\x00\x00\x00\x01");
  IS_NOT("\xdc\x00\x01\x01"), IS_NOT("\xde\x00\x01\xa1x\x01");
  IS_NOT("\xdd\xff\xff\xff\xff\x01"), IS_NOT("\xdf\xff\xff\xff\xff\x01\x01");
  IS_NOT("\x92\x01"), IS_NOT("");
}

TEST(what_was_made_stands_alone) {
  IS("\xd4\x01\xc0"), IS("\xd4\x01\x05"), IS("\xd5\x01\xa1x");
  IS("\xc7\x03\x01\xa2xy");
  IS_NOT("\xc0"), IS_NOT("\xd4\x02\x05"), IS_NOT("\xc7\x01\x01\x05");
  IS_NOT("\xd5\x01\x05\x05"), IS_NOT("\xd6\x01\xd5\x01\xa1x");
  IS_NOT("\x91\xd4\x01\x05"), IS_NOT("\xc7\x00\x01"), IS_NOT("\xd5\x01\xa2xy");
  IS_NOT("\xd4\x01"), IS_NOT("\xd4"), IS_NOT("\xd5\x01\x91\xc0");
}

TEST(tables_lie_a_hundred_deep) {
  char bytes[PACKED_DEPTH + 2];
  memset(bytes, '\x91', sizeof bytes);
  bytes[PACKED_DEPTH - 1] = '\x90';
  assert_true(is_value(bytes, PACKED_DEPTH));
  bytes[PACKED_DEPTH - 1] = '\x91';
  bytes[PACKED_DEPTH] = '\x90';
  assert_false(is_value(bytes, PACKED_DEPTH + 1));
  bytes[PACKED_DEPTH] = 5;
  assert_true(is_value(bytes, PACKED_DEPTH + 1));
}

static size_t write(const Packed *value, char *to) {
  size_t head = ecs_packed_head(value, to);
  if (value->kind != PACKED_TEXT) return head;
  memcpy(to + head, value->text, value->count);
  return head + value->count;
}

TEST(what_is_written_is_read) {
  static const double numbers[] = {
      0,     -0.0,     1,    -1,     0.1,     127,       128,    255,   256,
      65535, -32,      -33,  -128,   -129,    -32768,    -1e9,   -1e10, 1e10,
      1e300, INFINITY, 1e18, 0x1p63, -0x1p63, -INFINITY, -0x1p64};
  static char text[70000];
  static const uint32_t counts[] = {0, 1, 31, 32, 255, 256, 65535, 65536};
  static char bytes[80000];
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    Packed value = ecs_packed_number(numbers[k]), back;
    const char *at = bytes;
    size_t count = write(&value, bytes);
    assert_true(is_value(bytes, count));
    assert_true(ecs_packed_next(&at, bytes + count, &back));
    assert_int_equal(back.kind, value.kind);
    assert_true(back.integer == value.integer || back.kind == PACKED_NUMBER);
    assert_true(back.number == numbers[k] || back.kind == PACKED_INTEGER);
    for (size_t cut = 0; cut < count; cut++) assert_false(is_value(bytes, cut));
  }
  for (int byte = 'a'; byte < 256; byte += 255 - 'a')
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
      memset(text, byte, sizeof text);
      Packed value = {.kind = PACKED_TEXT, .count = counts[k], .text = text};
      assert_true(is_value(bytes, write(&value, bytes)));
    }
}

/* Whatever the bytes are: what is read is the bytes that are written of it. */
TEST(every_three_bytes_are_refused_or_have_one_form) {
  uint32_t taken = 0;
  for (uint32_t k = 0; k < 1u << 24; k += 5) {
    const char bytes[] = {(char)(k >> 16), (char)(k >> 8), (char)k};
    const char *at = bytes;
    char again[16];
    Packed value;
    if (!ecs_packed_next(&at, bytes + 3, &value)) continue;
    taken++;
    size_t count = write(&value, again);
    assert_int_equal(count, at - bytes);
    assert_memory_equal(again, bytes, count);
  }
  assert_true(taken > 1000000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_have_their_shortest_form),
      cmocka_unit_test(texts_are_text_or_bytes),
      cmocka_unit_test(tables_are_lists_or_maps_in_order),
      cmocka_unit_test(what_was_made_stands_alone),
      cmocka_unit_test(tables_lie_a_hundred_deep),
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(every_three_bytes_are_refused_or_have_one_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
