/* reduction.h: reduces many numbers to one, in an order that blocks cannot
 * change.
 *
 * A sum of doubles depends on its order. The order here follows from the
 * numbers of the rows, not from how they are cut into blocks, and it suits
 * vectors. Row n is joined to lane n % 16. After every 1024 rows, and at the
 * end, the lanes are folded:
 *
 *      row   0  1  2 ... 15 | 16 17 ... |     ... 1023 | 1024 ...
 *            |  |  |     |     |  |
 *      lanes 0  1  2 ... 15    0  1               fold: 0 and 8, 1 and 9 ...
 *                                                 then 4, 2 and 1 apart,
 *                                                 and lane 0 to the total
 *
 * Folding empty lanes would change only a total of negative zero. There is
 * none, as every total starts with +0 or an infinity. Kernel programs and the
 * totals that scripts add to row by row both use this header, so they give the
 * same bits.
 *
 * Everything is inline, so a binding in a library of its own can use it without
 * symbols of the core. Cost: a join is one operation, a fold sixteen.
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
  double total; /* of the rows before the last fold */
} Reduction;

/* The total of no rows. */
static inline double reduction_start(ReductionKind kind) {
  if (kind == REDUCTION_SUM) return 0.0;
  return kind == REDUCTION_LEAST ? (double)INFINITY : -(double)INFINITY;
}

/* Joins b to a. Of equal numbers, least and greatest keep the first; they
 * ignore NaN. */
static inline double reduction_join(ReductionKind kind, double a, double b) {
  if (kind == REDUCTION_SUM) return a + b;
  if (kind == REDUCTION_LEAST) return b < a ? b : a;
  return b > a ? b : a;
}

/* Empties the lanes. */
static inline void reduction_clear(Reduction *reduction, ReductionKind kind) {
  double start = reduction_start(kind);
  for (uint32_t k = 0; k < REDUCTION_LANES; k++) reduction->lanes[k] = start;
}

/* Starts a reduction: empties the lanes, and sets the total. */
static inline void reduction_begin(Reduction *reduction, ReductionKind kind) {
  reduction->total = reduction_start(kind);
  reduction_clear(reduction, kind);
}

/* Joins the number of one row to its lane. row counts from 0. */
static inline void reduction_add(Reduction *reduction, ReductionKind kind,
                                 uint64_t row, double number) {
  double *lane = &reduction->lanes[row % REDUCTION_LANES];
  *lane = reduction_join(kind, *lane, number);
}

/* Joins the lanes in pairs, then to the total, and empties them. */
static inline void reduction_fold(Reduction *reduction, ReductionKind kind) {
  double *lanes = reduction->lanes;
  for (uint32_t apart = REDUCTION_LANES / 2; apart > 0; apart /= 2)
    for (uint32_t k = 0; k < apart; k++)
      lanes[k] = reduction_join(kind, lanes[k], lanes[k + apart]);
  reduction->total = reduction_join(kind, reduction->total, lanes[0]);
  reduction_clear(reduction, kind);
}

#endif
