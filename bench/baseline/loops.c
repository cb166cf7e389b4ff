/* loops.c: the loops of loops.h, written plainly so that the compiler
 * vectorises them. */
#include "loops.h"

void hand_triad(float *restrict a, const float *restrict b,
                const float *restrict c, float s, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) a[i] = b[i] + s * c[i];
}

void hand_move(float *restrict x, float *restrict y, const float *restrict dx,
               const float *restrict dy, float dt, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    x[i] += dx[i] * dt;
    y[i] += dy[i] * dt;
  }
}

void hand_move_indexed(float *restrict x, float *restrict y,
                       const float *restrict dx, const float *restrict dy,
                       const uint32_t *restrict rows, float dt,
                       uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t row = rows[i];
    x[row] += dx[i] * dt;
    y[row] += dy[i] * dt;
  }
}

void hand_advance(float *restrict value, float step, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) value[i] += step;
}

void hand_accumulate(float *restrict target, const float *restrict source,
                     float dt, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) target[i] += source[i] * dt;
}

void hand_fill(float *restrict value, float start, float step, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    value[i] = start + (float)(int32_t)i * step;
  }
}
