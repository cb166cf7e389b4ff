/* loops.h: the loops of the benchmarks, written by hand over separate columns.
 *
 * These functions are the baseline, and the native kernels of the benchmarks
 * call the same functions on their blocks. So a ratio of 1 means that the
 * library costs nothing, whatever code the compiler makes of a loop.
 *
 * Columns do not overlap (restrict) and need no alignment. */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include <stdint.h>

/* a[i] = b[i] + s * c[i] */
void hand_triad(float *restrict a, const float *restrict b,
                const float *restrict c, float s, uint32_t count);

/* pos += vel * dt, two fields each. */
void hand_move(float *restrict x, float *restrict y, const float *restrict dx,
               const float *restrict dy, float dt, uint32_t count);

/* The same, but row k of the velocities belongs to row rows[k] of the
 * positions. No row occurs twice in rows. */
void hand_move_indexed(float *restrict x, float *restrict y,
                       const float *restrict dx, const float *restrict dy,
                       const uint32_t *restrict rows, float dt, uint32_t count);

/* value += step */
void hand_advance(float *restrict value, float step, uint32_t count);

/* target += source * dt */
void hand_accumulate(float *restrict target, const float *restrict source,
                     float dt, uint32_t count);

/* value[i] = start + i * step, as whole numbers small enough to be exact. */
void hand_fill(float *restrict value, float start, float step, uint32_t count);

#endif
