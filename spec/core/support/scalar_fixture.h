/* scalar_fixture.h: an element between sentinels.
 *
 * A store that writes one byte too many fails every test that uses it.
 */
#ifndef SCALAR_FIXTURE_H
#define SCALAR_FIXTURE_H

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

/* A place at an odd address, for the widest type. */
typedef struct Element {
  unsigned char before[9];
  unsigned char element[8];
  unsigned char after[8];
} Element;

static inline void clear(Element *place) {
  memset(place, SENTINEL, sizeof *place);
}

/* The bits of the element; checks that the bytes around it are untouched. */
static inline uint64_t bits_of(const Element *place, uint32_t bytes) {
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
static inline double as_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline void assert_stores(ecs_Scalar type, double value, uint64_t bits) {
  Element place;
  clear(&place);
  assert_int_equal(ecs_scalar_store(type, place.element, value), ECS_OK);
  assert_int_equal(bits_of(&place, ecs_scalar_bytes(type)), bits);
}

/* Refused, and the place left as it was. */
static inline void assert_refuses(ecs_Scalar type, double value) {
  Element place;
  clear(&place);
  assert_int_equal(ecs_scalar_store(type, place.element, value), ECS_E_VALUE);
  (void)bits_of(&place, 0);
}

static inline void assert_converts(ecs_Scalar type, double value,
                                   uint64_t bits) {
  Element place;
  clear(&place);
  ecs_scalar_convert(type, place.element, value);
  assert_int_equal(bits_of(&place, ecs_scalar_bytes(type)), bits);
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

#endif
