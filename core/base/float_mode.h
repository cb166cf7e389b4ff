/* float_mode.h: arithmetic as IEEE 754 has it, whatever else is in the process.
 *
 * A library that was linked with -Ofast or -ffast-math sets, when it is loaded,
 * a mode in which numbers near 0 are 0 (denormals; FTZ and DAZ on x86), for all
 * code of its thread. Others set a rounding mode. Both change results, and with
 * them the hash of a world. So runs of programs and kernels, and the frames of
 * scripts, set the mode that a process begins with, and then set what was there
 * again:
 *
 *      FloatMode mode = float_mode_begin();
 *      ...                                     nothing here may jump out of it
 *      float_mode_end(mode);
 *
 * float_mode_end sets no other bits than these: some end the process.
 *
 * Cost: a nanosecond where the mode is as it should be.
 */
#ifndef ECS_FLOAT_MODE_H
#define ECS_FLOAT_MODE_H

#include <stdint.h>

#if defined(__x86_64__) || defined(_M_X64) || defined(__SSE__)
#include <xmmintrin.h>
#endif

/* The bits of the mode that float_mode_begin has cleared; 0: none. */
typedef uint64_t FloatMode;

#if defined(__x86_64__) || defined(_M_X64) || defined(__SSE__)

/* Flush to zero, denormals are zero, and the two bits of the rounding mode. */
#define FLOAT_MODE_BITS 0xe040u

static inline FloatMode float_mode_begin(void) {
  unsigned mode = _mm_getcsr();
  if ((mode & FLOAT_MODE_BITS) == 0) return 0;
  _mm_setcsr(mode & ~FLOAT_MODE_BITS);
  return mode & FLOAT_MODE_BITS;
}
static inline void float_mode_end(FloatMode mode) {
  if (mode) _mm_setcsr(_mm_getcsr() | ((unsigned)mode & FLOAT_MODE_BITS));
}

#elif defined(__aarch64__)

/* Flush to zero, also of half floats, default NaN, and the rounding mode. */
#define FLOAT_MODE_BITS UINT64_C(0x3c80000)

static inline FloatMode float_mode_begin(void) {
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode) : : "memory");
  if ((mode & FLOAT_MODE_BITS) == 0) return 0;
  __asm__ volatile("msr fpcr, %0" : : "r"(mode & ~FLOAT_MODE_BITS) : "memory");
  return mode & FLOAT_MODE_BITS;
}
static inline void float_mode_end(FloatMode mode) {
  uint64_t now;
  if (mode == 0) return;
  __asm__ volatile("mrs %0, fpcr" : "=r"(now) : : "memory");
  __asm__ volatile("msr fpcr, %0"
                   :
                   : "r"(now | (mode & FLOAT_MODE_BITS))
                   : "memory");
}

#else

static inline FloatMode float_mode_begin(void) { return 0; }
static inline void float_mode_end(FloatMode mode) { (void)mode; }

#endif

#endif
