/* reduction.h: many numbers into one, in an order that no block changes.
 *
 * A sum of doubles depends on its order. Here the order is that of the rows,
 * however they are cut, yet one that vectors can follow: row n is joined to
 * lane n % 16, and after every 1024 rows, and at the end, the lanes are folded:
 *
 *      row   0  1  2 ... 15 | 16 17 ... |     ... 1023 | 1024 ...
 *            |  |  |     |     |  |
 *      lanes 0  1  2 ... 15    0  1               fold: 0 and 8, 1 and 9 ...
 *                                                 then 4, 2 and 1 apart,
 *                                                 and lane 0 to the total
 *
 * Folding lanes to which nothing was joined changes no total that is not a
 * negative zero, and none is: every total starts with +0 or an infinity.
 * Kernel programs and what scripts add row by row both go through here, so they
 * give the same bits.
 *
 * All is inline: a binding in a library of its own needs nothing of the core's.
 * Cost: a join is one operation, a fold sixteen.
 */
#ifndef ECS_REDUCTION_H
#define ECS_REDUCTION_H

#include <math.h>
#include <stdint.h>

#define REDUCTION_LANES 16u
#define REDUCTION_ROWS 1024u

typedef enum ReductionKind {
  REDUCTION_SUM,
  REDUCTION_LEAST,
  REDUCTION_GREATEST
} ReductionKind;

typedef struct Reduction {
  double lanes[REDUCTION_LANES];
  double total; /* of the rows before those in the lanes */
} Reduction;

/* What no row at all comes to. */
static inline double reduction_start(ReductionKind kind) {
  if (kind == REDUCTION_SUM) return 0.0;
  return kind == REDUCTION_LEAST ? (double)INFINITY : -(double)INFINITY;
}

/* One step: extremes keep the first of equal ones and ignore NaN. */
static inline double reduction_join(ReductionKind kind, double a, double b) {
  if (kind == REDUCTION_SUM) return a + b;
  if (kind == REDUCTION_LEAST) return b < a ? b : a;
  return b > a ? b : a;
}

/* Forgets what is in the lanes. */
static inline void reduction_clear(Reduction *reduction, ReductionKind kind) {
  for (uint32_t k = 0; k < REDUCTION_LANES; k++)
    reduction->lanes[k] = reduction_start(kind);
}

/* Forgets everything. */
static inline void reduction_begin(Reduction *reduction, ReductionKind kind) {
  reduction->total = reduction_start(kind);
  reduction_clear(reduction, kind);
}

/* Joins one row. */
static inline void reduction_add(Reduction *reduction, ReductionKind kind,
                                 uint64_t row, double number) {
  double *lane = &reduction->lanes[row % REDUCTION_LANES];
  *lane = reduction_join(kind, *lane, number);
}

/* Brings the lanes into the total, in pairs; they are empty afterwards. */
static inline void reduction_fold(Reduction *reduction, ReductionKind kind) {
  double *lanes = reduction->lanes;
  for (uint32_t apart = REDUCTION_LANES / 2; apart > 0; apart /= 2)
    for (uint32_t k = 0; k < apart; k++)
      lanes[k] = reduction_join(kind, lanes[k], lanes[k + apart]);
  reduction->total = reduction_join(kind, reduction->total, lanes[0]);
  reduction_clear(reduction, kind);
}

#endif
