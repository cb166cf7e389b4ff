/* scalar_test.c: every type at its edges and just past them, on both ways in.
 *
 * The tables below spell expectations out as numbers or bit patterns rather
 * than computing them, so that no mistake is shared with scalar.c. Elements
 * are written into a place surrounded by sentinels: a store that is one byte
 * too wide fails every test here.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/scalar.h"

#define SENTINEL 0x5a
#define TWO_52 4503599627370496.0
#define TWO_53 9007199254740992.0
#define F32_HIGHEST 0x1.fffffep127

/* A place at an odd address, for the widest type. */
typedef struct Element {
  unsigned char before[9];
  unsigned char element[8];
  unsigned char after[8];
} Element;

static void clear(Element *place) { memset(place, SENTINEL, sizeof *place); }

/* The element's bits, with whatever lies around it proved untouched. */
static uint64_t bits_of(const Element *place, uint32_t bytes) {
  const unsigned char *all = (const unsigned char *)place;
  const size_t start = offsetof(Element, element);
  for (size_t k = 0; k < sizeof *place; k++)
    if (k < start || k >= start + bytes) assert_int_equal(all[k], SENTINEL);
  uint8_t byte;
  uint16_t half;
  uint32_t word;
  uint64_t twin;
  switch (bytes) {
    case 1: memcpy(&byte, place->element, 1); return byte;
    case 2: memcpy(&half, place->element, 2); return half;
    case 4: memcpy(&word, place->element, 4); return word;
    default: memcpy(&twin, place->element, 8); return twin;
  }
}

/* 64 bits as the double they are, and back. */
static double as_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t as_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void assert_stores(ecs_Scalar type, double value, uint64_t bits) {
  Element place;
  clear(&place);
  assert_int_equal(ecs_scalar_store(type, place.element, value), ECS_OK);
  assert_int_equal(bits_of(&place, ecs_scalar_bytes(type)), bits);
}

/* Refused, and the place left as it was. */
static void assert_refuses(ecs_Scalar type, double value) {
  Element place;
  clear(&place);
  assert_int_equal(ecs_scalar_store(type, place.element, value), ECS_E_VALUE);
  (void)bits_of(&place, 0);
}

static void assert_converts(ecs_Scalar type, double value, uint64_t bits) {
  Element place;
  clear(&place);
  ecs_scalar_convert(type, place.element, value);
  assert_int_equal(bits_of(&place, ecs_scalar_bytes(type)), bits);
}

static void every_type_has_its_name_and_size(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint32_t bytes;
  } expected[] = {{"f32", 4},  {"f64", 8},   {"i8", 1},  {"u8", 1},
                  {"i16", 2},  {"u16", 2},   {"i32", 4}, {"u32", 4},
                  {"bool", 1}, {"entity", 8}};
  assert_int_equal(sizeof expected / sizeof *expected, ECS_SCALAR_COUNT);
  for (int type = 0; type < (int)ECS_SCALAR_COUNT; type++) {
    ecs_Scalar scalar = (ecs_Scalar)type;
    assert_string_equal(ecs_scalar_name(scalar), expected[type].name);
    assert_int_equal(ecs_scalar_bytes(scalar), expected[type].bytes);
    assert_int_equal(scalar_bytes(scalar), expected[type].bytes);
    assert_int_equal(scalar_is_float(scalar), type < 2);
  }
}

static void a_type_that_is_none_does_no_harm(void **state) {
  (void)state;
  const int strangers[] = {(int)ECS_SCALAR_COUNT, -1, 1000, INT32_MAX,
                           INT32_MIN};
  for (size_t k = 0; k < sizeof strangers / sizeof *strangers; k++) {
    ecs_Scalar type = (ecs_Scalar)strangers[k];
    Element place;
    clear(&place);
    assert_int_equal(ecs_scalar_store(type, place.element, 1), ECS_E_ARGUMENT);
    ecs_scalar_convert(type, place.element, 1);
    assert_true(ecs_scalar_load(type, place.element) == 0);
    scalar_canonicalize(type, place.element);
    (void)bits_of(&place, 0);
    assert_int_equal(ecs_scalar_bytes(type), 0);
    assert_string_equal(ecs_scalar_name(type), "unknown");
  }
}

/* The integer types with their ends: the last bits a range allows. */
static const struct Range {
  ecs_Scalar type;
  double lowest, highest;
  uint64_t lowest_bits, highest_bits;
} ranges[] = {
    {ECS_I8, -128, 127, 0x80, 0x7f},
    {ECS_U8, 0, 255, 0, 0xff},
    {ECS_I16, -32768, 32767, 0x8000, 0x7fff},
    {ECS_U16, 0, 65535, 0, 0xffff},
    {ECS_I32, -2147483648.0, 2147483647.0, 0x80000000, 0x7fffffff},
    {ECS_U32, 0, 4294967295.0, 0, 0xffffffff},
};
#define RANGES (sizeof ranges / sizeof *ranges)

static void integers_take_both_ends_of_their_range(void **state) {
  (void)state;
  for (size_t k = 0; k < RANGES; k++) {
    const struct Range *range = &ranges[k];
    assert_stores(range->type, range->lowest, range->lowest_bits);
    assert_stores(range->type, range->highest, range->highest_bits);
    assert_stores(range->type, range->lowest + 1, range->lowest_bits + 1);
    assert_stores(range->type, range->highest - 1, range->highest_bits - 1);
    assert_stores(range->type, 0, 0);
    assert_stores(range->type, -0.0, 0);
    assert_stores(range->type, 100, 100);
  }
}

static void integers_refuse_the_next_number_past_either_end(void **state) {
  (void)state;
  for (size_t k = 0; k < RANGES; k++) {
    const struct Range *range = &ranges[k];
    assert_refuses(range->type, range->lowest - 1);
    assert_refuses(range->type, range->highest + 1);
    assert_refuses(range->type, nextafter(range->lowest, -HUGE_VAL));
    assert_refuses(range->type, nextafter(range->highest, HUGE_VAL));
  }
}

static void integers_refuse_fractions_and_what_is_no_number(void **state) {
  (void)state;
  static const double never[] = {
      0.5,    -0.5,    1.5,   126.99999999999999, 5e-324,    -5e-324, TWO_52,
      TWO_53, -TWO_53, 1e300, HUGE_VAL,           -HUGE_VAL, NAN,     -NAN};
  for (size_t k = 0; k < RANGES; k++)
    for (size_t n = 0; n < sizeof never / sizeof *never; n++)
      assert_refuses(ranges[k].type, never[n]);
}

static void negative_integers_are_two_s_complement(void **state) {
  (void)state;
  assert_stores(ECS_I8, -1, 0xff);
  assert_stores(ECS_I16, -1, 0xffff);
  assert_stores(ECS_I32, -1, 0xffffffff);
  assert_stores(ECS_I16, -300, 0xfed4);
}

static void integers_saturate_when_they_convert(void **state) {
  (void)state;
  static const double beyond[] = {0.5,  1,     TWO_52,  TWO_53,
                                  1e19, 1e300, HUGE_VAL};
  for (size_t k = 0; k < RANGES; k++) {
    const struct Range *range = &ranges[k];
    for (size_t n = 0; n < sizeof beyond / sizeof *beyond; n++) {
      assert_converts(range->type, range->highest + beyond[n],
                      range->highest_bits);
      assert_converts(range->type, range->lowest - beyond[n],
                      range->lowest_bits);
    }
    assert_converts(range->type, range->lowest, range->lowest_bits);
    assert_converts(range->type, range->highest, range->highest_bits);
  }
}

static void integers_truncate_towards_zero_when_they_convert(void **state) {
  (void)state;
  for (size_t k = 0; k < RANGES; k++) {
    ecs_Scalar type = ranges[k].type;
    assert_converts(type, 2.999999, 2);
    assert_converts(type, 0.999999, 0);
    assert_converts(type, -0.999999, 0);
    assert_converts(type, 5e-324, 0);
    assert_converts(type, -0.0, 0);
    assert_converts(type, ranges[k].highest - 0.5, ranges[k].highest_bits - 1);
  }
  assert_converts(ECS_I8, -2.999999, 0xfe);
  assert_converts(ECS_I8, -127.5, 0x81);
  assert_converts(ECS_I16, -2.999999, 0xfffe);
  assert_converts(ECS_I32, -2.999999, 0xfffffffe);
  assert_converts(ECS_U8, -2.999999, 0);
}

static void a_nan_converts_to_zero_in_an_integer(void **state) {
  (void)state;
  for (size_t k = 0; k < RANGES; k++) {
    assert_converts(ranges[k].type, NAN, 0);
    assert_converts(ranges[k].type, as_double(0xfff123456789abcd), 0);
  }
}

static void every_8_and_16_bit_integer_goes_in_and_comes_out(void **state) {
  (void)state;
  for (size_t k = 0; k < 4; k++) {
    const struct Range *range = &ranges[k];
    uint64_t mask = range->highest_bits | range->lowest_bits;
    int64_t number = (int64_t)range->lowest;
    for (; number <= (int64_t)range->highest; number++) {
      Element place;
      clear(&place);
      assert_int_equal(
          ecs_scalar_store(range->type, place.element, (double)number), ECS_OK);
      if (bits_of(&place, scalar_bytes(range->type)) !=
          ((uint64_t)number & mask))
        fail_msg("%d is stored wrong", (int)number);
      if (ecs_scalar_load(range->type, place.element) != (double)number)
        fail_msg("%d is loaded wrong", (int)number);
    }
  }
}

static void loads_are_exact_for_every_type(void **state) {
  (void)state;
  static const struct {
    ecs_Scalar type;
    double value;
  } exact[] = {{ECS_F32, 0x1.fffffep127},
               {ECS_F32, 0x1p-149},
               {ECS_F32, -HUGE_VAL},
               {ECS_F64, 0.1},
               {ECS_F64, -5e-324},
               {ECS_F64, HUGE_VAL},
               {ECS_I8, -128},
               {ECS_U8, 255},
               {ECS_I16, -32768},
               {ECS_U16, 65535},
               {ECS_I32, -2147483648.0},
               {ECS_U32, 4294967295.0},
               {ECS_BOOL, 1},
               {ECS_ENTITY, TWO_52 - 1}};
  for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
    Element place;
    clear(&place);
    assert_int_equal(
        ecs_scalar_store(exact[k].type, place.element, exact[k].value), ECS_OK);
    assert_true(ecs_scalar_load(exact[k].type, place.element) ==
                exact[k].value);
  }
}

/* f32: what is rounded, what is denormal, where the finite numbers end. */
static const struct Narrow {
  double value;
  uint32_t bits;
} narrow[] = {
    {0.0, 0x00000000},
    {-0.0, 0x80000000},
    {1.0, 0x3f800000},
    {0.1, 0x3dcccccd},
    {16777217.0, 0x4b800000}, /* a tie, to even: 2^24 */
    {16777219.0, 0x4b800002}, /* a tie, to even: 2^24 + 4 */
    {F32_HIGHEST, 0x7f7fffff},
    {-F32_HIGHEST, 0xff7fffff},
    {0x1.fffffefffffffp127, 0x7f7fffff}, /* just below the tie: rounds down */
    {-0x1.fffffefffffffp127, 0xff7fffff},
    {0x1p-126, 0x00800000},        /* the lowest that is normal */
    {0x1.fffffcp-127, 0x007fffff}, /* the highest denormal */
    {0x1p-149, 0x00000001},        /* the lowest denormal */
    {-0x1p-149, 0x80000001},
    {0x1p-150, 0x00000000},               /* a tie with 0 */
    {0x1.0000000000001p-150, 0x00000001}, /* just above it */
    {5e-324, 0x00000000},
    {-5e-324, 0x80000000},
    {HUGE_VAL, 0x7f800000},
    {-HUGE_VAL, 0xff800000},
    {NAN, 0x7fc00000},
    {-NAN, 0x7fc00000},
};

static void an_f32_is_rounded_the_same_on_both_ways_in(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++) {
    assert_stores(ECS_F32, narrow[k].value, narrow[k].bits);
    assert_converts(ECS_F32, narrow[k].value, narrow[k].bits);
  }
}

static void a_finite_number_too_large_for_an_f32_is_refused(void **state) {
  (void)state;
  static const double large[] = {0x1.ffffffp127, 0x1p128, 1e39, 1e300,
                                 0x1.fffffffffffffp1023};
  for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
    assert_refuses(ECS_F32, large[k]);
    assert_refuses(ECS_F32, -large[k]);
    assert_converts(ECS_F32, large[k], 0x7f800000);
    assert_converts(ECS_F32, -large[k], 0xff800000);
  }
}

static void an_f64_keeps_every_bit_of_a_number(void **state) {
  (void)state;
  static const double exact[] = {0.0,       -0.0,
                                 1.0,       0.1,
                                 TWO_53,    TWO_53 + 2,
                                 5e-324,    -5e-324,
                                 0x1p-1022, 0x0.fffffffffffffp-1022,
                                 1e300,     0x1.fffffffffffffp1023,
                                 HUGE_VAL,  -HUGE_VAL};
  for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
    assert_stores(ECS_F64, exact[k], as_bits(exact[k]));
    assert_converts(ECS_F64, exact[k], as_bits(exact[k]));
  }
}

/* Patterns that carry a payload, a sign, or a signal. */
static const uint64_t payloads[] = {0x7ff8000000000001, 0xfff8000000000000,
                                    0x7ff0000000000001, 0xfff0000000000001,
                                    0x7fffffffffffffff, 0xffffffffffffffff,
                                    0xfffec55555555555, 0xffff000012345678,
                                    0x7ff4000000000000, 0x7ff8000020000000};

static void a_nan_of_any_pattern_is_stored_as_the_quiet_one(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof payloads / sizeof *payloads; k++) {
    double value = as_double(payloads[k]);
    assert_stores(ECS_F32, value, 0x7fc00000);
    assert_converts(ECS_F32, value, 0x7fc00000);
    assert_stores(ECS_F64, value, 0x7ff8000000000000);
    assert_converts(ECS_F64, value, 0x7ff8000000000000);
  }
}

static void a_bool_takes_zero_and_one_alone(void **state) {
  (void)state;
  assert_stores(ECS_BOOL, 0, 0);
  assert_stores(ECS_BOOL, -0.0, 0);
  assert_stores(ECS_BOOL, 1, 1);
  static const double never[] = {-1,
                                 2,
                                 255,
                                 256,
                                 0.5,
                                 0.9999999999999999,
                                 1.0000000000000002,
                                 5e-324,
                                 HUGE_VAL,
                                 -HUGE_VAL,
                                 NAN};
  for (size_t k = 0; k < sizeof never / sizeof *never; k++) {
    assert_refuses(ECS_BOOL, never[k]);
    assert_converts(ECS_BOOL, never[k], 1);
  }
  assert_converts(ECS_BOOL, 0, 0);
  assert_converts(ECS_BOOL, -0.0, 0);
  assert_converts(ECS_BOOL, 1, 1);
}

static void an_entity_takes_whole_numbers_of_52_bits(void **state) {
  (void)state;
  static const double handles[] = {0, -0.0, 1, 268435456, TWO_52 - 1};
  for (size_t k = 0; k < sizeof handles / sizeof *handles; k++) {
    assert_stores(ECS_ENTITY, handles[k], (uint64_t)handles[k]);
    assert_converts(ECS_ENTITY, handles[k], (uint64_t)handles[k]);
  }
  static const double never[] = {
      -1,    0.5,      1.5,       TWO_52 - 1.5, TWO_52, TWO_53, 1e19,
      1e300, HUGE_VAL, -HUGE_VAL, NAN,          5e-324, -5e-324};
  for (size_t k = 0; k < sizeof never / sizeof *never; k++) {
    assert_refuses(ECS_ENTITY, never[k]);
    assert_converts(ECS_ENTITY, never[k], 0);
  }
}

/* A pattern is a NaN when its exponent is all ones and its fraction is not 0;
 * said here in the words of the standard, unlike in scalar.c. */
static uint32_t expected_f32(uint32_t bits) {
  bool is_nan = (bits >> 23 & 0xff) == 0xff && (bits & 0x7fffff) != 0;
  return is_nan ? 0x7fc00000 : bits;
}

/* Low halves 0 and 1 tell an infinity from a NaN, the others are payloads. */
static void every_upper_half_of_an_f32_becomes_canonical(void **state) {
  (void)state;
  static const uint32_t lower[] = {0, 1, 0x5555, 0x8000, 0xffff};
  uint32_t nans = 0;
  for (uint32_t upper = 0; upper < 1u << 16; upper++) {
    for (size_t k = 0; k < sizeof lower / sizeof *lower; k++) {
      uint32_t before = upper << 16 | lower[k];
      uint32_t after = before;
      scalar_canonicalize(ECS_F32, &after);
      if (after != expected_f32(before))
        fail_msg("%08x became %08x", (unsigned)before, (unsigned)after);
      nans += after != before;
    }
  }
  /* Both signs; 127 upper halves with all five and one with all but the
   * infinity; minus the quiet NaN itself. */
  assert_int_equal(nans, 2 * (127 * 5 + 4) - 1);
}

static void every_upper_half_of_an_f64_becomes_canonical(void **state) {
  (void)state;
  static const uint64_t lower[] = {0, 1, 0xffffffffffff};
  for (uint64_t upper = 0; upper < 1u << 16; upper++) {
    for (size_t k = 0; k < sizeof lower / sizeof *lower; k++) {
      uint64_t before = upper << 48 | lower[k];
      uint64_t after = before;
      scalar_canonicalize(ECS_F64, &after);
      bool is_nan =
          (before >> 52 & 0x7ff) == 0x7ff && (before & 0xfffffffffffff) != 0;
      if (after != (is_nan ? 0x7ff8000000000000 : before))
        fail_msg("%016llx became %016llx", (unsigned long long)before,
                 (unsigned long long)after);
    }
  }
}

static void bools_and_entities_become_canonical(void **state) {
  (void)state;
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint8_t element = (uint8_t)byte;
    scalar_canonicalize(ECS_BOOL, &element);
    assert_int_equal(element, byte == 0 ? 0 : 1);
  }
  for (uint32_t bit = 0; bit < 64; bit++) {
    ecs_Entity element = UINT64_C(1) << bit;
    scalar_canonicalize(ECS_ENTITY, &element);
    assert_int_equal(element, bit < 52 ? UINT64_C(1) << bit : 0);
  }
}

static void every_pattern_of_an_integer_is_canonical(void **state) {
  (void)state;
  for (size_t k = 0; k < RANGES; k++) {
    unsigned char elements[64];
    for (size_t n = 0; n < sizeof elements; n++)
      elements[n] = (unsigned char)(n * 37 + 129);
    unsigned char before[64];
    memcpy(before, elements, sizeof before);
    uint32_t count = 64 / scalar_bytes(ranges[k].type);
    assert_int_equal(
        ecs_scalar_canonicalize_many(ranges[k].type, elements, count), 0);
    assert_memory_equal(elements, before, sizeof before);
  }
}

/* Every count up to some vectors' worth, with elements that need changing at
 * every third place: vector body and tail are both crossed, and the element
 * past the end stays. */
static void assert_many(ecs_Scalar type, uint64_t wrong, uint64_t right) {
  enum { MOST = 130 };
  uint32_t bytes = scalar_bytes(type);
  for (uint32_t count = 0; count <= MOST; count++) {
    unsigned char *elements = malloc((MOST + 1) * bytes);
    assert_non_null(elements);
    memset(elements, 0, (MOST + 1) * bytes);
    for (uint32_t k = 0; k <= MOST; k += 3)
      memcpy(elements + k * bytes, &wrong, bytes);
    assert_int_equal(ecs_scalar_canonicalize_many(type, elements, count),
                     (count + 2) / 3);
    const uint64_t zero = 0;
    for (uint32_t k = 0; k <= MOST; k++) {
      const uint64_t *expected = k % 3 != 0  ? &zero
                                 : k < count ? &right
                                             : &wrong;
      assert_memory_equal(elements + k * bytes, expected, bytes);
    }
    assert_int_equal(ecs_scalar_canonicalize_many(type, elements, count), 0);
    free(elements);
  }
}

/* Patterns whose bytes read alike in any order, or that fill all eight. */
static void many_elements_are_counted_and_changed_one_by_one(void **state) {
  (void)state;
  const uint32_t wrong_f32[2] = {0xffec5555, 0}, right_f32[2] = {0x7fc00000, 0};
  uint64_t wrong, right;
  memcpy(&wrong, wrong_f32, sizeof wrong);
  memcpy(&right, right_f32, sizeof right);
  assert_many(ECS_F32, wrong, right);
  assert_many(ECS_F64, 0xfff8000000000000, 0x7ff8000000000000);
  const uint8_t wrong_bool[8] = {2}, right_bool[8] = {1};
  memcpy(&wrong, wrong_bool, sizeof wrong);
  memcpy(&right, right_bool, sizeof right);
  assert_many(ECS_BOOL, wrong, right);
  assert_many(ECS_ENTITY, UINT64_C(1) << 52, 0);
}

static void what_is_stored_is_canonical_already(void **state) {
  (void)state;
  static const double values[] = {0,    -0.0, 1,   0.5,      -3,        255,
                                  1e10, 1e39, NAN, HUGE_VAL, -HUGE_VAL, TWO_52};
  for (int type = 0; type < (int)ECS_SCALAR_COUNT; type++) {
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
      uint64_t element = 0;
      ecs_scalar_convert((ecs_Scalar)type, &element, values[k]);
      assert_int_equal(
          ecs_scalar_canonicalize_many((ecs_Scalar)type, &element, 1), 0);
    }
  }
}

/* One NaN among numbers and infinities, wherever it stands. */
static void one_nan_is_found_in_any_place(void **state) {
  (void)state;
  for (uint32_t count = 1; count <= 70; count++) {
    for (uint32_t place = 0; place < count; place++) {
      float f32s[70];
      double f64s[70];
      for (uint32_t k = 0; k < count; k++)
        f32s[k] = (float)(f64s[k] = k % 3 == 0 ? -HUGE_VAL : k);
      assert_int_equal(ecs_scalar_canonicalize_many(ECS_F32, f32s, count), 0);
      assert_int_equal(ecs_scalar_canonicalize_many(ECS_F64, f64s, count), 0);
      memcpy(&f32s[place], &(uint32_t){0xffc00001}, 4);
      memcpy(&f64s[place], &(uint64_t){0xfff8000000000001}, 8);
      assert_int_equal(ecs_scalar_canonicalize_many(ECS_F32, f32s, count), 1);
      assert_int_equal(ecs_scalar_canonicalize_many(ECS_F64, f64s, count), 1);
      assert_memory_equal(&f32s[place], &(uint32_t){0x7fc00000}, 4);
      assert_memory_equal(&f64s[place], &(uint64_t){0x7ff8000000000000}, 8);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_has_its_name_and_size),
      cmocka_unit_test(a_type_that_is_none_does_no_harm),
      cmocka_unit_test(integers_take_both_ends_of_their_range),
      cmocka_unit_test(integers_refuse_the_next_number_past_either_end),
      cmocka_unit_test(integers_refuse_fractions_and_what_is_no_number),
      cmocka_unit_test(negative_integers_are_two_s_complement),
      cmocka_unit_test(integers_saturate_when_they_convert),
      cmocka_unit_test(integers_truncate_towards_zero_when_they_convert),
      cmocka_unit_test(a_nan_converts_to_zero_in_an_integer),
      cmocka_unit_test(every_8_and_16_bit_integer_goes_in_and_comes_out),
      cmocka_unit_test(loads_are_exact_for_every_type),
      cmocka_unit_test(an_f32_is_rounded_the_same_on_both_ways_in),
      cmocka_unit_test(a_finite_number_too_large_for_an_f32_is_refused),
      cmocka_unit_test(an_f64_keeps_every_bit_of_a_number),
      cmocka_unit_test(a_nan_of_any_pattern_is_stored_as_the_quiet_one),
      cmocka_unit_test(a_bool_takes_zero_and_one_alone),
      cmocka_unit_test(an_entity_takes_whole_numbers_of_52_bits),
      cmocka_unit_test(every_upper_half_of_an_f32_becomes_canonical),
      cmocka_unit_test(every_upper_half_of_an_f64_becomes_canonical),
      cmocka_unit_test(bools_and_entities_become_canonical),
      cmocka_unit_test(every_pattern_of_an_integer_is_canonical),
      cmocka_unit_test(many_elements_are_counted_and_changed_one_by_one),
      cmocka_unit_test(what_is_stored_is_canonical_already),
      cmocka_unit_test(one_nan_is_found_in_any_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
