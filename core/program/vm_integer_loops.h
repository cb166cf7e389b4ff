/* vm_integer_loops.h: the loops of integer fields.
 *
 *      load        integer -> f64, or f32 where that holds all of its numbers
 *      store       towards zero, saturating, NaN to 0
 *      quantize    what a load gives after a store
 *
 * Stores and quantizes of numbers of which more is known (KnownNumbers) have
 * loops of their own, which do less.
 *
 * Only vm_loops.c includes this header.
 */
#ifndef ECS_VM_INTEGER_LOOPS_H
#define ECS_VM_INTEGER_LOOPS_H

#include "math/elementary_number.h"
#include "program/vm_loop_macros.h"

/* Saturates, a NaN to low. Each line is one instruction for a vector. */
#define CLAMP(type)                                                     \
  static inline type clamp_number_##type(type x, type low, type high) { \
    type y = x > low ? x : low;                                         \
    return y < high ? y : high;                                         \
  }                                                                     \
  /* The same, but a NaN becomes 0. */                                  \
  static inline type clamp_any_##type(type x, type low, type high) {    \
    return clamp_number_##type(x == x ? x : 0, low, high);              \
  }
CLAMP(float)
CLAMP(double)

/* A clamped number without its fraction, and never -0. The integer becomes a
 * number again by its place in the mantissa of another one: with
 * no-trapping-math, GCC makes a truncation of two conversions, which gives -0.
 */
static inline float whole_float(float x) {
  uint32_t bits = 0x4b400000u + (uint32_t)(int32_t)x; /* 0x1.8p23 + x */
  float y;
  memcpy(&y, &bits, sizeof y);
  return y - 0x1.8p23f;
}

static inline double whole_double(double x) {
  uint64_t bits = elementary_bits(ELEMENTARY_ROUNDER) + (uint64_t)(int32_t)x;
  return elementary_from_bits(bits) - ELEMENTARY_ROUNDER;
}

static inline double whole_unsigned(double x) { return trunc(x) + 0.0; }

/* The low bits of a whole number below 2^51, or of its two's complement. */
static inline uint32_t low_bits(double whole) {
  return (uint32_t)elementary_bits(whole + ELEMENTARY_ROUNDER);
}

/* Of values A, called V, for fields T: x, as a C, is clamped, and converted to
 * I on its way to T, which is one instruction for each. */
#define INTEGER(name, T, V, A, C, I, clamp, whole, low, high)       \
  STORE_LOOPS(name##_##V, T, A, (T)(I)clamp##_##C((C)x, low, high)) \
  LOOP1(quantize_##name##_##V, A, A, whole(clamp##_##C((C)x, low, high)))

/* Of whole numbers, and of those that the field holds. */
#define KNOWN_INTEGER(name, T, low, high)                  \
  STORE_LOOPS(whole_##name, T, double,                     \
              low_bits(clamp_number_double(x, low, high))) \
  STORE_LOOPS(fit_##name, T, double, low_bits(x))          \
  LOOP1(quantize_whole_##name, double, double,             \
        clamp_number_double(x, low, high) + 0.0)

/* f32 holds all numbers of these fields. A clamp to 0 needs no look for NaN. */
#define SMALL_INTEGER(name, T, clamp, low, high)                              \
  LOOP1(load_##name##_f32, float, T, x)                                       \
  LOOP1(load_##name##_f64, double, T, x)                                      \
  INTEGER(name, T, f32, float, float, int32_t, clamp, whole_float, low, high) \
  INTEGER(name, T, f64, double, double, int32_t, clamp, whole_double, low,    \
          high)                                                               \
  KNOWN_INTEGER(name, T, low, high)
SMALL_INTEGER(i8, int8_t, clamp_any, -128, 127)
SMALL_INTEGER(u8, uint8_t, clamp_number, 0, 255)
SMALL_INTEGER(i16, int16_t, clamp_any, -32768, 32767)
SMALL_INTEGER(u16, uint16_t, clamp_number, 0, 65535)

#define LARGE_INTEGER(name, T, clamp, whole, low, high)             \
  LOOP1(load_##name##_f64, double, T, x)                            \
  INTEGER(name, T, f32, float, double, T, clamp, whole, low, high)  \
  INTEGER(name, T, f64, double, double, T, clamp, whole, low, high) \
  KNOWN_INTEGER(name, T, low, high)
LARGE_INTEGER(i32, int32_t, clamp_any, whole_double, -2147483648.0,
              2147483647.0)
LARGE_INTEGER(u32, uint32_t, clamp_number, whole_unsigned, 0, 4294967295.0)

#endif
